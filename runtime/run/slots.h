/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots: what a kernel remembers of the calls that it has met, in words of 64 bits. A tag, made of
 * a call's sizes, names a few neighbouring slots; calls may share a tag, so what a slot holds says
 * which one it is for. A slot is written once, by the thread that takes it, and never changed.
 * Whoever finds its tag reads it where it lies, without a lock. Where all neighbours are taken, a
 * new call is not remembered. */
#ifndef TOSAJIT_RUNTIME_RUN_SLOTS_H
#define TOSAJIT_RUNTIME_RUN_SLOTS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SLOTS_WAYS = 8 /* neighbours that are searched, at most */ };

/* States of a slot; that of a written one is its tag, whose last two bits are those of the last. */
enum { SLOT_FREE, SLOT_TAKEN, SLOT_WRITTEN };

typedef struct slots {
    size_t count, ways, words; /* of slots; of those that are searched; of each */
    int64_t *memory;           /* of all slots; follows the states */
    _Atomic uint32_t states[];
} slots;

/* A slot; words are null where there is none. */
typedef struct slot {
    int64_t *words;
    _Atomic uint32_t *state;
} slot;

static inline size_t slots_bytes(size_t count, size_t words) {
    return sizeof(slots) + count * (sizeof(uint32_t) + words * sizeof(int64_t));
}

/* In memory of so many bytes; count is even. */
static inline void slots_make(slots *s, size_t count, size_t words) {
    memset(s, 0, slots_bytes(count, 0));
    s->count = count;
    s->ways = count < SLOTS_WAYS ? count : SLOTS_WAYS;
    s->words = words;
    s->memory = (int64_t *)(s->states + count);
}

static inline uint32_t slots_tag(uint64_t hash) {
    return (uint32_t)(hash ^ hash >> 13 ^ hash >> 22) << 2 | SLOT_WRITTEN;
}

/* The way'th neighbour of a tag. */
static inline slot slots_neighbour(slots *s, uint32_t tag, size_t way) {
    const size_t next = (size_t)((uint64_t)(tag >> 2) * s->count >> 30) + way,
                 at = next < s->count ? next : next - s->count;
    return (slot){&s->memory[at * s->words], &s->states[at]};
}

/* What the way'th neighbour of a tag holds; null if it does not have that tag. */
static inline const int64_t *slots_find(slots *s, uint32_t tag, size_t way) {
    const slot found = slots_neighbour(s, tag, way);
    return atomic_load_explicit(found.state, memory_order_acquire) == tag ? found.words : NULL;
}

/* A free slot for the tag, which is the caller's to write and publish. */
static inline slot slots_take(slots *s, uint32_t tag) {
    for (size_t way = 0; way < s->ways; way++) {
        const slot found = slots_neighbour(s, tag, way);
        uint32_t expected = SLOT_FREE;
        if (atomic_compare_exchange_strong_explicit(found.state, &expected, SLOT_TAKEN,
                                                    memory_order_relaxed, memory_order_relaxed))
            return found;
    }
    return (slot){NULL, NULL};
}

/* Let others find what was written. */
static inline void slot_publish(slot s, uint32_t tag) {
    atomic_store_explicit(s.state, tag, memory_order_release);
}

#endif
