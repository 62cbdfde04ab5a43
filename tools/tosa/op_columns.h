/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The columns of ops.def that tools need and the API does not give. In: the table; out: constants.
 */
#ifndef TOSAJIT_TOOLS_TOSA_OP_COLUMNS_H
#define TOSAJIT_TOOLS_TOSA_OP_COLUMNS_H

#include "runtime/expr/ops.h"

typedef struct op_columns {
    bool extension; /* no op of TOSA's, but tosa.custom in files */
    op_result result;
    bool view;    /* it moves elements and computes none */
    bool reduces; /* it reduces a dimension */
    bool drops;   /* which the result has not, in TOSA's files */
    bool gathers; /* whose operands have other shapes in TOSA's files: gather and scatter */
    bool indexed; /* operand 1 is an index */
} op_columns;

extern const op_columns op_columns_of[TOSAJIT_OP_COUNT];

#endif
