/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lanes of f32 as numbers and as bits: what the emitters that compute in f32 have in common. */
#ifndef TOSAJIT_JIT_MATH_F32_H
#define TOSAJIT_JIT_MATH_F32_H

#include "jit/lane/lane.h"
#include "runtime/functions/coefficients.h"

/* Adding this to an f32 rounds to an integer and leaves it in the low bits. */
static const float f32_shift = 0x1.8p23f;

static inline LLVMValueRef bits_of(const lane *l, LLVMValueRef x) {
    return lane_bitcast(l, x, lane_int_type(l, 32));
}
static inline LLVMValueRef float_of(const lane *l, LLVMValueRef bits) {
    return lane_bitcast(l, bits, lane_f32_type(l));
}
static inline LLVMValueRef constant(const lane *l, double value) {
    return lane_f32(l, (float)value);
}

static inline LLVMValueRef to_exponent(const lane *l, LLVMValueRef n) {
    return lane_shl(l, n, lane_int(l, 32, 23));
}

/* c[0] + c[1] x + ..., by Horner's rule: the fewest instructions, each of which waits. */
static inline LLVMValueRef polynomial(const lane *l, const double *c, unsigned count,
                                      LLVMValueRef x) {
    LLVMValueRef sum = constant(l, c[count - 1]);
    for (unsigned k = count - 1; k > 0; k--) sum = lane_fma(l, sum, x, constant(l, c[k - 1]));
    return sum;
}

#endif
