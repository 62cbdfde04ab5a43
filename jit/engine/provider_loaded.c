/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Provider: the compiler in a library of its own. It is looked for beside this library, and then
 * where the system looks. The library with LLVM inside comes first: it needs no other, and is there
 * only if somebody has put it there. The compiler is loaded once and stays: LLVM's state does not
 * survive unloading. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "jit/engine/compiler.h"
#include "runtime/base/diag.h"
#include "runtime/system/system.h"

/* Two versions of LLVM in one process: each must find its own functions first. Where malloc is
 * replaced, memory would be given back to another allocator than it came from, so this is not the
 * rule. */
#ifdef TOSAJIT_ISOLATE_LLVM
enum { ISOLATED = true };
#else
enum { ISOLATED = false };
#endif

enum { PATH_CAPACITY = 4096 };

/* DIRECTORY/NAME, with the directory of this library, or else the name alone. */
static void beside_us(const char *name, char *path) {
    char file[PATH_CAPACITY];
    const char *slash =
        system_library_file(tosajit_build, file, sizeof file) ? strrchr(file, '/') : NULL;
    const int length = slash ? (int)(slash - file) + 1 : 0;
    const int written = snprintf(path, PATH_CAPACITY, "%.*s%s", length, file, name);
    if (written >= PATH_CAPACITY) snprintf(path, PATH_CAPACITY, "%s", name);
}

enum { UNKNOWN, WRITING, KNOWN };
/* A record that the library, or LLVM, is not on this machine, with the sentence about it. To look
 * in every folder again would cost each kernel of precompiled ops forty microseconds. Any other
 * failure may pass, and is not recorded. */
static struct {
    atomic_int state;
    char text[1024];
} missing;

static void remember_missing(void) {
    int expected = UNKNOWN;
    if (!atomic_compare_exchange_strong(&missing.state, &expected, WRITING)) return;
    snprintf(missing.text, sizeof missing.text, "%s", tosajit_last_error());
    atomic_store_explicit(&missing.state, KNOWN, memory_order_release);
}

static const compiler_table *load_library(void) {
    enum { REASON_CAPACITY = 400 };
    char path[PATH_CAPACITY], beside[REASON_CAPACITY] = "";
    bool none_beside = false;
    system_no_library reason = {NULL, false};
    beside_us(TOSAJIT_CODEGEN_WITH_LLVM, path);
    void *library = system_library_open(path, ISOLATED, &reason);
    if (!library) {
        beside_us(TOSAJIT_CODEGEN_LIBRARY, path);
        library = system_library_open(path, ISOLATED, &reason);
    }
    if (!library) {
        snprintf(beside, sizeof beside, "%s; ", reason.why);
        none_beside = reason.missing;
        library = system_library_open(TOSAJIT_CODEGEN_LIBRARY, ISOLATED, &reason);
    }
    const compiler_table *found =
        library ? system_library_symbol(library, "tosajit_private_compiler", &reason) : NULL;
    if (!found) {
        diag_error(TOSAJIT_CODEGEN_FAILED, "the library that compiles cannot be loaded: %s%s",
                   beside, reason.why);
        if (none_beside && reason.missing) remember_missing();
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
