/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bodies of the loops of a kernel: what is computed once per row, then loads, ops and stores of
 * some lanes. All loads of a step come before its stores, so that a result may be computed in place
 * of an operand. */
#include <string.h>

#include "jit/emit/part.h"
#include "jit/emit/fast_isel.h"
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

/* The requantised add that a node's lanes may be computed by, since its bytes are there; or null.
 */
static const requantised_add *requantised_add_at(const part_emitter *e, const lane *l, size_t k,
                                                 LLVMValueRef *const values) {
    const requantised_add *p = &e->k.requantised_adds[k];
    return p->is_affine && l->count > 1 && values[p->bytes[0]] && values[p->bytes[1]] ? p : NULL;
}

/* A cast to bytes that adds an integer by the way, of lanes that fill packed vectors; or null. */
static LLVMValueRef emit_quantised_cast(const part_emitter *e, const lane *l, size_t k,
                                        LLVMValueRef *const values) {
    const expr_node *node = &e->k.program->nodes[k];
    const quantised_cast q = find_quantised_cast(e->k.program, node);
    if (q.value < 0 || !values[q.value] || !lane_packs_bytes(l)) return NULL;
    const real_range r = e->k.reals[q.value];
    return lane_round_to_bytes(
        l, &(byte_rounding){q.addend, node->type.element == TOSAJIT_U8, r.may_be_nan, r.high},
        values[q.value]);
}

/* The value of several nodes together, where their operands are there; or null. */
static LLVMValueRef emit_together(const part_emitter *e, const lane *l, size_t k,
                                  LLVMValueRef *const values) {
    const requantised_add *p = requantised_add_at(e, l, k, values);
    if (p) return lane_affine_pair(l, &p->pair, values[p->bytes[0]], values[p->bytes[1]]);
    return emit_quantised_cast(e, l, k, values);
}

static emitter *emitter_of(const emit_op *op) {
    const op_emitters *all = &emitters[op->op];
    if (lane_is_half(op->result)) return all->half;
    if (op->result == TOSAJIT_F64) return all->f64;
    return op->fast ? all->fast : all->exact;
}

/* NaN of operands of the result's type have no bits below those of that type. */
static LLVMValueRef narrow_result(const lane *l, const emit_op *op, LLVMValueRef result) {
    if (op_table[op->op].result == RESULT_EXACT) return lane_narrow_exact(l, op->result, result);
    if (op->operand == op->result) return lane_narrow_function(l, op->result, result);
    return lane_narrow(l, op->result, result);
}

static LLVMValueRef compute_node(const row_emitter *r, const lane *l, size_t k,
                                 LLVMValueRef *const values) {
    const part_emitter *e = r->part;
    const expr_node *node = &e->k.program->nodes[k];
    const op_result kind = op_table[node->op].result;
    const bool on_bits = op_is_on_bits(node->op);
    const lane own = e->nest.any_order && !on_bits ? lane_in_any_order(l, node->type.element) : *l;
    LLVMValueRef operands[TOSAJIT_MAX_OPERANDS];
    range ranges[TOSAJIT_MAX_OPERANDS];
    real_range reals[TOSAJIT_MAX_OPERANDS];
    const LLVMValueRef together = emit_together(e, l, k, values);
    if (together) return together;
    for (int o = 0; o < node->operand_count; o++) {
        operands[o] = values[node->operands[o]];
        ranges[o] = e->k.ranges[node->operands[o]];
        reals[o] = e->k.reals[node->operands[o]];
        if (operands[o] && !on_bits)
            operands[o] =
                lane_widen(&own, e->k.program->nodes[node->operands[o]].type.element, operands[o]);
    }
    int32_t table = table_leaf(e, node);
    emit_op op = {node->op,
                  &node->attributes,
                  e->k.program->nodes[node->operands[0]].type.element,
                  node->type.element,
                  node->operand_count,
                  e->k.program->fast,
                  ranges,
                  reals,
                  table < 0 ? NULL : r->pointers[table],
                  table < 0 ? NULL : column_stride(e, table),
                  table < 0 || !e->loaded[table][0] ? NULL : e->loaded[table],
                  table < 0 || !has_bit(e->on_lines, table) ? NULL : &e->lines[table]};
    LLVMValueRef result = emitter_of(&op)(&own, &op, operands);
    if (on_bits || (kind == RESULT_FUNCTION && lane_is_half(op.result))) return result;
    return narrow_result(&own, &op, result);
}

