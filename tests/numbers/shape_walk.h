/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of one op, called with any sizes, fitting and not, and any strides, in memory that ends
 * or starts at an inaccessible page. A call must say and compute what the interpreter does for it,
 * whatever was called before: runs take short cuts by shape, the interpreter has none. A difference
 * ends the test through cmocka's fail_msg. */
#ifndef TOSAJIT_TESTS_NUMBERS_SHAPE_WALK_H
#define TOSAJIT_TESTS_NUMBERS_SHAPE_WALK_H

#include "tests/support/support.h"

enum { SHAPE_WALK_KEPT = 61 };

typedef struct shape_walk shape_walk;

typedef struct shape_walk_counts {
    size_t fitting, refused, in_place;
} shape_walk_counts;

/* Engines and guarded memory; null if the system does not give them. Iteration spaces have at most
 * so many elements, but for what static sizes demand. */
shape_walk *shape_walk_open(int64_t most_elements);
void shape_walk_close(shape_walk *w);

/* The kernel of the next calls, and the random numbers that decide them. */
void shape_walk_kernel(shape_walk *w, uint64_t seed);
/* A call, twice. */
void shape_walk_call(shape_walk *w);

/* A call of one of SHAPE_WALK_KEPT kernels, which are made once and then prepared. */
void shape_walk_case(shape_walk *w, uint64_t number, test_random random,
                     void (*prepare)(tosajit_kernel *kernel));

const shape_walk_counts *shape_walk_count(const shape_walk *w);

#endif
