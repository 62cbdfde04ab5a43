/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that are reduced, by strips of columns. In registers only a step's partial results have
 * room, and a column of steps takes little of each row: 128 bytes here, 128 bytes a row further.
 * Caches and prefetchers want more in one place. A strip's partial results lie in memory, which
 * stays in L1, and each row adds a strip of itself:
 *
 *     for each strip of 1024 columns
 *         for each segment of 128 rows
 *             partial results = neutral
 *             for each row, or four rows of light ops
 *                 for each step of the strip
 *                     combine its partial results with its lanes, row by row
 *                     prefetch those of the next rows, where operands are large
 *             combine the totals with the partial results; the first segment's are the totals
 *         store the totals */
#include <string.h>

#include "jit/emit/reduce.h"
#include "jit/schedule/costs.h"
#include "runtime/base/types.h"
#include "runtime/expr/reduce.h"

/* A strip of a long row is a new place for each row, which prefetchers of CPUs find out too late.
 * Where operands come from memory, the next row's is asked for. From a cache that would cost more
 * than it gains, so only large operands are supposed to come from memory. */

/* Memory for a strip's columns, of each reduction. */
typedef struct strip {
    LLVMValueRef totals[TOSAJIT_MAX_TENSORS];
    LLVMValueRef partials[TOSAJIT_MAX_TENSORS]; /* of a segment: the totals, or the other memory */
    LLVMValueRef first, end;                    /* columns */
    LLVMValueRef are_large, are_far;            /* operands */
    unsigned count;                             /* rows that are added at once */
    LLVMValueRef row;                           /* the first of them */
    LLVMValueRef rows[NEST_STRIP_ROWS][TOSAJIT_MAX_TENSORS]; /* where they begin */
} strip;

typedef void strip_step(row_emitter *r, const strip *s, LLVMValueRef column);

static LLVMTypeRef step_type(const part_emitter *e, int32_t t) {
    return LLVMTypeOf(emit_neutral(e, e->nest.lanes, t));
}

/* Of a step, whose accumulator may be several vectors. */
static LLVMValueRef place(const part_emitter *e, const strip *s, int32_t t, LLVMValueRef memory,
                          LLVMValueRef column) {
    LLVMValueRef at = LLVMBuildSub(e->k.builder, column, s->first, "");
    at = LLVMBuildExactSDiv(e->k.builder, at, int64_constant(e, e->nest.lanes), "");
    return LLVMBuildGEP2(e->k.builder, step_type(e, t), memory, &at, 1, "");
}

static LLVMValueRef load(const part_emitter *e, const strip *s, int32_t t, LLVMValueRef memory,
                         LLVMValueRef column) {
    return LLVMBuildLoad2(e->k.builder, step_type(e, t), place(e, s, t, memory, column), "");
}

static void store(const part_emitter *e, const strip *s, int32_t t, LLVMValueRef memory,
                  LLVMValueRef column, LLVMValueRef value) {
    LLVMBuildStore(e->k.builder, value, place(e, s, t, memory, column));
}

/* ---------------------------------------------------------------------------------------------
 * What is done at each step of a strip */

static void clear_partials(row_emitter *r, const strip *s, LLVMValueRef column) {
    const part_emitter *e = r->part;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        if (is_combined(e, t))
            store(e, s, t, s->partials[t], column, emit_neutral(e, e->nest.lanes, t));
}

static void add_row(row_emitter *r, const strip *s, LLVMValueRef column) {
    const part_emitter *e = r->part;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        if (is_combined(e, t)) r->partials[t][0] = load(e, s, t, s->partials[t], column);
    for (unsigned k = 0; k < s->count; k++) {
        memcpy(r->pointers, s->rows[k], sizeof s->rows[k]);
        r->place = s->row, r->place_offset = k;
        emit_step(r, &e->levels[0], column, NULL);
    }
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        if (is_combined(e, t)) store(e, s, t, s->partials[t], column, r->partials[t][0]);
}

/* Not of splats. */
static bool is_long(const row_emitter *r, int32_t t) { return !has_bit(r->variant->splat, t); }

