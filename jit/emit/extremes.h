/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A maximum or minimum of many f32, kept as three values: their beginning, a step with one more
 * element, and their result. */
#ifndef TOSAJIT_JIT_EMIT_EXTREMES_H
#define TOSAJIT_JIT_EMIT_EXTREMES_H

#include "jit/lane/lane.h"

enum { EXTREME_VALUES = 3 };
void extreme_begin(const lane *l, LLVMValueRef neutral, LLVMValueRef *kept);
void extreme_add(const lane *l, bool greatest, LLVMValueRef x, LLVMValueRef *kept);
LLVMValueRef extreme_value(const lane *l, const LLVMValueRef *kept);

#endif
