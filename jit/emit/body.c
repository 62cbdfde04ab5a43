/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is in the loops of a kernel: what is computed once per row, then loads, ops and stores of
 * some lanes. All loads of a step come before its stores, so that a result may be computed in place
 * of an operand. */
#include <string.h>

#include "jit/emit/part.h"
#include "jit/emit/plain.h"
#include "jit/facts/work.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"

/* A splat constant as a value in every lane. */
static LLVMValueRef constant_lanes(const lane *l, const expr_node *node) {
    tosajit_type element = node->type.element;
    uint64_t bits = 0;
    memcpy(&bits, node->data, node->data_size); /* little-endian: the low bytes */
    if (element == TOSAJIT_I1)
        return bits ? LLVMConstAllOnes(lane_bool_type(l)) : LLVMConstNull(lane_bool_type(l));
    LLVMValueRef integer = lane_int(l, (unsigned)node->data_size * 8, (int64_t)bits);
    return element == TOSAJIT_F32 || element == TOSAJIT_F64
               ? lane_bitcast(l, integer, lane_element_type(l, element))
               : integer;
}

/* The leaf behind the table that a node looks up; -1 for other ops. */
static int32_t table_leaf(const part_emitter *e, const expr_node *node) {
    for (int32_t t = 0; op_has_table(node->op) && t < e->part->leaf_count; t++)
        if (e->part->leaves[t].table && e->part->leaves[t].value == node->operands[1]) return t;
    return -1;
}

/* The plane that a node's lanes may be computed by, since its bytes are there; or null. */
static const sum_plane *plane_at(const part_emitter *e, const lane *l, size_t k,
                                 LLVMValueRef *const values) {
    const sum_plane *p = &e->byte_planes[k];
    return p->is_plane && l->count > 1 && values[p->bytes[0]] && values[p->bytes[1]] ? p : NULL;
}

static LLVMValueRef compute_node(const part_emitter *e, const lane *l, size_t k,
                                 LLVMValueRef *const values) {
    const expr_node *node = &e->program->nodes[k];
    const op_result kind = op_table[node->op].result;
    const bool on_bits = op_is_on_bits(node->op);
    const lane own = e->nest.any_order && !on_bits ? lane_in_any_order(l, node->type.element) : *l;
    LLVMValueRef operands[TOSAJIT_MAX_OPERANDS];
    range ranges[TOSAJIT_MAX_OPERANDS];
    const sum_plane *p = plane_at(e, l, k, values);
    if (p) return lane_byte_plane(l, &p->plane, values[p->bytes[0]], values[p->bytes[1]]);
    for (int o = 0; o < node->operand_count; o++) {
        operands[o] = values[node->operands[o]];
        ranges[o] = e->ranges[node->operands[o]];
        if (operands[o] && !on_bits)
            operands[o] =
                lane_widen(&own, e->program->nodes[node->operands[o]].type.element, operands[o]);
    }
    int32_t table = table_leaf(e, node);
    emit_op op = {node->op,
                  &node->attributes,
                  e->program->nodes[node->operands[0]].type.element,
                  node->type.element,
                  node->operand_count,
                  e->program->fast,
                  ranges,
                  table < 0 ? NULL : e->row_pointers[table],
                  table < 0 ? NULL : column_stride(e, table),
                  table < 0 || !e->loaded[table][0] ? NULL : e->loaded[table],
                  table < 0 || !has_bit(e->on_lines, table) ? NULL : &e->lines[table]};
    const op_emitters *all = &emitters[node->op];
    emitter *emit = lane_is_half(op.result) ? all->half : op.fast ? all->fast : all->exact;
    LLVMValueRef result = emit(&own, &op, operands);
    if (on_bits || (kind == RESULT_FUNCTION && lane_is_half(op.result))) return result;
    return (kind == RESULT_EXACT ? lane_narrow_exact : lane_narrow)(&own, op.result, result);
}

/* Where the builder stands, to find later what was emitted since: the instructions behind `last` in
 * `block`, and the blocks behind `end`. */
typedef struct mark {
    LLVMBasicBlockRef block, end;
    LLVMValueRef last;
} mark;

static mark set_mark(const part_emitter *e) {
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
    return (mark){block, LLVMGetLastBasicBlock(e->function), LLVMGetLastInstruction(block)};
}

static void spend(const part_emitter *e, LLVMValueRef first) {
    for (; first && *e->left > 0; first = LLVMGetNextInstruction(first)) --*e->left;
}

static void spend_since(const part_emitter *e, mark m) {
    spend(e, m.last ? LLVMGetNextInstruction(m.last) : LLVMGetFirstInstruction(m.block));
    for (LLVMBasicBlockRef b = m.end; (b = LLVMGetNextBasicBlock(b));)
        spend(e, LLVMGetFirstInstruction(b));
}

