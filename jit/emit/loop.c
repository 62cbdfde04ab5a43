/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What loops over planes and rows have in common: a pointer per tensor that moves. */
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
