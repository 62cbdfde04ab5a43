/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops over planes and rows, with a pointer for each tensor that moves. */
#include <string.h>

#include "jit/emit/part.h"
#include "jit/emit/fast_isel.h"

LLVMBasicBlockRef enter_loop(const part_emitter *e, const char *name, const LLVMValueRef *pointers,
                             LLVMValueRef *moving) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder), head = new_block(e, name);
    LLVMBuildBr(e->k.builder, head);
    LLVMPositionBuilderAtEnd(e->k.builder, head);
    for (int32_t t = 0; t < tensor_count(e); t++)
        moving[t] = enter_value(e, "", pointers[t], before);
    return head;
}

counted_loop begin_rows(row_emitter *r, const char *name, const LLVMValueRef *pointers,
                        LLVMValueRef *moving) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder);
    counted_loop loop = {.head = enter_loop(e, name, pointers, moving)};
    loop.index = enter_value(e, "row", int64_constant(e, 0), before);
    memcpy(r->pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    return loop;
}

void emit_rows_while(row_emitter *r, unsigned step, LLVMValueRef end, row_state *s,
                     void (*emit)(row_emitter *r, void *context), void *context) {
    const part_emitter *e = r->part;
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder),
                      head = enter_loop(e, "rows", s->pointers, moving);
    LLVMValueRef row = r->row = enter_value(e, "row", s->first, before);
    LLVMBasicBlockRef after = begin_if(e, compare(e, LLVMIntSLT, row, end), "row", "rows.end");
    memcpy(r->pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    emit(r, context);
    turn_value(e, row, LLVMBuildAdd(e->k.builder, row, int64_constant(e, step), ""));
    if (step == 1)
        step_pointers(r, moving, r->row_strides);
    else
        for (int32_t t = 0; t < tensor_count(e); t++) turn_value(e, moving[t], r->pointers[t]);
    LLVMBuildBr(e->k.builder, head);
    continue_in(e, after);
    s->first = row;
    memcpy(s->pointers, moving, sizeof moving);
}

LLVMValueRef smaller_of(const part_emitter *e, LLVMValueRef a, LLVMValueRef b) {
    const lane one = lane_of(e, 1);
    return lane_intrinsic(&one, "llvm.smin", (LLVMValueRef[]){a, b}, 2);
}

counted_loop begin_counted(const part_emitter *e, const char *name, LLVMValueRef start) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder);
    counted_loop loop = {.head = new_block(e, name)};
    LLVMBuildBr(e->k.builder, loop.head);
    LLVMPositionBuilderAtEnd(e->k.builder, loop.head);
    loop.index = enter_value(e, "", start, before);
    return loop;
}

void end_counted_at(const part_emitter *e, const counted_loop *loop, LLVMValueRef next,
                    LLVMValueRef end) {
    LLVMBasicBlockRef after = LLVMCreateBasicBlockInContext(e->k.context, "");
    turn_value(e, loop->index, next);
    LLVMBuildCondBr(e->k.builder, compare(e, LLVMIntSLT, next, end), loop->head, after);
    continue_in(e, after);
}

void end_counted(const part_emitter *e, const counted_loop *loop, int64_t step, LLVMValueRef end) {
    LLVMValueRef next = LLVMBuildAdd(e->k.builder, loop->index, int64_constant(e, step), "");
    end_counted_at(e, loop, next, end);
}

void step_pointers(row_emitter *r, const LLVMValueRef *moving, const LLVMValueRef *steps) {
    const part_emitter *e = r->part;
    for (int32_t t = 0; t < tensor_count(e); t++) {
        r->pointers[t] = fast_isel_hide(e, behind(e, r->pointers[t], steps[t]));
        turn_value(e, moving[t], r->pointers[t]);
    }
}
