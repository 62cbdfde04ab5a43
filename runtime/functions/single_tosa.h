/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* TOSA's functions of f32 for TOSAJIT_REPRODUCIBLE, in steps as those of single.h. A table has
 * eight entries, since every instruction set looks up eight at once: one permutation of a register
 * with AVX2 and AVX-512, shuffles of bytes with SSE and NEON. The rest of the operand is small, so
 * short polynomials do. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_SINGLE_TOSA_H
#define TOSAJIT_RUNTIME_FUNCTIONS_SINGLE_TOSA_H

#include "runtime/functions/pieces.h"
#include "runtime/functions/single.h"

/* The larger one; b where one is NaN. */
static inline real single_greater(const lane *l, real a, real b) {
    return pick(l, less(l, b, a), a, b);
}
/* a limited from above; NaN passes. */
static inline real single_at_most(const lane *l, real a, double high) {
    real highest = number(l, high);
    return pick(l, less(l, highest, a), highest, a);
}
/* x with the sign of `sign` as well. */
static inline real single_flip(const lane *l, real x, word sign) {
    word top = bits_and(l, sign, bits_constant(l, INT32_MIN));
    return from_bits(l, bits_xor(l, bits_of(l, x), top));
}

/* ---------------------------------------------------------------------------------------------
 * Exponentials */

/* e^x = 2^(n/8) e^-c e^(c + r), abs(r) <= ln 2 / 16. The power is the first two factors, and the
 * last one is 1 + rest. The offset c is such that all entries of the table are f32 to a quarter of
 * their last place, and rest is never negative. */
typedef struct single_eighths {
    real shifted, power, rest; /* n is in the low bits of shifted */
} single_eighths;

/* times x 8 / ln 2 as a whole number. */
static inline real single_count_eighths(const lane *l, real x, double times) {
    return muladd(l, x, number(l, 8 * times * f32_log2_e[0]), number(l, steps_shift));
}

/* abs(x) < 200, where a loop has nothing else: r takes two steps, and constants stay in registers.
 */
static inline single_eighths single_exp_alone(const lane *l, real x) {
    real shifted = single_count_eighths(l, x, 1), n = sub(l, shifted, number(l, steps_shift)),
         first = muladd(l, n, number(l, -f32_ln2[0] / 8), x),
         r = muladd(l, n, number(l, -f32_ln2[1] / 8), first);
    return (single_eighths){shifted, power_of_eighths(l, f32_exp_eighths, shifted),
                            HORNER(f32_exp_eighths_rest, r)};
}

/* abs(x) < 200, in a longer computation: r waits for one step less. What it lacks is so small that
 * its first power will do. */
static inline single_eighths single_exp_within(const lane *l, real x) {
    const double *c = f32_exp_eighths_rest, ln2 = f32_ln2[0] + f32_ln2[1],
                 high = (double)(float)ln2;
    real shifted = single_count_eighths(l, x, 1), n = sub(l, shifted, number(l, steps_shift)),
         r = muladd(l, n, number(l, -high / 8), x),
         first = muladd(l, n, number(l, (high - ln2) / 8 * c[1]), number(l, c[0]));
    real rest = muladd(l, horner(l, c + 1, STEPS_COUNT(f32_exp_eighths_rest) - 1, r), r, first);
    return (single_eighths){shifted, power_of_eighths(l, f32_exp_eighths, shifted), rest};
}

static inline real single_times(const lane *l, real power, real rest) {
    return muladd(l, power, rest, power);
}

/* e^x for all x: the part of n that is below 8 is looked up, and the other scales. */
static inline real single_exp_far(const lane *l, const real *x) {
    single_eighths e = single_exp_alone(l, within(l, x[0], -105.0, 89.0));
    word n = bits_of(l, e.shifted), part = bits_and(l, n, bits_constant(l, 7));
    real shift = number(l, steps_shift), count = sub(l, e.shifted, shift),
         whole = mul(l, sub(l, count, number_of(l, part)), number(l, 0.125));
    real value = single_times(l, entry_of_8(l, f32_exp_eighths, n), e.rest);
    return scaled_far(l, value, add(l, whole, shift));
}

