/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compile: from an expression to a kernel that runs.
 *
 *     expression
 *        | found in the cache, or being made by another thread       jit/engine/cache.c
 *        |
 *        | a list of passes                                          runtime/expr/passes.c
 *        |    lookup tables, which the interpreter fills             jit/lookup_tables.c
 *     program, and the views through which calls see its tensors
 *        | plan: parts, their spaces, which operands repeat          runtime/plan/plan.c
 *     kernel, which runs: interpreted                                runtime/run/kernel.c
 *        | code of single ops, where nothing is compiled yet, or     jit/precompiled.c
 *        | the program is too large for code of its own
 *        | code that an earlier process has left                     jit/engine/kernel_on_disk.c
 *        | code that came with the expression, as an image           jit/native.c
 *        | or else, now or on the engine's thread                    jit/engine/background.c
 *        |    through the gate and a table of functions to LLVM      jit/engine/backend.c
 *        |       what that table has: the three steps below          jit/llvm/compiler.c
 *        |       vector IR, a function for each part                 jit/emit/kernel.c
 *        |       passes, object                                      jit/llvm/codegen.c
 *        |       image: code that refers to nothing outside          jit/llvm/flatten.c
 *        |    kept for later processes, linked, told to debuggers    jit/native.c
 *     kernel, which runs: native, from one atomic store on
 *
 * make_kernel is that, top to bottom; release_kernel is the way back. Lists of expressions share
 * one way through LLVM (jit/batch.c); object files take the code and no kernel (jit/aot.c). */
#include "jit/compile.h"

#include "jit/engine/engine_kernel.h"
#include "jit/engine/failure.h"
#include "jit/native.h"
#include "jit/precompiled.h"
#include "jit/lookup_tables.h"
#include "jit/show/listeners.h"
#include "jit/show/views.h"
#include "runtime/base/diag.h"
#include "runtime/base/environment.h"
#include "runtime/base/memory.h"
#include "runtime/precompiled/precompiled.h"
#include "runtime/run/verbose.h"
#include "tosajit/image.h"

/* The way back: from being found to being free. In a child whose parent's threads were compiling, a
 * lock may be held for ever. So the child does not wait, and the kernel's memory stays. */
static void release_kernel(tosajit_kernel *kernel) {
    engine_kernel *own = engine_kernel_of(kernel);
    tosajit_engine *engine = own->engine;
    if (!presence_enter(&engine->presence)) return;
    cache_forget(kernel);
    background_forget(kernel);
    native_release(kernel);
    precompiled_destroy(kernel, own->precompiled);
    memory_free(&kernel->allocator, own, 1, sizeof *own);
    kernel_destroy(kernel);
    atomic_fetch_sub_explicit(&engine->kernels, 1, memory_order_relaxed);
    engine_leave(engine);
    engine_release(engine);
}

/* The caller compiles where the system gives no thread for that. */
static tosajit_status wait_for_kernel(tosajit_kernel *kernel) {
    engine_watch_thread(engine_kernel_of(kernel)->engine);
    return background_wait(kernel);
}

static tosajit_status own_kernel(tosajit_engine *engine, tosajit_kernel *kernel) {
    static const kernel_owner engines = {wait_for_kernel, release_kernel};
    engine_kernel *own = memory_new(&kernel->allocator, 1, sizeof *own);
    if (!own) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a kernel");
    own->engine = engine;
    engine_retain(engine);
    atomic_fetch_add_explicit(&engine->kernels, 1, memory_order_relaxed);
    kernel->owner = &engines;
    kernel->owned = own;
    kernel->parallel = engine->parallel;
    kernel->any_strides = engine->any_strides;
    kernel->cpu = engine_cpu(engine);
    return engine_check_cap(engine, &own->refused);
}

program_aids compile_aids(const tosajit_engine *engine) {
    return (program_aids){.accuracy = engine->accuracy, .tables = lookup_tables};
}

