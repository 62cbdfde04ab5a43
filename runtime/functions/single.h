/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of f32 for TOSAJIT_REPRODUCIBLE, in arithmetic of f32: at most 1 ulp off, with the same
 * bits on every CPU, whatever the loop. A rounding error is kept where the result would feel it: a
 * leading sum is rounded once, and its error is added to the small rest. docs/accuracy.md has the
 * error of each.
 *
 * The words are those of scalar.h or of jit/math/steps_lane.h, with STEPS_OF_F32. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_SINGLE_H
#define TOSAJIT_RUNTIME_FUNCTIONS_SINGLE_H

#include "runtime/functions/steps.h"

/* c[0] + c[1] x + ..., by Horner's rule: the fewest steps. */
static inline real horner(const lane *l, const double *c, unsigned count, real x) {
    real sum = number(l, c[count - 1]);
    for (unsigned k = count - 1; k > 0; k--) sum = muladd(l, sum, x, number(l, c[k - 1]));
    return sum;
}
#define HORNER(terms, x) horner(l, terms, STEPS_COUNT(terms), x)

/* a + b and what is left to add, where abs(a) >= abs(b) or a is 0. */
static inline real lead(const lane *l, real a, real b, real rest) {
    pair sum = quick_sum(l, a, b);
    return add(l, sum.high, add(l, rest, sum.low));
}

/* 1 / a to 6 bits, of normal numbers far from both ends. It serves where the quotient is small
 * beside a result. The difference of two bit patterns is the quotient of two powers of 2, and one
 * step mends it. */
static inline real rough_inverse(const lane *l, real a) {
    real y = from_bits(l, bits_difference(l, bits_constant(l, 0x7ef311c7), bits_of(l, a)));
    return mul(l, y, muladd(l, negative(l, a), y, number(l, 2.0)));
}

/* The root of a pair that is not 0, and what it lacks. */
static inline pair single_root(const lane *l, pair a) {
    real high = square_root(l, a.high),
         rest = add(l, muladd(l, negative(l, high), high, a.high), a.low);
    return (pair){high, mul(l, mul(l, rest, number(l, 0.5)), rough_inverse(l, high))};
}

/* ---------------------------------------------------------------------------------------------
 * Exponentials */

/* 2^x; the fraction of x is exact. */
static inline real single_exp2_far(const lane *l, const real *x) {
    real a = within(l, x[0], -160.0, 140.0), shift = number(l, steps_shift),
         shifted = add(l, a, shift), r = sub(l, a, sub(l, shifted, shift));
    return scaled_far(l, muladd(l, HORNER(f32_exp2_terms, r), r, number(l, 1.0)), shifted);
}

static inline real f32_function_exp2(const lane *l, const real *x) {
    real shift = number(l, steps_shift), shifted = add(l, x[0], shift),
         r = sub(l, x[0], sub(l, shifted, shift));
    real value = muladd(l, HORNER(f32_exp2_terms, r), r, number(l, 1.0));
    return seldom(l, is_far(l, x[0], 125.5), scaled_near(l, value, shifted), single_exp2_far, x);
}

/* A quarter of it: t p + (t - 1/4), t = 2^n / 4 and p = e^r - 1. */
static inline real f32_function_expm1(const lane *l, const real *x) {
    reduced e = by_ln2(l, within(l, x[0], -20.0, 89.5));
    real r = e.r.high, quarter = number(l, -0.25), t = power_of_2(l, e.shifted, 2);
    pair whole = quick_sum(l, t, quarter);
    real tail = muladd(l, mul(l, r, r), HORNER(f32_expm1_terms, r), e.r.low);
    real value = lead(l, whole.high, mul(l, t, r), muladd(l, t, tail, whole.low));
    real small = muladd(l, x[0], mul(l, x[0], number(l, 0.5)), x[0]);
    value = pick(l, is_small(l, x[0], 0x1p-14), small, mul(l, value, number(l, 4.0)));
    return with_sign(l, value, x[0]);
}

/* Let t = 2^n / 4, u = 2^-n / 4, c = cosh r - 1, s = sinh r - r. Then half of sinh x is (t - u) +
 * (t + u) r + (t - u) c + (t + u) s. Half of cosh x is the same with t + u and t - u exchanged. */
typedef struct single_halves {
    pair difference, sum;
    real r, c, s;
} single_halves;

