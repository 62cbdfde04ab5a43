/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of the functions on f16 and bf16: in f32, which has twice the lanes of f64, and rounded
 * once more to the correctly rounded result. Trying proves that: a function has 65536 operands, and
 * math_test compares each on every level. The coefficients began as those of the nearest polynomial
 * or quotient. They were moved by some units of their last place until no operand was wrong, with
 * multiply-adds that round once and with those that round twice. Operands that stayed wrong are
 * named below. The search is fit/half.c. NaN results are operands or the CPU's own NaN, as
 * narrowing needs. */
#include <math.h>

#include "jit/math/emitters.h"
#include "jit/math/special_values.h"

enum { MOST_COEFFICIENTS = 11 };

/* c[0] + c[1] x + ... */
typedef struct series {
    unsigned count;
    float c[MOST_COEFFICIENTS];
} series;

/* Adding this to an f32 rounds to an integer and leaves it in the low bits. */
static const float shift = 0x1.8p23f;

static LLVMValueRef constant(const lane *l, float value) { return lane_f32(l, value); }
static LLVMValueRef bits_of(const lane *l, LLVMValueRef x) {
    return lane_bitcast(l, x, lane_int_type(l, 32));
}
static LLVMValueRef float_of(const lane *l, LLVMValueRef bits) {
    return lane_bitcast(l, bits, lane_f32_type(l));
}
static bool is_f16(const emit_op *op) { return op->result == TOSAJIT_F16; }

/* a b + c, rounded once where the CPU can, else twice: a multiply-add out of other instructions
 * would take a dozen. */
static LLVMValueRef multiply_add(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    return l->target->has_fma ? lane_fma(l, a, b, c) : lane_fadd(l, lane_fmul(l, a, b), c);
}

static LLVMValueRef evaluate(const lane *l, const series *s, LLVMValueRef x) {
    LLVMValueRef sum = constant(l, s->c[s->count - 1]);
    for (unsigned k = s->count - 1; k > 0; k--)
        sum = multiply_add(l, sum, x, constant(l, s->c[k - 1]));
    return sum;
}

/* x - n (parts[0] + parts[1] + ...). */
static LLVMValueRef subtract_multiple(const lane *l, LLVMValueRef x, LLVMValueRef n,
                                      const float *parts, unsigned count) {
    for (unsigned k = 0; k < count; k++) x = multiply_add(l, n, constant(l, -parts[k]), x);
    return x;
}

/* e^(scale x) = 2^n e^r for a limited x; r is scale (x - n ln 2 / scale). The scale, a power of two
 * or minus one, is in the constants. NaN stays NaN: the low bits of a widened NaN are zero, so
 * nothing is added to its exponent. One f32 for ln 2 is enough where products are exact. Elsewhere
 * its first part is so short that they are. */
static LLVMValueRef exp_limited(const lane *l, const series *s, LLVMValueRef x, float scale) {
    const float whole[] = {0x1.62e43p-1f / scale},
                parts[] = {0x1.62e4p-1f / scale, 0x1.7f7d1cp-20f / scale};
    LLVMValueRef magic = constant(l, shift),
                 shifted = multiply_add(l, x, constant(l, 0x1.715476p0f * scale), magic);
    LLVMValueRef n = lane_fsub(l, shifted, magic);
    LLVMValueRef r = l->target->has_fma ? subtract_multiple(l, x, n, whole, 1)
                                        : subtract_multiple(l, x, n, parts, 2);
    series scaled = *s;
    float power = 1;
    for (unsigned k = 0; k < s->count; k++, power *= scale) scaled.c[k] *= power;
    LLVMValueRef exponent = lane_shl(l, bits_of(l, shifted), lane_int(l, 32, 23));
    return float_of(l, lane_add(l, bits_of(l, evaluate(l, &scaled, r)), exponent));
}

/* A series, the only operand for which it is wrong, and that operand's result. */
typedef struct excepted_series {
    series s;
    double operand, result;
} excepted_series;

static const excepted_series exp_f16 = {
    {6, {0x1p+0f, 0x1.ffffd4p-1f, 0x1.ffff16p-2f, 0x1.55667p-3f, 0x1.575d1ap-5f, 0x1.0fd316p-7f}},
    0x1.de4p-8,
    0x1.01cp0};
static const excepted_series exp_f16_unfused = {
    {7,
     {0x1.fffffep-1f, 0x1.000002p+0f, 0x1.0000f6p-1f, 0x1.555a16p-3f, 0x1.5567b8p-5f,
      0x1.12601ap-7f, 0x1.6abdd2p-10f}},
    -0x1p-12,
    1.0};