tosajit_status compile_begin(tosajit_engine *engine, const tosajit_expr *expr,
                             tosajit_kernel **kernel) {
    tosajit_kernel *made;
    const program_aids aids = compile_aids(engine);
    tosajit_status status = kernel_create(expr, &engine->allocator, &aids, &made);
    if (status) return status;
    status = own_kernel(engine, made);
    if (status) {
        tosajit_kernel_release(made);
        return status;
    }
    listeners_made(made, expr, &aids);
    if (engine_compiles(engine)) native_restore(engine, made);
    *kernel = made;
    return TOSAJIT_OK;
}

tosajit_status compile_now(tosajit_engine *engine, tosajit_kernel *kernel) {
    tosajit_status status = native_compile(engine, kernel);
    return status ? precompiled_stand_in(engine, kernel, status) : TOSAJIT_OK;
}

/* On the engine's thread. */
static tosajit_status compile_later(tosajit_engine *engine, tosajit_kernel *kernel) {
    tosajit_status status = engine_enter_background(engine);
    if (status) return status;
    status = native_compile(engine, kernel);
    engine_leave(engine);
    if (!kernel->too_large) return status;
    if (environment_get()->verbose) verbose_compiled(kernel, status, NULL);
    return TOSAJIT_OK; /* it goes on as it has begun */
}

/* Code, by the engine's backend. What has no precompiled code is interpreted until it is compiled,
 * and for ever where nothing is. */
static tosajit_status give_code(tosajit_engine *engine, tosajit_kernel *kernel) {
    const bool later =
        engine->backend == TOSAJIT_BACKEND_BACKGROUND && !engine_is_inherited(engine);
    if (engine->backend == TOSAJIT_BACKEND_INTERPRET) return TOSAJIT_OK;
    if (engine->backend == TOSAJIT_BACKEND_PRECOMPILED || later) {
        tosajit_status status = precompiled_attach(engine, kernel);
        if (!status && later)
            status = background_add(&engine->background, compile_later, engine, kernel);
        if (!status && engine_kernel_of(kernel)->precompiled) precompiled_count(engine);
        return status;
    }
    return compile_now(engine, kernel);
}

/* Code that came with an expression; none: bytes are null. */
typedef struct brought {
    const void *bytes;
    size_t size;
    failure refused; /* OK: it was taken, or not needed */
} brought;

/* An engine that makes no memory executable takes none. */
static void take_image(tosajit_engine *engine, tosajit_kernel *kernel, brought *image) {
    if (!image->bytes || kernel_is_settled(kernel)) return;
    failure_keep(&image->refused,
                 engine_compiles(engine)
                     ? native_load(engine, kernel, image->bytes, image->size)
                     : diag_error(TOSAJIT_NOT_EXECUTABLE,
                                  "the engine runs no native code, so not that of an image"));
}

/* A kernel that was not there yet: the pipeline. */
static tosajit_status make_kernel(tosajit_engine *engine, const tosajit_expr *expr, brought *image,
                                  tosajit_kernel **kernel) {
    tosajit_kernel *made;
    tosajit_status status = compile_begin(engine, expr, &made);
    if (status) return status;
    const bool compiles = engine_compiles(engine);
    take_image(engine, made, image);
    if (!kernel_is_settled(made)) status = give_code(engine, made);
    if ((status || !compiles) && environment_get()->verbose) verbose_compiled(made, status, NULL);
    if (status)
        tosajit_kernel_release(made);
    else
        *kernel = made;
    return status;
}

/* The kernel of an equal expression, or one that is made while others who ask for it wait. */
static tosajit_status find_or_make(tosajit_engine *engine, const tosajit_expr *expr, brought *image,
                                   tosajit_kernel **kernel) {
    if (engine->uncached) return make_kernel(engine, expr, image, kernel);
    cache_key key = cache_make_key(expr, &engine->allocator);
    cache_flight *flight;
    tosajit_kernel *known = NULL;
    tosajit_status status;
    switch (cache_begin(&engine->cache, &key, &engine->allocator, true, &known, &status, &flight)) {
    case CACHE_HIT: atomic_fetch_add_explicit(&engine->hits, 1, memory_order_relaxed); break;
    case CACHE_BUSY: /* only for those who do not wait */
    case CACHE_JOINED: atomic_fetch_add_explicit(&engine->joined, 1, memory_order_relaxed); break;
    case CACHE_MISS:
        status = make_kernel(engine, expr, image, &known);
        cache_finish(&engine->cache, &key, &engine->allocator, known, status, flight);
        break;
    }
    cache_drop_key(&key, &engine->allocator);
    if (!status) *kernel = known;
    return status;
}