/* Below -104 it is 0, which masks of softmax ask for again and again. */
static inline real single_exp_rare(const lane *l, const real *x) {
    mask tiny = less(l, x[0], number(l, -104.0)),
         far = both(l, is_far(l, x[0], 87.2), not_so(l, tiny));
    return seldom(l, far, number(l, 0.0), single_exp_far, x);
}

static inline real f32_function_exp(const lane *l, const real *x) {
    single_eighths e = single_exp_alone(l, x[0]);
    return seldom(l, is_far(l, x[0], 87.2), single_times(l, e.power, e.rest), single_exp_rare, x);
}

/* Beyond 87 it is 1, and below -87, where results are nearly subnormal, e^x. */
static inline real single_sigmoid_far(const lane *l, const real *x) {
    return pick(l, less(l, x[0], number(l, 0.0)), single_exp_far(l, x), number(l, 1.0));
}

/* 1 / (1 + E) for E = e^-x = power (1 + rest). sum is 1 + E as an f32, and low its rounding error.
 * If y is the quotient 1 / sum, its error is y (1 - y sum - y low). */
static inline real f32_function_sigmoid(const lane *l, const real *x) {
    single_eighths e = single_exp_within(l, negative(l, x[0]));
    real one = number(l, 1.0), sum = add(l, e.power, one),
         larger = pick(l, less(l, one, e.power), e.power, one),
         smaller = pick(l, less(l, e.power, one), e.power, one);
    real lost = sub(l, smaller, sub(l, sum, larger)), low = muladd(l, e.power, e.rest, lost),
         y = divide(l, one, add(l, sum, low)), minus_y = negative(l, y);
    real left = muladd(l, minus_y, low, muladd(l, minus_y, sum, one));
    mask far = less(l, number(l, 87.0), size_of(l, x[0]));
    return seldom(l, far, muladd(l, y, left, y), single_sigmoid_far, x);
}

/* b - b (b^2 / d), with b = min(a, 1). d is b^3 / (b - tanh b) up to 1, and (e^2a + 1) / 2 beyond;
 * it is always the larger of the two. The table includes the half, and a constant that keeps the
 * rounding error of e^2r small, below 2. One f32 for ln 2 is enough, since 1 / e^2a is small where
 * n is large. */
static inline real f32_function_tanh(const lane *l, const real *x) {
    real size = size_of(l, x[0]), a = single_at_most(l, size, 9.1),
         b = single_at_most(l, size, 1.0), square = mul(l, b, b);
    real shifted = single_count_eighths(l, a, 2), n = sub(l, shifted, number(l, steps_shift)),
         r = muladd(l, n, number(l, -0x1.62e43p-5), a);
    real far = muladd(l, HORNER(f32_tanh_eighths_powers, r),
                      power_of_eighths(l, f32_tanh_eighths, shifted), number(l, 0.5)),
         d = single_greater(l, HORNER(f32_tanh_terms, square), far);
    real value = muladd(l, negative(l, divide(l, square, d)), b, b);
    return with_sign(l, value, x[0]);
}

/* Eight pieces of one width, each from a multiple c of the width on: erf(c + d) = erf(c) + d P(d).
 * The multiple is in the low bits of `shifted`, and so short that d is exact. In the first piece c
 * and erf(c) are 0. There the sum is d + d (P(d) - 1), which loses nothing next to 0. In the first
 * piece d is larger than erf(c), in the others smaller. Beyond 3.93 erf rounds to 1. */
static inline real f32_function_erf(const lane *l, const real *x) {
    real a = single_at_most(l, size_of(l, x[0]), 3.93), shift = number(l, steps_shift),
         shifted = muladd(l, a, number(l, 1 / f32_erf_piece_width), shift);
    real d = muladd(l, sub(l, shifted, shift), number(l, -f32_erf_piece_width), a);
    word piece = bits_of(l, shifted);
    unsigned k = STEPS_COUNT(f32_erf_pieces) - 1;
    real value = entry_of_8(l, f32_erf_pieces[0], piece),
         sum = entry_of_8(l, f32_erf_pieces[k], piece);
    while (--k > 0) sum = muladd(l, sum, d, entry_of_8(l, f32_erf_pieces[k], piece));
    sum = muladd(l, sum, d, single_greater(l, d, value));
    return with_sign(l, sum, x[0]);
}

