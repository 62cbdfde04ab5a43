/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lanes: thin, total wrappers over the LLVM IR builder. */
#include "jit/lane/lane.h"

#include <string.h>

LLVMTypeRef lane_vector(const lane *l, LLVMTypeRef element) {
    return l->count == 1 ? element : LLVMVectorType(element, l->count);
}
LLVMTypeRef lane_bool_type(const lane *l) {
    return lane_vector(l, LLVMInt1TypeInContext(l->context));
}
LLVMTypeRef lane_int_type(const lane *l, unsigned bits) {
    return lane_vector(l, LLVMIntTypeInContext(l->context, bits));
}
LLVMTypeRef lane_f32_type(const lane *l) {
    return lane_vector(l, LLVMFloatTypeInContext(l->context));
}
LLVMTypeRef lane_f64_type(const lane *l) {
    return lane_vector(l, LLVMDoubleTypeInContext(l->context));
}

LLVMTypeRef lane_element_type(const lane *l, tosajit_type element) {
    if (element == TOSAJIT_F32) return lane_f32_type(l);
    if (element == TOSAJIT_F64) return lane_f64_type(l);
    if (element == TOSAJIT_I1) return lane_bool_type(l);
    return lane_int_type(l, (unsigned)tosajit_type_size(element) * 8);
}

/* The element type of a vector type, a scalar type itself. */
static LLVMTypeRef scalar_type(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

unsigned lane_bits(LLVMValueRef value) {
    return LLVMGetIntTypeWidth(scalar_type(LLVMTypeOf(value)));
}

/* A constant of `type` with `scalar` in every lane. */
static LLVMValueRef splat_constant(LLVMTypeRef type, LLVMValueRef scalar) {
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return scalar;
    enum { MAX_LANES = 1024 };
    LLVMValueRef lanes[MAX_LANES];
    unsigned count = LLVMGetVectorSize(type);
    for (unsigned k = 0; k < count; k++) lanes[k] = scalar;
    return LLVMConstVector(lanes, count);
}

static LLVMValueRef int_constant(LLVMTypeRef type, int64_t value) {
    return splat_constant(type, LLVMConstInt(scalar_type(type), (unsigned long long)value, 1));
}

static LLVMValueRef real_constant(LLVMTypeRef type, double value) {
    return splat_constant(type, LLVMConstReal(scalar_type(type), value));
}

LLVMValueRef lane_int(const lane *l, unsigned bits, int64_t value) {
    return int_constant(lane_int_type(l, bits), value);
}
LLVMValueRef lane_f32(const lane *l, float value) {
    return real_constant(lane_f32_type(l), (double)value);
}
LLVMValueRef lane_f64(const lane *l, double value) {
    return real_constant(lane_f64_type(l), value);
}
LLVMValueRef lane_int_like(LLVMValueRef like, int64_t value) {
    return int_constant(LLVMTypeOf(like), value);
}
LLVMValueRef lane_real_like(LLVMValueRef like, double value) {
    return real_constant(LLVMTypeOf(like), value);
}

LLVMValueRef lane_splat(const lane *l, LLVMValueRef scalar) {
    if (l->count == 1) return scalar;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMValueRef poison = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(scalar), l->count));
    LLVMValueRef first =
        LLVMBuildInsertElement(l->builder, poison, scalar, LLVMConstInt(i32, 0, 0), "");
    return LLVMBuildShuffleVector(l->builder, first, poison,
                                  LLVMConstNull(LLVMVectorType(i32, l->count)), "");
}

LLVMValueRef lane_fadd(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFAdd(l->builder, a, b, "");
}
LLVMValueRef lane_fsub(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFSub(l->builder, a, b, "");
}
LLVMValueRef lane_fmul(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFMul(l->builder, a, b, "");
}
LLVMValueRef lane_fdiv(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFDiv(l->builder, a, b, "");
}
LLVMValueRef lane_fneg(const lane *l, LLVMValueRef a) { return LLVMBuildFNeg(l->builder, a, ""); }
LLVMValueRef lane_fabs(const lane *l, LLVMValueRef a) {
    return lane_intrinsic(l, "llvm.fabs", &a, 1);
}
LLVMValueRef lane_sqrt(const lane *l, LLVMValueRef a) {
    return lane_intrinsic(l, "llvm.sqrt", &a, 1);
}
LLVMValueRef lane_fcmp(const lane *l, LLVMRealPredicate predicate, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFCmp(l->builder, predicate, a, b, "");
}

