/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots: what was published is found under its tag and nothing else is; tags that meet share
 * neighbours until there is no room; threads that take slots at once get different ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/run/slots.h"

static slots *make(size_t count, size_t words) {
    slots *s = calloc(1, slots_bytes(count, words));
    assert_non_null(s);
    slots_make(s, count, words);
    return s;
}

static const int64_t *find(const slots *s, uint64_t tag) {
    const int64_t *found = NULL;
    for (size_t way = 0; way < s->ways && !found; way++) found = slots_find(s, tag, way);
    return found;
}

static void what_is_published_is_found(void **state) {
    (void)state;
    slots *s = make(SLOTS_DYNAMIC, 3);
    int kept = 0;
    for (uint64_t k = 0; k < 1000; k++) {
        const uint64_t tag = slots_tag(k * UINT64_C(0x9e3779b97f4a7c15));
        const int room = slots_have_room(s, tag);
        int64_t *slot = slots_take(s, tag);
        assert_int_equal(room, slot != NULL);
        if (!slot) continue;
        assert_null(find(s, tag)); /* taken, and not published */
        for (int w = 0; w < 3; w++) slot[w] = (int64_t)(3 * k) + w;
        slots_publish(s, slot, tag);
        assert_ptr_equal(find(s, tag), slot);
        kept++;
    }
    assert_int_equal(kept, SLOTS_DYNAMIC);
    for (uint64_t k = 0; k < 1000; k++) {
        const int64_t *slot = find(s, slots_tag(k * UINT64_C(0x9e3779b97f4a7c15)));
        for (int w = 0; slot && w < 3; w++) assert_int_equal(slot[w], (int64_t)(3 * k) + w);
    }
    free(s);
}

static void equal_tags_take_neighbours(void **state) {
    (void)state;
    slots *s = make(SLOTS_DYNAMIC, 1);
    const uint64_t tag = slots_tag(12345);
    for (int k = 0; k < SLOTS_WAYS; k++) {
        int64_t *slot = slots_take(s, tag);
        assert_non_null(slot);
        *slot = k;
        slots_publish(s, slot, tag);
        assert_int_equal(*slots_find(s, tag, (size_t)k), k);
    }
    assert_false(slots_have_room(s, tag));
    assert_null(slots_take(s, tag));
    free(s);
}

static void one_slot_is_for_one_tag(void **state) {
    (void)state;
    slots *s = make(1, 2);
    assert_null(slots_find(s, SLOT_READY, 0));
    int64_t *slot = slots_take(s, SLOT_READY);
    assert_ptr_equal(slot, s->memory);
    assert_null(slots_find(s, SLOT_READY, 0));
    slots_publish(s, slot, SLOT_READY);
    assert_ptr_equal(slots_find(s, SLOT_READY, 0), slot);
    assert_false(slots_have_room(s, SLOT_READY));
    free(s);
}

enum { THREADS = 8 };
typedef struct taker {
    slots *s;
    int taken;
} taker;

/* Adds to each slot that it gets: one that two get shows it. */
static void *take_all(void *argument) {
    taker *t = argument;
    for (uint64_t k = 0; k < 4 * SLOTS_DYNAMIC; k++) {
        int64_t *slot = slots_take(t->s, slots_tag(k << 2));
        if (!slot) continue;
        (*slot)++;
        slots_publish(t->s, slot, slots_tag(k << 2));
        t->taken++;
    }
    return NULL;
}

static void threads_take_different_ones(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        slots *s = make(SLOTS_DYNAMIC, 1);
        pthread_t threads[THREADS];
        taker takers[THREADS];
        int taken = 0;
        for (int k = 0; k < THREADS; k++) {
            takers[k] = (taker){s, 0};
            assert_int_equal(pthread_create(&threads[k], NULL, take_all, &takers[k]), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            assert_int_equal(pthread_join(threads[k], NULL), 0);
            taken += takers[k].taken;
        }
        assert_int_equal(taken, SLOTS_DYNAMIC);
        for (size_t k = 0; k < SLOTS_DYNAMIC; k++) assert_int_equal(s->memory[k], 1);
        free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_published_is_found),
        cmocka_unit_test(equal_tags_take_neighbours),
        cmocka_unit_test(one_slot_is_for_one_tag),
        cmocka_unit_test(threads_take_different_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
