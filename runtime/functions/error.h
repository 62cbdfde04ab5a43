/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The error function and its complement. */
#ifndef TOSAJIT_RUNTIME_FUNCTIONS_ERROR_H
#define TOSAJIT_RUNTIME_FUNCTIONS_ERROR_H

#include "runtime/functions/exponential.h"

/* erf x for abs(x) <= 9/8: x + x (c0 + x^2 (c1 + ...)), of which three terms are pairs. */
static inline pair erf_near(const lane *l, real x) {
    real z = mul(l, x, x), rest = series(l, f64_erf_terms + 2, STEPS_COUNT(f64_erf_terms) - 2, z);
    pair p = quick_sum(l, number(l, f64_erf_terms[1]), mul(l, z, rest)),
         w = exact_product(l, z, p.high), u = exact_sum(l, number(l, f64_erf_terms[0]), w.high);
    real u_low = add(l, u.low, muladd(l, z, p.low, w.low));
    pair product = exact_product(l, x, u.high), sum = quick_sum(l, x, product.high);
    return with_low(l, sum, muladd(l, x, u_low, product.low));
}

/* Up to 9/8 x + x P(x^2); beyond it 1 - erfc x, of which rounding counts less. From 6 on it is 1.
 */
static inline real f64_function_erf(const lane *l, const real *x) {
    real a = within(l, size_of(l, x[0]), 0.0, 6.0), one = number(l, 1.0), zero = number(l, 0.0);
    mask far = less(l, number(l, 1.125), a);
    real small = pick(l, far, zero, a), near = rounded(l, erf_near(l, small));
    real large = pick(l, far, a, number(l, 1.125)), three = number(l, 3.0),
         inverse = divide(l, one, add(l, large, three)), t = mul(l, sub(l, large, three), inverse);
    pair minus_square = exact_product(l, negative(l, large), large);
    real power = power_near(l, pair_by_ln2(l, minus_square)),
         sum = muladd(l, t,
                      series(l, f64_erfc_near_terms + 1, STEPS_COUNT(f64_erfc_near_terms) - 1, t),
                      number(l, f64_erfc_near_terms_low)),
         rest = mul(l, add(l, number(l, f64_erfc_near_terms[0]), sum), inverse);
    real tiny = add(l, a, mul(l, a, number(l, f64_erf_terms[0])));
    real value = pick(l, far, muladd(l, negative(l, power), rest, one), near);
    value = pick(l, is_small(l, a, 0x1p-28), tiny, value);
    return with_sign(l, value, x[0]);
}

/* erfc a e^(a^2) for 1/2 <= a <= 28: between 1.14 and 1.29, divided by 1 + 2 a. */
static inline pair scaled_erfc(const lane *l, real a) {
    real three = number(l, 3.0), t = divide(l, sub(l, a, three), add(l, a, three)),
         rest = muladd(l, t, series(l, f64_erfc_terms + 1, STEPS_COUNT(f64_erfc_terms) - 1, t),
                       number(l, f64_erfc_terms_low));
    pair below = exact_sum(l, add(l, a, a), number(l, 1.0));
    return quotient(l, quick_sum(l, number(l, f64_erfc_terms[0]), rest), below);
}

/* erfc a = value 2^n, a >= 1/2. */
static inline real erfc_value(const lane *l, real a, real *shifted) {
    reduced e = pair_by_ln2(l, exact_product(l, negative(l, a), a));
    pair power = pair_of_e(l, e.r);
    *shifted = e.shifted;
    return rounded(l, pair_product(l, quick_sum(l, power.high, power.low), scaled_erfc(l, a)));
}

/* From 26 on results may be subnormal, and from 27.3 on they are 0. */
static inline real erfc_far(const lane *l, const real *x) {
    real shifted, value = erfc_value(l, within(l, x[0], 0.5, 27.5), &shifted);
    return scaled_far(l, value, shifted);
}

/* Up to 1/2, negative numbers included, 1 - erf x; beyond 1 that is 2 - erfc(-x). */
static inline real f64_function_erfc(const lane *l, const real *x) {
    static const rare_function rare = {"tosajit_f64_erfc_far", erfc_far, 1};
    real one = number(l, 1.0), a = size_of(l, x[0]), shifted;
    mask near = not_so(l, less(l, number(l, 0.5), a)), below = less(l, x[0], number(l, 0.0));
    real small = pick(l, near, x[0], number(l, 0.0));
    pair erf = erf_near(l, small), head = quick_sum(l, one, negative(l, erf.high));
    real of_small = add(l, head.high, sub(l, head.low, erf.low));
    real value = erfc_value(l, within(l, a, 0.5, 26.0), &shifted);
    value = scaled_near(l, value, shifted);
    value = pick(l, below, sub(l, number(l, 2.0), value), value);
    value = pick(l, near, of_small, value);
    return rarely(l, not_so(l, less(l, x[0], number(l, 26.0))), value, &rare, x);
}

#endif
