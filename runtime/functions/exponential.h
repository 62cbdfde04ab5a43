/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The exponential and what is made of it. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_EXPONENTIAL_H
#define TOSAJIT_RUNTIME_FUNCTIONS_EXPONENTIAL_H

#include "runtime/functions/steps.h"

static inline reduced pair_by_ln2(const lane *l, pair x) {
    reduced e = by_ln2(l, x.high);
    return (reduced){e.shifted, quick_sum(l, e.r.high, add(l, e.r.low, x.low))};
}

/* Of 2^x. */
static inline reduced by_1(const lane *l, real x) {
    real shift = number(l, steps_shift), shifted = add(l, x, shift),
         f = sub(l, x, sub(l, shifted, shift)), ln2 = number(l, f64_ln2_whole[0]);
    pair r = exact_product(l, f, ln2);
    return (reduced){shifted, with_low(l, r, mul(l, f, number(l, f64_ln2_whole[1])))};
}

/* e^r - 1 - r.high. */
static inline real beyond_r(const lane *l, pair r) {
    real q = series(l, f64_exp_terms, STEPS_COUNT(f64_exp_terms), r.high),
         square = mul(l, r.high, r.high);
    real half = muladd(l, r.high, q, number(l, 0.5));
    return muladd(l, square, half, muladd(l, r.low, r.high, r.low));
}

/* e^r. */
static inline pair pair_of_e(const lane *l, pair r) {
    pair head = quick_sum(l, number(l, 1.0), r.high);
    return with_low(l, head, beyond_r(l, r));
}

static inline real power_near(const lane *l, reduced e) {
    return scaled_near(l, rounded(l, pair_of_e(l, e.r)), e.shifted);
}

static inline real power_far(const lane *l, reduced e) {
    return scaled_far(l, rounded(l, pair_of_e(l, e.r)), e.shifted);
}

static inline real exp_far(const lane *l, const real *x) {
    return power_far(l, by_ln2(l, within(l, x[0], -760.0, 720.0)));
}
static const rare_function exp_far_function = {"tosajit_f64_exp_far", exp_far, 1};

static inline real f64_function_exp(const lane *l, const real *x) {
    real usual = power_near(l, by_ln2(l, x[0]));
    return rarely(l, is_far(l, x[0], 707.0), usual, &exp_far_function, x);
}

static inline real exp2_far(const lane *l, const real *x) {
    return power_far(l, by_1(l, within(l, x[0], -1090.0, 1030.0)));
}

static inline real f64_function_exp2(const lane *l, const real *x) {
    static const rare_function far = {"tosajit_f64_exp2_far", exp2_far, 1};
    return rarely(l, is_far(l, x[0], 1020.0), power_near(l, by_1(l, x[0])), &far, x);
}

/* (e^x - 1) / 4 for -1000 <= x <= 711: t p + t - 1/4, with t = 2^n / 4 and p = e^r - 1. */
static inline pair quarter_expm1(const lane *l, real x) {
    reduced e = by_ln2(l, x);
    pair p = quick_sum(l, e.r.high, beyond_r(l, e.r));
    real t = power_of_2(l, e.shifted, 2);
    pair whole = exact_sum(l, t, number(l, -0.25)),
         sum = exact_sum(l, whole.high, mul(l, t, p.high));
    return quick_sum(l, sum.high, add(l, sum.low, muladd(l, t, p.low, whole.low)));
}

static inline real f64_function_expm1(const lane *l, const real *x) {
    real value =
        mul(l, rounded(l, quarter_expm1(l, within(l, x[0], -50.0, 710.6))), number(l, 4.0));
    return pick(l, is_small(l, x[0], 0x1p-54), x[0], value);
}

/* E / (E + 2), E = e^(2 x) - 1. */
static inline real f64_function_tanh(const lane *l, const real *x) {
    real a = within(l, size_of(l, x[0]), 0.0, 20.0);
    pair e = quarter_expm1(l, add(l, a, a)), sum = exact_sum(l, e.high, number(l, 0.5));
    real value = rounded(l, quotient(l, e, with_low(l, sum, e.low)));
    return with_sign(l, pick(l, is_small(l, a, 0x1p-28), a, value), x[0]);
}

/* (E + E / (E + 1)) / 2, E = e^x - 1; the quotient is 1 beyond 40. */
static inline real f64_function_sinh(const lane *l, const real *x) {
    real a = within(l, size_of(l, x[0]), 0.0, 710.6), four = number(l, 4.0);
    pair e = quarter_expm1(l, a), sum = exact_sum(l, mul(l, e.high, four), number(l, 1.0)),
         q = quotient(l, e, with_low(l, sum, mul(l, e.low, four))),
         total = exact_sum(l, e.high, q.high);
    real near = add(l, total.high, add(l, total.low, add(l, e.low, q.low)));
    real far = rounded(l, e), value = pick(l, less(l, number(l, 40.0), a), far, near);
    value = pick(l, is_small(l, a, 0x1p-28), a, add(l, value, value));
    return with_sign(l, value, x[0]);
}

/* (G + 1 / G) / 2, G = e^x. */
static inline real f64_function_cosh(const lane *l, const real *x) {
    real a = within(l, size_of(l, x[0]), 0.0, 710.6), sixteen = number(l, 16.0);
    pair e = quarter_expm1(l, a), sum = exact_sum(l, e.high, number(l, 0.25)),
         g = with_low(l, sum, e.low);
    pair scaled = {mul(l, g.high, sixteen), mul(l, g.low, sixteen)},
         q = quotient(l, (pair){number(l, 1.0), number(l, 0.0)}, scaled),
         total = quick_sum(l, g.high, q.high);
    real near = add(l, total.high, add(l, total.low, add(l, g.low, q.low)));
    real value = pick(l, less(l, number(l, 40.0), a), rounded(l, g), near);
    return add(l, value, value);
}

/* 1 / (1 + e^-x); below -600 e^x. */
static inline real f64_function_sigmoid(const lane *l, const real *x) {
    real one = number(l, 1.0), minus_x = negative(l, within(l, x[0], -600.0, 40.0));
    reduced e = by_ln2(l, minus_x);
    pair p = quick_sum(l, e.r.high, beyond_r(l, e.r));
    real t = power_of_2(l, e.shifted, 0);
    pair whole = exact_sum(l, t, one), sum = exact_sum(l, whole.high, mul(l, t, p.high));
    pair below = {sum.high, add(l, sum.low, muladd(l, t, p.low, whole.low))};
    real inverse = divide(l, one, below.high), minus = negative(l, inverse),
         rest = muladd(l, minus, below.low, muladd(l, minus, below.high, one));
    real value = muladd(l, inverse, rest, inverse);
    return rarely(l, less(l, x[0], number(l, -600.0)), value, &exp_far_function, x);
}

#endif