static inline single_halves single_halve(const lane *l, real a) {
    reduced e = by_ln2(l, a);
    real t = power_of_2(l, e.shifted, 2), r = e.r.high, z = mul(l, r, r);
    word quarter_of_quarter = bits_constant(l, 0x7d000000); /* of t u, with the bias twice */
    real u = from_bits(l, bits_difference(l, quarter_of_quarter, bits_of(l, t)));
    u = pick(l, less(l, a, number(l, 70.0)), u,
             number(l, 0.0)); /* of n beyond 100 it is no number */
    real c = muladd(l, mul(l, z, z), HORNER(f32_cosh_terms, z), mul(l, z, number(l, 0.5))),
         s = muladd(l, mul(l, r, z), HORNER(f32_sinh_terms, z), e.r.low);
    return (single_halves){quick_sum(l, t, negative(l, u)), quick_sum(l, t, u), r, c, s};
}

/* a (1 + c) + b (r + s), twice. */
static inline real single_join(const lane *l, pair a, pair b, const single_halves *h) {
    pair p = exact_product(l, b.high, h->r);
    real rest = muladd(l, a.high, h->c, muladd(l, b.high, h->s, add(l, p.low, a.low)));
    real value = lead(l, a.high, p.high, rest);
    return add(l, value, value);
}

static inline real f32_function_sinh(const lane *l, const real *x) {
    real a = within(l, size_of(l, x[0]), 0.0, 89.5);
    single_halves h = single_halve(l, a);
    real value = single_join(l, h.difference, h.sum, &h);
    return with_sign(l, pick(l, is_small(l, a, 0x1p-12), a, value), x[0]);
}

static inline real f32_function_cosh(const lane *l, const real *x) {
    single_halves h = single_halve(l, within(l, size_of(l, x[0]), 0.0, 89.5));
    return single_join(l, h.sum, h.difference, &h);
}

/* ---------------------------------------------------------------------------------------------
 * Logarithms */

/* x > 0 and normal, as 2^k (1 + f), 1 + f from `lowest`, the bits of a number below 1, to twice
 * that. */
typedef struct single_split {
    real k, f;
    word exponent; /* of 2^k, less that of 1 */
} single_split;

enum { SINGLE_ROOT_OF_HALF = 0x3f3504f3, SINGLE_THREE_QUARTERS = 0x3f400000 };
static inline single_split single_split_at(const lane *l, real x, int32_t lowest) {
    const int32_t exponents = -0x00800000;
    word bits = bits_of(l, x), moved = bits_difference(l, bits, bits_constant(l, lowest)),
         exponent = bits_and(l, moved, bits_constant(l, exponents));
    real m = from_bits(l, bits_difference(l, bits, exponent));
    return (single_split){number_of(l, bits_down(l, moved, STEPS_FRACTION)),
                          sub(l, m, number(l, 1.0)), exponent};
}

/* A logarithm is k `unit` + f `scale` + f^2 (terms). The first part of a unit is so short that a
 * product with k is exact. */
typedef struct single_base {
    const double *unit, *scale, *terms;
} single_base;
enum { SINGLE_LOG_TERMS = STEPS_COUNT(f32_log2_terms) };
static const double single_one[] = {1.0, 0.0};
static const single_base single_base_2 = {single_one, f32_log2_e, f32_log2_terms},
                         single_base_10 = {f32_log10_2, f32_log10_e, f32_log10_terms};

static inline real single_log(const lane *l, real x, double more, const single_base *b) {
    single_split n = single_split_at(l, x, SINGLE_ROOT_OF_HALF);
    real k = more != 0 ? add(l, n.k, number(l, more)) : n.k, f = n.f,
         low = mul(l, f, number(l, b->scale[1]));
    if (b->unit[1] != 0) low = muladd(l, k, number(l, b->unit[1]), low);
    real rest = muladd(l, mul(l, f, f), horner(l, b->terms, SINGLE_LOG_TERMS, f), low);
    return muladd(l, k, number(l, b->unit[0]), muladd(l, f, number(l, b->scale[0]), rest));
}

/* True if x is not positive, finite and normal. */
static inline mask single_is_log_rare(const lane *l, real x) {
    const int32_t first = 0x00800000, beyond = 0x7f800000; /* moved to where signed words begin */
    word moved = bits_sum(l, bits_of(l, x), bits_constant(l, INT32_MIN - (int64_t)first));
    return not_so(l, bits_less(l, moved, bits_constant(l, INT32_MIN + (beyond - first))));
}
/* The logarithm x[1] of x[0], where x[0] is not both positive and normal. Subnormal numbers have
 * their own function in f: with a second polynomial a loop would keep fewer numbers in registers.
 */
