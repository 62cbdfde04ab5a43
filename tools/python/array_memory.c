/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a number of bytes. Out: memory with its own count of owners. */
#define _DEFAULT_SOURCE /* posix_memalign, madvise */
#include "tools/python/array_memory.h"

#include <stdint.h>
#include <stdlib.h>
#if defined(_WIN32)
#include <malloc.h>
#else
#include <sys/mman.h>
#endif

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };

/* Of a whole number of lines; large memory is asked for in large pages, where a process may have
 * them for the asking. */
#if defined(_WIN32)
static void *take(size_t alignment, size_t whole, size_t more) {
    return _aligned_malloc(whole + more, alignment);
}
static void give(void *data) { _aligned_free(data); }
#else
static void *take(size_t alignment, size_t whole, size_t more) {
    void *data;
    if (posix_memalign(&data, alignment, whole + more)) return NULL;
    if (alignment == HUGE_PAGE) madvise(data, whole, MADV_HUGEPAGE);
    return data;
}
static void give(void *data) { free(data); }
#endif

/* Fresh pages cost more than most kernels; large ones cost less. What tells of the elements is
 * behind them, which spares an allocation. */
array_memory *array_memory_make(size_t bytes) {
    size_t alignment = bytes >= 2 * (size_t)HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t whole = (bytes + alignment - 1) / alignment * alignment;
    void *data = take(alignment, whole, sizeof(array_memory));
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
        give(memory->data);
}