/* Ask for what the next rows have at this step. */
static void prefetch_rows(row_emitter *r, const strip *s, LLVMValueRef column) {
    const part_emitter *e = r->part;
    const lane one = lane_of(e, 1);
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        const int64_t bytes = step_size(&e->levels[0]) * e->part->element_sizes[t];
        if (!is_long(r, t)) continue;
        for (int64_t at = 0; at < bytes * s->count; at += COST_LINE_BYTES) {
            memcpy(r->pointers, s->rows[at / bytes], sizeof s->rows[0]);
            LLVMValueRef ahead =
                LLVMBuildMul(e->k.builder, r->row_strides[t], int64_constant(e, s->count), "");
            ahead = LLVMBuildAdd(e->k.builder, ahead, int64_constant(e, at % bytes), "");
            lane_prefetch(&one, behind(e, element_address(r, t, column, 0), ahead));
        }
    }
}

static void add_row_ahead(row_emitter *r, const strip *s, LLVMValueRef column) {
    prefetch_rows(r, s, column);
    add_row(r, s, column);
}

static void add_segment(row_emitter *r, const strip *s, LLVMValueRef column) {
    const part_emitter *e = r->part;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        if (is_combined(e, t))
            store(e, s, t, s->totals[t], column,
                  emit_combined(e, e->nest.lanes, t, load(e, s, t, s->totals[t], column),
                                load(e, s, t, s->partials[t], column)));
}

static void store_totals(row_emitter *r, const strip *s, LLVMValueRef column) {
    const part_emitter *e = r->part;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        store_reduction(r, t, e->nest.lanes,
                        is_combined(e, t) ? load(e, s, t, s->totals[t], column) : NULL,
                        element_address(r, t, column, 0), NULL);
}

/* ---------------------------------------------------------------------------------------------
 * Loops */

static void for_steps(row_emitter *r, const strip *s, strip_step *step) {
    const part_emitter *e = r->part;
    const counted_loop loop = begin_counted(e, "strip.step", s->first);
    step(r, s, loop.index);
    end_counted(e, &loop, step_size(&e->levels[0]), s->end);
}

/* Finds out if an operand is large; and one whose rows are longer than a strip. */
static void find_distance(const row_emitter *r, strip *s) {
    const part_emitter *e = r->part;
    s->are_large = s->are_far = LLVMConstNull(LLVMInt1TypeInContext(e->k.context));
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!is_long(r, t)) continue;
        const int64_t strip = (int64_t)r->accumulator->count * e->part->element_sizes[t];
        LLVMValueRef bytes = LLVMBuildMul(e->k.builder, e->rows, r->row_strides[t], ""),
                     large = compare(e, LLVMIntSGE, bytes, int64_constant(e, COST_STRIP_FAR)),
                     wide = compare(e, LLVMIntSGT, r->row_strides[t], int64_constant(e, strip)),
                     far = LLVMBuildAnd(e->k.builder, large, wide, "");
        s->are_large = LLVMBuildOr(e->k.builder, s->are_large, large, "");
        s->are_far = LLVMBuildOr(e->k.builder, s->are_far, far, "");
    }
}

/* Rows, with prefetches or without. */
static void add_with_prefetches(row_emitter *r, const strip *s) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef far = new_block(e, "strip.far"), near = new_block(e, "strip.near"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "strip.row.end");
    LLVMBuildCondBr(e->k.builder, s->are_far, far, near);
    LLVMPositionBuilderAtEnd(e->k.builder, far);
    for_steps(r, s, add_row_ahead);
    LLVMBuildBr(e->k.builder, after);
    LLVMPositionBuilderAtEnd(e->k.builder, near);
    for_steps(r, s, add_row);
    LLVMBuildBr(e->k.builder, after);
    continue_in(e, after);
}

/* The next rows, from r->pointers on. All have the same values of a row, or there is one. */
static void add_some(row_emitter *r, strip *s, unsigned count) {
    const part_emitter *e = r->part;
    emit_row_scalars(r);
    fill_splat_buffers(r);
    emit_splats(r, e->nest.lanes);
    s->count = count;
    s->row = r->row;
    for (unsigned k = 0; k < count; k++) {
        memcpy(s->rows[k], r->pointers, sizeof s->rows[k]);
        for (int32_t t = 0; t < tensor_count(e); t++)
            r->pointers[t] = behind(e, r->pointers[t], r->row_strides[t]);
    }
    LLVMValueRef next[TOSAJIT_MAX_TENSORS];
    memcpy(next, r->pointers, sizeof next);
    add_with_prefetches(r, s);
    memcpy(r->pointers, count == 1 ? s->rows[0] : next, sizeof next);
}