static inline real single_log_rare(const lane *l, const real *x, const rare_function *f) {
    real zero = number(l, 0.0), infinity = number(l, (double)INFINITY), value = x[1];
    value = pick(l, less(l, x[0], infinity), value, x[0]);
    value = pick(l, less(l, x[0], zero), number(l, (double)NAN), value);
    value = pick(l, equal(l, x[0], zero), negative(l, infinity), value);
    mask subnormal = both(l, less(l, zero, x[0]), less(l, x[0], number(l, 0x1p-126)));
    return rarely(l, subnormal, value, f, x);
}
static inline real single_made_normal(const lane *l, real x) {
    return mul(l, x, number(l, 0x1p25));
}

static inline real single_log2_subnormal(const lane *l, const real *x) {
    return single_log(l, single_made_normal(l, x[0]), -25, &single_base_2);
}
static inline real single_log2_rare(const lane *l, const real *x) {
    static const rare_function f = {"tosajit_f32_log2_subnormal", single_log2_subnormal, 1};
    return single_log_rare(l, x, &f);
}
static inline real f32_function_log2(const lane *l, const real *x) {
    real usual = single_log(l, x[0], 0, &single_base_2);
    return seldom(l, single_is_log_rare(l, x[0]), usual, single_log2_rare, (real[]){x[0], usual});
}

static inline real single_log10_subnormal(const lane *l, const real *x) {
    return single_log(l, single_made_normal(l, x[0]), -25, &single_base_10);
}
static inline real single_log10_rare(const lane *l, const real *x) {
    static const rare_function f = {"tosajit_f32_log10_subnormal", single_log10_subnormal, 1};
    return single_log_rare(l, x, &f);
}
static inline real f32_function_log10(const lane *l, const real *x) {
    real usual = single_log(l, x[0], 0, &single_base_10);
    return seldom(l, single_is_log_rare(l, x[0]), usual, single_log10_rare, (real[]){x[0], usual});
}

/* ln(1 + w) + more ln 2, w > -1. The rounded 1 + w only decides k, such that 2^-k (1 + w) is 3/4 to
 * 3/2. So f = w 2^-k + (2^-k - 1) is exact wherever the result would feel an error. */
static inline real single_log1p(const lane *l, pair w, real more) {
    single_split n = single_split_at(l, add(l, number(l, 1.0), w.high), SINGLE_THREE_QUARTERS);
    real quarter = number(l, 0.25), /* 2^-k itself may be subnormal */
        scale = from_bits(l, bits_difference(l, bits_constant(l, 0x40800000), n.exponent));
    real f = muladd(l, mul(l, w.high, quarter), scale, muladd(l, scale, quarter, number(l, -1.0))),
         low = mul(l, mul(l, w.low, quarter), scale), k = add(l, n.k, more);
    low = muladd(l, negative(l, f), low, low);
    real rest = muladd(l, mul(l, f, f), HORNER(f32_log1p_terms, f),
                       muladd(l, k, number(l, f32_ln2[1]), low));
    return muladd(l, k, number(l, f32_ln2[0]), add(l, f, rest));
}

static inline real f32_function_log1p(const lane *l, const real *x) {
    real zero = number(l, 0.0), minus_one = number(l, -1.0),
         value = single_log1p(l, (pair){x[0], zero}, zero);
    value = pick(l, less(l, x[0], number(l, (double)INFINITY)), value, x[0]);
    value = pick(l, less(l, x[0], minus_one), number(l, (double)NAN), value);
    value = pick(l, equal(l, x[0], minus_one), number(l, (double)-INFINITY), value);
    return pick(l, is_small(l, x[0], 0x1p-26), x[0], value);
}

/* ln(a + sqrt(a^2 + 1)) from 1/2 on; of large a ln a + ln 2. */
static inline real f32_function_asinh(const lane *l, const real *x) {
    real a = size_of(l, x[0]), one = number(l, 1.0), zero = number(l, 0.0), z = mul(l, a, a);
    real near = muladd(l, mul(l, a, z), HORNER(f32_asinh_terms, z), a);
    mask large = is_far(l, a, 0x1p13);
    real b = pick(l, large, one, a);
    pair square = exact_product(l, b, b), sum = exact_sum(l, one, square.high);
    pair root = single_root(l, with_low(l, sum, square.low)), y = quick_sum(l, root.high, b);
    y = (pair){sub(l, pick(l, large, a, y.high), one),
               pick(l, large, zero, add(l, y.low, root.low))};
    real far = single_log1p(l, y, pick(l, large, one, zero));
    far = pick(l, less(l, a, number(l, (double)INFINITY)), far, a);
    return with_sign(l, pick(l, is_small(l, a, 0.5), near, far), x[0]);
}

