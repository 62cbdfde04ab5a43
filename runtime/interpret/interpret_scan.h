/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interpreter's scans: elements one by one, in the order of runtime/expr/scan.h. That of
 * logcumsumexp is their own: m is the greatest element so far and s the sum of e^(x - m), in f64;
 * each result is m + ln s. */
#ifndef TOSAJIT_RUNTIME_INTERPRET_INTERPRET_SCAN_H
#define TOSAJIT_RUNTIME_INTERPRET_INTERPRET_SCAN_H

#include "runtime/expr/reduce.h"
#include "runtime/expr/scan.h"

typedef struct interpret_scan {
    const expr_node *node;
    int64_t count;                       /* elements so far */
    cell base, carry;                    /* of the accumulator's type */
    cell before[SCAN_STEPS][SCAN_BLOCK]; /* the block's elements, before each step */
    cell total;                          /* the last result, not rounded to the result's type */
    double sum;                          /* of logcumsumexp */
} interpret_scan;

void interpret_scan_begin(interpret_scan *s, const expr_node *node);
/* The result at the next element along the axis; both are bits. */
uint64_t interpret_scan_add(interpret_scan *s, uint64_t bits);

#endif
