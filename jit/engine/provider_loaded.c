/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Provider: the compiler in a library of its own, which is looked for where this library is, and
 * then where the system looks. It is loaded once and stays: LLVM's state does not survive
 * unloading. */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "jit/engine/beside.h"
#include "jit/engine/compiler.h"
#include "runtime/base/diag.h"

/* Two versions of LLVM in one process: each must find its own functions first. Where malloc is
 * replaced, memory would be given back to another allocator than it came from, so this is not the
 * rule. */
#ifdef TOSAJIT_ISOLATE_LLVM
enum { LOADING = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_DEEPBIND };
#else
enum { LOADING = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
#endif

static const compiler_table *load_library(void) {
    enum { REASON_CAPACITY = 400 };
    char reason[REASON_CAPACITY] = "";
    void *library = beside_open(TOSAJIT_CODEGEN_LIBRARY, LOADING, reason, sizeof reason);
    const compiler_table *found = library ? dlsym(library, "tosajit_private_compiler") : NULL;
    if (!found) {
        diag_error(TOSAJIT_CODEGEN_FAILED, "the library that compiles cannot be loaded: %s%s",
                   reason, dlerror());
        return NULL;
    }
    if (strcmp(found->build, tosajit_build) == 0) return found;
    diag_error(TOSAJIT_CODEGEN_FAILED,
               "%s is of another build than libtosajit; install both together",
               TOSAJIT_CODEGEN_LIBRARY);
    return NULL;
}

/* Two threads may load it at once, and get the same. There is no lock that a child could find held.
 */
const compiler_table *compiler_find(void) {
    static _Atomic(const compiler_table *) known;
    const compiler_table *table = atomic_load_explicit(&known, memory_order_acquire);
    if (!table) {
        table = load_library();
        atomic_store_explicit(&known, table, memory_order_release);
    }
    return table;
}