/* ln(1 + w), w = u + sqrt(u^2 + 2 u), u = x - 1; of large x ln u + ln 2. */
static inline real f32_function_acosh(const lane *l, const real *x) {
    real one = number(l, 1.0), zero = number(l, 0.0), u = sub(l, x[0], one);
    mask large = is_far(l, u, 0x1p13);
    real v = pick(l, large, one, u);
    pair square = exact_product(l, v, v), sum = exact_sum(l, add(l, v, v), square.high);
    pair root = single_root(l, with_low(l, sum, square.low)), w = quick_sum(l, root.high, v);
    w = (pair){pick(l, large, u, w.high), pick(l, large, zero, add(l, w.low, root.low))};
    real value = single_log1p(l, w, pick(l, large, one, zero));
    value = pick(l, less(l, x[0], number(l, (double)INFINITY)), value, x[0]);
    value = pick(l, less(l, x[0], one), number(l, (double)NAN), value);
    return pick(l, equal(l, x[0], one), zero, value);
}

/* ln(1 + 2 a / (1 - a)) / 2 from 1/2 on, where 1 - a is exact. */
static inline real f32_function_atanh(const lane *l, const real *x) {
    real a = size_of(l, x[0]), one = number(l, 1.0), zero = number(l, 0.0), z = mul(l, a, a);
    real near = muladd(l, mul(l, a, z), HORNER(f32_atanh_terms, z), a), below = sub(l, one, a),
         inverse = divide(l, one, below), twice = add(l, a, a), w = mul(l, twice, inverse),
         lost = mul(l, muladd(l, negative(l, w), below, twice), inverse);
    real far = mul(l, single_log1p(l, (pair){w, lost}, zero), number(l, 0.5));
    real value = pick(l, is_small(l, a, 0.5), near, far);
    value = pick(l, less(l, a, one), value, number(l, (double)NAN));
    value = pick(l, equal(l, a, one), number(l, (double)INFINITY), value);
    return with_sign(l, value, x[0]);
}

/* ---------------------------------------------------------------------------------------------
 * Angles */

/* abs(x) <= 2^16: x = n pi / (2 parts) + r, n in `shifted`. The first step is exact, and so is
 * first - high, all bits of which lie between those of the product, rounded by itself, and those of
 * first. */
static inline reduced single_by_half_pi(const lane *l, real x, double parts) {
    real shift = number(l, steps_shift),
         shifted = muladd(l, x, number(l, 0x1.45f306p-1 * parts), shift),
         n = sub(l, shifted, shift), second = number(l, -f32_half_pi_short[1] / parts);
    real first = muladd(l, n, number(l, -f32_half_pi_short[0] / parts), x),
         high = add(l, first, mul(l, n, second)), low = muladd(l, n, second, sub(l, first, high));
    return (reduced){shifted, {high, muladd(l, n, number(l, -f32_half_pi_short[2] / parts), low)}};
}

/* tan r, or -1 / tan r in every other quarter. The derivative for what r lacks is 1 + 3/2 r^2 near
 * enough, the polynomial is about 0.42 where its cube's error counts. */
static inline real f32_function_tan(const lane *l, const real *x) {
    reduced q = single_by_half_pi(l, x[0], 1);
    real r = q.r.high, z = mul(l, r, r), cube = mul(l, r, z);
    real cube_low =
             muladd(l, r, muladd(l, r, r, negative(l, z)), muladd(l, r, z, negative(l, cube))),
         low = muladd(l, mul(l, z, number(l, 1.5)), q.r.low, q.r.low);
    pair t = quick_sum(
        l, r, muladd(l, cube, HORNER(f32_tan_terms, z), muladd(l, cube_low, number(l, 0.42), low)));
    real inverse = divide(l, number(l, -1.0), t.high),
         left = muladd(l, inverse, t.low, muladd(l, inverse, t.high, number(l, 1.0)));
    mask odd = has_bit_0(l, bits_of(l, q.shifted));
    real value = pick(l, odd, muladd(l, inverse, left, inverse), t.high);
    return pick(l, is_small(l, x[0], 0x1p-13), x[0], value);
}

