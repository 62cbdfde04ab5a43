/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call that fails changes no object: every public function, with each of its allocations failing
 * once. It says OUT_OF_MEMORY, or does without that memory and gives what it always gives; then it
 * succeeds, and every function of the header gives what it gave at first. In:
 * the table of calls (state_calls.h), of tosajit.h or of mlir.h. Out: how many failed. A day has an
 * eighth of the allocations of each function, and looks at all functions after every eighth one
 * and after the last: what one has changed stays so. TOSAJIT_THIN=1 has all, after each. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/state_calls.h"
#include "tests/support/failing_heap.h"
#include "tests/support/support.h"

enum { MOST_CALLS = 128, STANDARD_THINNING = 8 };

static fixture objects;
static outcome expected[MOST_CALLS];

/* Ends what all others need. */
static bool ends_all(size_t c) { return strcmp(state_calls[c].name, "tosajit_quiesce") == 0; }

/* Two functions may have one call: text_release is tried by print. */
static bool is_known(size_t c) {
    size_t first = 0;
    while (state_calls[first].call != state_calls[c].call) first++;
    return first < c;
}

static bool is_expected(size_t c, outcome o) {
    return o.status == expected[c].status && o.digest == expected[c].digest;
}

/* A report without memory for names has numbers in their place. */
static bool may_be_plainer(size_t c) {
    return strcmp(state_calls[c].name, "tosajit_mlir_report") == 0;
}

static bool all_as_before(const char *after) {
    for (size_t c = 0; c < state_call_count; c++) {
        if (ends_all(c)) continue;
        const outcome o = state_calls[c].call(&objects);
        if (is_expected(c, o)) continue;
        printf("FAILED: after %s, or one before it, without memory %s gave %s, digest %" PRIx64
               ", not %" PRIx64 "\n",
               after, state_calls[c].name, tosajit_status_name(o.status), o.digest,
               expected[c].digest);
        return false;
    }
    return true;
}

/* Allocation number `at` fails, if there are as many. */
static bool fail_once(size_t c, size_t at, bool *met) {
    failing_heap_start(at);
    const outcome o = state_calls[c].call(&objects);
    *met = failing_heap_stop();
    if (*met && o.status == TOSAJIT_OUT_OF_MEMORY) return true;
    if (is_expected(c, o) || (*met && !o.status && may_be_plainer(c))) return true;
    printf("FAILED: %s without its allocation %zu gave %s: %s\n", state_calls[c].name, at,
           tosajit_status_name(o.status), tosajit_last_error());
    return false;
}

static bool is_last(size_t c) {
    for (size_t k = c + 1; k < state_call_count; k++)
        if (!ends_all(k) && !is_known(k)) return false;
    return true;
}

/* How many allocations failed, or -1. The last call meets none, and succeeds. */
static long fail_each(size_t c) {
    const bool looks = is_last(c) || test_is_drawn(c, STANDARD_THINNING);
    long failed = 0;
    for (size_t at = 1;; at++) {
        bool met = false;
        if (!test_is_drawn(c + at, STANDARD_THINNING)) continue;
        if (!fail_once(c, at, &met)) return -1;
        if (!met) return !looks || all_as_before(state_calls[c].name) ? failed : -1;
        failed++;
    }
}

int main(void) {
    char directory[] = "/tmp/tosajit_failing_XXXXXX", command[64];
    bool fine = state_call_count <= MOST_CALLS && mkdtemp(directory);
    state_data_fill();
    fine = fine && !fixture_make(&objects, directory);
    for (size_t c = 0; fine && c < state_call_count; c++)
        if (!ends_all(c)) expected[c] = state_calls[c].call(&objects);
    fine = fine && all_as_before("nothing");
    long failed = 0;
    for (size_t c = 0; fine && c < state_call_count; c++) {
        const long found = ends_all(c) || is_known(c) ? 0 : fail_each(c);
        fine = found >= 0;
        failed += found;
    }
    printf("%ld allocations failed in %zu functions\n", failed, state_call_count);
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) == 0 && fine && failed > 0 ? 0 : 1;
}
