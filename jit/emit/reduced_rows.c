/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that are reduced: values that one step hands to the next, in the order of
 * runtime/expr/reduce.h.
 *
 *     for each row
 *         for each segment of 4096 columns
 *             partial results = neutral
 *             for each step
 *                 combine with its lanes
 *             of short rows: keep a vector of them; after so many rows fold these vectors to one,
 *             a lane for each row, and store it
 *             else fold them to one, and combine it with the row's
 *         store the row's
 *
 * A step of S lanes has S of the 32 partial results. Where that is not all, a loop hands 32 / S
 * vectors on, and the first becomes the last: so each step takes the next ones, and the body is in
 * the code once. After the last step they are turned until the first is in front. */
#include <string.h>

#include "jit/emit/reduce.h"
#include "runtime/base/types.h"
#include "runtime/expr/reduce.h"

static bool is_one_segment(const part_emitter *e) {
    const int64_t size = e->part->extents[e->part->axis];
    return size != TOSAJIT_DYNAMIC && size <= REDUCE_SEGMENT;
}

/* The steps of a level in each row; -1: a call decides. */
static int64_t known_steps(const part_emitter *e, const level *lv) {
    const int64_t size = e->part->extents[e->part->axis], step = (int64_t)step_size(lv);
    if (!is_one_segment(e)) return -1;
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

/* A segment of columns: from `start` to `end`, as partial results. */
static void emit_segment(row_emitter *r, LLVMValueRef start, LLVMValueRef end) {
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
    if (r->groups > 1)
        turn_partials(r, LLVMBuildUDiv(e->k.builder, up, int64_constant(e, lanes), ""));
    end_partials(r);
}

/* ---------------------------------------------------------------------------------------------
 * Rows together: so many rows, whose results lie side by side. Those left at the end are folded one
 * by one. */

void emit_fold_memory(part_emitter *e) {
    const bool kept = e->nest.together && !e->nest.unrolled;
    for (int32_t t = e->part->leaf_count; kept && t < tensor_count(e); t++) {
        if (!is_reduction(e, t)) continue;
        LLVMTypeRef vector = LLVMTypeOf(emit_neutral(e, e->nest.together, t));
        e->kept[t] =
            LLVMBuildAlloca(e->k.builder, LLVMArrayType2(vector, e->nest.together), "kept");
        LLVMSetAlignment(e->kept[t], 64);
    }
}

/* How many rows are folded together: a multiple of e->nest.together, or none. */
static LLVMValueRef count_together(const row_emitter *r) {
    const part_emitter *e = r->part;
    LLVMValueRef most = int64_constant(e, NEST_TOGETHER_COLUMNS), rows = int64_constant(e, 0),
                 may = LLVMBuildICmp(e->k.builder, LLVMIntSLE, e->cols, most, "");
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        if (!is_reduction(e, t)) continue;
        const size_t size = tosajit_type_size(reduction_node(e, t)->type.element);
        LLVMValueRef dense = LLVMBuildICmp(e->k.builder, LLVMIntEQ, r->row_strides[t],
                                           int64_constant(e, (int64_t)size), "");
        may = LLVMBuildAnd(e->k.builder, may, dense, "");
    }
    LLVMValueRef whole =
        LLVMBuildAnd(e->k.builder, e->rows, int64_constant(e, -(int64_t)e->nest.together), "");
    return LLVMBuildSelect(e->k.builder, may, whole, rows, "together");
}

static LLVMValueRef row_address(const row_emitter *r, int32_t t, LLVMValueRef bytes) {
    return LLVMBuildGEP2(r->part->k.builder, LLVMInt8TypeInContext(r->part->k.context),
                         r->pointers[t], &bytes, 1, "");
}

/* Fold what is kept of the rows that end with this one. */
static void fold_kept(row_emitter *r) {
    const part_emitter *e = r->part;
    const unsigned count = e->nest.together;
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        LLVMValueRef rows[NEST_MOST_TOGETHER];
        if (!is_reduction(e, t)) continue;
        for (unsigned k = 0; k < count; k++)
            rows[k] = load_at(e, LLVMTypeOf(emit_neutral(e, count, t)), e->kept[t], k);
        const size_t size = tosajit_type_size(reduction_node(e, t)->type.element);
        LLVMValueRef back = int64_constant(e, -(int64_t)(size * (count - 1)));
        store_reduction(r, t, count, fold_together(e, t, rows), row_address(r, t, back), NULL);
    }
}

/* Where the row is folded together with others: keep its vectors `values`, fold them behind the
 * last of these rows, and go on in `row_end`. The builder goes on where it is not. */
