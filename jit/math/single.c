/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of TOSAJIT_REPRODUCIBLE: the steps of runtime/functions/single.h and single_tosa.h as
 * lanes, at most 1 ulp off, with the same bits on every CPU, in every loop. Rare operands leave
 * them for cold code. Of the functions that are not TOSA's, narrower types are computed as f32
 * where fast, and else as f64. */
#include "jit/math/emitters.h"
#include "jit/math/special_values.h"
#define STEPS_OF_F32
#include "jit/math/steps_lane.h"

#include "runtime/functions/single.h"
#include "runtime/functions/single_tosa.h"

#define HALF_FUNCTION(name)                                                                        \
    LLVMValueRef half_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {            \
        return lane_narrow_function(l, op->result,                                                 \
                                    (op->fast ? fast_##name : emit_##name)(l, op, x));             \
    }
#define F32_TOSA(name)                                                                             \
    LLVMValueRef fast_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {            \
        return (void)op, f32_function_##name(l, x);                                                \
    }
#define F32_TOSA_BUT(name, rare) F32_EITHER(name, rare, emit_##name(l, op, x))
#define F32_FUNCTION(name) HALF_FUNCTION(name) F32_TOSA(name)
#define F32_FUNCTION_BUT(name, rare)                                                               \
    HALF_FUNCTION(name) F32_EITHER(name, rare, lane_fptrunc(l, emit_##name(l, op, x)))
#define F32_EITHER(name, rare, other)                                                              \
    LLVMValueRef fast_##name(const lane *l, const emit_op *op, const LLVMValueRef *x) {            \
        LLVMValueRef usual = f32_function_##name(l, x);                                            \
        lane_cold cold = lane_cold_begin(l, rare(l, x));                                           \
        LLVMValueRef value = lane_select(l, rare(l, x), other, usual);                             \
        lane_cold_end(l, &cold);                                                                   \
        return lane_cold_merge(l, &cold, usual, value);                                            \
    }
#include "runtime/functions/single_list.h"

/* abs(x)^y, where a loop need not have it in its registers. */
static LLVMValueRef power_far(const lane *l, const LLVMValueRef *x) {
    LLVMValueRef size = lane_fabs(l, x[0]), far = single_power_far(l, x),
                 root = lane_fcmp(l, LLVMRealOEQ, x[1], lane_f32(l, 0.5f)),
                 inverse = lane_fcmp(l, LLVMRealOEQ, x[1], lane_f32(l, -0.5f));
    far = lane_select(l, root, lane_sqrt(l, size), far);
    return lane_select(l, inverse, rsqrt_wide(l, size), far);
}

LLVMValueRef fast_pow(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    static const lane_vector_function power = {"tosajit_f32_power_far", power_far, 2};
    LLVMValueRef as_root = power_as_root(l, op, x);
    if (as_root) return as_root;
    single_power usual = single_pow(l, x);
    lane_cold cold = lane_cold_begin(l, usual.rare);
    LLVMValueRef far = lane_apart(l, &power, x);
    LLVMValueRef special = power_special_values(l, x[0], x[1], far),
                 value = lane_select(l, usual.rare, special, usual.value);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, usual.value, value);
}