static LLVMValueRef nothing(const part_emitter *e, const lane *l, size_t k) {
    return LLVMGetPoison(lane_element_type(l, e->program->nodes[k].type.element));
}

/* The lanes of a node. When the bound on instructions is met, the kernel will be refused. Its loops
 * are still completed, so that LLVM is left with a whole function, but with poison for values. */
static LLVMValueRef emit_node(const part_emitter *e, const lane *l, size_t k,
                              LLVMValueRef *const values) {
    if (*e->left == 0) return nothing(e, l, k);
    const mark before = set_mark(e);
    LLVMValueRef value = compute_node(e, l, k, values);
    spend_since(e, before);
    return value;
}

/* What is the same for the whole row: splats, constants, and ops whose operands are all such.
 * Computed once a row, as scalars. What other loops have computed so is forgotten first; but what
 * LLVM made a constant of serves every loop, and stays. */
void emit_row_scalars(part_emitter *e, const tosajit_variant *variant) {
    lane l = lane_of(e, 1);
    for (size_t k = 0; k < e->program->count; k++)
        if (e->scalars[k] && !LLVMIsConstant(e->scalars[k])) e->scalars[k] = NULL;
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (has_bit(variant->splat, t) && !e->part->leaves[t].table)
            e->scalars[e->part->leaves[t].value] =
                lane_load(&l, tensor_node(e, t)->type.element, e->row_pointers[t], NULL);
    for (size_t k = 0; k < e->program->count; k++) {
        const expr_node *node = &e->program->nodes[k];
        if (!(e->node_parts[k] & e->part_bit) || node->kind == NODE_INPUT || e->scalars[k])
            continue;
        if (node->kind == NODE_CONSTANT) {
            if (node->splat) e->scalars[k] = constant_lanes(&l, node);
            continue;
        }
        bool uniform = true;
        for (int o = 0; o < node->operand_count; o++)
            uniform &= e->scalars[node->operands[o]] != NULL || expr_role(node, o) == ROLE_TABLE;
        if (uniform) e->scalars[k] = emit_node(e, &l, k, e->scalars);
    }
}

/* For leaves that may be either, a splat or contiguous. A splat is written into a buffer, once for
 * each lane, and the loop reads that buffer in every step; a contiguous row is read where it lies.
 * So one loop serves both, and only the address differs. */
void emit_row_patterns(part_emitter *e, const tosajit_variant *variant) {
    lane wide = lane_of(e, e->levels[0].lanes), one = lane_of(e, 1);
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!has_bit(variant->either, t)) continue;
        LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), fill = new_block(e, "splat"),
                          after = new_block(e, "either");
        LLVMValueRef moves =
            LLVMBuildICmp(e->builder, LLVMIntNE, e->pattern_masks[t], int64_constant(e, 0), "");
        LLVMBuildCondBr(e->builder, moves, after, fill);
        LLVMPositionBuilderAtEnd(e->builder, fill);
        LLVMTypeRef element = lane_memory_type(&one, tensor_node(e, t)->type.element);
        LLVMValueRef first = LLVMBuildLoad2(e->builder, element, e->row_pointers[t], "");
        LLVMSetAlignment(first, 1); /* operands may lie anywhere */
        LLVMBuildStore(e->builder, lane_splat(&wide, first), e->patterns[t]);
        LLVMBuildBr(e->builder, after);
        LLVMPositionBuilderAtEnd(e->builder, after);
        e->pattern_bases[t] = LLVMBuildPhi(e->builder, e->ptr, "");
        LLVMAddIncoming(e->pattern_bases[t], (LLVMValueRef[]){e->row_pointers[t], e->patterns[t]},
                        (LLVMBasicBlockRef[]){before, fill}, 2);
    }
}

/* The address of the element at column + offset. The mask of a leaf that may be either makes every
 * column 0 where the leaf is a splat. It does not mask `offset`, which is 0 in such variants. */
LLVMValueRef element_address(const part_emitter *e, const tosajit_variant *variant, int32_t t,
                             LLVMValueRef column, unsigned offset) {
    lane one = lane_of(e, 1);
    LLVMTypeRef element = lane_memory_type(&one, tensor_node(e, t)->type.element);
    LLVMValueRef base = e->row_pointers[t];
    if (t < e->part->leaf_count && has_bit(variant->either, t)) {
        base = e->pattern_bases[t];
        column = LLVMBuildAnd(e->builder, column, e->pattern_masks[t], "");
    }
    if (e->nest.quick_select && column == e->tail) return plain_tail_address(e, t, base);
    LLVMValueRef address = LLVMBuildGEP2(e->builder, element, base, &column, 1, ""),
                 more = int64_constant(e, offset);
    return offset ? LLVMBuildGEP2(e->builder, element, address, &more, 1, "") : address;
}

/* Whether the bodies compute a node. */
static bool is_in_lanes(const part_emitter *e, size_t k) {
    return (e->node_parts[k] & e->part_bit) && !e->scalars[k];
}

