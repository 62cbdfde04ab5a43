/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entries: what was published is found under its tag and nothing else is; tags that meet share
 * neighbours until there is no room; threads that take entries at once get different ones, and find
 * whole calls. */
#include <pthread.h>
#include <stdlib.h>

#include "runtime/run/call_entries.h"
#include "tests/support/cmocka.h"

enum { COUNT = 48, WORDS = 12 };

/* In memory that was used before. */
static call_entries *make(size_t count, size_t words) {
    const size_t bytes = call_entries_bytes(count, words);
    call_entries *s = malloc(bytes);
    assert_non_null(s);
    memset(s, 0xa5, bytes);
    call_entries_make(s, count, words);
    return s;
}

static uint32_t tag_number(uint64_t k) {
    return call_entries_tag(k * UINT64_C(0x9e3779b97f4a7c15));
}

static const int64_t *find(call_entries *s, uint32_t tag) {
    const int64_t *found = NULL;
    for (size_t way = 0; way < s->ways && !found; way++) found = call_entries_find(s, tag, way);
    return found;
}

/* Word w of call number k is k * WORDS + w. */
static void write_call(call_entry s, int64_t k) {
    for (int w = 0; w < WORDS; w++) s.words[w] = k * WORDS + w;
}

/* The number of the call that an entry holds, all of whose words are its own. */
static int64_t read_call(const int64_t *words) {
    for (int w = 0; w < WORDS; w++) assert_int_equal(words[w], words[0] + w);
    return words[0] / WORDS;
}

/* Of many calls the first ones are kept. */
static void what_is_published_is_found(void **state) {
    call_entries *s = make(COUNT, WORDS);
    int kept = 0, found = 0;
    bool is_kept[1000] = {false};
    for (int64_t k = 0; k < 1000; k++) {
        const uint32_t tag = tag_number((uint64_t)k);
        const call_entry own = call_entries_take(s, tag);
        assert_null(find(s, tag)); /* taken, and not published */
        if (!own.words) continue;
        write_call(own, k);
        call_entry_publish(own, tag);
        assert_ptr_equal(find(s, tag), own.words);
        is_kept[k] = true;
        kept++;
    }
    assert_int_equal(kept, COUNT);
    for (int64_t k = 0; k < 1000; k++) {
        const int64_t *own = find(s, tag_number((uint64_t)k));
        assert_int_equal(own != NULL, is_kept[k]);
        if (!own) continue;
        assert_int_equal(read_call(own), k);
        found++;
    }
    assert_int_equal(found, COUNT);
    free(s);
}

/* As many calls of a tag as are searched for it, the first of all where it is looked for first. */
static void equal_tags_take_neighbours(void **state) {
    for (uint64_t hash = 0; hash < 100; hash++) {
        call_entries *s = make(COUNT, WORDS);
        const uint32_t tag = call_entries_tag(hash);
        for (int64_t k = 0; k < CALL_ENTRIES_WAYS; k++) {
            const call_entry own = call_entries_take(s, tag);
            assert_non_null(own.words);
            write_call(own, k);
            call_entry_publish(own, tag);
        }
        assert_null(call_entries_take(s, tag).words);
        for (size_t way = 0; way < s->ways; way++)
            assert_int_equal(read_call(call_entries_find(s, tag, way)), way);
        free(s);
    }
}

static void few_entries_are_searched_once(void **state) {
    enum { FEW = 4 };
    call_entries *s = make(FEW, WORDS);
    assert_int_equal(s->ways, FEW);
    for (int k = 0; k < FEW; k++) assert_non_null(call_entries_take(s, call_entries_tag(0)).words);
    assert_null(call_entries_take(s, call_entries_tag(1)).words);
    free(s);
}

enum { THREADS = 8 };
typedef struct taker {
    call_entries *s;
    int taken, found, lost;
} taker;

/* Writes itself to each entry that it gets: one that two get shows it. */
static void *take_all(void *argument) {
    taker *t = argument;
    for (uint64_t k = 0; k < 4 * COUNT; k++) {
        const call_entry own = call_entries_take(t->s, tag_number(k));
        if (!own.words) continue;
        write_call(own, (int64_t)k);
        t->taken++;
        t->lost += own.words[WORDS - 1] != (int64_t)k * WORDS + WORDS - 1;
        call_entry_publish(own, tag_number(k));
    }
    return NULL;
}

static void run_threads(call_entries *s, void *(*work)(void *), taker *sum) {
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
        sum->found += takers[k].found;
        sum->lost += takers[k].lost;
    }
}

static void threads_take_different_ones(void **state) {
    for (int round = 0; round < 50; round++) {
        call_entries *s = make(COUNT, WORDS);
        taker sum;
        run_threads(s, take_all, &sum);
        assert_int_equal(sum.taken, COUNT);
        assert_int_equal(sum.lost, 0);
        free(s);
    }
}

/* More calls than entries: each one that is found is whole. */
static void *take_and_find(void *argument) {
    taker *t = argument;
    uint32_t random = (uint32_t)(uintptr_t)t | 1;
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525 + 1013904223;
        const int64_t k = random >> 24 & 31;
        const uint32_t tag = tag_number((uint64_t)k);
        const int64_t *known = find(t->s, tag);
        if (known) {
            t->found++;
            t->lost += read_call(known) != k;
            continue;
        }
        const call_entry own = call_entries_take(t->s, tag);
        if (!own.words) continue;
        write_call(own, k);
        call_entry_publish(own, tag);
        t->taken++;
    }
    return NULL;
}

static void threads_find_whole_calls(void **state) {
    for (int round = 0; round < 20; round++) {
        call_entries *s = make(CALL_ENTRIES_WAYS, WORDS);
        taker sum;
        run_threads(s, take_and_find, &sum);
        assert_int_equal(sum.taken, CALL_ENTRIES_WAYS);
        assert_true(sum.found > 0);
        assert_int_equal(sum.lost, 0);
        free(s);
    }
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(what_is_published_is_found), TEST(equal_tags_take_neighbours),
                    TEST(few_entries_are_searched_once), TEST(threads_take_different_ones),
                    TEST(threads_find_whole_calls));
}
