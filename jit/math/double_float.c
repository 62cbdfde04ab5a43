/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of exp and sigmoid in double-float. */
#include "jit/math/double_float.h"

#include <math.h>

#include "jit/math/emitters.h"
#include "jit/math/f32.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"

bool has_double_float(const lane *l) { return l->target->has_fma && lane_entries(l) == 8; }

LLVMValueRef decide(const lane *l, LLVMValueRef value, LLVMValueRef in_doubt,
                    const lane_vector_function *wide, LLVMValueRef x) {
    lane_cold cold = lane_cold_begin(l, in_doubt);
    LLVMValueRef decided = lane_apart(l, wide, &x);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, value, decided);
}

/* e^x = 2^(n/8) (1 + near + rest): near + rest, e^r - 1 for abs(r) <= ln 2 / 16, are a sum of two.
 */
typedef struct exp_parts {
    LLVMValueRef n; /* in the low bits of an i32 */
    LLVMValueRef near, rest;
} exp_parts;

/* abs(x) < 200. x - n ln2 / 8 is exact in f32 but for the second part of ln 2, to which goes what
 * the step 2^(j/8), j being n modulo 8, lacks as an f32; low is what their sum loses. Of r + r^2/2,
 * again rounded, low_near is the rest. All else is below 2^-16, so that rounding it costs less than
 * 2^-40. */
static exp_parts reduce(const lane *l, LLVMValueRef x) {
    LLVMValueRef magic = lane_f32(l, f32_shift),
                 shifted = lane_fma(l, x, constant(l, 0x1.715476p3), magic);
    LLVMValueRef minus_n = lane_fsub(l, magic, shifted), n = bits_of(l, shifted);
    LLVMValueRef first = lane_fma(l, minus_n, constant(l, exp_step_parts[0]), x),
                 second = lane_fma(l, minus_n, constant(l, exp_step_parts[1]),
                                   lane_entry(l, exp_step_lows, n));
    LLVMValueRef r = lane_fadd(l, first, second),
                 low = lane_fsub(l, second, lane_fsub(l, r, first)),
                 half = lane_fmul(l, r, constant(l, 0.5)), near = lane_fma(l, half, r, r),
                 low_near = lane_fma(l, half, r, lane_fsub(l, r, near));
    LLVMValueRef tail = polynomial(l, exp_tail, COUNT(exp_tail), r);
    LLVMValueRef rest =
        lane_fma(l, r, lane_fma(l, lane_fmul(l, r, r), tail, low), lane_fadd(l, low, low_near));
    return (exp_parts){n, near, rest};
}

/* high + low, with an error that is a part of `size`. */
typedef struct pair {
    LLVMValueRef high, low, size;
} pair;

/* e^x = 2^k p, where `exponent` is 2^k as what it adds to the bits of an f32. */
static pair exp_pair(const lane *l, LLVMValueRef x, LLVMValueRef *exponent) {
    exp_parts e = reduce(l, x);
    LLVMValueRef step = lane_entry(l, exp_steps, e.n), part = lane_fmul(l, step, e.near),
                 high = lane_fadd(l, step, part),
                 lost = lane_fsub(l, part, lane_fsub(l, high, step)),
                 product = lane_fma(l, step, e.near, lane_fneg(l, part)),
                 low = lane_fadd(l, lane_fma(l, step, e.rest, product), lost);
    *exponent = lane_and(l, lane_shl(l, e.n, lane_int(l, 32, 20)), lane_int(l, 32, -(1 << 23)));
    return (pair){high, low, step};
}

/* Where a function of abs(x) >= far is constant, as of numbers that mask: its values below and
 * above.
 */
typedef struct saturation {
    float far, low, high, below, above;
} saturation;

/* The value, where it is known, else `wide` of x. */
static LLVMValueRef saturate(const lane *l, LLVMValueRef value, LLVMValueRef in_doubt,
                             const saturation *s, const lane_vector_function *wide,
                             LLVMValueRef x) {
    lane_cold cold = lane_cold_begin(l, in_doubt);
    LLVMValueRef is_below = lane_fcmp(l, LLVMRealOLT, x, constant(l, s->low)),
                 is_above = lane_fcmp(l, LLVMRealOGT, x, constant(l, s->high)),
                 known = lane_select(l, is_below, constant(l, s->below),
                                     lane_select(l, is_above, constant(l, s->above), value)),
                 open = lane_and(l, in_doubt, lane_not(l, lane_or(l, is_below, is_above)));
    LLVMValueRef decided = decide(l, known, open, wide, x);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, value, decided);
}

/* high + low, give or take `error` as a part of `size`. */
static LLVMValueRef round_pair(const lane *l, pair p, double error, LLVMValueRef *in_doubt) {
    LLVMValueRef lower = lane_fadd(l, p.high, lane_fma(l, p.size, constant(l, -error), p.low)),
                 upper = lane_fadd(l, p.high, lane_fma(l, p.size, constant(l, error), p.low));
    *in_doubt = lane_fcmp(l, LLVMRealUNE, lower, upper);
    return lower;
}

/* Whether the pair's exponents were beyond those of normal numbers, or x is NaN. */
static LLVMValueRef is_far(const lane *l, const saturation *s, LLVMValueRef x) {
    return lane_fcmp(l, LLVMRealUGE, lane_fabs(l, x), constant(l, s->far));
}

/* The exponent comes last, lest what is small beside the result be subnormal. */
LLVMValueRef exp_by_double_float(const lane *l, const lane_vector_function *wide, LLVMValueRef x) {
    static const saturation ends = {87.0f, -104.0f, 89.0f, 0.0f, INFINITY};
    LLVMValueRef exponent, in_doubt;
    pair p = exp_pair(l, x, &exponent);
    LLVMValueRef rounded = round_pair(l, p, 0x1p-37, &in_doubt),
                 value = float_of(l, lane_add(l, bits_of(l, rounded), exponent));
    return saturate(l, value, lane_or(l, is_far(l, &ends, x), in_doubt), &ends, wide, x);
}

/* 1 / (1 + e^-x): the sum is a pair again, whose low part, of 2^-16, is no half unit of the other.
 * So its reciprocal is q (1 + d + d^2), d being what is left of 1, subnormal where q is below
 * 2^-111.
 */
LLVMValueRef sigmoid_by_double_float(const lane *l, const lane_vector_function *wide,
                                     LLVMValueRef x) {
    static const saturation ends = {76.0f, -104.0f, 20.0f, 0.0f, 1.0f};
    LLVMValueRef one = constant(l, 1.0), exponent, in_doubt;
    pair p = exp_pair(l, lane_fneg(l, x), &exponent);
    LLVMValueRef scale = float_of(l, lane_add(l, exponent, bits_of(l, one))),
                 power = lane_fmul(l, p.high, scale), sum = lane_fadd(l, power, one),
                 part = lane_fsub(l, sum, one);
    LLVMValueRef lost = lane_fadd(l, lane_fsub(l, one, lane_fsub(l, sum, part)),
                                  lane_fsub(l, power, part)),
                 low = lane_fma(l, p.low, scale, lost), q = lane_fdiv(l, one, sum),
                 minus_q = lane_fneg(l, q);
    LLVMValueRef d = lane_fma(l, minus_q, low, lane_fma(l, minus_q, sum, one)),
                 less = lane_fmul(l, q, lane_fma(l, d, d, d)),
                 value = round_pair(l, (pair){q, less, q}, 0x1p-37, &in_doubt);
    return saturate(l, value, lane_or(l, is_far(l, &ends, x), in_doubt), &ends, wide, x);
}
