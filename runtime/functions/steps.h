/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of f64, and of f32 where STEPS_OF_F32 is defined, as steps of arithmetic, each with one
 * defined result. The words for the steps come from scalar.h, by which the interpreter computes, or
 * from jit/math/steps_lane.h, which emits lanes. One of the two is included first. So every form of
 * a function is the same text, and has the same bits.
 *
 * A result is at most 1 ulp off: it is the sum of a leading and a small double, and the small one
 * has the leading one's rounding error. tests/numbers/functions_test.c compares results with MPFR.
 * Where a CPU has no fused multiply-add, jit/lane/fma.c makes one. It is exact unless product and
 * addend are below 2^-900. So small operands never get there: selections at the end replace their
 * results. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_STEPS_H
#define TOSAJIT_RUNTIME_FUNCTIONS_STEPS_H

#include "runtime/functions/coefficients.h"

#define STEPS_COUNT(array) (unsigned)(sizeof(array) / sizeof *(array))

/* An unevaluated sum, low below about half a unit of high. */
typedef struct pair {
    real high, low;
} pair;

/* a + b for abs(a) >= abs(b), or a = 0. */
static inline pair quick_sum(const lane *l, real a, real b) {
    real high = add(l, a, b);
    return (pair){high, add(l, sub(l, a, high), b)};
}

/* a + b in any order. */
static inline pair exact_sum(const lane *l, real a, real b) {
    real high = add(l, a, b), part = sub(l, high, a);
    return (pair){high, add(l, sub(l, a, sub(l, high, part)), sub(l, b, part))};
}

static inline pair exact_product(const lane *l, real a, real b) {
    real high = mul(l, a, b);
    return (pair){high, muladd(l, a, b, negative(l, high))};
}

/* a b, to 2^-103. */
static inline pair pair_product(const lane *l, pair a, pair b) {
    pair p = exact_product(l, a.high, b.high);
    return quick_sum(l, p.high, muladd(l, a.high, b.low, muladd(l, a.low, b.high, p.low)));
}

static inline pair with_low(const lane *l, pair a, real low) {
    return (pair){a.high, add(l, a.low, low)};
}

/* a / b, to 2^-102, by one division. */
static inline pair quotient(const lane *l, pair a, pair b) {
    real inverse = divide(l, number(l, 1.0), b.high), q = mul(l, a.high, inverse),
         minus_q = negative(l, q);
    real rest = add(l, muladd(l, minus_q, b.high, a.high), muladd(l, minus_q, b.low, a.low));
    return quick_sum(l, q, mul(l, rest, inverse));
}

/* The root of a number from 0 on. */
static inline pair pair_root(const lane *l, pair a) {
    real high = square_root(l, a.high), zero = number(l, 0.0),
         rest = add(l, muladd(l, negative(l, high), high, a.high), a.low),
         low = divide(l, rest, add(l, high, high));
    return quick_sum(l, high, pick(l, equal(l, high, zero), zero, low));
}

static inline real rounded(const lane *l, pair a) { return add(l, a.high, a.low); }

/* c[0] + c[1] x + ..., as two chains of even and odd powers. */
static inline real series(const lane *l, const double *c, unsigned count, real x) {
    real square = mul(l, x, x), sums[2];
    for (unsigned odd = 0; odd < 2; odd++) {
        unsigned k = count - 1 - ((count - 1 - odd) & 1);
        sums[odd] = number(l, c[k]);
        for (; k >= 2; k -= 2) sums[odd] = muladd(l, sums[odd], square, number(l, c[k - 2]));
    }
    return muladd(l, sums[1], x, sums[0]);
}

/* Limited from below and above; NaN passes. */
static inline real within(const lane *l, real x, double low, double high) {
    real lowest = number(l, low), highest = number(l, high);
    real raised = pick(l, less(l, x, lowest), lowest, x);
    return pick(l, less(l, highest, raised), highest, raised);
}

static inline mask is_small(const lane *l, real x, double than) {
    return less(l, size_of(l, x), number(l, than));
}

/* True if abs(x) is not below: so it is for NaN. */
static inline mask is_far(const lane *l, real x, double end) {
    return not_so(l, is_small(l, x, end));
}

/* Adding steps_shift rounds to an integer and leaves it in the low bits. */
#ifdef STEPS_OF_F32
#define STEPS_CONSTANT(name) f32_##name
enum { STEPS_FRACTION = 23, STEPS_BIAS = 127 };
static const double steps_shift = 0x1.8p23;
#else
#define STEPS_CONSTANT(name) f64_##name
enum { STEPS_FRACTION = 52, STEPS_BIAS = 1023 };
static const double steps_shift = 0x1.8p52;
#endif

/* 2^n, n in the low bits of `shifted`, for normal results. */
static inline real power_of_2(const lane *l, real shifted, int less_by) {
    word biased = bits_sum(l, bits_of(l, shifted), bits_constant(l, STEPS_BIAS - less_by));
    return from_bits(l, bits_left(l, biased, STEPS_FRACTION));
}

/* value 2^n where that is normal, n in the low bits of `shifted`. */
static inline real scaled_near(const lane *l, real value, real shifted) {
    word exponent = bits_left(l, bits_of(l, shifted), STEPS_FRACTION);
    return from_bits(l, bits_sum(l, bits_of(l, value), exponent));
}

/* The same for a result that may be 0, subnormal or infinite, in two steps of half of n: the first
 * product is exact; NaN stays NaN. */
static inline real scaled_far(const lane *l, real value, real shifted) {
    real shift = number(l, steps_shift), n = sub(l, shifted, shift),
         half = muladd(l, n, number(l, 0.5), shift),
         rest = add(l, sub(l, n, sub(l, half, shift)), shift);
    return mul(l, mul(l, value, power_of_2(l, half, 0)), power_of_2(l, rest, 0));
}

/* n, as `shifted` has it, and r: a number that is n ln 2 + r, or a power of 2. */
typedef struct reduced {
    real shifted;
    pair r;
} reduced;

/* abs(x) <= 1100, of f32 200. The first step is exact. */
static inline reduced by_ln2(const lane *l, real x) {
    real shift = number(l, steps_shift),
         shifted = muladd(l, x, number(l, STEPS_CONSTANT(log2_e)[0]), shift),
         n = sub(l, shifted, shift), second = number(l, -STEPS_CONSTANT(ln2)[1]);
    real first = muladd(l, n, number(l, -STEPS_CONSTANT(ln2)[0]), x),
         r = muladd(l, n, second, first);
    return (reduced){shifted, {r, muladd(l, n, second, sub(l, first, r))}};
}

#endif
