/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sine, cosine, tangent and their inverses. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_ANGLE_H
#define TOSAJIT_RUNTIME_FUNCTIONS_ANGLE_H

#include "runtime/functions/steps.h"

/* x = n pi/2 + r, n in the low bits of `shifted`. */
typedef struct quarters {
    real shifted;
    pair r;
} quarters;

/* abs(x) < 2^28. The first step is exact; pi / 2 has three parts, since r may be as small as 2^-62.
 */
static inline quarters quarters_near(const lane *l, real x) {
    real shift = number(l, steps_shift),
         shifted = muladd(l, x, number(l, 0x1.45f306dc9c883p-1), shift),
         minus_n = sub(l, shift, shifted);
    real first = muladd(l, minus_n, number(l, f64_pi[0] / 2), x);
    pair second = exact_product(l, minus_n, number(l, f64_pi[1] / 2)),
         r = exact_sum(l, first, second.high);
    real low = muladd(l, minus_n, number(l, f64_pi[2] / 2), second.low);
    return (quarters){shifted, quick_sum(l, r.high, add(l, r.low, low))};
}

/* Sums of three, for what cancels down to its last bits. */
typedef struct triple {
    real a, b, c;
} triple;

static inline triple triple_add(const lane *l, triple t, real x) {
    pair a = exact_sum(l, t.a, x), b = exact_sum(l, t.b, a.low);
    return (triple){a.high, b.high, add(l, t.c, b.low)};
}

/* x modulo 4, x of 51 bits: from 2^53 on it is a multiple of 4. */
static inline real modulo_4(const lane *l, real x) {
    real shift = number(l, steps_shift),
         fours = sub(l, muladd(l, x, number(l, 0.25), shift), shift),
         rest = muladd(l, fours, number(l, -4.0), x);
    return pick(l, is_small(l, x, 0x1p53), rest, number(l, 0.0));
}

/* Payne and Hanek: x 2/pi modulo 4 from the ten digits of 2/pi that matter, x finite and at least
 * 2^28. A digit has 24 bits, so its product with either half of x is exact. */
static inline quarters quarters_far(const lane *l, real x) {
    enum { DIGITS = 10 };
    const int64_t exponent_bits = 0x4330000000000000, upper = -(INT64_C(1) << 27);
    real scaled = mul(l, x, number(l, 0x1p-200)), shift = number(l, steps_shift);
    real high = from_bits(l, bits_and(l, bits_of(l, scaled), bits_constant(l, upper))),
         low = sub(l, scaled, high);
    word biased = bits_or(l, bits_right(l, bits_of(l, x), 52), bits_constant(l, exponent_bits));
    real exponent = sub(l, from_bits(l, biased), number(l, 0x1p52 + 1023 + 66.5)),
         first = within(l, mul(l, exponent, number(l, 1.0 / 24)), 0.0, 41.0);
    word index = bits_and(l, bits_of(l, add(l, first, shift)), bits_constant(l, 63));
    triple t = {number(l, 0.0), number(l, 0.0), number(l, 0.0)};
    for (int k = 0; k < DIGITS; k++) {
        real digit = entry_of(l, f64_inverse_pi_digits, STEPS_COUNT(f64_inverse_pi_digits),
                              bits_sum(l, index, bits_constant(l, k)), "f64_inverse_pi_digits");
        t = triple_add(l, t, modulo_4(l, mul(l, high, digit)));
        t = triple_add(l, t, modulo_4(l, mul(l, low, digit)));
    }
    real shifted = add(l, t.a, shift);
    pair rest = exact_sum(l, sub(l, t.a, sub(l, shifted, shift)), t.b);
    rest = quick_sum(l, rest.high, add(l, rest.low, t.c));
    pair half_pi = {number(l, f64_pi[0] / 2), number(l, f64_pi[1] / 2)};
    return (quarters){shifted, pair_product(l, rest, half_pi)};
}

/* sin r, abs(r) <= pi/4. */
static inline pair near_sine(const lane *l, pair r) {
    real z = mul(l, r.high, r.high), p = series(l, f64_sin_terms, STEPS_COUNT(f64_sin_terms), z),
         low = muladd(l, mul(l, r.high, z), p, muladd(l, mul(l, z, number(l, -0.5)), r.low, r.low));
    return (pair){r.high, low};
}

/* cos r; 1 - z/2 is rounded once, and what that loses goes to the rest. */
static inline pair near_cosine(const lane *l, pair r) {
    real z = mul(l, r.high, r.high), half = mul(l, z, number(l, -0.5));
    real lost = muladd(l, r.high, r.high, negative(l, z)),
         p = series(l, f64_cos_terms, STEPS_COUNT(f64_cos_terms), z);
    pair head = quick_sum(l, number(l, 1.0), half);
    real low = muladd(l, lost, number(l, -0.5), muladd(l, r.high, negative(l, r.low), head.low));
    return (pair){head.high, muladd(l, mul(l, z, z), p, low)};
}

