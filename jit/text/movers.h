/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that move elements and compute none, with NumPy's and PyTorch's names, and subscripts.
 * In: an operand and the numbers behind it. Out: the ops that they stand for. */
#ifndef TOSAJIT_JIT_TEXT_MOVERS_H
#define TOSAJIT_JIT_TEXT_MOVERS_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* A call of one. */
typedef struct mover_call {
    tosajit_expr *expr;
    tosajit_status status; /* of the first op that was refused; OK: none was */
    tosajit_value operand;
    tosajit_tensor_type type; /* of the operand, which has a rank */
    int64_t numbers[2 * TOSAJIT_MAX_RANK];
    size_t count;
    tosajit_value operands[TOSAJIT_MAX_RANK]; /* the operand, and others behind it */
    size_t operand_count;
} mover_call;

typedef struct mover {
    const char *name, *meaning; /* the second for help */
    size_t least, most;         /* numbers */
    bool several;               /* it takes several operands */
    tosajit_value (*compose)(mover_call *call);
} mover;

/* The function of that name, or null. */
const mover *mover_find(const char *name, size_t length);
/* In order; null behind the last one. */
const mover *mover_at(size_t index);

/* Something between the brackets of x[...]. */
typedef enum subscript_kind {
    SUBSCRIPT_RANGE,
    SUBSCRIPT_INDEX,
    SUBSCRIPT_NEW,
    SUBSCRIPT_REST
} subscript_kind;
typedef struct subscript {
    subscript_kind kind;
    int64_t begin, end, step; /* TOSAJIT_DYNAMIC: left out; of an index, begin */
} subscript;
enum { SUBSCRIPTS = 2 * TOSAJIT_MAX_RANK };

/* x[...], as NumPy has it: ends beyond a size that is known are the size. SHAPE_MISMATCH for what
 * would be empty, and for an index that is none. */
tosajit_value subscript_compose(mover_call *call, const subscript *list, size_t count);

/* An index for gather: of a narrower integer type, or u32, it becomes i32 or i64. */
tosajit_status mover_index(tosajit_expr *expr, tosajit_value *index);

/* x without some of its dimensions, of size 1. */
tosajit_status mover_drop(tosajit_expr *expr, tosajit_value operand, const bool *dropped,
                          tosajit_value *value);

#endif