/* ---------------------------------------------------------------------------------------------
 * Logarithm and powers */

/* c[0] + c[1] x + ... in two chains: the first four powers, and the others. It takes two steps more
 * than horner, and half as many wait for each other. For long polynomials. */
static inline real single_in_two(const lane *l, const double *c, unsigned count, real x) {
    real square = mul(l, x, x), fourth = mul(l, square, square);
    return muladd(l, horner(l, c + 4, count - 4, x), fourth, horner(l, c, 4, x));
}

/* k ln 2 + (f + f^2 q(f)). Where k is not 0 the second sum is smaller than half of k ln 2. So
 * rounding this sum costs at most a quarter of the result's last place, and nothing where the last
 * addition is exact. */
static inline real single_ln(const lane *l, real x, double more) {
    single_split n = single_split_at(l, x, SINGLE_ROOT_OF_HALF);
    real k = more != 0 ? add(l, n.k, number(l, more)) : n.k, low = mul(l, k, number(l, f32_ln2[1])),
         q = single_in_two(l, f32_log_terms, STEPS_COUNT(f32_log_terms), n.f),
         rest = muladd(l, mul(l, n.f, n.f), q, low);
    return muladd(l, k, number(l, f32_ln2[0]), add(l, n.f, rest));
}

static inline real single_ln_subnormal(const lane *l, const real *x) {
    return single_ln(l, single_made_normal(l, x[0]), -25);
}
static inline real single_ln_rare(const lane *l, const real *x) {
    static const rare_function f = {"tosajit_f32_log_subnormal", single_ln_subnormal, 1};
    return single_log_rare(l, x, &f);
}
static inline real f32_function_log(const lane *l, const real *x) {
    real usual = single_ln(l, x[0], 0);
    return seldom(l, single_is_log_rare(l, x[0]), usual, single_ln_rare, (real[]){x[0], usual});
}

/* y (1 + e/2 + 3/8 e^2), e = 1 - x y^2. First y is a difference of bits, half the exponent. Then
 * one step, whose constants make the largest e least: 2^-9.6 (J. Kadlec, 2010). Rounding y^2 moves
 * the result by 0.36 ulp at most. A CPU's own estimate would be quicker, but its bits are the
 * model's. */
static inline real f32_function_rsqrt(const lane *l, const real *x) {
    real y = from_bits(
        l, bits_difference(l, bits_constant(l, 0x5f1ffff9), bits_right(l, bits_of(l, x[0]), 1)));
    real minus_x = negative(l, x[0]),
         left = muladd(l, mul(l, minus_x, y), y, number(l, 2.38924456));
    y = mul(l, mul(l, y, number(l, 0.703952253)), left);
    real e = muladd(l, minus_x, mul(l, y, y), number(l, 1.0)),
         c = muladd(l, e, number(l, 0.375), number(l, 0.5));
    return muladd(l, mul(l, y, c), e, y);
}

/* Numbers that are not normal, or so large that y^2 is not: rounded correctly. */
static inline mask single_rsqrt_rare(const lane *l, const real *x) {
    const int32_t first = 0x00800000, beyond = 0x7e000000; /* moved to where signed words begin */
    word moved = bits_sum(l, bits_of(l, x[0]), bits_constant(l, INT32_MIN - (int64_t)first));
    return not_so(l, bits_less(l, moved, bits_constant(l, INT32_MIN + (beyond - first))));
}

/* y log2 x in f64, where x > 0 and, times 2^-more, a normal number: k + s P(s^2), s = f / (2 + f).
 */
static inline wide single_exponent(const lane *l, real x, real y, const real *more) {
    single_split n = single_split_at(l, x, SINGLE_ROOT_OF_HALF);
    const double *c = f64_log2_terms; /* five */
    wide f = widened(l, n.f), s = wide_quotient(l, f, wide_sum(l, f, wide_number(l, 2.0))),
         z = wide_product(l, s, s), z2 = wide_product(l, z, z);
    wide even = wide_muladd(l, wide_number(l, c[4]), z2, wide_number(l, c[2])),
         odd = wide_muladd(l, wide_number(l, c[3]), z2, wide_number(l, c[1]));
    even = wide_muladd(l, even, z2, wide_number(l, c[0]));
    wide log2 = wide_muladd(l, s, wide_muladd(l, odd, z, even),
                            widened(l, more ? add(l, n.k, *more) : n.k));
    return wide_product(l, widened(l, y), log2);
}

