/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An allocator that counts. */
#include "tests/support/account.h"

#include <stdlib.h>

static void *count_allocate(void *context, size_t size) {
    account *a = context;
    const size_t count = atomic_fetch_add(&a->count, 1) + 1, fail_at = a->fail_at;
    if (count == fail_at || (fail_at && a->from_then_on && count > fail_at)) return NULL;
    void *memory = malloc(size);
    if (memory) a->live += size;
    return memory;
}

static void count_release(void *context, void *memory, size_t size) {
    account *a = context;
    a->live -= size;
    free(memory);
}

tosajit_allocator account_allocator(account *a) {
    return (tosajit_allocator){count_allocate, count_release, a};
}
