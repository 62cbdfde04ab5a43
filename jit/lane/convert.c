/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conversions of the floating-point types narrower than f32: by instructions where the CPU has such
 * as keep subnormals (f16: F16C, NEON; bf16: Armv8.6, but not AVX512_BF16), else in integers,
 * because LLVM would call a library. */
#include "jit/lane/lane.h"

static LLVMValueRef is_nan(const lane *l, LLVMValueRef a) {
    return lane_fcmp(l, LLVMRealUNO, a, a);
}

/* Lanes 0, 2, 4, ... and then 1, 3, 5, ...: a shift and a mask. In order it is two conversions and
 * two shifts. */
static LLVMValueRef evens_and_odds(const lane *l, LLVMValueRef bits) {
    lane half = *l;
    half.count /= 2;
    LLVMValueRef both = lane_bitcast(&half, bits, lane_int_type(&half, 32));
    LLVMValueRef parts[2] = {lane_shl(&half, both, lane_int(&half, 32, 16)),
                             lane_and(&half, both, lane_int(&half, 32, -0x10000))};
    return lane_bitcast(l, lane_concat(&half, parts, 2), lane_f32_type(l));
}

/* The upper halves of an i32, from the order that evens_and_odds gives to their own. */
static LLVMValueRef join_evens_and_odds(const lane *l, LLVMValueRef a) {
    lane half = *l;
    half.count /= 2;
    LLVMValueRef evens = lane_pick(&half, a, a, 0, half.count),
                 odds = lane_pick(&half, a, a, half.count, half.count);
    LLVMValueRef both = lane_or(&half, lane_lshr(&half, evens, lane_int(&half, 32, 16)),
                                lane_and(&half, odds, lane_int(&half, 32, -0x10000)));
    return lane_bitcast(l, both, lane_int_type(l, 16));
}

static LLVMValueRef upper_halves(const lane *l, LLVMValueRef a) {
    if (l->evens_first) return join_evens_and_odds(l, a);
    return lane_trunc(l, lane_lshr(l, a, lane_int(l, 32, 16)), lane_int_type(l, 16));
}

static LLVMValueRef bf16_to_f32(const lane *l, LLVMValueRef bits) {
    if (l->evens_first) return evens_and_odds(l, bits);
    LLVMValueRef wide = lane_zext(l, bits, lane_int_type(l, 32));
    return lane_bitcast(l, lane_shl(l, wide, lane_int(l, 32, 16)), lane_f32_type(l));
}

/* With half of the last place kept, a little less where the kept part is even; carries run into the
 * exponent as they should. */
static LLVMValueRef add_half(const lane *l, LLVMValueRef bits, unsigned dropped) {
    LLVMValueRef odd =
        lane_and(l, lane_lshr(l, bits, lane_int(l, 32, dropped)), lane_int(l, 32, 1));
    LLVMValueRef half = lane_add(l, lane_int(l, 32, (INT64_C(1) << (dropped - 1)) - 1), odd);
    return lane_add(l, bits, half);
}

static LLVMValueRef round_bits(const lane *l, LLVMValueRef bits, unsigned dropped) {
    return lane_lshr(l, add_half(l, bits, dropped), lane_int(l, 32, dropped));
}

/* The rebiased exponent of a subnormal is right, too, once the multiplication has normalised it. */
static LLVMValueRef f16_to_f32(const lane *l, LLVMValueRef bits) {
    LLVMTypeRef half = lane_vector(l, LLVMHalfTypeInContext(l->context)),
                i32 = lane_int_type(l, 32);
    if (l->target->has_f16)
        return LLVMBuildFPExt(l->builder, lane_bitcast(l, bits, half), lane_f32_type(l), "");
    LLVMValueRef wide = lane_zext(l, bits, i32),
                 magnitude = lane_and(l, wide, lane_int(l, 32, 0x7fff));
    LLVMValueRef moved =
        lane_bitcast(l, lane_shl(l, magnitude, lane_int(l, 32, 13)), lane_f32_type(l));
    LLVMValueRef scaled = lane_bitcast(l, lane_fmul(l, moved, lane_f32(l, 0x1p112f)), i32);
    LLVMValueRef finite = lane_icmp(l, LLVMIntULT, magnitude, lane_int(l, 32, 0x7c00));
    LLVMValueRef special = lane_select(l, finite, lane_int(l, 32, 0), lane_int(l, 32, 0x7f800000));
    LLVMValueRef sign =
        lane_shl(l, lane_and(l, wide, lane_int(l, 32, 0x8000)), lane_int(l, 32, 16));
    return lane_bitcast(l, lane_or(l, lane_or(l, scaled, special), sign), lane_f32_type(l));
}

