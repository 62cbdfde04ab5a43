/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stand in, where there may be precompiled ops. */
#include "runtime/precompiled/stand_in.h"

#include "runtime/base/features.h"
#include "runtime/precompiled/precompiled.h"
#include "runtime/precompiled/ops.h"

/* It has its code from the first. */
static tosajit_status wait_for_nothing(tosajit_kernel *kernel) {
    (void)kernel;
    return TOSAJIT_OK;
}

static void release(tosajit_kernel *kernel) {
    precompiled_destroy(kernel, kernel->owned);
    kernel_destroy(kernel);
}

tosajit_status stand_in_attach(tosajit_kernel *kernel) {
    static const kernel_owner itself = {.wait = wait_for_nothing, .release = release};
    const rows_library *library = ops_find();
    const int level = library ? rows_level(library, features_host()) : ROWS_NO_CODE;
    if (level == ROWS_NO_CODE) return TOSAJIT_NOT_EXECUTABLE;
    precompiled *made;
    tosajit_status status = precompiled_make(kernel, library, level, &made);
    if (status) return status;
    kernel->owner = &itself;
    kernel->owned = made;
    atomic_store_explicit(&kernel->code, &made->code, memory_order_release);
    return TOSAJIT_OK;
}
