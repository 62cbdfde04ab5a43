/* Native: a kernel's way to code: compile, link, publish. */
#define _POSIX_C_SOURCE 200809L
#include "jit/native.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jit/observe.h"
#include "runtime/diag.h"
#include "runtime/memory.h"
#include "runtime/verbose.h"

/* The code of a kernel and what gives it back. */
typedef struct native {
    kernel_code code;
    void *handle; /* of the compiler's unlink */
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
    n->engine->compilers->unlink(n->engine->compiler, n->handle);
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

/* The error of a library that has its own last error. */
static tosajit_status take_error(const tosajit_engine *engine, tosajit_status status) {
    const char *message = engine->compilers->last_error();
    return status && message != tosajit_last_error() ? diag_error(status, "%s", message) : status;
}

tosajit_status native_image(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_kernel_info *info, code_image *image,
                            uint64_t *features) {
    native_names names;
    native_name(kernel, &names);
    tosajit_status status = engine_need_compiler(engine);
    return status ? status : take_error(engine, engine->compilers->compile(engine->compiler, kernel, names.list, info, image, features));
}

tosajit_status native_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view, char **text) {
    native_names names;
    native_name(kernel, &names);
    tosajit_status status = engine_need_compiler(engine);
    return status ? status : take_error(engine, engine->compilers->print(engine->compiler, kernel, names.list, view, text));
}

/* Make the image run, and put it into n. */
static tosajit_status link_image(tosajit_engine *engine, const tosajit_kernel *kernel, const code_image *image, native *n) {
    native_names names;
    native_name(kernel, &names);
    double start = verbose_clock();
    tosajit_status status = engine->compilers->link(engine->compiler, image, names.list, &kernel->allocator, n->entries, &n->handle);
    if (status) return take_error(engine, status);
    n->code.info.link_ms = (verbose_clock() - start) * 1e-3;
    observe_compiled(&(observed){engine, kernel, &names, image, n->entries, &n->code.info}, &n->observed);
    n->code.image = *image;
    memcpy(&n->code.image.bytes, &n->entries[0], sizeof n->code.image.bytes); /* C has no cast from a function to data */
    n->code.image.bytes -= image->entries[0];
    return TOSAJIT_OK;
}

tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel) {
    native *n = memory_new(&kernel->allocator, 1, native_size(kernel));
    if (!n) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the code of a kernel");
    code_image image;
    tosajit_status status = native_image(engine, kernel, &n->code.info, &image, &n->code.features);
    if (!status) {
        status = link_image(engine, kernel, &image, n);
        code_release(&image, &kernel->allocator);
    }
    if (status) {
        memory_free(&kernel->allocator, n, 1, native_size(kernel));
        return status;
    }
    n->engine = engine;
    n->pages = whole_pages(n->code.info.code_bytes);
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
