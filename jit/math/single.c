/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of TOSAJIT_FAST of the functions that are not TOSA's: the steps of
 * runtime/functions/single.h as lanes. Rare operands leave them for the functions of f64. Narrower
 * types are computed as f32 where fast, and else as f64. */
#include "jit/math/emitters.h"
#define STEPS_OF_F32
#include "jit/math/steps_lane.h"

#include "runtime/functions/single.h"

#define HALF_FUNCTION(name)                                                                        \
    LLVMValueRef half_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {            \
        return lane_narrow_function(l, op->result,                                                 \
                                    (op->fast ? fast_##name : emit_##name)(l, op, x));             \
    }
#define F32_FUNCTION(name)                                                                         \
    HALF_FUNCTION(name)                                                                            \
    LLVMValueRef fast_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {            \
        return (void)op, f32_function_##name(l, x);                                                \
    }
#define F32_FUNCTION_BUT(name, rare)                                                               \
    HALF_FUNCTION(name)                                                                            \
    LLVMValueRef fast_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {            \
        LLVMValueRef usual = f32_function_##name(l, x);                                            \
        lane_cold cold = lane_cold_begin(l, rare(l, x));                                           \
        LLVMValueRef value = lane_fptrunc(l, emit_##name(l, op, x));                               \
        value = lane_select(l, rare(l, x), value, usual);                                          \
        lane_cold_end(l, &cold);                                                                   \
        return lane_cold_merge(l, &cold, usual, value);                                            \
    }
#include "runtime/functions/single_list.h"
