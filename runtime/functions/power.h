/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Powers and roots. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_POWER_H
#define TOSAJIT_RUNTIME_FUNCTIONS_POWER_H

#include "runtime/functions/exponential.h"
#include "runtime/functions/logarithm.h"

/* y (1 + e / 2), e = 1 - x y^2 with what rounding x y loses. */
static inline real f64_function_rsqrt(const lane *l, const real *x) {
    real one = number(l, 1.0), y = divide(l, one, square_root(l, x[0]));
    pair root = exact_product(l, x[0], y);
    real minus_y = negative(l, y),
         e = muladd(l, root.low, minus_y, muladd(l, root.high, minus_y, one));
    real value = muladd(l, mul(l, y, number(l, 0.5)), e, y);
    return pick(l, unordered(l, value, value), y, value);
}

/* ln x of a normal number, to 2^-66: the term of s^5 is the first that is rounded. */
static inline pair precise_log(const lane *l, real x, real more) {
    split_number n = split_at(l, (pair){x, number(l, 0.0)});
    pair two = quick_sum(l, number(l, 2.0), n.f.high), s = quotient(l, n.f, two),
         z = pair_product(l, s, s);
    real q = series(l, f64_log_terms, STEPS_COUNT(f64_log_terms), z.high);
    pair c = quick_sum(l, number(l, f64_two_thirds[0]), mul(l, z.high, q));
    pair t = pair_product(l, z, with_low(l, c, number(l, f64_two_thirds[1]))),
         sum = quick_sum(l, number(l, 2.0), t.high);
    pair v = pair_product(l, s, with_low(l, sum, t.low)),
         total = add_multiple(l, add(l, n.k, more), f64_ln2, v);
    return quick_sum(l, total.high, total.low);
}

/* y ln x, as far as e to that power is not 0 or infinity anyway. */
static inline pair exponent_of(const lane *l, pair log, real y) {
    pair e = exact_product(l, y, log.high);
    real limited = within(l, e.high, -800.0, 800.0);
    mask same = equal(l, limited, e.high);
    return (pair){limited, pick(l, same, muladd(l, y, log.low, e.low), number(l, 0.0))};
}

/* Infinity counts as an integer, and numbers of 2^53 and above as even ones. */
static inline mask is_whole(const lane *l, real y) {
    real shift = number(l, 0x1p52), a = size_of(l, y), nearest = sub(l, add(l, a, shift), shift);
    return either(l, not_so(l, less(l, a, shift)), equal(l, nearest, a));
}

/* C99, F.9.4.4: the sign and the special values around abs(x)^y. */
static inline real power_special(const lane *l, const real *x, real value) {
    real zero = number(l, 0.0), one = number(l, 1.0), infinity = number(l, (double)INFINITY);
    real base = x[0], y = x[1], a = size_of(l, base);
    mask of_zero = equal(l, a, zero), of_infinity = equal(l, a, infinity);
    mask falls = less(l, y, zero),
         grows = either(l, both(l, of_infinity, not_so(l, falls)), both(l, of_zero, falls));
    value = pick(l, either(l, of_zero, of_infinity), pick(l, grows, infinity, zero), value);
    /* Of an infinite exponent: by the side of 1 on which the base is. */
    mask above = less(l, one, a),
         rises = either(l, both(l, above, not_so(l, falls)), both(l, not_so(l, above), falls));
    value = pick(l, equal(l, size_of(l, y), infinity), pick(l, rises, infinity, zero), value);
    value = pick(l, equal(l, a, one), one, value);
    mask whole = is_whole(l, y),
         odd = both(l, whole, not_so(l, is_whole(l, mul(l, y, number(l, 0.5)))));
    value = with_sign(l, value, pick(l, odd, base, one));
    mask root = both(l, both(l, less(l, base, zero), not_so(l, whole)), not_so(l, of_infinity));
    value = pick(l, root, number(l, (double)NAN), value);
    value = pick(l, unordered(l, base, y), add(l, base, y), value);
    return pick(l, either(l, equal(l, y, zero), equal(l, base, one)), one, value);
}

/* abs(x)^y where either is not usual, or the power is not. */
static inline real pow_far(const lane *l, const real *x) {
    real more, normal = made_normal(l, size_of(l, x[0]), &more);
    return power_far(l, pair_by_ln2(l, exponent_of(l, precise_log(l, normal, more), x[1])));
}

/* The power x[2] of abs(x), or what else x^y is. */
static inline real pow_rest(const lane *l, const real *x) {
    static const rare_function far = {"tosajit_f64_pow_far", pow_far, 2};
    real a = size_of(l, x[0]), zero = number(l, 0.0), infinity = number(l, (double)INFINITY);
    mask proper = both(l, both(l, less(l, zero, a), less(l, a, infinity)),
                       is_small(l, x[1], (double)INFINITY)),
         usual = both(l, is_small(l, x[3], 707.0), not_so(l, is_log_rare(l, a)));
    real value = rarely(l, both(l, proper, not_so(l, usual)), x[2], &far, x);
    return power_special(l, x, value);
}

