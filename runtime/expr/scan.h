/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scans: the order in which the elements along an axis are combined up to each one. As that of
 * reductions it is part of the result: the same operands give the same bits on every CPU, with any
 * number of threads, in any form; here along any axis, too.
 *
 *     block     8 elements. With steps 1, 2, 4 each element whose number in the block has the
 *               step's bit is combined with the last one of those before it that have it not:
 *                   1   x1 = x0 x1   x3 = x2 x3   x5 = x4 x5   x7 = x6 x7
 *                   2   x2 = x1 x2   x3 = x1 x3   x6 = x5 x6   x7 = x5 x7
 *                   4   x4 = x3 x4   x5 = x3 x5   x6 = x3 x6   x7 = x3 x7
 *     segment   1024 elements: 128 blocks. What a block gives is combined with `carry`, the last
 *               element of the block before it; the first one's is the neutral element
 *     axis      what a segment gives is combined with `base`, the last result of the segment
 *               before it; the first one's is the neutral element
 *
 * So element i is base (carry xi). It takes part in 3 + 128 + n / 1024 combinations at most, and a
 * sum of what is not negative never decreases. f16 and bf16 are combined in f32, and each result is
 * rounded once. The order of logcumsumexp is that of the elements (interpret_scan.h).
 *
 * What is scanned lies in memory. So a scan is a part of its own (runtime/plan/assign.c), and has
 * no code (runtime/tile/scan.h); parts that compute read it from scratch, block by block. */
#ifndef TOSAJIT_RUNTIME_EXPR_SCAN_H
#define TOSAJIT_RUNTIME_EXPR_SCAN_H

enum { SCAN_BLOCK = 8, SCAN_STEPS = 3, SCAN_SEGMENT = 1024 };

#endif
