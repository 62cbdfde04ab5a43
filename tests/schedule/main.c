/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program: every scenario, or those that are named. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/schedule/scenarios.h"

static const char usage[] =
    "usage: schedule [--preemptions N] [--most N] [--random N] [--forks N] [--seconds N] "
    "[SCENARIO...]\n";

enum { PREEMPTIONS, MOST, RANDOM, FORKS, SECONDS, OPTIONS };
static const char *const options[OPTIONS] = {"--preemptions", "--most", "--random", "--forks",
                                             "--seconds"};

static int explore(const scenario *list, int count, const schedule_bounds *bounds, int named,
                   char **names) {
    int done = 0;
    for (int k = 0; k < count; k++) {
        bool wanted = named == 0;
        for (int n = 0; n < named; n++) wanted |= strcmp(names[n], list[k].name) == 0;
        if (wanted) schedule_explore(&list[k], bounds);
        done += wanted;
    }
    return done;
}

int main(int count, char **arguments) {
    double values[OPTIONS] = {2, 3000, 200, 3000, 60};
    int at = 1;
    for (; at + 1 < count && strncmp(arguments[at], "--", 2) == 0; at += 2) {
        int k = 0;
        while (k < OPTIONS && strcmp(options[k], arguments[at]) != 0) k++;
        if (k == OPTIONS) return fputs(usage, stderr), 2;
        values[k] = strtod(arguments[at + 1], NULL);
    }
    unsetenv("TOSAJIT_CACHE_DIR"); /* scenarios say themselves what they share */
    setenv("TOSAJIT_GDB", "1", 1); /* gdb's list is another thing that is shared */
    const schedule_bounds bounds = {(int)values[PREEMPTIONS], (uint64_t)values[MOST],
                                    (uint64_t)values[RANDOM], (uint64_t)values[FORKS],
                                    values[SECONDS]};
    const int named = count - at;
    int done = explore(kernel_scenarios, KERNEL_SCENARIOS, &bounds, named, &arguments[at]);
    done += explore(place_scenarios, PLACE_SCENARIOS, &bounds, named, &arguments[at]);
    if (named && done != named) return fputs(usage, stderr), 2;
    return 0;
}
