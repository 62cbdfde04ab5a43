/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The peer for compile time: text to IR, O3, an object, a linked function. In: a computation of two
 * values. Out: the function, held by its resource tracker. */
#include "bench/peer_llvm.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct peer_jit {
    LLVMOrcLLJITRef jit;
    LLVMTargetMachineRef machine;
    char *triple, *cpu, *features;
    unsigned count; /* functions so far: their names differ */
};

struct peer_function {
    LLVMOrcResourceTrackerRef tracker;
};

static const char source[] = "declare float @llvm.fabs.f32(float)\n"
                             "declare float @llvm.exp.f32(float)\n"
                             "declare float @llvm.maximum.f32(float, float)\n"
                             "declare float @llvm.minimum.f32(float, float)\n"
                             "define void @f%u(ptr noalias %%a, ptr noalias %%b, ptr noalias %%r, "
                             "i64 %%n) nounwind \"target-cpu\"=\"%s\" "
                             "\"target-features\"=\"%s\" \"prefer-vector-width\"=\"512\" {\n"
                             "entry:\n"
                             "  %%any = icmp sgt i64 %%n, 0\n"
                             "  br i1 %%any, label %%loop, label %%end\n"
                             "loop:\n"
                             "  %%k = phi i64 [ 0, %%entry ], [ %%next, %%loop ]\n"
                             "  %%pa = getelementptr float, ptr %%a, i64 %%k\n"
                             "  %%pb = getelementptr float, ptr %%b, i64 %%k\n"
                             "  %%pr = getelementptr float, ptr %%r, i64 %%k\n"
                             "  %%x = load float, ptr %%pa\n"
                             "  %%y = load float, ptr %%pb\n"
                             "%s"
                             "  store float %%v, ptr %%pr\n"
                             "  %%next = add nsw i64 %%k, 1\n"
                             "  %%more = icmp slt i64 %%next, %%n\n"
                             "  br i1 %%more, label %%loop, label %%end\n"
                             "end:\n"
                             "  ret void\n"
                             "}\n";

peer_jit *peer_jit_create(void) {
    peer_jit *jit = calloc(1, sizeof *jit);
    LLVMTargetRef target;
    char *message = NULL;
    if (!jit || LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) goto failed;
    jit->triple = LLVMGetDefaultTargetTriple();
    jit->cpu = LLVMGetHostCPUName();
    jit->features = LLVMGetHostCPUFeatures();
    if (LLVMGetTargetFromTriple(jit->triple, &target, &message)) goto failed;
    jit->machine =
        LLVMCreateTargetMachine(target, jit->triple, jit->cpu, jit->features,
                                LLVMCodeGenLevelAggressive, LLVMRelocPIC, LLVMCodeModelJITDefault);
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit->jit, NULL);
    if (!error) return jit;
    jit->jit = NULL;
    LLVMConsumeError(error);
failed:
    LLVMDisposeMessage(message);
    peer_jit_destroy(jit);
    return NULL;
}

void peer_jit_destroy(peer_jit *jit) {
    if (!jit) return;
    if (jit->jit) LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->jit));
    if (jit->machine) LLVMDisposeTargetMachine(jit->machine);
    LLVMDisposeMessage(jit->triple);
    LLVMDisposeMessage(jit->cpu);
    LLVMDisposeMessage(jit->features);
    free(jit);
}

static LLVMModuleRef parse(peer_jit *jit, LLVMContextRef context, const char *computation) {
    size_t capacity =
        sizeof source + strlen(jit->cpu) + strlen(jit->features) + strlen(computation) + 16;
    char *text = malloc(capacity), *message = NULL;
    if (!text) return NULL;
    int length = snprintf(text, capacity, source, jit->count, jit->cpu, jit->features, computation);
    LLVMModuleRef module = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)length, "peer");
    if (LLVMParseIRInContext(context, buffer, &module, &message))
        fprintf(stderr, "peer: %s\n", message);
    LLVMDisposeMessage(message);
    free(text);
    return module;
}

static LLVMMemoryBufferRef generate(peer_jit *jit, LLVMModuleRef module) {
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(jit->machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(module, jit->triple);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, "default<O3>", jit->machine, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    if (error)
        LLVMConsumeError(error);
    else
        LLVMTargetMachineEmitToMemoryBuffer(jit->machine, module, LLVMObjectFile, &message,
                                            &object);
    LLVMDisposeMessage(message);
    return object;
}

/* Takes the object. */
static peer_function *link_object(peer_jit *jit, LLVMMemoryBufferRef object) {
    peer_function *f = malloc(sizeof *f);
    char name[16];
    snprintf(name, sizeof name, "f%u", jit->count);
    if (!f) {
        LLVMDisposeMemoryBuffer(object);
        return NULL;
    }
    f->tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit->jit));
    LLVMOrcExecutorAddress address;
    LLVMErrorRef error = LLVMOrcLLJITAddObjectFileWithRT(jit->jit, f->tracker, object);
    if (!error) error = LLVMOrcLLJITLookup(jit->jit, &address, name);
    if (!error) return f;
    LLVMConsumeError(error);
    peer_jit_release(jit, f);
    return NULL;
}

peer_function *peer_jit_compile(peer_jit *jit, const char *computation) {
    jit->count++;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(jit, context, computation);
    LLVMMemoryBufferRef object = module ? generate(jit, module) : NULL;
    if (module) LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return object ? link_object(jit, object) : NULL;
}

void peer_jit_release(peer_jit *jit, peer_function *f) {
    (void)jit;
    if (!f) return;
    LLVMConsumeError(LLVMOrcResourceTrackerRemove(f->tracker));
    LLVMOrcReleaseResourceTracker(f->tracker);
    free(f);
}
