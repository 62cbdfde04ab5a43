/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What fuzzers check with: conditions that end the process, and allocator hooks that count, of
 * which one may fail. */
#ifndef TOSAJIT_TESTS_FUZZ_CHECK_H
#define TOSAJIT_TESTS_FUZZ_CHECK_H

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
    size_t live, count, fail_at; /* bytes; allocations so far; which of them fails, 0: none */
} fuzz_account;

static inline void *fuzz_allocate(void *context, size_t size) {
    fuzz_account *a = context;
    if (++a->count == a->fail_at) return NULL;
    void *memory = malloc(size);
    if (memory) a->live += size;
    return memory;
}

static inline void fuzz_release(void *context, void *memory, size_t size) {
    fuzz_account *a = context;
    REQUIRE(size <= a->live);
    a->live -= size;
    free(memory);
}

static inline tosajit_allocator fuzz_allocator(fuzz_account *a) {
    return (tosajit_allocator){fuzz_allocate, fuzz_release, a};
}

#endif
