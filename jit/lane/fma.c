/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Multiply-add for CPUs without the instruction, where LLVM would call the machine's libm once per
 * lane. It is an internal function per type and lane count, of exact sums and products, with the
 * bits of the instruction. It is slow. */
#include <math.h>
#include <stdio.h>

#include "jit/lane/lane.h"

/* a + b = high + low exactly, unless high is not finite; then low is NaN. */
typedef struct exact_sum {
    LLVMValueRef high, low;
} exact_sum;

static exact_sum add_exactly(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef high = lane_fadd(l, a, b), b_part = lane_fsub(l, high, a),
                 a_part = lane_fsub(l, high, b_part);
    return (exact_sum){high, lane_fadd(l, lane_fsub(l, a, a_part), lane_fsub(l, b, b_part))};
}

static LLVMValueRef bits_of(const lane *l, LLVMValueRef a) {
    return lane_bitcast(l, a, lane_int_type(l, 64));
}

/* The sum rounded to odd: where it is inexact and high is even, its odd neighbour on the side of
 * low. Rounded once more, to fewer bits, it gives what rounding once would have. Source: Boldo and
 * Melquiond, Emulation of FMA and correctly rounded sums, 2008. */
static LLVMValueRef to_odd(const lane *l, exact_sum sum) {
    LLVMValueRef bits = bits_of(l, sum.high), one = lane_int(l, 64, 1), zero = lane_int(l, 64, 0);
    LLVMValueRef even = lane_icmp(l, LLVMIntEQ, lane_and(l, bits, one), zero);
    LLVMValueRef inexact = lane_fcmp(l, LLVMRealONE, sum.low, lane_f64(l, 0.0)); /* false for NaN */
    LLVMValueRef toward_zero =
        lane_icmp(l, LLVMIntSLT, lane_xor(l, bits, bits_of(l, sum.low)), zero);
    LLVMValueRef step = lane_select(l, toward_zero, lane_int(l, 64, -1), one);
    return lane_bitcast(l,
                        lane_select(l, lane_and(l, even, inexact), lane_add(l, bits, step), bits),
                        lane_f64_type(l));
}

/* The product of two f32 is exact in f64. */
static LLVMValueRef fma_f32(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    LLVMValueRef product = lane_fmul(l, lane_fpext(l, a), lane_fpext(l, b));
    return lane_fptrunc(l, to_odd(l, add_exactly(l, product, lane_fpext(l, c))));
}

/* The upper 26 bits, rounded; the rest then has 26, too. Done in integers it overflows next to
 * infinity only. */
static LLVMValueRef upper_half(const lane *l, LLVMValueRef a) {
    LLVMValueRef rounded = lane_add(l, bits_of(l, a), lane_int(l, 64, INT64_C(1) << 26));
    return lane_bitcast(l, lane_and(l, rounded, lane_int(l, 64, -(INT64_C(1) << 27))),
                        lane_f64_type(l));
}

/* a 2^-100 and b 2^100 where a is so large that its upper half would be infinity. */
static void keep_from_infinity(const lane *l, LLVMValueRef *a, LLVMValueRef *b) {
    LLVMValueRef large = lane_fcmp(l, LLVMRealOGT, lane_fabs(l, *a), lane_f64(l, 0x1p1000));
    *a = lane_select(l, large, lane_fmul(l, *a, lane_f64(l, 0x1p-100)), *a);
    *b = lane_select(l, large, lane_fmul(l, *b, lane_f64(l, 0x1p100)), *b);
}

/* Dekker's product: a b = high + low exactly, unless bits of it lie below the smallest subnormal.
 */
static exact_sum multiply_exactly(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef a_high = upper_half(l, a), a_low = lane_fsub(l, a, a_high),
                 b_high = upper_half(l, b), b_low = lane_fsub(l, b, b_high);
    LLVMValueRef product = lane_fmul(l, a, b),
                 rest = lane_fsub(l, lane_fmul(l, a_high, b_high), product);
    rest = lane_fadd(l, rest, lane_fmul(l, a_high, b_low));
    rest = lane_fadd(l, rest, lane_fmul(l, a_low, b_high));
    return (exact_sum){product, lane_fadd(l, rest, lane_fmul(l, a_low, b_low))};
}

/* Boldo and Melquiond's. It loses the sign of zeros, so zeros and infinities and NaN are as the
 * plain operations have them. It would be wrong where product and addend are below 2^-900, or next
 * to overflow. Operands never are: they are widened from f32, or functions of f64 keep away from
 * there. */
