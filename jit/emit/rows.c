/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loops of a kernel:
 *
 *     for each plane, and each row of it:
 *         load splats, and compute what depends on nothing else
 *         for each level, from the widest lane count to the narrowest:
 *             while whole steps are left, or, in the last level, anything is left
 *                 load lanes, compute every node, store lanes
 *
 * The body is the same code at every level; only the lane count differs. For rows shorter than a
 * vector, and for rows of few static columns, plain parts have a second loop over rows, which has
 * no loop over columns inside. */
#include <string.h>

#include "jit/emit/part.h"
#include "jit/emit/plain.h"
#include "runtime/base/types.h"

/* `if (start < end) { do step; while (column < end); }`. Each level counts its columns in a
 * variable of its own, from where the level before has ended. So the first
 * one's begins at 0 and grows by a constant. The loop has a block before it and one behind it that
 * nothing else uses, as LLVM wants its loops. */
static void emit_level(part_emitter *e, const tosajit_variant *variant, const level *lv,
                       LLVMValueRef start) {
    LLVMBasicBlockRef enter = new_block(e, "columns"),
                      after = LLVMCreateBasicBlockInContext(e->context, "columns.end");
    /* In a plain part the levels have the same lanes and share their splats, but for a level of
     * single elements. */
    if (e->plain && lv->lanes != e->levels[0].lanes) emit_splats(e, lv->lanes);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, lv->end, start, ""), enter,
                    after);
    LLVMPositionBuilderAtEnd(e->builder, enter);
    if (!e->plain) emit_splats(e, lv->lanes);
    if (lv->mask) {
        emit_body(e, variant, lv->lanes, start, 0, lv->mask);
        LLVMBuildBr(e->builder, after);
        continue_in(e, after);
        return;
    }
    LLVMBasicBlockRef step = new_block(e, "step"),
                      leave = LLVMCreateBasicBlockInContext(e->context, "columns.leave");
    plain_fall_into(e, step);
    LLVMPositionBuilderAtEnd(e->builder, step);
    LLVMValueRef column = LLVMBuildPhi(e->builder, e->i64, "column");
    emit_step(e, variant, lv, column);
    LLVMValueRef next =
        plain_hide(e, LLVMBuildAdd(e->builder, column, int64_constant(e, step_size(lv)), "next"));
    LLVMAddIncoming(column, (LLVMValueRef[]){start, next},
                    (LLVMBasicBlockRef[]){enter, LLVMGetInsertBlock(e->builder)}, 2);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, lv->end, ""), step,
                    leave);
    continue_in(e, leave);
    plain_fall_into(e, after);
    continue_in(e, after);
}

/* Where each level ends, and the mask of a last single step: once for all variants and rows. */
void emit_limits(part_emitter *e) {
    e->tail = NULL;
    memset(e->tail_bytes, 0, sizeof e->tail_bytes);
    for (int k = 0; k < e->level_count; k++) {
        level *lv = &e->levels[k];
        bool to_the_end = lv->masked || lv->shared || lv->lanes == 1,
             single = k > 0 && lv->masked && step_size(&e->levels[k - 1]) == lv->lanes;
        lv->end = to_the_end ? e->cols
                             : LLVMBuildAnd(e->builder, e->cols,
                                            int64_constant(e, -(int64_t)step_size(lv)), "end");
        lane l = lane_of(e, lv->lanes);
        lv->mask =
            single ? lane_mask(&l, LLVMBuildSub(e->builder, e->cols, e->levels[k - 1].end, "left"))
                   : NULL;
        if (single) plain_tail(e, e->levels[k - 1].end);
    }
}

/* Begin the block of a loop over planes or rows. `moving` are its pointers, one per tensor: in the
 * first turn they are `pointers`. */
static LLVMBasicBlockRef enter_loop(const part_emitter *e, const char *name,
                                    const LLVMValueRef *pointers, LLVMValueRef *moving) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), head = new_block(e, name);
    LLVMBuildBr(e->builder, head);
    LLVMPositionBuilderAtEnd(e->builder, head);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef first = pointers[t];
        moving[t] = LLVMBuildPhi(e->builder, e->ptr, "");
        LLVMAddIncoming(moving[t], &first, &before, 1);
    }
    return head;
}

/* Move the row pointers by `steps`. `moving`, the pointers of the loop to which this block is about
 * to branch, are these in its next turn. */
static void step_pointers(part_emitter *e, const LLVMValueRef *moving, const LLVMValueRef *steps) {
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef step = steps[t];
        e->row_pointers[t] =
            plain_hide(e, LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context),
                                        e->row_pointers[t], &step, 1, ""));
        LLVMAddIncoming(moving[t], &e->row_pointers[t], &last, 1);
    }
}