static inline pair pick_pair(const lane *l, mask m, pair a, pair b) {
    return (pair){pick(l, m, a.high, b.high), pick(l, m, a.low, b.low)};
}

/* sin(x + quarter pi/2). */
static inline real turned_sine(const lane *l, quarters q, int quarter) {
    word n = bits_sum(l, bits_of(l, q.shifted), bits_constant(l, quarter));
    pair value = pick_pair(l, has_bit_0(l, n), near_cosine(l, q.r), near_sine(l, q.r));
    word sign = bits_left(l, bits_and(l, n, bits_constant(l, 2)), 62);
    return from_bits(l, bits_xor(l, bits_of(l, rounded(l, value)), sign));
}

/* Of infinity and NaN: NaN. */
static inline real far_or_nan(const lane *l, real x, real value) {
    return pick(l, is_small(l, x, (double)INFINITY), value, sub(l, x, x));
}

static inline real sin_far(const lane *l, const real *x) {
    real value = turned_sine(l, quarters_far(l, size_of(l, x[0])), 0);
    mask below = less(l, x[0], number(l, 0.0));
    return far_or_nan(l, x[0], pick(l, below, negative(l, value), value));
}

static inline real cos_far(const lane *l, const real *x) {
    return far_or_nan(l, x[0], turned_sine(l, quarters_far(l, size_of(l, x[0])), 1));
}

static const double steps_far_angle = 0x1p28;

static inline real f64_function_sin(const lane *l, const real *x) {
    static const rare_function far = {"tosajit_f64_sin_far", sin_far, 1};
    real value = turned_sine(l, quarters_near(l, x[0]), 0);
    value = pick(l, is_small(l, x[0], 0x1p-27), x[0], value);
    return rarely(l, is_far(l, x[0], steps_far_angle), value, &far, x);
}

static inline real f64_function_cos(const lane *l, const real *x) {
    static const rare_function far = {"tosajit_f64_cos_far", cos_far, 1};
    real value = turned_sine(l, quarters_near(l, x[0]), 1);
    value = pick(l, is_small(l, x[0], 0x1p-28), number(l, 1.0), value);
    return rarely(l, is_far(l, x[0], steps_far_angle), value, &far, x);
}

/* sin / cos, or -cos / sin in every other quarter. */
static inline real tangent(const lane *l, quarters q) {
    pair s = near_sine(l, q.r), c = near_cosine(l, q.r);
    mask odd = has_bit_0(l, bits_of(l, q.shifted));
    s = quick_sum(l, s.high, s.low), c = quick_sum(l, c.high, c.low);
    real value = rounded(l, quotient(l, pick_pair(l, odd, c, s), pick_pair(l, odd, s, c)));
    return pick(l, odd, negative(l, value), value);
}

static inline real tan_far(const lane *l, const real *x) {
    real value = tangent(l, quarters_far(l, size_of(l, x[0])));
    mask below = less(l, x[0], number(l, 0.0));
    return far_or_nan(l, x[0], pick(l, below, negative(l, value), value));
}

static inline real f64_function_tan(const lane *l, const real *x) {
    static const rare_function far = {"tosajit_f64_tan_far", tan_far, 1};
    real value = tangent(l, quarters_near(l, x[0]));
    value = pick(l, is_small(l, x[0], 0x1p-28), x[0], value);
    return rarely(l, is_far(l, x[0], steps_far_angle), value, &far, x);
}

/* multiple pi/4 + sign v, sign 1 or -1. */
static inline real from_quarter(const lane *l, real multiple, real sign, pair v) {
    pair base = exact_product(l, multiple, number(l, f64_pi[0] / 4)),
         sum = quick_sum(l, base.high, mul(l, sign, v.high));
    real low = muladd(l, multiple, number(l, f64_pi[1] / 4), base.low);
    return add(l, sum.high, add(l, sum.low, muladd(l, sign, v.low, low)));
}

/* The angle between the point (a, b) and the axis of b, for 0 <= a <= b and b in 2^-500..2^500. The
 * result is multiple pi/2 + sign angle: the same angle from another axis, in another direction.
 * Beyond pi/8 the angle is taken from the diagonal. */
static inline real angle_of(const lane *l, real a, real b, real multiple, real sign) {
    real zero = number(l, 0.0), one = number(l, 1.0);
    mask steep = less(l, mul(l, b, number(l, 0x1.a827999fcef32p-2)), a);
    pair below = exact_sum(l, b, pick(l, steep, a, zero)),
         above = exact_sum(l, a, pick(l, steep, negative(l, b), zero)),
         t = quotient(l, above, below);
    real z = mul(l, t.high, t.high), p = series(l, f64_atan_terms, STEPS_COUNT(f64_atan_terms), z),
         low = muladd(l, mul(l, t.high, z), p, muladd(l, negative(l, z), t.low, t.low));
    real diagonal = pick(l, steep, one, zero),
         eighths = muladd(l, diagonal, sign, add(l, multiple, multiple));
    return from_quarter(l, eighths, sign, (pair){t.high, low});
}

