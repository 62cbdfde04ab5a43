/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a number of bytes. Out: memory with its own count of owners. */
#include "tools/python/array_memory.h"

#include <stdint.h>

#include "tools/python/array_pages.h"

enum { CACHE_LINE = 64 };

/* Fresh pages cost more than most kernels; large ones cost less. The description of the elements is
 * behind the elements, which spares an allocation. */
array_memory *array_memory_make(size_t bytes) {
    size_t alignment = bytes >= 2 * (size_t)ARRAY_HUGE_PAGE ? ARRAY_HUGE_PAGE : CACHE_LINE;
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t whole = (bytes + alignment - 1) / alignment * alignment;
    void *data = array_pages_take(alignment, whole, sizeof(array_memory));
    if (!data) return NULL;
    array_memory *memory = (void *)((char *)data + whole);
    memory->data = data;
    atomic_init(&memory->owners, 1);
    return memory;
}

void array_memory_keep(array_memory *memory) {
    atomic_fetch_add_explicit(&memory->owners, 1, memory_order_relaxed);
}

void array_memory_release(array_memory *memory) {
    if (atomic_fetch_sub_explicit(&memory->owners, 1, memory_order_acq_rel) == 1)
        array_pages_give(memory->data);
}