/* e^(y ln abs(x)). The usual way is for what is finite, x positive and normal, and a normal result.
 */
static inline real power_by_logarithm(const lane *l, const real *x) {
    pair e = exponent_of(l, precise_log(l, size_of(l, x[0]), number(l, 0.0)), x[1]);
    real value = power_near(l, pair_by_ln2(l, e));
    mask usual = both(l, is_small(l, e.high, 707.0), not_so(l, is_log_rare(l, x[0])));
    usual = both(l, usual, is_small(l, x[1], (double)INFINITY));
    return seldom(l, not_so(l, usual), value, pow_rest, (real[]){x[0], x[1], value, e.high});
}

/* Whole exponents below 16 are products of pairs, bit by bit of the exponent: x^10 is
 * ((x^2)^2 x)^2. So such a power is hardly more than half an ulp off, and a few products. */
enum { WHOLE_BITS = 4, WHOLE_END = 1 << WHOLE_BITS };

static inline pair times(const lane *l, pair a, real b) {
    pair p = exact_product(l, a.high, b);
    return quick_sum(l, p.high, muladd(l, a.low, b, p.low));
}

/* 1 / a, of a single number rounded correctly. */
static inline real inverse_of(const lane *l, pair a) {
    real one = number(l, 1.0), inverse = divide(l, one, a.high), minus = negative(l, inverse),
         rest = muladd(l, minus, a.low, muladd(l, minus, a.high, one));
    return muladd(l, rest, inverse, inverse);
}

/* Where products may not be trusted. x, 1 / x and x^2 are rounded once there, too. */
static inline real power_without_products(const lane *l, const real *x) {
    real one = number(l, 1.0), y = x[1],
         first = pick(l, less(l, y, number(l, 0.0)), divide(l, one, x[0]), x[0]),
         value = pick(l, equal(l, size_of(l, y), one), first, power_by_logarithm(l, x));
    return pick(l, equal(l, y, number(l, 2.0)), mul(l, x[0], x[0]), value);
}

/* `value`, which is x^y, or x^y by another way where `product` is so large or so small that a
 * number on the way may not be normal. A power of 0 stays `value` where nothing was divided by it.
 */
static inline real unless_far(const lane *l, const real *x, real value, real product) {
    static const rare_function rest = {"tosajit_f64_pow_far_whole", power_without_products, 2};
    real size = size_of(l, product), zero = number(l, 0.0);
    mask near = both(l, less(l, number(l, 0x1p-600), size), less(l, size, number(l, 0x1p1000))),
         of_zero = both(l, equal(l, x[0], zero), less(l, zero, x[1]));
    return rarely(l, not_so(l, either(l, near, of_zero)), value, &rest, x);
}

/* Of exponents that differ from lane to lane: 1 is squared until the lane's first bit comes. */
static inline real power_by_products(const lane *l, const real *x) {
    real zero = number(l, 0.0), one = number(l, 1.0);
    word n = bits_of(l, add(l, size_of(l, x[1]), number(l, steps_shift)));
    pair r = {one, zero};
    for (int bit = WHOLE_BITS - 1; bit >= 0; bit--) {
        mask set = has_bit_0(l, bits_right(l, n, bit));
        r = pair_product(l, r, r);
        pair more = times(l, r, x[0]);
        r = (pair){pick(l, set, more.high, r.high), pick(l, set, more.low, r.low)};
    }
    mask falls = less(l, x[1], zero);
    real value = pick(l, falls, inverse_of(l, r), r.high);
    value = with_sign(l, value, pick(l, has_bit_0(l, n), x[0], one)); /* which 0 has lost */
    return unless_far(l, x, value, r.high);
}

/* The same of one exponent that code is made for. */
static inline real power_of_known(const lane *l, const real *x, int n) {
    const int times_x = n < 0 ? -n : n;
    pair r = {x[0], number(l, 0.0)};
    int bit = WHOLE_BITS - 1;
    while (!(times_x >> bit & 1)) bit--;
    const int first = bit - 1;
    while (bit-- > 0) {
        r = bit == first ? exact_product(l, x[0], x[0]) : pair_product(l, r, r);
        if (times_x >> bit & 1) r = times(l, r, x[0]);
    }
    real value = n < 0 ? inverse_of(l, r) : r.high;
    if (n & 1) value = with_sign(l, value, x[0]);
    return unless_far(l, x, value, r.high);
}

static inline mask is_whole_below(const lane *l, real y, double end) {
    real a = size_of(l, y), shift = number(l, steps_shift);
    return both(l, equal(l, sub(l, add(l, a, shift), shift), a), less(l, a, number(l, end)));
}