static LLVMValueRef fma_f64(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    keep_from_infinity(l, &a, &b);
    exact_sum product = multiply_exactly(l, a, b), small = add_exactly(l, c, product.low),
              large = add_exactly(l, product.high, small.high);
    LLVMValueRef result = lane_fadd(l, large.high, to_odd(l, add_exactly(l, small.low, large.low)));
    LLVMValueRef special = lane_fcmp(l, LLVMRealUEQ, result, lane_f64(l, 0.0));
    return lane_select(l, special, lane_fadd(l, product.high, c), result);
}

/* A number that is not 0 as a significand, 1 or more and less than 2 in size, and an exponent. */
typedef struct scaled {
    LLVMValueRef significand, exponent;
} scaled;

enum { F64_FRACTION = 52, F64_BIAS = 1023, F64_LEAST = -1074, SUBNORMAL_SHIFT = 54 };

static LLVMValueRef int64(const lane *l, int64_t value) { return lane_int(l, 64, value); }

static scaled scale(const lane *l, LLVMValueRef a) {
    LLVMValueRef small = lane_fcmp(l, LLVMRealOLT, lane_fabs(l, a), lane_f64(l, 0x1p-1022));
    LLVMValueRef bits = bits_of(l, lane_select(l, small, lane_fmul(l, a, lane_f64(l, 0x1p54)), a));
    LLVMValueRef biased = lane_and(l, lane_lshr(l, bits, int64(l, F64_FRACTION)), int64(l, 0x7ff));
    LLVMValueRef bias =
        lane_select(l, small, int64(l, F64_BIAS + SUBNORMAL_SHIFT), int64(l, F64_BIAS));
    LLVMValueRef fraction = lane_and(l, bits, int64(l, (int64_t)0x800fffffffffffff));
    LLVMValueRef one = lane_or(l, fraction, int64(l, (int64_t)F64_BIAS << F64_FRACTION));
    return (scaled){lane_bitcast(l, one, lane_f64_type(l)), lane_sub(l, biased, bias)};
}

/* 2^exponent, of a normal number. */
static LLVMValueRef power_of_2(const lane *l, LLVMValueRef exponent) {
    LLVMValueRef biased = lane_add(l, exponent, int64(l, F64_BIAS));
    return lane_bitcast(l, lane_shl(l, biased, int64(l, F64_FRACTION)), lane_f64_type(l));
}

static LLVMValueRef greater_of(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return lane_select(l, lane_icmp(l, LLVMIntSGT, a, b), a, b);
}
static LLVMValueRef less_of(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return lane_select(l, lane_icmp(l, LLVMIntSLT, a, b), a, b);
}

/* Scaled by 2^by. What is too small to be seen but by being there stays so: 2^-130. */
static LLVMValueRef shifted(const lane *l, LLVMValueRef a, LLVMValueRef by) {
    return lane_fmul(l, a, power_of_2(l, greater_of(l, by, int64(l, -130))));
}

/* The multiple of a place that is nearest to sum.high, whose size is below 2^52 places, and which
 * is a multiple of half a place where it lies halfway. Then what it has lost, sum.low, decides. */
static LLVMValueRef round_to_place(const lane *l, exact_sum sum, LLVMValueRef place,
                                   LLVMValueRef sign) {
    LLVMValueRef half = lane_fmul(l, place, lane_f64(l, 0.5)), zero = lane_f64(l, 0.0);
    LLVMValueRef magic =
        lane_bitcast(l, lane_or(l, bits_of(l, lane_fmul(l, place, lane_f64(l, 0x1p52))), sign),
                     lane_f64_type(l));
    LLVMValueRef nearest = lane_fsub(l, lane_fadd(l, sum.high, magic), magic),
                 rest = lane_fsub(l, sum.high, nearest);
    LLVMValueRef on_half = lane_fcmp(l, LLVMRealOEQ, lane_fabs(l, rest), half),
                 more = lane_and(l, on_half, lane_fcmp(l, LLVMRealOGT, sum.low, zero)),
                 less = lane_and(l, on_half, lane_fcmp(l, LLVMRealOLT, sum.low, zero));
    LLVMValueRef up = lane_select(l, more, lane_fadd(l, sum.high, half), nearest);
    return lane_select(l, less, lane_fsub(l, sum.high, half), up);
}

