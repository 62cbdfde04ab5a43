/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loops of a kernel:
 *
 *     for each plane, and each row of it:
 *         load splats, and compute what depends on nothing else
 *         compute the row's first and last vector
 *         for each level, from the widest lane count to the narrowest:
 *             while whole steps are left
 *                 load lanes, compute every node, store lanes
 *         store the first and last vector
 *
 * The body is the same code at every level; only the lane count differs. Parts of longer ops begin
 * with the loops, and have a tail in place of a last vector. Plain parts have a second loop over
 * rows, for those of at most a vector. */
#include <string.h>

#include "jit/emit/part.h"
#include "jit/emit/plain.h"
#include "jit/schedule/costs.h"
#include "runtime/base/types.h"

/* Lanes of the tail of a part without ends. */
static unsigned last_lanes(const part_emitter *e) {
    return e->levels[0].shared ? e->levels[0].lanes : e->nest.lanes;
}

/* `if (start < end) { do step; while (column < end); }`. The loop has a block before it and one
 * behind it that nothing else uses, as LLVM wants its loops. What is returned is the column that it
 * has left to others. */
static LLVMValueRef emit_level(part_emitter *e, const tosajit_variant *variant, const level *lv,
                               LLVMValueRef start, const held *tail) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), enter = new_block(e, "columns"),
                      after = LLVMCreateBasicBlockInContext(e->context, "columns.end");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, lv->end, start, ""), enter,
                    after);
    LLVMPositionBuilderAtEnd(e->builder, enter);
    if (!e->nest.quick_select) emit_splats(e, lv->lanes);
    if (lv->mask) {
        emit_body(e, variant, lv->lanes, start, 0, lv->mask);
        LLVMBuildBr(e->builder, after);
        continue_in(e, after);
        return lv->end;
    }
    LLVMBasicBlockRef step = new_block(e, "step"),
                      leave = LLVMCreateBasicBlockInContext(e->context, "columns.leave");
    plain_fall_into(e, step);
    LLVMPositionBuilderAtEnd(e->builder, step);
    LLVMValueRef column = LLVMBuildPhi(e->builder, e->i64, "column");
    emit_step(e, variant, lv, column, tail);
    LLVMValueRef next =
        plain_hide(e, LLVMBuildAdd(e->builder, column, int64_constant(e, step_size(lv)), "next"));
    LLVMAddIncoming(column, (LLVMValueRef[]){start, next},
                    (LLVMBasicBlockRef[]){enter, LLVMGetInsertBlock(e->builder)}, 2);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, lv->end, ""), step,
                    leave);
    continue_in(e, leave);
    plain_fall_into(e, after);
    continue_in(e, after);
    LLVMValueRef left = LLVMBuildPhi(e->builder, e->i64, "left");
    LLVMAddIncoming(left, (LLVMValueRef[]){start, next}, (LLVMBasicBlockRef[]){before, leave}, 2);
    return left;
}

/* Where the loops of rows with ends end: whole steps lie before the last vector, or in part, which
 * that vector writes again. */
static void emit_ends_limits(part_emitter *e) {
    const unsigned lanes = e->nest.lanes;
    LLVMValueRef wide = int64_constant(e, (int64_t)step_size(&e->levels[0]) - 1);
    lane l = lane_of(e, lanes);
    e->levels[0].end = LLVMBuildSub(e->builder, e->cols, wide, "end");
    e->tail = e->levels[1].end = emit_last_column(e, lanes);
    e->brief = e->nest.tail == TOSAJIT_TAIL_MASKED ? lane_mask(&l, e->cols) : NULL;
    plain_tail(e, e->tail);
}

/* Where each level ends, and the mask of a last single step: once for all variants and rows. */
void emit_limits(part_emitter *e) {
    e->tail = NULL;
    memset(e->tail_bytes, 0, sizeof e->tail_bytes);
    if (nest_is_peeled(&e->nest)) {
        emit_ends_limits(e);
        return;
    }
    for (int k = 0; k < e->level_count; k++) {
        level *lv = &e->levels[k];
        bool to_the_end = lv->masked || lv->shared,
             single = k > 0 && lv->masked && step_size(&e->levels[k - 1]) == lv->lanes;
        lv->end = to_the_end ? e->cols
                             : LLVMBuildAnd(e->builder, e->cols,
                                            int64_constant(e, -(int64_t)step_size(lv)), "end");
        lane l = lane_of(e, lv->lanes);
        lv->mask =
            single ? lane_mask(&l, LLVMBuildSub(e->builder, e->cols, e->levels[k - 1].end, "left"))
                   : NULL;
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

/* All levels in turn. A tail that overlaps is loaded before them; a row that is shorter than a
 * vector has nothing else. Each level begins where the one before has ended, and counts columns in
 * a variable of its own: the first one's begins at 0 and grows by a constant. */
static void emit_levels(part_emitter *e, const tosajit_variant *variant) {
    const bool overlaps = e->nest.tail == TOSAJIT_TAIL_OVERLAP;
    const unsigned lanes = last_lanes(e);
    LLVMValueRef start = int64_constant(e, 0);
    held tail;
    if (overlaps || e->nest.quick_select) emit_splats(e, lanes);
    if (overlaps) {
        memcpy(e->values, e->splats, e->program->count * sizeof *e->values);
        emit_last_loads(e, variant, lanes, lanes);
        hold(e, 0, e->part->leaf_count, &tail);
    }
    for (int k = 0; k < e->level_count; k++) {
        emit_level(e, variant, &e->levels[k], start, overlaps ? &tail : NULL);
        start = e->levels[k].end;
    }
    if (!overlaps || e->levels[0].shared) return;
    LLVMBasicBlockRef more = new_block(e, "last"),
                      after = LLVMCreateBasicBlockInContext(e->context, "last.end");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, e->cols, start, ""), more,
                    after);
    LLVMPositionBuilderAtEnd(e->builder, more);
    emit_splats(e, lanes);
    memcpy(e->values, e->splats, e->program->count * sizeof *e->values);
    take(e, 0, e->part->leaf_count, &tail);
    emit_nodes(e, lanes);
    emit_last_stores(e, variant, lanes, lanes);
    LLVMBuildBr(e->builder, after);
    continue_in(e, after);
}

