/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The logarithm and what is made of it. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_LOGARITHM_H
#define TOSAJIT_RUNTIME_FUNCTIONS_LOGARITHM_H

#include "runtime/functions/steps.h"

/* A number as 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2). */
typedef struct split_number {
    real k;
    pair f;
} split_number;

/* x > 0 and normal; `low` goes to f, divided by 2^k. The biased exponent below the bits of 2^52 is
 * the double 2^52
 * + 1023 + k. */
static inline split_number split_at(const lane *l, pair x) {
    const int64_t lowest = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000,
                  fraction = 0x000fffffffffffff;
    word offset = bits_sum(l, bits_of(l, x.high), bits_constant(l, one - lowest)),
         m = bits_sum(l, bits_and(l, offset, bits_constant(l, fraction)), bits_constant(l, lowest));
    word k = bits_or(l, bits_right(l, offset, 52), bits_constant(l, 0x4330000000000000)),
         exponent = bits_and(l, offset, bits_constant(l, ~fraction));
    real scale = from_bits(l, bits_difference(l, bits_constant(l, 0x7ff0000000000000), exponent));
    return (split_number){
        sub(l, from_bits(l, k), number(l, 0x1p52 + 1023)),
        {sub(l, from_bits(l, m), number(l, 1.0)), mul(l, mul(l, x.low, number(l, 0.5)), scale)}};
}

/* ln(1 + f) = 2 s + s^3 (2/3 + ...), s = f / (2 + f). */
static inline pair log_of_1_plus(const lane *l, pair f) {
    pair below = quick_sum(l, number(l, 2.0), f.high),
         s = quotient(l, f, with_low(l, below, f.low));
    real z = mul(l, s.high, s.high), q = series(l, f64_log_terms, STEPS_COUNT(f64_log_terms), z),
         p = muladd(l, z, q, number(l, f64_two_thirds[0]));
    real low = muladd(l, mul(l, s.high, z), p, add(l, s.low, s.low));
    return quick_sum(l, add(l, s.high, s.high), low);
}

/* k c + v, c in two parts, the first one short. */
static inline pair add_multiple(const lane *l, real k, const double *c, pair v) {
    pair sum = quick_sum(l, mul(l, k, number(l, c[0])), v.high);
    return with_low(l, sum, muladd(l, k, number(l, c[1]), v.low));
}

/* x > 0, made normal: subnormal numbers are multiplied by 2^54. */
static inline real made_normal(const lane *l, real x, real *k) {
    mask small = less(l, x, number(l, 0x1p-1022));
    *k = pick(l, small, number(l, -54.0), number(l, 0.0));
    return pick(l, small, mul(l, x, number(l, 0x1p54)), x);
}

/* The value of any logarithm where x is 0, negative, infinite or NaN. */
static inline real log_special(const lane *l, real x, real value) {
    real zero = number(l, 0.0), infinity = number(l, (double)INFINITY);
    value = pick(l, less(l, x, infinity), value, x);
    value = pick(l, less(l, x, zero), number(l, (double)NAN), value);
    return pick(l, equal(l, x, zero), negative(l, infinity), value);
}

/* The logarithm x[1] of x[0], which is not positive and normal; f has that of subnormal numbers. */
static inline real log_or_special(const lane *l, const real *x, const rare_function *f) {
    real zero = number(l, 0.0), value = log_special(l, x[0], x[1]);
    mask subnormal = both(l, less(l, zero, x[0]), less(l, x[0], number(l, 0x1p-1022)));
    return rarely(l, subnormal, value, f, x);
}

static inline mask is_log_rare(const lane *l, real x) {
    return not_so(l, both(l, not_so(l, less(l, x, number(l, 0x1p-1022))),
                          less(l, x, number(l, (double)INFINITY))));
}

