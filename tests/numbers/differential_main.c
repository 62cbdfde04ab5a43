/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The differential test over consecutive seeds.
 *
 * TOSAJIT_SEED=<n> and TOSAJIT_CASES=<n> set where to start and how many cases to run; case k has
 * the seed n + k. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <time.h>

#include "tests/numbers/differential.h"

enum {
    STANDARD_CASES = 500,
    STANDARD_SECONDS = 60, /* stop early on a slow machine or under a sanitizer */
};

static void kernels_agree_with_the_oracle(void **state) {
    (void)state;
    differential *d = differential_open();
    assert_non_null(d);
    differential_announce_crashes();
    uint64_t seed = test_setting("TOSAJIT_SEED", 1), cases = test_setting("TOSAJIT_CASES", 0),
             done = 0;
    time_t end = time(NULL) + STANDARD_SECONDS;
    for (; done < (cases ? cases : STANDARD_CASES) && (cases || time(NULL) < end); done++)
        if (test_is_mine(done)) differential_case(d, seed + done, test_random_start(seed + done));
    const differential_counts *c = differential_count(d);
    print_message("TOSAJIT_SEED=%" PRIu64 " TOSAJIT_CASES=%" PRIu64 ": %" PRIu64 " calls (%" PRIu64
                  " refused as mismatch), %" PRIu64 " in place, %" PRIu64 " overlapping, %" PRIu64
                  " op by op, %" PRIu64 " static, %" PRIu64 " tensors anywhere in a line, %" PRIu64
                  " elements compared\n",
                  seed, done, c->runs, c->mismatches, c->in_place, c->overlapping, c->stepwise,
                  c->fixed, c->moved, c->elements);
    assert_int_equal(c->oversized, 0);
    differential_close(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_agree_with_the_oracle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
