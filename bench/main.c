/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit-bench, and tosajit-bench-v2 and -v3 for their levels: options, the processor that
 * everything runs on, and the order of things. In: Google Benchmark's options, and --table (medians
 * and ratios instead of single times), --cpu=N,
 * --patterns=N and --ranked=N for the sweep. Out: a report on standard output. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/external.h"
#include "bench/families.h"
#include "bench/level.h"
#include "bench/pair.h"
#include "bench/table.h"
#include "bench/turns.h"

/* Options of this program; they are taken out of argv. */
typedef struct options {
    bool table;
    int cpu;              /* -1: the last one that this process may use */
    int patterns, ranked; /* of the sweep: how many to measure, 0 for all, and how many to show */
    const char *child;
} options;

static void take_options(int *argc, char **argv, options *o) {
    int kept = 1;
    for (int k = 1; k < *argc; k++) {
        if (strcmp(argv[k], "--table") == 0)
            o->table = true;
        else if (strncmp(argv[k], "--cpu=", 6) == 0)
            o->cpu = atoi(argv[k] + 6);
        else if (strncmp(argv[k], "--patterns=", 11) == 0)
            o->patterns = atoi(argv[k] + 11);
        else if (strncmp(argv[k], "--ranked=", 9) == 0)
            o->ranked = atoi(argv[k] + 9);
        else if (strncmp(argv[k], "--child=", 8) == 0)
            o->child = argv[k] + 8;
        else
            argv[kept++] = argv[k];
        /* Which stays. */
        if (strncmp(argv[k], "--benchmark_min_time=", 21) == 0) turns_set_time(atof(argv[k] + 21));
    }
    *argc = kept;
    argv[kept] = NULL;
}

/* Pinned, because a thread that moves finds cold caches. *other: a second processor that this
 * process may use, or -1. */
static bool pin(int *cpu, int *other) {
    cpu_set_t set;
    *other = -1;
    if (sched_getaffinity(0, sizeof set, &set)) return false;
    if (*cpu < 0)
        for (size_t k = 0; k < CPU_SETSIZE; k++)
            if (CPU_ISSET(k, &set)) *cpu = (int)k;
    for (int k = 0; k < CPU_SETSIZE && *other < 0; k++)
        if (CPU_ISSET((size_t)k, &set) && k != *cpu) *other = k;
    CPU_ZERO(&set);
    if (*cpu >= 0 && *cpu < CPU_SETSIZE) CPU_SET((size_t)*cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static int run_child(const char *name) {
    static const struct {
        const char *name;
        int (*run)(void);
    } children[] = {{"first", compile_child_first},
                    {"llvm", compile_child_llvm},
                    {"memory", compile_child_memory}};
    for (size_t k = 0; k < sizeof children / sizeof *children; k++)
        if (strcmp(children[k].name, name) == 0) return children[k].run();
    return 2;
}

static int run_table(int argc, char **argv, int ranked) {
    table *t = table_create();
    if (!t) return 1;
    table_rank(t, "sweep", "dynamic", ranked);
    int status = bench_main(&argc, argv, table_add, t);
    table_print(t, stdout);
    if (table_failures(t)) status = 1;
    table_destroy(t);
    return status;
}

int main(int argc, char **argv) {
    options o = {.cpu = -1, .patterns = 0, .ranked = 25};
    take_options(&argc, argv, &o);
    if (!level_enter()) return 1;
    externals_keep_to(bench_level);
    if (o.child) return run_child(o.child);
    int other;
    if (!pin(&o.cpu, &other))
        fputs("tosajit-bench: cannot stay on one processor; expect noise\n", stderr);
    pair_set(o.cpu, other);
    compile_register();
    if (!cases_register() || !calls_register() || !precompiled_register() ||
        !sweep_register(o.patterns)) {
        fputs("tosajit-bench: out of memory\n", stderr);
        return 1;
    }
    bench_context("absent peers", *externals_absent() ? externals_absent() : "none");
    bench_context("level", *bench_level ? bench_level : "native");
    if (o.table) printf("Absent peers: %s.\n", *externals_absent() ? externals_absent() : "none");
    int status = o.table ? run_table(argc, argv, o.ranked) : bench_main(&argc, argv, NULL, NULL);
    compile_release();
    calls_release();
    precompiled_release();
    sweep_release();
    cases_release();
    turns_release();
    pair_release();
    buffers_release();
    return status;
}
