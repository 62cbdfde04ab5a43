/* The loops of a kernel:
 *
 *     for each plane, and each row of it:
 *         load splats, and compute what depends on nothing else
 *         for each level, from the widest lane count to the narrowest:
 *             while whole steps are left, or, in the last level, anything is left
 *                 load lanes, compute every node, store lanes
 *
 * The body is the same code at every level; only the lane count differs. Where rows are shorter than a vector, or of few static columns,
 * parts of few instructions have loops over rows in which there is none over columns. */
#include <string.h>

#include "jit/emit_part.h"
#include "runtime/types.h"

/* LLVM analyses the induction variables of loops even where it then changes none; of a frozen one there is nothing to say. */
static LLVMValueRef hide(const part_emitter *e, LLVMValueRef induction) {
    return e->plain ? LLVMBuildFreeze(e->builder, induction, "") : induction;
}

/* An unconditional way to the next block. The quick selection makes a jump of one that is alone in its block. */
static void fall_into(const part_emitter *e, LLVMBasicBlockRef next) {
    if (e->plain) LLVMBuildFreeze(e->builder, e->cols, "");
    LLVMBuildBr(e->builder, next);
}

/* `if (start < end) { do step; while (column < end); }`: a loop that is entered in the middle of the row has an induction variable of
 * its own, so that the ones before it stay simple. It has a block before and after it to itself, as LLVM wants. */
static void emit_level(part_emitter *e, const tosajit_variant *variant, const level *lv, LLVMValueRef start) {
    LLVMBasicBlockRef enter = new_block(e, "columns"), after = LLVMCreateBasicBlockInContext(e->context, "columns.end");
    /* All levels of a plain part but a scalar one have the same lanes. */
    if (e->plain && lv->lanes != e->levels[0].lanes) emit_splats(e, lv->lanes);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, lv->end, start, ""), enter, after);
    LLVMPositionBuilderAtEnd(e->builder, enter);
    if (!e->plain) emit_splats(e, lv->lanes);
    if (lv->mask) {
        emit_body(e, variant, lv->lanes, start, 0, lv->mask);
        LLVMBuildBr(e->builder, after);
        continue_in(e, after);
        return;
    }
    LLVMBasicBlockRef step = new_block(e, "step"), leave = LLVMCreateBasicBlockInContext(e->context, "columns.leave");
    fall_into(e, step);
    LLVMPositionBuilderAtEnd(e->builder, step);
    LLVMValueRef column = LLVMBuildPhi(e->builder, e->i64, "column");
    emit_step(e, variant, lv, column);
    LLVMValueRef next = hide(e, LLVMBuildAdd(e->builder, column, int64_constant(e, step_size(lv)), "next"));
    LLVMAddIncoming(column, (LLVMValueRef[]){start, next}, (LLVMBasicBlockRef[]){enter, LLVMGetInsertBlock(e->builder)}, 2);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, lv->end, ""), step, leave);
    continue_in(e, leave);
    fall_into(e, after);
    continue_in(e, after);
}

/* The quick selection would multiply in every row. */
static void emit_tail_bytes(part_emitter *e, LLVMValueRef column) {
    e->tail = column;
    for (int32_t t = 0; t < tensor_count(e); t++) {
        size_t size = tosajit_type_size(tensor_node(e, t)->type.element);
        if (!e->tail_bytes[size - 1]) e->tail_bytes[size - 1] = LLVMBuildMul(e->builder, column, int64_constant(e, (int64_t)size), "");
    }
}

/* Where each level ends, and the mask of a last single step: once for all variants and rows. */
void emit_limits(part_emitter *e) {
    e->tail = NULL;
    memset(e->tail_bytes, 0, sizeof e->tail_bytes);
    for (int k = 0; k < e->level_count; k++) {
        level *lv = &e->levels[k];
        bool to_the_end = lv->masked || lv->shared || lv->lanes == 1,
             single = k > 0 && lv->masked && step_size(&e->levels[k - 1]) == lv->lanes;
        lv->end = to_the_end ? e->cols : LLVMBuildAnd(e->builder, e->cols, int64_constant(e, -(int64_t)step_size(lv)), "end");
        lane l = lane_of(e, lv->lanes);
        lv->mask = single ? lane_mask(&l, LLVMBuildSub(e->builder, e->cols, e->levels[k - 1].end, "left")) : NULL;
        if (single && e->plain) emit_tail_bytes(e, e->levels[k - 1].end);
    }
}

