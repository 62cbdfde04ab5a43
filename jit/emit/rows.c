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
 * The body is the same code at every level; only the lane count differs. Which rows
 * there are is decided before (jit/schedule/nest.h). */
#include <string.h>

#include "jit/emit/part.h"
#include "jit/emit/fast_isel.h"
#include "jit/emit/reduce.h"
#include "jit/schedule/costs.h"
#include "runtime/base/types.h"

/* Lanes of the tail of rows that are not peeled. */
static unsigned last_lanes(const part_emitter *e) {
    return e->nest.levels[0].shared ? e->nest.levels[0].lanes : e->nest.lanes;
}

/* Where the levels of peeled rows end: whole steps lie before the last vector, or in part, which
 * that vector writes again. */
static void emit_peeled_limits(part_emitter *e) {
    const unsigned lanes = e->nest.lanes;
    LLVMValueRef wide = int64_constant(e, (int64_t)step_size(&e->levels[0]) - 1);
    lane l = lane_of(e, lanes);
    e->levels[0].end = LLVMBuildSub(e->k.builder, e->cols, wide, "end");
    e->tail = e->levels[1].end = emit_last_column(e, lanes);
    e->brief = e->nest.tail == TOSAJIT_TAIL_MASKED ? lane_mask(&l, e->cols) : NULL;
    fast_isel_tail(e, e->tail);
}

/* Where each level ends, and the mask of a last single step: once for all variants and rows. */
void emit_limits(part_emitter *e) {
    for (int k = 0; k < e->nest.level_count; k++) e->levels[k].nest = e->nest.levels[k];
    if (nest_is_peeled(&e->nest)) {
        emit_peeled_limits(e);
        return;
    }
    for (int k = 0; k < e->nest.level_count; k++) {
        level *lv = &e->levels[k];
        const bool to_the_end = lv->nest.masked || lv->nest.shared,
                   single =
                       k > 0 && lv->nest.masked && step_size(&e->levels[k - 1]) == lv->nest.lanes;
        LLVMValueRef whole = int64_constant(e, -(int64_t)step_size(lv));
        lv->end = to_the_end ? e->cols : LLVMBuildAnd(e->k.builder, e->cols, whole, "end");
        lane l = lane_of(e, lv->nest.lanes);
        lv->mask = NULL;
        if (single)
            lv->mask =
                lane_mask(&l, LLVMBuildSub(e->k.builder, e->cols, e->levels[k - 1].end, "left"));
    }
}

/* From the last row of a plane to the first of the next. Everything that this needs stays in
 * memory: the steps are loaded only here, and the planes left are counted on the stack. In
 * registers they would take some from the loop over rows, and cost every row two cycles. */