/* 2^t = value 2^n; the fraction of t is exact in f64 and rounded to f32 after. abs(t) < 2^20. */
typedef struct single_power2 {
    real value;
    word n;
} single_power2;
static inline single_power2 single_power_of_2(const lane *l, wide t) {
    wide shift = wide_number(l, 0x1.8p52), shifted = wide_sum(l, t, shift);
    real r = narrowed(l, wide_difference(l, t, wide_difference(l, shifted, shift)));
    return (single_power2){muladd(l, HORNER(f32_exp2_terms, r), r, number(l, 1.0)),
                           low_word(l, shifted)};
}

/* abs(x)^y of finite x and y but x = 0, also where a number or the result is subnormal, or the
 * result 0 or infinite. NaN gives anything. */
static inline real single_power_far(const lane *l, const real *x) {
    real size = size_of(l, x[0]);
    mask subnormal = less(l, size, number(l, 0x1p-126));
    real more = pick(l, subnormal, number(l, -25.0), number(l, 0.0));
    size = pick(l, subnormal, single_made_normal(l, size), size);
    wide t = single_exponent(l, size, x[1], &more);
    single_power2 p = single_power_of_2(l, wide_within(l, t, -160.0, 160.0));
    word shift = bits_of(l, number(l, steps_shift));
    return scaled_far(l, p.value, from_bits(l, bits_sum(l, p.n, shift)));
}

/* x^y where x is positive, finite and normal, y finite, and the result normal. `rare` says that one
 * of these may not hold, or that y is 1/2 or -1/2: these powers are roots, rounded correctly. */
typedef struct single_power {
    real value;
    mask rare;
} single_power;
static inline single_power single_pow(const lane *l, const real *x) {
    wide t = single_exponent(l, size_of(l, x[0]), x[1], NULL);
    single_power2 p = single_power_of_2(l, t);
    word exponent = bits_left(l, p.n, STEPS_FRACTION);
    real y = size_of(l, x[1]);
    mask normal = both(l, wide_is_within(l, t, 125.0), less(l, y, number(l, (double)INFINITY))),
         usual = both(l, normal, not_so(l, equal(l, y, number(l, 0.5))));
    return (single_power){from_bits(l, bits_sum(l, bits_of(l, p.value), exponent)),
                          either(l, single_is_log_rare(l, x[0]), not_so(l, usual))};
}

/* ---------------------------------------------------------------------------------------------
 * Angles */

/* The sine of x + quarters pi/2, 0 <= x <= 2^16. With S and C, the sine and cosine of n pi/8, it is
 * S cos r + C sin r: S + (S (cos r - 1) + C r + C (sin r - r)), the largest last. The tables are
 * half a turn; in the other half the sign is the opposite. */
static inline real single_sine(const lane *l, real x, unsigned quarters) {
    reduced t = single_by_half_pi(l, x, 4);
    word n = bits_of(l, t.shifted);
    const double *from = f32_sines + 4 * quarters;
    real slope = entry_of_8(l, from + 4, n), value = entry_of_8(l, from, n),
         lost = entry_of_8(l, f32_sine_lows + 4 * quarters, n), r = t.r.high, z = mul(l, r, r);
    real s = HORNER(f32_sin_short_terms, z), c = HORNER(f32_cos_short_terms, z);
    real rest = muladd(l, value, mul(l, z, c), lost);
    rest = muladd(l, slope, muladd(l, mul(l, z, r), s, t.r.low), rest);
    return single_flip(l, add(l, value, muladd(l, slope, r, rest)), bits_left(l, n, 28));
}

static inline real f32_function_sin(const lane *l, const real *x) {
    return single_flip(l, single_sine(l, size_of(l, x[0]), 0), bits_of(l, x[0]));
}
static inline real f32_function_cos(const lane *l, const real *x) {
    return single_sine(l, size_of(l, x[0]), 1);
}

/* From 2^16 on; NaN is not. */
static inline mask single_is_turned_far(const lane *l, const real *x) {
    return less(l, number(l, 0x1.fffffep15), size_of(l, x[0]));
}

#endif