LLVMValueRef lane_add(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildAdd(l->builder, a, b, "");
}
LLVMValueRef lane_sub(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSub(l->builder, a, b, "");
}
LLVMValueRef lane_mul(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildMul(l->builder, a, b, "");
}
LLVMValueRef lane_and(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildAnd(l->builder, a, b, "");
}
LLVMValueRef lane_or(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildOr(l->builder, a, b, "");
}
LLVMValueRef lane_xor(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildXor(l->builder, a, b, "");
}
LLVMValueRef lane_not(const lane *l, LLVMValueRef a) { return LLVMBuildNot(l->builder, a, ""); }
LLVMValueRef lane_shl(const lane *l, LLVMValueRef a, LLVMValueRef amount) {
    return LLVMBuildShl(l->builder, a, amount, "");
}
LLVMValueRef lane_lshr(const lane *l, LLVMValueRef a, LLVMValueRef amount) {
    return LLVMBuildLShr(l->builder, a, amount, "");
}
LLVMValueRef lane_ashr(const lane *l, LLVMValueRef a, LLVMValueRef amount) {
    return LLVMBuildAShr(l->builder, a, amount, "");
}
LLVMValueRef lane_icmp(const lane *l, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(l->builder, predicate, a, b, "");
}

LLVMValueRef lane_select(const lane *l, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(l->builder, condition, a, b, "");
}

LLVMValueRef lane_bitcast(const lane *l, LLVMValueRef a, LLVMTypeRef type) {
    return LLVMBuildBitCast(l->builder, a, type, "");
}
LLVMValueRef lane_sext(const lane *l, LLVMValueRef a, LLVMTypeRef type) {
    return LLVMBuildSExt(l->builder, a, type, "");
}
LLVMValueRef lane_zext(const lane *l, LLVMValueRef a, LLVMTypeRef type) {
    return LLVMBuildZExt(l->builder, a, type, "");
}
LLVMValueRef lane_trunc(const lane *l, LLVMValueRef a, LLVMTypeRef type) {
    return LLVMBuildTrunc(l->builder, a, type, "");
}
LLVMValueRef lane_fpext(const lane *l, LLVMValueRef a) {
    return LLVMBuildFPExt(l->builder, a, lane_f64_type(l), "");
}
LLVMValueRef lane_fptrunc(const lane *l, LLVMValueRef a) {
    return LLVMBuildFPTrunc(l->builder, a, lane_f32_type(l), "");
}
LLVMValueRef lane_sitofp(const lane *l, LLVMValueRef a, LLVMTypeRef type) {
    return LLVMBuildSIToFP(l->builder, a, type, "");
}
LLVMValueRef lane_uitofp(const lane *l, LLVMValueRef a, LLVMTypeRef type) {
    return LLVMBuildUIToFP(l->builder, a, type, "");
}

LLVMValueRef lane_intrinsic(const lane *l, const char *name, LLVMValueRef *operands,
                            unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->module, id, &type, 1);
    return LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, &type, 1), function,
                          operands, count, "");
}

/* a if it is larger (smaller), else b: of two zeros, and where one is NaN, the second. One
 * instruction of x86. */
static LLVMValueRef larger_or_second(const lane *l, LLVMRealPredicate larger, LLVMValueRef a,
                                     LLVMValueRef b) {
    return lane_select(l, lane_fcmp(l, larger, a, b), a, b);
}

static LLVMTypeRef bits_type(const lane *l, LLVMValueRef x) {
    return lane_int_type(l, LLVMTypeOf(x) == lane_f64_type(l) ? 64 : 32);
}

/* x and +0: +0 is no larger than -0 to the comparison, but adding it makes +0 of -0, and nothing of
 * all else. */
static LLVMValueRef maximum_and_zero(const lane *l, LLVMValueRef x, LLVMValueRef zero) {
    return lane_fadd(l, larger_or_second(l, LLVMRealOGT, zero, x), zero);
}

/* m and n are the same bits but where they are zeros of two signs or, in some order, NaN and
 * another value. Wanted is then +0 or NaN: the sign of (m and n), the other bits of (m or n). Or (m
 * or n) - (m xor n): +0 or -0 is subtracted, or something from NaN. */
static LLVMValueRef join_maxima(const lane *l, LLVMValueRef m, LLVMValueRef n) {
    LLVMTypeRef real = LLVMTypeOf(m), bits = bits_type(l, m);
    LLVMValueRef m_bits = lane_bitcast(l, m, bits), n_bits = lane_bitcast(l, n, bits);
    if (l->target->level->extremes == CPU_EXTREMES_SUBTRACT)
        return lane_fsub(l, lane_bitcast(l, lane_or(l, m_bits, n_bits), real),
                         lane_bitcast(l, lane_xor(l, m_bits, n_bits), real));
    LLVMValueRef below_sign = lane_lshr(l, lane_int_like(m_bits, -1), lane_int_like(m_bits, 1));
    LLVMValueRef without_sign = lane_or(l, m_bits, lane_and(l, n_bits, below_sign));
    return lane_bitcast(l, lane_and(l, without_sign, lane_or(l, n_bits, below_sign)), real);
}

