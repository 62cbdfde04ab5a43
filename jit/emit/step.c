/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One step of a loop over columns: bodies one behind the other, or one that the tail shares. */
#include "jit/emit/part.h"

/* A whole step of a level; or one of which so many lanes are left, by a mask. */
static step shared_step(const row_emitter *r, const level *lv, LLVMValueRef column,
                        LLVMValueRef left) {
    lane l = lane_of(r->part, lv->nest.lanes);
    return (step){
        .lanes = lv->nest.lanes, .column = column, .mask = left ? lane_mask(&l, left) : NULL};
}

/* What is computed between loads and stores, of which the tail has fewer lanes. */
static void emit_shared_nodes(row_emitter *r, const lane *l, LLVMValueRef left) {
    emit_nodes(r, l->count);
    if (r->part->part->reductions) emit_reductions(r, l->count, lane_mask(l, left));
}

/* A body for a step that may be the tail. Loads and stores are there twice, for whole steps and
 * for the tail, and a branch chooses. The long computation between them is there once. `tail` are
 * its leaves; null: it is loaded and stored by a mask. */
static void emit_shared(row_emitter *r, const level *lv, LLVMValueRef column, const held *tail) {
    const part_emitter *e = r->part;
    lane l = lane_of(e, lv->nest.lanes);
    LLVMValueRef left = LLVMBuildSub(e->k.builder, lv->end, column, "left");
    held loaded[2];
    LLVMValueRef is_short =
        LLVMBuildICmp(e->k.builder, LLVMIntSLT, left, int64_constant(e, lv->nest.lanes), "short");
    LLVMBasicBlockRef load[2] = {new_block(e, "load"), new_block(e, "load.short")},
                      body = new_block(e, "body"), from[2], store[2];
    lane_mark_unlikely(&l, LLVMBuildCondBr(e->k.builder, is_short, load[1], load[0]));
    begin_values(r);
    for (int k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(e->k.builder, load[k]);
        if (k && tail)
            take(r, 0, e->part->leaf_count, tail);
        else
            emit_loads(r, shared_step(r, lv, column, k ? left : NULL));
        hold(r, 0, e->part->leaf_count, &loaded[k]);
        LLVMBuildBr(e->k.builder, body);
        from[k] = LLVMGetInsertBlock(e->k.builder);
    }
    LLVMPositionBuilderAtEnd(e->k.builder, body);
    join_leaves(r, loaded, from, 2);
    emit_shared_nodes(r, &l, left);
    for (int k = 0; k < 2; k++) store[k] = new_block(e, k ? "store.short" : "store");
    LLVMBasicBlockRef after = new_block(e, "stored");
    lane_mark_unlikely(&l, LLVMBuildCondBr(e->k.builder, is_short, store[1], store[0]));
    for (int k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(e->k.builder, store[k]);
        if (k && tail)
            emit_last_stores(r, lv->nest.lanes, lv->nest.lanes);
        else
            emit_stores(r, shared_step(r, lv, column, k ? left : NULL));
        LLVMBuildBr(e->k.builder, after);
    }
    LLVMPositionBuilderAtEnd(e->k.builder, after);
}

/* One step of a level's loop, from column on. */
void emit_step(row_emitter *r, const level *lv, LLVMValueRef column, const held *tail) {
    const part_emitter *e = r->part;
    if (lv->nest.shared) {
        emit_shared(r, lv, column, tail);
        return;
    }
    lane l = lane_of(e, lv->nest.lanes);
    LLVMValueRef mask =
        lv->nest.masked ? lane_mask(&l, LLVMBuildSub(e->k.builder, lv->end, column, "left")) : NULL;
    for (unsigned k = 0; k < lv->nest.repeats; k++)
        emit_body(r, (step){.lanes = lv->nest.lanes,
                            .column = column,
                            .offset = k * lv->nest.lanes,
                            .mask = mask,
                            .streamed = lv->nest.streamed});
}
