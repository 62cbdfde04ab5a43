/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots: what a kernel remembers of the calls that it has met, in words of 64 bits. A tag, made of
 * a call's sizes, names a few neighbouring slots; calls may share a tag, so what a slot holds says
 * which one it is for.
 *
 * Most slots are kept: written once, by the thread that takes them, and never changed. Every fourth
 * is passing: a new call replaces one that was there. Nobody takes a lock. Who reads such a slot
 * copies it, and then looks whether it was replaced meanwhile. So each word is read before the
 * state is looked at again, and written after it has changed: that is what acquire and release say.
 *
 * Source: Boehm, "Can seqlocks get along with programming language memory models?", 2012. */
#ifndef TOSAJIT_RUNTIME_RUN_SLOTS_H
#define TOSAJIT_RUNTIME_RUN_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SLOTS_WAYS = 8,    /* neighbours that are searched, at most */
    SLOTS_PASSING = 4, /* one of so many is */
};

/* The last two bits of a slot's state. With a hash of its call before them they are the tag; the
 * upper half counts how often the slot was taken. */
enum { SLOT_FREE, SLOT_TAKEN, SLOT_READY, SLOT_BITS = 3 };

typedef _Atomic int64_t slot_word;

typedef struct slots {
    size_t count, ways, words; /* of slots; of those that are searched; of each */
    slot_word *memory;         /* of all slots; follows the states */
    _Atomic uint32_t replaced; /* how many were */
    _Atomic uint64_t states[];
} slots;

/* A slot that was found, as it was then. */
typedef struct slot {
    slot_word *words; /* null: none */
    _Atomic uint64_t *state;
    uint64_t seen;
    bool passing;
} slot;

static inline size_t slots_bytes(size_t count, size_t words) {
    return sizeof(slots) + count * (1 + words) * sizeof(int64_t);
}

/* In memory of so many bytes; count is a multiple of SLOTS_PASSING. */
static inline void slots_make(slots *s, size_t count, size_t words) {
    memset(s, 0, slots_bytes(count, 0));
    s->count = count;
    s->ways = count < SLOTS_WAYS ? count : SLOTS_WAYS;
    s->words = words;
    s->memory = (slot_word *)(s->states + count);
}

static inline uint32_t slots_tag(uint64_t hash) {
    return (uint32_t)(hash ^ hash >> 13 ^ hash >> 22) << 2 | SLOT_READY;
}

static inline slot slots_at(slots *s, size_t at) {
    return (slot){&s->memory[at * s->words], &s->states[at],
                  atomic_load_explicit(&s->states[at], memory_order_acquire),
                  at % SLOTS_PASSING == 0};
}

/* Where the neighbours of a tag begin: with one that is kept. */
static inline size_t slots_first(const slots *s, uint32_t tag) {
    return (size_t)((uint64_t)(tag >> 2) * s->count >> 30) | 1;
}

/* The way'th slot of a tag. */
static inline slot slots_neighbour(slots *s, uint32_t tag, size_t way) {
    const size_t at = slots_first(s, tag) + way;
    return slots_at(s, at < s->count ? at : at - s->count);
}

/* The way'th slot of a tag, if it has that tag. */
static inline slot slots_find(slots *s, uint32_t tag, size_t way) {
    slot found = slots_neighbour(s, tag, way);
    if ((uint32_t)found.seen != tag) found.words = NULL;
    return found;
}

static inline int64_t slot_word_at(slot s, size_t at) {
    return atomic_load_explicit(&s.words[at], memory_order_acquire);
}

/* Copy words from..from + count. */
static inline void slot_read(slot s, size_t from, size_t count, void *to) {
    for (size_t k = 0; k < count; k++) {
        const int64_t word = slot_word_at(s, from + k);
        memcpy((char *)to + k * sizeof word, &word, sizeof word);
    }
}

/* Whether all that was read since the slot was found is of one call. */
static inline bool slot_held(slot s) {
    return atomic_load_explicit(s.state, memory_order_relaxed) == s.seen;
}

/* False if it is no longer as it was seen. */
static inline bool slot_take(slot *s) {
    const uint64_t taken = (s->seen >> 32) + 1;
    uint64_t expected = s->seen;
    s->seen = taken << 32;
    return (expected & SLOT_BITS) != SLOT_TAKEN &&
           atomic_compare_exchange_strong_explicit(s->state, &expected, taken << 32 | SLOT_TAKEN,
                                                   memory_order_acquire, memory_order_relaxed);
}

/* A slot for the tag, taken: a free one that will be kept, or a passing one, whose call is
 * forgotten. It is the caller's to write and publish. */
static inline slot slots_take(slots *s, uint32_t tag) {
    for (size_t way = 0; way < s->ways; way++) {
        slot found = slots_neighbour(s, tag, way);
        const bool free = !found.passing && (found.seen & SLOT_BITS) == SLOT_FREE;
        if (free && slot_take(&found)) return found;
    }
    const size_t turn = atomic_fetch_add_explicit(&s->replaced, 1, memory_order_relaxed);
    const size_t first = -slots_first(s, tag) % SLOTS_PASSING;
    slot found = slots_neighbour(s, tag, first + turn % (s->ways / SLOTS_PASSING) * SLOTS_PASSING);
    if (!slot_take(&found)) found.words = NULL;
    return found;
}

static inline void slot_write(slot s, size_t from, size_t count, const void *numbers) {
    for (size_t k = 0; k < count; k++) {
        int64_t word;
        memcpy(&word, (const char *)numbers + k * sizeof word, sizeof word);
        atomic_store_explicit(&s.words[from + k], word, memory_order_release);
    }
}

/* Let others find what was written. */
static inline void slot_publish(slot s, uint32_t tag) {
    atomic_store_explicit(s.state, s.seen | tag, memory_order_release);
}

#endif
