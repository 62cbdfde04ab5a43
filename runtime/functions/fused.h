/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fused: a * b + c rounded once, to nearest even, in whole numbers: for a C library whose fma
 * rounds twice, as mingw-w64's does. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_FUSED_H
#define TOSAJIT_RUNTIME_FUNCTIONS_FUSED_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 fused_wide;

/* mantissa * 2^exponent; the mantissa of a number that is not 0 has 53 bits. */
typedef struct fused_number {
    uint64_t mantissa;
    int exponent;
    bool negative;
} fused_number;

enum { FUSED_MANTISSA = 53, FUSED_WIDE = 128, FUSED_LEAST = -1074 };

static inline fused_number fused_take(double x) {
    int exponent;
    const double fraction = frexp(fabs(x), &exponent);
    return (fused_number){(uint64_t)ldexp(fraction, FUSED_MANTISSA), exponent - FUSED_MANTISSA,
                          signbit(x) != 0};
}

static inline int fused_length(fused_wide bits) {
    const uint64_t high = (uint64_t)(bits >> 64), low = (uint64_t)bits;
    return high ? FUSED_WIDE - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* Shifted right; the last bit is set if any that is gone was: it is behind all that rounding looks
 * at but whether there is more. */
static inline fused_wide fused_right(fused_wide bits, int by) {
    if (by <= 0) return bits;
    if (by >= FUSED_WIDE) return bits != 0;
    return bits >> by | ((bits & (((fused_wide)1 << by) - 1)) != 0);
}

/* bits * 2^exponent, rounded; there is a bit. */
static inline double fused_round(fused_wide bits, int exponent, bool negative) {
    int gone = fused_length(bits) - FUSED_MANTISSA;
    if (exponent + gone < FUSED_LEAST) gone = FUSED_LEAST - exponent; /* a subnormal number */
    if (gone > 0) {
        /* Two bits more than stay: the half, and whether there is less. */
        bits = gone > 2 ? fused_right(bits, gone - 2) : bits << (2 - gone);
        const unsigned behind = (unsigned)bits & 3;
        bits >>= 2;
        bits += behind > 2 || (behind == 2 && (bits & 1));
        exponent += gone;
    }
    const double size = ldexp((double)(uint64_t)bits, exponent);
    return negative ? -size : size;
}

/* The sum of a product and a number, neither of which is 0. */
static inline double fused_sum(fused_wide product, int exponent, bool negative, fused_number c) {
    /* Both with 126 bits, so that there is room for a carry, and what is shifted out of one is far
     * behind the last bit of the sum. */
    enum { ROOM = 126 };
    fused_wide other = c.mantissa;
    int up = ROOM - fused_length(product), other_up = ROOM - FUSED_MANTISSA;
    product <<= up;
    other <<= other_up;
    exponent -= up;
    int other_exponent = c.exponent - other_up;
    if (exponent >= other_exponent) {
        other = fused_right(other, exponent - other_exponent);
    } else {
        product = fused_right(product, other_exponent - exponent);
        exponent = other_exponent;
    }
    if (negative == c.negative) return fused_round(product + other, exponent, negative);
    if (product == other) return 0;
    const bool ours = product > other;
    return fused_round(ours ? product - other : other - product, exponent,
                       ours ? negative : c.negative);
}

static inline double fused_multiply_add(double a, double b, double c) {
    if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0) return a * b + c;
    if (!isfinite(c)) return c + c;
    const fused_number x = fused_take(a), y = fused_take(b);
    const fused_wide product = (fused_wide)x.mantissa * y.mantissa;
    const int exponent = x.exponent + y.exponent;
    const bool negative = x.negative != y.negative;
    if (c == 0) return fused_round(product, exponent, negative);
    return fused_sum(product, exponent, negative, fused_take(c));
}

/* The same of f32. The product is exact in double; the sum is rounded to odd, so that rounding it
 * again does no harm. */
static inline float fused_multiply_addf(float a, float b, float c) {
    const double product = (double)a * (double)b, other = (double)c;
    double sum = product + other;
    if (!isfinite(sum)) return (float)sum;
    const double part = sum - product, rest = (product - (sum - part)) + (other - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (rest != 0 && !(bits & 1)) {
        bits += (rest > 0) == (sum > 0) ? 1 : UINT64_MAX;
        memcpy(&sum, &bits, sizeof sum);
    }
    return (float)sum;
}

#endif
