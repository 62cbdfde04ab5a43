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
 * addition. */
static void emit_side_by_side(row_emitter *r, const level *lv, LLVMValueRef column) {
    const part_emitter *e = r->part;
    LLVMValueRef run = int64_constant(e, REDUCE_RUN);
    for (unsigned g = 0; g < r->groups; g++) {
        for (int32_t t = 0; g && t < tensor_count(e); t++) {
            LLVMValueRef segment = LLVMBuildMul(e->k.builder, r->row_strides[t], run, "");
            r->pointers[t] = LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context),
                                           r->pointers[t], &segment, 1, "");
        }
        emit_row_scalars(r);
        fill_splat_buffers(r);
        emit_splats(r, lv->nest.lanes);
        emit_step(r, lv, column, NULL);
    }
}

/* `rows` rows of each segment. The builder goes on behind them, and r->pointers are behind the last
 * row of the first segment. */
static void emit_segment_rows(row_emitter *r, const level *lv, LLVMValueRef column,
                              LLVMValueRef rows, const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    handed h;
    begin_partials(r, lv->nest.lanes);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder);
    const counted_loop loop = begin_rows(r, "rows", pointers, int64_constant(e, 0), moving);
    enter_partials(r, before, &h);
    emit_side_by_side(r, lv, column);
    hand_partials(r, &h);
    end_rows(r, &loop, moving, rows);
}

/* The state at the head of the loop over segments. */
static void enter_segments(const part_emitter *e, const segment_state *s, segment_state *moving) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder);
    enter_loop(e, "segment", s->pointers, moving->pointers);
    LLVMValueRef first = s->first;
    moving->first = LLVMBuildPhi(e->k.builder, e->k.i64, "first");
    LLVMAddIncoming(moving->first, &first, &before, 1);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        LLVMValueRef total = s->totals[t];
        if (!is_reduction(e, t)) continue;
        moving->totals[t] = LLVMBuildPhi(e->k.builder, LLVMTypeOf(total), "total");
        LLVMAddIncoming(moving->totals[t], &total, &before, 1);
    }
}

/* The same behind the segments of one turn. */
static void leave_segments(row_emitter *r, unsigned lanes, LLVMValueRef next,
                           segment_state *moving) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder);
    LLVMValueRef others = int64_constant(e, (int64_t)(r->groups - 1) * REDUCE_RUN);
    LLVMAddIncoming(moving->first, &next, &last, 1);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef bytes = LLVMBuildMul(e->k.builder, r->row_strides[t], others, "");
        LLVMValueRef behind = LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context),
                                            r->pointers[t], &bytes, 1, "");
        LLVMAddIncoming(moving->pointers[t], &behind, &last, 1);
        if (!is_reduction(e, t)) continue;
        LLVMValueRef total = moving->totals[t];
        for (unsigned g = 0; g < r->groups; g++)
            total = emit_combined(e, lanes, t, total, r->partials[t][g]);
        LLVMAddIncoming(moving->totals[t], &total, &last, 1);
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
    LLVMBasicBlockRef head = LLVMGetInsertBlock(e->k.builder), turn = new_block(e, "segments"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "segments.end");
    LLVMValueRef left = LLVMBuildSub(e->k.builder, e->rows, moving.first, ""),
                 least = side > 1 ? count : int64_constant(e, 1);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSGE, left, least, ""), turn,
                    after);
    LLVMPositionBuilderAtEnd(e->k.builder, turn);
    emit_segment_rows(r, lv, column, smaller_of(e, int64_constant(e, REDUCE_RUN), left),
                      moving.pointers);
    leave_segments(r, lv->nest.lanes, LLVMBuildAdd(e->k.builder, moving.first, count, "next"),
                   &moving);
    LLVMBuildBr(e->k.builder, head);
    continue_in(e, after);
    *s = moving;
}

/* A few rows without a loop, of one segment. Then r->pointers are behind the last. */
static void emit_known_rows(row_emitter *r, const level *lv, LLVMValueRef column,
                            const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    memcpy(r->pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    begin_partials(r, lv->nest.lanes);
    for (int64_t row = 0; row < plan_reduced_size(e->part); row++) {
        emit_side_by_side(r, lv, column);
        for (int32_t t = 0; t < tensor_count(e); t++)
            r->pointers[t] =
                LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context), r->pointers[t],
                              (LLVMValueRef *)&r->row_strides[t], 1, "");
    }
}

