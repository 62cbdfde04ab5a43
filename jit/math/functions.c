/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of the functions of f64, and of those that narrower types have by way of f64: the steps
 * of runtime/functions as lanes. */
#include "jit/math/emitters.h"
#include "jit/math/steps_lane.h"

#include "runtime/functions/angle.h"
#include "runtime/functions/error.h"
#include "runtime/functions/power.h"

/* The operands as f64. */
static const LLVMValueRef *widened(const lane *l, const emit_op *op, const LLVMValueRef *x,
                                   LLVMValueRef *wide) {
    for (int k = 0; k < op->operand_count; k++)
        wide[k] = op->operand == TOSAJIT_F64 ? x[k] : lane_fpext(l, x[k]);
    return wide;
}

#define F64_FUNCTION(name)                                                                         \
    LLVMValueRef double_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {          \
        return (void)op, f64_function_##name(l, x);                                                \
    }
#define F64_WIDE(name)                                                                             \
    LLVMValueRef emit_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {            \
        LLVMValueRef wide[TOSAJIT_MAX_OPERANDS];                                                   \
        return f64_function_##name(l, widened(l, op, x, wide));                                    \
    }
#define F64_EXTENSION(name)                                                                        \
    F64_WIDE(name)                                                                                 \
    LLVMValueRef double_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {          \
        return emit_##name(l, op, x);                                                              \
    }
#include "runtime/functions/list.h"
#undef F64_FUNCTION
