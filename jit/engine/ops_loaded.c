/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ops in a library of their own, which is looked for where this library is, and then where the
 * system looks. It is loaded once and stays. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "jit/engine/beside.h"
#include "jit/engine/ops.h"
#include "runtime/base/diag.h"

static const rows_library *load_library(void) {
    enum { REASON_CAPACITY = 400 };
    char reason[REASON_CAPACITY] = "";
    void *library = beside_open(TOSAJIT_OPS_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE, reason,
                                sizeof reason);
    const rows_library *found = library ? dlsym(library, "tosajit_private_ops") : NULL;
    if (!found) {
        diag_error(TOSAJIT_NOT_EXECUTABLE, "the library of precompiled ops cannot be loaded: %s%s",
                   reason, dlerror());
        return NULL;
    }
    if (strcmp(found->build, tosajit_ops_build) == 0) return found;
    diag_error(TOSAJIT_NOT_EXECUTABLE,
               "%s is of another build than libtosajit; install both together",
               TOSAJIT_OPS_LIBRARY);
    return NULL;
}

/* Two threads may load it at once, and get the same. There is no lock that a child could find held.
 */
const rows_library *ops_find(void) {
    static _Atomic(const rows_library *) known;
    const rows_library *library = atomic_load_explicit(&known, memory_order_acquire);
    if (!library) {
        library = load_library();
        atomic_store_explicit(&known, library, memory_order_release);
    }
    return library;
}
