/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lanes in memory: loads and stores, whole or masked, of elements at any address. */
#include "jit/lane/lane.h"

#include <llvm/Config/llvm-config.h>
#include <string.h>

/* Of every access: views at any address are legal operands, and unaligned instructions cost the
 * same. */
enum { ALIGNMENT = 1 };

LLVMTypeRef lane_memory_type(const lane *l, tosajit_type element) {
    return element == TOSAJIT_I1 ? lane_int_type(l, 8) : lane_element_type(l, element);
}

/* Fewer bytes than a register has are stored as a whole register, with a mask. LLVM makes the mask
 * longer: kmovb k1, k2 clears the new bits. But its register allocator takes that for a mere copy,
 * and where it spills k2 it writes k1 (seen in LLVM 22). Lanes that do not exist would be written.
 * A mask of as many lanes as an XMM register has bytes is never made longer. */
static lane of_mask(const lane *l) {
    enum { LEAST = 16 };
    lane own = *l;
    if (l->target->level->mask_bytes == 1 && own.count < LEAST) own.count = LEAST;
    return own;
}

LLVMValueRef lane_mask(const lane *l, LLVMValueRef left) {
    const lane own = of_mask(l);
    /* Comparing in bytes is one instruction for all lanes. */
    LLVMTypeRef i8 = LLVMInt8TypeInContext(l->context);
    LLVMValueRef numbers[LANE_MAX_MASK], all = LLVMConstInt(LLVMTypeOf(left), l->count, 0);
    for (unsigned k = 0; k < own.count; k++) numbers[k] = LLVMConstInt(i8, k, 0);
    LLVMValueRef bounded = lane_intrinsic(l, "llvm.umin", (LLVMValueRef[]){left, all}, 2);
    LLVMValueRef limit = lane_splat(&own, LLVMBuildTrunc(l->builder, bounded, i8, ""));
    return lane_icmp(&own, LLVMIntULT, LLVMConstVector(numbers, own.count), limit);
}

/* Before LLVM 22 the alignment was an operand after the pointer, now it is an attribute of the
 * pointer. */
LLVMValueRef lane_masked_call(const lane *l, const char *name, LLVMTypeRef value,
                              LLVMValueRef *operands, unsigned count, unsigned pointer,
                              unsigned alignment) {
    LLVMTypeRef types[2] = {value, LLVMTypeOf(operands[pointer])};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef declaration = LLVMGetIntrinsicDeclaration(l->module, id, types, 2);
    LLVMTypeRef type = LLVMIntrinsicGetType(l->context, id, types, 2);
#if LLVM_VERSION_MAJOR < 22
    LLVMValueRef older[4];
    memcpy(older, operands, (pointer + 1) * sizeof *older);
    older[pointer + 1] = LLVMConstInt(LLVMInt32TypeInContext(l->context), alignment, 0);
    memcpy(older + pointer + 2, operands + pointer + 1, (count - pointer - 1) * sizeof *older);
    return LLVMBuildCall2(l->builder, type, declaration, older, count + 1, "");
#else
    LLVMValueRef call = LLVMBuildCall2(l->builder, type, declaration, operands, count, "");
    LLVMSetInstrParamAlignment(call, pointer + 1, alignment);
    return call;
#endif
}

/* The lanes of an access with a mask: all of the mask's for bytes, else the vector's. */
static lane of_access(const lane *l, tosajit_type element) {
    return tosajit_type_size(element) == 1 ? of_mask(l) : *l;
}

static LLVMValueRef first_lanes(const lane *l, LLVMValueRef vector, unsigned count) {
    return LLVMGetVectorSize(LLVMTypeOf(vector)) == count ? vector
                                                          : lane_pick(l, vector, vector, 0, count);
}

static LLVMValueRef masked_load(const lane *l, tosajit_type element, LLVMValueRef address,
                                LLVMValueRef mask) {
    const lane own = of_access(l, element);
    LLVMTypeRef type = lane_memory_type(&own, element);
    LLVMValueRef operands[] = {address, first_lanes(l, mask, own.count), LLVMConstNull(type)};
    return first_lanes(l, lane_masked_call(l, "llvm.masked.load", type, operands, 3, 0, ALIGNMENT),
                       l->count);
}

static void masked_store(const lane *l, tosajit_type element, LLVMValueRef value,
                         LLVMValueRef address, LLVMValueRef mask) {
    const lane own = of_access(l, element);
    LLVMValueRef operands[] = {first_lanes(l, value, own.count), address,
                               first_lanes(l, mask, own.count)};
    lane_masked_call(l, "llvm.masked.store", lane_memory_type(&own, element), operands, 3, 1,
                     ALIGNMENT);
}

LLVMValueRef lane_from_memory(const lane *l, tosajit_type element, LLVMValueRef value) {
    return element == TOSAJIT_I1 ? lane_icmp(l, LLVMIntNE, value, lane_int_like(value, 0)) : value;
}

