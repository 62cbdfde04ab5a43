/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of TOSAJIT_FAST: from f32 lanes to f32 lanes at most 1 ulp off, with all special values
 * and subnormals as the exact tier has them. Evaluated in f32, whose rounding errors are kept out
 * of the leading term; only the logarithm inside pow takes f64. Rare operands (huge, subnormal, not
 * finite) leave the usual path for cold code. Errors are proven on all 2^32 operands (pow:
 * sampled). */
#include "jit/math/emitters.h"
#include "jit/math/f32.h"
#include "jit/math/fast.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"

/* The same sum as `polynomial` in two chains, the first four powers and the others: two
 * instructions more, and half as many that wait for each other. For long ones. */
static LLVMValueRef polynomial_in_two(const lane *l, const double *c, unsigned count,
                                      LLVMValueRef x) {
    LLVMValueRef square = lane_fmul(l, x, x), fourth = lane_fmul(l, square, square);
    return lane_fma(l, polynomial(l, c + 4, count - 4, x), fourth, polynomial(l, c, 4, x));
}

/* x limited from above or below; NaN passes. */
static LLVMValueRef at_most(const lane *l, LLVMValueRef x, double high) {
    LLVMValueRef highest = constant(l, high);
    return lane_select(l, lane_fcmp(l, LLVMRealOGT, x, highest), highest, x);
}
static LLVMValueRef at_least(const lane *l, LLVMValueRef x, double low) {
    LLVMValueRef lowest = constant(l, low);
    return lane_select(l, lane_fcmp(l, LLVMRealOLT, x, lowest), lowest, x);
}

/* significand 2^n where that is a normal number. */
static LLVMValueRef scale(const lane *l, scaled v) {
    return float_of(l, lane_add(l, bits_of(l, v.significand), to_exponent(l, v.shifted)));
}

/* e^x = 2^n e^r, abs(x) < 200; 1 + r is split exactly, what rounding it loses goes to the tail. */
static scaled exp_scaled(const lane *l, LLVMValueRef x) {
    LLVMValueRef magic = lane_f32(l, f32_shift), one = constant(l, 1.0);
    LLVMValueRef shifted = lane_fma(l, x, constant(l, 0x1.715476p0), magic),
                 n = lane_fsub(l, shifted, magic);
    LLVMValueRef r = lane_fma(l, n, constant(l, -f32_ln2[0]), x);
    r = lane_fma(l, n, constant(l, -f32_ln2[1]), r);
    LLVMValueRef head = lane_fadd(l, r, one), lost = lane_fadd(l, lane_fsub(l, one, head), r);
    LLVMValueRef q = polynomial(l, fast_exp_coefficients, COUNT(fast_exp_coefficients), r);
    LLVMValueRef value = lane_fadd(l, head, lane_fma(l, lane_fmul(l, r, r), q, lost));
    return (scaled){value, bits_of(l, shifted)};
}

/* e^x for all x. */
static LLVMValueRef exp_far(const lane *l, LLVMValueRef x) {
    return scale_far(l, exp_scaled(l, at_most(l, at_least(l, x, -105.0), 89.0)));
}

LLVMValueRef fast_exp(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    (void)op;
    if (lane_entries(l)) return exp_looked_up(l, x[0]);
    LLVMValueRef result = scale(l, exp_scaled(l, x[0]));
    LLVMValueRef rare = lane_fcmp(l, LLVMRealUGE, lane_fabs(l, x[0]), constant(l, 87.33));
    return fast_exp_rare(l, x[0], rare, result, exp_far);
}

/* x = 2^k (1 + f) > 0 and normal, 1 + f in sqrt(1/2)..sqrt(2). */
typedef struct split_f32 {
    LLVMValueRef k, f; /* i32, f32 */
} split_f32;

static split_f32 split_normal(const lane *l, LLVMValueRef x) {
    LLVMValueRef bits = bits_of(l, x), offset = lane_sub(l, bits, lane_int(l, 32, 0x3f3504f3));
    LLVMValueRef exponent = lane_and(l, offset, lane_int(l, 32, -0x800000)),
                 m = float_of(l, lane_sub(l, bits, exponent));
    return (split_f32){lane_ashr(l, offset, lane_int(l, 32, 23)),
                       lane_fsub(l, m, constant(l, 1.0))};
}