static void add_one_row(row_emitter *r, void *s) { add_some(r, s, 1); }

static void add_rows_at_once(row_emitter *r, void *s) { add_some(r, s, NEST_STRIP_ROWS); }

/* All rows that are added at once, from the place of `state`. Large rows that lie one behind the
 * other are read as they lie: so there is one stream, not several. */
static void add_together(row_emitter *r, strip *s, LLVMValueRef end, row_state *state) {
    const part_emitter *e = r->part;
    LLVMValueRef last = LLVMBuildSub(e->k.builder, end, int64_constant(e, NEST_STRIP_ROWS - 1), ""),
                 pays = LLVMBuildOr(e->k.builder, LLVMBuildNot(e->k.builder, s->are_large, ""),
                                    s->are_far, "");
    last = LLVMBuildSelect(e->k.builder, pays, last, int64_constant(e, 0), "");
    emit_rows_while(r, NEST_STRIP_ROWS, last, state, add_rows_at_once, s);
}

/* Rows from `first` to before `end`; r->pointers are those of the first, and at the end of the one
 * behind the last. */
static void add_rows(row_emitter *r, strip *s, LLVMValueRef first, LLVMValueRef end) {
    row_state state = {.first = first};
    memcpy(state.pointers, r->pointers, sizeof state.pointers);
    if (r->accumulator->rows > 1 && !(r->variant->splat | r->variant->either))
        add_together(r, s, end, &state);
    emit_rows_while(r, 1, end, &state, add_one_row, s);
    memcpy(r->pointers, state.pointers, sizeof state.pointers);
}

/* The first segment's partial results become the totals. */
static void choose_partials(const part_emitter *e, strip *s, LLVMValueRef is_later) {
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        if (is_combined(e, t))
            s->partials[t] =
                LLVMBuildSelect(e->k.builder, is_later, e->memory[t][1], s->totals[t], "");
}

static void add_later_segment(row_emitter *r, const strip *s, LLVMValueRef is_later) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef after = begin_if(e, is_later, "strip.totals", "strip.totals.end");
    for_steps(r, s, add_segment);
    end_if(e, after);
}

/* All segments of rows. */
static void add_segments(row_emitter *r, strip *s, const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    const counted_loop loop = begin_rows(r, "strip.segment", pointers, moving);
    LLVMValueRef next =
        LLVMBuildAdd(e->k.builder, loop.index, int64_constant(e, REDUCE_RUN), "next");
    LLVMValueRef is_later = compare(e, LLVMIntSGT, loop.index, int64_constant(e, 0));
    choose_partials(e, s, is_later);
    for_steps(r, s, clear_partials);
    add_rows(r, s, loop.index, smaller_of(e, next, e->rows));
    add_later_segment(r, s, is_later);
    for (int32_t t = 0; t < tensor_count(e); t++) turn_value(e, moving[t], r->pointers[t]);
    end_counted_at(e, &loop, next, e->rows);
}

/* All whole steps, strip by strip. */
static void emit_all(row_emitter *r, const LLVMValueRef *pointers) {
    const part_emitter *e = r->part;
    LLVMValueRef end = e->levels[0].end, count = int64_constant(e, r->accumulator->count);
    strip s;
    for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t))
        s.totals[t] = e->memory[t][0];
    find_distance(r, &s);
    const counted_loop loop = begin_counted(e, "strip", int64_constant(e, 0));
    LLVMValueRef next = LLVMBuildAdd(e->k.builder, loop.index, count, "next");
    s.first = loop.index;
    s.end = smaller_of(e, next, end);
    add_segments(r, &s, pointers);
    memcpy(r->pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    for_steps(r, &s, store_totals);
    end_counted_at(e, &loop, next, end);
}

void emit_strips(row_emitter *r, reduced_state *s) {
    const part_emitter *e = r->part;
    LLVMValueRef zero = s->column, end = e->levels[0].end,
                 least = int64_constant(e, NEST_STRIP_STEPS * step_size(&e->levels[0]));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder),
                      after =
                          begin_if(e, compare(e, LLVMIntSGT, end, least), "strips", "strips.end");
    r->groups = 1;
    emit_all(r, s->begin);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder);
    end_if(e, after);
    s->column = enter_value(e, "start", zero, before);
    LLVMAddIncoming(s->column, &end, &last, 1);
}
