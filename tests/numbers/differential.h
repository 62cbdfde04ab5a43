/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One case of the differential test: a random expression, its kernels on every engine, several
 * calls of each, all against the oracle. In: random numbers. Out: counts; a difference is printed
 * and ends the test through cmocka's fail_msg. */
#ifndef TOSAJIT_TESTS_NUMBERS_DIFFERENTIAL_H
#define TOSAJIT_TESTS_NUMBERS_DIFFERENTIAL_H

#include "tests/support/support.h"

typedef struct differential differential;

typedef struct differential_counts {
    uint64_t cases, runs, elements, mismatches, in_place, overlapping, stepwise, fixed, oversized,
        moved, wrong_indices;
} differential_counts;

/* Engines and guarded memory; null if the system does not give them. */
differential *differential_open(void);
void differential_close(differential *d);

/* From now on a fault says which case it is. */
void differential_announce_crashes(void);

/* Preparation of every kernel before it runs; null: nothing. */
void differential_prepare(differential *d, void (*prepare)(tosajit_kernel *kernel));

/* From now on cases run on the interpreter and one level of native code, by a number that is taken
 * modulo that of the levels; until then on all levels. */
void differential_choose(differential *d, size_t level);

/* seed names the case in messages. With TOSAJIT_PRINT=1 in the environment, expression and shapes
 * are printed before they are used. */
void differential_case(differential *d, uint64_t seed, test_random random);

const differential_counts *differential_count(const differential *d);

#endif
