/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What loops over planes and rows have in common: a pointer per tensor that moves. */
#include "jit/emit/part.h"
#include "jit/emit/plain.h"

LLVMBasicBlockRef enter_loop(const part_emitter *e, const char *name, const LLVMValueRef *pointers,
                             LLVMValueRef *moving) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), head = new_block(e, name);
    LLVMBuildBr(e->builder, head);
    LLVMPositionBuilderAtEnd(e->builder, head);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef first = pointers[t];
        moving[t] = LLVMBuildPhi(e->builder, e->ptr, "");
        LLVMAddIncoming(moving[t], &first, &before, 1);
    }
    return head;
}

void step_pointers(part_emitter *e, const LLVMValueRef *moving, const LLVMValueRef *steps) {
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef step = steps[t];
        e->row_pointers[t] =
            plain_hide(e, LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context),
                                        e->row_pointers[t], &step, 1, ""));
        LLVMAddIncoming(moving[t], &e->row_pointers[t], &last, 1);
    }
}
