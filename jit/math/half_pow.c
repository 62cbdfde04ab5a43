/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitter of pow on f16 and bf16. abs(x)^y = 2^(y log2 abs(x)) in f32, which has twice the lanes of
 * f64. The logarithm is a pair of f32, of which the larger part of the product enters exactly. So
 * the result is good to some units of the last place of f32, which is enough to round it, unless it
 * is next to a midpoint of two values. For these, one result in 2000, cold code of f64 decides. So
 * no bit depends on the way. It decides, too, for powers that are midpoints, such as 17^2 in bf16.
 */
#include "jit/math/emitters.h"
#include "jit/math/f32.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"

/* Numbers that differ between the types. `dropped`: bits of an f32 below the type's. A result less
 * than `window` units from a midpoint goes to f64, which is one in 2048: units of the last place of
 * f32, a power of two. The error is not derived: all pairs were tried (docs/accuracy.md). */
typedef struct half_format {
    const double *log, *exp2;
    unsigned log_count, exp2_count, dropped, window;
    bool has_subnormals; /* that are normal numbers of f32 */
} half_format;

static const half_format f16 = {half_power_log_f16,
                                half_power_exp2_f16, //
                                COUNT(half_power_log_f16),
                                COUNT(half_power_exp2_f16), //
                                13,
                                2,
                                true},
                         bf16 = {half_power_log_bf16,
                                 half_power_exp2_bf16, //
                                 COUNT(half_power_log_bf16),
                                 COUNT(half_power_exp2_bf16), //
                                 16,
                                 16,
                                 false};

/* x = 2^k m, 1 / sqrt 2 <= m < sqrt 2, log2 m = (high + low) log2 e. For f = m - 1 of no more than
 * 11 bits, f - f^2/2 is exact. */
typedef struct logarithm {
    LLVMValueRef k, high, low;
} logarithm;

static logarithm log_of_half(const lane *l, const half_format *h, LLVMValueRef x) {
    LLVMValueRef bits = bits_of(l, x), offset = lane_sub(l, bits, lane_int(l, 32, 0x3f3504f3)),
                 exponent = lane_and(l, offset, lane_int(l, 32, -0x800000));
    LLVMValueRef k = lane_sitofp(l, lane_ashr(l, offset, lane_int(l, 32, 23)), lane_f32_type(l)),
                 f = lane_fsub(l, float_of(l, lane_sub(l, bits, exponent)), constant(l, 1.0));
    LLVMValueRef square = lane_fmul(l, f, f), cube = lane_fmul(l, square, f),
                 head = lane_fma(l, square, constant(l, -0.5), f),
                 tail = polynomial(l, h->log, h->log_count, f);
    LLVMValueRef high = lane_fma(l, cube, tail, head);
    return (logarithm){k, high, lane_fma(l, cube, tail, lane_fsub(l, head, high))};
}

/* total = y log2 x = n + r: n in the low bits of `shifted`. y k is exact; so is y k - n. */
typedef struct exponent {
    LLVMValueRef total, shifted, r;
} exponent;

static exponent multiply(const lane *l, LLVMValueRef y, logarithm x) {
    LLVMValueRef magic = lane_f32(l, f32_shift), log2_e = constant(l, f32_log2_e[0]),
                 scale = lane_fmul(l, y, log2_e), whole = lane_fmul(l, y, x.k);
    LLVMValueRef scale_low =
        lane_fma(l, y, constant(l, f32_log2_e[1]), lane_fma(l, y, log2_e, lane_fneg(l, scale)));
    LLVMValueRef total = lane_fma(l, scale, x.high, whole), shifted = lane_fadd(l, total, magic);
    LLVMValueRef r = lane_fsub(l, whole, lane_fsub(l, shifted, magic));
    r = lane_fma(l, scale, x.high, r);
    r = lane_fma(l, scale_low, x.high, r);
    return (exponent){total, shifted, lane_fma(l, scale, x.low, r)};
}

