/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What fast.c has from fast_table.c: functions by tables in registers. */
#ifndef TOSAJIT_JIT_MATH_FAST_H
#define TOSAJIT_JIT_MATH_FAST_H

#include "jit/lane/lane.h"

/* e^x where some lane is rare, beyond 87 in size or no number: below -104 it is 0, which masks of
 * softmax ask for again and again; only other lanes need `far`. */
LLVMValueRef fast_exp_rare(const lane *l, LLVMValueRef x, LLVMValueRef rare, LLVMValueRef usual,
                           LLVMValueRef (*far)(const lane *l, LLVMValueRef x));
/* Only where lane_entries is not 0. Of any x; sine_looked_up, the sine of x + quarters pi/2, of
 * 0 <= x <= 2^16. */
LLVMValueRef exp_looked_up(const lane *l, LLVMValueRef x);
LLVMValueRef sigmoid_looked_up(const lane *l, LLVMValueRef x);
LLVMValueRef sine_looked_up(const lane *l, LLVMValueRef x, unsigned quarters);
/* Of 0 <= a <= 3.93. */
LLVMValueRef erf_looked_up(const lane *l, LLVMValueRef a);
/* (e^2a + 1) / 2 for 0 <= a <= 9.1. */
LLVMValueRef tanh_divisor_looked_up(const lane *l, LLVMValueRef a);
/* Of 0 <= a <= 9.1, only where lane_entries is 32. */
LLVMValueRef tanh_looked_up(const lane *l, LLVMValueRef a);

#endif