static bool is_constant_zero(LLVMValueRef x) { return LLVMIsConstant(x) && LLVMIsNull(x); }

/* With a constant that is no zero, LLVM needs one instruction, or two. */
LLVMValueRef lane_maximum(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    bool native = l->target->level->extremes == CPU_EXTREMES_NATIVE;
    if (!native && is_constant_zero(a)) return maximum_and_zero(l, b, a);
    if (!native && is_constant_zero(b)) return maximum_and_zero(l, a, b);
    if (native || LLVMIsConstant(a) || LLVMIsConstant(b))
        return lane_intrinsic(l, "llvm.maximum", (LLVMValueRef[]){a, b}, 2);
    return join_maxima(l, larger_or_second(l, LLVMRealOGT, a, b),
                       larger_or_second(l, LLVMRealOGT, b, a));
}

/* Here (m or n) is right in both cases: -0 and NaN. A zero that is the first operand is right by
 * itself. */
LLVMValueRef lane_minimum(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    bool native = l->target->level->extremes == CPU_EXTREMES_NATIVE;
    if (!native && is_constant_zero(a)) return larger_or_second(l, LLVMRealOLT, a, b);
    if (!native && is_constant_zero(b)) return larger_or_second(l, LLVMRealOLT, b, a);
    if (native || LLVMIsConstant(a) || LLVMIsConstant(b))
        return lane_intrinsic(l, "llvm.minimum", (LLVMValueRef[]){a, b}, 2);
    LLVMTypeRef bits = bits_type(l, a);
    LLVMValueRef m = lane_bitcast(l, larger_or_second(l, LLVMRealOLT, a, b), bits);
    LLVMValueRef n = lane_bitcast(l, larger_or_second(l, LLVMRealOLT, b, a), bits);
    return lane_bitcast(l, lane_or(l, m, n), LLVMTypeOf(a));
}

LLVMValueRef lane_except(const lane *l, LLVMValueRef x, double input, double value,
                         LLVMValueRef result) {
    LLVMValueRef is_input = lane_fcmp(l, LLVMRealOEQ, x, lane_real_like(x, input));
    return lane_select(l, is_input, lane_real_like(result, value), result);
}

void lane_add_flag(LLVMValueRef function, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, 0));
}

/* Weights keep spills and block order in favour of the usual path. */
void lane_mark_unlikely(const lane *l, LLVMValueRef branch) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMMetadataRef weights[3] = {
        LLVMMDStringInContext2(l->context, "branch_weights", strlen("branch_weights")),
        LLVMValueAsMetadata(LLVMConstInt(i32, 1, 0)),
        LLVMValueAsMetadata(LLVMConstInt(i32, 1 << 20, 0))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(l->context, weights, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "prof", strlen("prof")),
                    LLVMMetadataAsValue(l->context, node));
}

lane_cold lane_cold_begin(const lane *l, LLVMValueRef condition) {
    lane_cold cold = {.before = LLVMGetInsertBlock(l->builder)};
    LLVMValueRef any =
        l->count == 1 ? condition : lane_intrinsic(l, "llvm.vector.reduce.or", &condition, 1);
    LLVMValueRef function = LLVMGetBasicBlockParent(cold.before);
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(l->context, function, "cold");
    cold.after = LLVMAppendBasicBlockInContext(l->context, function, "");
    lane_mark_unlikely(l, LLVMBuildCondBr(l->builder, any, first, cold.after));
    LLVMPositionBuilderAtEnd(l->builder, first);
    return cold;
}

void lane_cold_end(const lane *l, lane_cold *cold) {
    cold->last = LLVMGetInsertBlock(l->builder);
    LLVMBuildBr(l->builder, cold->after);
    LLVMPositionBuilderAtEnd(l->builder, cold->after);
}

LLVMValueRef lane_cold_merge(const lane *l, const lane_cold *cold, LLVMValueRef usual,
                             LLVMValueRef rare) {
    LLVMValueRef phi = LLVMBuildPhi(l->builder, LLVMTypeOf(usual), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){usual, rare},
                    (LLVMBasicBlockRef[]){cold->before, cold->last}, 2);
    return phi;
}