static const series exp_bf16 = {
    5, {0x1p+0f, 0x1.fffb3p-1f, 0x1.000448p-1f, 0x1.57e17cp-3f, 0x1.53a0f2p-5f}};

/* bf16 has the exponents of f32: there the square of e^(x/2), which becomes infinite and subnormal
 * by itself. */
LLVMValueRef half_exp(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (is_f16(op)) {
        const excepted_series *e = l->target->has_fma ? &exp_f16 : &exp_f16_unfused;
        LLVMValueRef result = exp_limited(l, &e->s, limit(l, x[0], -20.0, 12.0), 1.0f);
        result = lane_except(l, x[0], e->operand, e->result, result);
        return lane_narrow_half_away(l, op->result, result);
    }
    LLVMValueRef root = exp_limited(l, &exp_bf16, limit(l, x[0], -100.0, 90.0), 0.5f);
    return lane_narrow_half_away(l, op->result, lane_fmul(l, root, root));
}

static const series sigmoid_f16 = {6,
                                   {0x1.000004p+0f, 0x1.fffff2p-1f, 0x1.fffd72p-2f, 0x1.555a5ep-3f,
                                    0x1.576036p-5f, 0x1.0fe516p-7f}};
static const series sigmoid_bf16 = {
    5, {0x1.fffffep-1f, 0x1.fffb36p-1f, 0x1.000448p-1f, 0x1.57e17cp-3f, 0x1.53a0dap-5f}};

/* f16: 1 / (1 + e^-x). Near 0 the result 1/2 + x/4 - x^3/48 is closer to a midpoint than f32 can
 * tell. There a factor a little below 1/4 decides as the cubic term would. bf16: e^x / (1 + e^x),
 * which is right also where e^-x is too large for f32. */
LLVMValueRef half_sigmoid(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef one = constant(l, 1.0f);
    if (is_f16(op)) {
        LLVMValueRef e = exp_limited(l, &sigmoid_f16, limit(l, x[0], -20.0, 20.0), -1.0f);
        LLVMValueRef far = lane_fdiv(l, one, lane_fadd(l, one, e)),
                     near = multiply_add(l, x[0], constant(l, 0.25f - 0x1p-15f), constant(l, 0.5f));
        LLVMValueRef is_near = lane_fcmp(l, LLVMRealOLT, lane_fabs(l, x[0]), constant(l, 0x1p-6f));
        return lane_narrow_half_away(l, op->result, lane_select(l, is_near, near, far));
    }
    LLVMValueRef root = exp_limited(l, &sigmoid_bf16, limit(l, x[0], -100.0, 20.0), 0.5f);
    return lane_narrow_half_away(
        l, op->result, lane_fdiv(l, lane_fmul(l, root, root), multiply_add(l, root, root, one)));
}

static const series tanh_above_f16 = {4,
                                      {0x1p+0f, 0x1.01c888p-3f, 0x1.4e01acp-9f, 0x1.6cb6bcp-18f}};
static const series tanh_below_f16 = {4, {0x1p+0f, 0x1.d63984p-2f, 0x1.6d1758p-6f, 0x1.6cb0fp-13f}};
static const series tanh_above_bf16 = {
    4, {0x1.fffff8p-1f, 0x1.cf62c8p-4f, 0x1.3dbdp-10f, -0x1.205e22p-18f}};
static const series tanh_below_bf16 = {3, {0x1p+0f, 0x1.c92d5ep-2f, 0x1.11adfep-6f}};

/* x P(x^2) / Q(x^2), up to where results round to 1. */
LLVMValueRef half_tanh(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const double end = is_f16(op) ? 4.6 : 3.55;
    LLVMValueRef a = limit(l, x[0], -end, end), u = lane_fmul(l, a, a);
    LLVMValueRef above = evaluate(l, is_f16(op) ? &tanh_above_f16 : &tanh_above_bf16, u),
                 below = evaluate(l, is_f16(op) ? &tanh_below_f16 : &tanh_below_bf16, u);
    return lane_narrow_half_away(l, op->result, lane_fdiv(l, lane_fmul(l, a, above), below));
}

static const series erf_f16 = {11,
                               {0x1.102c52p-1f, -0x1.2462b8p-4f, 0x1.a6474cp-7f, -0x1.2756ep-9f,
                                0x1.77f254p-12f, -0x1.adab44p-15f, 0x1.b5b0a8p-18f,
                                -0x1.85b2c8p-21f, 0x1.4b8b74p-24f, -0x1.400ac6p-27f,
                                0x1.9f3a7ap-31f}};
