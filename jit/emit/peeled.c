/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Peeled vectors: they begin or end where a row does, whatever the loops leave. They overlap
 * what the loops write, with the same values. So they are loaded before the loops and stored after
 * them: a result in place of an operand would else be read as an operand.
 *
 *     columns, in vectors of 8        vectors
 *     1                               one element
 *     2..3, 4..7                      halves of one vector, 2 or 4 lanes each: [0,4) and [n-4,n);
 *                                     in one loop for all variants
 *     8                               [0,8)
 *     9..16                           [0,8) and [n-8,n)
 *     more                            the same, and between them wide steps, then single vectors,
 *                                     from an aligned column on: one of 1..8
 */
#include "jit/emit/part.h"
#include "jit/emit/fast_isel.h"
#include "runtime/base/types.h"

LLVMValueRef emit_last_column(const part_emitter *e, unsigned lanes) {
    return LLVMBuildSub(e->k.builder, e->cols, int64_constant(e, lanes), "last");
}

/* Go on in a block for rows of at least `width` columns. What is returned is for the others; rows
 * of less than one column are not walked. */
static LLVMBasicBlockRef begin_width(const part_emitter *e, unsigned width) {
    if (width == 1) return NULL;
    LLVMValueRef fits = compare(e, LLVMIntSGE, e->cols, int64_constant(e, width));
    return begin_if(e, fits, "width", "narrower");
}

void join_leaves(row_emitter *r, const held *loaded, LLVMBasicBlockRef *from, unsigned count) {
    const part_emitter *e = r->part;
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (has_bit(r->variant->splat, t)) continue;
        LLVMValueRef phi = LLVMBuildPhi(e->k.builder, LLVMTypeOf(loaded[0].values[t]), "");
        for (unsigned k = 0; k < count; k++) {
            LLVMValueRef value = loaded[k].values[t];
            LLVMAddIncoming(phi, &value, &from[k], 1);
        }
        r->values[e->part->leaves[t].value] = phi;
    }
}

/* The leaves of a row of `width` columns or more, but fewer than twice as many, or of the last
 * `lanes`: as they are in memory. */
static void load_width(const row_emitter *r, unsigned lanes, unsigned width, held *loaded) {
    const part_emitter *e = r->part;
    lane l = lane_of(e, lanes);
    const LLVMValueRef first = int64_constant(e, 0), last = emit_last_column(e, width);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (!has_bit(r->variant->splat, t))
            loaded->values[t] = lane_load_halves(&l, tensor_node(e, t)->type.element,
                                                 element_address(r, t, first, 0),
                                                 element_address(r, t, last, 0), width);
}

void emit_last_loads(row_emitter *r, unsigned lanes, unsigned widest) {
    const part_emitter *e = r->part;
    enum { WIDTHS = 9 }; /* 256 lanes, halved */
    lane l = lane_of(e, lanes);
    LLVMBasicBlockRef from[WIDTHS],
        after = LLVMCreateBasicBlockInContext(e->k.context, "last.loaded");
    held loaded[WIDTHS];
    unsigned count = 0;
    for (unsigned width = widest; width > 0; width /= 2) {
        LLVMBasicBlockRef other = begin_width(e, width);
        load_width(r, lanes, width, &loaded[count]);
        from[count++] = LLVMGetInsertBlock(e->k.builder);
        LLVMBuildBr(e->k.builder, after);
        if (other) continue_in(e, other);
    }
    continue_in(e, after);
    join_leaves(r, loaded, from, count);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (!has_bit(r->variant->splat, t)) {
            LLVMValueRef *value = &r->values[e->part->leaves[t].value];
            *value = lane_from_memory(&l, tensor_node(e, t)->type.element, *value);
        }
}

void emit_last_stores(row_emitter *r, unsigned lanes, unsigned widest) {
    const part_emitter *e = r->part;
    lane l = lane_of(e, lanes);
    LLVMBasicBlockRef after = LLVMCreateBasicBlockInContext(e->k.context, "last.stored");
    for (unsigned width = widest; width > 0; width /= 2) {
        LLVMBasicBlockRef other = begin_width(e, width);
        const LLVMValueRef first = int64_constant(e, 0), last = emit_last_column(e, width);
        for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++)
            lane_store_halves(&l, tensor_node(e, t)->type.element, r->values[tensor_value(e, t)],
                              element_address(r, t, first, 0), element_address(r, t, last, 0),
                              width);
        LLVMBuildBr(e->k.builder, after);
        if (other) continue_in(e, other);
    }
    continue_in(e, after);
}

void hold(const row_emitter *r, int32_t first, int32_t end, held *h) {
    for (int32_t t = first; t < end; t++) h->values[t] = r->values[tensor_value(r->part, t)];
}

void take(row_emitter *r, int32_t first, int32_t end, const held *h) {
    for (int32_t t = first; t < end; t++) r->values[tensor_value(r->part, t)] = h->values[t];
}

LLVMValueRef emit_aligned_column(const row_emitter *r, LLVMValueRef aligned, unsigned lanes) {
    const part_emitter *e = r->part;
    const int32_t result = e->part->leaf_count;
    const size_t size = tosajit_type_size(tensor_node(e, result)->type.element);
    int64_t shift = 0;
    while (UINT64_C(1) << shift < size) shift++;
    LLVMValueRef address =
        LLVMBuildPtrToInt(e->k.builder, r->pointers[result], e->k.i64, "address");
    LLVMValueRef elements = LLVMBuildLShr(e->k.builder, address, int64_constant(e, shift), "");
    return LLVMBuildSub(e->k.builder, int64_constant(e, lanes),
                        LLVMBuildAnd(e->k.builder, elements, aligned, ""), "begin");
}
