/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Backend: the calls through the table. */
#include "jit/engine/backend.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "jit/engine/gate.h"
#include "jit/engine/presence.h"
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"

void backend_name(const tosajit_kernel *kernel, backend_names *names) {
    for (int32_t k = 0; k < kernel->plan.part_count; k++) {
        snprintf(names->text[k], sizeof names->text[k], "%s_p%d", kernel->name, (int)k);
        names->list[k] = names->text[k];
    }
}

/* The error of a library that has its own last error. */
static tosajit_status repeat(const compiler_table *table, tosajit_status status) {
    const char *message = table->last_error();
    return status && message != tosajit_last_error() ? diag_error(status, "%s", message) : status;
}

/* LLVM makes what it needs once, while it is loaded and amid the first compilation; who comes
 * meanwhile waits. In a child of a process that forked amid these, nobody ends that: it would wait
 * for ever, or take a piece of a library for the whole. */
static presence inside;
static atomic_bool begun; /* code has been linked: nothing is left of the beginning */

/* counted is for leave. */
static tosajit_status enter(bool *counted) {
    tosajit_status status = gate_enter();
    if (status) return status;
    *counted = presence_enter(&inside);
    if (*counted || atomic_load(&begun)) return TOSAJIT_OK;
    gate_leave();
    return diag_error(TOSAJIT_CODEGEN_FAILED,
                      "threads of the parent process were amid its first compilation when it "
                      "forked: nothing is compiled in this process");
}

static void leave(bool counted) {
    if (counted) presence_leave(&inside);
    gate_leave();
}

/* Exit runs handlers (atexit), the last one first. LLVM's destroy its objects, and a compilation on
 * another thread crashes then. With the option quiesce_at_exit ours stand between them, and wait.
 * In the order of registering, from which exit goes upwards:
 *
 *     ours      guard_exit, LOADING: waits for who loads LLVM
 *     LLVM's    while it is loaded
 *     ours      guard_exit, LOADED: waits for who compiles
 *     LLVM's    some amid the first compilation; one amid a later one, when code first calls a
 *               function of a library
 *     ours      guard_exit_again, behind the 1st, 2nd, 4th, 8th ... compilation
 *
 * docs/engine-authors.md, "How a process ends", says what is left to the host. */
typedef enum phase { LOADING, LOADED, PHASES } phase;

/* False when the process is ending. */
static bool guard_exit(const tosajit_engine *engine, phase at) {
    static atomic_bool guarded[PHASES];
    return !engine->quiesce_at_exit || atomic_exchange(&guarded[at], true) ||
           atexit(tosajit_quiesce) == 0;
}

/* At powers of two: handlers cannot be asked for, and one behind every compilation would be memory
 * that grows. */
static void guard_exit_again(const tosajit_engine *engine) {
    static atomic_size_t compilations;
    if (!engine->quiesce_at_exit) return;
    const size_t before = atomic_fetch_add(&compilations, 1);
    if ((before & (before + 1)) == 0) (void)atexit(tosajit_quiesce);
}

static tosajit_status start(tosajit_engine *engine) {
    bool guarded = guard_exit(engine, LOADING);
    engine->compilers = compiler_find();
    if (!engine->compilers) return TOSAJIT_CODEGEN_FAILED;
    guarded = guard_exit(engine, LOADED) && guarded;
    /* Exit may have begun amid the loading, and have destroyed what had been registered by then.
     * Its thread comes to our new handler next, and is given the time to. */
    guarded = guarded && !(engine->quiesce_at_exit && gate_closes_soon());
    if (!guarded)
        return diag_error(TOSAJIT_CODEGEN_FAILED,
                          "the process is ending: nothing is compiled in it any more");
    const bool runs = engine->backend != TOSAJIT_BACKEND_CROSS;
    tosajit_status status = engine->compilers->create(engine->chosen_cpu, runs,
                                                      &engine->meter.hooks, &engine->compiler);
    return repeat(engine->compilers, status);
}

/* Load and start what knows LLVM, unless that has been done. Thread-safe. */
static tosajit_status need(tosajit_engine *engine) {
    bool counted;
    system_mutex_lock(&engine->mutex);
    tosajit_status status = engine->compiler ? TOSAJIT_OK : enter(&counted);
    if (!status && !engine->compiler) {
        status = start(engine);
        leave(counted);
    }
    system_mutex_unlock(&engine->mutex);
    return status;
}

void backend_stop(tosajit_engine *engine) {
    if (!engine->compiler) return;
    gate_enter_to_release();
    engine->compilers->destroy(engine->compiler);
    gate_leave();
}

static tosajit_status compile_batch(tosajit_engine *engine, const compiler_batch *batch,
                                    compiler_output *outputs) {
    bool counted;
    tosajit_status status = enter(&counted);
    if (status) return status;
    status = engine->compilers->compile(engine->compiler, batch, outputs);
    guard_exit_again(engine);
    leave(counted);
    return repeat(engine->compilers, status);
}

static compiler_input input_of(const tosajit_kernel *kernel, const backend_names *names) {
    return (compiler_input){kernel->program, &kernel->plan, names->list};
}

tosajit_status backend_compile(tosajit_engine *engine, const tosajit_kernel *const *kernels,
                               size_t count, compiler_output *outputs) {
    tosajit_status status = need(engine);
    if (status) return status;
    backend_names *names = memory_new(&engine->allocator, count, sizeof *names);
    compiler_input *inputs = memory_new(&engine->allocator, count, sizeof *inputs);
    for (size_t k = 0; names && inputs && k < count; k++) {
        backend_name(kernels[k], &names[k]);
        inputs[k] = input_of(kernels[k], &names[k]);
    }
    if (names && inputs)
        status = compile_batch(engine, &(compiler_batch){inputs, count}, outputs);
    else
        status =
            diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the names of %zu kernels", count);
    memory_free(&engine->allocator, names, count, sizeof *names);
    memory_free(&engine->allocator, inputs, count, sizeof *inputs);
    return status;
}

tosajit_status backend_print(tosajit_engine *engine, const tosajit_kernel *kernel,
                             tosajit_view view, char **text) {
    backend_names names;
    backend_name(kernel, &names);
    const compiler_input input = input_of(kernel, &names);
    bool counted;
    tosajit_status status = need(engine);
    if (!status) status = enter(&counted);
    if (status) return status;
    status = engine->compilers->print(engine->compiler, &input, view, text);
    leave(counted);
    return repeat(engine->compilers, status);
}

tosajit_status backend_link(tosajit_engine *engine, const tosajit_kernel *kernel,
                            const code_image *image, backend_names *names,
                            const unsigned char **bytes, void **handle) {
    bool counted;
    tosajit_status status = enter(&counted);
    if (status) return status;
    status = engine->compilers->link(engine->compiler, image, names->list, &kernel->allocator,
                                     bytes, handle);
    leave(counted);
    if (!status) atomic_store(&begun, true);
    return repeat(engine->compilers, status);
}

void backend_unlink(tosajit_engine *engine, void *handle) {
    gate_enter_to_release();
    engine->compilers->unlink(engine->compiler, handle);
    gate_leave();
}
