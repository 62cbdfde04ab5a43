/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiler: the table, over the modules that use LLVM. */
#include "jit/engine/compiler.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/llvm/codegen.h"
#include "jit/llvm/flatten.h"
#include "jit/llvm/linker.h"
#include "jit/schedule/nest.h"
#include "jit/target/target.h"
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/system/system.h"

struct compiler {
    tosajit_allocator allocator;
    target target;
    machine_pool machines;
    linker linker; /* without one, jit is null */
};

static void destroy(compiler *c) {
    linker_destroy(&c->linker);
    machine_pool_destroy(&c->machines);
    target_destroy(&c->target);
    tosajit_allocator allocator = c->allocator;
    memory_free(&allocator, c, 1, sizeof *c);
}

static tosajit_status create(const char *cpu, bool runs, const tosajit_allocator *allocator,
                             compiler **made) {
    compiler *c = memory_new(allocator, 1, sizeof *c);
    if (!c) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a compiler");
    c->allocator = *allocator;
    machine_pool_create(&c->machines);
    tosajit_status status = target_find(cpu, &c->target);
    /* Only where the code is for this machine: what is made for others is the same everywhere. */
    if (runs) c->target.cache_bytes = system_cache_bytes();
    if (!status && runs) status = linker_create(&c->linker, &c->target);
    if (status)
        destroy(c);
    else
        *made = c;
    return status;
}

/* The module of some kernels, after the passes; and what to do with it. */
typedef tosajit_status module_use(const codegen *c, LLVMTargetMachineRef machine,
                                  tosajit_kernel_info *info, void *result);

static tosajit_status with_module(compiler *c, const compiler_batch *batch,
                                  tosajit_kernel_info *info, module_use *use, void *result) {
    tosajit_status status = codegen_reserve(batch);
    if (status) return status;
    LLVMTargetMachineRef machine = machine_pool_take(&c->machines, &c->target);
    if (!machine) return TOSAJIT_CODEGEN_FAILED;
    codegen module;
    status = codegen_create(batch, &c->target, machine, info, &module);
    if (!status) {
        status = use(&module, machine, info, result);
        codegen_destroy(&module);
    }
    machine_pool_give(&c->machines, machine);
    return status;
}

static tosajit_status emit_object(const codegen *c, LLVMTargetMachineRef machine,
                                  tosajit_kernel_info *info, void *result) {
    return codegen_emit(c, machine, LLVMObjectFile, info, result);
}

/* Take every kernel's code out of the object. */
static tosajit_status flatten_all(const compiler_batch *batch, LLVMMemoryBufferRef object,
                                  compiler_output *outputs) {
    const char *bytes = LLVMGetBufferStart(object);
    const size_t size = LLVMGetBufferSize(object);
    tosajit_status status = TOSAJIT_OK;
    size_t done = 0;
    for (; !status && done < batch->count; done++) {
        const compiler_input *i = &batch->inputs[done];
        status = (batch->count > 1 ? flatten_some : flatten)(
            bytes, size, i->names, i->plan->part_count, &i->plan->allocator, &outputs[done].image);
    }
    for (size_t k = 0; status && k + 1 < done; k++)
        code_release(&outputs[k].image, &batch->inputs[k].plan->allocator);
    return status;
}

static tosajit_status compile(compiler *c, const compiler_batch *batch, compiler_output *outputs) {
    LLVMMemoryBufferRef object = NULL;
    tosajit_kernel_info info = {0};
    const double share = 1 / (double)batch->count;
    tosajit_status status = with_module(c, batch, &info, emit_object, &object);
    if (status) return status;
    status = flatten_all(batch, object, outputs);
    LLVMDisposeMemoryBuffer(object);
    for (size_t k = 0; !status && k < batch->count; k++) {
        compiler_output *o = &outputs[k];
        o->features = c->target.needs;
        o->image.masked = nest_masked(batch->inputs[k].plan, batch->inputs[k].program,
                                      (nest_target){c->target.level, c->target.cache_bytes});
        o->info = (tosajit_kernel_info){.emit_ms = info.emit_ms * share,
                                        .passes_ms = info.passes_ms * share,
                                        .codegen_ms = info.codegen_ms * share};
        o->info.code_bytes = o->image.size;
    }
    return status;
}

static tosajit_status link_image(compiler *c, const code_image *image, char *const *names,
                                 const tosajit_allocator *allocator, const unsigned char **bytes,
                                 void **handle) {
    LLVMOrcResourceTrackerRef tracker;
    tosajit_status status = linker_add(&c->linker, image, names, allocator, bytes, &tracker);
    *handle = tracker;
    return status;
}

static void unlink_image(compiler *c, void *handle) { linker_remove(&c->linker, handle); }

/* A copy in memory that tosajit_text_release takes. */
static tosajit_status copy_text(const char *bytes, size_t size, char **text) {
    *text = malloc(size + 1);
    if (!*text)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a text of %zu bytes", size);
    memcpy(*text, bytes, size);
    (*text)[size] = 0;
    return TOSAJIT_OK;
}

static tosajit_status print_ir(const codegen *c, LLVMTargetMachineRef machine,
                               tosajit_kernel_info *info, void *text) {
    (void)machine;
    (void)info;
    char *printed = LLVMPrintModuleToString(c->module);
    tosajit_status status = copy_text(printed, strlen(printed), text);
    LLVMDisposeMessage(printed);
    return status;
}

static tosajit_status print_asm(const codegen *c, LLVMTargetMachineRef machine,
                                tosajit_kernel_info *info, void *text) {
    LLVMMemoryBufferRef buffer;
    tosajit_status status = codegen_emit(c, machine, LLVMAssemblyFile, info, &buffer);
    if (status) return status;
    status = copy_text(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), text);
    LLVMDisposeMemoryBuffer(buffer);
    return status;
}

static tosajit_status print(compiler *c, const compiler_input *input, tosajit_view view,
                            char **text) {
    tosajit_kernel_info info;
    const compiler_batch batch = {input, 1};
    return with_module(c, &batch, &info, view == TOSAJIT_VIEW_IR ? print_ir : print_asm, text);
}

static size_t describe(const compiler *c, char *text, size_t capacity) {
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    return (size_t)snprintf(text, capacity, "llvm %u.%u.%u, %s, %s, %s, %s", major, minor, patch,
                            c->target.triple, c->target.cpu, c->target.tune ? c->target.tune : "",
                            c->target.features);
}

/* All that libtosajit-codegen exports. */
TOSAJIT_API const compiler_table tosajit_private_compiler;
const compiler_table tosajit_private_compiler = {
    tosajit_build,      create, destroy, compile, link_image, unlink_image, print, describe,
    tosajit_last_error,
};
