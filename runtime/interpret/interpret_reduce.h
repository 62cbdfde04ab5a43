/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interpreter's reductions: elements one by one, in the order of runtime/expr/reduce.h. */
#ifndef TOSAJIT_RUNTIME_INTERPRET_INTERPRET_REDUCE_H
#define TOSAJIT_RUNTIME_INTERPRET_INTERPRET_REDUCE_H

#include "runtime/expr/reduce.h"

/* Bits are of the accumulator's type. */
typedef struct interpret_reduction {
    const expr_node *node;
    tosajit_type element; /* of what is reduced */
    uint64_t partials[REDUCE_PARTIALS], total;
    int64_t position; /* of the total, where that is asked for */
} interpret_reduction;

void interpret_reduce_begin(interpret_reduction *r, const tosajit_expr *program,
                            const expr_node *node);
/* Element i along the axis, of the operand's type; i counts from 0. */
void interpret_reduce_add(interpret_reduction *r, int64_t i, uint64_t bits);
/* The next segment's value, in place of its elements; bits are of the accumulator's type. */
void interpret_reduce_segment(interpret_reduction *r, uint64_t value);
/* The result after `count` elements, of the result's type. */
uint64_t interpret_reduce_end(interpret_reduction *r, int64_t count);

#endif
