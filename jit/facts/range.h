/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges: between which numbers an integer value of a program lies, whatever the operands hold. So
 * emitters may use narrower instructions:
 *
 *     %1 = rescale %x : i8 -> i32, multiplier 2^30, shift 20      -131072..130048
 *     %2 = rescale %y : likewise                                  -131072..130048
 *     %3 = add %1, %2                                             -262144..260096: no wrapping
 *
 * Constants are known, one by one or all channels of a tensor. What is open when the code is made,
 * is between the limits of its type. */
#ifndef TOSAJIT_JIT_FACTS_RANGE_H
#define TOSAJIT_JIT_FACTS_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/expr/expr.h"

/* As signed numbers, whatever an op makes of the bits. */
typedef struct range {
    int64_t low, high;
} range;

/* Of every node: of integers in order; of others without meaning. */
void find_ranges(const tosajit_expr *program, range *ranges);

/* Of an op's result. `operand` is the type of its first operand, x are the operands' ranges. */
range find_range(const expr_node *node, tosajit_type operand, const range *x);

static inline bool range_within(range r, int64_t low, int64_t high) {
    return r.low >= low && r.high <= high;
}

/* The steps of rescale, as ranges. Before the result is limited to its type, and without its zero
 * point; that may be all of int64_t. */
typedef struct rescale_ranges {
    range value; /* less the zero point */
    range multiplier, shift, output_zp, scaled;
} rescale_ranges;
rescale_ranges find_rescale_ranges(tosajit_type operand, tosajit_type result,
                                   const tosajit_attributes *attributes, const range *operands);

#endif