/* f - s (f - z P(z)): of the terms only f is large beside the result, and k ln 2 + f is exact. */
static inline real log_usual(const lane *l, real x, real more) {
    split_number n = split_at(l, (pair){x, number(l, 0.0)});
    real k = add(l, n.k, more), f = n.f.high, s = divide(l, f, add(l, f, number(l, 2.0))),
         z = mul(l, s, s);
    real q = series(l, f64_log_terms, STEPS_COUNT(f64_log_terms), z),
         p = muladd(l, z, q, number(l, f64_two_thirds[0])),
         rest = mul(l, s, muladd(l, z, p, negative(l, f)));
    pair sum = quick_sum(l, mul(l, k, number(l, f64_ln2[0])), f);
    return add(l, sum.high, add(l, sum.low, muladd(l, k, number(l, f64_ln2[1]), rest)));
}

static inline real log_subnormal(const lane *l, const real *x) {
    real more, normal = made_normal(l, x[0], &more);
    return log_usual(l, normal, more);
}
static inline real log_rest(const lane *l, const real *x) {
    static const rare_function subnormal = {"tosajit_f64_log_subnormal", log_subnormal, 1};
    return log_or_special(l, x, &subnormal);
}
static inline real f64_function_log(const lane *l, const real *x) {
    real usual = log_usual(l, x[0], number(l, 0.0));
    return seldom(l, is_log_rare(l, x[0]), usual, log_rest, (real[]){x[0], usual});
}

/* log to another base: k times `unit` and ln(1 + f) times `scale`. */
static inline real log_to(const lane *l, real x, real more, const double *unit,
                          const double *scale) {
    split_number n = split_at(l, (pair){x, number(l, 0.0)});
    pair v =
        pair_product(l, log_of_1_plus(l, n.f), (pair){number(l, scale[0]), number(l, scale[1])});
    return rounded(l, add_multiple(l, add(l, n.k, more), unit, v));
}

static const double steps_one[] = {1.0, 0.0};

static inline real log2_subnormal(const lane *l, const real *x) {
    real more, normal = made_normal(l, x[0], &more);
    return log_to(l, normal, more, steps_one, f64_log2_e);
}
static inline real log2_rest(const lane *l, const real *x) {
    static const rare_function subnormal = {"tosajit_f64_log2_subnormal", log2_subnormal, 1};
    return log_or_special(l, x, &subnormal);
}
static inline real f64_function_log2(const lane *l, const real *x) {
    real usual = log_to(l, x[0], number(l, 0.0), steps_one, f64_log2_e);
    return seldom(l, is_log_rare(l, x[0]), usual, log2_rest, (real[]){x[0], usual});
}

static inline real log10_subnormal(const lane *l, const real *x) {
    real more, normal = made_normal(l, x[0], &more);
    return log_to(l, normal, more, f64_log10_2, f64_log10_e);
}
static inline real log10_rest(const lane *l, const real *x) {
    static const rare_function subnormal = {"tosajit_f64_log10_subnormal", log10_subnormal, 1};
    return log_or_special(l, x, &subnormal);
}
static inline real f64_function_log10(const lane *l, const real *x) {
    real usual = log_to(l, x[0], number(l, 0.0), f64_log10_2, f64_log10_e);
    return seldom(l, is_log_rare(l, x[0]), usual, log10_rest, (real[]){x[0], usual});
}

/* ln(1 + w) + more ln 2, w > -1, of which no bit is lost where it is small. */
static inline pair log1p_pair(const lane *l, pair w, real more) {
    pair sum = exact_sum(l, number(l, 1.0), w.high);
    sum = quick_sum(l, sum.high, add(l, sum.low, w.low));
    split_number n = split_at(l, sum);
    pair f = exact_sum(l, n.f.high, n.f.low);
    mask near = equal(l, n.k, number(l, 0.0));
    f = (pair){pick(l, near, w.high, f.high), pick(l, near, w.low, f.low)};
    return add_multiple(l, add(l, n.k, more), f64_ln2, log_of_1_plus(l, f));
}

