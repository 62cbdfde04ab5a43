/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that are there once for all variants of a part, because they are rare or short beside the
 * code that they take. Leaves in which the variants differ are read as patterns. The function asks
 * for these before it asks which variant it is.
 *
 *     rows                            what they have                          where
 *     of less than a vector           a branch for each width                 ends without masks
 *     of a result beyond the caches   stores that bypass these, whole lines   ends on x86, static
 *                                     one behind the other                    sizes, this machine
 *
 * A store reads its line first, to change a part of it, and puts out of the caches what was there.
 * One that bypasses them does neither, so a sum of 64M f32 takes 0.7 of the time. In place the line
 * is there already, and such a store takes longer. */
#include "jit/emit/part.h"
#include "jit/schedule/costs.h"
#include "runtime/base/types.h"

static tosajit_variant all_variants(const plan_part *part) {
    const uint64_t differing = nest_differing(part);
    return (tosajit_variant){.splat = part->variants[0].splat & ~differing, .either = differing};
}

static void emit_few(part_emitter *e, const LLVMValueRef *pointers,
                     const LLVMValueRef *row_strides) {
    const tosajit_variant all = all_variants(e->part);
    LLVMBasicBlockRef few = new_block(e, "few"),
                      whole = LLVMCreateBasicBlockInContext(e->context, "whole");
    LLVMValueRef lanes = int64_constant(e, e->nest.lanes);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, e->cols, lanes, ""), few,
                    whole);
    LLVMPositionBuilderAtEnd(e->builder, few);
    emit_variant(e, &all, NEST_HALVES, pointers, row_strides);
    continue_in(e, whole);
}

/* Numbers any of whose low bits keeps a result's rows from beginning as the first's do, or from
 * being aligned at a whole element: addresses and steps, from the first result's. */
static LLVMValueRef misfit(const part_emitter *e, int32_t t, const LLVMValueRef *values) {
    const int32_t first = e->part->leaf_count;
    const size_t size = tosajit_type_size(tensor_node(e, t)->type.element);
    const int64_t vector = (int64_t)(size * e->nest.lanes);
    if (t == first)
        return LLVMBuildAnd(e->builder, values[t], int64_constant(e, (int64_t)size - 1), "");
    const size_t own = tosajit_type_size(tensor_node(e, first)->type.element);
    LLVMValueRef scaled = LLVMBuildMul(
        e->builder, LLVMBuildUDiv(e->builder, values[first], int64_constant(e, (int64_t)own), ""),
        int64_constant(e, (int64_t)size), "");
    return LLVMBuildAnd(e->builder, LLVMBuildSub(e->builder, values[t], scaled, ""),
                        int64_constant(e, vector - 1), "");
}

/* Whether every result can be aligned where the first is, in every row, and none is in place. */
static LLVMValueRef can_stream(const part_emitter *e, const LLVMValueRef *pointers,
                               const LLVMValueRef *row_strides) {
    LLVMValueRef misfits = int64_constant(e, 0), addresses[TOSAJIT_MAX_TENSORS],
                 planes[TOSAJIT_MAX_TENSORS];
    for (int32_t t = 0; t < tensor_count(e); t++) {
        addresses[t] = LLVMBuildPtrToInt(e->builder, pointers[t], e->i64, "");
        planes[t] = e->part->has_planes ? load_at(e, e->i64, e->strides, 2 * tensor_count(e) + t)
                                        : int64_constant(e, 0);
    }
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        misfits = LLVMBuildOr(e->builder, misfits, misfit(e, t, addresses), "");
        misfits = LLVMBuildOr(e->builder, misfits, misfit(e, t, row_strides), "");
        misfits = LLVMBuildOr(e->builder, misfits, misfit(e, t, planes), "");
    }
    LLVMValueRef can = LLVMBuildICmp(e->builder, LLVMIntEQ, misfits, int64_constant(e, 0), "fits");
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (int32_t k = 0; k < e->part->leaf_count; k++)
            can = LLVMBuildAnd(e->builder, can,
                               LLVMBuildICmp(e->builder, LLVMIntNE, addresses[t], addresses[k], ""),
                               "");
    return can;
}

/* Whether the tile is large, in rows of a page at least. A smaller one may be in a buffer. */
static LLVMValueRef is_large(const part_emitter *e) {
    const int64_t size =
        (int64_t)tosajit_type_size(tensor_node(e, e->part->leaf_count)->type.element);
    LLVMValueRef elements = LLVMBuildMul(e->builder, e->rows, e->cols, "");
    if (e->part->has_planes) elements = LLVMBuildMul(e->builder, elements, e->planes, "");
    LLVMValueRef least_tile = int64_constant(e, COST_STREAMED_TILE / size),
                 least_row = int64_constant(e, COST_STREAMED_ROW / size);
    return LLVMBuildAnd(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGE, elements, least_tile, ""),
                        LLVMBuildICmp(e->builder, LLVMIntSGE, e->cols, least_row, ""), "large");
}

static void emit_stream(part_emitter *e, const LLVMValueRef *pointers,
                        const LLVMValueRef *row_strides) {
    const tosajit_variant all = all_variants(e->part);
    const LLVMBasicBlockRef done = e->done;
    LLVMBasicBlockRef beyond = new_block(e, "beyond"), stream = new_block(e, "stream"),
                      cached = LLVMCreateBasicBlockInContext(e->context, "cached");
    lane one = lane_of(e, 1);
    LLVMBuildCondBr(e->builder, is_large(e), beyond, cached);
    LLVMPositionBuilderAtEnd(e->builder, beyond);
    LLVMBuildCondBr(e->builder, can_stream(e, pointers, row_strides), stream, cached);
    LLVMPositionBuilderAtEnd(e->builder, stream);
    e->done = LLVMCreateBasicBlockInContext(e->context, "fence");
    emit_variant(e, &all, NEST_STREAMED, pointers, row_strides);
    continue_in(e, e->done);
    lane_fence(&one);
    LLVMBuildBr(e->builder, done);
    e->done = done;
    continue_in(e, cached);
}

void emit_merged(part_emitter *e, const LLVMValueRef *pointers, const LLVMValueRef *row_strides) {
    for (int k = 0; k < e->nest.merged_count; k++)
        (e->nest.merged[k] == NEST_HALVES ? emit_few : emit_stream)(e, pointers, row_strides);
}
