/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of 256 bytes in vector registers. In: a table in memory, indices. Out: IR. Three ways:
 *
 *     NEON          tbl takes 64 entries at a time and gives 0 for an index beyond, tbx leaves
 *                   what there was
 *     AVX-512 VBMI  a permutation of 128 bytes for each half of the table
 *     other x86     pshufb, of rows of 16 entries, which gives 0 where the index is negative
 *
 * The last one takes 46 instructions a vector, so it leaves out rows that are like the one before,
 * and affine tables are computed: 12 instructions. */
#include <string.h>

#include "jit/lane/lane.h"

enum { TABLE = 256, ROW = 16, GROUP = 4, GROUPS = LANE_TABLE_REGISTERS / GROUP, PERMUTED = 64 };

static LLVMTypeRef bytes_of(const lane *l, unsigned count) {
    return LLVMVectorType(LLVMInt8TypeInContext(l->context), count);
}

static bool is_neon(const lane *l) { return l->target->level->byte_tables; }

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

static LLVMValueRef load_entries(const lane *l, LLVMValueRef table, unsigned first,
                                 unsigned count) {
    LLVMValueRef at = number(l, first),
                 address = LLVMBuildGEP2(l->builder, LLVMInt8TypeInContext(l->context), table, &at,
                                         1, "");
    LLVMValueRef entries = LLVMBuildLoad2(l->builder, bytes_of(l, count), address, "");
    LLVMSetAlignment(entries, 1);
    return entries;
}

/* A row in each 128 bits of a register, since pshufb stays within these. */
static LLVMValueRef repeat_row(const lane *l, LLVMValueRef row) {
    LLVMValueRef copies[PERMUTED / ROW];
    const unsigned count = l->target->level->vector_bytes / ROW;
    for (unsigned k = 0; k < count; k++) copies[k] = row;
    return lane_concat(l, copies, count);
}

/* True if a row for pshufb has the entries of the one before, in its half of the table. */
static bool repeats_row(const int8_t *entries, unsigned k) {
    return entries && k % (TABLE / ROW / 2) != 0 &&
           memcmp(&entries[k * ROW], &entries[(k - 1) * ROW], ROW) == 0;
}

/* Of rows for pshufb what each differs from the one before; null if it does not. */
static void load_registers(const lane *l, LLVMValueRef table, const int8_t *entries,
                           LLVMValueRef *registers) {
    const unsigned size = !is_neon(l) && l->target->has_byte_permute ? PERMUTED : ROW;
    for (unsigned k = 0; k < TABLE / size; k++)
        registers[k] = load_entries(l, table, k * size, size);
    if (is_neon(l) || size == PERMUTED) return;
    for (unsigned k = TABLE / ROW; k-- > 0;) {
        if (k % (TABLE / ROW / 2) != 0) registers[k] = lane_xor(l, registers[k], registers[k - 1]);
        registers[k] = repeats_row(entries, k) ? NULL : repeat_row(l, registers[k]);
    }
}

void lane_table_load(const lane *l, LLVMValueRef table, LLVMValueRef stride, const int8_t *entries,
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
    load_registers(l, dense, entries, registers);
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
static LLVMValueRef look_up_neon(const lane *l, const void *context, const LLVMValueRef *x) {
    const LLVMValueRef *registers = context, index = x[0];
    LLVMValueRef found = NULL;
    for (int g = 0; g < GROUPS; g++) {
        LLVMValueRef inside =
            LLVMBuildSub(l->builder, index, lane_int_like(index, g * GROUP * ROW), "");
        found = look_up_group(l, &registers[(g + GROUPS / 2) % GROUPS * GROUP], inside, found);
    }
    return found;
}

/* The low seven bits of an index choose among 128 entries, its sign between the halves. */
static LLVMValueRef look_up_permuted(const lane *l, const void *context, const LLVMValueRef *x) {
    const LLVMValueRef *registers = context, index = x[0];
    LLVMValueRef halves[2];
    for (int h = 0; h < 2; h++)
        halves[h] = lane_call(l, "llvm.x86.avx512.vpermi2var.qi.512",
                              (LLVMValueRef[]){registers[2 * h], index, registers[2 * h + 1]}, 3);
    LLVMValueRef negative = lane_icmp(l, LLVMIntSLT, index, lane_int_like(index, 0));
    return lane_select(l, negative, halves[0], halves[1]);
}

/* Rows hold differences, so the entry is the sum of all rows up to the index's. In each later row
 * the index, less 16 per row, is negative, and its entry 0. It is 0, too, in the half that the
 * index is not in. */
static LLVMValueRef look_up_shuffled(const lane *l, const void *context, const LLVMValueRef *x) {
    const LLVMValueRef *registers = context, index = x[0];
    const unsigned bytes = l->target->level->vector_bytes, rows = TABLE / ROW / 2;
    const char *name = bytes == 64   ? "llvm.x86.avx512.pshuf.b.512"
                       : bytes == 32 ? "llvm.x86.avx2.pshuf.b"
                                     : "llvm.x86.ssse3.pshuf.b.128";
    LLVMValueRef found = NULL;
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef first = half ? index : lane_xor(l, index, lane_int_like(index, INT8_MIN));
        for (unsigned k = 0; k < rows; k++) {
            if (!registers[half * rows + k]) continue;
            LLVMValueRef inside = first, less = lane_int_like(index, (int64_t)(k * ROW));
            if (k) inside = lane_intrinsic(l, "llvm.ssub.sat", (LLVMValueRef[]){first, less}, 2);
            LLVMValueRef part =
                lane_call(l, name, (LLVMValueRef[]){registers[half * rows + k], inside}, 2);
            found = found ? lane_xor(l, found, part) : part;
        }
    }
    return found;
}

LLVMValueRef lane_table_lookup(const lane *l, const LLVMValueRef *registers, LLVMValueRef index) {
    if (is_neon(l))
        return lane_in_parts(l, l->count < ROW ? ROW / 2 : ROW, look_up_neon, registers, &index, 1);
    return lane_in_parts(l, l->target->level->vector_bytes,
                         l->target->has_byte_permute ? look_up_permuted : look_up_shuffled,
                         registers, &index, 1);
}

bool lane_prefers_affine(const lane *l) { return !is_neon(l) && !l->target->has_byte_permute; }
