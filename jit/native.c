/* Native: the pipeline behind the plan, from top to bottom. */
#define _POSIX_C_SOURCE 200809L
#include "jit/native.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jit/flatten.h"
#include "jit/observe.h"
#include "runtime/diag.h"
#include "runtime/memory.h"

/* The code of a kernel and what gives it back. */
typedef struct native {
    kernel_code code;
    LLVMOrcResourceTrackerRef tracker;
    tosajit_engine *engine;
    void *observed; /* of observe_released */
    size_t pages;   /* bytes of memory that the code occupies */
    tosajit_entry entries[];
} native;

static size_t native_size(const tosajit_kernel *kernel) { return sizeof(native) + (size_t)kernel->plan.part_count * sizeof(tosajit_entry); }

/* The linker gives every kernel pages of its own. */
static size_t whole_pages(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

static void drop_native(const tosajit_kernel *kernel, native *n) {
    observe_released(n->observed);
    linker_remove(&n->engine->linker, n->tracker);
    atomic_fetch_sub_explicit(&n->engine->code_bytes, n->pages, memory_order_relaxed);
    memory_free(&kernel->allocator, n, 1, native_size(kernel));
}

static void release_native(tosajit_kernel *kernel) { drop_native(kernel, kernel->native); }

void native_name(const tosajit_kernel *kernel, native_names *names) {
    for (int32_t k = 0; k < kernel->plan.part_count; k++) {
        snprintf(names->text[k], sizeof names->text[k], "%s_p%d", kernel->name, (int)k);
        names->list[k] = names->text[k];
    }
}

/* The module as an object, flattened. */
static tosajit_status make_image(tosajit_engine *engine, const tosajit_kernel *kernel, const native_names *names, tosajit_kernel_info *info,
                                 code_image *image) {
    tosajit_status status = codegen_reserve(kernel);
    if (status) return status;
    LLVMTargetMachineRef machine = machine_pool_take(&engine->machines, &engine->target);
    if (!machine) return TOSAJIT_CODEGEN_FAILED;
    codegen c;
    LLVMMemoryBufferRef object = NULL;
    status = codegen_create(kernel, &engine->target, machine, names->list, info, &c);
    if (!status) {
        status = codegen_emit(&c, machine, LLVMObjectFile, info, &object);
        codegen_destroy(&c);
    }
    machine_pool_give(&engine->machines, machine);
    if (status) return status;
    status =
        flatten(LLVMGetBufferStart(object), LLVMGetBufferSize(object), names->list, kernel->plan.part_count, &kernel->allocator, image);
    LLVMDisposeMemoryBuffer(object);
    return status;
}

tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel) {
    native *n = memory_new(&kernel->allocator, 1, native_size(kernel));
    if (!n) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the code of a kernel");
    native_names names;
    native_name(kernel, &names);
    code_image image;
    tosajit_status status = make_image(engine, kernel, &names, &n->code.info, &image);
    if (!status) {
        double start = codegen_clock();
        n->code.info.code_bytes = image.size;
        status = linker_add(&engine->linker, &image, names.list, &kernel->allocator, n->entries, &n->tracker);
        n->code.info.link_ms = codegen_clock() - start;
        if (!status) observe_compiled(&(observed){engine, kernel, &names, &image, n->entries, &n->code.info}, &n->observed);
        n->code.image = image;
        flatten_release(&image, &kernel->allocator);
    }
    if (status) {
        memory_free(&kernel->allocator, n, 1, native_size(kernel));
        return status;
    }
    n->engine = engine;
    n->pages = whole_pages(n->code.info.code_bytes);
    n->code.features = engine->target.needs;
    memcpy(&n->code.image.bytes, &n->entries[0], sizeof n->code.image.bytes); /* where it was linked to; C has no cast from a function */
    n->code.image.bytes -= n->code.image.entries[0];
    atomic_fetch_add_explicit(&engine->compilations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&engine->code_bytes, n->pages, memory_order_relaxed);
    status = engine_check_cap(engine);
    if (status) {
        drop_native(kernel, n);
        return status;
    }
    n->code.entries = n->entries;
    n->code.info.size = sizeof n->code.info;
    kernel->native = n;
    kernel->release_native = release_native;
    atomic_store_explicit(&kernel->code, &n->code, memory_order_release);
    return TOSAJIT_OK;
}
