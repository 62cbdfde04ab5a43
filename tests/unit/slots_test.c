/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots: what was published is found under its tag and nothing else is; tags that meet share
 * neighbours until there is no room, and then replace each other where slots pass; threads that
 * take slots at once get different ones; who reads what is replaced meanwhile is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/run/slots.h"

enum {
    COUNT = 48,
    WORDS = 12,
    PASSING = COUNT / SLOTS_PASSING,
    PASSING_WAYS = SLOTS_WAYS / SLOTS_PASSING,
};

/* In memory that was used before. */
static slots *make(size_t count, size_t words) {
    const size_t bytes = slots_bytes(count, words);
    slots *s = malloc(bytes);
    assert_non_null(s);
    memset(s, 0xa5, bytes);
    slots_make(s, count, words);
    return s;
}

static uint32_t tag_number(uint64_t k) { return slots_tag(k * UINT64_C(0x9e3779b97f4a7c15)); }

static slot find(slots *s, uint32_t tag) {
    slot found = {.words = NULL};
    for (size_t way = 0; way < s->ways && !found.words; way++) found = slots_find(s, tag, way);
    return found;
}

/* Word w of call number k is k * WORDS + w. */
static void write_call(slot s, int64_t k) {
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

/* Of many calls the first ones are kept, and some of the last ones are there, too. */
static void what_is_published_is_found(void **state) {
    (void)state;
    slots *s = make(COUNT, WORDS);
    int64_t words[WORDS];
    int kept = 0, found = 0;
    bool is_kept[1000] = {false};
    for (int64_t k = 0; k < 1000; k++) {
        const uint32_t tag = tag_number((uint64_t)k);
        const slot own = slots_take(s, tag);
        assert_non_null(own.words);
        assert_null(find(s, tag).words); /* taken, and not published */
        write_call(own, k);
        slot_publish(own, tag);
        assert_ptr_equal(find(s, tag).words, own.words);
        is_kept[k] = !own.passing;
        kept += is_kept[k];
    }
    assert_int_equal(kept, COUNT - PASSING);
    for (int64_t k = 0; k < 1000; k++) {
        const slot own = find(s, tag_number((uint64_t)k));
        assert_true(own.words || !is_kept[k]);
        if (!own.words) continue;
        slot_read(own, 0, WORDS, words);
        assert_int_equal(read_call(words), k);
        assert_true(slot_held(own));
        assert_int_equal(own.passing, !is_kept[k]);
        found++;
    }
    assert_int_equal(found, COUNT);
    free(s);
}

/* The first calls of a tag are kept, the first of all where it is looked for first. The others
 * pass: the last two are there, and who found another one is told that it has gone. */
static void equal_tags_take_neighbours(void **state) {
    (void)state;
    for (uint64_t hash = 0; hash < 100; hash++) {
        slots *s = make(COUNT, WORDS);
        const uint32_t tag = slots_tag(hash);
        const int64_t kept = SLOTS_WAYS - PASSING_WAYS, calls = 20;
        slot found[20];
        for (int64_t k = 0; k < calls; k++) {
            found[k] = slots_take(s, tag);
            assert_non_null(found[k].words);
            assert_int_equal(found[k].passing, k >= kept);
            if (k >= kept + PASSING_WAYS) assert_false(slot_held(found[k - PASSING_WAYS]));
            write_call(found[k], k);
            slot_publish(found[k], tag);
            found[k] = slots_at(s, (size_t)(found[k].state - s->states));
        }
        assert_ptr_equal(slots_find(s, tag, 0).words, found[0].words);
        for (int64_t k = 0; k < calls; k++)
            assert_int_equal(slot_held(found[k]), k < kept || k >= calls - PASSING_WAYS);
        uint32_t seen = 0;
        for (size_t way = 0; way < s->ways; way++)
            seen |= UINT32_C(1) << slot_word_at(slots_find(s, tag, way), 0) / WORDS;
        assert_int_equal(seen, 0xc003f);
        free(s);
    }
}

static void few_slots_are_searched_once(void **state) {
    (void)state;
    slots *s = make(SLOTS_PASSING, WORDS);
    assert_int_equal(s->ways, SLOTS_PASSING);
    for (int k = 0; k < SLOTS_PASSING; k++)
        assert_int_equal(slots_take(s, slots_tag(0)).passing, k == SLOTS_PASSING - 1);
    assert_null(slots_take(s, slots_tag(1)).words); /* none of them was published */
    free(s);
}

enum { THREADS = 8 };
typedef struct taker {
    slots *s;
    int taken, kept, found, lost;
} taker;

/* Writes itself to each slot that it gets: one that two get shows it. */
static void *take_all(void *argument) {
    taker *t = argument;
    for (uint64_t k = 0; k < 4 * COUNT; k++) {
        const slot own = slots_take(t->s, tag_number(k));
        if (!own.words) continue;
        write_call(own, (int64_t)k);
        t->taken++;
        t->kept += !own.passing;
        t->lost += slot_word_at(own, WORDS - 1) != (int64_t)k * WORDS + WORDS - 1;
        slot_publish(own, tag_number(k));
    }
    return NULL;
}

static void run_threads(slots *s, void *(*work)(void *), taker *sum) {
    pthread_t threads[THREADS];
    taker takers[THREADS];
    *sum = (taker){.s = s};
    for (int k = 0; k < THREADS; k++) {
        takers[k] = (taker){.s = s};
        assert_int_equal(pthread_create(&threads[k], NULL, work, &takers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        sum->taken += takers[k].taken;
        sum->kept += takers[k].kept;
        sum->found += takers[k].found;
        sum->lost += takers[k].lost;
    }
}

static void threads_take_different_ones(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        slots *s = make(COUNT, WORDS);
        taker sum;
        run_threads(s, take_all, &sum);
        assert_int_equal(sum.kept, COUNT - PASSING);
        assert_true(sum.taken >= COUNT);
        assert_int_equal(sum.lost, 0);
        free(s);
    }
}

/* More calls than slots, so that some pass: each one that is found and held is whole. */
static void *come_and_go(void *argument) {
    taker *t = argument;
    int64_t words[WORDS];
    uint32_t random = (uint32_t)(uintptr_t)t | 1;
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525 + 1013904223;
        const int64_t k = random >> 24 & 31;
        const uint32_t tag = tag_number((uint64_t)k);
        slot own = find(t->s, tag);
        if (own.words) {
            slot_read(own, 0, WORDS, words);
            if (!slot_held(own)) {
                t->lost++;
                continue;
            }
            t->found += read_call(words) == k;
            continue;
        }
        own = slots_take(t->s, tag);
        if (!own.words) continue;
        write_call(own, k);
        slot_publish(own, tag);
        t->taken++;
    }
    return NULL;
}

static void threads_find_whole_calls(void **state) {
    (void)state;
    slots *s = make(SLOTS_WAYS, WORDS);
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
        cmocka_unit_test(few_slots_are_searched_once),
        cmocka_unit_test(threads_take_different_ones),
        cmocka_unit_test(threads_find_whole_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
