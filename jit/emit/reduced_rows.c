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

/* Of an element of a reduction's result, in bytes. */
static size_t size_of(const part_emitter *e, int32_t t) {
    return tosajit_type_size(reduction_node(e, t)->type.element);
}

static bool is_one_segment(const part_emitter *e) {
    const int64_t size = plan_reduced_size(e->part);
    return size != TOSAJIT_DYNAMIC && size <= REDUCE_SEGMENT;
}

/* The steps of a level in each row; -1: a call decides. */
static int64_t known_steps(const part_emitter *e, const level *lv) {
    const int64_t size = plan_reduced_size(e->part), step = (int64_t)step_size(lv);
    if (!is_one_segment(e)) return -1;
    if (lv->nest.shared) return (size + step - 1) / step;
    const int64_t rest = size % (int64_t)nest_step(&e->nest);
    return lv->nest.masked ? (rest + step - 1) / step : size / step;
}

/* All steps of a level, of which there may be none, or one. */
static void emit_reduced_level(row_emitter *r, const level *lv, LLVMValueRef start) {
    const int64_t steps = known_steps(r->part, lv);
    if (steps == 0) return;
    if (steps > 1 || steps < 0) {
        emit_level(r, lv, start, NULL);
        return;
    }
    emit_splats(r, lv->nest.lanes);
    emit_step(r, lv, start, NULL);
}

/* A segment of columns: from `start` to `end`, as partial results. */
static void emit_segment(row_emitter *r, LLVMValueRef start, LLVMValueRef end) {
    const part_emitter *e = r->part;
    const unsigned lanes = r->accumulator->lanes;
    LLVMValueRef count = LLVMBuildSub(e->k.builder, end, start, ""),
                 whole = LLVMBuildAnd(e->k.builder, count,
                                      int64_constant(e, -(int64_t)nest_step(&e->nest)), ""),
                 limit = LLVMBuildAdd(e->k.builder, start, whole, "whole");
    begin_partials(r, lanes);
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

/* How many rows are folded together: a multiple of the accumulator's rows, or none. */
static LLVMValueRef count_together(const row_emitter *r) {
    const part_emitter *e = r->part;
    LLVMValueRef most = int64_constant(e, NEST_TOGETHER_COLUMNS), rows = int64_constant(e, 0),
                 may = compare(e, LLVMIntSLE, e->cols, most);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t)) {
        LLVMValueRef size = int64_constant(e, (int64_t)size_of(e, t));
        LLVMValueRef dense = compare(e, LLVMIntEQ, r->row_strides[t], size);
        may = LLVMBuildAnd(e->k.builder, may, dense, "");
    }
    LLVMValueRef whole =
        LLVMBuildAnd(e->k.builder, e->rows, int64_constant(e, -(int64_t)r->accumulator->rows), "");
    return LLVMBuildSelect(e->k.builder, may, whole, rows, "together");
}

/* Fold what is kept of the rows that end with this one. */
static void fold_kept(row_emitter *r) {
    const part_emitter *e = r->part;
    const unsigned count = r->accumulator->rows;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t)) {
        LLVMValueRef rows[NEST_MOST_TOGETHER];
        for (unsigned k = 0; k < count; k++)
            rows[k] = load_at(e, LLVMTypeOf(emit_neutral(e, count, t)), e->memory[t][0], k);
        LLVMValueRef back = int64_constant(e, -(int64_t)(size_of(e, t) * (count - 1)));
        store_reduction(r, t, count, fold_together(e, t, rows), behind(e, r->pointers[t], back),
                        NULL);
    }
}

/* Where the row is folded together with others: keep its vectors `values`, fold them behind the
 * last of these rows, and go on in `row_end`. The builder goes on where it is not. */
static void emit_kept_row(row_emitter *r, const LLVMValueRef *values, LLVMBasicBlockRef row_end) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef alone =
        begin_if(e, compare(e, LLVMIntSLT, r->row, r->together), "keep", "alone");
    LLVMValueRef last = int64_constant(e, (int64_t)r->accumulator->rows - 1),
                 place = LLVMBuildAnd(e->k.builder, r->row, last, "");
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        LLVMBuildStore(
            e->k.builder, values[t],
            LLVMBuildGEP2(e->k.builder, LLVMTypeOf(values[t]), e->memory[t][0], &place, 1, ""));
    LLVMBasicBlockRef fold = new_block(e, "fold");
    LLVMBuildCondBr(e->k.builder, compare(e, LLVMIntEQ, place, last), fold, row_end);
    LLVMPositionBuilderAtEnd(e->k.builder, fold);
    fold_kept(r);
    LLVMBuildBr(e->k.builder, row_end);
    continue_in(e, alone);
}

