/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Codegen: the few steps that are LLVM's. The IR is already in vectors, so three cheap passes do;
 * loop passes would cost forty times their compile time and find nothing. */
#include "jit/llvm/codegen.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

#include "jit/emit/kernel.h"
#include "runtime/base/diag.h"
#include "runtime/system/system.h"

/* Where the first of these leaves something to itself, LLVM would end the process, unless told. */
static const char passes[] = "function(instcombine<no-verify-fixpoint>,early-cse,simplifycfg)";

double codegen_clock(void) { return (double)system_clock() * 1e-6; }

/* Errors that LLVM reports while it generates code; without a handler an error would end the
 * process. */
typedef struct failure {
    tosajit_status status;
    char text[256];
} failure;

/* An error, or the warning that a function's frame exceeds the limit that emit_kernel has set.
 * LLVM's C API tells the severity and the text of a diagnostic and not its kind, so the text
 * decides. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context) {
    failure *f = context;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    char *text = LLVMGetDiagInfoDescription(info);
    bool large = severity == LLVMDSWarning && strstr(text, "stack frame size");
    if (!f->status && (large || severity == LLVMDSError)) {
        f->status = large ? TOSAJIT_LIMIT_EXCEEDED : TOSAJIT_CODEGEN_FAILED;
        snprintf(f->text, sizeof f->text, "%s", text);
    }
    LLVMDisposeMessage(text);
}

/* LLVM's scheduler, its register allocator and the search for equal loads take more than linear
 * time in the length of a block. From QUICK_INSTRUCTIONS on code is generated without the first
 * two, which takes a tenth to a thirtieth. The quick register allocator may spill more than the
 * stack has room for; up to SLOW_INSTRUCTIONS it is then done well, in some seconds, if there is
 * memory for that: what the first attempt took is not all given back. More would take many, and
 * precompiled ops answer at once, which compute a chain of functions as fast. Beyond
 * EMIT_MAX_INSTRUCTIONS the third alone would take many. */
enum { QUICK_INSTRUCTIONS = 4000, SLOW_INSTRUCTIONS = 12000 };

/* LLVM ends the process when memory is out, so what a module will take is asked of the system
 * first, and given back. That is exact where address space is limited (setrlimit, overcommit
 * switched off) and no other thread takes it meanwhile; a container's limit shows only when pages
 * are touched. A node takes memory of its own, and that of the instructions it is emitted as, in
 * every loop of every part: EMITTED each of 170 bytes, while there may be more. Code generation
 * takes 2 to 7.8 KiB for each: most where one instruction of the IR becomes many, as a division of
 * i64 does; the quick one up to 4.9. */
enum {
    RESERVE_BASE = 4 << 20,
    RESERVE_PER_NODE = 1 << 10,
    RESERVE_PER_EMITTED = 256,
    RESERVE_PER_INSTRUCTION = 8 << 10,
    RESERVE_PER_QUICK = 6 << 10,
};

static tosajit_status reserve(size_t bytes) {
    const size_t size = RESERVE_BASE + bytes;
    if (system_has_memory(size)) return TOSAJIT_OK;
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory: compiling would take up to %zu MiB",
                      size >> 20);
}

tosajit_status codegen_reserve(const compiler_batch *batch) {
    size_t nodes = 0, emitted = 0;
    for (size_t k = 0; k < batch->count; k++) {
        nodes += batch->inputs[k].program->count;
        emitted += emit_most(batch->inputs[k].program, batch->inputs[k].plan);
    }
    if (emitted > EMIT_MAX_INSTRUCTIONS) emitted = EMIT_MAX_INSTRUCTIONS;
    return reserve(nodes * RESERVE_PER_NODE + emitted * RESERVE_PER_EMITTED);
}

static size_t module_length(LLVMModuleRef module) {
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                count++;
    return count;
}

static tosajit_status verify(LLVMModuleRef module) {
    char *message = NULL;
    tosajit_status status = TOSAJIT_OK;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        status = diag_error(TOSAJIT_CODEGEN_FAILED, "the emitted IR is malformed: %s", message);
    LLVMDisposeMessage(message);
    return status;
}

static tosajit_status run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) return TOSAJIT_OK;
    char *message = LLVMGetErrorMessage(error);
    diag_error(TOSAJIT_CODEGEN_FAILED, "LLVM's passes failed: %s", message);
    LLVMDisposeErrorMessage(message);
    return TOSAJIT_CODEGEN_FAILED;
}