static inline mask single_tan_rare(const lane *l, const real *x) { return is_far(l, x[0], 0x1p16); }

/* multiple pi/2 + a + cube p + low: the last product is rounded with what the sum before loses. */
static inline real single_from_axis(const lane *l, real multiple, real a, real cube, real p,
                                    real low) {
    pair sum = quick_sum(l, mul(l, multiple, number(l, f32_half_pi[0])), a);
    real lost = muladd(l, multiple, number(l, f32_half_pi[1]), add(l, sum.low, low));
    return add(l, sum.high, muladd(l, cube, p, lost));
}

/* multiple pi/2 + atan(t + lost), abs(t) <= 1. The derivative 1 / (1 + z) is 1 - z/2 at both ends,
 * and near it between them. What rounding z = t^2 and t^3 loses counts near 1, where the polynomial
 * is about -0.23. */
static inline real single_atan_of(const lane *l, real multiple, real t, real lost) {
    real z = mul(l, t, t), cube = mul(l, t, z), z_low = muladd(l, t, t, negative(l, z)),
         cube_low = muladd(l, t, z_low, muladd(l, t, z, negative(l, cube)));
    real low = muladd(l, mul(l, lost, z), number(l, -0.5), lost);
    low = muladd(l, cube_low, number(l, -0.23), low);
    return single_from_axis(l, multiple, t, cube, HORNER(f32_atan_terms, z), low);
}

static inline real f32_function_atan(const lane *l, const real *x) {
    real a = within(l, size_of(l, x[0]), 0.0, 0x1p60), one = number(l, 1.0), zero = number(l, 0.0);
    mask over = less(l, one, a);
    real above = pick(l, over, number(l, -1.0), a), below = pick(l, over, a, one),
         t = divide(l, above, below), lost = mul(l, muladd(l, t, below, negative(l, above)), t);
    return with_sign(l, single_atan_of(l, pick(l, over, one, zero), t, lost), x[0]);
}

/* Of finite numbers, the larger of which is neither tiny nor huge: the quotient, and its rounding
 * error. */
static inline real f32_function_atan2(const lane *l, const real *x) {
    real one = number(l, 1.0), zero = number(l, 0.0), a = size_of(l, x[0]), b = size_of(l, x[1]);
    mask over = less(l, b, a), left = less(l, with_sign(l, one, x[1]), zero);
    real less_one = pick(l, over, negative(l, b), a), more = pick(l, over, a, b),
         inverse = divide(l, one, more), t = mul(l, less_one, inverse),
         lost = mul(l, muladd(l, negative(l, t), more, less_one), inverse);
    real multiple = pick(l, over, one, pick(l, left, number(l, 2.0), zero));
    t = pick(l, left, negative(l, t), t), lost = pick(l, left, negative(l, lost), lost);
    return with_sign(l, single_atan_of(l, multiple, t, lost), x[0]);
}

/* The larger of two sizes; NaN if the second one is. */
static inline real single_larger(const lane *l, real a, real b) {
    return pick(l, less(l, b, a), a, b);
}
static inline mask single_is_within(const lane *l, real a, double low, double high) {
    return both(l, less(l, number(l, low), a), less(l, a, number(l, high)));
}

/* Also where the quotient may be subnormal. */
static inline mask single_atan2_rare(const lane *l, const real *x) {
    real a = size_of(l, x[0]), b = size_of(l, x[1]), larger = single_larger(l, a, b),
         scale = number(l, 0x1p40);
    mask usual =
        both(l, single_is_within(l, larger, 0x1p-80, 0x1p80), less(l, b, mul(l, a, scale)));
    return not_so(l, usual);
}

/* asin a = a + a^3 (...) up to 1/2; beyond it pi/2 less twice that of sqrt((1 - a) / 2), which is
 * half of acos a. */
typedef struct single_arc {
    mask far;
    real a, low, z, p;
} single_arc;

static inline single_arc single_arc_of(const lane *l, real a) {
    real zero = number(l, 0.0), half = number(l, 0.5);
    mask far = less(l, half, a);
    real other = muladd(l, a, number(l, -0.5), half), z = pick(l, far, other, mul(l, a, a));
    pair root = single_root(l, (pair){z, zero});
    return (single_arc){far, pick(l, far, add(l, root.high, root.high), a),
                        pick(l, far, add(l, root.low, root.low), zero), z,
                        HORNER(f32_asin_terms, z)};
}

