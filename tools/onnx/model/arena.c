/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks, each a list's link and its memory. Small pieces share one; a large piece has its own.
 * With the address sanitizer every piece has a block of its own, so that the sanitizer sees reads
 * beside a piece. */
#include "tools/onnx/model/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(name) 0 /* gcc */
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
enum { BLOCK = 0 };
#else
#define ASAN_POISON_MEMORY_REGION(from, size) ((void)(from), (void)(size))
enum { BLOCK = 1 << 16 };
#endif
enum { ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used, capacity;
};

static const size_t head = (sizeof(struct arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

static struct arena_block *add_block(arena *a, size_t size) {
    size_t capacity = size > BLOCK / 4 ? size : BLOCK;
    if (capacity > a->limit - a->taken) return NULL;
    struct arena_block *block = calloc(1, head + capacity);
    if (!block) return NULL;
    ASAN_POISON_MEMORY_REGION(block + 1, head - sizeof *block);
    block->capacity = capacity;
    a->taken += capacity;
    /* A piece that fills its block goes behind the block that still has room. */
    if (a->blocks && size > BLOCK / 4) {
        block->next = a->blocks->next;
        a->blocks->next = block;
    } else {
        block->next = a->blocks;
        a->blocks = block;
    }
    return block;
}

void *arena_take(arena *a, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size_t whole = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_block *block = a->blocks;
    if (!block || whole > block->capacity - block->used) block = add_block(a, whole);
    if (!block) return NULL;
    void *memory = (char *)block + head + block->used;
    block->used += whole;
    return memory;
}

void *arena_array(arena *a, size_t count, size_t size) {
    if (count > SIZE_MAX / 2 / size) return NULL;
    return arena_take(a, count * size);
}

char *arena_text(arena *a, const char *bytes, size_t length) {
    char *text = arena_take(a, length + 1);
    if (text) memcpy(text, bytes, length);
    return text;
}

char *arena_print(arena *a, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : arena_take(a, (size_t)length + 1);
    if (!text) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void arena_release(arena *a) {
    while (a->blocks) {
        struct arena_block *block = a->blocks;
        a->blocks = block->next;
        free(block);
    }
    memset(a, 0, sizeof *a);
}
