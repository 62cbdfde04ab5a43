/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The patterns of the sweep, and its peer in C. */
#ifndef TOSAJIT_BENCH_SWEEP_H
#define TOSAJIT_BENCH_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

enum { SWEEP_RANK = 4 };

/* Four loops; strides in elements, 0 where an operand repeats. */
typedef struct sweep_nest {
    int64_t sizes[SWEEP_RANK], strides[2][SWEEP_RANK];
} sweep_nest;

typedef struct sweep_pattern {
    int32_t rank;
    int64_t dims[3][SWEEP_RANK], count; /* of the operands and the result; its elements */
    sweep_nest nest;
} sweep_pattern;

/* Every pattern in turn, until one is answered by false; false then. */
typedef bool sweep_visitor(const sweep_pattern *p, uint32_t index, void *context);
bool sweep_visit(sweep_visitor *visit, void *context);
/* Repeatable, and without a rhythm of its own: for samples. */
uint32_t sweep_scramble(uint32_t x);

/* Sums, dense. */
void sweep_loop(const sweep_nest *nest, const float *a, const float *b, float *result);
/* The same of products. */
void sweep_loop_mul(const sweep_nest *nest, const float *a, const float *b, float *result);

#endif