/* True if rounding to the type could depend on the error. Subnormals of f16 are multiples of 2^-24,
 * as are the numbers from 2^-14 on, by which they are moved. */
static LLVMValueRef is_near_midpoint(const lane *l, const half_format *h, LLVMValueRef value) {
    if (h->has_subnormals) {
        LLVMValueRef least = constant(l, 0x1p-14f),
                     subnormal = lane_fcmp(l, LLVMRealOLT, value, least);
        value = lane_select(l, subnormal, lane_fadd(l, value, least), value);
    }
    const int64_t half = INT64_C(1) << (h->dropped - 1), window = h->window;
    LLVMValueRef above = lane_sub(l, bits_of(l, value), lane_int(l, 32, half - window)),
                 outside = lane_and(l, above, lane_int(l, 32, 2 * half - 2 * window));
    return lane_icmp(l, LLVMIntEQ, outside, lane_int(l, 32, 0));
}

static LLVMValueRef power_wide(const lane *l, const LLVMValueRef *x) {
    return power_for_narrow(l, x[0], x[1]);
}

/* x^y where `usual` is abs(x)^y but in lanes that are `hard`. Of x that is zero, infinite or NaN
 * no more is needed. */
static LLVMValueRef power_rare(const lane *l, const LLVMValueRef *x, LLVMValueRef usual,
                               LLVMValueRef hard) {
    static const lane_vector_function wide = {"tosajit_pow_wide", power_wide, 2};
    LLVMValueRef size = lane_fabs(l, x[0]),
                 before_zero = lane_sub(l, bits_of(l, size), lane_int(l, 32, 1)),
                 ordinary = lane_icmp(l, LLVMIntULT, before_zero, lane_int(l, 32, 0x7f7fffff));
    lane_cold cold = lane_cold_begin(l, lane_and(l, hard, ordinary));
    LLVMValueRef decided = lane_apart(l, &wide, (LLVMValueRef[]){size, x[1]});
    lane_cold_end(l, &cold);
    return power_special_values(l, x[0], x[1], lane_cold_merge(l, &cold, usual, decided));
}

static LLVMValueRef power_of_half(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const half_format *h = op->result == TOSAJIT_F16 ? &f16 : &bf16;
    LLVMValueRef size = lane_fabs(l, x[0]), normal = constant(l, 0x1p-126);
    exponent e = multiply(l, x[1], log_of_half(l, h, size));
    LLVMValueRef power =
                     lane_fma(l, polynomial(l, h->exp2, h->exp2_count, e.r), e.r, constant(l, 1.0)),
                 value = float_of(
                     l, lane_add(l, bits_of(l, power), to_exponent(l, bits_of(l, e.shifted))));
    LLVMValueRef far = lane_fcmp(l, LLVMRealUGE, lane_fabs(l, e.total), constant(l, 125.0)),
                 hard = lane_or(l, is_near_midpoint(l, h, value), far);
    LLVMValueRef moved = lane_add(l, bits_of(l, x[0]), lane_int(l, 32, 0x7f800000)),
                 abnormal = lane_icmp(l, LLVMIntSGE, moved, lane_int(l, 32, -0x1000000));
    LLVMValueRef usual = lane_narrow_half_away(l, op->result, value);
    lane_cold cold = lane_cold_begin(l, lane_or(l, hard, abnormal));
    hard = lane_or(l, hard, lane_fcmp(l, LLVMRealOLT, size, normal));
    LLVMValueRef rare = lane_narrow_function(l, op->result, power_rare(l, x, value, hard));
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, usual, rare);
}

/* Without fused multiply-adds pairs of f32 would take as long as f64. */
LLVMValueRef half_pow(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (l->target->has_fma) return power_of_half(l, op, x);
    return lane_narrow_function(l, op->result, emit_pow(l, op, x));
}
