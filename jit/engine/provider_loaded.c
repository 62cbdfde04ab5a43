/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Provider: the compiler in a library of its own, which is looked for where this library is, and
 * then where the system looks. It is loaded once and stays: LLVM's state does not survive
 * unloading. */
#define _GNU_SOURCE /* dladdr, RTLD_DEEPBIND */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* DIRECTORY/libtosajit-codegen.so.N, with the directory of this library; false if that is not
 * known. */
static bool beside_us(char *path, size_t capacity) {
    Dl_info self;
    if (!dladdr(tosajit_build, &self) || !self.dli_fname) return false;
    const char *slash = strrchr(self.dli_fname, '/');
    if (!slash) return false;
    size_t length = (size_t)snprintf(path, capacity, "%.*s/" TOSAJIT_CODEGEN_LIBRARY,
                                     (int)(slash - self.dli_fname), self.dli_fname);
    return length < capacity;
}

enum { UNKNOWN, WRITING, KNOWN };
/* That the library, or LLVM, is not on this machine, with the sentence about it: to look in every
 * folder again would cost each kernel of precompiled ops forty microseconds. Any other failure may
 * pass.
 */
static struct {
    atomic_int state;
    char text[1024];
} missing;

/* What dlerror says of a file that is not there; errno does not tell. */
static bool is_missing(const char *why) { return strstr(why, strerror(ENOENT)) != NULL; }

static void remember_missing(void) {
    int expected = UNKNOWN;
    if (!atomic_compare_exchange_strong(&missing.state, &expected, WRITING)) return;
    snprintf(missing.text, sizeof missing.text, "%s", tosajit_last_error());
    atomic_store_explicit(&missing.state, KNOWN, memory_order_release);
}

static const compiler_table *load_library(void) {
    enum { PATH_CAPACITY = 4096, REASON_CAPACITY = 400 };
    char path[PATH_CAPACITY], reason[REASON_CAPACITY] = "";
    void *library = beside_us(path, sizeof path) ? dlopen(path, LOADING) : NULL;
    if (!library) snprintf(reason, sizeof reason, "%s; ", dlerror());
    if (!library) library = dlopen(TOSAJIT_CODEGEN_LIBRARY, LOADING);
    const compiler_table *found = library ? dlsym(library, "tosajit_private_compiler") : NULL;
    if (!found) {
        const char *why = dlerror();
        diag_error(TOSAJIT_CODEGEN_FAILED, "the library that compiles cannot be loaded: %s%s",
                   reason, why);
        if (is_missing(reason) && is_missing(why)) remember_missing();
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
    if (!table && atomic_load_explicit(&missing.state, memory_order_acquire) == KNOWN) {
        diag_error(TOSAJIT_CODEGEN_FAILED, "%s", missing.text);
    } else if (!table) {
        table = load_library();
        atomic_store_explicit(&known, table, memory_order_release);
    }
    return table;
}
