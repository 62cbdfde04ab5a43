/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Native: a kernel's way to code: compile, link, publish. */
#include "jit/native.h"

#include <string.h>

#include "jit/engine/backend.h"
#include "jit/engine/engine_kernel.h"
#include "jit/engine/kernel_on_disk.h"
#include "jit/precompiled.h"
#include "jit/show/listeners.h"
#include "jit/target/cpu_choice.h"
#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/base/memory.h"
#include "runtime/run/verbose.h"
#include "runtime/system/system.h"

/* The code of a kernel and what gives it back. */
typedef struct native {
    kernel_code code;
    void *handle; /* of the compiler's unlink; null if code_map has mapped the code */
    tosajit_engine *engine;
    void *listener; /* of listeners_released */
    size_t pages;   /* bytes of memory that the code occupies */
    code_part parts[];
} native;

static size_t native_size(const tosajit_kernel *kernel) {
    return sizeof(native) + (size_t)kernel->plan.part_count * sizeof(code_part);
}

/* The linker gives every kernel pages of its own. */
static size_t whole_pages(size_t size) {
    const size_t page = system_page_size();
    return (size + page - 1) / page * page;
}

static void drop_native(const tosajit_kernel *kernel, native *n) {
    listeners_released(n->listener);
    if (n->handle) {
        backend_unlink(n->engine, n->handle);
    } else {
        code_unmap(&n->code.image);
    }
    atomic_fetch_sub_explicit(&n->engine->code_bytes, n->pages, memory_order_relaxed);
    memory_free(&kernel->allocator, n, 1, native_size(kernel));
}

void native_release(tosajit_kernel *kernel) {
    native *n = engine_kernel_of(kernel)->native;
    if (n) drop_native(kernel, n);
}

/* Make the image run, and put it into n. */
static tosajit_status link_image(tosajit_engine *engine, const tosajit_kernel *kernel,
                                 const code_image *image, native *n) {
    backend_names names;
    backend_name(kernel, &names);
    const int64_t start = system_clock();
    n->code.image = *image;
    tosajit_status status =
        backend_link(engine, kernel, image, &names, &n->code.image.bytes, &n->handle);
    if (status) return status;
    n->code.info.link_ms = verbose_since(start);
    code_parts(&n->code.image, n->parts);
    listeners_compiled(&(listeners_event){engine, kernel, &names, &n->code.image, &n->code.info},
                       &n->listener);
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
    tosajit_status status = engine_check_cap(n->engine, &engine_kernel_of(kernel)->refused);
    if (status) {
        drop_native(kernel, n);
        return status;
    }
    n->code.parts = n->parts;
    n->code.info.size = sizeof n->code.info;
    engine_kernel_of(kernel)->native = n;
    atomic_store_explicit(&kernel->code, &n->code, memory_order_release);
    return TOSAJIT_OK;
}

static tosajit_status map_stored(tosajit_engine *engine, const tosajit_kernel *kernel,
                                 const image_build *stored, native *n) {
    const int64_t start = system_clock();
    tosajit_status status = code_map(&stored->code, &n->code.image);
    if (status) return status;
    n->code.features = stored->features;
    n->code.info.code_bytes = stored->code.size;
    n->code.info.link_ms = verbose_since(start);
    code_parts(&n->code.image, n->parts);
    backend_names names;
    backend_name(kernel, &names);
    listeners_compiled(&(listeners_event){engine, kernel, &names, &n->code.image, &n->code.info},
                       &n->listener);
    return TOSAJIT_OK;
}

/* Code that lies somewhere, copied. */
static tosajit_status take_code(tosajit_engine *engine, tosajit_kernel *kernel,
                                const image_build *code) {
    if (code->code.entry_count == 0) return precompiled_settle(engine, kernel);
    native *n = create_native(engine, kernel);
    if (!n) return TOSAJIT_OUT_OF_MEMORY;
    tosajit_status status = map_stored(engine, kernel, code, n);
    if (!status) return publish(kernel, n, &engine->restored);
    memory_free(&kernel->allocator, n, 1, native_size(kernel));
    return status;
}

bool native_restore(tosajit_engine *engine, tosajit_kernel *kernel) {
    stored_code stored;
    if (!stored_find(engine, kernel, &stored)) return false;
    tosajit_status status = take_code(engine, kernel, &stored.build);
    stored_drop(engine, &stored);
    return !status;
}

tosajit_status native_load(tosajit_engine *engine, tosajit_kernel *kernel, const void *image,
                           size_t size) {
    image_build found;
    tosajit_status status =
        image_find_code(image, size, kernel, cpu_features(engine->chosen_cpu), &found);
    return status ? status : take_code(engine, kernel, &found);
}

tosajit_status native_adopt(tosajit_engine *engine, tosajit_kernel *kernel,
                            const compiler_output *fresh) {
    stored_keep(engine, kernel, &(image_build){fresh->image, fresh->features});
    native *n = create_native(engine, kernel);
    if (!n) return TOSAJIT_OUT_OF_MEMORY;
    n->code.info = fresh->info;
    n->code.features = fresh->features;
    tosajit_status status = link_image(engine, kernel, &fresh->image, n);
    if (!status) return publish(kernel, n, &engine->compilations);
    memory_free(&kernel->allocator, n, 1, native_size(kernel));
    return status;
}

/* The store keeps that, too, so that no later process tries again. */
static void say_too_large(tosajit_engine *engine, tosajit_kernel *kernel) {
    const image_build none = image_without_code(features_machine());
    stored_keep(engine, kernel, &none);
    atomic_store_explicit(&kernel->too_large, true, memory_order_release);
}

tosajit_status native_compile(tosajit_engine *engine, tosajit_kernel *kernel) {
    compiler_output fresh;
    tosajit_status status =
        backend_compile(engine, (const tosajit_kernel *const *)&kernel, 1, &fresh);
    if (status == TOSAJIT_LIMIT_EXCEEDED) say_too_large(engine, kernel);
    if (status) return status;
    status = native_adopt(engine, kernel, &fresh);
    code_release(&fresh.image, &kernel->allocator);
    return status;
}
