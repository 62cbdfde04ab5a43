/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Columns that are reduced: rows are combined in the order of runtime/expr/reduce.h.
 *
 *     for each step of columns
 *         for each segment of 128 rows
 *             partial results = neutral
 *             for each row
 *                 combine with its lanes
 *             combine them with the columns'
 *         store the columns' */
#include <string.h>

#include "jit/emit/reduce.h"
#include "runtime/expr/reduce.h"

/* Segments of rows at one step of columns: what is known before and behind them. */
typedef struct segment_state {
    LLVMValueRef first; /* row */
    LLVMValueRef pointers[TOSAJIT_MAX_TENSORS], totals[TOSAJIT_MAX_TENSORS];
} segment_state;

/* A row of each of the segments that are computed side by side, so that none waits for its own last
 * addition. `row` is the first one's number. */
static void emit_side_by_side(row_emitter *r, const level *lv, LLVMValueRef column,
                              LLVMValueRef row) {
    const part_emitter *e = r->part;
    LLVMValueRef run = int64_constant(e, REDUCE_RUN);
    r->place = row;
    for (unsigned g = 0; g < r->groups; g++) {
        r->place_offset = g * REDUCE_RUN;
        for (int32_t t = 0; g && t < tensor_count(e); t++)
            r->pointers[t] =
                behind(e, r->pointers[t], LLVMBuildMul(e->k.builder, r->row_strides[t], run, ""));
        emit_row_scalars(r);
        fill_splat_buffers(r);
        emit_splats(r, lv->nest.lanes);
        emit_step(r, lv, column, NULL);
    }
}

/* `rows` rows of each segment, of which `first` is the first one's first. The builder goes on
 * behind them, and r->pointers are behind the last row of the first segment. */
static void emit_segment_rows(row_emitter *r, const level *lv, LLVMValueRef column,
                              LLVMValueRef first, LLVMValueRef rows, const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    handed h;
    begin_partials(r, lv->nest.lanes);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder);
    const counted_loop loop = begin_rows(r, "rows", pointers, moving);
    enter_partials(r, before, &h);
    emit_side_by_side(r, lv, column, LLVMBuildAdd(e->k.builder, first, loop.index, ""));
    hand_partials(r, &h);
    memcpy(r->pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    step_pointers(r, moving, r->row_strides);
    end_counted(e, &loop, 1, rows);
}

/* The state at the head of the loop over segments. */
static void enter_segments(const part_emitter *e, const segment_state *s, segment_state *moving) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder);
    enter_loop(e, "segment", s->pointers, moving->pointers);
    moving->first = enter_value(e, "first", s->first, before);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        moving->totals[t] = enter_value(e, "total", s->totals[t], before);
}

/* The same behind the segments of one turn. */
static void leave_segments(row_emitter *r, unsigned lanes, LLVMValueRef next,
                           segment_state *moving) {
    const part_emitter *e = r->part;
    LLVMValueRef others = int64_constant(e, (int64_t)(r->groups - 1) * REDUCE_RUN);
    turn_value(e, moving->first, next);
    for (int32_t t = 0; t < tensor_count(e); t++)
        turn_value(
            e, moving->pointers[t],
            behind(e, r->pointers[t], LLVMBuildMul(e->k.builder, r->row_strides[t], others, "")));
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t)) {
        LLVMValueRef total = moving->totals[t];
        for (unsigned g = 0; g < r->groups; g++)
            total = emit_combined(e, lanes, t, total, r->partials[t][g]);
        turn_value(e, moving->totals[t], total);
    }
}

/* Segments from s->first on, so many at once, while there are as many. */
static void emit_segments(row_emitter *r, const level *lv, LLVMValueRef column, unsigned side,
                          segment_state *s) {
    const part_emitter *e = r->part;
    LLVMValueRef count = int64_constant(e, (int64_t)side * REDUCE_RUN);
    segment_state moving;
    r->groups = side;
    enter_segments(e, s, &moving);
    LLVMValueRef left = LLVMBuildSub(e->k.builder, e->rows, moving.first, ""),
                 least = side > 1 ? count : int64_constant(e, 1);
    LLVMBasicBlockRef head = LLVMGetInsertBlock(e->k.builder),
                      after = begin_if(e, compare(e, LLVMIntSGE, left, least), "segments",
                                       "segments.end");
    emit_segment_rows(r, lv, column, moving.first,
                      smaller_of(e, int64_constant(e, REDUCE_RUN), left), moving.pointers);
    leave_segments(r, lv->nest.lanes, LLVMBuildAdd(e->k.builder, moving.first, count, "next"),
                   &moving);
    LLVMBuildBr(e->k.builder, head);
    continue_in(e, after);
    *s = moving;
}

