/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floating-point formats by their parameters. Every format but f64 is held exactly by a double, so
 * that rounding is to a multiple of a power of two, which scaling and nearbyint do. */
#include "runtime/base/float_format.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* IEEE 754 with these exponent and fraction bits; f8E4M3FN uses the encodings of infinity for
 * numbers, but for the last one. */
typedef struct format {
    int exponent_bits, fraction_bits;
    double largest;
    bool finite_only;
} format;

static const format formats[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_F16] = {5, 10, 65504.0, false},        [TOSAJIT_BF16] = {8, 7, 0x1.fep127, false},
    [TOSAJIT_F32] = {8, 23, 0x1.fffffep127, false}, [TOSAJIT_F8E5M2] = {5, 2, 57344.0, false},
    [TOSAJIT_F8E4M3FN] = {4, 3, 448.0, true},
};

static int bias(const format *f) { return (1 << (f->exponent_bits - 1)) - 1; }
static int sign_bit(const format *f) { return f->exponent_bits + f->fraction_bits; }

static double decode(const format *f, uint64_t bits) {
    uint64_t fraction = bits & ((UINT64_C(1) << f->fraction_bits) - 1),
             exponents = (UINT64_C(1) << f->exponent_bits) - 1;
    uint64_t exponent = bits >> f->fraction_bits & exponents;
    double value;
    if (f->finite_only && exponent == exponents &&
        fraction == (UINT64_C(1) << f->fraction_bits) - 1)
        value = NAN;
    else if (!f->finite_only && exponent == exponents)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp((double)fraction, 1 - bias(f) - f->fraction_bits);
    else
        value = ldexp((double)(fraction + (UINT64_C(1) << f->fraction_bits)),
                      (int)exponent - bias(f) - f->fraction_bits);
    return copysign(value, bits >> sign_bit(f) & 1 ? -1.0 : 1.0);
}

/* A finite value rounded to the format's grid: multiples of its last place, of the smallest
 * subnormal below the normal range. */
static double round_to_grid(const format *f, double magnitude) {
    int exponent;
    if (magnitude == 0) return 0;
    frexp(magnitude, &exponent); /* magnitude is in [1/2, 1) * 2^exponent */
    int lowest = 1 - bias(f),
        place = (exponent - 1 < lowest ? lowest : exponent - 1) - f->fraction_bits;
    return ldexp(nearbyint(ldexp(magnitude, -place)), place);
}

static uint64_t encode(const format *f, double value) {
    uint64_t sign = (uint64_t)(signbit(value) != 0) << sign_bit(f), one = UINT64_C(1)
                                                                          << f->fraction_bits;
    uint64_t infinity = ((UINT64_C(1) << f->exponent_bits) - 1) * one,
             nan = f->finite_only ? infinity + one - 1 : infinity + one / 2;
    if (isnan(value)) return sign | nan;
    double magnitude =
        isinf(value) ? value * (signbit(value) ? -1 : 1) : round_to_grid(f, fabs(value));
    if (magnitude > f->largest) return sign | (f->finite_only ? nan : infinity);
    int exponent, lowest = 1 - bias(f);
    frexp(magnitude, &exponent);
    if (magnitude < ldexp(1.0, lowest))
        return sign | (uint64_t)ldexp(magnitude, f->fraction_bits - lowest);
    /* With its leading 1. */
    uint64_t significand = (uint64_t)ldexp(magnitude, f->fraction_bits - (exponent - 1));
    return sign | ((uint64_t)(exponent - 1 + bias(f)) * one + (significand - one));
}

double float_decode(tosajit_type type, uint64_t bits) {
    double value;
    if (type != TOSAJIT_F64) return decode(&formats[type], bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t float_encode(tosajit_type type, double value) {
    uint64_t bits;
    if (type != TOSAJIT_F64) return encode(&formats[type], value);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
