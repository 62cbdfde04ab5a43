/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that are reduced: values that one step hands to the next, in the order of
 * runtime/expr/reduce.h.
 *
 *     for each row                           rows of one segment are folded together:
 *         for each segment of 4096 columns       for so many rows
 *             partial results = neutral              partial results = neutral
 *             for each step                          for each step
 *                 combine with its lanes                 combine with its lanes
 *             fold them to one                       keep what is left in a vector
 *             combine it with the row's          fold these vectors to one, a lane for each row
 *         store the row's                        store it
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

/* The same as one value for each reduction. */
static void emit_folded(row_emitter *r, LLVMValueRef start, LLVMValueRef end,
                        LLVMValueRef *values) {
    emit_segment(r, start, end);
    for (int32_t t = r->part->part->leaf_count; t < tensor_count(r->part); t++)
        if (is_reduction(r->part, t)) values[t] = fold_partials(r, t, 1);
}

void emit_reduced_row(row_emitter *r) {
    const part_emitter *e = r->part;
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS], values[TOSAJIT_MAX_TENSORS],
        zero = int64_constant(e, 0);
    if (is_one_segment(e)) {
        emit_folded(r, zero, e->cols, values);
    } else {
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
        emit_folded(r, start, smaller_of(e, next, e->cols), values);
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
 * Rows together */

void emit_fold_memory(part_emitter *e) {
    for (int32_t t = e->part->leaf_count; e->nest.together && t < tensor_count(e); t++) {
        if (!is_reduction(e, t)) continue;
        LLVMTypeRef vector = LLVMTypeOf(emit_neutral(e, e->nest.together, t));
        e->kept[t] =
            LLVMBuildAlloca(e->k.builder, LLVMArrayType2(vector, e->nest.together), "kept");
        LLVMSetAlignment(e->kept[t], 64);
    }
}

static LLVMValueRef kept_at(const part_emitter *e, int32_t t, unsigned lanes, LLVMValueRef index) {
    LLVMTypeRef type = LLVMTypeOf(emit_neutral(e, lanes, t));
    return LLVMBuildGEP2(e->k.builder, type, e->kept[t], &index, 1, "");
}

/* A row as a vector for each reduction. */
static void emit_row_lanes(row_emitter *r) {
    emit_row_scalars(r);
    fill_splat_buffers(r);
    emit_segment(r, int64_constant(r->part, 0), r->part->cols);
}

typedef struct row_lanes {
    LLVMValueRef of[TOSAJIT_MAX_TENSORS][REDUCE_PARTIALS];
} row_lanes;

/* So many rows, which are kept in memory on the way. Then r->pointers are behind the last. */
static void emit_some_rows(row_emitter *r, const LLVMValueRef *pointers, LLVMValueRef count,
                           row_lanes *lanes) {
    const part_emitter *e = r->part;
    const unsigned rows = e->nest.together;
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    const counted_loop loop = begin_rows(r, "rows", pointers, int64_constant(e, 0), moving);
    emit_row_lanes(r);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t))
            LLVMBuildStore(e->k.builder, fold_partials(r, t, rows),
                           kept_at(e, t, rows, loop.index));
    end_rows(r, &loop, moving, count);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (unsigned k = 0; is_reduction(e, t) && k < rows; k++)
            lanes->of[t][k] = LLVMBuildLoad2(e->k.builder, LLVMTypeOf(emit_neutral(e, rows, t)),
                                             kept_at(e, t, rows, int64_constant(e, k)), "");
}

/* As many rows as are folded together, in registers. */
static void emit_all_rows(row_emitter *r, const LLVMValueRef *pointers, row_lanes *lanes) {
    const part_emitter *e = r->part;
    memcpy(r->pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    for (unsigned k = 0; k < e->nest.together; k++) {
        emit_row_lanes(r);
        for (int32_t t = 0; t < tensor_count(e); t++) {
            LLVMValueRef bytes = r->row_strides[t];
            if (is_reduction(e, t)) lanes->of[t][k] = fold_partials(r, t, e->nest.together);
            r->pointers[t] = LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context),
                                           r->pointers[t], &bytes, 1, "");
        }
    }
}

