/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop over columns, and one step of it. A step is bodies one behind the other, or one body that
 * the tail shares. */
#include "jit/emit/part.h"
#include "jit/emit/fast_isel.h"

/* A whole step of a level; or one of which so many lanes are left, by a mask. */
static step shared_step(const row_emitter *r, const level *lv, LLVMValueRef column,
                        LLVMValueRef left) {
    lane l = lane_of(r->part, lv->nest.lanes);
    return (step){
        .lanes = lv->nest.lanes, .column = column, .mask = left ? lane_mask(&l, left) : NULL};
}

/* Computations between loads and stores, of which the tail has fewer lanes. */
static void emit_shared_nodes(row_emitter *r, const lane *l, LLVMValueRef column,
                              LLVMValueRef left) {
    emit_nodes(r, l->count);
    if (nest_reduces_rows(&r->part->nest)) r->place = column, r->place_offset = 0;
    if (r->part->part->reductions) emit_reductions(r, l->count, lane_mask(l, left));
}

/* True if a step's leaves are joined as addresses, of which the tail's are of memory for a whole
 * step. Then f32 are widened to f64 as they are loaded: exact functions take 0.8 to 0.97 of the
 * time. Where masks are free, waiting for that memory costs short rows more. */
static bool joins_addresses(const part_emitter *e) {
    return !e->k.program->fast && e->k.target->level->mask_bytes > 1;
}

/* Begin a step with the leaves where they lie, or, with their values there, in memory. */
static void put_addresses(row_emitter *r, const lane *l, LLVMValueRef column, bool in_memory) {
    const part_emitter *e = r->part;
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (has_bit(r->variant->splat, t)) continue;
        const tosajit_type element = tensor_node(e, t)->type.element;
        LLVMValueRef *value = &r->values[e->part->leaves[t].value];
        LLVMValueRef address = in_memory ? entry_memory(e, lane_memory_type(l, element))
                                         : element_address(r, t, column, 0);
        if (in_memory) lane_store(l, element, *value, address, NULL);
        *value = address;
    }
}

static void load_from_addresses(row_emitter *r, const lane *l) {
    const part_emitter *e = r->part;
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        LLVMValueRef *value = &r->values[e->part->leaves[t].value];
        if (!has_bit(r->variant->splat, t))
            *value = lane_load(l, tensor_node(e, t)->type.element, *value, NULL);
    }
}

/* The leaves of a whole step; or of the tail, so many lanes, which `tail` has or a mask loads. */
static void emit_shared_loads(row_emitter *r, const level *lv, LLVMValueRef column,
                              LLVMValueRef left, const held *tail) {
    const lane l = lane_of(r->part, lv->nest.lanes);
    const bool addresses = joins_addresses(r->part);
    if (left && tail)
        take(r, 0, r->part->part->leaf_count, tail);
    else if (left || !addresses)
        emit_loads(r, shared_step(r, lv, column, left));
    if (addresses) put_addresses(r, &l, column, left != NULL);
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
        emit_shared_loads(r, lv, column, k ? left : NULL, tail);
        hold(r, 0, e->part->leaf_count, &loaded[k]);
        LLVMBuildBr(e->k.builder, body);
        from[k] = LLVMGetInsertBlock(e->k.builder);
    }
    LLVMPositionBuilderAtEnd(e->k.builder, body);
    join_leaves(r, loaded, from, 2);
    if (joins_addresses(e)) load_from_addresses(r, &l);
    emit_shared_nodes(r, &l, column, left);
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

/* `if (start < end) { do step; while (column < end); }`. As LLVM wants its loops, this one has a
 * block before it and a block behind it, and nothing else uses these. */
LLVMValueRef emit_level(row_emitter *r, const level *lv, LLVMValueRef start, const held *tail) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder),
                      after = begin_if(e, compare(e, LLVMIntSGT, lv->end, start), "columns",
                                       "columns.end"),
                      enter = LLVMGetInsertBlock(e->k.builder);
    handed kept, h;
    keep_partials(r, &kept);
    if (!e->nest.fast_isel) emit_splats(r, lv->nest.lanes);
    if (lv->mask) {
        emit_body(r, (step){.lanes = lv->nest.lanes, .column = start, .mask = lv->mask});
        end_if(e, after);
        return lv->end;
    }
    LLVMBasicBlockRef turn = new_block(e, "step"),
                      leave = LLVMCreateBasicBlockInContext(e->k.context, "columns.leave");
    fast_isel_fall_into(e, turn);
    LLVMPositionBuilderAtEnd(e->k.builder, turn);
    LLVMValueRef column = enter_value(e, "column", start, enter);
    enter_partials(r, enter, &h);
    emit_step(r, lv, column, tail);
    hand_partials(r, &h);
    LLVMValueRef next = fast_isel_hide(
        e, LLVMBuildAdd(e->k.builder, column, int64_constant(e, step_size(lv)), "next"));
    turn_value(e, column, next);
    LLVMBuildCondBr(e->k.builder, compare(e, LLVMIntSLT, next, lv->end), turn, leave);
    continue_in(e, leave);
    fast_isel_fall_into(e, after);
    continue_in(e, after);
    LLVMValueRef left = LLVMBuildPhi(e->k.builder, e->k.i64, "left");
    LLVMAddIncoming(left, (LLVMValueRef[]){start, next}, (LLVMBasicBlockRef[]){before, leave}, 2);
    join_partials(r, &kept, before, leave);
    return left;
}
