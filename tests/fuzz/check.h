/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of fuzzers: conditions that end the process, and allocator hooks that count, of
 * which one may fail. An engine's own thread calls them, too. */
#ifndef TOSAJIT_TESTS_FUZZ_CHECK_H
#define TOSAJIT_TESTS_FUZZ_CHECK_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tosajit/tosajit.h"

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #condition,        \
                    tosajit_last_error());                                                         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef struct fuzz_account {
    atomic_size_t live, count; /* bytes; allocations so far */
    size_t fail_at;            /* which of them fails; 0: none */
} fuzz_account;

static inline void *fuzz_allocate(void *context, size_t size) {
    fuzz_account *a = context;
    if (atomic_fetch_add(&a->count, 1) + 1 == a->fail_at) return NULL;
    void *memory = malloc(size);
    if (memory) atomic_fetch_add(&a->live, size);
    return memory;
}

static inline void fuzz_release(void *context, void *memory, size_t size) {
    fuzz_account *a = context;
    REQUIRE(atomic_fetch_sub(&a->live, size) >= size);
    free(memory);
}

static inline tosajit_allocator fuzz_allocator(fuzz_account *a) {
    return (tosajit_allocator){fuzz_allocate, fuzz_release, a};
}

#endif
