/* Native: a kernel's way to code: compile, link, publish. */
#define _POSIX_C_SOURCE 200809L
#include "jit/native.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jit/gate.h"
#include "jit/observe.h"
#include "jit/stored.h"
#include "runtime/diag.h"
#include "runtime/memory.h"
#include "runtime/verbose.h"

/* The code of a kernel and what gives it back. */
typedef struct native {
    kernel_code code;
    void *handle; /* of the compiler's unlink; null if code_map has mapped the code */
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
    if (n->handle) {
        gate_enter_to_release();
        n->engine->compilers->unlink(n->engine->compiler, n->handle);
        gate_leave();
    } else {
        code_unmap(&n->code.image);
    }
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

/* After gate_enter: the error of a library that has its own last error. */
static tosajit_status leave(const tosajit_engine *engine, tosajit_status status) {
    gate_leave();
    const char *message = engine->compilers->last_error();
    return status && message != tosajit_last_error() ? diag_error(status, "%s", message) : status;
}

tosajit_status native_images(tosajit_engine *engine, const tosajit_kernel *const *kernels, size_t count, compiler_output *outputs) {
    tosajit_status status = engine_need_compiler(engine);
    if (status) return status;
    native_names *names = memory_new(&engine->allocator, count, sizeof *names);
    char *const **lists = memory_new(&engine->allocator, count, sizeof *lists);
    for (size_t k = 0; names && lists && k < count; k++) {
        native_name(kernels[k], &names[k]);
        lists[k] = names[k].list;
    }
    if (names && lists) {
        status = gate_enter();
        if (!status)
            status = leave(engine, engine->compilers->compile(engine->compiler, &(compiler_batch){kernels, lists, count}, outputs));
    } else
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the names of %zu kernels", count);
    memory_free(&engine->allocator, names, count, sizeof *names);
    memory_free(&engine->allocator, lists, count, sizeof *lists);
    return status;
}

tosajit_status native_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view, char **text) {
    native_names names;
    native_name(kernel, &names);
    tosajit_status status = engine_need_compiler(engine);
    if (!status) status = gate_enter();
    return status ? status : leave(engine, engine->compilers->print(engine->compiler, kernel, names.list, view, text));
}

/* Make the image run, and put it into n. */
static tosajit_status link_image(tosajit_engine *engine, const tosajit_kernel *kernel, const code_image *image, native *n) {
    native_names names;
    native_name(kernel, &names);
    double start = verbose_clock();
    tosajit_status status = gate_enter();
    if (status) return status;
    status = leave(engine, engine->compilers->link(engine->compiler, image, names.list, &kernel->allocator, n->entries, &n->handle));
    if (status) return status;
    n->code.info.link_ms = (verbose_clock() - start) * 1e-3;
    observe_compiled(&(observed){engine, kernel, &names, image, n->entries, &n->code.info}, &n->observed);
    n->code.image = *image;
    memcpy(&n->code.image.bytes, &n->entries[0], sizeof n->code.image.bytes); /* C has no cast from a function to data */
    n->code.image.bytes -= image->entries[0];
    return TOSAJIT_OK;
}

static native *create_native(tosajit_engine *engine, const tosajit_kernel *kernel) {
    native *n = memory_new(&kernel->allocator, 1, native_size(kernel));
    if (!n) {
        diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the code of a kernel");
        return NULL;
    }
    n->engine = engine;
    return n;
}

/* Let runs use the code that is there, unless it is too much. */
static tosajit_status publish(tosajit_kernel *kernel, native *n, atomic_size_t *counter) {
    n->pages = whole_pages(n->code.info.code_bytes);
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&n->engine->code_bytes, n->pages, memory_order_relaxed);
    tosajit_status status = engine_check_cap(n->engine);
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

static tosajit_status map_stored(tosajit_engine *engine, const tosajit_kernel *kernel, const image_variant *stored, native *n) {
    double start = verbose_clock();
    tosajit_status status = code_map(&stored->code, &n->code.image);
    if (status) return status;
    n->code.features = stored->features;
    n->code.info.code_bytes = stored->code.size;
    n->code.info.link_ms = (verbose_clock() - start) * 1e-3;
    for (uint32_t k = 0; k < stored->code.entry_count; k++) n->entries[k] = code_entry(&n->code.image, k);
    native_names names;
    native_name(kernel, &names);
    observe_compiled(&(observed){engine, kernel, &names, &n->code.image, n->entries, &n->code.info}, &n->observed);
    return TOSAJIT_OK;
}

bool native_restore(tosajit_engine *engine, tosajit_kernel *kernel) {
    stored_code stored;
    if (!stored_find(engine, kernel, &stored)) return false;
    native *n = create_native(engine, kernel);
    bool restored = n && !map_stored(engine, kernel, &stored.variant, n);
    stored_drop(engine, &stored);
    if (restored) return !publish(kernel, n, &engine->restored);
    memory_free(&kernel->allocator, n, 1, native_size(kernel));
    return false;
}

tosajit_status native_adopt(tosajit_engine *engine, tosajit_kernel *kernel, const compiler_output *fresh) {
    stored_keep(engine, kernel, &(image_variant){fresh->image, fresh->features});
    native *n = create_native(engine, kernel);
    if (!n) return TOSAJIT_OUT_OF_MEMORY;
    n->code.info = fresh->info;
    n->code.features = fresh->features;
    tosajit_status status = link_image(engine, kernel, &fresh->image, n);
    if (!status) return publish(kernel, n, &engine->compilations);
    memory_free(&kernel->allocator, n, 1, native_size(kernel));
    return status;
}

tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel) {
    compiler_output fresh;
    tosajit_status status = native_images(engine, (const tosajit_kernel *const *)&kernel, 1, &fresh);
    if (status) return status;
    status = native_adopt(engine, kernel, &fresh);
    code_release(&fresh.image, &kernel->allocator);
    return status;
}