/* Begin the block of a loop over planes or rows: a pointer per tensor, at first where `pointers` are. */
static LLVMBasicBlockRef enter_loop(const part_emitter *e, const char *name, const LLVMValueRef *pointers, LLVMValueRef *moving) {
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

/* Move the row pointers; `moving` go on with them when this block branches to their loop. */
static void step_pointers(part_emitter *e, const LLVMValueRef *moving, const LLVMValueRef *steps) {
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef step = steps[t];
        e->row_pointers[t] = hide(e, LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), e->row_pointers[t], &step, 1, ""));
        LLVMAddIncoming(moving[t], &e->row_pointers[t], &last, 1);
    }
}

/* From the last row of a plane to the first of the next. The registers are for the rows: the steps are read when they are taken, and the
 * planes that are left are counted in memory. */
static void emit_plane_end(part_emitter *e, LLVMBasicBlockRef planes, const LLVMValueRef *moving) {
    LLVMValueRef steps[TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef more = LLVMCreateBasicBlockInContext(e->context, "planes.more");
    LLVMValueRef left = LLVMBuildSub(e->builder, LLVMBuildLoad2(e->builder, e->i64, e->planes_left, ""), int64_constant(e, 1), "");
    LLVMBuildStore(e->builder, left, e->planes_left);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, left, int64_constant(e, 0), ""), more, e->done);
    continue_in(e, more);
    for (int32_t t = 0; t < tensor_count(e); t++) steps[t] = load_at(e, e->i64, e->strides, 2 * tensor_count(e) + t);
    step_pointers(e, moving, steps);
    LLVMBuildBr(e->builder, planes);
}

/* Whether rows without a whole vector have a loop over rows of their own: jumps and addresses are most of what they cost. */
static bool has_short_rows(const part_emitter *e) { return e->plain && e->level_count > 2 && e->levels[e->level_count - 1].mask; }

/* All levels in turn. A row without a whole vector jumps to the tail at once, where it has no loop of its own. */
static void emit_levels(part_emitter *e, const tosajit_variant *variant) {
    LLVMBasicBlockRef tail = NULL;
    const int last = e->level_count - 1;
    if (e->plain) emit_splats(e, e->levels[0].lanes);
    for (int k = 0; k <= last; k++) {
        LLVMValueRef start = k ? e->levels[k - 1].end : int64_constant(e, 0);
        if (k == 0 && last > 1 && !has_short_rows(e)) {
            LLVMBasicBlockRef whole = new_block(e, "whole");
            tail = LLVMCreateBasicBlockInContext(e->context, "tail");
            LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, e->levels[last - 1].end, start, ""), whole, tail);
            LLVMPositionBuilderAtEnd(e->builder, whole);
        }
        if (k == last && tail) {
            fall_into(e, tail);
            continue_in(e, tail);
        }
        emit_level(e, variant, &e->levels[k], start);
    }
}

/* The columns that a part's short rows have whenever they go to the code as they are, if few instructions make a row of them; 0 if not.
 * Other calls, of joined rows or pieces, take any number. */
static int64_t fixed_columns(const part_emitter *e, const tosajit_variant *variant) {
    enum { MOST_VECTORS = 4 };
    walk w;
    if (!e->plain || !plan_static_walk(e->part, e->program, &w) || w.rank < 2) return 0;
    const int64_t cols = w.sizes[w.rank - 1], lanes = e->levels[0].lanes;
    bool applies = cols <= MOST_VECTORS * lanes && (cols % lanes == 0 || e->levels[e->level_count - 1].mask);
    for (int32_t t = 0; t < e->part->leaf_count; t++) applies &= has_bit(variant->splat, t) == (walk_strides(&w, w.rank - 1)[t] == 0);
    return applies ? cols : 0;
}

