/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A reference for integer ops, quantisation and casts, written from TOSA's definitions, in 128-bit
 * arithmetic and by searching the values of a format. It shares nothing with the library. In:
 * values. Out: the value that must come out. */
#ifndef TOSAJIT_TESTS_NUMBERS_INTEGER_REFERENCE_H
#define TOSAJIT_TESTS_NUMBERS_INTEGER_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

/* Make and free the lists of the values of the formats, which decode and encode need. False: no
 * memory. */
bool reference_open(void);
void reference_close(void);

/* Bits of a value; 1 of i1, 48 of i48. */
int reference_width(tosajit_type type);
/* The number that the low `width` bits mean, and what a signed one is without its sign. */
int64_t reference_signed(uint64_t bits, int width);
int64_t reference_unsigned(int64_t value, int width);
/* The number of a type that the low bits mean; the limits of a type's numbers. */
int64_t reference_number(tosajit_type type, uint64_t bits);
int64_t reference_least(tosajit_type type);
int64_t reference_greatest(tosajit_type type);

/* A question to an op: a and b are values of the operand type, w is its width. */
typedef struct question {
    int64_t a, b;
    int w;
    tosajit_type result;
    const tosajit_attributes *attributes;
    tosajit_type operand;
} question;

/* The answer of an op on integers; null where there is none. */
typedef int64_t (*reference)(const question *q);
reference reference_of(tosajit_op op);

/* Of rescale; p: multiplier, shift of 0..63, and the zero points of operand and result, which of
 * unsigned types are not negative. */
int64_t reference_rescale(const question *q, const int64_t *p);

/* The number that an element of a floating-point type is, and the bits of the nearest one, of two
 * the even one; the latter for types below f32. */
double reference_decode(tosajit_type type, uint64_t bits);
uint64_t reference_encode(tosajit_type type, double number);
/* To the nearest integer, of two the even one, saturating; 0 of NaN. */
int64_t reference_round(double number, tosajit_type type);
/* An integer of a type to the nearest f64. */
double reference_double(tosajit_type type, int64_t integer);
/* To one of the two f64 around it, the odd one: narrower types are rounded from there, once. */
double reference_to_odd(tosajit_type type, int64_t integer);

#endif
