/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quadrant: sine and cosine in long double, where C's library leaves them to the x87. The x87 knows
 * pi to 66 bits, which is not enough from 2^63 on; between -pi/4 and pi/4 it is exact. In: numbers
 * of f32 and narrower types, of 24 bits. They are divided by pi/2 exactly. */
#ifndef TOSAJIT_RUNTIME_INTERPRET_QUADRANT_H
#define TOSAJIT_RUNTIME_INTERPRET_QUADRANT_H

#include <math.h>
#include <stdint.h>

enum { QUADRANT_WORDS = 8, QUADRANT_BITS = 24, QUADRANT_WORD = 32 };

/* 2/pi, behind the point. */
static const uint32_t quadrant_2_by_pi[QUADRANT_WORDS] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};

/* The product of a whole number below 2^24 and 2/pi, as words behind the point; the first one is
 * before it. */
static inline void quadrant_product(uint32_t number, uint32_t product[QUADRANT_WORDS + 1]) {
    uint64_t carry = 0;
    for (int k = QUADRANT_WORDS; k-- > 0;) {
        carry += (uint64_t)number * quadrant_2_by_pi[k];
        product[k + 1] = (uint32_t)carry;
        carry >>= QUADRANT_WORD;
    }
    product[0] = (uint32_t)carry;
}

/* 32 bits of the product, from so many behind the point. */
static inline uint32_t quadrant_word(const uint32_t product[QUADRANT_WORDS + 1], int from) {
    const int at = from + QUADRANT_WORD, word = at / QUADRANT_WORD, shift = at % QUADRANT_WORD;
    const uint64_t first = word < 0 || word > QUADRANT_WORDS ? 0 : product[word],
                   second = word + 1 < 0 || word + 1 > QUADRANT_WORDS ? 0 : product[word + 1];
    return (uint32_t)((first << QUADRANT_WORD | second) >> (QUADRANT_WORD - shift));
}

/* The rest of the angle x between -pi/4 and pi/4, without whole quarters of a turn. x is finite and
 * at least 1/2 in size; *quarters is between 0 and 3. */
static inline long double quadrant_reduce(double x, unsigned *quarters) {
    int exponent;
    uint32_t product[QUADRANT_WORDS + 1];
    const double fraction = frexp(fabs(x), &exponent);
    quadrant_product((uint32_t)ldexp(fraction, QUADRANT_BITS), product);
    const int point = exponent - QUADRANT_BITS; /* bits that the product moves by */
    /* The two bits before the point, and 32 behind those, are whole; then the rest. */
    const uint32_t top = quadrant_word(product, point - 2);
    unsigned turned = top >> 30;
    long double rest = 0;
    for (int k = 3; k >= 0; k--)
        rest = (rest + (long double)quadrant_word(product, point + k * QUADRANT_WORD)) * 0x1p-32L;
    if (rest > 0.5L) { /* the part of the next quarter that is left out, to its last bit */
        turned++;
        rest = 0;
        for (int k = 3; k >= 0; k--)
            rest =
                (rest + (long double)(uint32_t)~quadrant_word(product, point + k * QUADRANT_WORD)) *
                0x1p-32L;
        rest = -rest;
    }
    if (x < 0) {
        turned = 0 - turned;
        rest = -rest;
    }
    *quarters = turned & 3;
    return rest * 1.57079632679489661923132169163975144L;
}

/* The sine, or with one more quarter the cosine. */
static inline long double quadrant_sine(double x, unsigned more) {
    unsigned quarters = 0;
    long double angle = (long double)x;
    if (!isfinite(x)) return angle - angle;
    if (fabs(x) >= 0.5) angle = quadrant_reduce(x, &quarters);
    quarters += more;
    const long double value = quarters & 1 ? cosl(angle) : sinl(angle);
    return quarters & 2 ? -value : value;
}

#endif