/* The same where x may be subnormal. */
static split_f32 split_any(const lane *l, LLVMValueRef x) {
    LLVMValueRef subnormal = lane_fcmp(l, LLVMRealOLT, x, constant(l, 0x1p-126));
    LLVMValueRef normal = lane_select(l, subnormal, lane_fmul(l, x, constant(l, 0x1p23)), x);
    split_f32 s = split_normal(l, normal);
    s.k = lane_sub(l, s.k, lane_select(l, subnormal, lane_int(l, 32, 23), lane_int(l, 32, 0)));
    return s;
}

/* Splits with cold code where `rare` holds in any lane. */
static split_f32 split_with_cold(const lane *l, LLVMValueRef x, LLVMValueRef rare) {
    split_f32 usual = split_normal(l, x);
    lane_cold cold = lane_cold_begin(l, rare);
    split_f32 any = split_any(l, x);
    lane_cold_end(l, &cold);
    return (split_f32){lane_cold_merge(l, &cold, usual.k, any.k),
                       lane_cold_merge(l, &cold, usual.f, any.f)};
}

/* Not positive, finite and normal; moved to where signed integers end, one comparison tells. */
static LLVMValueRef is_abnormal(const lane *l, LLVMValueRef x, uint32_t first, uint32_t beyond) {
    LLVMValueRef moved = lane_add(l, bits_of(l, x), lane_int(l, 32, (int32_t)(0x80000000 - first)));
    return lane_icmp(l, LLVMIntSGE, moved, lane_int(l, 32, (int32_t)(0x80000000 + beyond - first)));
}

/* k ln 2 + (f + f^2 q(f)): the sum is smaller than half of a k ln 2 that is not 0, so that rounding
 * it costs a quarter of the result's last place, or none where the last addition is exact. */
LLVMValueRef fast_log(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    (void)op;
    LLVMValueRef rare = is_abnormal(l, x[0], 0x00800000, 0x7f800000);
    split_f32 s = split_with_cold(l, x[0], rare);
    LLVMValueRef k = lane_sitofp(l, s.k, lane_f32_type(l)),
                 q = polynomial_in_two(l, fast_log_coefficients, COUNT(fast_log_coefficients), s.f);
    LLVMValueRef low = lane_fmul(l, k, constant(l, f32_ln2[1])),
                 rest = lane_fma(l, lane_fmul(l, s.f, s.f), q, low);
    LLVMValueRef result = lane_fma(l, k, constant(l, f32_ln2[0]), lane_fadd(l, s.f, rest));
    lane_cold cold = lane_cold_begin(l, rare);
    LLVMValueRef special = log_special_values(l, x[0], result);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, result, special);
}

/* e^r - 1, abs(r) <= 0.3467. */
static LLVMValueRef expm1_near(const lane *l, LLVMValueRef r) {
    LLVMValueRef q = polynomial(l, fast_exp_coefficients, COUNT(fast_exp_coefficients), r);
    return lane_fma(l, lane_fmul(l, r, r), q, r);
}

/* a + a P(a^2 - centre) up to `end`, `far` beyond, with the sign of x. */
typedef struct odd_function {
    const double *c;
    unsigned count;
    double centre, end;
} odd_function;

static LLVMValueRef join_odd(const lane *l, odd_function f, LLVMValueRef a, LLVMValueRef far,
                             LLVMValueRef x) {
    LLVMValueRef p = polynomial(l, f.c, f.count, lane_fma(l, a, a, constant(l, -f.centre))),
                 near = lane_fma(l, p, a, a);
    LLVMValueRef size = lane_select(l, lane_fcmp(l, LLVMRealOGT, a, constant(l, f.end)), far, near);
    return lane_intrinsic(l, "llvm.copysign", (LLVMValueRef[]){size, x}, 2);
}

/* (e^2a + 1) / 2, e^2a = 2^n e^r. One f32 for ln 2 is enough, since 1 / e^2a is small where n is
 * large. */
