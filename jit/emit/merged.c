/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that are there once for all variants of a part, because they are rare or short beside the
 * code that they take. Leaves in which the variants differ are read as `either`. The function asks
 * for these rows before it asks which variant it is.
 *
 *     rows                            what they have                          where
 *     of less than a vector           a branch for each width                 peeled, no masks
 *     of a result beyond the caches   stores that bypass these, whole lines   peeled, x86, static
 *                                     one behind the other                    sizes, this machine
 *     the same, block by block        stores that bypass these, no others     the last of parts
 *                                                                             that take turns
 *
 * A store reads its line first, to change a part of it, and puts out of the caches what was there.
 * One that bypasses them does neither, so a sum of 64M f32 takes 0.7 of the time. In place the line
 * is there already, and such a store takes longer. Of blocks it takes two to four times as long
 * where a line is half in the next row, and half of the time where none is. */
#include "jit/emit/part.h"
#include "jit/schedule/costs.h"
#include "runtime/base/types.h"

static tosajit_variant all_variants(const plan_part *part) {
    const uint64_t differing = nest_differing(part);
    return (tosajit_variant){.splat = part->variants[0].splat & ~differing, .either = differing};
}

static void emit_halves(const part_emitter *e, const tile_values *tile) {
    const tosajit_variant all = all_variants(e->part);
    LLVMValueRef lanes = int64_constant(e, e->nest.lanes);
    LLVMBasicBlockRef whole = begin_if(e, compare(e, LLVMIntSLT, e->cols, lanes), "few", "whole");
    emit_variant(e, &all, NEST_HALVES, tile, e->done);
    continue_in(e, whole);
}

/* Addresses and steps, less those of the first result. A low bit set in any of them says that this
 * result's rows do not begin as the first's do, or are not aligned to whole elements. */
static LLVMValueRef misfit(const part_emitter *e, int32_t t, const LLVMValueRef *values) {
    const int32_t first = e->part->leaf_count;
    const size_t size = tosajit_type_size(tensor_node(e, t)->type.element);
    const int64_t vector = (int64_t)(size * e->nest.lanes);
    if (t == first)
        return LLVMBuildAnd(e->k.builder, values[t], int64_constant(e, (int64_t)size - 1), "");
    const size_t own = tosajit_type_size(tensor_node(e, first)->type.element);
    LLVMValueRef scaled = LLVMBuildMul(
        e->k.builder,
        LLVMBuildUDiv(e->k.builder, values[first], int64_constant(e, (int64_t)own), ""),
        int64_constant(e, (int64_t)size), "");
    return LLVMBuildAnd(e->k.builder, LLVMBuildSub(e->k.builder, values[t], scaled, ""),
                        int64_constant(e, vector - 1), "");
}

/* True if every result can be aligned where the first is, in every row, and none is in place. */
static LLVMValueRef can_stream(const part_emitter *e, const tile_values *tile) {
    LLVMValueRef misfits = int64_constant(e, 0), addresses[TOSAJIT_MAX_TENSORS],
                 planes[TOSAJIT_MAX_TENSORS];
    for (int32_t t = 0; t < tensor_count(e); t++) {
        addresses[t] = LLVMBuildPtrToInt(e->k.builder, tile->pointers[t], e->k.i64, "");
        planes[t] = e->part->has_planes ? load_at(e, e->k.i64, e->strides, 2 * tensor_count(e) + t)
                                        : int64_constant(e, 0);
    }
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        misfits = LLVMBuildOr(e->k.builder, misfits, misfit(e, t, addresses), "");
        misfits = LLVMBuildOr(e->k.builder, misfits, misfit(e, t, tile->row_strides), "");
        misfits = LLVMBuildOr(e->k.builder, misfits, misfit(e, t, planes), "");
    }
    LLVMValueRef can =
        LLVMBuildICmp(e->k.builder, LLVMIntEQ, misfits, int64_constant(e, 0), "fits");
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (int32_t k = 0; k < e->part->leaf_count; k++)
            can = LLVMBuildAnd(e->k.builder, can, compare(e, LLVMIntNE, addresses[t], addresses[k]),
                               "");
    return can;
}