/* Where the builder stands, to find later what was emitted since: the instructions behind `last` in
 * `block`, and the blocks behind `end`. */
typedef struct mark {
    LLVMBasicBlockRef block, end;
    LLVMValueRef last;
} mark;

static mark set_mark(const part_emitter *e) {
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->k.builder);
    return (mark){block, LLVMGetLastBasicBlock(e->function), LLVMGetLastInstruction(block)};
}

static void spend(const part_emitter *e, LLVMValueRef first) {
    for (; first && *e->k.left > 0; first = LLVMGetNextInstruction(first)) --*e->k.left;
}

static void spend_since(const part_emitter *e, mark m) {
    spend(e, m.last ? LLVMGetNextInstruction(m.last) : LLVMGetFirstInstruction(m.block));
    for (LLVMBasicBlockRef b = m.end; (b = LLVMGetNextBasicBlock(b));)
        spend(e, LLVMGetFirstInstruction(b));
}

static LLVMValueRef nothing(const part_emitter *e, const lane *l, size_t k) {
    return LLVMGetPoison(lane_element_type(l, e->k.program->nodes[k].type.element));
}

/* The lanes of a node. When the bound on instructions is met, the kernel will be refused. Its loops
 * are still completed, so that LLVM is left with a whole function, but with poison for values. */
static LLVMValueRef emit_node(const row_emitter *r, const lane *l, size_t k,
                              LLVMValueRef *const values) {
    const part_emitter *e = r->part;
    if (*e->k.left == 0) return nothing(e, l, k);
    const mark before = set_mark(e);
    LLVMValueRef value = compute_node(r, l, k, values);
    spend_since(e, before);
    return value;
}

/* Values that are the same for the whole row: splats, constants, and ops whose operands are all
 * such. Computed once a row, as scalars. What other loops have computed so is forgotten first; but
 * what LLVM made a constant of serves every loop, and stays. */
void emit_row_scalars(row_emitter *r) {
    const part_emitter *e = r->part;
    lane l = lane_of(e, 1);
    for (size_t k = 0; k < e->k.program->count; k++)
        if (r->scalars[k] && !LLVMIsConstant(r->scalars[k])) r->scalars[k] = NULL;
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (has_bit(r->variant->splat, t) && !e->part->leaves[t].table)
            r->scalars[e->part->leaves[t].value] =
                lane_load(&l, tensor_node(e, t)->type.element, r->pointers[t], NULL);
    for (size_t k = 0; k < e->k.program->count; k++) {
        const expr_node *node = &e->k.program->nodes[k];
        if (!has_node(e, k) || node->kind == NODE_INPUT || r->scalars[k]) continue;
        if (node_reduces(node) || node_is_index(node)) continue;
        if (node->kind == NODE_CONSTANT) {
            if (node->splat) r->scalars[k] = constant_lanes(&l, node);
            continue;
        }
        bool uniform = true;
        for (int o = 0; o < node->operand_count; o++)
            uniform &= r->scalars[node->operands[o]] != NULL || expr_role(node, o) == ROLE_TABLE;
        if (uniform) r->scalars[k] = emit_node(r, &l, k, r->scalars);
    }
}

/* For leaves that may be either, a splat or contiguous. A splat is written into a buffer, once for
 * each lane of a step, and the loop reads that buffer in every step; a contiguous row is read where
 * it lies. So one loop serves both, and only the address differs. */
