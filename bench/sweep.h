/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pattern sweep's peer in C. In: a nest of four loops and strides in elements, 0 where an
 * operand repeats. Out: sums, dense. */
#ifndef TOSAJIT_BENCH_SWEEP_H
#define TOSAJIT_BENCH_SWEEP_H

#include <stdint.h>

enum { SWEEP_RANK = 4 };

typedef struct sweep_nest {
    int64_t sizes[SWEEP_RANK], strides[2][SWEEP_RANK];
} sweep_nest;

void sweep_loop(const sweep_nest *nest, const float *a, const float *b, float *result);
/* The same of products. */
void sweep_loop_mul(const sweep_nest *nest, const float *a, const float *b, float *result);

#endif
