/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Benchmark shim: Google Benchmark for C. In: named cases with a body that runs its own loop. Out:
 * Google Benchmark's reports, or every measurement handed to a sink. */
#ifndef TOSAJIT_BENCH_BENCHMARK_SHIM_H
#define TOSAJIT_BENCH_BENCHMARK_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_run bench_run; /* one repetition that is being measured */

/* The body repeats its work `iterations` times. It is called once per repetition, so that nothing
 * but the work is timed. */
typedef void (*bench_body)(bench_run *run, int64_t iterations, void *context);
/* Called before each repetition, untimed; returns false after bench_fail. */
typedef bool (*bench_prepare)(bench_run *run, void *context);

typedef struct bench_case {
    const char *name;      /* "family/case/contender"; copied */
    bench_prepare prepare; /* may be null */
    bench_body body;
    void *context;
    int64_t items, bytes; /* per iteration; 0: not reported */
    int64_t iterations;   /* 0: as many as fill --benchmark_min_time */
    int repetitions;      /* 0: --benchmark_repetitions */
    bool manual;          /* the body reports its time with bench_seconds */
} bench_case;

void bench_register(const bench_case *c);
/* True if the filter selects that registered case; known when the first case runs. */
bool bench_selected(const char *name);

/* A line about this run, in the reports of Google Benchmark. */
void bench_context(const char *name, const char *value);

/* For bodies and prepares. */
void bench_seconds(bench_run *run, double seconds); /* of all iterations */
void bench_counter(bench_run *run, const char *name, double value);
void bench_fail(bench_run *run, const char *message);

/* Keep the compiler from moving memory accesses across. */
void bench_clobber(void);

enum { BENCH_MAX_COUNTERS = 8 };

typedef struct bench_counter_value {
    const char *name;
    double value;
} bench_counter_value;

/* One repetition of one case; everything is valid during the call of the sink only. */
typedef struct bench_result {
    const char *name, *error; /* error: null if it was measured */
    int order;                /* position of its registration: repetitions may run in any order */
    double seconds;           /* per iteration: CPU time, or what bench_seconds said */
    int64_t items;
    int counter_count;
    bench_counter_value counters[BENCH_MAX_COUNTERS];
} bench_result;

typedef void (*bench_sink)(const bench_result *result, void *context);

/* Run what --benchmark_filter selects. With a sink, results go there instead of being printed. The
 * exit status. */
int bench_main(int *argc, char **argv, bench_sink sink, void *context);

#ifdef __cplusplus
}
#endif

#endif