/* Rounding does not carry into the sign of a NaN that has no bits below those kept. */
static LLVMValueRef round_to_bf16(const lane *l, LLVMValueRef a) {
    return upper_halves(l, add_half(l, lane_bitcast(l, a, lane_int_type(l, 32)), 16));
}

/* The same, but that every midpoint of two goes the same way: to even takes three instructions
 * more. */
static LLVMValueRef round_one_way(const lane *l, LLVMValueRef a, int64_t half) {
    LLVMValueRef bits = lane_bitcast(l, a, lane_int_type(l, 32));
    return upper_halves(l, lane_add(l, bits, lane_int(l, 32, half)));
}

static LLVMValueRef f32_to_bf16(const lane *l, LLVMValueRef a) {
    LLVMTypeRef bfloat = lane_vector(l, LLVMBFloatTypeInContext(l->context));
    if (l->target->has_bf16)
        return lane_bitcast(l, LLVMBuildFPTrunc(l->builder, a, bfloat, ""), lane_int_type(l, 16));
    LLVMValueRef bits = lane_bitcast(l, a, lane_int_type(l, 32));
    LLVMValueRef quiet = lane_or(l, bits, lane_int(l, 32, 0x400000));
    return upper_halves(l, lane_select(l, is_nan(l, a), quiet, add_half(l, bits, 16)));
}

/* The upper byte of an f16. */
static LLVMValueRef e5m2_to_f32(const lane *l, LLVMValueRef bits) {
    return f16_to_f32(l, lane_shl(l, lane_zext(l, bits, lane_int_type(l, 16)), lane_int(l, 16, 8)));
}

/* As an f16 of 8 more in the exponent's bias, and one bit pattern for NaN. */
static LLVMValueRef e4m3fn_to_f32(const lane *l, LLVMValueRef bits) {
    LLVMTypeRef i16 = lane_int_type(l, 16);
    LLVMValueRef magnitude = lane_and(l, lane_zext(l, bits, i16), lane_int(l, 16, 0x7f));
    LLVMValueRef sign = lane_shl(l, lane_and(l, lane_zext(l, bits, i16), lane_int(l, 16, 0x80)),
                                 lane_int(l, 16, 8));
    LLVMValueRef half = lane_or(l, sign, lane_shl(l, magnitude, lane_int(l, 16, 7)));
    LLVMValueRef nan = lane_or(l, sign, lane_int(l, 16, 0x7e00));
    half = lane_select(l, lane_icmp(l, LLVMIntEQ, magnitude, lane_int(l, 16, 0x7f)), nan, half);
    return lane_fmul(l, f16_to_f32(l, half), lane_f32(l, 256.0f));
}

/* A format in numbers; all follow from its exponent bias and fraction bits. */
typedef struct small_format {
    unsigned bits, fraction_bits;
    int bias;
    int64_t beyond, nan; /* the bits of what exceeds the largest value, and of NaN */
    float normal, magic; /* the smallest normal value; what adding rounds to multiples of the
                            smallest subnormal */
} small_format;

static const small_format e4m3fn = {8, 3, 7, 0x7f, 0x7f, 0x1p-6f, 0x1p14f};
static const small_format e5m2 = {8, 2, 15, 0x7c, 0x7e, 0x1p-14f, 0x1p7f};
static const small_format f16 = {16, 10, 15, 0x7c00, 0x7e00, 0x1p-14f, 0x1p-1f};

static LLVMValueRef f32_to_small(const lane *l, const small_format *f, LLVMValueRef a) {
    LLVMTypeRef i32 = lane_int_type(l, 32);
    LLVMValueRef magnitude = lane_fabs(l, a), bits = lane_bitcast(l, magnitude, i32);
    LLVMValueRef rebias = lane_int(l, 32, (int64_t)(127 - f->bias) << f->fraction_bits);
    LLVMValueRef normal = lane_sub(l, round_bits(l, bits, 23 - f->fraction_bits), rebias);
    normal =
        lane_intrinsic(l, "llvm.umin", (LLVMValueRef[]){normal, lane_int(l, 32, f->beyond)}, 2);
    LLVMValueRef magic = lane_f32(l, f->magic);
    LLVMValueRef subnormal = lane_sub(l, lane_bitcast(l, lane_fadd(l, magnitude, magic), i32),
                                      lane_bitcast(l, magic, i32));
    LLVMValueRef result = lane_select(
        l, lane_fcmp(l, LLVMRealOLT, magnitude, lane_f32(l, f->normal)), subnormal, normal);
    result = lane_select(l, is_nan(l, a), lane_int(l, 32, f->nan), result);
    LLVMValueRef sign =
        lane_and(l, lane_lshr(l, lane_bitcast(l, a, i32), lane_int(l, 32, 32 - f->bits)),
                 lane_int(l, 32, INT64_C(1) << (f->bits - 1)));
    return lane_trunc(l, lane_or(l, result, sign), lane_int_type(l, f->bits));
}