/* sum 2^exponent. Where that is subnormal, its last place is worth more than the sum's. */
static LLVMValueRef round_scaled(const lane *l, exact_sum sum, LLVMValueRef exponent) {
    LLVMValueRef near = less_of(l, exponent, int64(l, -900)); /* above no sum is subnormal */
    LLVMValueRef place = power_of_2(l, lane_sub(l, int64(l, F64_LEAST), near)),
                 normal = lane_fmul(l, place, lane_f64(l, 0x1p52));
    LLVMValueRef sign = lane_and(l, bits_of(l, sum.high), int64(l, INT64_MIN)),
                 small = lane_fcmp(l, LLVMRealOLT, lane_fabs(l, sum.high), normal);
    LLVMValueRef rounded = lane_select(l, small, round_to_place(l, sum, place, sign), sum.high);
    rounded = lane_bitcast(l, lane_or(l, bits_of(l, rounded), sign), lane_f64_type(l));
    LLVMValueRef half = lane_ashr(l, exponent, int64(l, 1));
    return lane_fmul(l, lane_fmul(l, rounded, power_of_2(l, half)),
                     power_of_2(l, lane_sub(l, exponent, half)));
}

/* Infinities, NaN and factors that are 0 are as the plain operations have them. */
static LLVMValueRef with_special(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c,
                                 LLVMValueRef result) {
    LLVMValueRef infinite = lane_f64(l, INFINITY), zero = lane_f64(l, 0.0);
    LLVMValueRef least = lane_minimum(l, lane_fabs(l, a), lane_fabs(l, b)),
                 most = lane_maximum(l, lane_fabs(l, a), lane_fabs(l, b));
    LLVMValueRef usual = lane_and(l, lane_fcmp(l, LLVMRealOGT, least, zero),
                                  lane_fcmp(l, LLVMRealOLT, most, infinite));
    LLVMValueRef finite = lane_fcmp(l, LLVMRealOLT, lane_fabs(l, c), infinite),
                 plain = lane_fadd(l, lane_fmul(l, a, b), c);
    return lane_select(l, usual, lane_select(l, finite, result, c), plain);
}

/* Boldo and Melquiond's again, of numbers that are brought near 1 before. */
static LLVMValueRef fma_any_f64(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    const scaled x = scale(l, a), y = scale(l, b), z = scale(l, c);
    LLVMValueRef zero = lane_f64(l, 0.0), above = lane_add(l, x.exponent, y.exponent);
    LLVMValueRef is_alone = lane_fcmp(l, LLVMRealOEQ, c, zero);
    LLVMValueRef addend = lane_select(l, is_alone, int64(l, -1200), z.exponent);
    LLVMValueRef exponent = greater_of(l, greater_of(l, above, addend), int64(l, -1200));
    exact_sum product = multiply_exactly(l, x.significand, y.significand);
    LLVMValueRef by = lane_sub(l, above, exponent);
    product.high = shifted(l, product.high, by), product.low = shifted(l, product.low, by);
    LLVMValueRef third =
        lane_select(l, is_alone, zero, shifted(l, z.significand, lane_sub(l, addend, exponent)));
    exact_sum small = add_exactly(l, third, product.low),
              large = add_exactly(l, product.high, small.high);
    LLVMValueRef tail = to_odd(l, add_exactly(l, small.low, large.low));
    LLVMValueRef result = round_scaled(l, add_exactly(l, large.high, tail), exponent);
    return with_special(l, a, b, c, result);
}

typedef LLVMValueRef fma_emitter(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

/* A call of the function for values of a's type, which is made once per module. */
static LLVMValueRef call_function(const lane *l, const char *kind, fma_emitter *emit,
                                  LLVMValueRef *x) {
    char name[40];
    snprintf(name, sizeof name, "tosajit_fma_%s_x%u", kind, l->count);
    LLVMTypeRef value = LLVMTypeOf(x[0]),
                type = LLVMFunctionType(value, (LLVMTypeRef[]){value, value, value}, 3, 0);
    lane inside;
    LLVMValueRef own[3], function = lane_open_function(l, name, type, &inside);
    if (inside.builder) {
        LLVMGetParams(function, own);
        lane_close_function(&inside, emit(&inside, own[0], own[1], own[2]));
    }
    return LLVMBuildCall2(l->builder, type, function, x, 3, "");
}

LLVMValueRef lane_fma(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    LLVMValueRef operands[3] = {a, b, c};
    if (l->target->has_fma) return lane_intrinsic(l, "llvm.fma", operands, 3);
    if (LLVMTypeOf(a) != lane_f64_type(l)) return call_function(l, "f32", fma_f32, operands);
    return call_function(l, "f64", fma_f64, operands);
}

LLVMValueRef lane_fma_any(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    LLVMValueRef operands[3] = {a, b, c};
    if (l->target->has_fma || LLVMTypeOf(a) != lane_f64_type(l)) return lane_fma(l, a, b, c);
    return call_function(l, "any_f64", fma_any_f64, operands);
}
