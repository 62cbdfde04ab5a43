/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words in which steps.h is written, of one number: what the interpreter computes with. It is a
 * double, or a float where STEPS_OF_F32 is defined. A machine's arithmetic on both is IEEE 754's,
 * and the library is compiled without contraction; libm's fma rounds once on every machine, but on
 * Windows, where fused.h does. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_SCALAR_H
#define TOSAJIT_RUNTIME_FUNCTIONS_SCALAR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/functions/fused.h"

typedef struct lane lane; /* there is none */
#ifdef STEPS_OF_F32
typedef float real;
typedef int32_t word;
typedef uint32_t unsigned_word;
#define STEPS_LIBM(name) name##f
#else
typedef double real;
typedef int64_t word;
typedef uint64_t unsigned_word;
#define STEPS_LIBM(name) name
#endif
#if !defined(_WIN32)
#define STEPS_FMA STEPS_LIBM(fma)
#define WIDE_FMA fma
#else
#ifdef STEPS_OF_F32
#define STEPS_FMA fused_multiply_addf
#else
#define STEPS_FMA fused_multiply_add
#endif
#define WIDE_FMA fused_multiply_add
#endif
typedef bool mask;

static inline real number(const lane *l, double value) { return (void)l, (real)value; }
/* True if a is a number already where code is made, for each lane the same, and which. */
static inline bool is_known(const lane *l, real a) { return (void)l, (void)a, true; }
static inline bool is_number(const lane *l, real a, double n) { return (void)l, a == n; }
static inline real add(const lane *l, real a, real b) { return (void)l, a + b; }
static inline real sub(const lane *l, real a, real b) { return (void)l, a - b; }
static inline real mul(const lane *l, real a, real b) { return (void)l, a * b; }
static inline real divide(const lane *l, real a, real b) { return (void)l, a / b; }
static inline real muladd(const lane *l, real a, real b, real c) {
    return (void)l, STEPS_FMA(a, b, c);
}
static inline real negative(const lane *l, real a) { return (void)l, -a; }
static inline real size_of(const lane *l, real a) { return (void)l, STEPS_LIBM(fabs)(a); }
static inline real square_root(const lane *l, real a) { return (void)l, STEPS_LIBM(sqrt)(a); }
static inline real with_sign(const lane *l, real a, real sign) {
    return (void)l, STEPS_LIBM(copysign)(a, sign);
}

static inline mask less(const lane *l, real a, real b) { return (void)l, a < b; }
static inline mask equal(const lane *l, real a, real b) { return (void)l, a == b; }
static inline mask unordered(const lane *l, real a, real b) {
    return (void)l, isnan(a) || isnan(b);
}
static inline mask both(const lane *l, mask a, mask b) { return (void)l, a && b; }
static inline mask either(const lane *l, mask a, mask b) { return (void)l, a || b; }
static inline mask not_so(const lane *l, mask a) { return (void)l, !a; }
static inline real pick(const lane *l, mask m, real a, real b) { return (void)l, m ? a : b; }

static inline word bits_of(const lane *l, real a) {
    word bits;
    memcpy(&bits, &a, sizeof bits);
    return (void)l, bits;
}
static inline real from_bits(const lane *l, word bits) {
    real a;
    memcpy(&a, &bits, sizeof a);
    return (void)l, a;
}
static inline word bits_sum(const lane *l, word a, word b) {
    return (void)l, (word)((unsigned_word)a + (unsigned_word)b);
}
static inline word bits_difference(const lane *l, word a, word b) {
    return (void)l, (word)((unsigned_word)a - (unsigned_word)b);
}
static inline word bits_and(const lane *l, word a, word b) { return (void)l, a & b; }
static inline word bits_or(const lane *l, word a, word b) { return (void)l, a | b; }
static inline word bits_xor(const lane *l, word a, word b) { return (void)l, a ^ b; }
static inline word bits_left(const lane *l, word a, int by) {
    return (void)l, (word)((unsigned_word)a << by);
}
static inline word bits_right(const lane *l, word a, int by) {
    return (void)l, (word)((unsigned_word)a >> by);
}
/* With the sign shifted in. */
static inline word bits_down(const lane *l, word a, int by) { return (void)l, a >> by; }
static inline word bits_constant(const lane *l, int64_t value) { return (void)l, (word)value; }
static inline mask bits_less(const lane *l, word a, word b) { return (void)l, a < b; }
/* A whole number, rounded. */
static inline real number_of(const lane *l, word a) { return (void)l, (real)a; }
static inline mask has_bit_0(const lane *l, word a) { return (void)l, (a & 1) != 0; }

static inline real entry_of(const lane *l, const double *table, unsigned count, word index,
                            const char *name) {
    return (void)l, (void)count, (void)name, (real)table[index];
}

#ifdef STEPS_OF_F32
/* table[n modulo 8]. */
static inline real entry_of_8(const lane *l, const double *table, word n) {
    return (void)l, (real)table[n & 7];
}
/* table[j] 2^((n - j)/8), j = n modulo 8, n in the low bits of `shifted`: of entries that are
 * 2^(j/8) times a constant, the same of 2^(n/8). */
static inline real power_of_eighths(const lane *l, const double *table, real shifted) {
    const word n = bits_of(l, shifted), whole = bits_left(l, n & -8, 20);
    return from_bits(l, bits_sum(l, bits_of(l, entry_of_8(l, table, n)), whole));
}

/* Steps in f64 between those in f32. */
typedef double wide;
static inline wide widened(const lane *l, real a) { return (void)l, (wide)a; }
static inline real narrowed(const lane *l, wide a) { return (void)l, (real)a; }
static inline wide wide_number(const lane *l, double value) { return (void)l, value; }
static inline wide wide_sum(const lane *l, wide a, wide b) { return (void)l, a + b; }
static inline wide wide_difference(const lane *l, wide a, wide b) { return (void)l, a - b; }
static inline wide wide_product(const lane *l, wide a, wide b) { return (void)l, a * b; }
static inline wide wide_quotient(const lane *l, wide a, wide b) { return (void)l, a / b; }
static inline wide wide_muladd(const lane *l, wide a, wide b, wide c) {
    return (void)l, WIDE_FMA(a, b, c);
}
/* Limited from below and above; NaN passes. */
static inline wide wide_within(const lane *l, wide a, double low, double high) {
    return (void)l, a < low ? low : high < a ? high : a;
}
/* abs(a) < end */
static inline mask wide_is_within(const lane *l, wide a, double end) {
    return (void)l, fabs(a) < end;
}
static inline word low_word(const lane *l, wide a) {
    int64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (void)l, (word)bits;
}
#endif

typedef struct rare_function {
    const char *name;
    real (*body)(const lane *l, const real *x);
    unsigned parameters;
} rare_function;

/* `usual`, but where m holds f of x. */
static inline real rarely(const lane *l, mask m, real usual, const rare_function *f,
                          const real *x) {
    return m ? f->body(l, x) : usual;
}
/* The same, where f is short, or holds more often. */
static inline real seldom(const lane *l, mask m, real usual,
                          real (*body)(const lane *l, const real *x), const real *x) {
    return m ? body(l, x) : usual;
}

#endif
