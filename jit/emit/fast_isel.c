/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* FastISel: how code for it is written. Which parts are selected by it, the nest says. */
#include "jit/emit/fast_isel.h"

#include <string.h>

#include "jit/facts/work.h"
#include "runtime/base/types.h"

/* True if all that the part does with a value is an instruction each. */
static bool is_for_one(const part_emitter *e, size_t value) {
    bool all = true;
    for (size_t k = value; k < e->k.program->count; k++) {
        const expr_node *node = &e->k.program->nodes[k];
        if (!has_node(e, k)) continue;
        for (int o = 0; o < node->operand_count; o++)
            if ((size_t)node->operands[o] == value) all &= node_work(node) == WORK_ONE;
    }
    return all;
}

LLVMValueRef fast_isel_scalar(const part_emitter *e, size_t value, LLVMValueRef scalar) {
    const bool freezes = e->nest.fast_isel && LLVMIsConstant(scalar) && is_for_one(e, value);
    return freezes ? LLVMBuildFreeze(e->k.builder, scalar, "") : scalar;
}

void fast_isel_fall_into(const part_emitter *e, LLVMBasicBlockRef next) {
    if (e->nest.fast_isel) LLVMBuildFreeze(e->k.builder, e->cols, "");
    LLVMBuildBr(e->k.builder, next);
}

void fast_isel_tail(part_emitter *e, LLVMValueRef column) {
    if (!e->nest.fast_isel) return;
    e->tail = column;
    memset(e->tail_bytes, 0, sizeof e->tail_bytes);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        size_t size = tosajit_type_size(tensor_node(e, t)->type.element);
        if (!e->tail_bytes[size - 1])
            e->tail_bytes[size - 1] =
                LLVMBuildMul(e->k.builder, column, int64_constant(e, (int64_t)size), "");
    }
}

LLVMValueRef fast_isel_tail_address(const part_emitter *e, int32_t t, LLVMValueRef base) {
    LLVMValueRef bytes = e->tail_bytes[tosajit_type_size(tensor_node(e, t)->type.element) - 1];
    return LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context), base, &bytes, 1, "");
}

/* LLVM's passes look through a freeze, but not through assembly, of which there is none. */
static LLVMValueRef hide(const part_emitter *e, LLVMValueRef value) {
    char text[] = "", same[] = "=r,0";
    LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, 0);
    LLVMValueRef nothing = LLVMGetInlineAsm(function, text, 0, same, sizeof same - 1, 0, 0,
                                            LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(e->k.builder, function, nothing, &value, 1, "");
}

LLVMValueRef fast_isel_hide(const part_emitter *e, LLVMValueRef induction) {
    if (e->nest.fast_isel) return LLVMBuildFreeze(e->k.builder, induction, "");
    return nest_is_peeled(&e->nest) ? hide(e, induction) : induction;
}

void fast_isel_finish(const part_emitter *e) {
    if (!e->nest.fast_isel) return;
    lane_add_flag(e->function, "optnone");
    lane_add_flag(e->function, "noinline"); /* LLVM wants both or none */
}
