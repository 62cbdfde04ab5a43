/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Precompiled: a kernel's way to code that was made with the library. */
#include "jit/precompiled.h"

#include "jit/engine/engine_kernel.h"
#include "jit/engine/failure.h"
#include "runtime/base/diag.h"
#include "runtime/base/environment.h"
#include "runtime/precompiled/precompiled.h"
#include "runtime/run/verbose.h"

tosajit_status precompiled_attach(tosajit_engine *engine, tosajit_kernel *kernel) {
    const rows_library *library;
    precompiled *made = NULL;
    int level;
    tosajit_status status = engine_find_ops(engine, &library, &level);
    if (!status) status = precompiled_make(kernel, library, level, &made);
    if (status) return status == TOSAJIT_OUT_OF_MEMORY ? status : TOSAJIT_OK;
    status = engine_check_cap(engine, &engine_kernel_of(kernel)->refused);
    if (status) {
        precompiled_destroy(kernel, made);
        return status;
    }
    engine_kernel_of(kernel)->precompiled = made;
    atomic_store_explicit(&kernel->code, &made->code, memory_order_release);
    return TOSAJIT_OK;
}

/* It answers from now on. */
static void begin(tosajit_engine *engine, const tosajit_kernel *kernel) {
    if (engine_kernel_of(kernel)->precompiled) precompiled_count(engine);
    if (environment_get()->verbose) verbose_compiled(kernel, TOSAJIT_OK, NULL);
}

tosajit_status precompiled_stand_in(tosajit_engine *engine, tosajit_kernel *kernel,
                                    tosajit_status status) {
    failure reason;
    if (!kernel->too_large && engine->backend != TOSAJIT_BACKEND_AUTO) return status;
    failure_keep(&reason, status);
    status = precompiled_attach(engine, kernel);
    if (kernel->too_large && status) return status;
    failure_tell(&reason);
    if (status || !(kernel->too_large || engine_kernel_of(kernel)->precompiled))
        return reason.status;
    if (environment_get()->verbose) verbose_compiled(kernel, reason.status, NULL);
    begin(engine, kernel);
    return TOSAJIT_OK;
}

tosajit_status precompiled_settle(tosajit_engine *engine, tosajit_kernel *kernel) {
    tosajit_status status = precompiled_attach(engine, kernel);
    if (status) return status;
    atomic_store_explicit(&kernel->too_large, true, memory_order_release);
    begin(engine, kernel);
    return TOSAJIT_OK;
}
