/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of reductions: values that one step hands to the next, in the order of
 * runtime/expr/reduce.h.
 *
 *     along columns                           along rows
 *     for each row                            for each step of columns
 *         for each block of 4096 columns          for each block of 128 rows
 *             partial results = neutral               partial results = neutral
 *             for each step                           for each row
 *                 combine with its lanes                  combine with its lanes
 *             fold them to one
 *             combine it with the row's               combine them with the columns'
 *         store the row's                         store the columns'
 *
 * Along columns a step of S lanes has S of the 32 partial results. Where that is not all, a loop
 * hands 32 / S vectors on, and the first becomes the last: so each step takes the next ones, and
 * the body is in the code once. After the last step they are turned until the first is in front. */
#include <string.h>

#include "jit/emit/extremes.h"
#include "jit/emit/reduce.h"
#include "runtime/base/types.h"
#include "runtime/expr/reduce.h"

static void begin_partials(row_emitter *r) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, e->nest.levels[0].lanes);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        if (!is_reduction(e, t)) continue;
        LLVMValueRef neutral = emit_neutral(e, l.count, t);
        for (unsigned g = 0; g < reduction_groups(e); g++) r->partials[t][g] = neutral;
        if (e->nest.in_three)
            extreme_begin(&l, reduction_is_maximum(e, t), neutral, r->partials[t]);
    }
}

/* Behind the last step of a block. */
static void end_partials(row_emitter *r) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, e->nest.levels[0].lanes);
    for (int32_t t = e->part->leaf_count; e->nest.in_three && t < tensor_count(e); t++)
        if (is_reduction(e, t)) r->partials[t][0] = extreme_value(&l, r->partials[t]);
}

/* ---------------------------------------------------------------------------------------------
 * Values that a loop hands on */

typedef struct handed {
    LLVMValueRef phis[TOSAJIT_MAX_TENSORS][REDUCE_PARTIALS];
} handed;

/* At the head of a loop: the partial results come from the block before it. */
static void enter_partials(row_emitter *r, LLVMBasicBlockRef before, handed *h) {
    const part_emitter *e = r->part;
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(e); g++) {
            LLVMValueRef *own = &r->partials[t][g];
            h->phis[t][g] = LLVMBuildPhi(e->k.builder, LLVMTypeOf(*own), "partial");
            LLVMAddIncoming(h->phis[t][g], own, &before, 1);
            *own = h->phis[t][g];
        }
}

/* From this block they come to the head again, or to where two ways meet. */
static void hand_partials(const row_emitter *r, const handed *h) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->k.builder);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(e); g++) {
            LLVMValueRef own = r->partials[t][g];
            LLVMAddIncoming(h->phis[t][g], &own, &here, 1);
        }
}

static void keep_partials(const row_emitter *r, handed *h) {
    memcpy(h->phis, r->partials, sizeof h->phis);
}

/* Where two ways meet: here from `first`, where they were `kept`, or from `second` as they are. */
static void join_partials(row_emitter *r, const handed *kept, LLVMBasicBlockRef first,
                          LLVMBasicBlockRef second) {
    const part_emitter *e = r->part;
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(e); g++) {
            LLVMValueRef phi = LLVMBuildPhi(e->k.builder, LLVMTypeOf(r->partials[t][g]), "");
            LLVMAddIncoming(phi, (LLVMValueRef[]){kept->phis[t][g], r->partials[t][g]},
                            (LLVMBasicBlockRef[]){first, second}, 2);
            r->partials[t][g] = phi;
        }
}

/* ---------------------------------------------------------------------------------------------
 * Along columns */

static LLVMValueRef minimum(const part_emitter *e, LLVMValueRef a, LLVMValueRef b) {
    const lane one = lane_of(e, 1);
    return lane_intrinsic(&one, "llvm.smin", (LLVMValueRef[]){a, b}, 2);
}

static bool is_one_block(const part_emitter *e) {
    const int64_t size = e->part->extents[e->part->axis];
    return size != TOSAJIT_DYNAMIC && size <= REDUCE_BLOCK;
}