static inline real f64_function_pow(const lane *l, const real *x) {
    if (is_known(l, x[1])) {
        for (int n = 1; n < WHOLE_END; n++) {
            if (is_number(l, x[1], n)) return power_of_known(l, x, n);
            if (is_number(l, x[1], -n)) return power_of_known(l, x, -n);
        }
        return power_by_logarithm(l, x);
    }
    mask whole = is_whole_below(l, x[1], WHOLE_END);
    real value = seldom(l, not_so(l, whole), number(l, 0.0), power_by_logarithm, x);
    return seldom(l, whole, value, power_by_products, x);
}

/* The cube root of x = 2^k m. One step takes t = m^(-1/3) from 20 bits to 50, and m t^2 has all of
 * them. 2^(k/3) is rounded to a power with an integer exponent; m takes the rest as a factor. */
static inline real cube_root(const lane *l, real x, real more) {
    split_number n = split_at(l, (pair){x, number(l, 0.0)});
    real one = number(l, 1.0), shift = number(l, steps_shift), k = add(l, n.k, more),
         m = add(l, n.f.high, one), third = muladd(l, k, number(l, 1.0 / 3), shift);
    real rest = muladd(l, sub(l, third, shift), number(l, -3.0), k), zero = number(l, 0.0);
    mask above = less(l, zero, rest), below = less(l, rest, zero);
    real t = series(l, f64_cbrt_terms, STEPS_COUNT(f64_cbrt_terms), m);
    t = mul(l, t,
            pick(l, above, number(l, f64_cbrt_of_2[0]),
                 pick(l, below, number(l, f64_cbrt_of_2[1]), one)));
    m = mul(l, m, pick(l, above, number(l, 2.0), pick(l, below, number(l, 0.5), one)));
    real e = muladd(l, negative(l, mul(l, m, t)), mul(l, t, t), one),
         step = mul(l, e, muladd(l, e, number(l, 2.0 / 9), number(l, 1.0 / 3)));
    t = muladd(l, t, step, t);
    real square = mul(l, t, t), y = mul(l, m, square);
    pair y2 = exact_product(l, y, y), y3 = exact_product(l, y2.high, y);
    real left = sub(l, sub(l, m, y3.high), muladd(l, y2.low, y, y3.low));
    y = muladd(l, left, mul(l, square, number(l, 1.0 / 3)), y);
    return mul(l, y, power_of_2(l, third, 0));
}

static inline real cbrt_rare(const lane *l, const real *x) {
    real a = size_of(l, x[0]), more, normal = made_normal(l, a, &more),
         value = cube_root(l, normal, more), zero = number(l, 0.0);
    mask usual = both(l, less(l, zero, a), less(l, a, number(l, (double)INFINITY)));
    return with_sign(l, pick(l, usual, value, a), x[0]);
}

static inline real f64_function_cbrt(const lane *l, const real *x) {
    static const rare_function rare = {"tosajit_f64_cbrt_rare", cbrt_rare, 1};
    real a = size_of(l, x[0]), value = with_sign(l, cube_root(l, a, number(l, 0.0)), x[0]);
    return rarely(l, is_log_rare(l, a), value, &rare, x);
}

/* sqrt(a^2 + b^2), both scaled where squares would leave the normal numbers. */
static inline real f64_function_hypot(const lane *l, const real *x) {
    real one = number(l, 1.0), infinity = number(l, (double)INFINITY);
    real y = size_of(l, x[0]), w = size_of(l, x[1]);
    mask over = less(l, w, y);
    real a = pick(l, over, w, y), b = pick(l, over, y, w);
    mask small = is_small(l, b, 0x1p-400), large = is_far(l, b, 0x1p400);
    real factor = pick(l, small, number(l, 0x1p600), pick(l, large, number(l, 0x1p-600), one)),
         back = pick(l, small, number(l, 0x1p-600), pick(l, large, number(l, 0x1p600), one));
    real lesser = mul(l, a, factor), larger = mul(l, b, factor);
    mask negligible = less(l, mul(l, lesser, number(l, 0x1p60)), larger);
    lesser = pick(l, negligible, number(l, 0.0), lesser);
    pair square = exact_product(l, larger, larger), other = exact_product(l, lesser, lesser),
         sum = quick_sum(l, square.high, other.high);
    pair root = pair_root(l, with_low(l, sum, add(l, square.low, other.low)));
    real value = mul(l, rounded(l, root), back);
    value = pick(l, equal(l, b, number(l, 0.0)), b, value);
    value = pick(l, unordered(l, y, w), add(l, y, w), value);
    return pick(l, either(l, equal(l, y, infinity), equal(l, w, infinity)), infinity, value);
}

#endif