static const series erf_f16_unfused = {11,
                                       {0x1.102c5p-1f, -0x1.2462cep-4f, 0x1.a6470ep-7f,
                                        -0x1.2756fp-9f, 0x1.77f24ap-12f, -0x1.adaacep-15f,
                                        0x1.b5b298p-18f, -0x1.85b796p-21f, 0x1.4b81b2p-24f,
                                        -0x1.40094cp-27f, 0x1.9f2716p-31f}};
static const series erf_bf16 = {8,
                                {0x1.3ff91cp-1f, -0x1.bbf95cp-4f, 0x1.7cb54cp-6f, -0x1.29b50cp-8f,
                                 0x1.93be44p-11f, -0x1.e91252p-14f, 0x1.2c4152p-16f,
                                 -0x1.0d1844p-19f}};

/* x P(x^2 - centre), up to where results round to 1. */
LLVMValueRef half_erf(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const double end = is_f16(op) ? 2.64 : 2.2;
    const series *s = !is_f16(op) ? &erf_bf16 : l->target->has_fma ? &erf_f16 : &erf_f16_unfused;
    LLVMValueRef a = limit(l, x[0], -end, end),
                 u = multiply_add(l, a, a, constant(l, is_f16(op) ? -3.48f : -2.42f));
    return lane_narrow_half_away(l, op->result, lane_fmul(l, a, evaluate(l, s, u)));
}

static const series log_f16 = {8,
                               {0x1.000004p+0f, -0x1.000068p-1f, 0x1.5559a8p-2f, -0x1.ff6164p-3f,
                                0x1.978daep-3f, -0x1.614e4ap-3f, 0x1.4c3b1ep-3f, -0x1.9de28p-4f}};
static const series log_bf16 = {6,
                                {0x1.00004cp+0f, -0x1.ffe654p-2f, 0x1.548ff2p-2f, -0x1.042204p-2f,
                                 0x1.c3b392p-3f, -0x1.24a75cp-3f}};

/* x = 2^k (1 + f) > 0 and normal: (k + more) ln 2 + f P(f). */
static LLVMValueRef log_normal(const lane *l, const emit_op *op, LLVMValueRef x, int more) {
    static const float whole[] = {-0x1.62e43p-1f}, parts[] = {-0x1.7f7d1cp-20f, -0x1.62e4p-1f};
    LLVMValueRef bits = bits_of(l, x), offset = lane_sub(l, bits, lane_int(l, 32, 0x3f3504f3));
    LLVMValueRef m =
        float_of(l, lane_sub(l, bits, lane_and(l, offset, lane_int(l, 32, -0x800000))));
    LLVMValueRef k = lane_ashr(l, offset, lane_int(l, 32, 23)),
                 f = lane_fsub(l, m, constant(l, 1.0f));
    k = lane_sitofp(l, more ? lane_add(l, k, lane_int(l, 32, more)) : k, lane_f32_type(l));
    LLVMValueRef sum = lane_fmul(l, f, evaluate(l, is_f16(op) ? &log_f16 : &log_bf16, f));
    return l->target->has_fma ? subtract_multiple(l, sum, k, whole, 1)
                              : subtract_multiple(l, sum, k, parts, 2);
}

/* Operands that are not positive, finite and normal are rare. Values of f16 are all normal as f32.
 */
LLVMValueRef half_log(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef result = log_normal(l, op, x[0], 0),
                 before = lane_sub(l, bits_of(l, x[0]), lane_int(l, 32, 0x00800000)),
                 rare = lane_icmp(l, LLVMIntUGE, before, lane_int(l, 32, 0x7f000000));
    lane_cold cold = lane_cold_begin(l, rare);
    LLVMValueRef any = result;
    if (!is_f16(op)) {
        LLVMValueRef subnormal = lane_fcmp(l, LLVMRealOLT, x[0], constant(l, 0x1p-126f));
        any = lane_select(l, subnormal,
                          log_normal(l, op, lane_fmul(l, x[0], constant(l, 0x1p23f)), -23), result);
    }
    LLVMValueRef special = log_special_values(l, x[0], any);
    lane_cold_end(l, &cold);
    /* At 0x256c of bf16 f32 gives a midpoint, which should go towards zero. */
    return lane_narrow_half_to_zero(l, op->result, lane_cold_merge(l, &cold, result, special));
}

static const series sin_f16 = {
    4, {-0x1.55555ep-3f, 0x1.1110eep-7f, -0x1.9fa4bcp-13f, 0x1.5dcaf8p-19f}};
static const series cos_f16 = {
    4, {-0x1.55554ep-3f, 0x1.110ef2p-7f, -0x1.9f704cp-13f, 0x1.5dbdd2p-19f}};
static const series sin_bf16 = {3, {-0x1.55511p-3f, 0x1.10711cp-7f, -0x1.84da1ep-13f}};
static const series cos_bf16 = {3, {-0x1.55514ap-3f, 0x1.10709ep-7f, -0x1.84cbacp-13f}};