/* All rows at one step of columns: the totals. */
typedef void all_rows(row_emitter *r, const level *lv, unsigned side, LLVMValueRef column,
                      const LLVMValueRef *pointers, LLVMValueRef *totals);

/* A few rows without a loop, of one segment. */
static void emit_known_rows(row_emitter *r, const level *lv, unsigned side, LLVMValueRef column,
                            const LLVMValueRef *pointers, LLVMValueRef *totals) {
    (void)side;
    const part_emitter *e = r->part;
    memcpy(r->pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    begin_partials(r, lv->nest.lanes);
    for (int64_t row = 0; row < plan_reduced_size(e->part); row++) {
        emit_side_by_side(r, lv, column, int64_constant(e, row));
        for (int32_t t = 0; t < tensor_count(e); t++)
            r->pointers[t] = behind(e, r->pointers[t], r->row_strides[t]);
    }
    for (int32_t t = 0; t < tensor_count(e); t++) totals[t] = r->partials[t][0];
}

/* All segments, some side by side. */
static void emit_all_segments(row_emitter *r, const level *lv, unsigned side, LLVMValueRef column,
                              const LLVMValueRef *pointers, LLVMValueRef *totals) {
    const part_emitter *e = r->part;
    segment_state s = {.first = int64_constant(e, 0)};
    memcpy(s.pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        s.totals[t] = emit_neutral(e, lv->nest.lanes, t);
    if (side > 1) emit_segments(r, lv, column, side, &s);
    emit_segments(r, lv, column, 1, &s);
    memcpy(r->pointers, s.pointers, sizeof s.pointers);
    memcpy(totals, s.totals, sizeof s.totals);
}

/* All rows at one step of columns, and the stores of what they reduce to. */
static void emit_column_step(row_emitter *r, const level *lv, LLVMValueRef column,
                             const LLVMValueRef *pointers, all_rows *all) {
    const part_emitter *e = r->part;
    const lane l = lane_of(e, lv->nest.lanes);
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS];
    all(r, lv, r->accumulator->count, column, pointers, totals);
    LLVMValueRef mask =
        lv->nest.masked ? lane_mask(&l, LLVMBuildSub(e->k.builder, lv->end, column, "left")) : NULL;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        store_reduction(r, t, l.count, totals[t], element_address(r, t, column, 0), mask);
}

/* All steps of all levels that are left. */
static void emit_columns(row_emitter *r, reduced_state *s, all_rows *all) {
    const part_emitter *e = r->part;
    for (int k = 0; k < e->nest.level_count; k++) {
        const level *lv = &e->levels[k];
        LLVMBasicBlockRef after =
            begin_if(e, compare(e, LLVMIntSGT, lv->end, s->column), "columns", "columns.end");
        const counted_loop loop = begin_counted(e, "step", s->column);
        emit_column_step(r, lv, loop.index, s->begin, all);
        end_counted(e, &loop, step_size(lv), lv->end);
        end_if(e, after);
        s->column = lv->end;
    }
}

void emit_reduced_columns(row_emitter *r, reduced_state *s) {
    emit_columns(r, s, emit_all_segments);
}

void emit_few_rows(row_emitter *r, reduced_state *s) { emit_columns(r, s, emit_known_rows); }

/* Rows of few columns are one masked step, which needs few registers: so more segments are side by
 * side. */
void emit_narrow_columns(row_emitter *r, reduced_state *s) {
    const part_emitter *e = r->part;
    const level lv = {.nest = {.lanes = r->accumulator->lanes, .repeats = 1, .masked = true},
                      .end = e->cols};
    LLVMValueRef most = int64_constant(e, r->accumulator->lanes);
    LLVMBasicBlockRef wide = begin_if(e, compare(e, LLVMIntSLE, e->cols, most), "narrow", "wide");
    emit_column_step(r, &lv, s->column, s->begin, emit_all_segments);
    s->done = LLVMCreateBasicBlockInContext(e->k.context, "columns.done");
    LLVMBuildBr(e->k.builder, s->done);
    continue_in(e, wide);
}
