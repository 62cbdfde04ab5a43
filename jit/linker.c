/* Linker: LLJIT with its errors caught and its memory returned. */
#define _DEFAULT_SOURCE
#include "jit/linker.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/diag.h"

/* LLJIT reports the cause of a failed lookup here and returns only that it failed. Linking happens on the thread that looks
 * up, so the cause is the thread's. */
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

tosajit_status linker_probe(void) {
    enum { PAGE = 4096 };
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a page of code");
    int refused = mprotect(page, PAGE, PROT_READ | PROT_EXEC);
    munmap(page, PAGE);
    return refused ? diag_error(TOSAJIT_NOT_EXECUTABLE, "this system refuses executable memory to the process") : TOSAJIT_OK;
}

tosajit_status linker_create(linker *l) {
    *cause = 0;
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&l->jit, NULL);
    if (error) {
        l->jit = NULL;
        return failed("LLJIT does not start", error);
    }
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(l->jit), on_error, NULL);
    return TOSAJIT_OK;
}

void linker_destroy(linker *l) {
    if (l->jit) LLVMConsumeError(LLVMOrcDisposeLLJIT(l->jit));
    l->jit = NULL;
}

static LLVMErrorRef find_entries(const linker *l, char *const *functions, int32_t count, tosajit_entry *entries) {
    for (int32_t k = 0; k < count; k++) {
        LLVMOrcExecutorAddress address;
        LLVMErrorRef error = LLVMOrcLLJITLookup(l->jit, &address, functions[k]);
        if (error) return error;
        memcpy(&entries[k], &address, sizeof address); /* C has no cast from an integer to a function */
    }
    return NULL;
}

tosajit_status linker_add(linker *l, const char *name, LLVMMemoryBufferRef object, char *const *functions, int32_t count,
                          tosajit_entry *entries, LLVMOrcResourceTrackerRef *tracker) {
    *cause = 0;
    /* The buffer's name is how LLVM's messages call the object. */
    LLVMMemoryBufferRef named = LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(object), LLVMGetBufferSize(object), name);
    *tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(l->jit));
    LLVMErrorRef error = LLVMOrcLLJITAddObjectFileWithRT(l->jit, *tracker, named);
    if (!error) error = find_entries(l, functions, count, entries);
    if (!error) return TOSAJIT_OK;
    tosajit_status status = failed("linking the generated code failed", error);
    linker_remove(l, *tracker); /* or the names would stay taken */
    *tracker = NULL;
    return status;
}

void linker_remove(linker *l, LLVMOrcResourceTrackerRef tracker) {
    LLVMConsumeError(LLVMOrcResourceTrackerRemove(tracker));
    LLVMOrcReleaseResourceTracker(tracker);
    LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(l->jit);
    LLVMOrcSymbolStringPoolClearDeadEntries(LLVMOrcExecutionSessionGetSymbolStringPool(session));
}