static tosajit_status compile_with(tosajit_engine *engine, const tosajit_expr *expr, brought *image,
                                   tosajit_kernel **kernel) {
    if (engine->backend == TOSAJIT_BACKEND_CROSS)
        return diag_error(
            TOSAJIT_NOT_EXECUTABLE,
            "compile: an engine for another CPU (TOSAJIT_BACKEND_CROSS) makes no kernels");
    tosajit_status status = engine_enter(engine);
    if (status) return status;
    status = find_or_make(engine, expr, image, kernel);
    engine_leave(engine);
    return status;
}

tosajit_status tosajit_compile_expr(tosajit_engine *engine, const tosajit_expr *expr,
                                    tosajit_kernel **kernel) {
    if (!engine || !expr || !kernel)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "compile_expr: engine, expr or kernel is a null pointer");
    return compile_with(engine, expr, &(brought){.bytes = NULL}, kernel);
}

tosajit_status tosajit_compile_with_image(tosajit_engine *engine, const tosajit_expr *expr,
                                          const void *image, size_t size, tosajit_kernel **kernel,
                                          tosajit_status *refused) {
    if (!engine || !expr || !image || !kernel)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "compile_with_image: engine, expr, image or kernel is a null pointer");
    brought given = {.bytes = image, .size = size};
    tosajit_status status = compile_with(engine, expr, &given, kernel);
    if (status) return status;
    failure_tell(&given.refused);
    if (refused) *refused = given.refused.status;
    return TOSAJIT_OK;
}

/* The expression with one node of this op. */
static tosajit_status single_op(tosajit_expr *expr, tosajit_op op,
                                const tosajit_tensor_type *operands, size_t operand_count,
                                const tosajit_attributes *attributes,
                                const tosajit_tensor_type *result) {
    tosajit_value inputs[TOSAJIT_MAX_OPERANDS] = {0}, value;
    if (operand_count > TOSAJIT_MAX_OPERANDS) /* refused, with how many the op takes */
        return tosajit_expr_op(expr, op, inputs, operand_count, attributes, result, &value);
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < operand_count; k++)
        status = tosajit_expr_input(expr, &operands[k], &inputs[k]);
    if (!status)
        status = tosajit_expr_op(expr, op, inputs, operand_count, attributes, result, &value);
    return status ? status : tosajit_expr_result(expr, value);
}

tosajit_status tosajit_compile(tosajit_engine *engine, tosajit_op op,
                               const tosajit_tensor_type *operands, size_t operand_count,
                               const tosajit_attributes *attributes,
                               const tosajit_tensor_type *result, tosajit_kernel **kernel) {
    if (!engine || !operands || !kernel)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "compile: engine, operands or kernel is a null pointer");
    tosajit_expr_options options = {.size = sizeof options, .allocator = &engine->meter.hooks};
    tosajit_expr *expr;
    tosajit_status status = tosajit_expr_create(&options, &expr);
    if (status) return status;
    status = single_op(expr, op, operands, operand_count, attributes, result);
    if (!status) status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    return status;
}

tosajit_status tosajit_print(tosajit_engine *engine, const tosajit_expr *expr, tosajit_view view,
                             char **text) {
    if (!engine || !expr || !text)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "print: engine, expr or text is a null pointer");
    if ((unsigned)view > TOSAJIT_VIEW_PASSES)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "print: there is no view %d", (int)view);
    const program_aids aids = compile_aids(engine);
    if (view == TOSAJIT_VIEW_PASSES)
        return views_print_passes(expr, &engine->allocator, &aids, text);
    tosajit_kernel *kernel;
    tosajit_status status = kernel_create(expr, &engine->allocator, &aids, &kernel);
    if (status) return status;
    status = views_print(engine, kernel, view, text);
    tosajit_kernel_release(kernel);
    return status;
}
