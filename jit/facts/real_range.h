/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges of floating point: between which numbers a value of a program lies, and whether it can be
 * NaN. What was an integer is finite, and so is what constants make of it:
 *
 *     %1 = cast %x : i8 -> f32                  -128..127
 *     %2 = mul %1, 0.0173                       -2.22..2.2
 *     %3 = cast %2 : f32 -> i8                  no NaN to be made 0, and no limits
 *
 * An operand may be anything. */
#ifndef TOSAJIT_JIT_FACTS_REAL_RANGE_H
#define TOSAJIT_JIT_FACTS_REAL_RANGE_H

#include "jit/facts/range.h"

/* A number in low..high, both of which may be infinite; or NaN, if it may be that. Bounds are no
 * tighter than what rounding leaves of them. */
typedef struct real_range {
    double low, high;
    bool may_be_nan;
} real_range;

static const real_range any_real = {-__builtin_inf(), __builtin_inf(), true};

/* Of every node: of floating point; of others without meaning. `ranges` are those of integers. */
void find_real_ranges(const tosajit_expr *program, const range *ranges, real_range *reals);

/* A cast of f32 to integers of 8 bits, of a rounded value with an integer added: a zero point. The
 * value is rounded by the conversion, and the integer added in 16 bits. Of other nodes `value` is
 * -1. */
typedef struct quantised_cast {
    tosajit_value value;
    int addend;
} quantised_cast;
quantised_cast find_quantised_cast(const tosajit_expr *program, const expr_node *node);

#endif
