/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quotients by a divisor that is known when code is made. */
#ifndef TOSAJIT_JIT_MATH_DIVISOR_H
#define TOSAJIT_JIT_MATH_DIVISOR_H

#include "jit/lane/lane.h"

/* a / b rounded toward zero, of 64 bits: 0 where b is 0, and the smallest number by -1 is itself.
 * Null where b is not the same number in all lanes, or only a call knows it. */
LLVMValueRef lane_divide_by(const lane *l, bool is_unsigned, LLVMValueRef a, LLVMValueRef b);

#endif