static LLVMValueRef tanh_divisor(const lane *l, LLVMValueRef a) {
    if (lane_entries(l)) return tanh_divisor_looked_up(l, a);
    LLVMValueRef magic = lane_f32(l, f32_shift + 126),
                 shifted = lane_fma(l, a, constant(l, 0x1.715476p1), magic),
                 n = lane_fsub(l, shifted, magic);
    LLVMValueRef half_r = lane_fma(l, n, constant(l, -0x1.62e43p-2), a),
                 half_power = float_of(l, to_exponent(l, bits_of(l, shifted)));
    return lane_fma(l, expm1_near(l, lane_fadd(l, half_r, half_r)), half_power,
                    lane_fadd(l, half_power, constant(l, 0.5)));
}

/* b - b (b^2 / d), b = min(a, 1), where d is b^3 / (b - tanh b) up to 1 and (e^2a + 1) / 2 beyond:
 * the larger of the two is the right one. */
LLVMValueRef fast_tanh(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    (void)op;
    LLVMValueRef size = lane_fabs(l, x[0]), a = at_most(l, size, 9.1);
    if (lane_entries(l) == 32)
        return lane_intrinsic(l, "llvm.copysign", (LLVMValueRef[]){tanh_looked_up(l, a), x[0]}, 2);
    LLVMValueRef b = at_most(l, size, 1.0), square = lane_fmul(l, b, b);
    LLVMValueRef near =
        polynomial(l, fast_tanh_coefficients, COUNT(fast_tanh_coefficients), square);
    LLVMValueRef far = tanh_divisor(l, a),
                 d = lane_select(l, lane_fcmp(l, LLVMRealOGT, near, far), near, far);
    LLVMValueRef result = lane_fma(l, lane_fneg(l, lane_fdiv(l, square, d)), b, b),
                 sign = lane_and(l, bits_of(l, x[0]), lane_int(l, 32, INT32_MIN));
    return float_of(l, lane_or(l, bits_of(l, result), sign));
}

/* Two polynomials: beyond 3.93 erf rounds to 1. */
LLVMValueRef fast_erf(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    (void)op;
    LLVMValueRef a = at_most(l, lane_fabs(l, x[0]), 3.93), t = lane_fsub(l, a, constant(l, 2.25));
    if (lane_entries(l))
        return lane_intrinsic(l, "llvm.copysign", (LLVMValueRef[]){erf_looked_up(l, a), x[0]}, 2);
    LLVMValueRef below =
        polynomial(l, fast_erf_far_coefficients, COUNT(fast_erf_far_coefficients), t);
    odd_function f = {fast_erf_coefficients, COUNT(fast_erf_coefficients), fast_erf_centre,
                      fast_erf_end};
    return join_odd(l, f, a, lane_fadd(l, below, constant(l, 1.0)), x[0]);
}

/* f = 1 / (1 + e^a) for 0 <= a <= 87, which is at most 1/2, so that its error counts half in 1 - f.
 * With a = n ln 2 + r it is 2^-n / d, d = 1 + 2^-n + p, p = e^r - 1. What rounding d and dividing
 * lose is added to the quotient y, whose last bit is cut off: so 1 - y is exact below 1/2, too. */
static LLVMValueRef sigmoid_of_negative(const lane *l, LLVMValueRef a) {
    /* The exponent's bias is in the constant, so that a shift makes 2^-n of its low bits. */
    LLVMValueRef magic = lane_f32(l, f32_shift + 127), one = constant(l, 1.0);
    LLVMValueRef shifted = lane_fma(l, a, constant(l, -0x1.715476p0), magic),
                 minus_n = lane_fsub(l, shifted, magic);
    LLVMValueRef r = lane_fma(l, minus_n, constant(l, f32_ln2[0]), a);
    r = lane_fma(l, minus_n, constant(l, f32_ln2[1]), r);
    LLVMValueRef power = float_of(l, to_exponent(l, bits_of(l, shifted))), p = expm1_near(l, r);
    LLVMValueRef quotient = lane_fdiv(l, one, lane_fadd(l, lane_fadd(l, power, p), one)),
                 y = float_of(l, lane_and(l, bits_of(l, quotient), lane_int(l, 32, -2)));
    LLVMValueRef minus_y = lane_fneg(l, y), rest = lane_fma(l, minus_y, p, lane_fsub(l, one, y));
    rest = lane_fma(l, minus_y, power, rest);
    LLVMValueRef value = lane_fmul(l, y, power);
    return lane_fma(l, value, rest, value);
}

