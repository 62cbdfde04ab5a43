/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single elements: the library's formats, and how many digits a text of one has. */
#include "tools/data/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/float_format.h"

/* 0.0001 and 999999999 are printed so, others as 1e-05 and 1e+09. */
enum { PLAIN_FROM = -4, PLAIN_UNTIL = 9 };

/* How many decimals tell neighbours apart. */
static const int digits_of[TOSAJIT_TYPE_COUNT] = {
    [TOSAJIT_F16] = 5,      [TOSAJIT_BF16] = 4,   [TOSAJIT_F32] = 9,
    [TOSAJIT_F8E4M3FN] = 3, [TOSAJIT_F8E5M2] = 3, [TOSAJIT_F64] = 17,
};

bool element_is_float(tosajit_type type) { return digits_of[type] > 0; }
bool element_is_unsigned(tosajit_type type) { return type >= TOSAJIT_U8 && type <= TOSAJIT_U64; }

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

double element_value(tosajit_type type, const void *at) {
    return element_is_float(type)      ? float_decode(type, element_bits(type, at))
           : element_is_unsigned(type) ? (double)element_bits(type, at)
                                       : (double)integer(type, at);
}

static void store_bits(tosajit_type type, uint64_t bits, void *at) {
    unsigned char *bytes = at;
    for (size_t k = 0; k < tosajit_type_size(type); k++)
        bytes[k] = (unsigned char)(bits >> (8 * k));
}

void element_store_float(tosajit_type type, double value, void *at) {
    store_bits(type, float_encode(type, value), at);
}

void element_store_integer(tosajit_type type, int64_t value, void *at) {
    store_bits(type, type == TOSAJIT_I1 ? value != 0 : (uint64_t)value, at);
}

/* The shortest text that reads back as the same f32; smaller types get as many digits as they have.
 * Without an exponent where that is what people write. */
static element_text print_float(tosajit_type type, double value) {
    element_text t = {""};
    int digits = 1, limit = digits_of[type];
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
        snprintf(t.text, sizeof t.text, element_is_unsigned(type) ? "%" PRIu64 : "%" PRId64,
                 integer(type, at));
    } else {
        double value = element_value(type, at);
        if (!isnan(value)) t = print_float(type, value);
    }
    return t;
}
