/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions apart: cold code, which each loop calls. Scalar ones lane by lane, where vectors would
 * be long; others a vector at a time. */
#include "jit/lane/lane.h"

enum { MAX_PARAMETERS = 2 };

/* Made once per module. */
static LLVMValueRef scalar_function(const lane *l, const lane_scalar_function *f,
                                    LLVMTypeRef element, LLVMTypeRef *type) {
    LLVMTypeRef result =
        f->is_double ? LLVMDoubleTypeInContext(l->context) : LLVMFloatTypeInContext(l->context);
    *type = LLVMFunctionType(result, (LLVMTypeRef[MAX_PARAMETERS]){element, element},
                             (unsigned)f->parameters, 0);
    LLVMValueRef function = LLVMGetNamedFunction(l->module, f->name), x[MAX_PARAMETERS];
    if (function) return function;
    function = LLVMAddFunction(l->module, f->name, *type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    lane_add_flag(function, "noinline");
    lane_add_flag(function, "optnone"); /* run so seldom that compiling it counts more */
    lane scalar = {.context = l->context, .module = l->module, .target = l->target, .count = 1};
    scalar.builder = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(scalar.builder,
                             LLVMAppendBasicBlockInContext(l->context, function, ""));
    LLVMGetParams(function, x);
    LLVMBuildRet(scalar.builder, f->body(&scalar, x));
    LLVMDisposeBuilder(scalar.builder);
    return function;
}

/* Memory for a value of each lane; in the entry block, so that loops do not grow the stack. */
static LLVMValueRef lane_buffer(const lane *l, LLVMTypeRef element) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder),
                      entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(here));
    LLVMPositionBuilderBefore(l->builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef buffer = LLVMBuildAlloca(l->builder, lane_vector(l, element), "lanes");
    LLVMPositionBuilderAtEnd(l->builder, here);
    return buffer;
}

static LLVMValueRef entry_of(const lane *l, LLVMTypeRef element, LLVMValueRef buffer,
                             LLVMValueRef k) {
    return LLVMBuildInBoundsGEP2(l->builder, element, buffer, &k, 1, "");
}

LLVMValueRef lane_each(const lane *l, const lane_scalar_function *f, const LLVMValueRef *x) {
    LLVMTypeRef type, i64 = LLVMInt64TypeInContext(l->context), given = LLVMTypeOf(x[0]),
                      element = l->count == 1 ? given : LLVMGetElementType(given);
    LLVMValueRef function = scalar_function(l, f, element, &type), operands[MAX_PARAMETERS],
                 buffers[MAX_PARAMETERS];
    const unsigned parameters = (unsigned)f->parameters;
    for (unsigned o = 0; o < parameters; o++) operands[o] = x[o];
    if (l->count == 1) return LLVMBuildCall2(l->builder, type, function, operands, parameters, "");
    LLVMTypeRef result = LLVMGetReturnType(type);
    LLVMValueRef results = lane_buffer(l, result);
    for (unsigned o = 0; o < parameters; o++)
        LLVMBuildStore(l->builder, x[o], buffers[o] = lane_buffer(l, element));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
    LLVMValueRef parent = LLVMGetBasicBlockParent(before);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(l->context, parent, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(l->context, parent, "");
    LLVMBuildBr(l->builder, loop);
    LLVMPositionBuilderAtEnd(l->builder, loop);
    LLVMValueRef k = LLVMBuildPhi(l->builder, i64, "");
    for (unsigned o = 0; o < parameters; o++)
        operands[o] = LLVMBuildLoad2(l->builder, element, entry_of(l, element, buffers[o], k), "");
    LLVMBuildStore(l->builder, LLVMBuildCall2(l->builder, type, function, operands, parameters, ""),
                   entry_of(l, result, results, k));
    LLVMValueRef next = LLVMBuildAdd(l->builder, k, LLVMConstInt(i64, 1, 0), "");
    LLVMAddIncoming(k, (LLVMValueRef[]){LLVMConstInt(i64, 0, 0), next},
                    (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMValueRef more =
        LLVMBuildICmp(l->builder, LLVMIntNE, next, LLVMConstInt(i64, l->count, 0), "");
    LLVMBuildCondBr(l->builder, more, loop, done);
    LLVMPositionBuilderAtEnd(l->builder, done);
    return LLVMBuildLoad2(l->builder, lane_vector(l, result), results, "");
}

LLVMValueRef lane_open_function(const lane *l, const char *name, LLVMTypeRef type, lane *inside) {
    LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
    inside->builder = NULL;
    if (function) return function;
    function = LLVMAddFunction(l->module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    lane_add_flag(function, "noinline");
    *inside = *l;
    inside->builder = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(inside->builder,
                             LLVMAppendBasicBlockInContext(l->context, function, ""));
    return function;
}

void lane_close_function(lane *inside, LLVMValueRef result) {
    LLVMBuildRet(inside->builder, result);
    LLVMDisposeBuilder(inside->builder);
}

/* With AVX a function of vectors keeps the upper half of the registers, as OpenCL's convention has
 * it. By C's convention it keeps none, and loops would keep sums and constants in memory. */
static unsigned vector_convention(const lane *l) {
    return l->target->level->vector_bytes > 16 ? LLVMIntelOCLBICallConv : LLVMCCallConv;
}

static LLVMValueRef apart_part(const lane *l, const void *context, const LLVMValueRef *x) {
    const lane_vector_function *f = context;
    LLVMTypeRef value = LLVMTypeOf(x[0]), types[LANE_MAX_PARTED] = {value, value, value},
                type = LLVMFunctionType(value, types, f->parameters, 0);
    LLVMValueRef any[LANE_MAX_PARTED];
    lane inside;
    LLVMValueRef function = lane_open_function(l, f->name, type, &inside);
    if (inside.builder) {
        lane_add_flag(function, "optnone"); /* as above */
        LLVMSetFunctionCallConv(function, vector_convention(l));
        LLVMGetParams(function, any);
        lane_close_function(&inside, f->body(&inside, any));
    }
    /* Lanes that fill up a vector have no value, which a branch must not depend on. */
    for (unsigned o = 0; o < f->parameters; o++) any[o] = LLVMBuildFreeze(l->builder, x[o], "");
    LLVMValueRef call = LLVMBuildCall2(l->builder, type, function, any, f->parameters, "");
    LLVMSetInstructionCallConv(call, vector_convention(l));
    return call;
}

LLVMValueRef lane_apart(const lane *l, const lane_vector_function *f, const LLVMValueRef *x) {
    const unsigned bytes = LLVMTypeOf(x[0]) == lane_f64_type(l) ? 8 : 4;
    return lane_in_parts(l, l->target->level->vector_bytes / bytes, apart_part, f, x,
                         f->parameters);
}
