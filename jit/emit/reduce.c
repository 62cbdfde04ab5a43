/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions: neutral elements, what a step adds to the partial results, and how loops hand these
 * on. reduced_rows.c and reduced_columns.c have the loops. */
#include <string.h>

#include "jit/emit/extremes.h"
#include "jit/emit/reduce.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"

const expr_node *reduction_node(const part_emitter *e, int32_t t) {
    return &e->k.program->nodes[tensor_value(e, t)];
}

bool reduction_is_maximum(const part_emitter *e, int32_t t) {
    return reduction_node(e, t)->op == TOSAJIT_OP_reduce_max;
}

/* In the accumulator's type. */
LLVMValueRef emit_combined(const part_emitter *e, unsigned lanes, int32_t t, LLVMValueRef a,
                           LLVMValueRef b) {
    lane l = lane_of(e, lanes);
    const expr_node *node = reduction_node(e, t);
    const tosajit_type type = reduce_accumulator(node->type.element);
    const range any[2] = {{INT64_MIN, INT64_MAX}, {INT64_MIN, INT64_MAX}};
    const emit_op op = {.op = node->op,
                        .attributes = &node->attributes,
                        .operand = type,
                        .result = type,
                        .operand_count = 2,
                        .ranges = any};
    return emitters[node->op].exact(&l, &op, (LLVMValueRef[]){a, b});
}

static LLVMValueRef constant(const lane *l, tosajit_type type, cell value) {
    if (type == TOSAJIT_F64) return lane_f64(l, value.f);
    if (type_is_float(type)) return lane_f32(l, (float)value.f);
    if (type == TOSAJIT_I1)
        return value.i ? LLVMConstAllOnes(lane_bool_type(l)) : LLVMConstNull(lane_bool_type(l));
    return lane_int(l, (unsigned)tosajit_type_size(type) * 8, value.i);
}

LLVMValueRef emit_neutral(const part_emitter *e, unsigned lanes, int32_t t) {
    const lane l = lane_of(e, lanes);
    const expr_node *node = reduction_node(e, t);
    return constant(&l, reduce_accumulator(node->type.element), reduce_neutral(node));
}

bool is_reduction(const part_emitter *e, int32_t t) {
    return t >= e->part->leaf_count && has_bit(e->part->reductions, t - e->part->leaf_count);
}

unsigned reduction_groups(const part_emitter *e) {
    const unsigned lanes = e->nest.levels[0].lanes;
    if (!nest_reduces_rows(&e->nest) || e->nest.in_three) return 1;
    const unsigned all = nest_partials(e->part);
    return lanes < all ? all / lanes : 1;
}

unsigned reduction_values(const row_emitter *r) {
    return r->part->nest.in_three ? EXTREME_VALUES : r->groups;
}

bool is_combined(const part_emitter *e, int32_t t) {
    return is_reduction(e, t) && reduction_node(e, t)->op != TOSAJIT_OP_reduce_count;
}

/* There are as many elements as the call has along what is reduced. */
static LLVMValueRef emit_count(const part_emitter *e, const lane *l, tosajit_type type) {
    const lane one = lane_of(e, 1);
    const tosajit_type own = reduce_accumulator(type);
    LLVMTypeRef to = lane_element_type(&one, own);
    LLVMValueRef count = nest_reduces_rows(&e->nest) ? e->cols : e->rows;
    count = type_is_float(type) ? LLVMBuildSIToFP(e->k.builder, count, to, "count")
                                : LLVMBuildIntCast2(e->k.builder, count, to, 0, "count");
    return l->count > 1 ? lane_splat(l, count) : count;
}

void emit_reductions(row_emitter *r, unsigned lanes, LLVMValueRef mask) {
    const part_emitter *e = r->part;
    const unsigned groups = r->groups;
    const lane l = lane_of(e, lanes);
    const bool along_columns = nest_reduces_rows(&e->nest);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        if (!is_combined(e, t)) continue;
        const expr_node *node = reduction_node(e, t);
        LLVMValueRef value = lane_widen(&l, node->type.element, r->values[node->operands[0]]);
        LLVMValueRef *partials = r->partials[t];
        if (mask && along_columns) {
            LLVMValueRef exists = LLVMGetVectorSize(LLVMTypeOf(mask)) == lanes
                                      ? mask
                                      : lane_pick(&l, mask, mask, 0, lanes);
            value = lane_select(&l, exists, value, emit_neutral(e, lanes, t));
        }
        if (e->nest.in_three) {
            extreme_add(&l, reduction_is_maximum(e, t), value, partials);
            continue;
        }
        value = emit_combined(e, lanes, t, partials[0], value);
        memmove(partials, partials + 1, (groups - 1) * sizeof *partials);
        partials[groups - 1] = value;
    }
}

void store_reduction(const row_emitter *r, int32_t t, unsigned lanes, LLVMValueRef value,
                     LLVMValueRef address, LLVMValueRef mask) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, lanes);
    const tosajit_type type = reduction_node(e, t)->type.element;
    if (!is_combined(e, t)) value = emit_count(e, &l, type);
    if (type_is_float(type)) value = lane_narrow(&l, type, value);
    lane_store(&l, type, value, address, mask);
}

void begin_partials(row_emitter *r, unsigned lanes) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, lanes);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        if (!is_reduction(e, t)) continue;
        LLVMValueRef neutral = emit_neutral(e, l.count, t);
        for (unsigned g = 0; g < r->groups; g++) r->partials[t][g] = neutral;
        if (e->nest.in_three) extreme_begin(&l, neutral, r->partials[t]);
    }
}

/* Behind the last step of a segment. */
void end_partials(row_emitter *r) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, e->nest.levels[0].lanes);
    for (int32_t t = e->part->leaf_count; e->nest.in_three && t < tensor_count(e); t++)
        if (is_reduction(e, t)) r->partials[t][0] = extreme_value(&l, r->partials[t]);
}

/* ---------------------------------------------------------------------------------------------
 * Values that a loop hands on */

/* At the head of a loop: the partial results come from the block before it. */
void enter_partials(row_emitter *r, LLVMBasicBlockRef before, handed *h) {
    const part_emitter *e = r->part;
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(r); g++) {
            LLVMValueRef *own = &r->partials[t][g];
            h->phis[t][g] = LLVMBuildPhi(e->k.builder, LLVMTypeOf(*own), "partial");
            LLVMAddIncoming(h->phis[t][g], own, &before, 1);
            *own = h->phis[t][g];
        }
}

/* From this block they come to the head again, or to where two ways meet. */
void hand_partials(const row_emitter *r, const handed *h) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->k.builder);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(r); g++) {
            LLVMValueRef own = r->partials[t][g];
            LLVMAddIncoming(h->phis[t][g], &own, &here, 1);
        }
}

void keep_partials(const row_emitter *r, handed *h) {
    memcpy(h->phis, r->partials, sizeof h->phis);
}

/* Where two ways meet: here from `first`, where they were `kept`, or from `second` as they are. */
void join_partials(row_emitter *r, const handed *kept, LLVMBasicBlockRef first,
                   LLVMBasicBlockRef second) {
    const part_emitter *e = r->part;
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(r); g++) {
            LLVMValueRef phi = LLVMBuildPhi(e->k.builder, LLVMTypeOf(r->partials[t][g]), "");
            LLVMAddIncoming(phi, (LLVMValueRef[]){kept->phis[t][g], r->partials[t][g]},
                            (LLVMBasicBlockRef[]){first, second}, 2);
            r->partials[t][g] = phi;
        }
}