void fill_splat_buffers(row_emitter *r) {
    const part_emitter *e = r->part;
    lane wide = lane_of(e, nest_step(&e->nest)), one = lane_of(e, 1);
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!has_bit(r->variant->either, t)) continue;
        LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder), fill = new_block(e, "splat"),
                          after = new_block(e, "either");
        LLVMValueRef moves =
            LLVMBuildICmp(e->k.builder, LLVMIntNE, r->buffer_masks[t], int64_constant(e, 0), "");
        LLVMBuildCondBr(e->k.builder, moves, after, fill);
        LLVMPositionBuilderAtEnd(e->k.builder, fill);
        LLVMTypeRef element = lane_memory_type(&one, tensor_node(e, t)->type.element);
        LLVMValueRef first = LLVMBuildLoad2(e->k.builder, element, r->pointers[t], "");
        LLVMSetAlignment(first, 1); /* operands may lie anywhere */
        LLVMBuildStore(e->k.builder, lane_splat(&wide, first), r->buffers[t]);
        LLVMBuildBr(e->k.builder, after);
        LLVMPositionBuilderAtEnd(e->k.builder, after);
        r->buffer_bases[t] = LLVMBuildPhi(e->k.builder, e->k.ptr, "");
        LLVMAddIncoming(r->buffer_bases[t], (LLVMValueRef[]){r->pointers[t], r->buffers[t]},
                        (LLVMBasicBlockRef[]){before, fill}, 2);
    }
}

/* The address of the element at column + offset. The mask of a leaf that may be either makes every
 * column 0 where the leaf is a splat. It does not mask `offset`: the buffer is as long as a step.
 */
LLVMValueRef element_address(const row_emitter *r, int32_t t, LLVMValueRef column,
                             unsigned offset) {
    const part_emitter *e = r->part;
    lane one = lane_of(e, 1);
    LLVMTypeRef element = lane_memory_type(&one, tensor_node(e, t)->type.element);
    LLVMValueRef base = r->pointers[t];
    if (t < e->part->leaf_count && has_bit(r->variant->either, t)) {
        base = r->buffer_bases[t];
        column = LLVMBuildAnd(e->k.builder, column, r->buffer_masks[t], "");
    }
    if (e->nest.fast_isel && column == e->tail) return fast_isel_tail_address(e, t, base);
    LLVMValueRef address = LLVMBuildGEP2(e->k.builder, element, base, &column, 1, ""),
                 more = int64_constant(e, offset);
    return offset ? LLVMBuildGEP2(e->k.builder, element, address, &more, 1, "") : address;
}

/* True if the bodies compute a node. */
static bool is_in_lanes(const row_emitter *r, size_t k) {
    const expr_node *node = &r->part->k.program->nodes[k];
    return has_node(r->part, k) && !r->scalars[k] && !node_reduces(node) && !node_is_index(node);
}

static LLVMValueRef emit_splat(const row_emitter *r, const lane *l, size_t k) {
    const part_emitter *e = r->part;
    if (*e->k.left == 0) return nothing(e, l, k);
    const mark before = set_mark(e);
    LLVMValueRef splat = lane_splat(l, fast_isel_scalar(e, k, r->scalars[k]));
    spend_since(e, before);
    return splat;
}

/* Values that are the same for the whole row, in every lane, if the bodies use it: operands and
 * results. */
void emit_splats(row_emitter *r, unsigned lanes) {
    const part_emitter *e = r->part;
    lane l = lane_of(e, lanes);
    memset(r->splats, 0, e->k.program->count * sizeof *r->splats);
    for (size_t k = 0; k < e->k.program->count; k++) {
        const expr_node *node = &e->k.program->nodes[k];
        for (int o = 0; o < node->operand_count && is_in_lanes(r, k); o++)
            r->splats[node->operands[o]] = r->scalars[node->operands[o]];
        for (int o = 0; e->k.requantised_adds[k].is_affine && o < 2 && is_in_lanes(r, k); o++)
            r->splats[e->k.requantised_adds[k].bytes[o]] =
                r->scalars[e->k.requantised_adds[k].bytes[o]];
    }
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        const expr_node *node = tensor_node(e, t);
        const tosajit_value value = node_reduces(node) ? node->operands[0] : tensor_value(e, t);
        r->splats[value] = r->scalars[value];
    }
    for (size_t k = 0; k < e->k.program->count; k++)
        if (r->splats[k]) r->splats[k] = emit_splat(r, &l, k);
}

