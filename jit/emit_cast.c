/* The emitter of cast. To integer: nearest even, saturating, NaN gives 0. Between integers: low bits, or extension. */
#include "jit/emit.h"

static LLVMValueRef float_to_int(const lane *l, LLVMValueRef x, LLVMTypeRef target) {
    LLVMValueRef rounded = lane_intrinsic(l, "llvm.roundeven", &x, 1);
    LLVMTypeRef types[2] = {target, LLVMTypeOf(x)};
    unsigned id = LLVMLookupIntrinsicID("llvm.fptosi.sat", sizeof "llvm.fptosi.sat" - 1);
    return LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, types, 2), LLVMGetIntrinsicDeclaration(l->module, id, types, 2),
                          &rounded, 1, "");
}

LLVMValueRef emit_cast(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMTypeRef target = lane_element_type(l, op->result);
    if (op->operand == TOSAJIT_F32)
        return op->result == TOSAJIT_I1 ? lane_fcmp(l, LLVMRealUNE, x[0], lane_real_like(x[0], 0.0)) : float_to_int(l, x[0], target);
    int is_unsigned = op->operand == TOSAJIT_I1 || op->attributes->input_unsigned;
    if (op->result == TOSAJIT_F32) return is_unsigned ? lane_uitofp(l, x[0], target) : lane_sitofp(l, x[0], target);
    if (op->result == TOSAJIT_I1) return lane_icmp(l, LLVMIntNE, x[0], lane_int_like(x[0], 0));
    if (lane_bits(x[0]) > (unsigned)tosajit_type_size(op->result) * 8) return lane_trunc(l, x[0], target);
    return is_unsigned ? lane_zext(l, x[0], target) : lane_sext(l, x[0], target);
}
