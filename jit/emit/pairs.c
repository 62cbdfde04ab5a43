/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitter of exp from pairs of f32. */
#include "jit/emit/pairs.h"

#include "jit/emit/emit.h"
#include "jit/emit/f32.h"
#include "jit/emit/math.h"
#include "jit/emit/math_coefficients.h"

bool has_pairs(const lane *l) { return l->target->has_fma && lane_entries(l) == 8; }

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

/* The exponent comes last, lest what is small beside the result be subnormal. */
LLVMValueRef exp_by_pairs(const lane *l, const lane_vector_function *wide, LLVMValueRef x) {
    exp_parts e = reduce(l, x);
    LLVMValueRef step = lane_entry(l, exp_steps, e.n), part = lane_fmul(l, step, e.near),
                 high = lane_fadd(l, step, part),
                 lost = lane_fsub(l, part, lane_fsub(l, high, step)),
                 product = lane_fma(l, step, e.near, lane_fneg(l, part)),
                 low = lane_fadd(l, lane_fma(l, step, e.rest, product), lost);
    LLVMValueRef error = constant(l, 0x1p-37), minus_error = constant(l, -0x1p-37);
    LLVMValueRef lower = lane_fadd(l, high, lane_fma(l, step, minus_error, low)),
                 upper = lane_fadd(l, high, lane_fma(l, step, error, low)),
                 far = lane_fcmp(l, LLVMRealUGE, lane_fabs(l, x), constant(l, 87.0)),
                 in_doubt = lane_or(l, far, lane_fcmp(l, LLVMRealUNE, lower, upper));
    LLVMValueRef exponent =
        lane_and(l, lane_shl(l, e.n, lane_int(l, 32, 20)), lane_int(l, 32, -(1 << 23)));
    return decide(l, float_of(l, lane_add(l, bits_of(l, lower), exponent)), in_doubt, wide, x);
}