/* multiple pi/2 + sign times the arc. */
static inline real single_turned(const lane *l, real multiple, real sign, single_arc v) {
    real a = mul(l, v.a, sign);
    return single_from_axis(l, multiple, a, mul(l, a, v.z), v.p, mul(l, v.low, sign));
}

static inline real f32_function_asin(const lane *l, const real *x) {
    real zero = number(l, 0.0), one = number(l, 1.0);
    single_arc v = single_arc_of(l, size_of(l, x[0]));
    real value =
        single_turned(l, pick(l, v.far, one, zero), pick(l, v.far, number(l, -1.0), one), v);
    return with_sign(l, value, x[0]);
}

/* Up to 1/2 it is pi/2 - asin x; beyond it the arc, or pi less it. */
static inline real f32_function_acos(const lane *l, const real *x) {
    real zero = number(l, 0.0), one = number(l, 1.0);
    single_arc v = single_arc_of(l, size_of(l, x[0]));
    real far = pick(l, less(l, x[0], zero), number(l, 2.0), zero), sign = with_sign(l, one, x[0]);
    return single_turned(l, pick(l, v.far, far, one), pick(l, v.far, sign, negative(l, sign)), v);
}

/* ---------------------------------------------------------------------------------------------
 * Roots */

/* sqrt(a^2 + b^2) of b >= a, b neither tiny nor huge: of b^2 nothing is lost. */
static inline real f32_function_hypot(const lane *l, const real *x) {
    real y = size_of(l, x[0]), w = size_of(l, x[1]);
    mask over = less(l, w, y);
    real a = pick(l, over, w, y), b = pick(l, over, y, w);
    pair square = exact_product(l, b, b);
    return square_root(l, add(l, square.high, muladd(l, a, a, square.low)));
}

static inline mask single_hypot_rare(const lane *l, const real *x) {
    real y = size_of(l, x[0]), w = size_of(l, x[1]);
    mask known = not_so(l, unordered(l, y, w));
    return not_so(l, both(l, known, single_is_within(l, single_larger(l, y, w), 0x1p-40, 0x1p60)));
}

static const double single_cbrt_terms[] = {1.0 / 3, 2.0 / 9, 14.0 / 81, 35.0 / 243};
enum { SINGLE_CBRT_MAGIC = -0x6b5d0574 }; /* 0x54a2fa8c, and what `shift` leaves in the bits */

/* x^(1/3) by t = x^(-1/3), of 17 bits: x t^2 has 16 bits, and a last step all of them. For t, a
 * third of the bits of x is subtracted from a constant, near those of 2^(4/3): 5 bits. Four terms
 * of (1 - e)^(-1/3), e = 1 - x t^3, make 17. */
static inline real single_cube_root(const lane *l, real x) {
    real shift = number(l, steps_shift), eighth = number_of(l, bits_right(l, bits_of(l, x), 8)),
         third = muladd(l, eighth, number(l, 1.0 / 3), shift);
    word bits = bits_left(l, bits_of(l, third), 8);
    real t = from_bits(l, bits_difference(l, bits_constant(l, SINGLE_CBRT_MAGIC), bits));
    real e = muladd(l, negative(l, mul(l, x, t)), mul(l, t, t), number(l, 1.0));
    t = muladd(l, mul(l, t, e), HORNER(single_cbrt_terms, e), t);
    real square = mul(l, t, t), y = mul(l, x, square);
    pair y2 = exact_product(l, y, y);
    real left = muladd(l, negative(l, y2.low), y, muladd(l, negative(l, y2.high), y, x));
    return muladd(l, left, mul(l, square, number(l, 1.0 / 3)), y);
}

static inline real single_cbrt_rare(const lane *l, const real *x) {
    real a = size_of(l, x[0]), zero = number(l, 0.0),
         value = mul(l, single_cube_root(l, mul(l, a, number(l, 0x1p24))), number(l, 0x1p-8));
    mask usual = both(l, less(l, zero, a), less(l, a, number(l, (double)INFINITY)));
    return with_sign(l, pick(l, usual, value, a), x[0]);
}

static inline real f32_function_cbrt(const lane *l, const real *x) {
    real a = size_of(l, x[0]), value = with_sign(l, single_cube_root(l, a), x[0]);
    return seldom(l, single_is_log_rare(l, a), value, single_cbrt_rare, x);
}

#endif