LLVMValueRef lane_pick(const lane *l, LLVMValueRef a, LLVMValueRef b, unsigned first,
                       unsigned count) {
    enum { MAX_LANES = 256 };
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMValueRef numbers[MAX_LANES];
    unsigned both = 2 * LLVMGetVectorSize(LLVMTypeOf(a));
    for (unsigned k = 0; k < count; k++)
        numbers[k] = first + k < both ? LLVMConstInt(i32, first + k, 0) : LLVMGetPoison(i32);
    return LLVMBuildShuffleVector(l->builder, a, b, LLVMConstVector(numbers, count), "");
}

LLVMValueRef lane_concat(const lane *l, LLVMValueRef *parts, unsigned count) {
    for (; count > 1; count /= 2)
        for (unsigned k = 0; k < count / 2; k++)
            parts[k] = lane_pick(l, parts[2 * k], parts[2 * k + 1], 0,
                                 2 * LLVMGetVectorSize(LLVMTypeOf(parts[2 * k])));
    return parts[0];
}

/* Without an instruction for vectors: the low halves' product, and above it the low halves of both
 * products of a low and a high half. */
LLVMValueRef lane_mul_i64(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    if (l->count == 1 || l->target->has_mul_i64) return lane_mul(l, a, b);
    LLVMTypeRef i32 = lane_int_type(l, 32), i64 = lane_int_type(l, 64);
    LLVMValueRef half = lane_int(l, 64, 32), a_low = lane_trunc(l, a, i32),
                 b_low = lane_trunc(l, b, i32);
    LLVMValueRef a_high = lane_trunc(l, lane_lshr(l, a, half), i32),
                 b_high = lane_trunc(l, lane_lshr(l, b, half), i32);
    LLVMValueRef cross = lane_add(l, lane_mul(l, a_low, b_high), lane_mul(l, a_high, b_low));
    LLVMValueRef low = lane_mul(l, lane_zext(l, a_low, i64), lane_zext(l, b_low, i64));
    return lane_add(l, low, lane_shl(l, lane_zext(l, cross, i64), half));
}

/* LLVM knows these four for what they are, and multiplies even and odd lanes where that is best. */
LLVMValueRef lane_mul_upper(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef i32 = lane_int_type(l, 32), i64 = lane_int_type(l, 64);
    LLVMValueRef product = lane_mul(l, lane_sext(l, a, i64), lane_sext(l, b, i64));
    return lane_trunc(l, lane_lshr(l, product, lane_int(l, 64, 32)), i32);
}

LLVMValueRef lane_clip(const lane *l, LLVMValueRef a, int64_t low, int64_t high) {
    LLVMValueRef raised =
        lane_intrinsic(l, "llvm.smax", (LLVMValueRef[]){a, lane_int_like(a, low)}, 2);
    return lane_intrinsic(l, "llvm.smin", (LLVMValueRef[]){raised, lane_int_like(a, high)}, 2);
}

LLVMValueRef lane_call(const lane *l, const char *name, LLVMValueRef *operands, unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    return LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, NULL, 0),
                          LLVMGetIntrinsicDeclaration(l->module, id, NULL, 0), operands, count, "");
}

/* Lanes width * k .. width * k + width - 1 of every operand; of fewer lanes, these as the first. */
static LLVMValueRef emit_part(const lane *whole, unsigned lanes, lane_part *emit,
                              const void *context, const LLVMValueRef *x, unsigned count,
                              unsigned k) {
    LLVMValueRef parts[LANE_MAX_PARTED];
    for (unsigned o = 0; o < count; o++)
        parts[o] = lanes == 1 ? lane_splat(whole, x[o])
                              : lane_pick(whole, x[o], x[o], whole->count * k, whole->count);
    return emit(whole, context, parts);
}

LLVMValueRef lane_in_parts(const lane *l, unsigned width, lane_part *emit, const void *context,
                           const LLVMValueRef *x, unsigned count) {
    enum { MOST_PARTS = 32 };
    LLVMValueRef values[MOST_PARTS];
    lane whole = *l;
    whole.count = width;
    const unsigned parts = l->count < width ? 1 : l->count / width;
    for (unsigned k = 0; k < parts; k++)
        values[k] = emit_part(&whole, l->count, emit, context, x, count, k);
    if (l->count == 1)
        return LLVMBuildExtractElement(l->builder, values[0],
                                       LLVMConstInt(LLVMInt32TypeInContext(l->context), 0, 0), "");
    return l->count < width ? lane_pick(l, values[0], values[0], 0, l->count)
                            : lane_concat(l, values, parts);
}
