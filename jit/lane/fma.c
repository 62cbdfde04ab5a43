/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Multiply-add for CPUs without the instruction, where LLVM would call the machine's libm once per
 * lane. It is an internal function per type and lane count, of exact sums and products, with the
 * bits of the instruction. It is slow. */
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

/* The function for values of a's type, made once per module. */
static LLVMValueRef fma_function(const lane *l, LLVMValueRef a, LLVMTypeRef *type) {
    char name[32];
    bool is_f64 = LLVMTypeOf(a) == lane_f64_type(l);
    snprintf(name, sizeof name, "tosajit_fma_%s_x%u", is_f64 ? "f64" : "f32", l->count);
    LLVMTypeRef value = LLVMTypeOf(a);
    *type = LLVMFunctionType(value, (LLVMTypeRef[]){value, value, value}, 3, 0);
    lane inside;
    LLVMValueRef x[3], function = lane_open_function(l, name, *type, &inside);
    if (!inside.builder) return function;
    LLVMGetParams(function, x);
    lane_close_function(&inside, (is_f64 ? fma_f64 : fma_f32)(&inside, x[0], x[1], x[2]));
    return function;
}

LLVMValueRef lane_fma(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    LLVMValueRef operands[3] = {a, b, c};
    if (l->target->has_fma) return lane_intrinsic(l, "llvm.fma", operands, 3);
    LLVMTypeRef type;
    LLVMValueRef function = fma_function(l, a, &type);
    return LLVMBuildCall2(l->builder, type, function, operands, 3, "");
}
