/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loops of scans: those of each level that this CPU has give the bits of the plainest, of every
 * type, along lines and of lines beside each other, in place and not. The file itself is included,
 * as a CPU's level is chosen within it and calls see the best alone. */
#define scan_run scan_run_here
#include "runtime/tile/scan.c"

#include "tests/support/cmocka.h"
#include "tests/support/support.h"

enum { KINDS = 10, COLUMNS = 64, BYTES = SCAN_BLOCK * COLUMNS * 8, ROUNDS = 200 };

static const struct {
    const char *name;
    bool is_float;
    size_t size;
} kinds[KINDS] = {
    {"sum of u32", false, 4},      {"sum of u64", false, 8},     {"sum of f32", true, 4},
    {"sum of f64", true, 8},       {"product of u32", false, 4}, {"product of u64", false, 8},
    {"product of f32", true, 4},   {"product of f64", true, 8},  {"greatest of i32", false, 4},
    {"greatest of i64", false, 8},
};

typedef struct data {
    _Alignas(64) char from[BYTES], to[BYTES], base[COLUMNS * 8], carry[COLUMNS * 8];
} data;

/* Integers of any bits, and numbers of which no combination is a NaN. */
static void fill(char *to, size_t bytes, int kind, test_random *random) {
    for (size_t k = 0; k < bytes; k += kinds[kind].size) {
        const uint64_t bits = test_random_next(random);
        const double value = 0.5 + (double)(bits >> 11) * 0x1p-53;
        const float single = (float)value;
        if (!kinds[kind].is_float)
            memcpy(to + k, &bits, kinds[kind].size);
        else if (kinds[kind].size == 4)
            memcpy(to + k, &single, sizeof single);
        else
            memcpy(to + k, &value, sizeof value);
    }
}

/* Base and carry at the beginning: integers of which the order changes no bit have all in carry. */
static void begin(data *d, int kind, test_random *random) {
    static const uint64_t neutral[] = {0, 1, 0};
    static const int64_t least = INT64_MIN;
    static const int32_t least_32 = INT32_MIN;
    memset(d, 0, sizeof *d);
    fill(d->from, sizeof d->from, kind, random);
    fill(d->base, sizeof d->base, kind, random);
    fill(d->carry, sizeof d->carry, kind, random);
    for (size_t k = 0; !kinds[kind].is_float && k < sizeof d->base; k += kinds[kind].size)
        memcpy(d->base + k,
               kind < KINDS - 2        ? (const void *)&neutral[kind / 4]
               : kinds[kind].size == 4 ? (const void *)&least_32
                                       : &least,
               kinds[kind].size);
}

/* A piece by the loop of a level; in place, what is read is what is made. */
static void run(int level, int kind, bool beside, bool in_place, bool begins, data *d) {
    const int64_t row = COLUMNS * (int64_t)kinds[kind].size;
    if (in_place) memcpy(d->to, d->from, sizeof d->to);
    const scan_piece p = {in_place ? d->to : d->from,
                          d->to,
                          d->base,
                          d->carry,
                          beside ? COLUMNS : SCAN_BLOCK * COLUMNS,
                          row,
                          row,
                          begins};
    (beside ? levels[level][kind].lines : levels[level][kind].line)(&p);
}

static void levels_agree(void **state) {
    static data plain, other;
    test_random random = test_random_start(test_seed());
    const int best = find_level();
    for (int round = 0; round < ROUNDS * KINDS; round++) {
        const int kind = round % KINDS;
        const bool beside = round / KINDS & 1, in_place = round / KINDS & 2,
                   begins = round / KINDS & 4;
        static data drawn;
        begin(&drawn, kind, &random);
        plain = drawn;
        run(0, kind, beside, in_place, begins, &plain);
        run(0, kind, beside, in_place, !begins, &plain);
        for (int level = 1; level <= best; level++) {
            other = drawn;
            run(level, kind, beside, in_place, begins, &other);
            run(level, kind, beside, in_place, !begins, &other);
            if (memcmp(plain.to, other.to, sizeof plain.to))
                fail_msg("%s, level %d, %s%s%s", kinds[kind].name, level,
                         beside ? "lines" : "a line", in_place ? ", in place" : "",
                         begins ? ", a segment begins" : "");
        }
    }
    print_message("levels above the plainest: %d\n", best);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
