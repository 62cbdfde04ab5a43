/* Lanes in memory: loads and stores, whole or masked, of elements at any address. */
#include "jit/lane.h"

#include <string.h>

enum { ALIGNMENT = 1 }; /* of every access: views at any address are legal operands, and unaligned instructions cost the same */

LLVMTypeRef lane_memory_type(const lane *l, tosajit_type element) {
    return element == TOSAJIT_I1 ? lane_int_type(l, 8) : lane_element_type(l, element);
}

LLVMValueRef lane_mask(const lane *l, LLVMValueRef left) {
    enum { MAX_LANES = 64 }; /* comparing in bytes is one instruction for all of them */
    LLVMTypeRef i8 = LLVMInt8TypeInContext(l->context);
    LLVMValueRef numbers[MAX_LANES], all = LLVMConstInt(LLVMTypeOf(left), l->count, 0);
    for (unsigned k = 0; k < l->count; k++) numbers[k] = LLVMConstInt(i8, k, 0);
    LLVMValueRef bounded = lane_intrinsic(l, "llvm.umin", (LLVMValueRef[]){left, all}, 2);
    LLVMValueRef limit = lane_splat(l, LLVMBuildTrunc(l->builder, bounded, i8, ""));
    return lane_icmp(l, LLVMIntULT, LLVMConstVector(numbers, l->count), limit);
}

static LLVMValueRef masked_call(const lane *l, const char *name, LLVMTypeRef value, LLVMValueRef *operands, unsigned count,
                                unsigned pointer) {
    LLVMTypeRef types[2] = {value, LLVMTypeOf(operands[pointer])};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef declaration = LLVMGetIntrinsicDeclaration(l->module, id, types, 2);
    LLVMValueRef call = LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, types, 2), declaration, operands, count, "");
    LLVMSetInstrParamAlignment(call, pointer + 1, ALIGNMENT);
    return call;
}

LLVMValueRef lane_load(const lane *l, tosajit_type element, LLVMValueRef address, LLVMValueRef mask) {
    LLVMTypeRef type = lane_memory_type(l, element);
    LLVMValueRef value;
    if (mask) {
        value = masked_call(l, "llvm.masked.load", type, (LLVMValueRef[]){address, mask, LLVMConstNull(type)}, 3, 0);
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
        masked_call(l, "llvm.masked.store", type, (LLVMValueRef[]){value, address, mask}, 3, 1);
    else
        LLVMSetAlignment(LLVMBuildStore(l->builder, value, address), ALIGNMENT);
}