static LLVMValueRef f32_to_f16(const lane *l, LLVMValueRef a) {
    LLVMTypeRef half = lane_vector(l, LLVMHalfTypeInContext(l->context));
    return l->target->has_f16
               ? lane_bitcast(l, LLVMBuildFPTrunc(l->builder, a, half, ""), lane_int_type(l, 16))
               : f32_to_small(l, &f16, a);
}

/* f64 to f32, rounded to odd: an inexact result has its lowest bit set. A second rounding, to fewer
 * bits, then gives the bits of a single one. Source: Boldo and Melquiond, Emulation of FMA and
 * correctly rounded sums, 2008. */
static LLVMValueRef round_to_odd(const lane *l, LLVMValueRef a) {
    LLVMValueRef nearest = lane_fptrunc(l, a), back = lane_fpext(l, nearest);
    LLVMTypeRef i32 = lane_int_type(l, 32);
    LLVMValueRef inexact = lane_zext(l, lane_fcmp(l, LLVMRealONE, back, a), i32);
    LLVMValueRef up =
        lane_zext(l, lane_fcmp(l, LLVMRealOGT, lane_fabs(l, back), lane_fabs(l, a)), i32);
    LLVMValueRef toward_zero = lane_sub(l, lane_bitcast(l, nearest, i32), up);
    return lane_bitcast(l, lane_or(l, toward_zero, inexact), lane_f32_type(l));
}

LLVMValueRef lane_round(const lane *l, tosajit_type result, LLVMValueRef a) {
    return result == TOSAJIT_F32 ? lane_fptrunc(l, a) : round_to_odd(l, a);
}

static int is_double(const lane *l, LLVMValueRef a) { return LLVMTypeOf(a) == lane_f64_type(l); }

LLVMValueRef lane_widen(const lane *l, tosajit_type element, LLVMValueRef a) {
    switch (element) {
    case TOSAJIT_F16: return f16_to_f32(l, a);
    case TOSAJIT_BF16: return bf16_to_f32(l, a);
    case TOSAJIT_F8E4M3FN: return e4m3fn_to_f32(l, a);
    case TOSAJIT_F8E5M2: return e5m2_to_f32(l, a);
    default: return a;
    }
}

LLVMValueRef lane_narrow(const lane *l, tosajit_type element, LLVMValueRef a) {
    if (element == TOSAJIT_F64) return is_double(l, a) ? a : lane_fpext(l, a);
    if (element == TOSAJIT_F32) return is_double(l, a) ? lane_fptrunc(l, a) : a;
    if (is_double(l, a)) a = round_to_odd(l, a);
    switch (element) {
    case TOSAJIT_F16: return f32_to_f16(l, a);
    case TOSAJIT_BF16: return f32_to_bf16(l, a);
    case TOSAJIT_F8E4M3FN: return f32_to_small(l, &e4m3fn, a);
    case TOSAJIT_F8E5M2: return f32_to_small(l, &e5m2, a);
    default: return a;
    }
}

bool lane_is_half(tosajit_type element) {
    return element == TOSAJIT_F16 || element == TOSAJIT_BF16;
}

lane lane_in_any_order(const lane *l, tosajit_type element) {
    lane own = *l;
    own.evens_first = element == TOSAJIT_BF16 && !l->target->level->bf16 &&
                      l->count * sizeof(float) >= 2 * l->target->level->vector_bytes;
    return own;
}

LLVMValueRef lane_narrow_function(const lane *l, tosajit_type element, LLVMValueRef a) {
    const bool by_bits = element == TOSAJIT_BF16 && !l->target->has_bf16 && !is_double(l, a);
    return by_bits ? round_to_bf16(l, a) : lane_narrow(l, element, a);
}

static LLVMValueRef narrow_one_way(const lane *l, tosajit_type element, LLVMValueRef a,
                                   int64_t half) {
    return element == TOSAJIT_BF16 && !l->target->has_bf16 ? round_one_way(l, a, half)
                                                           : lane_narrow(l, element, a);
}

LLVMValueRef lane_narrow_half_away(const lane *l, tosajit_type element, LLVMValueRef a) {
    return narrow_one_way(l, element, a, 0x8000);
}

LLVMValueRef lane_narrow_half_to_zero(const lane *l, tosajit_type element, LLVMValueRef a) {
    return narrow_one_way(l, element, a, 0x7fff);
}

LLVMValueRef lane_narrow_exact(const lane *l, tosajit_type element, LLVMValueRef a) {
    if (element != TOSAJIT_BF16) return lane_narrow(l, element, a);
    return upper_halves(l, lane_bitcast(l, a, lane_int_type(l, 32)));
}