static void emit_plane_end(row_emitter *r, LLVMBasicBlockRef planes, const LLVMValueRef *moving) {
    const part_emitter *e = r->part;
    LLVMValueRef steps[TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef more = LLVMCreateBasicBlockInContext(e->k.context, "planes.more");
    LLVMValueRef left =
        LLVMBuildSub(e->k.builder, LLVMBuildLoad2(e->k.builder, e->k.i64, e->planes_left, ""),
                     int64_constant(e, 1), "");
    LLVMBuildStore(e->k.builder, left, e->planes_left);
    LLVMBuildCondBr(e->k.builder, compare(e, LLVMIntSGT, left, int64_constant(e, 0)), more,
                    r->done);
    continue_in(e, more);
    for (int32_t t = 0; t < tensor_count(e); t++)
        steps[t] = load_at(e, e->k.i64, e->strides, 2 * tensor_count(e) + t);
    step_pointers(r, moving, steps);
    LLVMBuildBr(e->k.builder, planes);
}

/* All of a row's lanes from a column on. */
static step vector_at(const part_emitter *e, LLVMValueRef column) {
    return (step){.lanes = e->nest.lanes, .column = column};
}

/* All levels in turn. An overlapping tail is loaded before them; a row shorter than a vector has
 * nothing else. Each level begins where the level before it has ended, and counts columns in a
 * variable of its own. So the first level's variable begins at 0 and grows by a constant. */
static void emit_tail_row(row_emitter *r) {
    const part_emitter *e = r->part;
    const bool overlaps = e->nest.tail == TOSAJIT_TAIL_OVERLAP;
    const unsigned lanes = last_lanes(e);
    LLVMValueRef start = int64_constant(e, 0);
    held tail;
    if (overlaps || e->nest.fast_isel) emit_splats(r, lanes);
    if (overlaps) {
        begin_values(r);
        emit_last_loads(r, lanes, lanes);
        hold(r, 0, e->part->leaf_count, &tail);
    }
    for (int k = 0; k < e->nest.level_count; k++) {
        emit_level(r, &e->levels[k], start, overlaps ? &tail : NULL);
        start = e->levels[k].end;
    }
    if (!overlaps || e->nest.levels[0].shared) return;
    LLVMBasicBlockRef after =
        begin_if(e, compare(e, LLVMIntSGT, e->cols, start), "last", "last.end");
    emit_splats(r, lanes);
    begin_values(r);
    take(r, 0, e->part->leaf_count, &tail);
    emit_nodes(r, lanes);
    emit_last_stores(r, lanes, lanes);
    end_if(e, after);
}

/* The levels between the peeled vectors of a row: wide steps, then single vectors. They begin where
 * the first result is aligned, within the first vector: a store across two cache lines takes twice
 * as long. */
static void emit_between(row_emitter *r) {
    const part_emitter *e = r->part;
    const unsigned lanes = e->nest.lanes;
    LLVMValueRef column = emit_aligned_column(r, int64_constant(e, lanes - 1), lanes);
    for (int k = 0; k < 2; k++) column = emit_level(r, &e->levels[k], column, NULL);
}

static LLVMValueRef is_longer(const part_emitter *e, int64_t columns) {
    return compare(e, LLVMIntSGT, e->cols, int64_constant(e, columns));
}

/* Elements that a row of a vector at least has before its last one: the first, and the levels if
 * anything is left between them. */
static void emit_before_last(row_emitter *r) {
    const part_emitter *e = r->part;
    const int64_t two_vectors = 2 * (int64_t)e->nest.lanes;
    const step first_step = vector_at(e, int64_constant(e, 0));
    held first;
    emit_values(r, first_step);
    hold(r, e->part->leaf_count, tensor_count(e), &first);
    if (e->part->cols_multiple > two_vectors) {
        emit_between(r);
    } else {
        LLVMBasicBlockRef after = begin_if(e, is_longer(e, two_vectors), "between", "between.end");
        emit_between(r);
        fast_isel_fall_into(e, after);
        continue_in(e, after);
    }
    take(r, e->part->leaf_count, tensor_count(e), &first);
    emit_stores(r, first_step);
}

/* A row of more than one vector, or of exactly one, which is then written twice. */
static void emit_peeled_row(row_emitter *r) {
    const part_emitter *e = r->part;
    const step last_step = vector_at(e, e->tail);
    held last;
    emit_splats(r, e->nest.lanes);
    emit_values(r, last_step);
    hold(r, e->part->leaf_count, tensor_count(e), &last);
    emit_before_last(r);
    take(r, e->part->leaf_count, tensor_count(e), &last);
    emit_stores(r, last_step);
}

/* A row of many cache lines, which are stored whole, past the caches. As nothing is in place, its
 * first and its last line's worth may be written before. Were they written afterwards, they would
 * read a line again that had just left. */
static void emit_streamed_row(row_emitter *r) {
    const part_emitter *e = r->part;
    const size_t size = tosajit_type_size(tensor_node(e, e->part->leaf_count)->type.element);
    const unsigned line = COST_LINE_BYTES / (unsigned)size;
    LLVMValueRef all = int64_constant(e, line - 1);
    level lv = {.nest = {.lanes = e->nest.lanes, .repeats = 1}, .end = int64_constant(e, line)};
    if (e->nest.fast_isel) emit_splats(r, e->nest.lanes);
    emit_level(r, &lv, int64_constant(e, 0), NULL);
    lv.end = e->cols;
    emit_level(r, &lv, emit_last_column(e, line), NULL);
    LLVMValueRef column = emit_aligned_column(r, all, line),
                 left = LLVMBuildSub(e->k.builder, e->cols, column, "");
    lv.end = LLVMBuildSub(e->k.builder, e->cols, LLVMBuildAnd(e->k.builder, left, all, ""), "end");
    lv.nest.streamed = true;
    emit_level(r, &lv, column, NULL);
}

/* A row of a block: whole cache lines, of which none is in another row. */
static void emit_streamed_block_row(row_emitter *r) {
    const part_emitter *e = r->part;
    const level lv = {.nest = {.lanes = e->nest.lanes, .repeats = 1, .streamed = true},
                      .end = e->cols};
    if (e->nest.fast_isel) emit_splats(r, e->nest.lanes);
    emit_level(r, &lv, int64_constant(e, 0), NULL);
}

/* A row of at most one vector. */
static void emit_masked_row(row_emitter *r) {
    const part_emitter *e = r->part;
    step all = vector_at(e, int64_constant(e, 0));
    all.mask = e->brief;
    emit_splats(r, e->nest.lanes);
    emit_body(r, all);
}

/* A row of as many columns as are known: whole steps. */
static void emit_exact_row(row_emitter *r) {
    const part_emitter *e = r->part;
    const level *lv = &e->levels[0];
    emit_splats(r, lv->nest.lanes);
    for (int64_t column = 0; column < e->part->cols_multiple; column += step_size(lv))
        emit_step(r, lv, int64_constant(e, column), NULL);
}

/* A row of less than a vector, where there are no masks. */
static void emit_halved_row(row_emitter *r) {
    const unsigned lanes = r->part->nest.lanes;
    emit_splats(r, lanes);
    begin_values(r);
    emit_last_loads(r, lanes, lanes / 2);
    emit_nodes(r, lanes);
    emit_last_stores(r, lanes, lanes / 2);
}

/* A row by its columns. */
static void emit_masked_or_peeled_row(row_emitter *r) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef brief = new_block(e, "brief"), longer = new_block(e, "long"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "row.end");
    LLVMBuildCondBr(e->k.builder, is_longer(e, e->nest.lanes), longer, brief);
    LLVMPositionBuilderAtEnd(e->k.builder, brief);
    emit_masked_row(r);
    LLVMBuildBr(e->k.builder, after);
    LLVMPositionBuilderAtEnd(e->k.builder, longer);
    emit_peeled_row(r);
    LLVMBuildBr(e->k.builder, after);
    continue_in(e, after);
}