/* Beyond 87 it is 1, and below -87, where results are nearly subnormal, e^x. */
LLVMValueRef fast_sigmoid(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    (void)op;
    if (lane_entries(l)) return sigmoid_looked_up(l, x[0]);
    LLVMValueRef a = lane_fabs(l, x[0]), one = constant(l, 1.0), f = sigmoid_of_negative(l, a);
    LLVMValueRef negative = lane_icmp(l, LLVMIntSLT, bits_of(l, x[0]), lane_int(l, 32, 0)),
                 result = lane_select(l, negative, f, lane_fsub(l, one, f));
    LLVMValueRef far = lane_fcmp(l, LLVMRealOGT, a, constant(l, 87.0));
    lane_cold cold = lane_cold_begin(l, far);
    LLVMValueRef limit = lane_select(l, negative, exp_far(l, x[0]), one);
    LLVMValueRef corrected = lane_select(l, far, limit, result);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, result, corrected);
}

/* y (1 + e c), c = 1/2 or 1/2 + 3/8 e, e = 1 - x y^2, from an estimate y. Whatever the estimate's
 * own bits are, rounding y^2 moves the result by at most 0.36 ulp and the next term by 0.1. Beyond
 * 2^-126..2^125, where y^2 may not be a normal number, and without an estimate: the exact tier. */
LLVMValueRef fast_rsqrt(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (!lane_rsqrt_bits(l)) return emit_rsqrt(l, op, x);
    LLVMValueRef y = lane_rsqrt_estimate(l, x[0]), c = constant(l, 0.5);
    LLVMValueRef e = lane_fma(l, lane_fneg(l, x[0]), lane_fmul(l, y, y), constant(l, 1.0));
    if (lane_rsqrt_bits(l) < 14) c = lane_fma(l, e, constant(l, 0.375), c);
    LLVMValueRef result = lane_fma(l, lane_fmul(l, y, c), e, y),
                 rare = is_abnormal(l, x[0], 0x00800000, 0x7e000000);
    lane_cold cold = lane_cold_begin(l, rare);
    LLVMValueRef corrected = lane_select(l, rare, rsqrt_wide(l, x[0]), result);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, result, corrected);
}

static LLVMValueRef sin_near(const lane *l, turns t, LLVMValueRef z) {
    LLVMValueRef p = polynomial(l, fast_sin_coefficients, COUNT(fast_sin_coefficients), z);
    return lane_fadd(l, t.r, lane_fma(l, lane_fmul(l, z, t.r), p, t.low));
}

/* 1 - z/2 is rounded once, and what that loses added to the rest. */
static LLVMValueRef cos_near(const lane *l, turns t, LLVMValueRef z) {
    LLVMValueRef one = constant(l, 1.0), minus_half = constant(l, -0.5),
                 head = lane_fma(l, z, minus_half, one);
    LLVMValueRef lost = lane_fma(l, z, minus_half, lane_fsub(l, one, head));
    LLVMValueRef p = polynomial(l, fast_cos_coefficients, COUNT(fast_cos_coefficients), z);
    LLVMValueRef tail =
        lane_fma(l, lane_fmul(l, z, z), p, lane_fma(l, t.r, lane_fneg(l, t.low), lost));
    return lane_fadd(l, head, tail);
}

/* sin(x + quarters pi/2), 0 <= x <= 2^16. */
static LLVMValueRef sine_by_quarters(const lane *l, LLVMValueRef x, unsigned quarters) {
    turns t = reduce_turns(l, x, 4);
    LLVMValueRef z = lane_fmul(l, t.r, t.r),
                 n = quarters ? lane_add(l, t.n, lane_int(l, 32, quarters)) : t.n;
    LLVMValueRef odd =
        lane_icmp(l, LLVMIntNE, lane_and(l, n, lane_int(l, 32, 1)), lane_int(l, 32, 0));
    LLVMValueRef value = lane_select(l, odd, cos_near(l, t, z), sin_near(l, t, z));
    LLVMValueRef turned =
        lane_and(l, lane_shl(l, n, lane_int(l, 32, 30)), lane_int(l, 32, INT32_MIN));
    return float_of(l, lane_xor(l, bits_of(l, value), turned));
}

