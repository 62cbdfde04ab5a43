/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MLIR in this process: an op as TOSA, lowered by MLIR's own passes to vectors of 16 and to LLVM,
 * and compiled by its execution engine at -O3 for this machine. Static sizes, memory that is said
 * not to overlap. */
#include <math.h>
#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/IR.h>
#include <mlir-c/Pass.h>
#include <mlir-c/RegisterEverything.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/external.h"

static const char pipeline[] =
    "func.func(tosa-to-linalg),canonicalize,func.func(linalg-fuse-elementwise-ops),eliminate-empty-"
    "tensors,"
    "one-shot-bufferize{bufferize-function-boundaries},canonicalize,"
    "func.func(convert-linalg-to-affine-loops,affine-super-vectorize{virtual-vector-size=16},"
    "convert-vector-to-scf),canonicalize,cse,expand-strided-metadata,lower-affine,convert-scf-to-"
    "cf,"
    "finalize-memref-to-llvm,convert-vector-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-"
    "conv=1},"
    "convert-cf-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-ub-to-llvm,"
    "reconcile-unrealized-casts";

/* Ops of two f32 operands. */
static const char *const names[TOSAJIT_OP_COUNT] = {
    [TOSAJIT_OP_add] = "tosa.add",         [TOSAJIT_OP_sub] = "tosa.sub",
    [TOSAJIT_OP_mul] = "tosa.mul",         [TOSAJIT_OP_maximum] = "tosa.maximum",
    [TOSAJIT_OP_minimum] = "tosa.minimum",
};

typedef struct prepared {
    MlirExecutionEngine engine;
    void (*function)(void **arguments);
    void *pointers[3], *arguments[3]; /* each argument is the address of a pointer */
} prepared;

/* State that all functions share; it lasts as long as one of them. */
static MlirContext context;
static size_t users;

static MlirStringRef text_of(const char *text) { return mlirStringRefCreateFromCString(text); }

static void ignore(MlirStringRef text, void *unused) { (void)text, (void)unused; }

static void need_context(void) {
    static bool registered;
    if (users++) return;
    if (!registered) mlirRegisterAllPasses();
    registered = true;
    MlirDialectRegistry registry = mlirDialectRegistryCreate();
    mlirRegisterAllDialects(registry);
    context = mlirContextCreateWithThreading(false);
    mlirContextAppendDialectRegistry(context, registry);
    mlirDialectRegistryDestroy(registry);
    mlirRegisterAllLLVMTranslations(context);
    mlirContextLoadAllAvailableDialects(context);
}

static void drop_context(void) {
    if (--users == 0) mlirContextDestroy(context);
}

static bool supports(const external_request *r) {
    return r->function == EXTERNAL_OP && r->operand_count == 2 && names[r->op] &&
           !isfinite(r->low) && !isfinite(r->high);
}

/* @f of three memrefs. */
static void write_module(const external_request *r, char *text, size_t capacity) {
    char types[3][64];
    for (int k = 0; k < 3; k++) {
        size_t used = 0;
        for (int32_t d = 0; d < r->rank; d++)
            used += (size_t)snprintf(types[k] + used, 64 - used, "%lldx", (long long)r->dims[k][d]);
        snprintf(types[k] + used, 64 - used, "f32");
    }
    const char *a = types[0], *b = types[1], *to = types[2];
    const bool mul = r->op == TOSAJIT_OP_mul;
    snprintf(
        text, capacity,
        "func.func @f(%%a: memref<%s> {llvm.noalias}, %%b: memref<%s> {llvm.noalias}, %%to: "
        "memref<%s> {llvm.noalias}) {\n"
        "  %%x = bufferization.to_tensor %%a restrict : memref<%s> to tensor<%s>\n"
        "  %%y = bufferization.to_tensor %%b restrict : memref<%s> to tensor<%s>\n"
        "  %s\n"
        "  %%r = %s %%x, %%y%s : (tensor<%s>, tensor<%s>%s) -> tensor<%s>\n"
        "  bufferization.materialize_in_destination %%r in restrict writable %%to : (tensor<%s>, "
        "memref<%s>) -> ()\n"
        "  return\n}\n",
        a, b, to, a, a, b, b,
        mul ? "%shift = \"tosa.const\"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>"
            : "",
        names[r->op], mul ? ", %shift" : "", a, b, mul ? ", tensor<1xi8>" : "", to, to, to);
}

static bool lower(MlirModule module) {
    MlirPassManager passes = mlirPassManagerCreate(context);
    MlirOpPassManager all = mlirPassManagerGetAsOpPassManager(passes);
    bool done =
        mlirLogicalResultIsSuccess(
            mlirOpPassManagerAddPipeline(all, text_of(pipeline), ignore, NULL)) &&
        mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module)));
    mlirPassManagerDestroy(passes);
    return done;
}

static bool compile(const external_request *r, prepared *p) {
    char text[2048];
    write_module(r, text, sizeof text);
    MlirModule module = mlirModuleCreateParse(context, text_of(text));
    if (mlirModuleIsNull(module)) return false;
    if (lower(module)) p->engine = mlirExecutionEngineCreate(module, 3, 0, NULL, false, false);
    mlirModuleDestroy(module);
    if (mlirExecutionEngineIsNull(p->engine)) return false;
    mlirExecutionEngineInitialize(p->engine);
    void *found = mlirExecutionEngineLookupPacked(p->engine, text_of("f"));
    memcpy(&p->function, &found, sizeof found); /* C has no cast from data to a function */
    return found != NULL;
}

static void destroy(void *operator) {
    prepared *p = operator;
    if (!mlirExecutionEngineIsNull(p->engine)) mlirExecutionEngineDestroy(p->engine);
    free(p);
    drop_context();
}

static void *create(const external_request *r) {
    prepared *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    need_context();
    for (int k = 0; k < 3; k++) {
        p->pointers[k] = r->pointers[k];
        p->arguments[k] = &p->pointers[k];
    }
    if (supports(r) && compile(r, p)) return p;
    destroy(p);
    return NULL;
}

static void run(void *operator) {
    prepared *p = operator;
    p->function(p->arguments);
}

const external external_mlir = {"mlir", true, supports, create, NULL, run, destroy, true};