/* The steps of a level in each row; -1: a call decides. */
static int64_t known_steps(const part_emitter *e, const level *lv) {
    const int64_t size = e->part->extents[e->part->axis], step = (int64_t)step_size(lv);
    if (!is_one_block(e)) return -1;
    if (lv->nest.shared) return (size + step - 1) / step;
    return lv->nest.masked ? size % step != 0 : size / step;
}

/* All steps of a level from `start` while the column is below lv->end, as emit_level's. */
static void emit_reduced_level(row_emitter *r, const level *lv, LLVMValueRef start) {
    const part_emitter *e = r->part;
    const int64_t steps = known_steps(e, lv);
    handed kept, h;
    if (steps == 0) return;
    if (steps == 1) {
        emit_splats(r, lv->nest.lanes);
        emit_step(r, lv, start, NULL);
        return;
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder), enter = new_block(e, "columns"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "columns.end");
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSGT, lv->end, start, ""),
                    enter, after);
    LLVMPositionBuilderAtEnd(e->k.builder, enter);
    keep_partials(r, &kept);
    emit_splats(r, lv->nest.lanes);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->k.builder), turn = new_block(e, "step"),
                      leave = LLVMCreateBasicBlockInContext(e->k.context, "columns.leave");
    LLVMBuildBr(e->k.builder, turn);
    LLVMPositionBuilderAtEnd(e->k.builder, turn);
    LLVMValueRef column = LLVMBuildPhi(e->k.builder, e->k.i64, "column");
    enter_partials(r, from, &h);
    emit_step(r, lv, column, NULL);
    hand_partials(r, &h);
    LLVMValueRef next =
        LLVMBuildAdd(e->k.builder, column, int64_constant(e, step_size(lv)), "next");
    LLVMAddIncoming(column, (LLVMValueRef[]){start, next},
                    (LLVMBasicBlockRef[]){from, LLVMGetInsertBlock(e->k.builder)}, 2);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, next, lv->end, ""), turn,
                    leave);
    continue_in(e, leave);
    LLVMBuildBr(e->k.builder, after);
    continue_in(e, after);
    join_partials(r, &kept, before, leave);
}

/* After `steps` steps the vector of partial results 0.. is `steps` modulo the groups before its
 * place: turn them, by one, by two, by four, as the bits of what is missing say. */
static void turn_partials(row_emitter *r, LLVMValueRef steps) {
    const part_emitter *e = r->part;
    const unsigned groups = reduction_groups(e);
    const lane one = lane_of(e, 1);
    LLVMValueRef missing = LLVMBuildNeg(e->k.builder, steps, "");
    for (unsigned by = 1; by < groups; by *= 2) {
        LLVMValueRef bit = LLVMBuildAnd(e->k.builder, missing, int64_constant(e, by), "");
        LLVMValueRef turns = lane_icmp(&one, LLVMIntNE, bit, int64_constant(e, 0));
        for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
            LLVMValueRef old[REDUCE_PARTIALS];
            if (!is_reduction(e, t)) continue;
            memcpy(old, r->partials[t], groups * sizeof *old);
            for (unsigned g = 0; g < groups; g++)
                r->partials[t][g] =
                    LLVMBuildSelect(e->k.builder, turns, old[(g + by) % groups], old[g], "");
        }
    }
}

/* Halves of the partial results combined, until one is left. */
static LLVMValueRef fold(row_emitter *r, int32_t t) {
    const part_emitter *e = r->part;
    LLVMValueRef *partials = r->partials[t];
    unsigned lanes = e->nest.levels[0].lanes;
    for (unsigned half = reduction_groups(e) / 2; half > 0; half /= 2)
        for (unsigned g = 0; g < half; g++)
            partials[g] = emit_combined(e, lanes, t, partials[g], partials[g + half]);
    LLVMValueRef all = partials[0];
    while (lanes > 1) {
        const lane whole = lane_of(e, lanes);
        LLVMValueRef low, high;
        lanes /= 2;
        if (lanes > 1) {
            low = lane_pick(&whole, all, all, 0, lanes);
            high = lane_pick(&whole, all, all, lanes, lanes);
        } else {
            LLVMTypeRef i32 = LLVMInt32TypeInContext(e->k.context);
            low = LLVMBuildExtractElement(e->k.builder, all, LLVMConstInt(i32, 0, 0), "");
            high = LLVMBuildExtractElement(e->k.builder, all, LLVMConstInt(i32, 1, 0), "");
        }
        all = emit_combined(e, lanes, t, low, high);
    }
    return all;
}

