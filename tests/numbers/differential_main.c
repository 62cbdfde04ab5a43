/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The differential test over consecutive seeds. Of three cases one divides every run among threads,
 * and one does so piece after piece.
 *
 * TOSAJIT_SEED=<n> and TOSAJIT_CASES=<n> set where to start and how many cases to run; case k has
 * the seed n + k. Without them the day says where. TOSAJIT_SECONDS=<n> runs for that time instead,
 * from a seed of the clock's unless one is given. */
#include <inttypes.h>
#include <time.h>

#include "tests/numbers/differential.h"
#include "tests/numbers/divide.h"
#include "tests/support/cmocka.h"

enum {
    STANDARD_CASES = 250,
    STANDARD_SECONDS = 60, /* stop early on a slow machine or under a sanitizer */
};

static void (*const divisions[])(tosajit_kernel *) = {NULL, divide_runs, divide_among_threads};

static void run_case(differential *d, uint64_t seed) {
    differential_prepare(d, divisions[seed % 3]);
    differential_case(d, seed, test_random_start(seed));
}

static void print_counts(const differential_counts *c, uint64_t seed, uint64_t cases) {
    print_message(
        "TOSAJIT_SEED=%" PRIu64 " TOSAJIT_CASES=%" PRIu64 ": %" PRIu64 " calls (%" PRIu64
        " refused as mismatch, %" PRIu64 " for an index), %" PRIu64 " in place, %" PRIu64
        " overlapping, %" PRIu64 " op by op, %" PRIu64 " static, %" PRIu64
        " tensors anywhere in a line, %" PRIu64 " elements compared, %.0f s of processor time\n",
        seed, cases, c->runs, c->mismatches, c->wrong_indices, c->in_place, c->overlapping,
        c->stepwise, c->fixed, c->moved, c->elements, (double)clock() / CLOCKS_PER_SEC);
}

static void kernels_agree_with_the_oracle(void **state) {
    differential *d = differential_open();
    assert_non_null(d);
    differential_announce_crashes();
    const uint64_t seconds = test_setting("TOSAJIT_SECONDS", 0),
                   most = test_setting("TOSAJIT_CASES", seconds ? UINT64_MAX : STANDARD_CASES),
                   start = seconds ? (uint64_t)time(NULL) : test_day(),
                   seed = test_setting("TOSAJIT_SEED", start << 24);
    const bool is_timed = seconds || !test_setting("TOSAJIT_CASES", 0);
    const time_t end = time(NULL) + (time_t)(seconds ? seconds : STANDARD_SECONDS);
    uint64_t done = 0;
    print_message("from TOSAJIT_SEED=%" PRIu64 "\n", seed);
    for (; done < most && (!is_timed || time(NULL) < end); done++)
        if (test_is_mine(done)) run_case(d, seed + done);
    print_counts(differential_count(d), seed, done);
    assert_int_equal(differential_count(d)->oversized, 0);
    differential_close(d);
}

int main(void) { return TEST_RUN(NULL, NULL, TEST(kernels_agree_with_the_oracle)); }