/* The loops between the ends of a row: wide steps, then single vectors. They begin where the first
 * result is aligned, within the first vector: a store across two cache lines takes twice as long.
 */
static void emit_between(part_emitter *e, const tosajit_variant *variant) {
    const unsigned lanes = e->nest.lanes;
    LLVMValueRef column = emit_aligned_column(e, int64_constant(e, lanes - 1), lanes);
    for (int k = 0; k < 2; k++) column = emit_level(e, variant, &e->levels[k], column, NULL);
}

/* What a row of a vector at least has before its last one: the first, and the loops if anything is
 * left between them. */
static void emit_before_last(part_emitter *e, const tosajit_variant *variant) {
    const unsigned lanes = e->nest.lanes;
    held first;
    emit_values(e, variant, lanes, int64_constant(e, 0), 0, NULL);
    hold(e, e->part->leaf_count, tensor_count(e), &first);
    if (e->part->cols_multiple > 2 * (int64_t)lanes) {
        emit_between(e, variant);
    } else {
        LLVMBasicBlockRef between = new_block(e, "between"),
                          after = LLVMCreateBasicBlockInContext(e->context, "between.end");
        LLVMValueRef two = int64_constant(e, 2 * (int64_t)lanes);
        LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, e->cols, two, ""),
                        between, after);
        LLVMPositionBuilderAtEnd(e->builder, between);
        emit_between(e, variant);
        plain_fall_into(e, after);
        continue_in(e, after);
    }
    take(e, e->part->leaf_count, tensor_count(e), &first);
    emit_stores(e, variant, lanes, int64_constant(e, 0), 0, NULL);
}

/* A row of more than one vector, or of exactly one, which is then written twice. */
static void emit_long_row(part_emitter *e, const tosajit_variant *variant) {
    const unsigned lanes = e->nest.lanes;
    held last;
    emit_splats(e, lanes);
    emit_values(e, variant, lanes, e->tail, 0, NULL);
    hold(e, e->part->leaf_count, tensor_count(e), &last);
    emit_before_last(e, variant);
    take(e, e->part->leaf_count, tensor_count(e), &last);
    emit_stores(e, variant, lanes, e->tail, 0, NULL);
}

/* A row of many cache lines, which are stored whole, past the caches. As nothing is in place, its
 * first and its last line's worth may be written before. Were they written afterwards, they would
 * read a line again that had just left. */
static void emit_stream_row(part_emitter *e, const tosajit_variant *variant) {
    const size_t size = tosajit_type_size(tensor_node(e, e->part->leaf_count)->type.element);
    const unsigned line = COST_LINE_BYTES / (unsigned)size;
    LLVMValueRef all = int64_constant(e, line - 1), column;
    level lv = {.lanes = e->nest.lanes, .repeats = 1, .end = int64_constant(e, line)};
    if (e->nest.quick_select) emit_splats(e, lv.lanes);
    emit_level(e, variant, &lv, int64_constant(e, 0), NULL);
    lv.end = e->cols;
    emit_level(e, variant, &lv, emit_last_column(e, line), NULL);
    column = emit_aligned_column(e, all, line);
    lv.end = LLVMBuildSub(
        e->builder, e->cols,
        LLVMBuildAnd(e->builder, LLVMBuildSub(e->builder, e->cols, column, ""), all, ""), "end");
    e->streams = true;
    emit_level(e, variant, &lv, column, NULL);
    e->streams = false;
}

/* A row of at most one vector. */
static void emit_brief_row(part_emitter *e, const tosajit_variant *variant) {
    emit_splats(e, e->nest.lanes);
    emit_body(e, variant, e->nest.lanes, int64_constant(e, 0), 0, e->brief);
}

