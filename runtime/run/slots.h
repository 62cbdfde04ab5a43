/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots: what a kernel remembers of the calls that it has met, in words of 64 bits. A tag, made of
 * a call's sizes, names a few neighbouring slots; calls may share a tag, so what a slot holds says
 * which one it is for. A slot is written once, by the thread that takes it. What changes later is
 * atomic. */
#ifndef TOSAJIT_RUNTIME_RUN_SLOTS_H
#define TOSAJIT_RUNTIME_RUN_SLOTS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SLOTS_DYNAMIC = 64, /* of a kernel that has sizes to meet; powers of two */
    SLOTS_STATIC = 4,   /* of one that has none: in place or not, and with some strides */
    SLOTS_WAYS = 8,     /* neighbours that are searched, at most */
};

/* What is in the place of a tag: one that is being written is left alone. Tags have SLOT_READY. */
enum { SLOT_FREE, SLOT_TAKEN, SLOT_READY };

typedef struct slots {
    size_t mask, ways, words; /* the number of slots less 1; that are searched; of each */
    int64_t *memory;          /* of all slots; follows the tags */
    _Atomic uint64_t tags[];
} slots;

static inline size_t slots_bytes(size_t count, size_t words) {
    return sizeof(slots) + count * (1 + words) * sizeof(int64_t);
}

/* In memory of so many bytes that is all zero. */
static inline void slots_make(slots *s, size_t count, size_t words) {
    s->mask = count - 1;
    s->ways = count < SLOTS_WAYS ? count : SLOTS_WAYS;
    s->words = words;
    s->memory = (int64_t *)(s->tags + count);
}

static inline uint64_t slots_tag(uint64_t hash) {
    return (hash ^ hash >> 13 ^ hash >> 22) | SLOT_READY;
}

static inline size_t slots_place(const slots *s, uint64_t tag, size_t way) {
    return ((size_t)(tag >> 2) + way) & s->mask;
}

static inline int64_t *slots_at(const slots *s, size_t at) { return &s->memory[at * s->words]; }

/* What is remembered under a tag in its way'th slot; null if that is for another tag. */
static inline int64_t *slots_find(const slots *s, uint64_t tag, size_t way) {
    const size_t at = slots_place(s, tag, way);
    return atomic_load_explicit(&s->tags[at], memory_order_acquire) == tag ? slots_at(s, at) : NULL;
}

/* A slot for the tag, taken; null if there is none left. It is the caller's to write and publish.
 */
static inline int64_t *slots_take(slots *s, uint64_t tag) {
    for (size_t way = 0; way < s->ways; way++) {
        const size_t at = slots_place(s, tag, way);
        uint64_t expected = SLOT_FREE;
        if (atomic_load_explicit(&s->tags[at], memory_order_relaxed) == SLOT_FREE &&
            atomic_compare_exchange_strong_explicit(&s->tags[at], &expected, SLOT_TAKEN,
                                                    memory_order_acquire, memory_order_relaxed))
            return slots_at(s, at);
    }
    return NULL;
}

/* Whether slots_take has a slot for the tag, as long as no other thread takes it. */
static inline int slots_have_room(const slots *s, uint64_t tag) {
    for (size_t way = 0; way < s->ways; way++)
        if (atomic_load_explicit(&s->tags[slots_place(s, tag, way)], memory_order_relaxed) ==
            SLOT_FREE)
            return 1;
    return 0;
}

/* Let others find what was written. */
static inline void slots_publish(slots *s, const int64_t *slot, uint64_t tag) {
    const size_t at = (size_t)(slot - s->memory) / s->words;
    atomic_store_explicit(&s->tags[at], tag, memory_order_release);
}

#endif