static void set_target(LLVMModuleRef module, const target *t, LLVMTargetMachineRef machine) {
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(module, t->triple);
}

/* So that the code of one kernel can be taken out of the object. */
static void set_sections(LLVMModuleRef module, char *const *names, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        char section[128];
        snprintf(section, sizeof section, ".text.%s", names[k]);
        LLVMSetSection(LLVMGetNamedFunction(module, names[k]), section);
    }
}

static tosajit_status emit_all(const compiler_batch *batch, const target *t, LLVMModuleRef module) {
    tosajit_status status = TOSAJIT_OK;
    size_t left = EMIT_MAX_INSTRUCTIONS + 1;
    for (size_t k = 0; !status && k < batch->count; k++) {
        const compiler_input *i = &batch->inputs[k];
        status = emit_kernel(i->program, i->plan, t, module, i->names, &left);
        if (!status && batch->count > 1) set_sections(module, i->names, i->plan->part_count);
    }
    return status;
}

tosajit_status codegen_create(const compiler_batch *batch, const target *t,
                              LLVMTargetMachineRef machine, tosajit_kernel_info *info, codegen *c) {
    double start = codegen_clock();
    c->target = t;
    c->context = LLVMContextCreate();
    c->module = LLVMModuleCreateWithNameInContext(batch->inputs[0].names[0], c->context);
    set_target(c->module, t, machine);
    tosajit_status status = emit_all(batch, t, c->module);
    const size_t length = module_length(c->module);
    /* A batch is long by the number of its kernels. */
    c->is_optnone = batch->count == 1 && length > QUICK_INSTRUCTIONS;
    c->is_slow = !c->is_optnone || length <= SLOW_INSTRUCTIONS;
    c->bytes = length * RESERVE_PER_INSTRUCTION;
    if (!status) status = reserve(c->is_optnone ? length * RESERVE_PER_QUICK : c->bytes);
    if (!status) status = verify(c->module);
    double emitted = codegen_clock();
    if (!status) status = run_passes(c->module, machine);
    info->emit_ms = emitted - start;
    info->passes_ms = codegen_clock() - emitted;
    if (status) codegen_destroy(c);
    return status;
}

void codegen_destroy(codegen *c) {
    LLVMDisposeModule(c->module);
    LLVMContextDispose(c->context);
    *c = (codegen){0};
}

static tosajit_status emit(const codegen *c, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                           LLVMMemoryBufferRef *buffer) {
    failure f = {0};
    char *message = NULL;
    LLVMContextSetDiagnosticHandler(c->context, on_diagnostic, &f);
    bool failed = LLVMTargetMachineEmitToMemoryBuffer(machine, c->module, type, &message, buffer);
    LLVMContextSetDiagnosticHandler(c->context, NULL, NULL);
    tosajit_status status = f.status;
    if (status == TOSAJIT_LIMIT_EXCEEDED)
        diag_error(
            status,
            "the expression keeps too many values at once for the stack of a kernel's own code: %s",
            f.text);
    else if (failed || status)
        status = diag_error(TOSAJIT_CODEGEN_FAILED, "LLVM generated no code: %s",
                            status    ? f.text
                            : message ? message
                                      : "no reason given");
    if (status && !failed) LLVMDisposeMemoryBuffer(*buffer);
    LLVMDisposeMessage(message);
    return status;
}

static tosajit_status emit_quickly(const codegen *c, LLVMCodeGenFileType type,
                                   LLVMMemoryBufferRef *buffer) {
    LLVMTargetMachineRef machine = target_machine(c->target, LLVMCodeGenLevelNone);
    if (!machine) return TOSAJIT_CODEGEN_FAILED;
    tosajit_status status = emit(c, machine, type, buffer);
    LLVMDisposeTargetMachine(machine);
    return status;
}

tosajit_status codegen_emit(const codegen *c, LLVMTargetMachineRef machine,
                            LLVMCodeGenFileType type, tosajit_kernel_info *info,
                            LLVMMemoryBufferRef *buffer) {
    double start = codegen_clock();
    tosajit_status status = TOSAJIT_LIMIT_EXCEEDED;
    if (c->is_optnone) status = emit_quickly(c, type, buffer);
    if (status == TOSAJIT_LIMIT_EXCEEDED && c->is_slow) {
        status = c->is_optnone ? reserve(c->bytes) : TOSAJIT_OK;
        if (!status) status = emit(c, machine, type, buffer);
    }
    info->codegen_ms = codegen_clock() - start;
    return status;
}
