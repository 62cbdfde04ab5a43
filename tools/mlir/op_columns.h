/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The columns of ops.def that tools read beyond what the API tells. In: the table; out: constants.
 * A word that is new in a column must be named here, or nothing compiles. */
#ifndef TOSAJIT_TOOLS_MLIR_OP_COLUMNS_H
#define TOSAJIT_TOOLS_MLIR_OP_COLUMNS_H

#include "tosajit/tosajit.h"

/* What an op takes beside its operands: one of these, as a bit, so that sets can be asked for. */
enum {
    TAKES_NONE = 0,
    TAKES_LIMITS = 1,
    TAKES_NAN_MODE = 2,
    TAKES_SHIFT = 4,
    TAKES_ZERO_POINTS = 8,
    TAKES_ROUND = 16,
    TAKES_UNSIGNED = 32,
    TAKES_TABLE = 64,
    TAKES_SCALING = 128,
    TAKES_EXTENSION = 256, /* nothing: no op of TOSA's, but tosa.custom in MLIR */
};

/* What a floating-point result is: see ops.def. */
typedef enum result_column {
    RESULT_MOVED,
    RESULT_MASKED,
    RESULT_EXACT,
    RESULT_ROUNDED,
    RESULT_FUNCTION,
} result_column;

typedef struct op_columns {
    unsigned takes; /* TAKES_* */
    result_column result;
} op_columns;

extern const op_columns op_columns_of[TOSAJIT_OP_COUNT];

#endif