static LLVMValueRef is_long(const part_emitter *e) {
    return LLVMBuildICmp(e->builder, LLVMIntSGT, e->cols, int64_constant(e, e->nest.lanes), "");
}

/* A row of less than a vector, where there are no masks. */
static void emit_few_row(part_emitter *e, const tosajit_variant *variant) {
    const unsigned lanes = e->nest.lanes;
    emit_splats(e, lanes);
    memcpy(e->values, e->splats, e->program->count * sizeof *e->values);
    emit_last_loads(e, variant, lanes, lanes / 2);
    emit_nodes(e, lanes);
    emit_last_stores(e, variant, lanes, lanes / 2);
}

/* A row by its columns. */
static void emit_masked_row(part_emitter *e, const tosajit_variant *variant) {
    LLVMBasicBlockRef brief = new_block(e, "brief"), longer = new_block(e, "long"),
                      after = LLVMCreateBasicBlockInContext(e->context, "row.end");
    LLVMBuildCondBr(e->builder, is_long(e), longer, brief);
    LLVMPositionBuilderAtEnd(e->builder, brief);
    emit_brief_row(e, variant);
    LLVMBuildBr(e->builder, after);
    LLVMPositionBuilderAtEnd(e->builder, longer);
    emit_long_row(e, variant);
    LLVMBuildBr(e->builder, after);
    continue_in(e, after);
}

static void emit_row(part_emitter *e, const tosajit_variant *variant, nest_row row) {
    static void (*const rows[])(part_emitter *, const tosajit_variant *) = {
        [NEST_TAIL] = emit_levels,      [NEST_PEELED] = emit_long_row,
        [NEST_MASKED] = emit_brief_row, [NEST_EITHER] = emit_masked_row,
        [NEST_HALVES] = emit_few_row,   [NEST_STREAMED] = emit_stream_row,
    };
    rows[row](e, variant);
}

/* All rows of a variant's plane, then a branch to `after`. There row_pointers are behind the last
 * row. */
static void emit_row_loop(part_emitter *e, const tosajit_variant *variant, nest_row kind,
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

/* The row loop of brief rows, then that of longer ones. */
static void emit_brief_and_long(part_emitter *e, const tosajit_variant *variant,
                                const LLVMValueRef *pointers, const LLVMValueRef *row_strides,
                                LLVMBasicBlockRef after) {
    LLVMValueRef ends[2][TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef from[2], brief = new_block(e, "short"),
                               longer = LLVMCreateBasicBlockInContext(e->context, "long");
    LLVMBuildCondBr(e->builder, is_long(e), longer, brief);
    LLVMPositionBuilderAtEnd(e->builder, brief);
    for (int k = 0; k < 2; k++) {
        if (k) continue_in(e, longer);
        emit_row_loop(e, variant, e->nest.rows[k], pointers, row_strides, after);
        from[k] = LLVMGetInsertBlock(e->builder);
        memcpy(ends[k], e->row_pointers, sizeof ends[k]);
    }
    if (after == e->done) return;
    continue_in(e, after);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        e->row_pointers[t] = LLVMBuildPhi(e->builder, e->ptr, "");
        LLVMAddIncoming(e->row_pointers[t], (LLVMValueRef[]){ends[0][t], ends[1][t]}, from, 2);
    }
}

/* The same by the kind of row that the number of columns asks for. Unless `after` is the end of the
 * function, the builder goes on there, with row_pointers joined from both ways. */
static void emit_rows(part_emitter *e, const tosajit_variant *variant, nest_row kind,
                      const LLVMValueRef *pointers, const LLVMValueRef *row_strides,
                      LLVMBasicBlockRef after) {
    if (kind == NEST_MASKED) {
        emit_brief_and_long(e, variant, pointers, row_strides, after);
        return;
    }
    emit_row_loop(e, variant, kind, pointers, row_strides, after);
    if (after != e->done) continue_in(e, after);
}

/* All planes of a variant; then to the function's last block. */
static void emit_planes(part_emitter *e, const tosajit_variant *variant, nest_row kind,
                        const LLVMValueRef *pointers, const LLVMValueRef *row_strides) {
    if (!e->part->has_planes) {
        emit_rows(e, variant, kind, pointers, row_strides, e->done);
        return;
    }
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    LLVMBuildStore(e->builder, e->planes, e->planes_left);
    LLVMBasicBlockRef planes = enter_loop(e, "planes", pointers, moving),
                      end = LLVMCreateBasicBlockInContext(e->context, "rows.end");
    emit_rows(e, variant, kind, moving, row_strides, end);
    emit_plane_end(e, planes, moving);
}

void emit_variant(part_emitter *e, const tosajit_variant *variant, nest_row kind,
                  const LLVMValueRef *pointers, const LLVMValueRef *row_strides) {
    emit_pattern_buffers(e, variant);
    emit_planes(e, variant, kind, pointers, row_strides);
}
