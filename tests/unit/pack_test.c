/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packing of short rows: random walks, with registers of every width that there is, against a walk
 * element by element. Operands end, and begin, at a page that cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/features.h"
#include "runtime/plan/costs.h"
#include "runtime/tile/pack.h"
#include "tests/support/cmocka.h"
#include "tests/support/guard.h"
#include "tests/support/support.h"

/* In place of the host's: what pack.c is told. */
static int32_t register_bytes;
int32_t features_permuted_bytes(void) { return register_bytes; }

static int32_t host_bytes(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f")) return 64;
    if (__builtin_cpu_supports("avx2")) return 32;
#endif
    return 0;
}

enum { MOST = 4096, GUARDED = 1 << 22 }; /* elements of the buffer; bytes of an operand */

typedef struct pattern {
    walk w; /* of one tensor */
    int32_t split, size;
    int64_t unit;
} pattern;

/* Sizes and strides as broadcasts and views have them: 0, dense, or with gaps, whole elements or
 * not, each dimension from the one inside it. */
static void draw_pattern(test_random *random, pattern *p) {
    static const int32_t sizes[] = {1, 2, 4, 4, 4, 8};
    int64_t dense;
    p->size = sizes[test_random_next(random) % 6];
    p->w.rank = 1 + (int32_t)(test_random_next(random) % 4);
    p->w.tensors = 1;
    dense = p->size;
    for (int32_t d = p->w.rank; d-- > 0;) {
        p->w.sizes[d] = 1 + (int64_t)(test_random_next(random) % (d == 0 ? 300 : 9));
        uint64_t kind = test_random_next(random) % 8;
        int64_t stride = kind < 3   ? 0
                         : kind < 7 ? dense
                                    : dense + p->size * (int64_t)(test_random_next(random) % 20);
        if (test_random_next(random) % 32 == 0) stride += 2;
        p->w.strides[d] = test_random_next(random) % 16 ? stride : -stride;
        if (stride) dense = stride * p->w.sizes[d];
    }
    p->split = (int32_t)(test_random_next(random) % (uint64_t)p->w.rank);
    p->unit = 1;
    for (int32_t d = p->split + 1; d < p->w.rank; d++) p->unit *= p->w.sizes[d];
}

/* The element at each index of dimensions split.. in turn, one by one. */
static void walk_each(const pattern *p, const char *from, int64_t count, char *to) {
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k, offset = 0;
        for (int32_t d = p->w.rank; d-- > p->split;) {
            offset += rest % p->w.sizes[d] * p->w.strides[d];
            rest /= p->w.sizes[d];
        }
        memcpy(to + k * p->size, from + offset, (size_t)p->size);
    }
}

/* The first element, with the operand's lowest or highest byte at the edge of the room; null if
 * there is not so much. */
static char *place(const pattern *p, guard_tensor *guard, guard_edge edge) {
    int64_t low = 0, high = p->size;
    for (int32_t d = p->split; d < p->w.rank; d++) {
        int64_t reach = p->w.strides[d] * (p->w.sizes[d] - 1);
        *(reach < 0 ? &low : &high) += reach;
    }
    int64_t bytes = high - low;
    return guard_place(guard, TOSAJIT_I8, 1, &bytes, NULL, edge) ? (char *)guard->memory - low
                                                                 : NULL;
}

/* False if the pattern is too large for it. */
static bool check(uint64_t seed, pack *prepared, guard_tensor *guard) {
    static _Alignas(64) char expected[8 * MOST], packed[8 * MOST + PACK_SLACK];
    double counts[COST_TERMS] = {0};
    test_random random = test_random_start(seed);
    pattern p;
    draw_pattern(&random, &p);
    if (p.unit > PACK_PERIOD) return false;
    const int64_t most = p.unit * p.w.sizes[p.split],
                  count = 1 + (int64_t)(test_random_next(&random) %
                                        (uint64_t)(most < MOST ? most : MOST));
    char *from = place(&p, guard, test_random_next(&random) % 2 ? GUARD_AT_END : GUARD_AT_START);
    if (!from) return false;
    for (size_t k = 0; k < guard->size; k++)
        guard->memory[k] = (unsigned char)test_random_next(&random);
    assert_true(pack_count(&p.w, 0, p.split, p.size, 1, counts));
    pack_prepare(&p.w, 0, p.split, p.size, prepared);
    memset(packed, 0x5a, sizeof packed);
    walk_each(&p, from, count, expected);
    pack_gather(prepared, from, count, packed);
    if (memcmp(expected, packed, (size_t)(count * p.size)))
        fail_msg("%d bytes: sizes %lld %lld %lld %lld, strides %lld %lld %lld %lld, rank %d, from "
                 "dimension %d: %lld elements of %d bytes",
                 (int)register_bytes, (long long)p.w.sizes[0], (long long)p.w.sizes[1],
                 (long long)p.w.sizes[2], (long long)p.w.sizes[3], (long long)p.w.strides[0],
                 (long long)p.w.strides[1], (long long)p.w.strides[2], (long long)p.w.strides[3],
                 (int)p.w.rank, (int)p.split, (long long)count, (int)p.size);
    for (size_t k = (size_t)(count * p.size) + PACK_SLACK; k < sizeof packed; k++)
        assert_int_equal(packed[k], 0x5a);
    return true;
}

static void patterns_are_followed(void **state) {
    static pack prepared;
    static const int32_t widths[] = {0, 32, 64};
    guard_tensor guard;
    assert_true(guard_create(&guard, GUARDED));
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        register_bytes = widths[w];
        if (register_bytes > host_bytes()) {
            printf("*** NOT TESTED: packing with registers of %d bytes, which this CPU does not "
                   "have\n",
                   (int)register_bytes);
            continue;
        }
        int checked = 0;
        for (uint64_t k = 0; k < 10000; k++) checked += check(k * 3 + w, &prepared, &guard);
        assert_true(checked > 5000);
    }
    guard_destroy(&guard);
}

int main(void) { return TEST_RUN(NULL, NULL, TEST(patterns_are_followed)); }
