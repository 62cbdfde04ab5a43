/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of 256 bytes in vector registers, for targets that look bytes up there: NEON's tbl takes
 * 64 of them at a time and gives 0 for an index beyond, tbx leaves what there was. In: a table in
 * memory, indices. Out: IR. */
#include <string.h>

#include "jit/lane/lane.h"

enum { TABLE = 256, REGISTER = 16, GROUP = 4, GROUPS = LANE_TABLE_REGISTERS / GROUP };

static LLVMTypeRef bytes_of(const lane *l, unsigned count) {
    return LLVMVectorType(LLVMInt8TypeInContext(l->context), count);
}

static LLVMValueRef number(const lane *l, int64_t value) {
    return LLVMConstInt(LLVMInt64TypeInContext(l->context), (unsigned long long)value, 1);
}

/* In the entry block, as a buffer of the function. */
static LLVMValueRef new_buffer(const lane *l) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder),
                      entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(here));
    LLVMPositionBuilderBefore(l->builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef buffer = LLVMBuildAlloca(
        l->builder, LLVMArrayType2(LLVMInt8TypeInContext(l->context), TABLE), "table");
    LLVMPositionBuilderAtEnd(l->builder, here);
    return buffer;
}

/* A loop from here to `after`: every byte of the table to its place in the buffer. */
static void copy_table(const lane *l, LLVMValueRef table, LLVMValueRef stride, LLVMValueRef buffer,
                       LLVMBasicBlockRef from, LLVMBasicBlockRef loop, LLVMBasicBlockRef after) {
    LLVMTypeRef byte = LLVMInt8TypeInContext(l->context);
    LLVMPositionBuilderAtEnd(l->builder, loop);
    LLVMValueRef k = LLVMBuildPhi(l->builder, LLVMInt64TypeInContext(l->context), "entry");
    LLVMValueRef offset = LLVMBuildMul(l->builder, k, stride, ""),
                 next = LLVMBuildAdd(l->builder, k, number(l, 1), "");
    LLVMValueRef value = LLVMBuildLoad2(l->builder, byte,
                                        LLVMBuildGEP2(l->builder, byte, table, &offset, 1, ""), "");
    LLVMBuildStore(l->builder, value, LLVMBuildGEP2(l->builder, byte, buffer, &k, 1, ""));
    LLVMAddIncoming(k, (LLVMValueRef[]){number(l, 0), next}, (LLVMBasicBlockRef[]){from, loop}, 2);
    LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntSLT, next, number(l, TABLE), ""),
                    loop, after);
}

void lane_table_load(const lane *l, LLVMValueRef table, LLVMValueRef stride,
                     LLVMValueRef *registers) {
    LLVMValueRef buffer = new_buffer(l),
                 is_strided = LLVMBuildICmp(l->builder, LLVMIntNE, stride, number(l, 1), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(before);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(l->context, function, "table.copy");
    LLVMBasicBlockRef load = LLVMAppendBasicBlockInContext(l->context, function, "table.load");
    lane_mark_unlikely(l, LLVMBuildCondBr(l->builder, is_strided, loop, load));
    copy_table(l, table, stride, buffer, before, loop, load);
    LLVMPositionBuilderAtEnd(l->builder, load);
    LLVMValueRef dense = LLVMBuildPhi(l->builder, LLVMTypeOf(table), "");
    LLVMAddIncoming(dense, (LLVMValueRef[]){table, buffer}, (LLVMBasicBlockRef[]){before, loop}, 2);
    for (int k = 0; k < LANE_TABLE_REGISTERS; k++) {
        LLVMValueRef at = number(l, k * REGISTER);
        LLVMValueRef address =
            LLVMBuildGEP2(l->builder, LLVMInt8TypeInContext(l->context), dense, &at, 1, "");
        registers[k] = LLVMBuildLoad2(l->builder, bytes_of(l, REGISTER), address, "");
        LLVMSetAlignment(registers[k], 1);
    }
}

/* tbl4 of a group, or with `otherwise` tbx4. */
static LLVMValueRef look_up_group(const lane *l, const LLVMValueRef *group, LLVMValueRef index,
                                  LLVMValueRef otherwise) {
    const char *name = otherwise ? "llvm.aarch64.neon.tbx4" : "llvm.aarch64.neon.tbl4";
    LLVMTypeRef type = LLVMTypeOf(index);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name)), count = 0;
    LLVMValueRef operands[GROUP + 2];
    if (otherwise) operands[count++] = otherwise;
    for (int k = 0; k < GROUP; k++) operands[count++] = group[k];
    operands[count++] = index;
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->module, id, &type, 1);
    return LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, &type, 1), function,
                          operands, count, "");
}

/* Of 8 or 16 indices. As unsigned bytes they begin in the middle of the table: 0 is entry 128. */
static LLVMValueRef look_up_register(const lane *l, const LLVMValueRef *registers,
                                     LLVMValueRef index) {
    LLVMValueRef found = NULL;
    for (int g = 0; g < GROUPS; g++) {
        LLVMValueRef inside =
            LLVMBuildSub(l->builder, index, lane_int_like(index, g * GROUP * REGISTER), "");
        found = look_up_group(l, &registers[(g + GROUPS / 2) % GROUPS * GROUP], inside, found);
    }
    return found;
}

LLVMValueRef lane_table_lookup(const lane *l, const LLVMValueRef *registers, LLVMValueRef index) {
    enum { MAX_PARTS = 16 };
    LLVMValueRef parts[MAX_PARTS], poison = LLVMGetPoison(LLVMTypeOf(index));
    unsigned width = l->count < REGISTER ? REGISTER / 2 : REGISTER,
             count = l->count < width ? 1 : l->count / width;
    for (unsigned k = 0; k < count; k++)
        parts[k] = look_up_register(l, registers, lane_pick(l, index, poison, k * width, width));
    LLVMValueRef found = lane_concat(l, parts, count);
    return l->count < width ? lane_pick(l, found, found, 0, l->count) : found;
}
