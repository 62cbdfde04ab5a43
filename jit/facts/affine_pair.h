/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Affine pair: what two bytes give, where products of 16 bits give the same, as a rescaled sum of
 * two rescaled i8. In: the sum's terms, 256 each. Out: the affine function, the same for all 65536
 * pairs. Knows no LLVM. */
#ifndef TOSAJIT_JIT_FACTS_AFFINE_PAIR_H
#define TOSAJIT_JIT_FACTS_AFFINE_PAIR_H

#include <stdbool.h>
#include <stdint.h>

enum { AFFINE_PAIR_TERMS = 256, AFFINE_PAIR_STEPS = 255 };

/* result(x, y) = low + how many of the first high - low steps are at most
 * terms[0][x + 128] + terms[1][y + 128]. Steps ascend, so do or do not terms. */
typedef struct byte_sum {
    int64_t terms[2][AFFINE_PAIR_TERMS], steps[AFFINE_PAIR_STEPS];
    int low, high;
    double slope; /* results per unit of the sum, nearly */
} byte_sum;

/* result(x, y) = limited to low..high: (x * m0 + y * m1 + addend) >> shift, within 32 bits, where m
 * is outer * inner. `outer` is within 0..255, so its product with a byte has 16 bits; `inner` has
 * 16 bits. */
typedef struct affine_pair {
    int outer[2], inner[2], addend, shift, low, high;
} affine_pair;

/* False if there is none, or none was found. */
bool find_affine_pair(const byte_sum *sum, affine_pair *pair);

#endif
