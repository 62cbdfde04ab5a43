/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single elements: one table of the floating-point formats serves decoding, distance and text. */
#include "tools/data/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0.0001 and 999999999 are printed so, others as 1e-05 and 1e+09. */
enum { PLAIN_FROM = -4, PLAIN_UNTIL = 9 };

/* exponent and fraction bits; digits: how many decimals tell neighbours apart. */
static const struct float_format {
    int exponent, fraction, digits;
    bool infinity; /* else all exponents are numbers, and only all ones is NaN */
} formats[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_F16] = {5, 10, 5, true},   [TOSAJIT_BF16] = {8, 7, 4, true},
    [TOSAJIT_F32] = {8, 23, 9, true},   [TOSAJIT_F8E4M3FN] = {4, 3, 3, false},
    [TOSAJIT_F8E5M2] = {5, 2, 3, true}, [TOSAJIT_F64] = {11, 52, 17, true},
};

bool element_is_float(tosajit_type type) { return formats[type].exponent > 0; }
bool element_is_unsigned(tosajit_type type) { return type >= TOSAJIT_U8 && type <= TOSAJIT_U32; }

uint64_t element_bits(tosajit_type type, const void *at) {
    const unsigned char *bytes = at;
    uint64_t bits = 0;
    for (size_t k = tosajit_type_size(type); k-- > 0;) bits = bits << 8 | bytes[k];
    return bits;
}

static int64_t integer(tosajit_type type, const void *at) {
    uint64_t bits = element_bits(type, at);
    if (type == TOSAJIT_I1) return bits != 0;
    if (element_is_unsigned(type)) return (int64_t)bits;
    const uint64_t sign = UINT64_C(1) << (8 * tosajit_type_size(type) - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static double decode(const struct float_format *f, uint64_t bits) {
    uint64_t ones = (UINT64_C(1) << f->exponent) - 1;
    uint64_t fraction = bits & ((UINT64_C(1) << f->fraction) - 1),
             exponent = bits >> f->fraction & ones;
    double sign = bits >> (f->exponent + f->fraction) & 1 ? -1.0 : 1.0;
    bool special =
        exponent == ones && (f->infinity || fraction == (UINT64_C(1) << f->fraction) - 1);
    if (special) return f->infinity && fraction == 0 ? sign * (double)INFINITY : (double)NAN;
    int bias = (int)(ones >> 1);
    double mantissa = (double)(exponent ? fraction + (UINT64_C(1) << f->fraction) : fraction);
    return sign * ldexp(mantissa, (exponent ? (int)exponent : 1) - bias - f->fraction);
}

double element_value(tosajit_type type, const void *at) {
    return element_is_float(type) ? decode(&formats[type], element_bits(type, at))
                                  : (double)integer(type, at);
}

static void store_bits(tosajit_type type, uint64_t bits, void *at) {
    unsigned char *bytes = at;
    for (size_t k = 0; k < tosajit_type_size(type); k++)
        bytes[k] = (unsigned char)(bits >> (8 * k));
}

/* The bits of a magnitude. Normal numbers and subnormal ones are counted by one formula, because
 * the bits of neighbours are neighbours. */
static uint64_t encode(const struct float_format *f, double magnitude) {
    const uint64_t ones = (UINT64_C(1) << f->exponent) - 1, hidden = UINT64_C(1) << f->fraction;
    const uint64_t infinity = ones << f->fraction,
                   nan = f->infinity ? infinity | hidden >> 1 : infinity | (hidden - 1);
    const int bias = (int)(ones >> 1);
    if (isnan(magnitude)) return nan;
    if (isinf(magnitude)) return f->infinity ? infinity : nan;
    int exponent;
    frexp(magnitude, &exponent); /* of a number from 0.5 to 1 */
    exponent = magnitude == 0 || exponent < 2 - bias ? 1 - bias : exponent - 1;
    if (exponent > bias + 1) return f->infinity ? infinity : nan;
    /* Rounds once: the scaling is exact. */
    uint64_t steps = (uint64_t)rint(ldexp(magnitude, f->fraction - exponent));
    uint64_t bits = ((uint64_t)(exponent + bias) << f->fraction) + steps - hidden;
    if (f->infinity) return bits < infinity ? bits : infinity;
    return bits < nan ? bits : nan;
}

void element_store_float(tosajit_type type, double value, void *at) {
    const struct float_format *f = &formats[type];
    uint64_t sign = (uint64_t)(signbit(value) != 0) << (f->exponent + f->fraction);
    store_bits(type, encode(f, fabs(value)) | sign, at);
}

void element_store_integer(tosajit_type type, int64_t value, void *at) {
    store_bits(type, type == TOSAJIT_I1 ? value != 0 : (uint64_t)value, at);
}

/* The shortest text that reads back as the same f32; smaller types get as many digits as they have.
 * Without an exponent where that is what people write. */
static element_text print_float(tosajit_type type, double value) {
    element_text t = {""};
    int digits = 1, limit = formats[type].digits;
    for (; digits <= limit; digits++) {
        snprintf(t.text, sizeof t.text, "%.*e", digits - 1, value);
        double back = strtod(t.text, NULL);
        if (digits == limit || (type == TOSAJIT_F32 ? (float)back == (float)value : back == value))
            break;
    }
    const char *letter = strchr(t.text, 'e'); /* not in "inf" */
    int exponent = letter ? (int)strtol(letter + 1, NULL, 10) : 0, places = digits - 1 - exponent;
    bool plain = letter && value != 0 && exponent >= PLAIN_FROM && exponent < PLAIN_UNTIL;
    if (plain)
        snprintf(t.text, sizeof t.text, "%.*f", places > 0 ? places : 0, value);
    else
        snprintf(t.text, sizeof t.text, "%.*g", digits, value);
    return t;
}

element_text element_print(tosajit_type type, const void *at) {
    element_text t = {"nan"}; /* the sign of a NaN says nothing */
    if (type == TOSAJIT_I1) {
        snprintf(t.text, sizeof t.text, "%s", integer(type, at) ? "True" : "False");
    } else if (!element_is_float(type)) {
        snprintf(t.text, sizeof t.text, "%" PRId64, integer(type, at));
    } else {
        double value = element_value(type, at);
        if (!isnan(value)) t = print_float(type, value);
    }
    return t;
}

/* The bits as a number that grows with the value. */
static int64_t position(const struct float_format *f, uint64_t bits) {
    int64_t magnitude = (int64_t)(bits & ((UINT64_C(1) << (f->exponent + f->fraction)) - 1));
    return bits >> (f->exponent + f->fraction) & 1 ? -magnitude : magnitude;
}

uint64_t element_distance(tosajit_type type, const void *a, const void *b) {
    bool nan_a = isnan(element_value(type, a)), nan_b = isnan(element_value(type, b));
    if (nan_a || nan_b) return nan_a && nan_b ? 0 : UINT64_MAX;
    int64_t p = position(&formats[type], element_bits(type, a)),
            q = position(&formats[type], element_bits(type, b));
    return p > q ? (uint64_t)(p - q) : (uint64_t)(q - p);
}
