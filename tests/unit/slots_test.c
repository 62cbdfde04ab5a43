/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots: what was published is found under its tag and nothing else is; tags that meet share
 * neighbours until there is no room, or replace each other where slots pass; threads that take
 * slots at once get different ones; who reads what is replaced meanwhile is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/run/slots.h"

enum { COUNT = 64, WORDS = 12 };

/* In memory that was used before. */
static slots *make(size_t count, size_t words, bool passing) {
    const size_t bytes = slots_bytes(count, words);
    slots *s = malloc(bytes);
    assert_non_null(s);
    memset(s, 0xa5, bytes);
    slots_make(s, count, words, passing);
    return s;
}

static uint32_t tag_number(uint64_t k) { return slots_tag(k * UINT64_C(0x9e3779b97f4a7c15)); }

static slot find(slots *s, uint32_t tag) {
    slot found = {NULL, NULL, 0};
    for (size_t way = 0; way < s->ways && !found.words; way++) found = slots_find(s, tag, way);
    return found;
}

/* Word w of call number k is k * WORDS + w. */
static void write_call(const slot *s, int64_t k) {
    int64_t words[WORDS];
    for (int w = 0; w < WORDS; w++) words[w] = k * WORDS + w;
    slot_write(s, 0, 1, words);
    slot_write(s, 1, WORDS - 1, words + 1);
}

/* The number of the call that a slot holds, all of whose words are its own. */
static int64_t read_call(const int64_t *words) {
    for (int w = 0; w < WORDS; w++) assert_int_equal(words[w], words[0] + w);
    return words[0] / WORDS;
}

static void what_is_published_is_found(void **state) {
    (void)state;
    slots *s = make(COUNT, WORDS, false);
    int64_t words[WORDS];
    int kept = 0;
    for (int64_t k = 0; k < 1000; k++) {
        const uint32_t tag = tag_number((uint64_t)k);
        const slot own = slots_take(s, tag);
        if (!own.words) continue;
        assert_null(find(s, tag).words); /* taken, and not published */
        write_call(&own, k);
        slot_publish(&own, tag);
        assert_ptr_equal(find(s, tag).words, own.words);
        kept++;
    }
    assert_int_equal(kept, COUNT);
    for (int64_t k = 0; k < 1000; k++) {
        const slot own = find(s, tag_number((uint64_t)k));
        if (!own.words) continue;
        slot_read(&own, 0, WORDS, words);
        assert_int_equal(read_call(words), k);
        assert_true(slot_held(&own));
        kept--;
    }
    assert_int_equal(kept, 0);
    free(s);
}

static void equal_tags_take_neighbours(void **state) {
    (void)state;
    slots *s = make(COUNT, WORDS, false);
    const uint32_t tag = slots_tag(12345);
    for (int64_t k = 0; k < SLOTS_WAYS; k++) {
        const slot own = slots_take(s, tag);
        assert_non_null(own.words);
        write_call(&own, k);
        slot_publish(&own, tag);
        const slot found = slots_find(s, tag, (size_t)k);
        assert_int_equal(slot_word_at(&found, 0), k * WORDS);
    }
    assert_null(slots_take(s, tag).words);
    free(s);
}

/* The last eight calls of a tag are there; who found the first one is told that it has gone. */
static void passing_ones_are_replaced_in_turn(void **state) {
    (void)state;
    slots *s = make(SLOTS_WAYS, WORDS, true);
    const uint32_t tag = slots_tag(12345);
    slot first = {NULL, NULL, 0};
    for (int64_t k = 0; k < 20; k++) {
        const slot own = slots_take(s, tag);
        assert_non_null(own.words);
        if (k == SLOTS_WAYS) assert_false(slot_held(&first));
        write_call(&own, k);
        slot_publish(&own, tag);
        if (k == 0) first = find(s, tag);
        assert_int_equal(slot_held(&first), k < SLOTS_WAYS);
    }
    uint32_t seen = 0;
    for (size_t way = 0; way < s->ways; way++) {
        const slot found = slots_find(s, tag, way);
        seen |= UINT32_C(1) << slot_word_at(&found, 0) / WORDS;
    }
    assert_int_equal(seen, 0xff000);
    free(s);
}

static void few_slots_are_searched_once(void **state) {
    (void)state;
    slots *s = make(4, WORDS, false);
    assert_int_equal(s->ways, 4);
    for (int k = 0; k < 4; k++) assert_non_null(slots_take(s, slots_tag(0)).words);
    assert_null(slots_take(s, slots_tag(1)).words);
    free(s);
}

enum { THREADS = 8 };
typedef struct taker {
    slots *s;
    int taken, found, lost;
} taker;

/* Writes itself to each slot that it gets: one that two get shows it. */
static void *take_all(void *argument) {
    taker *t = argument;
    for (uint64_t k = 0; k < 4 * COUNT; k++) {
        const slot own = slots_take(t->s, slots_tag(k << 2));
        if (!own.words) continue;
        write_call(&own, (int64_t)k);
        t->taken += slot_word_at(&own, WORDS - 1) == (int64_t)k * WORDS + WORDS - 1;
        slot_publish(&own, slots_tag(k << 2));
    }
    return NULL;
}

static void run_threads(slots *s, void *(*work)(void *), taker *sum) {
    pthread_t threads[THREADS];
    taker takers[THREADS];
    *sum = (taker){s, 0, 0, 0};
    for (int k = 0; k < THREADS; k++) {
        takers[k] = (taker){s, 0, 0, 0};
        assert_int_equal(pthread_create(&threads[k], NULL, work, &takers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        sum->taken += takers[k].taken;
        sum->found += takers[k].found;
        sum->lost += takers[k].lost;
    }
}

static void threads_take_different_ones(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        slots *s = make(COUNT, WORDS, false);
        taker sum;
        run_threads(s, take_all, &sum);
        assert_int_equal(sum.taken, COUNT);
        free(s);
    }
}

/* A few calls pass through fewer slots: each one that is found and held is whole. */
static void *come_and_go(void *argument) {
    taker *t = argument;
    int64_t words[WORDS];
    uint32_t random = (uint32_t)(uintptr_t)t | 1;
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525 + 1013904223;
        const int64_t k = random >> 24 & 31;
        const uint32_t tag = slots_tag((uint64_t)k << 2);
        slot own = find(t->s, tag);
        if (own.words) {
            slot_read(&own, 0, WORDS, words);
            if (!slot_held(&own)) {
                t->lost++;
                continue;
            }
            t->found += read_call(words) == k;
            continue;
        }
        own = slots_take(t->s, tag);
        if (!own.words) continue;
        write_call(&own, k);
        slot_publish(&own, tag);
        t->taken++;
    }
    return NULL;
}

static void threads_find_whole_calls(void **state) {
    (void)state;
    slots *s = make(SLOTS_WAYS, WORDS, true);
    taker sum;
    run_threads(s, come_and_go, &sum);
    print_message("%d taken, %d found, %d replaced while they were read\n", sum.taken, sum.found,
                  sum.lost);
    assert_true(sum.taken > 32 && sum.found > 0);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_published_is_found),
        cmocka_unit_test(equal_tags_take_neighbours),
        cmocka_unit_test(passing_ones_are_replaced_in_turn),
        cmocka_unit_test(few_slots_are_searched_once),
        cmocka_unit_test(threads_take_different_ones),
        cmocka_unit_test(threads_find_whole_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
