/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Planes: what two bytes give, where products of 16 bits give the same, such as a rescaled sum of
 * two rescaled i8. In: the sum's terms, 256 each. Out: the plane, the same for all 65536 pairs.
 * Knows no LLVM. */
#ifndef TOSAJIT_JIT_FACTS_PLANE_H
#define TOSAJIT_JIT_FACTS_PLANE_H

#include <stdbool.h>
#include <stdint.h>

enum { PLANE_TERMS = 256, PLANE_STEPS = 255 };

/* result(x, y) = low + how many of the first high - low steps are at most
 * terms[0][x + 128] + terms[1][y + 128]. Steps ascend, so do or do not terms. */
typedef struct byte_sum {
    int64_t terms[2][PLANE_TERMS], steps[PLANE_STEPS];
    int low, high;
    double slope; /* results per unit of the sum, nearly */
} byte_sum;

/* result(x, y) = limited to low..high: (x * m0 + y * m1 + addend) >> shift, within 32 bits, where
 * m is outer * inner. `outer` is within 0..255, so that with a byte it makes 16 bits, and `inner`
 * has 16 bits. */
typedef struct byte_plane {
    int outer[2], inner[2], addend, shift, low, high;
} byte_plane;

/* False if there is none, or none was found. */
bool find_plane(const byte_sum *sum, byte_plane *plane);

#endif
