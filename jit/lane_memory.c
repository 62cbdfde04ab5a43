/* Lanes in memory: loads and stores, whole or masked, of elements at any address. */
#include "jit/lane.h"

#include <llvm/Config/llvm-config.h>
#include <string.h>

enum { ALIGNMENT = 1 }; /* of every access: views at any address are legal operands, and unaligned instructions cost the same */

LLVMTypeRef lane_memory_type(const lane *l, tosajit_type element) {
    return element == TOSAJIT_I1 ? lane_int_type(l, 8) : lane_element_type(l, element);
}

LLVMValueRef lane_mask(const lane *l, LLVMValueRef left) {
    LLVMTypeRef i8 = LLVMInt8TypeInContext(l->context); /* comparing in bytes is one instruction for all lanes */
    LLVMValueRef numbers[LANE_MAX_MASK], all = LLVMConstInt(LLVMTypeOf(left), l->count, 0);
    for (unsigned k = 0; k < l->count; k++) numbers[k] = LLVMConstInt(i8, k, 0);
    LLVMValueRef bounded = lane_intrinsic(l, "llvm.umin", (LLVMValueRef[]){left, all}, 2);
    LLVMValueRef limit = lane_splat(l, LLVMBuildTrunc(l->builder, bounded, i8, ""));
    return lane_icmp(l, LLVMIntULT, LLVMConstVector(numbers, l->count), limit);
}

/* Before LLVM 22 the alignment was an operand after the pointer, now it is an attribute of the pointer. */
LLVMValueRef lane_masked_call(const lane *l, const char *name, LLVMTypeRef value, LLVMValueRef *operands, unsigned count, unsigned pointer,
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

LLVMValueRef lane_load(const lane *l, tosajit_type element, LLVMValueRef address, LLVMValueRef mask) {
    LLVMTypeRef type = lane_memory_type(l, element);
    LLVMValueRef value;
    if (mask) {
        value = lane_masked_call(l, "llvm.masked.load", type, (LLVMValueRef[]){address, mask, LLVMConstNull(type)}, 3, 0, ALIGNMENT);
    } else {
        value = LLVMBuildLoad2(l->builder, type, address, "");
        LLVMSetAlignment(value, ALIGNMENT);
    }
    return element == TOSAJIT_I1 ? lane_icmp(l, LLVMIntNE, value, lane_int_like(value, 0)) : value;
}

void lane_store(const lane *l, tosajit_type element, LLVMValueRef value, LLVMValueRef address, LLVMValueRef mask) {
    LLVMTypeRef type = lane_memory_type(l, element);
    if (element == TOSAJIT_I1) value = lane_zext(l, value, type);
    if (mask)
        lane_masked_call(l, "llvm.masked.store", type, (LLVMValueRef[]){value, address, mask}, 3, 1, ALIGNMENT);
    else
        LLVMSetAlignment(LLVMBuildStore(l->builder, value, address), ALIGNMENT);
}