/* From the last row of a plane to the first of the next. Everything that this needs stays in
 * memory: the steps are loaded only here, and the planes left are counted on the stack. In
 * registers they would take some from the loop over rows, and cost every row two cycles. */
static void emit_plane_end(part_emitter *e, LLVMBasicBlockRef planes, const LLVMValueRef *moving) {
    LLVMValueRef steps[TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef more = LLVMCreateBasicBlockInContext(e->context, "planes.more");
    LLVMValueRef left =
        LLVMBuildSub(e->builder, LLVMBuildLoad2(e->builder, e->i64, e->planes_left, ""),
                     int64_constant(e, 1), "");
    LLVMBuildStore(e->builder, left, e->planes_left);
    LLVMBuildCondBr(e->builder,
                    LLVMBuildICmp(e->builder, LLVMIntSGT, left, int64_constant(e, 0), ""), more,
                    e->done);
    continue_in(e, more);
    for (int32_t t = 0; t < tensor_count(e); t++)
        steps[t] = load_at(e, e->i64, e->strides, 2 * tensor_count(e) + t);
    step_pointers(e, moving, steps);
    LLVMBuildBr(e->builder, planes);
}

/* Whether there is a loop over rows for rows shorter than a vector. Most of such a row's time goes
 * into jumps past the other levels, and into addresses; this loop has fewer of both. */
static bool has_short_rows(const part_emitter *e) {
    return e->plain && e->level_count > 2 && e->levels[e->level_count - 1].mask;
}

/* All levels in turn. A row shorter than a vector jumps past the levels of whole vectors to the
 * tail, unless such rows have a loop of their own (has_short_rows). */
static void emit_levels(part_emitter *e, const tosajit_variant *variant) {
    LLVMBasicBlockRef tail = NULL;
    const int last = e->level_count - 1;
    if (e->plain) emit_splats(e, e->levels[0].lanes);
    for (int k = 0; k <= last; k++) {
        LLVMValueRef start = k ? e->levels[k - 1].end : int64_constant(e, 0);
        if (k == 0 && last > 1 && !has_short_rows(e)) {
            LLVMBasicBlockRef whole = new_block(e, "whole");
            tail = LLVMCreateBasicBlockInContext(e->context, "tail");
            LLVMBuildCondBr(
                e->builder,
                LLVMBuildICmp(e->builder, LLVMIntSGT, e->levels[last - 1].end, start, ""), whole,
                tail);
            LLVMPositionBuilderAtEnd(e->builder, whole);
        }
        if (k == last && tail) {
            plain_fall_into(e, tail);
            continue_in(e, tail);
        }
        emit_level(e, variant, &e->levels[k], start);
    }
}

/* The number of columns for which a row is written without a loop, up to four vectors; 0: none. It
 * is the number that static sizes give, 11 for 3x5x7x1 + 1x5x1x11. Calls with another number exist
 * all the same, where rows are joined or cut among threads, and take the loops. */
static int64_t fixed_columns(const part_emitter *e, const tosajit_variant *variant) {
    enum { MOST_VECTORS = 4 };
    walk w;
    if (!e->plain || !plan_static_walk(e->part, e->program, &w) || w.rank < 2) return 0;
    const int64_t cols = w.sizes[w.rank - 1], lanes = e->levels[0].lanes;
    bool applies =
        cols <= MOST_VECTORS * lanes && (cols % lanes == 0 || e->levels[e->level_count - 1].mask);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        applies &= has_bit(variant->splat, t) == (walk_strides(&w, w.rank - 1)[t] == 0);
    return applies ? cols : 0;
}

/* A row of so many columns, without a loop. */
static void emit_fixed_columns(part_emitter *e, const tosajit_variant *variant) {
    const unsigned lanes = e->levels[0].lanes, cols = (unsigned)e->fixed_cols;
    emit_splats(e, lanes);
    for (unsigned column = 0; column < cols; column += lanes)
        emit_body(e, variant, lanes, int64_constant(e, 0), column,
                  cols - column < lanes ? e->levels[e->level_count - 1].mask : NULL);
}

typedef enum row_kind {
    ROW_LEVELS, /* any number of columns, level by level */
    ROW_FIXED,  /* fixed_columns, without a loop */
    ROW_SHORT,  /* fewer columns than a vector has lanes: one masked body */
} row_kind;

static void emit_row(part_emitter *e, const tosajit_variant *variant, row_kind kind) {
    const level *tail = &e->levels[e->level_count - 1];
    if (kind == ROW_LEVELS) {
        emit_levels(e, variant);
    } else if (kind == ROW_FIXED) {
        emit_fixed_columns(e, variant);
    } else {
        emit_splats(e, tail->lanes);
        emit_body(e, variant, tail->lanes, int64_constant(e, 0), 0, tail->mask);
    }
}

/* All rows of a variant's plane, then a branch to `after`. There row_pointers are behind the last
 * row. */
static void emit_row_loop(part_emitter *e, const tosajit_variant *variant, row_kind kind,
                          const LLVMValueRef *pointers, const LLVMValueRef *row_strides,
                          LLVMBasicBlockRef after) {
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS], zero = int64_constant(e, 0);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder),
                      head = enter_loop(e, "rows", pointers, moving);
    LLVMValueRef row = LLVMBuildPhi(e->builder, e->i64, "row");
    memcpy(e->row_pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    emit_row_scalars(e, variant);
    emit_row_patterns(e, variant);
    emit_row(e, variant, kind);

    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMValueRef next = plain_hide(e, LLVMBuildAdd(e->builder, row, int64_constant(e, 1), ""));
    LLVMAddIncoming(row, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    step_pointers(e, moving, row_strides);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, e->rows, ""), head,
                    after);
}

