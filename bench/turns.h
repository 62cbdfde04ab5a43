/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Turns: contenders of one case that are timed in turns. A machine's mood changes from second to
 * second, so figures are compared that were measured within milliseconds of each other. In:
 * contenders with a function that runs one pass. Out: cases of Google Benchmark, one per contender,
 * whose every repetition is the median over some rounds, in each of which every contender has a
 * turn, in an order by chance. */
#ifndef TOSAJIT_BENCH_TURNS_H
#define TOSAJIT_BENCH_TURNS_H

#include <stdbool.h>
#include <stdint.h>

enum { TURNS_MAX_CONTENDERS = 16 };

typedef struct turns turns;

typedef struct turns_contender {
    const char *name;                           /* "family/case/contender"; copied */
    const char *(*prepare)(void *context);      /* once, untimed; what is wrong, or null */
    void (*run)(void *context, int64_t passes); /* timed */
    void (*begin)(void *context);               /* once per repetition, untimed; may be null */
    /* Before every pass, untimed, where passes change their operand; may be null. */
    void (*restore)(void *context);
    bool wakes; /* threads that sleep between turns: each turn begins with an untimed pass */
    void *context;
    int64_t items, bytes; /* per pass; 0: not reported */
} turns_contender;

/* Seconds that a repetition takes for each contender, and the clock: the wall's,
 * or the processor time of the calling thread. Null: out of memory. Lives until turns_release. */
turns *turns_create(double share, bool wall);
/* Register a contender. A filter that leaves it out leaves it out of the rounds as well. */
bool turns_add(turns *group, const turns_contender *contender);

/* The value of --benchmark_min_time, of which every group takes its share. */
void turns_set_time(double seconds);
void turns_release(void);

#endif