/* All segments at one step of columns, some side by side: the totals. */
static void emit_all_segments(row_emitter *r, const level *lv, unsigned side, LLVMValueRef column,
                              const LLVMValueRef *pointers, LLVMValueRef *totals) {
    const part_emitter *e = r->part;
    segment_state s = {.first = int64_constant(e, 0)};
    memcpy(s.pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t)) s.totals[t] = emit_neutral(e, lv->nest.lanes, t);
    if (side > 1) emit_segments(r, lv, column, side, &s);
    emit_segments(r, lv, column, 1, &s);
    memcpy(r->pointers, s.pointers, sizeof s.pointers);
    memcpy(totals, s.totals, sizeof s.totals);
}

/* All rows at one step of columns, and the stores of what they reduce to. */
static void emit_column_step(row_emitter *r, const level *lv, unsigned side, LLVMValueRef column,
                             const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    const unsigned lanes = lv->nest.lanes;
    const lane l = lane_of(e, lanes);
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS];
    if (e->nest.unrolled) {
        emit_known_rows(r, lv, column, pointers);
        for (int32_t t = 0; t < tensor_count(e); t++) totals[t] = r->partials[t][0];
    } else {
        emit_all_segments(r, lv, side, column, pointers, totals);
    }
    LLVMValueRef mask =
        lv->nest.masked ? lane_mask(&l, LLVMBuildSub(e->k.builder, lv->end, column, "left")) : NULL;
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t))
            store_reduction(r, t, lanes, totals[t], element_address(r, t, column, 0), mask);
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
    emit_column_step(r, lv, e->nest.side, column, pointers);
    LLVMValueRef next =
        LLVMBuildAdd(e->k.builder, column, int64_constant(e, step_size(lv)), "next");
    LLVMAddIncoming(column, (LLVMValueRef[]){start, next},
                    (LLVMBasicBlockRef[]){enter, LLVMGetInsertBlock(e->k.builder)}, 2);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, next, lv->end, ""), turn,
                    after);
    continue_in(e, after);
}

/* Rows of few columns are one masked step, which needs few registers: so more segments are side by
 * side. The builder goes on where rows are longer. */
static void emit_narrow(row_emitter *r, const LLVMValueRef *pointers, LLVMBasicBlockRef after) {
    const part_emitter *e = r->part;
    const level lv = {.nest = {.lanes = e->nest.narrow, .repeats = 1, .masked = true},
                      .end = e->cols};
    LLVMBasicBlockRef narrow = new_block(e, "narrow"),
                      wide = LLVMCreateBasicBlockInContext(e->k.context, "wide");
    LLVMValueRef most = int64_constant(e, e->nest.narrow);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLE, e->cols, most, ""),
                    narrow, wide);
    LLVMPositionBuilderAtEnd(e->k.builder, narrow);
    emit_column_step(r, &lv, NEST_NARROW_SIDE, int64_constant(e, 0), pointers);
    LLVMBuildBr(e->k.builder, after);
    continue_in(e, wide);
}

void emit_reduced_columns(row_emitter *r, const LLVMValueRef *pointers, LLVMBasicBlockRef after) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef done = LLVMCreateBasicBlockInContext(e->k.context, "columns.done");
    if (e->nest.narrow) emit_narrow(r, pointers, done);
    LLVMValueRef start = emit_strips(r, pointers);
    for (int k = 0; k < e->nest.level_count; k++) {
        emit_column_level(r, &e->levels[k], start, pointers);
        start = e->levels[k].end;
    }
    LLVMBuildBr(e->k.builder, done);
    continue_in(e, done);
    for (int32_t t = 0; t < tensor_count(e); t++) { /* behind the last row */
        LLVMValueRef all = LLVMBuildMul(e->k.builder, e->rows, r->row_strides[t], "");
        r->pointers[t] = LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context),
                                       pointers[t], &all, 1, "");
    }
    LLVMBuildBr(e->k.builder, after);
}