/* The same by the kind of row that the number of columns asks for; where both ROW_SHORT and
 * ROW_LEVELS exist, the call's columns decide. Unless `after` is the end of the
 * function, the builder goes on there, with row_pointers joined from both ways. */
static void emit_rows(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers,
                      const LLVMValueRef *row_strides, LLVMBasicBlockRef after) {
    if (e->fixed_cols || !has_short_rows(e)) {
        emit_row_loop(e, variant, e->fixed_cols ? ROW_FIXED : ROW_LEVELS, pointers, row_strides,
                      after);
        if (after != e->done) continue_in(e, after);
        return;
    }
    LLVMValueRef ends[2][TOSAJIT_MAX_TENSORS], none = int64_constant(e, 0);
    LLVMBasicBlockRef from[2], brief = new_block(e, "short"),
                               whole = LLVMCreateBasicBlockInContext(e->context, "whole");
    LLVMBuildCondBr(
        e->builder,
        LLVMBuildICmp(e->builder, LLVMIntSGT, e->levels[e->level_count - 2].end, none, ""), whole,
        brief);
    for (int k = 0; k < 2; k++) {
        if (k)
            continue_in(e, whole);
        else
            LLVMPositionBuilderAtEnd(e->builder, brief);
        emit_row_loop(e, variant, k ? ROW_LEVELS : ROW_SHORT, pointers, row_strides, after);
        from[k] = LLVMGetInsertBlock(e->builder);
        memcpy(ends[k], e->row_pointers, (size_t)tensor_count(e) * sizeof *ends[k]);
    }
    if (after == e->done) return;
    continue_in(e, after);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        e->row_pointers[t] = LLVMBuildPhi(e->builder, e->ptr, "");
        LLVMAddIncoming(e->row_pointers[t], (LLVMValueRef[]){ends[0][t], ends[1][t]}, from, 2);
    }
}

/* All planes of a variant; then to the function's last block. */
static void emit_planes(part_emitter *e, const tosajit_variant *variant,
                        const LLVMValueRef *pointers, const LLVMValueRef *row_strides) {
    if (!e->part->has_planes) {
        emit_rows(e, variant, pointers, row_strides, e->done);
        return;
    }
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    LLVMBuildStore(e->builder, e->planes, e->planes_left);
    LLVMBasicBlockRef planes = enter_loop(e, "planes", pointers, moving),
                      end = LLVMCreateBasicBlockInContext(e->context, "rows.end");
    emit_rows(e, variant, moving, row_strides, end);
    emit_plane_end(e, planes, moving);
}

/* One variant, from its first block to the function's last. */
void emit_variant(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers,
                  const LLVMValueRef *row_strides) {
    emit_pattern_buffers(e, variant);
    e->fixed_cols = fixed_columns(e, variant);
    if (e->fixed_cols) {
        LLVMBasicBlockRef fixed = new_block(e, "fixed"),
                          any = LLVMCreateBasicBlockInContext(e->context, "any");
        LLVMValueRef same =
            LLVMBuildICmp(e->builder, LLVMIntEQ, e->cols, int64_constant(e, e->fixed_cols), "");
        LLVMBuildCondBr(e->builder, same, fixed, any);
        LLVMPositionBuilderAtEnd(e->builder, fixed);
        emit_planes(e, variant, pointers, row_strides);
        e->fixed_cols = 0;
        continue_in(e, any);
    }
    emit_planes(e, variant, pointers, row_strides);
}
