/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Guarded tensors, made from anonymous pages with an inaccessible page on both sides. See guard.h.
 */
#define _DEFAULT_SOURCE /* mmap with MAP_ANONYMOUS */
#include "tests/support/guard.h"

#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

enum {
    FILLING = 0xA5,
    MARGIN = 512, /* bytes beside the tensor that are watched; more than any vector or unrolled loop
                     reaches */
};

#if defined(_WIN32)
static size_t page_size(void) {
    SYSTEM_INFO about;
    GetSystemInfo(&about);
    return about.dwPageSize;
}
static void *reserve(size_t size) { return VirtualAlloc(NULL, size, MEM_RESERVE, PAGE_NOACCESS); }
static bool let_in(void *room, size_t size) {
    return VirtualAlloc(room, size, MEM_COMMIT, PAGE_READWRITE) != NULL;
}
static void release(void *map, size_t size) {
    (void)size;
    VirtualFree(map, 0, MEM_RELEASE);
}
#else
static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }
static void *reserve(size_t size) {
    void *map = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}
static bool let_in(void *room, size_t size) {
    return mprotect(room, size, PROT_READ | PROT_WRITE) == 0;
}
static void release(void *map, size_t size) { munmap(map, size); }
#endif

bool guard_create(guard_tensor *guard, size_t capacity) {
    *guard = (guard_tensor){.map = NULL};
    size_t page = page_size();
    guard->room_size = (capacity + MARGIN + page - 1) / page * page;
    guard->map_size = guard->room_size + 2 * page;
    guard->shadow = malloc(guard->room_size);
    guard->map = reserve(guard->map_size);
    if (guard->map) guard->room = guard->map + page;
    if (guard->shadow && guard->map && let_in(guard->room, guard->room_size)) return true;
    guard_destroy(guard);
    return false;
}

void guard_destroy(guard_tensor *guard) {
    free(guard->shadow);
    if (guard->map) release(guard->map, guard->map_size);
    *guard = (guard_tensor){.map = NULL};
}

int64_t guard_count(int32_t rank, const int64_t *dims) {
    int64_t count = 1;
    for (int32_t d = 0; d < rank; d++) count *= dims[d];
    return count;
}

/* The part of the room that is watched: the tensor and the margin on its open side. */
static void watched(const guard_tensor *guard, size_t *start, size_t *size) {
    size_t offset = (size_t)(guard->memory - guard->room);
    *start = offset > MARGIN ? offset - MARGIN : 0;
    size_t end = offset + guard->size + MARGIN;
    *size = (end < guard->room_size ? end : guard->room_size) - *start;
}

static void fill(guard_tensor *guard) {
    size_t start, size;
    watched(guard, &start, &size);
    memset(guard->room + start, FILLING, size);
}

bool guard_place(guard_tensor *guard, tosajit_type element, int32_t rank, const int64_t *dims,
                 const int64_t *strides, guard_edge edge) {
    int64_t low = 0, high = (int64_t)tosajit_type_size(element), step = high;
    for (int32_t d = rank; d-- > 0;) {
        guard->dims[d] = dims[d];
        guard->strides[d] = strides ? strides[d] : step;
        step *= dims[d];
        int64_t reach = (dims[d] - 1) * guard->strides[d];
        *(reach < 0 ? &low : &high) += reach;
    }
    bool empty = guard_count(rank, dims) == 0;
    guard->size = empty ? 0 : (size_t)(high - low);
    if (guard->size + MARGIN > guard->room_size) return false;
    guard->memory =
        edge == GUARD_AT_END ? guard->room + guard->room_size - guard->size : guard->room;
    guard->tensor = (tosajit_tensor){element, rank, guard->memory - (empty ? 0 : low), guard->dims,
                                     strides ? guard->strides : NULL};
    fill(guard);
    return true;
}

void guard_move(guard_tensor *guard, size_t bytes) {
    if (guard->size + MARGIN + bytes > guard->room_size) return;
    const ptrdiff_t step = guard->memory == guard->room ? (ptrdiff_t)bytes : -(ptrdiff_t)bytes;
    guard->memory += step;
    guard->tensor.data = (unsigned char *)guard->tensor.data + step;
    fill(guard);
}

unsigned char *guard_at(const guard_tensor *guard, const int64_t *index) {
    unsigned char *address = guard->tensor.data;
    for (int32_t d = 0; d < guard->tensor.rank; d++) address += index[d] * guard->strides[d];
    return address;
}

bool guard_next(int32_t rank, const int64_t *dims, int64_t *index) {
    for (int32_t d = rank; d-- > 0;) {
        if (++index[d] < dims[d]) return true;
        index[d] = 0;
    }
    return false;
}

void guard_remember(guard_tensor *guard) {
    size_t start, size;
    watched(guard, &start, &size);
    memcpy(guard->shadow + start, guard->room + start, size);
}

bool guard_intact(guard_tensor *guard, bool elements) {
    size_t start, size, element = tosajit_type_size(guard->tensor.element);
    watched(guard, &start, &size);
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    if (elements && guard->size > 0) do {
            const unsigned char *address = guard_at(guard, index);
            memcpy(guard->shadow + (address - guard->room), address, element);
        } while (guard_next(guard->tensor.rank, guard->dims, index));
    return memcmp(guard->shadow + start, guard->room + start, size) == 0;
}