LLVMValueRef lane_load(const lane *l, tosajit_type element, LLVMValueRef address,
                       LLVMValueRef mask) {
    LLVMTypeRef type = lane_memory_type(l, element);
    LLVMValueRef value;
    if (mask) {
        value = masked_load(l, element, address, mask);
    } else {
        value = LLVMBuildLoad2(l->builder, type, address, "");
        LLVMSetAlignment(value, ALIGNMENT);
    }
    return lane_from_memory(l, element, value);
}

void lane_store(const lane *l, tosajit_type element, LLVMValueRef value, LLVMValueRef address,
                LLVMValueRef mask) {
    LLVMTypeRef type = lane_memory_type(l, element);
    if (element == TOSAJIT_I1) value = lane_zext(l, value, type);
    if (mask)
        masked_store(l, element, value, address, mask);
    else
        LLVMSetAlignment(LLVMBuildStore(l->builder, value, address), ALIGNMENT);
}

void lane_stream(const lane *l, tosajit_type element, LLVMValueRef value, LLVMValueRef address) {
    if (element == TOSAJIT_I1) value = lane_zext(l, value, lane_memory_type(l, element));
    LLVMValueRef store = LLVMBuildStore(l->builder, value, address);
    LLVMSetAlignment(store, l->count * (unsigned)tosajit_type_size(element));
    LLVMMetadataRef one =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(l->context), 1, 0));
    LLVMMetadataRef node = LLVMMDNodeInContext2(l->context, &one, 1);
    const char kind[] = "nontemporal";
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(l->context, kind, sizeof kind - 1),
                    LLVMMetadataAsValue(l->context, node));
}

void lane_fence(const lane *l) {
    const char *name = l->target->level->fence;
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, NULL, 0),
                   LLVMGetIntrinsicDeclaration(l->module, id, NULL, 0), NULL, 0, "");
}

LLVMValueRef lane_load_halves(const lane *l, tosajit_type element, LLVMValueRef first,
                              LLVMValueRef last, unsigned width) {
    lane half = *l;
    half.count = width;
    LLVMTypeRef type = lane_memory_type(&half, element), all = lane_memory_type(l, element);
    LLVMValueRef high = LLVMBuildLoad2(l->builder, type, last, ""), value;
    LLVMSetAlignment(high, ALIGNMENT);
    if (width == l->count) return high;
    if (width == 1) {
        value = LLVMBuildInsertElement(l->builder, LLVMConstNull(all), high,
                                       LLVMConstInt(LLVMInt32TypeInContext(l->context), 0, 0), "");
    } else {
        LLVMValueRef low = LLVMBuildLoad2(l->builder, type, first, "");
        LLVMSetAlignment(low, ALIGNMENT);
        value = lane_pick(l, low, high, 0, 2 * width);
        for (unsigned have = 2 * width; have < l->count; have *= 2)
            value = lane_pick(l, value, LLVMConstNull(LLVMTypeOf(value)), 0, 2 * have);
    }
    return value;
}

void lane_store_halves(const lane *l, tosajit_type element, LLVMValueRef value, LLVMValueRef first,
                       LLVMValueRef last, unsigned width) {
    lane half = *l;
    half.count = width;
    if (width == l->count) {
        lane_store(l, element, value, last, NULL);
    } else if (width == 1) {
        LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(l->context), 0, 0);
        lane_store(&half, element, LLVMBuildExtractElement(l->builder, value, zero, ""), last,
                   NULL);
    } else {
        lane_store(&half, element, lane_pick(l, value, value, 0, width), first, NULL);
        lane_store(&half, element, lane_pick(l, value, value, width, width), last, NULL);
    }
}

/* The address of each lane; a gather of 32 or 64 bits is one instruction, others become single
 * loads. */
LLVMValueRef lane_gather(const lane *l, unsigned bits, LLVMValueRef base, LLVMValueRef index,
                         LLVMValueRef stride) {
    LLVMTypeRef element = LLVMIntTypeInContext(l->context, bits),
                byte = LLVMInt8TypeInContext(l->context);
    LLVMValueRef offset = lane_mul(l, index, lane_splat(l, stride));
    LLVMValueRef address = LLVMBuildGEP2(l->builder, byte, base, &offset, 1, "");
    if (l->count == 1) {
        LLVMValueRef value = LLVMBuildLoad2(l->builder, element, address, "");
        LLVMSetAlignment(value, ALIGNMENT);
        return value;
    }
    LLVMTypeRef type = lane_vector(l, element);
    LLVMValueRef operands[3] = {address, LLVMConstAllOnes(lane_bool_type(l)), LLVMConstNull(type)};
    return lane_masked_call(l, "llvm.masked.gather", type, operands, 3, 0, ALIGNMENT);
}

void lane_prefetch(const lane *l, LLVMValueRef address) {
    LLVMTypeRef type = LLVMTypeOf(address), i32 = LLVMInt32TypeInContext(l->context);
    const unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", strlen("llvm.prefetch"));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->module, id, &type, 1),
                 level = LLVMConstInt(i32, 2, false), data = LLVMConstInt(i32, 1, false);
    LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(function), function,
                   (LLVMValueRef[]){address, LLVMConstInt(i32, 0, false), level, data}, 4, "");
}