static void emit_kept_row(row_emitter *r, const LLVMValueRef *values, LLVMBasicBlockRef row_end) {
    const part_emitter *e = r->part;
    const unsigned count = e->nest.together;
    LLVMBasicBlockRef keep = new_block(e, "keep"), fold = new_block(e, "fold"),
                      alone = LLVMCreateBasicBlockInContext(e->k.context, "alone");
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, r->row, r->together, ""),
                    keep, alone);
    LLVMPositionBuilderAtEnd(e->k.builder, keep);
    LLVMValueRef last = int64_constant(e, (int64_t)count - 1),
                 place = LLVMBuildAnd(e->k.builder, r->row, last, "");
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t))
            LLVMBuildStore(
                e->k.builder, values[t],
                LLVMBuildGEP2(e->k.builder, LLVMTypeOf(values[t]), e->kept[t], &place, 1, ""));
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntEQ, place, last, ""), fold,
                    row_end);
    LLVMPositionBuilderAtEnd(e->k.builder, fold);
    fold_kept(r);
    LLVMBuildBr(e->k.builder, row_end);
    continue_in(e, alone);
}

/* The next rows without a loop, from r->pointers on, which are then behind the last. */
static void emit_unrolled_rows(row_emitter *r, void *none) {
    (void)none;
    const part_emitter *e = r->part;
    const unsigned count = e->nest.together;
    LLVMValueRef rows[TOSAJIT_MAX_TENSORS][NEST_MOST_TOGETHER], first[TOSAJIT_MAX_TENSORS];
    memcpy(first, r->pointers, sizeof first);
    for (unsigned k = 0; k < count; k++) {
        emit_row_scalars(r);
        fill_splat_buffers(r);
        emit_segment(r, int64_constant(e, 0), e->cols);
        for (int32_t t = 0; t < tensor_count(e); t++) {
            if (is_reduction(e, t)) rows[t][k] = fold_partials(r, t, count);
            r->pointers[t] = row_address(r, t, r->row_strides[t]);
        }
    }
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t))
            store_reduction(r, t, count, fold_together(e, t, rows[t]), first[t], NULL);
}

/* ---------------------------------------------------------------------------------------------
 * Rows one by one */

/* A segment as one value for each reduction; where it is the row, it may be folded with others. */
static void emit_folded(row_emitter *r, LLVMValueRef start, LLVMValueRef end,
                        LLVMBasicBlockRef row_end, LLVMValueRef *values) {
    const part_emitter *e = r->part;
    const unsigned most = e->nest.levels[0].lanes, lanes = row_end ? e->nest.together : most;
    emit_segment(r, start, end);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t)) values[t] = fold_partials(r, t, lanes);
    if (row_end) emit_kept_row(r, values, row_end);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t)) values[t] = fold_lanes(e, t, values[t], 1);
}

/* All segments of a row, of which there may be several. */
static void emit_segments(row_emitter *r, LLVMBasicBlockRef row_end, LLVMValueRef *values) {
    const part_emitter *e = r->part;
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS], zero = int64_constant(e, 0);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder), head = new_block(e, "segment"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "segment.end");
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
        LLVMBuildAdd(e->k.builder, start, int64_constant(e, REDUCE_SEGMENT), "next");
    emit_folded(r, start, smaller_of(e, next, e->cols), row_end, values);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        if (!is_reduction(e, t)) continue;
        values[t] = emit_combined(e, 1, t, totals[t], values[t]);
        LLVMAddIncoming(totals[t], &values[t], &last, 1);
    }
    LLVMAddIncoming(start, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, next, e->cols, ""), head,
                    after);
    continue_in(e, after);
}

static void emit_reduced_row(row_emitter *r, void *none) {
    (void)none;
    const part_emitter *e = r->part;
    const bool kept = e->nest.together && !e->nest.unrolled;
    LLVMBasicBlockRef row_end =
        kept ? LLVMCreateBasicBlockInContext(e->k.context, "row.end") : NULL;
    LLVMValueRef values[TOSAJIT_MAX_TENSORS];
    emit_row_scalars(r);
    fill_splat_buffers(r);
    if (is_one_segment(e))
        emit_folded(r, int64_constant(e, 0), e->cols, row_end, values);
    else
        emit_segments(r, row_end, values);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t)) store_reduction(r, t, 1, values[t], r->pointers[t], NULL);
    if (!row_end) return;
    LLVMBuildBr(e->k.builder, row_end);
    continue_in(e, row_end);
}

/* ---------------------------------------------------------------------------------------------
 * All rows */

void emit_reduced_rows(row_emitter *r, const LLVMValueRef *pointers, LLVMBasicBlockRef after) {
    const part_emitter *e = r->part;
    const size_t bytes = (size_t)tensor_count(e) * sizeof *pointers;
    row_state s = {.first = int64_constant(e, 0)};
    memcpy(s.pointers, pointers, bytes);
    if (e->nest.together) r->together = count_together(r);
    if (e->nest.unrolled)
        emit_rows_while(r, e->nest.together, r->together, &s, emit_unrolled_rows, NULL);
    emit_rows_while(r, 1, e->rows, &s, emit_reduced_row, NULL);
    memcpy(r->pointers, s.pointers, bytes);
    LLVMBuildBr(e->k.builder, after);
}