/* The emitter of each kind of row. */
static void (*const emit_row[])(row_emitter *) = {
    [NEST_TAIL] = emit_tail_row,
    [NEST_PEELED] = emit_peeled_row,
    [NEST_MASKED] = emit_masked_row,
    [NEST_MASKED_OR_PEELED] = emit_masked_or_peeled_row,
    [NEST_HALVES] = emit_halved_row,
    [NEST_STREAMED] = emit_streamed_row,
    [NEST_STREAMED_BLOCKS] = emit_streamed_block_row,
    [NEST_EXACT] = emit_exact_row,
};

/* All rows of a plane, which begin at `pointers`, then a branch to `after`. There r->pointers are
 * behind the last row. */
static void emit_row_loop(row_emitter *r, nest_row kind, const LLVMValueRef *pointers,
                          LLVMBasicBlockRef after) {
    const part_emitter *e = r->part;
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    const counted_loop loop = begin_rows(r, "rows", pointers, moving);
    emit_row_scalars(r);
    fill_splat_buffers(r);
    emit_row[kind](r);
    LLVMValueRef next =
        fast_isel_hide(e, LLVMBuildAdd(e->k.builder, loop.index, int64_constant(e, 1), ""));
    turn_value(e, loop.index, next);
    step_pointers(r, moving, r->row_strides);
    LLVMBuildCondBr(e->k.builder, compare(e, LLVMIntSLT, next, e->rows), loop.head, after);
}

/* Both row loops of a variant: for rows of at most so many columns, and for longer ones. Unless
 * `after` is the end of the variant, r->pointers are joined there. */
