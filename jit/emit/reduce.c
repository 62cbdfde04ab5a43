/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions: neutral elements, what a step adds to the partial results, and how loops hand these
 * on. reduced_rows.c, reduced_columns.c and strips.c have the loops. */
#include <string.h>

#include "jit/emit/extremes.h"
#include "jit/emit/positions.h"
#include "jit/emit/reduce.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"

const expr_node *reduction_node(const part_emitter *e, int32_t t) {
    return &e->k.program->nodes[tensor_value(e, t)];
}

static position_op position_op_at(const part_emitter *e, int32_t t) {
    return position_op_of(e->k.program, reduction_node(e, t));
}

static bool is_pair(LLVMValueRef value) {
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMStructTypeKind;
}

LLVMValueRef emit_combined(const part_emitter *e, unsigned lanes, int32_t t, LLVMValueRef a,
                           LLVMValueRef b) {
    lane l = lane_of(e, lanes);
    const expr_node *node = reduction_node(e, t);
    if (is_pair(a)) return position_later(&l, position_op_at(e, t), a, b);
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
    const tosajit_type type = reduce_element(e->k.program, node);
    LLVMValueRef value = constant(&l, reduce_accumulator(type), reduce_neutral(node, type));
    return reduce_is_position(node) ? position_begin(&l, position_op_at(e, t), value) : value;
}

int32_t next_reduction(const part_emitter *e, int32_t t) {
    for (t++; t < tensor_count(e) && !is_reduction(e, t);) t++;
    return t;
}

bool is_combined(const part_emitter *e, int32_t t) {
    return is_reduction(e, t) && reduction_node(e, t)->op != TOSAJIT_OP_reduce_count;
}

/* The values that are handed on for a reduction. */
static unsigned value_count(const row_emitter *r) {
    return r->accumulator->kept == NEST_THREE ? EXTREME_VALUES : r->groups;
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

/* The elements that a step reduces, in the accumulator's type; where there are none by the mask
 * what changes nothing. */
static LLVMValueRef emit_elements(const row_emitter *r, const lane *l, int32_t t,
                                  LLVMValueRef mask) {
    const part_emitter *e = r->part;
    const expr_node *node = reduction_node(e, t);
    const tosajit_type type = reduce_element(e->k.program, node);
    LLVMValueRef value = lane_widen(l, type, r->values[node->operands[0]]);
    if (!mask || !nest_reduces_rows(&e->nest)) return value;
    LLVMValueRef exists = LLVMGetVectorSize(LLVMTypeOf(mask)) == l->count
                              ? mask
                              : lane_pick(l, mask, mask, 0, l->count);
    LLVMValueRef neutral = emit_neutral(e, l->count, t);
    return lane_select(l, exists, value, is_pair(neutral) ? position_element(l, neutral) : neutral);
}

void emit_reductions(row_emitter *r, unsigned lanes, LLVMValueRef mask) {
    const part_emitter *e = r->part;
    const unsigned groups = r->groups;
    const lane l = lane_of(e, lanes);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t)) {
        if (!is_combined(e, t)) continue;
        LLVMValueRef value = emit_elements(r, &l, t, mask), *partials = r->partials[t];
        if (r->accumulator->kept == NEST_ELEMENTS) {
            partials[0] = value;
            continue;
        }
        if (r->accumulator->kept == NEST_THREE) {
            extreme_add(&l, reduction_node(e, t)->op == TOSAJIT_OP_reduce_max, value, partials);
            continue;
        }
        value = is_pair(partials[0]) ? position_add(&l, position_op_at(e, t), partials[0], value,
                                                    r->place, r->place_offset)
                                     : emit_combined(e, lanes, t, partials[0], value);
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
    if (is_pair(value)) value = position_place(&l, value);
    if (type_is_float(type)) value = lane_narrow(&l, type, value);
    lane_store(&l, type, value, address, mask);
}

LLVMValueRef find_position(const row_emitter *r, int32_t t) {
    const lane l = lane_of(r->part, r->accumulator->lanes);
    return position_find(&l, position_op_at(r->part, t), r->partials[t][0]);
}

void begin_partials(row_emitter *r, unsigned lanes) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, lanes);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t)) {
        LLVMValueRef neutral = emit_neutral(e, l.count, t);
        for (unsigned g = 0; g < r->groups; g++) r->partials[t][g] = neutral;
        if (r->accumulator->kept == NEST_THREE) extreme_begin(&l, neutral, r->partials[t]);
    }
}

void end_partials(row_emitter *r) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, r->accumulator->lanes);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t)) {
        LLVMValueRef *partials = r->partials[t];
        if (is_pair(partials[0]))
            partials[0] = position_fold(&l, position_op_at(e, t), partials, r->groups);
        if (r->accumulator->kept == NEST_THREE) partials[0] = extreme_value(&l, partials);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Values that a loop hands on */

void enter_partials(row_emitter *r, LLVMBasicBlockRef before, handed *h) {
    const part_emitter *e = r->part;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        for (unsigned g = 0; g < value_count(r); g++) {
            h->phis[t][g] = enter_value(e, "partial", r->partials[t][g], before);
            r->partials[t][g] = h->phis[t][g];
        }
}

void hand_partials(const row_emitter *r, const handed *h) {
    const part_emitter *e = r->part;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        for (unsigned g = 0; g < value_count(r); g++)
            turn_value(e, h->phis[t][g], r->partials[t][g]);
}

void keep_partials(const row_emitter *r, handed *h) {
    if (r->accumulator) memcpy(h->phis, r->partials, sizeof h->phis);
}

void join_partials(row_emitter *r, const handed *kept, LLVMBasicBlockRef first,
                   LLVMBasicBlockRef second) {
    const part_emitter *e = r->part;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        for (unsigned g = 0; g < value_count(r); g++) {
            LLVMValueRef phi = enter_value(e, "", kept->phis[t][g], first);
            LLVMAddIncoming(phi, &r->partials[t][g], &second, 1);
            r->partials[t][g] = phi;
        }
}

/* Rows that are folded together keep a vector each, strips their totals and a segment's. */
void emit_accumulator_memory(part_emitter *e) {
    const bool rows = nest_reduces_rows(&e->nest);
    const nest_accumulator *a = e->nest.accumulators;
    while (a < e->nest.accumulators + e->nest.row_count && a->where == NEST_REGISTERS) a++;
    if (a == e->nest.accumulators + e->nest.row_count) return;
    const unsigned lanes = rows ? a->rows : a->lanes, count = rows ? a->rows : a->count / a->lanes;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        for (int k = 0; k < (rows ? 1 : 2) && (rows || is_combined(e, t)); k++) {
            LLVMTypeRef type = LLVMArrayType2(LLVMTypeOf(emit_neutral(e, lanes, t)), count);
            e->memory[t][k] = LLVMBuildAlloca(e->k.builder, type, rows ? "kept" : "strip");
            LLVMSetAlignment(e->memory[t][k], 64);
        }
}