static LLVMValueRef emit_splat(const part_emitter *e, const lane *l, size_t k) {
    if (*e->left == 0) return nothing(e, l, k);
    const mark before = set_mark(e);
    LLVMValueRef splat = lane_splat(l, plain_scalar(e, k));
    spend_since(e, before);
    return splat;
}

/* What is the same for the whole row, in every lane, if the bodies use it: operands and results. */
void emit_splats(part_emitter *e, unsigned lanes) {
    lane l = lane_of(e, lanes);
    memset(e->splats, 0, e->program->count * sizeof *e->splats);
    for (size_t k = 0; k < e->program->count; k++) {
        const expr_node *node = &e->program->nodes[k];
        for (int o = 0; o < node->operand_count && is_in_lanes(e, k); o++)
            e->splats[node->operands[o]] = e->scalars[node->operands[o]];
        for (int o = 0; e->byte_planes[k].is_plane && o < 2 && is_in_lanes(e, k); o++)
            e->splats[e->byte_planes[k].bytes[o]] = e->scalars[e->byte_planes[k].bytes[o]];
    }
    for (int32_t r = 0; r < e->part->result_count; r++) {
        tosajit_value value = e->program->results[e->part->results[r]];
        e->splats[value] = e->scalars[value];
    }
    for (size_t k = 0; k < e->program->count; k++)
        if (e->splats[k]) e->splats[k] = emit_splat(e, &l, k);
}

/* Set the values of the leaves that the body walks to the lanes at column + offset. */
void emit_loads(part_emitter *e, const tosajit_variant *variant, unsigned lanes,
                LLVMValueRef column, unsigned offset, LLVMValueRef mask) {
    lane l = lane_of(e, lanes);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (!has_bit(variant->splat, t))
            e->values[e->part->leaves[t].value] =
                lane_load(&l, tensor_node(e, t)->type.element,
                          element_address(e, variant, t, column, offset), mask);
}

/* Whether only a plane needs a node, which does without. */
static bool is_spared(const part_emitter *e, const lane *l, size_t k) {
    const tosajit_value plane = e->byte_planes[k].only_for;
    return plane >= 0 && plane_at(e, l, (size_t)plane, e->values);
}

void emit_nodes(part_emitter *e, unsigned lanes) {
    lane l = lane_of(e, lanes);
    for (size_t k = 0; k < e->program->count; k++)
        if (is_in_lanes(e, k) && !e->values[k] && !is_spared(e, &l, k))
            e->values[k] = emit_node(e, &l, k, e->values);
}

void emit_stores(part_emitter *e, const tosajit_variant *variant, unsigned lanes,
                 LLVMValueRef column, unsigned offset, LLVMValueRef mask) {
    lane l = lane_of(e, lanes);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        tosajit_value value = tensor_value(e, t);
        const tosajit_type element = e->program->nodes[value].type.element;
        LLVMValueRef address = element_address(e, variant, t, column, offset);
        if (e->streams)
            lane_stream(&l, element, e->values[value], address);
        else
            lane_store(&l, element, e->values[value], address, mask);
    }
}

void emit_values(part_emitter *e, const tosajit_variant *variant, unsigned lanes,
                 LLVMValueRef column, unsigned offset, LLVMValueRef mask) {
    memcpy(e->values, e->splats, e->program->count * sizeof *e->values);
    emit_loads(e, variant, lanes, column, offset, mask);
    emit_nodes(e, lanes);
}

void emit_body(part_emitter *e, const tosajit_variant *variant, unsigned lanes, LLVMValueRef column,
               unsigned offset, LLVMValueRef mask) {
    emit_values(e, variant, lanes, column, offset, mask);
    emit_stores(e, variant, lanes, column, offset, mask);
}

/* Pattern buffers live in the entry block, so that a row loop does not grow the stack. */
void emit_pattern_buffers(part_emitter *e, const tosajit_variant *variant) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder),
                      entry = LLVMGetEntryBasicBlock(e->function);
    lane wide = lane_of(e, e->levels[0].lanes);
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!has_bit(variant->either, t)) continue;
        LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(entry));
        e->patterns[t] = LLVMBuildAlloca(
            e->builder, lane_memory_type(&wide, tensor_node(e, t)->type.element), "pattern");
        LLVMPositionBuilderAtEnd(e->builder, here);
        /* The mask is 0 for a stride of 0, and -1 for a stride of the element's size. It is made by
         * shifting and negating: a comparison LLVM would move into the loop, as a selection in
         * every step. */
        int64_t size = (int64_t)tosajit_type_size(tensor_node(e, t)->type.element), shift = 0;
        while (INT64_C(1) << shift < size) shift++;
        LLVMValueRef moves =
            LLVMBuildLShr(e->builder, column_stride(e, t), int64_constant(e, shift), "");
        e->pattern_masks[t] = LLVMBuildNeg(e->builder, moves, "");
    }
}