/* True if the tile is large, in rows of a page at least. A smaller one may be in a buffer. */
static LLVMValueRef is_large(const part_emitter *e) {
    const int64_t size =
        (int64_t)tosajit_type_size(tensor_node(e, e->part->leaf_count)->type.element);
    LLVMValueRef elements = LLVMBuildMul(e->k.builder, e->rows, e->cols, "");
    if (e->part->has_planes) elements = LLVMBuildMul(e->k.builder, elements, e->planes, "");
    LLVMValueRef least_tile = int64_constant(e, COST_STREAMED_TILE / size),
                 least_row = int64_constant(e, COST_STREAMED_ROW / size);
    return LLVMBuildAnd(e->k.builder, compare(e, LLVMIntSGE, elements, least_tile),
                        compare(e, LLVMIntSGE, e->cols, least_row), "large");
}

/* True if every result is whole cache lines in every row, and none is in place. */
static LLVMValueRef is_whole_lines(const part_emitter *e, const tile_values *tile) {
    LLVMValueRef misfits = int64_constant(e, 0), can = NULL;
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        const size_t size = tosajit_type_size(tensor_node(e, t)->type.element);
        LLVMValueRef address = LLVMBuildPtrToInt(e->k.builder, tile->pointers[t], e->k.i64, ""),
                     row =
                         LLVMBuildMul(e->k.builder, e->cols, int64_constant(e, (int64_t)size), "");
        misfits =
            LLVMBuildOr(e->k.builder, misfits, LLVMBuildOr(e->k.builder, address, row, ""), "");
        misfits = LLVMBuildOr(e->k.builder, misfits, tile->row_strides[t], "");
        if (e->part->has_planes)
            misfits = LLVMBuildOr(e->k.builder, misfits,
                                  load_at(e, e->k.i64, e->strides, 2 * tensor_count(e) + t), "");
    }
    misfits = LLVMBuildAnd(e->k.builder, misfits, int64_constant(e, COST_LINE_BYTES - 1), "");
    can = compare(e, LLVMIntEQ, misfits, int64_constant(e, 0));
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
        for (int32_t k = 0; k < e->part->leaf_count; k++)
            can = LLVMBuildAnd(
                e->k.builder, can,
                LLVMBuildICmp(e->k.builder, LLVMIntNE, tile->pointers[t], tile->pointers[k], ""),
                "whole");
    return can;
}

/* True if the call's results, of which this is a block, lie beyond the caches with an operand as
 * large. */
static LLVMValueRef is_of_large(const part_emitter *e) {
    LLVMValueRef bytes = LLVMBuildPtrToInt(e->k.builder, e->result_bytes, e->k.i64, "bytes");
    return compare(e, LLVMIntUGE, bytes, int64_constant(e, e->k.target->cache_bytes / 2));
}

/* Whoever runs the blocks puts a fence behind the last one. */
static void emit_streamed_blocks(const part_emitter *e, const tile_values *tile) {
    const tosajit_variant all = all_variants(e->part);
    LLVMBasicBlockRef cached = begin_if(e, is_of_large(e), "beyond", "cached"),
                      stream = new_block(e, "stream");
    LLVMBuildCondBr(e->k.builder, is_whole_lines(e, tile), stream, cached);
    LLVMPositionBuilderAtEnd(e->k.builder, stream);
    emit_variant(e, &all, NEST_STREAMED_BLOCKS, tile, e->done);
    continue_in(e, cached);
}

static void emit_streamed(const part_emitter *e, const tile_values *tile) {
    const tosajit_variant all = all_variants(e->part);
    LLVMBasicBlockRef beyond = new_block(e, "beyond"), stream = new_block(e, "stream"),
                      fence = LLVMCreateBasicBlockInContext(e->k.context, "fence"),
                      cached = LLVMCreateBasicBlockInContext(e->k.context, "cached");
    lane one = lane_of(e, 1);
    LLVMBuildCondBr(e->k.builder, is_large(e), beyond, cached);
    LLVMPositionBuilderAtEnd(e->k.builder, beyond);
    LLVMBuildCondBr(e->k.builder, can_stream(e, tile), stream, cached);
    LLVMPositionBuilderAtEnd(e->k.builder, stream);
    emit_variant(e, &all, NEST_STREAMED, tile, fence);
    continue_in(e, fence);
    lane_fence(&one);
    LLVMBuildBr(e->k.builder, e->done);
    continue_in(e, cached);
}

void emit_merged(const part_emitter *e, const tile_values *tile) {
    static void (*const emit[])(const part_emitter *, const tile_values *) = {
        [NEST_HALVES] = emit_halves,
        [NEST_STREAMED] = emit_streamed,
        [NEST_STREAMED_BLOCKS] = emit_streamed_blocks,
    };
    for (int k = 0; k < e->nest.merged_count; k++) emit[e->nest.merged[k]](e, tile);
}
