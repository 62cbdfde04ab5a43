/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* _dl_find_object, which, unlike dladdr, looks up no symbol */
#include "tests/support/failing_heap.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* The C library's own, under the names that it keeps for programs like this one. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

/* MLIR's C API, which is within libtosajit-mlir, does not look at what realloc gives. */
#ifndef FAILING_REALLOC
#define FAILING_REALLOC 1
#endif

static atomic_size_t fail_at, count; /* 0: nothing fails */

void failing_heap_start(size_t at) {
    atomic_store(&count, 0);
    atomic_store(&fail_at, at);
}

bool failing_heap_stop(void) { return atomic_load(&count) >= atomic_exchange(&fail_at, 0); }

/* True if the allocation whose caller goes on at `code` fails. */
static bool fails(const void *code) {
    const size_t at = atomic_load_explicit(&fail_at, memory_order_relaxed);
    struct dl_find_object found;
    if (at == 0 || _dl_find_object((void *)(uintptr_t)code, &found)) return false;
    const char *path = found.dlfo_link_map->l_name, *file = strrchr(path, '/');
    if (strncmp(file ? file + 1 : path, "libtosajit", strlen("libtosajit")) != 0) return false;
    return atomic_fetch_add(&count, 1) + 1 == at;
}

EXPORTED void *malloc(size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t number, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(number, size);
}

EXPORTED void *realloc(void *memory, size_t size) {
    const bool fail = FAILING_REALLOC && fails(__builtin_return_address(0));
    return fail ? NULL : __libc_realloc(memory, size);
}
