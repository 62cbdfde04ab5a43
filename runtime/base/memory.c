/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory: every allocation of this library's own objects goes through here. */
#include "runtime/base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *heap_allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static void heap_release(void *context, void *memory, size_t size) {
    (void)context;
    (void)size;
    free(memory);
}

tosajit_allocator memory_allocator(const tosajit_allocator *hooks) {
    tosajit_allocator heap = {heap_allocate, heap_release, NULL};
    return hooks && hooks->allocate && hooks->release ? *hooks : heap;
}

void *memory_new(const tosajit_allocator *allocator, size_t count, size_t size) {
    if (count == 0) count = 1;
    if (count > SIZE_MAX / size) return NULL;
    void *memory = allocator->allocate(allocator->context, count * size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void *memory_uncleared(const tosajit_allocator *allocator, size_t bytes) {
    return allocator->allocate(allocator->context, bytes);
}

void memory_free(const tosajit_allocator *allocator, void *memory, size_t count, size_t size) {
    if (count == 0) count = 1;
    if (memory) allocator->release(allocator->context, memory, count * size);
}

int memory_grow(const tosajit_allocator *allocator, void **array, size_t *capacity, size_t needed,
                size_t size) {
    if (needed <= *capacity) return 1;
    size_t grown = *capacity ? *capacity * 2 : 8;
    if (grown < needed) grown = needed;
    void *larger = memory_new(allocator, grown, size);
    if (!larger) return 0;
    if (*array) memcpy(larger, *array, *capacity * size);
    if (*array) memory_free(allocator, *array, *capacity, size);
    *array = larger;
    *capacity = grown;
    return 1;
}

static void *metered_allocate(void *context, size_t size) {
    memory_meter *meter = context;
    void *memory = meter->hooks.allocate(meter->hooks.context, size);
    if (memory) atomic_fetch_add_explicit(&meter->bytes, size, memory_order_relaxed);
    return memory;
}

static void metered_release(void *context, void *memory, size_t size) {
    memory_meter *meter = context;
    atomic_fetch_sub_explicit(&meter->bytes, size, memory_order_relaxed);
    meter->hooks.release(meter->hooks.context, memory, size);
}

tosajit_allocator memory_metered(memory_meter *meter, const tosajit_allocator *hooks) {
    meter->hooks = *hooks;
    atomic_init(&meter->bytes, 0);
    return (tosajit_allocator){metered_allocate, metered_release, meter};
}
