/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One step of a loop over columns: bodies one behind the other, or one that the tail shares. */
#include <string.h>

#include "jit/emit/part.h"

/* A body for a step that may be the tail. Loads and stores are there twice, for whole steps and
 * for the tail, and a branch chooses. The long computation between them is there once. `tail` are
 * its leaves; null: it is loaded and stored by a mask. */
static void emit_shared_body(part_emitter *e, const tosajit_variant *variant, const level *lv,
                             LLVMValueRef column, const held *tail) {
    lane l = lane_of(e, lv->lanes);
    LLVMValueRef left = LLVMBuildSub(e->builder, lv->end, column, "left");
    held loaded[2];
    LLVMValueRef is_short =
        LLVMBuildICmp(e->builder, LLVMIntSLT, left, int64_constant(e, lv->lanes), "short");
    LLVMBasicBlockRef from[2], load[2] = {new_block(e, "load"), new_block(e, "load.short")},
                               body = new_block(e, "body"), store[2];
    lane_mark_unlikely(&l, LLVMBuildCondBr(e->builder, is_short, load[1], load[0]));
    memcpy(e->values, e->splats, e->program->count * sizeof *e->values);
    for (int k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(e->builder, load[k]);
        if (k && tail)
            take(e, 0, e->part->leaf_count, tail);
        else
            emit_loads(e, variant, lv->lanes, column, 0, k ? lane_mask(&l, left) : NULL);
        hold(e, 0, e->part->leaf_count, &loaded[k]);
        LLVMBuildBr(e->builder, body);
        from[k] = LLVMGetInsertBlock(e->builder);
    }
    LLVMPositionBuilderAtEnd(e->builder, body);
    join_leaves(e, variant, loaded, from, 2);
    emit_nodes(e, lv->lanes);
    for (int k = 0; k < 2; k++) store[k] = new_block(e, k ? "store.short" : "store");
    LLVMBasicBlockRef after = new_block(e, "stored");
    lane_mark_unlikely(&l, LLVMBuildCondBr(e->builder, is_short, store[1], store[0]));
    for (int k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(e->builder, store[k]);
        if (k && tail)
            emit_last_stores(e, variant, lv->lanes, lv->lanes);
        else
            emit_stores(e, variant, lv->lanes, column, 0, k ? lane_mask(&l, left) : NULL);
        LLVMBuildBr(e->builder, after);
    }
    LLVMPositionBuilderAtEnd(e->builder, after);
}

/* One step of a level's loop, from column on. */
void emit_step(part_emitter *e, const tosajit_variant *variant, const level *lv,
               LLVMValueRef column, const held *tail) {
    if (lv->shared) {
        emit_shared_body(e, variant, lv, column, tail);
        return;
    }
    lane l = lane_of(e, lv->lanes);
    LLVMValueRef mask =
        lv->masked ? lane_mask(&l, LLVMBuildSub(e->builder, lv->end, column, "left")) : NULL;
    for (unsigned k = 0; k < lv->repeats; k++)
        emit_body(e, variant, lv->lanes, column, k * lv->lanes, mask);
}
