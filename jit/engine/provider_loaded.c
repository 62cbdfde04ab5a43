/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Provider: the compiler in a library of its own, which is looked for where this library is, and
 * then where the system looks. It is loaded once and stays: LLVM's state does not survive
 * unloading. */
#define _GNU_SOURCE /* dladdr1, RTLD_DEEPBIND */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

enum { PATH_CAPACITY = 4096 };

/* The file that this code is in; false if that is not known. The loader has no name for the program
 * itself, and calls it what its caller did: a word that may lead from any folder to anywhere. */
static bool own_file(char *file) {
    Dl_info self;
    struct link_map *map = NULL;
    if (!dladdr1(tosajit_build, &self, (void **)&map, RTLD_DL_LINKMAP) || !map) return false;
    if (map->l_name[0] == '/')
        return (size_t)snprintf(file, PATH_CAPACITY, "%s", map->l_name) < PATH_CAPACITY;
    const ssize_t length = map->l_name[0] ? -1 : readlink("/proc/self/exe", file, PATH_CAPACITY);
    if (length < 0 || length >= PATH_CAPACITY) return false;
    file[length] = '\0';
    return true;
}

/* DIRECTORY/libtosajit-codegen.so.N, with the directory of this library, or else the name alone. */
static void beside_us(char *path) {
    char file[PATH_CAPACITY];
    const char *slash = own_file(file) ? strrchr(file, '/') : NULL;
    const int length = slash ? (int)(slash - file) + 1 : 0;
    const int written = snprintf(path, PATH_CAPACITY, "%.*s" TOSAJIT_CODEGEN_LIBRARY, length, file);
    if (written >= PATH_CAPACITY) snprintf(path, PATH_CAPACITY, "%s", TOSAJIT_CODEGEN_LIBRARY);
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
    enum { REASON_CAPACITY = 400 };
    char path[PATH_CAPACITY], reason[REASON_CAPACITY] = "";
    beside_us(path);
    void *library = dlopen(path, LOADING);
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