/* The next rows without a loop, from r->pointers on, which are then behind the last. */
static void emit_rows_together(row_emitter *r, void *none) {
    (void)none;
    const part_emitter *e = r->part;
    const unsigned count = r->accumulator->rows;
    LLVMValueRef rows[TOSAJIT_MAX_TENSORS][NEST_MOST_TOGETHER], first[TOSAJIT_MAX_TENSORS];
    memcpy(first, r->pointers, sizeof first);
    for (unsigned k = 0; k < count; k++) {
        emit_row_scalars(r);
        fill_splat_buffers(r);
        emit_segment(r, int64_constant(e, 0), e->cols);
        for (int32_t t = 0; t < tensor_count(e); t++) {
            if (is_reduction(e, t)) rows[t][k] = fold_partials(r, t, count);
            r->pointers[t] = behind(e, r->pointers[t], r->row_strides[t]);
        }
    }
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        store_reduction(r, t, count, fold_together(e, t, rows[t]), first[t], NULL);
}

void emit_brief_rows(row_emitter *r, reduced_state *s) {
    emit_rows_while(r, r->accumulator->rows, count_together(r), &s->rows, emit_rows_together, NULL);
}

/* ---------------------------------------------------------------------------------------------
 * Rows one by one */

/* A segment as one value for each reduction; where it is the row, it may be folded with others. */
static void emit_folded(row_emitter *r, LLVMValueRef start, LLVMValueRef end,
                        LLVMBasicBlockRef row_end, LLVMValueRef *values) {
    const part_emitter *e = r->part;
    emit_segment(r, start, end);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        values[t] = fold_partials(r, t, row_end ? r->accumulator->rows : r->accumulator->lanes);
    if (row_end) emit_kept_row(r, values, row_end);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        values[t] = fold_lanes(e, t, values[t], 1);
}

/* All segments of a row, of which there may be several. */
static void emit_segments(row_emitter *r, LLVMBasicBlockRef row_end, LLVMValueRef *values) {
    const part_emitter *e = r->part;
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder);
    const counted_loop loop = begin_counted(e, "segment", int64_constant(e, 0));
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        totals[t] = enter_value(e, "total", emit_neutral(e, 1, t), before);
    LLVMValueRef next =
        LLVMBuildAdd(e->k.builder, loop.index, int64_constant(e, REDUCE_SEGMENT), "next");
    emit_folded(r, loop.index, smaller_of(e, next, e->cols), row_end, values);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t)) {
        values[t] = emit_combined(e, 1, t, totals[t], values[t]);
        turn_value(e, totals[t], values[t]);
    }
    end_counted_at(e, &loop, next, e->cols);
}

/* A row of one step, of which a position is wanted: nothing is handed on. */
static void emit_found_row(row_emitter *r, void *none) {
    (void)none;
    const part_emitter *e = r->part;
    const unsigned lanes = r->accumulator->lanes;
    const lane l = lane_of(e, lanes);
    const bool whole = e->part->cols_multiple % lanes == 0;
    emit_row_scalars(r);
    fill_splat_buffers(r);
    emit_splats(r, lanes);
    emit_body(r, (step){.lanes = lanes,
                        .column = int64_constant(e, 0),
                        .mask = whole ? NULL : lane_mask(&l, e->cols)});
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        store_reduction(r, t, 1, find_position(r, t), r->pointers[t], NULL);
}

void emit_found_rows(row_emitter *r, reduced_state *s) {
    const part_emitter *e = r->part;
    LLVMValueRef most = int64_constant(e, r->accumulator->lanes),
                 fits = compare(e, LLVMIntSLE, e->cols, most);
    emit_rows_while(r, 1,
                    LLVMBuildSelect(e->k.builder, fits, e->rows, int64_constant(e, 0), "found"),
                    &s->rows, emit_found_row, NULL);
}

static void emit_reduced_row(row_emitter *r, void *none) {
    (void)none;
    const part_emitter *e = r->part;
    LLVMBasicBlockRef row_end = r->accumulator->where == NEST_MEMORY
                                    ? LLVMCreateBasicBlockInContext(e->k.context, "row.end")
                                    : NULL;
    LLVMValueRef values[TOSAJIT_MAX_TENSORS];
    emit_row_scalars(r);
    fill_splat_buffers(r);
    if (is_one_segment(e))
        emit_folded(r, int64_constant(e, 0), e->cols, row_end, values);
    else
        emit_segments(r, row_end, values);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        store_reduction(r, t, 1, values[t], r->pointers[t], NULL);
    if (row_end) end_if(e, row_end);
}

void emit_reduced_rows(row_emitter *r, reduced_state *s) {
    if (r->accumulator->rows > 1) r->together = count_together(r);
    emit_rows_while(r, 1, r->part->rows, &s->rows,
                    r->accumulator->kept == NEST_ELEMENTS ? emit_found_row : emit_reduced_row,
                    NULL);
}