/* A block of columns: from `start` to `end`, one value for each reduction. */
static void emit_block(row_emitter *r, LLVMValueRef start, LLVMValueRef end, LLVMValueRef *values) {
    const part_emitter *e = r->part;
    const unsigned lanes = e->nest.levels[0].lanes;
    LLVMValueRef count = LLVMBuildSub(e->k.builder, end, start, ""),
                 whole = LLVMBuildAnd(e->k.builder, count, int64_constant(e, -(int64_t)lanes), ""),
                 limit = LLVMBuildAdd(e->k.builder, start, whole, "whole");
    begin_partials(r);
    level lv = {.nest = e->nest.levels[0]};
    lv.end = lv.nest.shared ? end : limit;
    emit_reduced_level(r, &lv, start);
    if (e->nest.level_count > 1) {
        lv = (level){.nest = e->nest.levels[1], .end = end};
        emit_reduced_level(r, &lv, limit);
    }
    LLVMValueRef up = LLVMBuildAdd(e->k.builder, count, int64_constant(e, lanes - 1), "");
    if (reduction_groups(e) > 1)
        turn_partials(r, LLVMBuildUDiv(e->k.builder, up, int64_constant(e, lanes), ""));
    end_partials(r);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t)) values[t] = fold(r, t);
}

/* As it is stored: rounded to its type. */
static void store_reduction(const row_emitter *r, int32_t t, unsigned lanes, LLVMValueRef value,
                            LLVMValueRef address, LLVMValueRef mask) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, lanes);
    const tosajit_type type = reduction_node(e, t)->type.element;
    if (type_is_float(type)) value = lane_narrow(&l, type, value);
    lane_store(&l, type, value, address, mask);
}

void emit_reduced_row(row_emitter *r) {
    const part_emitter *e = r->part;
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS], values[TOSAJIT_MAX_TENSORS],
        zero = int64_constant(e, 0);
    if (is_one_block(e)) {
        emit_block(r, zero, e->cols, values);
    } else {
        LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder), head = new_block(e, "block"),
                          after = LLVMCreateBasicBlockInContext(e->k.context, "block.end");
        LLVMBuildBr(e->k.builder, head);
        LLVMPositionBuilderAtEnd(e->k.builder, head);
        LLVMValueRef start = LLVMBuildPhi(e->k.builder, e->k.i64, "start");
        for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
            if (!is_reduction(e, t)) continue;
            LLVMValueRef first = emit_neutral(e, 1, t);
            totals[t] = LLVMBuildPhi(e->k.builder, LLVMTypeOf(first), "total");
            LLVMAddIncoming(totals[t], &first, &before, 1);
        }
        LLVMValueRef next =
            LLVMBuildAdd(e->k.builder, start, int64_constant(e, REDUCE_BLOCK), "next");
        emit_block(r, start, minimum(e, next, e->cols), values);
        LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder);
        for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
            if (!is_reduction(e, t)) continue;
            values[t] = emit_combined(e, 1, t, totals[t], values[t]);
            LLVMAddIncoming(totals[t], &values[t], &last, 1);
        }
        LLVMAddIncoming(start, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, last},
                        2);
        LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, next, e->cols, ""),
                        head, after);
        continue_in(e, after);
    }
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t)) store_reduction(r, t, 1, values[t], r->pointers[t], NULL);
}

/* ---------------------------------------------------------------------------------------------
 * Along rows */

/* Rows from `first` to `end` at one step of columns. The builder goes on behind them, and
 * r->pointers are behind the last row. */