/* Values of a reduction one by one, from where they are kept. */
static void store_one_by_one(row_emitter *r, int32_t t, LLVMValueRef first, LLVMValueRef count) {
    const part_emitter *e = r->part;
    const counted_loop loop = begin_counted(e, "results", int64_constant(e, 0));
    LLVMTypeRef type = LLVMTypeOf(emit_neutral(e, 1, t));
    LLVMValueRef value = LLVMBuildLoad2(e->k.builder, type, kept_at(e, t, 1, loop.index), "value"),
                 bytes = LLVMBuildMul(e->k.builder, loop.index, r->row_strides[t], "");
    store_reduction(
        r, t, 1, value,
        LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context), first, &bytes, 1, ""),
        NULL);
    end_counted(e, &loop, 1, count);
}

/* A vector of so many rows' values: as it is where these are all it has, and lie side by side. */
static void store_rows(row_emitter *r, int32_t t, LLVMValueRef value, LLVMValueRef first,
                       LLVMValueRef count) {
    const part_emitter *e = r->part;
    const unsigned rows = e->nest.together;
    const int64_t size = (int64_t)tosajit_type_size(reduction_node(e, t)->type.element);
    LLVMBasicBlockRef all = new_block(e, "all"), some = new_block(e, "some"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "stored");
    LLVMValueRef whole = LLVMBuildAnd(
        e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntEQ, count, int64_constant(e, rows), ""),
        LLVMBuildICmp(e->k.builder, LLVMIntEQ, r->row_strides[t], int64_constant(e, size), ""),
        "whole");
    LLVMBuildCondBr(e->k.builder, whole, all, some);
    LLVMPositionBuilderAtEnd(e->k.builder, all);
    store_reduction(r, t, rows, value, first, NULL);
    LLVMBuildBr(e->k.builder, after);
    LLVMPositionBuilderAtEnd(e->k.builder, some);
    LLVMBuildStore(e->k.builder, value, kept_at(e, t, rows, int64_constant(e, 0)));
    store_one_by_one(r, t, first, count);
    LLVMBuildBr(e->k.builder, after);
    continue_in(e, after);
}

/* Where a loop over rows stands. */
typedef struct row_state {
    LLVMValueRef first, pointers[TOSAJIT_MAX_TENSORS];
} row_state;

/* Rows from s->first on, so many together while there are as many, or while any are left. */
static void emit_groups(row_emitter *r, bool whole, row_state *s) {
    const part_emitter *e = r->part;
    LLVMValueRef rows = int64_constant(e, e->nest.together), moving[TOSAJIT_MAX_TENSORS];
    row_lanes lanes;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder),
                      head = enter_loop(e, "groups", s->pointers, moving),
                      turn = new_block(e, "group"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "groups.end");
    LLVMValueRef first = LLVMBuildPhi(e->k.builder, e->k.i64, "first"),
                 left = LLVMBuildSub(e->k.builder, e->rows, first, "left"),
                 least = whole ? rows : int64_constant(e, 1);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSGE, left, least, ""), turn,
                    after);
    LLVMPositionBuilderAtEnd(e->k.builder, turn);
    LLVMValueRef count = whole ? rows : smaller_of(e, rows, left);
    if (whole)
        emit_all_rows(r, moving, &lanes);
    else
        emit_some_rows(r, moving, count, &lanes);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t))
            store_rows(r, t, fold_together(e, t, lanes.of[t]), moving[t], count);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder);
    LLVMValueRef next = LLVMBuildAdd(e->k.builder, first, rows, "next");
    LLVMAddIncoming(first, (LLVMValueRef[]){s->first, next}, (LLVMBasicBlockRef[]){before, last},
                    2);
    for (int32_t t = 0; t < tensor_count(e); t++)
        LLVMAddIncoming(moving[t], &r->pointers[t], &last, 1);
    LLVMBuildBr(e->k.builder, head);
    continue_in(e, after);
    s->first = first;
    memcpy(s->pointers, moving, sizeof moving);
}

void emit_rows_together(row_emitter *r, const LLVMValueRef *pointers, LLVMBasicBlockRef after) {
    const size_t bytes = (size_t)tensor_count(r->part) * sizeof *pointers;
    row_state s = {.first = int64_constant(r->part, 0)};
    memcpy(s.pointers, pointers, bytes);
    r->in_three = false;
    r->groups = reduction_groups(r->part, false);
    if (r->part->nest.unrolled) emit_groups(r, true, &s);
    emit_groups(r, false, &s);
    memcpy(r->pointers, s.pointers, bytes);
    r->in_three = r->part->nest.in_three;
    r->groups = reduction_groups(r->part, r->in_three);
    LLVMBuildBr(r->part->k.builder, after);
}