/* x = (n + phase) pi + r, 0 <= x <= 2^16: r and its sign, bit 31 of an i32. In the first step, and
 * without fused multiply-adds in the first three, nothing is lost. */
static LLVMValueRef reduce_half_turns(const lane *l, LLVMValueRef x, float phase,
                                      LLVMValueRef *sign) {
    static const float fused[] = {0x1.921fb6p1f, -0x1.777a5cp-24f},
                       parts[] = {0x1.92p1f, 0x1.fap-11f, 0x1.54p-19f, 0x1.10b46p-29f};
    LLVMValueRef magic = constant(l, shift), turns = constant(l, 0x1.45f306p-2f);
    LLVMValueRef shifted = phase != 0.0f
                               ? lane_fadd(l, multiply_add(l, x, turns, constant(l, phase)), magic)
                               : multiply_add(l, x, turns, magic);
    LLVMValueRef n = lane_fsub(l, shifted, magic);
    if (phase != 0.0f) n = lane_fsub(l, n, constant(l, phase));
    *sign = lane_shl(l, bits_of(l, shifted), lane_int(l, 32, 31));
    return l->target->has_fma ? subtract_multiple(l, x, n, fused, 2)
                              : subtract_multiple(l, x, n, parts, 4);
}

/* sin r = r + r^3 P(r^2), turned. One sine of f16 is 2^-27 above a midpoint. Beyond 2^16, where
 * only bf16 has values, cold code. */
static LLVMValueRef sine(const lane *l, const emit_op *op, LLVMValueRef x, const series *s,
                         float phase) {
    LLVMValueRef size = lane_fabs(l, x), sign, r = reduce_half_turns(l, size, phase, &sign),
                 z = lane_fmul(l, r, r);
    LLVMValueRef value = multiply_add(l, lane_fmul(l, z, r), evaluate(l, s, z), r);
    if (is_f16(op) && phase == 0.0f) value = lane_except(l, size, 0x1.accp-3, 0x1.a9cp-3, value);
    value = float_of(l, lane_xor(l, bits_of(l, value), sign));
    if (is_f16(op)) return value;
    LLVMValueRef huge = lane_fcmp(l, LLVMRealOGT, size, constant(l, 0x1p16f));
    lane_cold cold = lane_cold_begin(l, huge);
    LLVMValueRef far = lane_select(l, huge, far_sine(l, size, phase != 0.0f), value);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, value, far);
}

/* With the sign of x, for -0 too. */
LLVMValueRef half_sin(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef value = sine(l, op, x[0], is_f16(op) ? &sin_f16 : &sin_bf16, 0.0f);
    LLVMValueRef sign = lane_and(l, bits_of(l, x[0]), lane_int(l, 32, INT32_MIN));
    return lane_narrow_half_away(l, op->result, float_of(l, lane_xor(l, bits_of(l, value), sign)));
}

LLVMValueRef half_cos(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return lane_narrow_half_away(l, op->result,
                                 sine(l, op, x[0], is_f16(op) ? &cos_f16 : &cos_bf16, 0.5f));
}

/* y (1 + e/2), e = 1 - x y^2. With all roundings that is within 2^-21.8 of the result, which is at
 * least 2^-17.9 from a midpoint of bf16 and 2^-21.5 of f16. The estimate must be within 1.5 *
 * 2^-12, as Intel and AMD document that of AVX; with 2^-11 some results of f16 are wrong. Where y
 * is infinite, 0 or NaN the CPU makes its own NaN, which has a sign: these go another way. */
LLVMValueRef half_rsqrt(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef one = constant(l, 1.0f);
    if (!lane_rsqrt_bits(l))
        return lane_narrow_half_away(l, op->result, lane_fdiv(l, one, lane_sqrt(l, x[0])));
    LLVMValueRef y = lane_rsqrt_estimate(l, x[0]), root = lane_fmul(l, x[0], y),
                 e = multiply_add(l, lane_fneg(l, root), y, one),
                 result = multiply_add(l, lane_fmul(l, y, constant(l, 0.5f)), e, y);
    lane_cold cold =
        lane_cold_begin(l, lane_icmp(l, LLVMIntSLT, bits_of(l, result), lane_int(l, 32, 0)));
    LLVMValueRef plain = lane_fdiv(l, one, lane_sqrt(l, x[0]));
    lane_cold_end(l, &cold);
    return lane_narrow_half_away(l, op->result, lane_cold_merge(l, &cold, result, plain));
}

LLVMValueRef half_reciprocal(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return lane_narrow_half_away(l, op->result, emit_reciprocal(l, op, x));
}