static LLVMValueRef sine_usual(const lane *l, LLVMValueRef x, unsigned quarters) {
    return lane_entries(l) ? sine_looked_up(l, x, quarters) : sine_by_quarters(l, x, quarters);
}

/* Beyond 2^16 the exact emitter takes over. */
static LLVMValueRef with_exact_beyond(const lane *l, const emit_op *op, const LLVMValueRef *x,
                                      LLVMValueRef size, LLVMValueRef usual, emitter *exact) {
    LLVMValueRef huge = lane_fcmp(l, LLVMRealOGE, size, constant(l, 0x1p16));
    lane_cold cold = lane_cold_begin(l, huge);
    LLVMValueRef value = lane_select(l, huge, exact(l, op, x), usual);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, usual, value);
}

LLVMValueRef fast_sin(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef size = lane_fabs(l, x[0]), value = bits_of(l, sine_usual(l, size, 0)),
                 sign = lane_and(l, bits_of(l, x[0]), lane_int(l, 32, INT32_MIN));
    return with_exact_beyond(l, op, x, size, float_of(l, lane_xor(l, value, sign)), emit_sin);
}

LLVMValueRef fast_cos(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef size = lane_fabs(l, x[0]);
    return with_exact_beyond(l, op, x, size, sine_usual(l, size, 1), emit_cos);
}

/* log2(2^k (1 + f)) in f64: k + s P(s^2), s = f / (2 + f). */
static LLVMValueRef log2_f64(const lane *l, split_f32 parts) {
    LLVMValueRef f = lane_fpext(l, parts.f), k = lane_sitofp(l, parts.k, lane_f64_type(l));
    LLVMValueRef s = lane_fdiv(l, f, lane_fadd(l, f, lane_f64(l, 2.0)));
    return lane_fma(l, s,
                    lane_polynomial(l, fast_log2_coefficients, COUNT(fast_log2_coefficients),
                                    lane_fmul(l, s, s)),
                    k);
}

/* 2^t; the fraction of t is exact in f64 and rounded to f32 after. abs(t) < 2^20. */
static scaled exp2_scaled(const lane *l, LLVMValueRef t) {
    LLVMValueRef magic = lane_f64(l, 0x1.8p52), shifted = lane_fadd(l, t, magic);
    LLVMValueRef r = lane_fptrunc(l, lane_fsub(l, t, lane_fsub(l, shifted, magic)));
    LLVMValueRef n =
        lane_trunc(l, lane_bitcast(l, shifted, lane_int_type(l, 64)), lane_int_type(l, 32));
    LLVMValueRef p = polynomial(l, f32_exp2_terms, COUNT(f32_exp2_terms), r);
    return (scaled){lane_fma(l, p, r, constant(l, 1.0)), n};
}

/* 2^t for any t but NaN, which gives anything. */
static LLVMValueRef exp2_far(const lane *l, LLVMValueRef t) {
    LLVMValueRef lowest = lane_f64(l, -160.0), highest = lane_f64(l, 160.0);
    LLVMValueRef raised = lane_select(l, lane_fcmp(l, LLVMRealOLT, t, lowest), lowest, t);
    scaled v =
        exp2_scaled(l, lane_select(l, lane_fcmp(l, LLVMRealOGT, raised, highest), highest, raised));
    v.shifted = lane_add(l, v.shifted, bits_of(l, lane_f32(l, f32_shift)));
    return scale_far(l, v);
}

LLVMValueRef fast_pow(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef as_root = power_as_root(l, op, x);
    if (as_root) return as_root;
    LLVMValueRef size = lane_fabs(l, x[0]),
                 subnormal = lane_fcmp(l, LLVMRealOLT, size, constant(l, 0x1p-126));
    LLVMValueRef t =
        lane_fmul(l, lane_fpext(l, x[1]), log2_f64(l, split_with_cold(l, size, subnormal)));
    LLVMValueRef result = scale(l, exp2_scaled(l, t));
    LLVMValueRef far = lane_fcmp(l, LLVMRealUGE, lane_fabs(l, t), lane_f64(l, 125.0));
    lane_cold cold = lane_cold_begin(l, lane_or(l, far, power_has_specials(l, x[0], x[1])));
    LLVMValueRef special = power_special_values(l, x[0], x[1], exp2_far(l, t));
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, result, special);
}
