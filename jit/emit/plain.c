/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plain code: which parts are, and how it is written. */
#include "jit/emit/plain.h"

#include <string.h>

#include "runtime/base/types.h"
#include "runtime/expr/ops.h"

/* Ops of a few instructions gain some by the quick selection, which one or two ops feel where
 * operands are in a cache: clamp(x + b) takes 1.05 of the time, abs(x - y) in L1 up to 1.7. More
 * than a dozen have something to schedule. */
enum { MAX_PLAIN_OPS = 12, MIN_CHAIN_OPS = 3 };

/* Only ONE and FEW are plain. What parameters do to integers is never one instruction. */
static op_work node_work(const expr_node *node) {
    tosajit_type element = node->type.element;
    bool is_integer = element == TOSAJIT_I8 || element == TOSAJIT_I16 || element == TOSAJIT_I32;
    if (!is_integer && element != TOSAJIT_F32 && element != TOSAJIT_F64) return WORK_SOME;
    if (node->kind != NODE_OP) return WORK_ONE;
    if (is_integer && tosajit_op_parameters(node->op, NULL) > 0) return WORK_SOME;
    return op_table[node->op].work;
}

/* One limit, as relu has it, gains nothing. It is the commonest op behind a sum. */
static bool is_limit(const tosajit_expr *program, const expr_node *node) {
    if (node->kind != NODE_OP) return false;
    if (node->op != TOSAJIT_OP_maximum && node->op != TOSAJIT_OP_minimum) return false;
    const expr_node *limit = &program->nodes[node->operands[1]];
    return limit->kind == NODE_CONSTANT && limit->splat;
}

void plain_decide(part_emitter *e, const loop_choice *loops) {
    const unsigned ops = loops->light + loops->heavy;
    op_work most = WORK_ONE;
    for (size_t k = 0; k < e->program->count; k++) {
        const expr_node *node = &e->program->nodes[k];
        if (!(e->node_parts[k] & e->part_bit)) continue;
        op_work own = node_work(node);
        if (own == WORK_FEW && is_limit(e->program, node)) own = WORK_ONE;
        if (own > most) most = own;
    }
    e->plain = e->target->level->quick_select && ops <= MAX_PLAIN_OPS &&
               (most == WORK_ONE || (most == WORK_FEW && ops >= MIN_CHAIN_OPS));
    for (int32_t v = 0; e->plain && v < e->part->variant_count; v++)
        e->plain = !e->part->variants[v].either;
}

level plain_wide_level(const part_emitter *e, const loop_choice *loops) {
    if (e->plain || loops->apart) return (level){.lanes = loops->lanes, .repeats = loops->unroll};
    return (level){.lanes = loops->lanes * loops->unroll, .repeats = 1};
}

/* Whether all that the part does with a value is an instruction each. */
static bool is_for_one(const part_emitter *e, size_t value) {
    bool all = true;
    for (size_t k = value; k < e->program->count; k++) {
        const expr_node *node = &e->program->nodes[k];
        if (!(e->node_parts[k] & e->part_bit)) continue;
        for (int o = 0; o < node->operand_count; o++)
            if ((size_t)node->operands[o] == value) all &= node_work(node) == WORK_ONE;
    }
    return all;
}

LLVMValueRef plain_scalar(const part_emitter *e, size_t value) {
    LLVMValueRef scalar = e->scalars[value];
    const bool freezes = e->plain && LLVMIsConstant(scalar) && is_for_one(e, value);
    return freezes ? LLVMBuildFreeze(e->builder, scalar, "") : scalar;
}

void plain_fall_into(const part_emitter *e, LLVMBasicBlockRef next) {
    if (e->plain) LLVMBuildFreeze(e->builder, e->cols, "");
    LLVMBuildBr(e->builder, next);
}

void plain_tail(part_emitter *e, LLVMValueRef column) {
    if (!e->plain) return;
    e->tail = column;
    memset(e->tail_bytes, 0, sizeof e->tail_bytes);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        size_t size = tosajit_type_size(tensor_node(e, t)->type.element);
        if (!e->tail_bytes[size - 1])
            e->tail_bytes[size - 1] =
                LLVMBuildMul(e->builder, column, int64_constant(e, (int64_t)size), "");
    }
}

LLVMValueRef plain_tail_address(const part_emitter *e, int32_t t, LLVMValueRef base) {
    LLVMValueRef bytes = e->tail_bytes[tosajit_type_size(tensor_node(e, t)->type.element) - 1];
    return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), base, &bytes, 1, "");
}

/* LLVM's passes look through a freeze, but not through assembly, of which there is none. */
static LLVMValueRef hide(const part_emitter *e, LLVMValueRef value) {
    char text[] = "", same[] = "=r,0";
    LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, 0);
    LLVMValueRef nothing = LLVMGetInlineAsm(function, text, 0, same, sizeof same - 1, 0, 0,
                                            LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(e->builder, function, nothing, &value, 1, "");
}

LLVMValueRef plain_hide(const part_emitter *e, LLVMValueRef induction) {
    if (e->plain) return LLVMBuildFreeze(e->builder, induction, "");
    return e->loops.ends ? hide(e, induction) : induction;
}

void plain_finish(const part_emitter *e) {
    if (!e->plain) return;
    lane_add_flag(e->function, "optnone");
    lane_add_flag(e->function, "noinline"); /* LLVM wants both or none */
}
