/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scatter: the other way round than gather. r is a, in which c's elements are put, added, or
 * compared with what is there, at places that b says. a, b and c have one rank. The first dimension
 * of a is indexed; the first one of b and c is that of the updates; all others broadcast:
 *
 *     a: 500x64, b: 9000x1, c: 9000x64              r: 500x64, rows of a graph's nodes
 *     a: 256, b: 65536, c: 1 (a number)             r: 256, a histogram
 *     a: 8x6 (6x8, transposed), b: 3x6, c: 3x6      r: 8x6, in each row at its own index
 *
 * An index may occur again. Updates then come in b's order, whatever the number of threads, blocks
 * or CPU, so bits depend on nothing. Each sum is rounded to the type of a. Only a plain scatter
 * whose index is strict is TOSA's, where no index may occur twice.
 *
 * A part that scatters (runtime/plan/assign.c) goes over the updates, as its iteration space, and
 * has no code (runtime/tile/scatter.h). Parts before it may compute a block of updates, then it
 * puts them, then comes the next block. What reads r comes behind all of that, in another phase. */
#ifndef TOSAJIT_RUNTIME_EXPR_SCATTER_H
#define TOSAJIT_RUNTIME_EXPR_SCATTER_H

/* The operands. */
enum { SCATTER_BASE, SCATTER_INDEX, SCATTER_UPDATES };

#endif
