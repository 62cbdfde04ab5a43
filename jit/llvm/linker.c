/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linker: LLJIT with its errors caught and its memory returned. */
#include "jit/llvm/linker.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

#include "jit/target/object.h"
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"

/* LLJIT reports the cause of a failed lookup here and returns only that it failed. Linking happens
 * on the thread that looks up, so the cause is the thread's. */
static _Thread_local char cause[512];

static void on_error(void *context, LLVMErrorRef error) {
    (void)context;
    char *message = LLVMGetErrorMessage(error);
    snprintf(cause, sizeof cause, "%s", message);
    LLVMDisposeErrorMessage(message);
}

static tosajit_status failed(const char *what, LLVMErrorRef error) {
    char *message = LLVMGetErrorMessage(error);
    diag_error(TOSAJIT_CODEGEN_FAILED, "%s: %s%s%s", what, message, *cause ? "; " : "", cause);
    LLVMDisposeErrorMessage(message);
    return TOSAJIT_CODEGEN_FAILED;
}

/* LLJIT is told what it links for. Left alone it looks at the machine, which on AArch64 ends in
 * words on standard error where there is no file descriptor for /proc/cpuinfo. It generates no code
 * here, so the architecture is enough. */
static LLVMOrcLLJITBuilderRef make_builder(const target *t) {
    const target plain = {.triple = t->triple, .cpu = "", .features = ""};
    LLVMTargetMachineRef machine = target_machine(&plain, LLVMCodeGenLevelNone);
    if (!machine) return NULL;
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    /* Takes it. */
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    return builder;
}

tosajit_status linker_create(linker *l, const target *t) {
    *cause = 0;
    atomic_init(&l->live, 0);
    atomic_init(&l->dead, 0);
    LLVMOrcLLJITBuilderRef builder = make_builder(t);
    if (!builder) return TOSAJIT_CODEGEN_FAILED;
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&l->jit, builder);
    if (error) {
        l->jit = NULL;
        return failed("LLJIT does not start", error);
    }
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(l->jit), on_error,
                                            NULL);
    return TOSAJIT_OK;
}

void linker_destroy(linker *l) {
    if (l->jit) LLVMConsumeError(LLVMOrcDisposeLLJIT(l->jit));
    l->jit = NULL;
}

/* By the address of its first function. */
static LLVMErrorRef find_image(const linker *l, const code_image *image, const char *name,
                               const unsigned char **bytes) {
    LLVMOrcExecutorAddress address;
    LLVMErrorRef error = LLVMOrcLLJITLookup(l->jit, &address, name);
    if (!error) *bytes = (const unsigned char *)(uintptr_t)(address - image->entries[0]);
    return error;
}

tosajit_status linker_add(linker *l, const code_image *image, char *const *names,
                          const tosajit_allocator *allocator, const unsigned char **bytes,
                          LLVMOrcResourceTrackerRef *tracker) {
    unsigned char *object;
    size_t size;
    tosajit_status status = object_write_image(image, names, allocator, &object, &size);
    if (status) return status;
    *cause = 0;
    /* The buffer's name is how LLVM's messages call the object. */
    LLVMMemoryBufferRef named =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)object, size, names[0]);
    memory_free(allocator, object, size, 1);
    atomic_fetch_add(&l->live, 1);
    *tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(l->jit));
    LLVMErrorRef error = LLVMOrcLLJITAddObjectFileWithRT(l->jit, *tracker, named);
    if (!error) error = find_image(l, image, names[0], bytes);
    if (!error) return TOSAJIT_OK;
    status = failed("linking the generated code failed", error);
    linker_remove(l, *tracker); /* or the names would stay taken */
    *tracker = NULL;
    return status;
}

/* LLVM drops the names that nobody uses any more by a walk over all of them. One is made for as
 * many releases as there are kernels: with a walk each, releasing 20,000 kernels took 82 us for
 * each, and takes 10. */
enum { FEW_NAMES = 32 };

void linker_remove(linker *l, LLVMOrcResourceTrackerRef tracker) {
    LLVMConsumeError(LLVMOrcResourceTrackerRemove(tracker));
    LLVMOrcReleaseResourceTracker(tracker);
    const size_t live = atomic_fetch_sub(&l->live, 1), dead = atomic_fetch_add(&l->dead, 1);
    if (dead < FEW_NAMES || dead < live) return;
    atomic_store(&l->dead, 0);
    LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(l->jit);
    LLVMOrcSymbolStringPoolClearDeadEntries(LLVMOrcExecutionSessionGetSymbolStringPool(session));
}
