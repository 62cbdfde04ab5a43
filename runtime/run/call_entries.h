/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries of a call cache: what a kernel remembers of the calls that it has met, in words of 64
 * bits. A tag, made of a call's sizes, names a few neighbouring entries. Calls may share a tag, so
 * what an entry holds says which call it is for. An entry is written once, by the thread that takes
 * it, and never changed. Whoever finds its tag reads it where it lies, without a lock. Where all
 * neighbours are taken, a new call is not remembered. */
#ifndef TOSAJIT_RUNTIME_RUN_CALL_ENTRIES_H
#define TOSAJIT_RUNTIME_RUN_CALL_ENTRIES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CALL_ENTRIES_WAYS = 8 /* neighbours that are searched, at most */ };

/* States of an entry; the state of a written entry is its tag, with CALL_ENTRY_WRITTEN as last two
 * bits.
 */
enum { CALL_ENTRY_FREE, CALL_ENTRY_TAKEN, CALL_ENTRY_WRITTEN };

typedef struct call_entries {
    size_t count, ways, words; /* of entries; of those that are searched; of each */
    int64_t *memory;           /* of all entries; follows the states */
    _Atomic uint32_t states[];
} call_entries;

/* An entry; words are null where there is none. */
typedef struct call_entry {
    int64_t *words;
    _Atomic uint32_t *state;
} call_entry;

static inline size_t call_entries_bytes(size_t count, size_t words) {
    return sizeof(call_entries) + count * (sizeof(uint32_t) + words * sizeof(int64_t));
}

/* In memory of so many bytes; count is even. */
static inline void call_entries_make(call_entries *s, size_t count, size_t words) {
    memset(s, 0, call_entries_bytes(count, 0));
    s->count = count;
    s->ways = count < CALL_ENTRIES_WAYS ? count : CALL_ENTRIES_WAYS;
    s->words = words;
    s->memory = (int64_t *)(s->states + count);
}

static inline uint32_t call_entries_tag(uint64_t hash) {
    return (uint32_t)(hash ^ hash >> 13 ^ hash >> 22) << 2 | CALL_ENTRY_WRITTEN;
}

/* The way'th neighbour of a tag. */
static inline call_entry call_entries_neighbour(call_entries *s, uint32_t tag, size_t way) {
    const size_t next = (size_t)((uint64_t)(tag >> 2) * s->count >> 30) + way,
                 at = next < s->count ? next : next - s->count;
    return (call_entry){&s->memory[at * s->words], &s->states[at]};
}

/* The entry of the way'th neighbour of a tag; null if it does not have that tag. */
static inline const int64_t *call_entries_find(call_entries *s, uint32_t tag, size_t way) {
    const call_entry found = call_entries_neighbour(s, tag, way);
    return atomic_load_explicit(found.state, memory_order_acquire) == tag ? found.words : NULL;
}

/* True if there may be a free entry for the tag. */
static inline bool call_entries_have_room(call_entries *s, uint32_t tag) {
    for (size_t way = 0; way < s->ways; way++) {
        const call_entry found = call_entries_neighbour(s, tag, way);
        if (atomic_load_explicit(found.state, memory_order_relaxed) == CALL_ENTRY_FREE) return true;
    }
    return false;
}

/* A free entry for the tag, which is the caller's to write and publish. */
static inline call_entry call_entries_take(call_entries *s, uint32_t tag) {
    for (size_t way = 0; way < s->ways; way++) {
        const call_entry found = call_entries_neighbour(s, tag, way);
        uint32_t expected = CALL_ENTRY_FREE;
        if (atomic_compare_exchange_strong_explicit(found.state, &expected, CALL_ENTRY_TAKEN,
                                                    memory_order_relaxed, memory_order_relaxed))
            return found;
    }
    return (call_entry){NULL, NULL};
}

/* Let others find what was written. */
static inline void call_entry_publish(call_entry s, uint32_t tag) {
    atomic_store_explicit(s.state, tag, memory_order_release);
}

#endif
