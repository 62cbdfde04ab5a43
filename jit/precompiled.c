/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Precompiled: a kernel's way to code that was made with the library. */
#include "jit/precompiled.h"

#include "jit/engine/failure.h"
#include "runtime/base/diag.h"
#include "runtime/base/environment.h"
#include "runtime/machine/machine.h"
#include "runtime/run/verbose.h"

tosajit_status precompiled_attach(tosajit_engine *engine, tosajit_kernel *kernel) {
    const rows_library *library;
    int level;
    tosajit_status status = engine_find_ops(engine, &library, &level);
    if (!status) status = machine_make(kernel, library, level);
    if (!status) status = engine_check_cap(engine);
    if (status) {
        machine_release(kernel);
        return status;
    }
    atomic_store_explicit(&kernel->code, &kernel->machine->code, memory_order_release);
    return TOSAJIT_OK;
}

tosajit_status precompiled_stand_in(tosajit_engine *engine, tosajit_kernel *kernel,
                                    tosajit_status status) {
    failure reason;
    if (engine->backend != TOSAJIT_BACKEND_AUTO) return status;
    failure_keep(&reason, status);
    if (precompiled_attach(engine, kernel)) return failure_tell(&reason);
    precompiled_count(engine);
    failure_tell(&reason); /* of which the first line tells */
    if (environment_get()->verbose) verbose_compiled(kernel, status, NULL);
    if (environment_get()->verbose) verbose_compiled(kernel, TOSAJIT_OK, NULL);
    return TOSAJIT_OK;
}