void begin_values(row_emitter *r) {
    memcpy(r->values, r->splats, r->part->k.program->count * sizeof *r->values);
}

void emit_loads(row_emitter *r, step s) {
    const part_emitter *e = r->part;
    lane l = lane_of(e, s.lanes);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (!has_bit(r->variant->splat, t))
            r->values[e->part->leaves[t].value] =
                lane_load(&l, tensor_node(e, t)->type.element,
                          element_address(r, t, s.column, s.offset), s.mask);
}

/* True if only a requantised add needs a node, which does without. */
static bool is_spared(const row_emitter *r, const lane *l, size_t k) {
    const part_emitter *e = r->part;
    const tosajit_value add = e->k.requantised_adds[k].only_for;
    return add >= 0 && requantised_add_at(e, l, (size_t)add, r->values);
}

void emit_nodes(row_emitter *r, unsigned lanes) {
    const part_emitter *e = r->part;
    lane l = lane_of(e, lanes);
    for (size_t k = 0; k < e->k.program->count; k++)
        if (is_in_lanes(r, k) && !r->values[k] && !is_spared(r, &l, k))
            r->values[k] = emit_node(r, &l, k, r->values);
}

void emit_stores(row_emitter *r, step s) {
    const part_emitter *e = r->part;
    lane l = lane_of(e, s.lanes);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        if (has_bit(e->part->reductions, t - e->part->leaf_count)) continue;
        LLVMValueRef value = r->values[tensor_value(e, t)];
        const tosajit_type element = tensor_node(e, t)->type.element;
        LLVMValueRef address = element_address(r, t, s.column, s.offset);
        if (s.streamed)
            lane_stream(&l, element, value, address);
        else
            lane_store(&l, element, value, address, s.mask);
    }
}

void emit_values(row_emitter *r, step s) {
    begin_values(r);
    emit_loads(r, s);
    emit_nodes(r, s.lanes);
}

void emit_body(row_emitter *r, step s) {
    emit_values(r, s);
    if (nest_reduces_rows(&r->part->nest)) r->place = s.column, r->place_offset = s.offset;
    emit_reductions(r, s.lanes, s.mask);
    emit_stores(r, s);
}

LLVMValueRef entry_memory(const part_emitter *e, LLVMTypeRef type) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->k.builder);
    LLVMPositionBuilderBefore(e->k.builder,
                              LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->function)));
    LLVMValueRef memory = LLVMBuildAlloca(e->k.builder, type, "buffer");
    LLVMPositionBuilderAtEnd(e->k.builder, here);
    return memory;
}

void emit_splat_buffers(row_emitter *r) {
    const part_emitter *e = r->part;
    lane wide = lane_of(e, nest_step(&e->nest));
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!has_bit(r->variant->either, t)) continue;
        r->buffers[t] = entry_memory(e, lane_memory_type(&wide, tensor_node(e, t)->type.element));
        /* The mask is 0 for a stride of 0, and -1 for a stride of the element's size. It is made by
         * shifting and negating: a comparison LLVM would move into the loop, as a selection in
         * every step. */
        int64_t size = (int64_t)tosajit_type_size(tensor_node(e, t)->type.element), shift = 0;
        while (INT64_C(1) << shift < size) shift++;
        LLVMValueRef moves =
            LLVMBuildLShr(e->k.builder, column_stride(e, t), int64_constant(e, shift), "");
        r->buffer_masks[t] = LLVMBuildNeg(e->k.builder, moves, "");
    }
}