static void emit_short_and_long(row_emitter *r, const LLVMValueRef *pointers,
                                LLVMBasicBlockRef after, int64_t most) {
    const part_emitter *e = r->part;
    LLVMValueRef ends[2][TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef from[2], brief = new_block(e, "short"),
                               longer = LLVMCreateBasicBlockInContext(e->k.context, "long");
    LLVMBuildCondBr(e->k.builder, is_longer(e, most), longer, brief);
    LLVMPositionBuilderAtEnd(e->k.builder, brief);
    for (int k = 0; k < 2; k++) {
        if (k) continue_in(e, longer);
        emit_row_loop(r, e->nest.rows[k], pointers, after);
        from[k] = LLVMGetInsertBlock(e->k.builder);
        memcpy(ends[k], r->pointers, sizeof ends[k]);
    }
    if (after == r->done) return;
    continue_in(e, after);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        r->pointers[t] = LLVMBuildPhi(e->k.builder, e->k.ptr, "");
        LLVMAddIncoming(r->pointers[t], (LLVMValueRef[]){ends[0][t], ends[1][t]}, from, 2);
    }
}

/* The loops of a reduction. */
static reduced_loop *const emit_loop[] = {
    [NEST_REDUCED_BRIEF] = emit_brief_rows, [NEST_REDUCED_FOUND] = emit_found_rows,
    [NEST_REDUCED] = emit_reduced_rows,     [NEST_REDUCED_NARROW] = emit_narrow_columns,
    [NEST_REDUCED_STRIPS] = emit_strips,    [NEST_REDUCED_COLUMNS] = emit_reduced_columns,
    [NEST_REDUCED_FEW] = emit_few_rows,
};

/* All rows of a plane that is reduced, then a branch to `after`, as emit_row_loop. */
static void emit_reduced(row_emitter *r, const LLVMValueRef *pointers, LLVMBasicBlockRef after) {
    const part_emitter *e = r->part;
    const nest *n = &e->nest;
    reduced_state s = {.begin = pointers, .column = int64_constant(e, 0)};
    s.rows.first = s.column;
    memcpy(s.rows.pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    for (int k = 0; k < n->row_count; k++) {
        r->accumulator = &n->accumulators[k];
        r->groups = r->accumulator->count;
        emit_loop[n->rows[k]](r, &s);
    }
    if (s.done) end_if(e, s.done);
    for (int32_t t = 0; t < tensor_count(e); t++) /* behind the last row */
        r->pointers[t] = nest_reduces_rows(n)
                             ? s.rows.pointers[t]
                             : behind(e, pointers[t],
                                      LLVMBuildMul(e->k.builder, e->rows, r->row_strides[t], ""));
    LLVMBuildBr(e->k.builder, after);
}

/* All rows of a plane, by the kind of row that the number of columns asks for. Unless `after` is
 * the end of the variant, the builder goes on there. */
static void emit_rows(row_emitter *r, nest_row kind, const LLVMValueRef *pointers,
                      LLVMBasicBlockRef after) {
    const nest *n = &r->part->nest;
    if (nest_reduces(n)) {
        emit_reduced(r, pointers, after);
    } else if (kind == n->rows[0] && n->row_count > 1) {
        const int64_t known = r->part->part->cols_multiple;
        emit_short_and_long(r, pointers, after, kind == NEST_EXACT ? known : n->lanes);
        return;
    } else {
        emit_row_loop(r, kind, pointers, after);
    }
    if (after != r->done) continue_in(r->part, after);
}

/* All planes, then a branch to the end of the variant. */
static void emit_planes(row_emitter *r, nest_row kind, const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    if (!e->part->has_planes) {
        emit_rows(r, kind, pointers, r->done);
        return;
    }
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    LLVMBuildStore(e->k.builder, e->planes, e->planes_left);
    LLVMBasicBlockRef planes = enter_loop(e, "planes", pointers, moving),
                      end = LLVMCreateBasicBlockInContext(e->k.context, "rows.end");
    emit_rows(r, kind, moving, end);
    emit_plane_end(r, planes, moving);
}

void emit_variant(const part_emitter *e, const tosajit_variant *variant, nest_row row,
                  const tile_values *tile, LLVMBasicBlockRef done) {
    row_emitter r = {.part = e,
                     .variant = variant,
                     .done = done,
                     .row_strides = tile->row_strides,
                     .scalars = e->k.scalars,
                     .splats = e->k.splats,
                     .values = e->k.values};
    emit_splat_buffers(&r);
    emit_planes(&r, row, tile->pointers);
}