static inline real f64_function_log1p(const lane *l, const real *x) {
    real zero = number(l, 0.0), minus_one = number(l, -1.0);
    real value = rounded(l, log1p_pair(l, (pair){x[0], zero}, zero));
    value = pick(l, less(l, x[0], number(l, (double)INFINITY)), value, x[0]);
    value = pick(l, less(l, x[0], minus_one), number(l, (double)NAN), value);
    value = pick(l, equal(l, x[0], minus_one), number(l, (double)-INFINITY), value);
    return pick(l, is_small(l, x[0], 0x1p-54), x[0], value);
}

/* ln(1 + a + (sqrt(1 + a^2) - 1)): the root is good to 2^-104, and from 2^-28 on a is enough
 * larger. Of large a ln a + ln 2. */
static inline real f64_function_asinh(const lane *l, const real *x) {
    real a = size_of(l, x[0]), one = number(l, 1.0), zero = number(l, 0.0);
    mask large = is_far(l, a, 0x1p30);
    real near = pick(l, large, one, a);
    pair square = exact_product(l, near, near), sum = exact_sum(l, one, square.high);
    pair root = pair_root(l, quick_sum(l, sum.high, add(l, sum.low, square.low))),
         t = exact_sum(l, root.high, number(l, -1.0)), w = exact_sum(l, near, t.high),
         far = exact_sum(l, a, number(l, -1.0));
    w = quick_sum(l, w.high, add(l, w.low, add(l, root.low, t.low)));
    w = (pair){pick(l, large, far.high, w.high), pick(l, large, far.low, w.low)};
    real value = rounded(l, log1p_pair(l, w, pick(l, large, one, zero)));
    value = pick(l, less(l, a, number(l, (double)INFINITY)), value, a);
    return with_sign(l, pick(l, is_small(l, a, 0x1p-28), a, value), x[0]);
}

/* ln(1 + t + sqrt(x^2 - 1)), t = x - 1; of large x ln x + ln 2. */
static inline real f64_function_acosh(const lane *l, const real *x) {
    real one = number(l, 1.0), zero = number(l, 0.0), minus_one = number(l, -1.0);
    mask large = is_far(l, x[0], 0x1p30);
    real near = pick(l, large, number(l, 2.0), x[0]);
    pair square = exact_product(l, near, near), less_1 = exact_sum(l, square.high, minus_one);
    pair root = pair_root(l, quick_sum(l, less_1.high, add(l, less_1.low, square.low))),
         t = exact_sum(l, near, minus_one), w = exact_sum(l, root.high, t.high),
         far = exact_sum(l, x[0], minus_one);
    w = quick_sum(l, w.high, add(l, w.low, add(l, root.low, t.low)));
    w = (pair){pick(l, large, far.high, w.high), pick(l, large, far.low, w.low)};
    real value = rounded(l, log1p_pair(l, w, pick(l, large, one, zero)));
    value = pick(l, less(l, x[0], number(l, (double)INFINITY)), value, x[0]);
    value = pick(l, less(l, x[0], one), number(l, (double)NAN), value);
    return pick(l, equal(l, x[0], one), zero, value);
}

/* ln(1 + 2 a / (1 - a)) / 2. */
static inline real f64_function_atanh(const lane *l, const real *x) {
    real a = size_of(l, x[0]), one = number(l, 1.0), zero = number(l, 0.0);
    pair below = exact_sum(l, one, negative(l, a)),
         w = quotient(l, (pair){add(l, a, a), zero}, below);
    real value = mul(l, rounded(l, log1p_pair(l, w, zero)), number(l, 0.5));
    value = pick(l, less(l, a, one), value, number(l, (double)NAN));
    value = pick(l, equal(l, a, one), number(l, (double)INFINITY), value);
    return with_sign(l, pick(l, is_small(l, a, 0x1p-28), a, value), x[0]);
}

#endif