static void emit_block_rows(row_emitter *r, const level *lv, LLVMValueRef column,
                            LLVMValueRef first, LLVMValueRef end, const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    handed h;
    begin_partials(r);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder),
                      head = enter_loop(e, "rows", pointers, moving);
    LLVMValueRef row = LLVMBuildPhi(e->k.builder, e->k.i64, "row");
    enter_partials(r, before, &h);
    memcpy(r->pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    emit_row_scalars(r);
    fill_splat_buffers(r);
    emit_splats(r, lv->nest.lanes);
    emit_step(r, lv, column, NULL);
    hand_partials(r, &h);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "rows.end");
    LLVMValueRef next = LLVMBuildAdd(e->k.builder, row, int64_constant(e, 1), "");
    LLVMAddIncoming(row, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    step_pointers(r, moving, r->row_strides);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, next, end, ""), head,
                    after);
    continue_in(e, after);
}

/* All rows at one step of columns, and the stores of what they reduce to. */
static void emit_column_step(row_emitter *r, const level *lv, LLVMValueRef column,
                             const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    const unsigned lanes = lv->nest.lanes;
    lane l = lane_of(e, lanes);
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS], values[TOSAJIT_MAX_TENSORS],
        moving[TOSAJIT_MAX_TENSORS], zero = int64_constant(e, 0);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder),
                      head = enter_loop(e, "block", pointers, moving);
    LLVMValueRef first = LLVMBuildPhi(e->k.builder, e->k.i64, "first");
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        if (!is_reduction(e, t)) continue;
        LLVMValueRef nothing = emit_neutral(e, lanes, t);
        totals[t] = LLVMBuildPhi(e->k.builder, LLVMTypeOf(nothing), "total");
        LLVMAddIncoming(totals[t], &nothing, &before, 1);
    }
    LLVMValueRef next = LLVMBuildAdd(e->k.builder, first, int64_constant(e, REDUCE_RUN), "next");
    emit_block_rows(r, lv, column, first, minimum(e, next, e->rows), moving);
    end_partials(r);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "block.end");
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMAddIncoming(moving[t], &r->pointers[t], &last, 1);
        if (!is_reduction(e, t)) continue;
        values[t] = emit_combined(e, lanes, t, totals[t], r->partials[t][0]);
        LLVMAddIncoming(totals[t], &values[t], &last, 1);
    }
    LLVMAddIncoming(first, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, next, e->rows, ""), head,
                    after);
    continue_in(e, after);
    LLVMValueRef mask =
        lv->nest.masked ? lane_mask(&l, LLVMBuildSub(e->k.builder, lv->end, column, "left")) : NULL;
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t))
            store_reduction(r, t, lanes, values[t], element_address(r, t, column, 0), mask);
}

/* All steps of a level, from `start` on. */
static void emit_column_level(row_emitter *r, const level *lv, LLVMValueRef start,
                              const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef enter = new_block(e, "columns"), turn = new_block(e, "step"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "columns.end");
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSGT, lv->end, start, ""),
                    enter, after);
    LLVMPositionBuilderAtEnd(e->k.builder, enter);
    LLVMBuildBr(e->k.builder, turn);
    LLVMPositionBuilderAtEnd(e->k.builder, turn);
    LLVMValueRef column = LLVMBuildPhi(e->k.builder, e->k.i64, "column");
    emit_column_step(r, lv, column, pointers);
    LLVMValueRef next =
        LLVMBuildAdd(e->k.builder, column, int64_constant(e, step_size(lv)), "next");
    LLVMAddIncoming(column, (LLVMValueRef[]){start, next},
                    (LLVMBasicBlockRef[]){enter, LLVMGetInsertBlock(e->k.builder)}, 2);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, next, lv->end, ""), turn,
                    after);
    continue_in(e, after);
}

void emit_reduced_columns(row_emitter *r, const LLVMValueRef *pointers, LLVMBasicBlockRef after) {
    const part_emitter *e = r->part;
    LLVMValueRef start = int64_constant(e, 0);
    for (int k = 0; k < e->nest.level_count; k++) {
        emit_column_level(r, &e->levels[k], start, pointers);
        start = e->levels[k].end;
    }
    for (int32_t t = 0; t < tensor_count(e); t++) { /* behind the last row */
        LLVMValueRef all = LLVMBuildMul(e->k.builder, e->rows, r->row_strides[t], "");
        r->pointers[t] = LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context),
                                       pointers[t], &all, 1, "");
    }
    LLVMBuildBr(e->k.builder, after);
}