static inline real f64_function_atan(const lane *l, const real *x) {
    real one = number(l, 1.0), zero = number(l, 0.0), a = within(l, size_of(l, x[0]), 0.0, 0x1p60);
    mask over = less(l, one, a);
    real value = angle_of(l, pick(l, over, one, a), pick(l, over, a, one), pick(l, over, one, zero),
                          pick(l, over, number(l, -1.0), one));
    return with_sign(l, pick(l, is_small(l, a, 0x1p-28), a, value), x[0]);
}

/* y / x where that is the angle: x > 0, and the quotient so small that it may be subnormal. */
static inline real atan2_small(const lane *l, const real *x) {
    return divide(l, size_of(l, x[0]), x[1]);
}

/* Infinities count as 1 beside what is finite, and zeros as nothing beside 1. */
static inline real f64_function_atan2(const lane *l, const real *x) {
    static const rare_function small = {"tosajit_f64_atan2_small", atan2_small, 2};
    real zero = number(l, 0.0), one = number(l, 1.0), infinity = number(l, (double)INFINITY);
    real y = size_of(l, x[0]), w = size_of(l, x[1]);
    mask over = less(l, w, y), left = less(l, with_sign(l, one, x[1]), zero);
    real a = pick(l, over, w, y), b = pick(l, over, y, w);
    mask infinite = equal(l, b, infinity);
    a = pick(l, infinite, pick(l, equal(l, a, infinity), one, zero), a);
    b = pick(l, either(l, infinite, equal(l, b, zero)), one, b);
    real factor = pick(l, is_small(l, b, 0x1p-400), number(l, 0x1p600), one);
    factor = pick(l, is_far(l, b, 0x1p400), number(l, 0x1p-600), factor);
    real multiple = pick(l, over, one, pick(l, left, number(l, 2.0), zero)),
         sign = pick(l, either(l, both(l, over, left), both(l, not_so(l, over), not_so(l, left))),
                     one, number(l, -1.0));
    real value = angle_of(l, mul(l, a, factor), mul(l, b, factor), multiple, sign);
    mask tiny = less(l, mul(l, y, number(l, 0x1p30)), w),
         quotient_only = both(l, both(l, tiny, not_so(l, left)), less(l, w, infinity));
    value = rarely(l, quotient_only, value, &small, x);
    value = pick(l, unordered(l, x[0], x[1]), add(l, x[0], x[1]), value);
    return with_sign(l, value, x[0]);
}

/* asin a = a + a^3 (...) up to 1/2; beyond it pi/2 less twice that of sqrt((1 - a) / 2), which is
 * half of acos a. */
typedef struct arc {
    mask far;
    pair v;
} arc;

static inline arc arc_of(const lane *l, real a) {
    real zero = number(l, 0.0), half = number(l, 0.5);
    mask far = less(l, half, a);
    real other = muladd(l, a, number(l, -0.5), half), z = pick(l, far, other, mul(l, a, a));
    pair root = pair_root(l, (pair){z, zero});
    real r = pick(l, far, root.high, a), low = pick(l, far, root.low, zero);
    real p = series(l, f64_asin_terms, STEPS_COUNT(f64_asin_terms), z),
         factor = pick(l, far, number(l, 2.0), number(l, 1.0));
    low = mul(l, muladd(l, mul(l, r, z), p, low), factor);
    return (arc){far, {mul(l, r, factor), low}};
}

static inline real f64_function_asin(const lane *l, const real *x) {
    real zero = number(l, 0.0), one = number(l, 1.0);
    arc v = arc_of(l, size_of(l, x[0]));
    real value = from_quarter(l, pick(l, v.far, number(l, 2.0), zero),
                              pick(l, v.far, number(l, -1.0), one), v.v);
    value = pick(l, is_small(l, x[0], 0x1p-28), size_of(l, x[0]), value);
    return with_sign(l, value, x[0]);
}

/* Up to 1/2 it is pi/2 - asin x; beyond it the arc, or pi less it. */
static inline real f64_function_acos(const lane *l, const real *x) {
    real zero = number(l, 0.0), one = number(l, 1.0), two = number(l, 2.0);
    arc v = arc_of(l, size_of(l, x[0]));
    real sign = with_sign(l, one, x[0]);
    real far = pick(l, less(l, x[0], zero), number(l, 4.0), zero);
    return from_quarter(l, pick(l, v.far, far, two), pick(l, v.far, sign, negative(l, sign)), v.v);
}

#endif
