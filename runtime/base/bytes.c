/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes: writing, reading, hashing. */
#include "runtime/base/bytes.h"

#include <string.h>

#include "runtime/base/memory.h"

/* Room for size more bytes. */
static bool make_room(byte_writer *w, size_t size) {
    enum { USUAL_SIZE = 512 };
    if (size > SIZE_MAX / 4 - w->size) return false;
    size_t needed = w->size + size;
    if (needed < USUAL_SIZE) needed = USUAL_SIZE;
    return memory_grow(&w->allocator, (void **)&w->bytes, &w->capacity, needed, 1);
}

void bytes_put(byte_writer *w, const void *bytes, size_t size) {
    if (w->failed || !make_room(w, size)) {
        w->failed = true;
        return;
    }
    if (size) memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

void bytes_put_number(byte_writer *w, int64_t number) { bytes_put(w, &number, sizeof number); }

void bytes_align(byte_writer *w, size_t alignment) {
    static const unsigned char zeros[8];
    while (!w->failed && w->size % alignment) {
        size_t missing = alignment - w->size % alignment;
        bytes_put(w, zeros, missing < sizeof zeros ? missing : sizeof zeros);
    }
}

void bytes_release(byte_writer *w) {
    memory_free(&w->allocator, w->bytes, w->capacity, 1);
    w->bytes = NULL;
    w->size = w->capacity = 0;
}

const void *bytes_take(byte_reader *r, uint64_t size) {
    if (r->failed || size > r->size - r->at) {
        r->failed = true;
        return NULL;
    }
    const void *taken = r->bytes + r->at;
    r->at += (size_t)size;
    return taken;
}

int64_t bytes_take_number(byte_reader *r, int64_t low, int64_t high) {
    int64_t number = low;
    const void *taken = bytes_take(r, sizeof number);
    if (taken) memcpy(&number, taken, sizeof number);
    if (number >= low && number <= high) return number;
    r->failed = true;
    return low;
}

/* FNV-1a, eight bytes at a time, with the high bits folded down. Each step is invertible, so blocks
 * of one size that differ in one word have different hashes. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(1099511628211);
    return hash ^ hash >> 29;
}

uint64_t bytes_hash(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t hash = UINT64_C(14695981039346656037) ^ size, word;
    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    if (size) memcpy(&word, at, size);
    return size ? mix(hash, word) : hash;
}
