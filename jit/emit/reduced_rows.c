/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of reductions: values that one step hands to the next, in the order of
 * runtime/expr/reduce.h.
 *
 *     along columns                           along rows
 *     for each row                            for each step of columns
 *         for each segment of 4096 columns          for each segment of 128 rows
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
        for (unsigned g = 0; g < r->groups; g++) r->partials[t][g] = neutral;
        if (e->nest.in_three) extreme_begin(&l, neutral, r->partials[t]);
    }
}

/* Behind the last step of a segment. */
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
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(r); g++) {
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
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(r); g++) {
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
        for (unsigned g = 0; is_reduction(e, t) && g < reduction_values(r); g++) {
            LLVMValueRef phi = LLVMBuildPhi(e->k.builder, LLVMTypeOf(r->partials[t][g]), "");
            LLVMAddIncoming(phi, (LLVMValueRef[]){kept->phis[t][g], r->partials[t][g]},
                            (LLVMBasicBlockRef[]){first, second}, 2);
            r->partials[t][g] = phi;
        }
}

/* ---------------------------------------------------------------------------------------------
 * Along columns */

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

/* After `steps` steps the vector of partial results 0.. is `steps` modulo the groups before its
 * place: turn them, by one, by two, by four, as the bits of what is missing say. */
static void turn_partials(row_emitter *r, LLVMValueRef steps) {
    const part_emitter *e = r->part;
    const unsigned groups = r->groups;
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
    for (unsigned half = r->groups / 2; half > 0; half /= 2)
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

/* A segment of columns: from `start` to `end`, one value for each reduction. */
static void emit_segment(row_emitter *r, LLVMValueRef start, LLVMValueRef end,
                         LLVMValueRef *values) {
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
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t)) values[t] = fold(r, t);
}

void emit_reduced_row(row_emitter *r) {
    const part_emitter *e = r->part;
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS], values[TOSAJIT_MAX_TENSORS],
        zero = int64_constant(e, 0);
    if (is_one_segment(e)) {
        emit_segment(r, zero, e->cols, values);
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
        emit_segment(r, start, smaller_of(e, next, e->cols), values);
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
    begin_partials(r);
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

/* All rows at one step of columns, and the stores of what they reduce to. */
static void emit_column_step(row_emitter *r, const level *lv, LLVMValueRef column,
                             const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    const unsigned lanes = lv->nest.lanes;
    const lane l = lane_of(e, lanes);
    segment_state s = {.first = int64_constant(e, 0)};
    memcpy(s.pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t)) s.totals[t] = emit_neutral(e, lanes, t);
    if (e->nest.side > 1) emit_segments(r, lv, column, e->nest.side, &s);
    emit_segments(r, lv, column, 1, &s);
    LLVMValueRef mask =
        lv->nest.masked ? lane_mask(&l, LLVMBuildSub(e->k.builder, lv->end, column, "left")) : NULL;
    memcpy(r->pointers, s.pointers, sizeof s.pointers);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        if (is_reduction(e, t))
            store_reduction(r, t, lanes, s.totals[t], element_address(r, t, column, 0), mask);
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
    LLVMValueRef start = emit_strips(r, pointers);
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
