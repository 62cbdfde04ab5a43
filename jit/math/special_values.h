/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Helpers that the emitters of f32 mathematics share. */
#ifndef TOSAJIT_JIT_MATH_SPECIAL_VALUES_H
#define TOSAJIT_JIT_MATH_SPECIAL_VALUES_H

#include "jit/lane/lane.h"

#define COUNT(array) (unsigned)(sizeof(array) / sizeof(*(array)))

/* A double x = 2^k m > 0 that was widened from f32, m in sqrt(1/2)..sqrt(2): k, m - 1 and m + 1 as
 * exact doubles. */
typedef struct split {
    LLVMValueRef k, below, above;
} split;

split split_f64(const lane *l, LLVMValueRef x);

/* x limited to low..high; NaN passes, both comparisons being false. */
LLVMValueRef limit(const lane *l, LLVMValueRef x, double low, double high);
/* `result`, but ln x where x is zero, negative, infinite or NaN. */
LLVMValueRef log_special_values(const lane *l, LLVMValueRef x, LLVMValueRef result);
/* 1 / sqrt x, rounded correctly, of any x, by dividing. */
LLVMValueRef rsqrt_wide(const lane *l, LLVMValueRef x);
/* sin x, or cos x, of finite x of any size, each lane by itself. The result is an f32 that
 * lane_narrow rounds to f16 or bf16 as the exact value would be. */
LLVMValueRef far_sine(const lane *l, LLVMValueRef x, bool is_cosine);
/* 2^(n/8) in f64, n in the low bits of an i64. Only where lane_has_lookup. */
LLVMValueRef exp2_of_eighths(const lane *l, LLVMValueRef n);

/* x^y for finite x > 0 and finite y: an f32 that lane_narrow rounds to f16 or bf16 as it would the
 * exact value. In f64. */
LLVMValueRef power_for_narrow(const lane *l, LLVMValueRef x, LLVMValueRef y);
/* x^0.5 and x^-0.5 of f32, rounded correctly, where the exponent is such a constant; else null. */
LLVMValueRef power_as_root(const lane *l, const emit_op *op, const LLVMValueRef *x);

/* x^y with the special values of C99 Annex F; `magnitude` is abs(x)^y where both are finite and x
 * is not 0. It is a call, and needed only where the second function says so. */
LLVMValueRef power_special_values(const lane *l, LLVMValueRef x, LLVMValueRef y,
                                  LLVMValueRef magnitude);
LLVMValueRef power_has_specials(const lane *l, LLVMValueRef x, LLVMValueRef y);

#endif
