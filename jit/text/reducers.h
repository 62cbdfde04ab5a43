/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the language that reduce, NumPy's and PyTorch's: sum, mean, softmax. In: values of
 * an expression; out: the ops that they are. One table, which reader, builder and help share. */
#ifndef TOSAJIT_JIT_TEXT_REDUCERS_H
#define TOSAJIT_JIT_TEXT_REDUCERS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/expr/keys.h"
#include "tosajit/tosajit.h"

enum { REDUCER_OPERANDS = 3 };

/* A call of such a function. */
typedef struct reducer_call {
    tosajit_expr *expr;
    tosajit_status status; /* of the first op that was refused; OK: none was */
    tosajit_value operands[REDUCER_OPERANDS];
    size_t operand_count;
    int64_t axes[TOSAJIT_MAX_RANK]; /* ascending, each once */
    int axis_count;
    /* reduce_straddles: of such neighbours each is reduced alone. Null: all are, as in TOSA. */
    bool (*straddles)(const tosajit_expr *expr, tosajit_value value, int64_t first, int64_t last);
    double eps;  /* layer_norm, rms_norm */
    double ddof; /* var, std: the divisor is that much less than the number of elements */
    tosajit_nan_mode nan_mode; /* max, min */
} reducer_call;

typedef struct reducer {
    const char *name, *meaning; /* the second for help */
    size_t operands;            /* at most; of one, a number behind it is the axis */
    bool last;                  /* without an axis it is the last one; else all are */
    tosajit_value (*compose)(reducer_call *call, tosajit_op op);
    tosajit_op op;   /* for the function; or none */
    const char *key; /* what it takes by name beside the axis and keepdims, or null */
} reducer;

/* The function of that name, or null. */
const reducer *reducer_find(const char *name, size_t length);
/* In order; null behind the last one. */
const reducer *reducer_at(size_t index);
/* An argument that the function takes by name, or null. */
const op_key *reducer_key(const reducer *r, const char *name, size_t length);

#endif
