/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What loops over planes and rows have in common: a pointer per tensor that moves. */
#include <string.h>

#include "jit/emit/part.h"
#include "jit/emit/fast_isel.h"

LLVMBasicBlockRef enter_loop(const part_emitter *e, const char *name, const LLVMValueRef *pointers,
                             LLVMValueRef *moving) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder), head = new_block(e, name);
    LLVMBuildBr(e->k.builder, head);
    LLVMPositionBuilderAtEnd(e->k.builder, head);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef first = pointers[t];
        moving[t] = LLVMBuildPhi(e->k.builder, e->k.ptr, "");
        LLVMAddIncoming(moving[t], &first, &before, 1);
    }
    return head;
}

counted_loop begin_rows(row_emitter *r, const char *name, const LLVMValueRef *pointers,
                        LLVMValueRef first, LLVMValueRef *moving) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder);
    counted_loop loop = {.head = enter_loop(e, name, pointers, moving)};
    loop.index = LLVMBuildPhi(e->k.builder, e->k.i64, "row");
    LLVMAddIncoming(loop.index, &first, &before, 1);
    memcpy(r->pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    return loop;
}

void end_rows(row_emitter *r, const counted_loop *loop, const LLVMValueRef *moving,
              LLVMValueRef end) {
    memcpy(r->pointers, moving, (size_t)tensor_count(r->part) * sizeof *moving);
    step_pointers(r, moving, r->row_strides);
    end_counted(r->part, loop, 1, end);
}

void emit_rows_while(row_emitter *r, unsigned step, LLVMValueRef end, row_state *s,
                     void (*emit)(row_emitter *r, void *context), void *context) {
    const part_emitter *e = r->part;
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->k.builder),
                      head = enter_loop(e, "rows", s->pointers, moving), turn = new_block(e, "row"),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "rows.end");
    r->row = LLVMBuildPhi(e->k.builder, e->k.i64, "row");
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, r->row, end, ""), turn,
                    after);
    LLVMPositionBuilderAtEnd(e->k.builder, turn);
    memcpy(r->pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    emit(r, context);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder);
    LLVMValueRef next = LLVMBuildAdd(e->k.builder, r->row, int64_constant(e, step), "");
    LLVMAddIncoming(r->row, (LLVMValueRef[]){s->first, next}, (LLVMBasicBlockRef[]){before, last},
                    2);
    if (step == 1)
        step_pointers(r, moving, r->row_strides);
    else
        for (int32_t t = 0; t < tensor_count(e); t++)
            LLVMAddIncoming(moving[t], &r->pointers[t], &last, 1);
    LLVMBuildBr(e->k.builder, head);
    continue_in(e, after);
    s->first = r->row;
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
    loop.index = LLVMBuildPhi(e->k.builder, e->k.i64, "");
    LLVMAddIncoming(loop.index, &start, &before, 1);
    return loop;
}

void end_counted(const part_emitter *e, const counted_loop *loop, int64_t step, LLVMValueRef end) {
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder),
                      after = LLVMCreateBasicBlockInContext(e->k.context, "");
    LLVMValueRef next = LLVMBuildAdd(e->k.builder, loop->index, int64_constant(e, step), "");
    LLVMAddIncoming(loop->index, &next, &last, 1);
    LLVMBuildCondBr(e->k.builder, LLVMBuildICmp(e->k.builder, LLVMIntSLT, next, end, ""),
                    loop->head, after);
    continue_in(e, after);
}

void step_pointers(row_emitter *r, const LLVMValueRef *moving, const LLVMValueRef *steps) {
    const part_emitter *e = r->part;
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->k.builder);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef step = steps[t];
        r->pointers[t] =
            fast_isel_hide(e, LLVMBuildGEP2(e->k.builder, LLVMInt8TypeInContext(e->k.context),
                                            r->pointers[t], &step, 1, ""));
        LLVMAddIncoming(moving[t], &r->pointers[t], &last, 1);
    }
}