/* A row of so many columns, without a loop. */
static void emit_fixed_columns(part_emitter *e, const tosajit_variant *variant) {
    const unsigned lanes = e->levels[0].lanes, cols = (unsigned)e->fixed_cols;
    emit_splats(e, lanes);
    for (unsigned column = 0; column < cols; column += lanes)
        emit_body(e, variant, lanes, int64_constant(e, 0), column, cols - column < lanes ? e->levels[e->level_count - 1].mask : NULL);
}

typedef enum row_kind { ROW_LEVELS, ROW_FIXED, ROW_SHORT } row_kind; /* by levels; of known columns; below a vector */

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

/* All rows of a variant's plane; then to `after`. row_pointers are those behind the last row then. */
static void emit_row_loop(part_emitter *e, const tosajit_variant *variant, row_kind kind, const LLVMValueRef *pointers,
                          const LLVMValueRef *row_strides, LLVMBasicBlockRef after) {
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS], zero = int64_constant(e, 0);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), head = enter_loop(e, "rows", pointers, moving);
    LLVMValueRef row = LLVMBuildPhi(e->builder, e->i64, "row");
    memcpy(e->row_pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    emit_row_scalars(e, variant);
    emit_row_patterns(e, variant);
    emit_row(e, variant, kind);

    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMValueRef next = hide(e, LLVMBuildAdd(e->builder, row, int64_constant(e, 1), ""));
    LLVMAddIncoming(row, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    step_pointers(e, moving, row_strides);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, e->rows, ""), head, after);
}

/* The same, in the loop that the columns ask for; `after` is emitted, and row_pointers are what it sees. */
static void emit_rows(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers, const LLVMValueRef *row_strides,
                      LLVMBasicBlockRef after) {
    if (e->fixed_cols || !has_short_rows(e)) {
        emit_row_loop(e, variant, e->fixed_cols ? ROW_FIXED : ROW_LEVELS, pointers, row_strides, after);
        if (after != e->done) continue_in(e, after);
        return;
    }
    LLVMValueRef ends[2][TOSAJIT_MAX_TENSORS], none = int64_constant(e, 0);
    LLVMBasicBlockRef from[2], brief = new_block(e, "short"), whole = LLVMCreateBasicBlockInContext(e->context, "whole");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, e->levels[e->level_count - 2].end, none, ""), whole, brief);
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
static void emit_planes(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers, const LLVMValueRef *row_strides) {
    if (!e->part->has_planes) {
        emit_rows(e, variant, pointers, row_strides, e->done);
        return;
    }
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    LLVMBuildStore(e->builder, e->planes, e->planes_left);
    LLVMBasicBlockRef planes = enter_loop(e, "planes", pointers, moving), end = LLVMCreateBasicBlockInContext(e->context, "rows.end");
    emit_rows(e, variant, moving, row_strides, end);
    emit_plane_end(e, planes, moving);
}

/* One variant, from its first block to the function's last. */
void emit_variant(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers, const LLVMValueRef *row_strides) {
    emit_pattern_buffers(e, variant);
    e->fixed_cols = fixed_columns(e, variant);
    if (e->fixed_cols) {
        LLVMBasicBlockRef fixed = new_block(e, "fixed"), any = LLVMCreateBasicBlockInContext(e->context, "any");
        LLVMValueRef same = LLVMBuildICmp(e->builder, LLVMIntEQ, e->cols, int64_constant(e, e->fixed_cols), "");
        LLVMBuildCondBr(e->builder, same, fixed, any);
        LLVMPositionBuilderAtEnd(e->builder, fixed);
        emit_planes(e, variant, pointers, row_strides);
        e->fixed_cols = 0;
        continue_in(e, any);
    }
    emit_planes(e, variant, pointers, row_strides);
}
