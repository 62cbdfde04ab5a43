/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Turns: see turns.h. */
#define _POSIX_C_SOURCE 199309L
#include "bench/turns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/benchmark_shim.h"
#include "bench/table.h"

enum {
    ROUNDS = 9,
    LEAST_ROUNDS = 5, /* of cases whose passes take longer than a turn should */
    LONG_ROUNDS = 3,  /* and of those whose rounds take longer than LONG_SECONDS */
};
#define LONG_SECONDS 0.2

/* One contender. Repetitions of several contenders come in any order: each reads the figures of its
 * own repetitions. */
typedef struct contender {
    struct turns *group;
    turns_contender what;
    char name[128];
    bool ready;
    char error[256];
    int64_t passes; /* of a turn; 0: not known yet */
    double once;    /* seconds of a pass, about */
    double *seconds;
    size_t reported;
} contender;

struct turns {
    turns *next;
    double share;
    bool wall, prepared;
    size_t measured; /* repetitions */
    int count;
    contender contenders[TURNS_MAX_CONTENDERS];
};

static turns *groups;
static double whole_time = 0.02;

static double now(const turns *g) {
    struct timespec t;
    clock_gettime(g->wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The time of reading the clock, which is part of every pass that is timed alone. */
static double clock_seconds(const turns *g) {
    static double least[2] = {1, 1}; /* by clock */
    for (int k = 0; least[g->wall] == 1 && k < 1000; k++) {
        double start = now(g), end = now(g);
        if (k && end - start < least[g->wall] && end > start) least[g->wall] = end - start;
    }
    return least[g->wall] == 1 ? 0 : least[g->wall];
}

static double time_passes(const contender *c, int64_t passes) {
    const turns *g = c->group;
    double total = 0;
    if (!c->what.restore) {
        double start = now(g);
        c->what.run(c->what.context, passes);
        return (now(g) - start) / (double)passes;
    }
    for (int64_t k = 0; k < passes; k++) {
        c->what.restore(c->what.context);
        double start = now(g);
        c->what.run(c->what.context, 1);
        total += fmax(now(g) - start - clock_seconds(g), 0);
    }
    return total / (double)passes;
}

static double turn_seconds(const turns *g) { return whole_time * g->share / (double)ROUNDS; }

/* As many passes as fill a turn. */
static void calibrate(contender *c) {
    const double turn = turn_seconds(c->group);
    int64_t passes = 1;
    time_passes(c, 1);
    c->once = time_passes(c, 1);
    while (c->once * (double)passes < turn / 4 && passes < INT64_C(1) << 24) {
        passes *= 4;
        c->once = time_passes(c, passes);
    }
    c->passes = (int64_t)fmax(1, turn / fmax(c->once, 1e-9));
}

static double take_turn(const contender *c) {
    if (c->what.wakes || c->passes >= 4) time_passes(c, 1);
    return time_passes(c, c->passes);
}

static int choose_rounds(const turns *g) {
    double round = 0;
    int present = 0;
    for (int k = 0; k < g->count; k++)
        if (g->contenders[k].ready)
            present++, round += g->contenders[k].once * (double)g->contenders[k].passes;
    if (round > LONG_SECONDS) return LONG_ROUNDS;
    return (int)fmax(LEAST_ROUNDS, fmin(ROUNDS, whole_time * g->share * present / round));
}

/* Repeatable; a fixed order would let each run with the caches that always the same one left. */
static void shuffle(int *order, int count) {
    static uint32_t state = 1;
    for (int k = count - 1; k > 0; k--) {
        state = state * 1664525u + 1013904223u;
        int other = (int)((state >> 16) % (uint32_t)(k + 1)), held = order[k];
        order[k] = order[other];
        order[other] = held;
    }
}

static void measure(turns *g) {
    double samples[TURNS_MAX_CONTENDERS][ROUNDS];
    int order[TURNS_MAX_CONTENDERS], count = 0;
    for (int k = 0; k < g->count; k++)
        if (g->contenders[k].ready) order[count++] = k;
    for (int k = 0; k < count; k++) {
        contender *c = &g->contenders[order[k]];
        if (c->what.begin) c->what.begin(c->what.context);
        if (!c->passes) calibrate(c);
    }
    const int rounds = choose_rounds(g);
    for (int round = 0; round < rounds; round++) {
        shuffle(order, count);
        for (int k = 0; k < count; k++)
            samples[order[k]][round] = take_turn(&g->contenders[order[k]]);
    }
    for (int k = 0; k < count; k++)
        g->contenders[order[k]].seconds[g->measured] = median(samples[order[k]], (size_t)rounds);
    g->measured++;
}

static bool make_room(turns *g) {
    for (int k = 0; k < g->count; k++) {
        double *grown = realloc(g->contenders[k].seconds, (g->measured + 1) * sizeof *grown);
        if (!grown) return false;
        g->contenders[k].seconds = grown;
    }
    return true;
}

/* The first that comes prepares everybody. */
static bool prepare(bench_run *run, void *context) {
    contender *c = context;
    for (int k = 0; k < c->group->count && !c->group->prepared; k++) {
        contender *other = &c->group->contenders[k];
        if (!bench_selected(other->name)) continue;
        const char *wrong = other->what.prepare(other->what.context);
        if (wrong) snprintf(other->error, sizeof other->error, "%s", wrong);
        other->ready = !wrong;
    }
    c->group->prepared = true;
    if (!c->ready) bench_fail(run, c->error);
    return c->ready;
}

/* The first that comes to a repetition measures it for everybody. */
static void body(bench_run *run, int64_t iterations, void *context) {
    contender *c = context;
    if (c->reported == c->group->measured) {
        if (!make_room(c->group)) {
            bench_fail(run, "no memory for figures");
            return;
        }
        measure(c->group);
    }
    bench_seconds(run, c->seconds[c->reported++] * (double)iterations);
}

turns *turns_create(double share, bool wall) {
    turns *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->share = share;
    g->wall = wall;
    g->next = groups;
    return groups = g;
}

bool turns_add(turns *g, const turns_contender *what) {
    if (!g || g->count == TURNS_MAX_CONTENDERS) return false;
    contender *c = &g->contenders[g->count++];
    c->group = g;
    c->what = *what;
    snprintf(c->name, sizeof c->name, "%s", what->name);
    c->what.name = c->name;
    bench_register(&(bench_case){.name = c->name,
                                 .prepare = prepare,
                                 .body = body,
                                 .context = c,
                                 .items = what->items,
                                 .bytes = what->bytes,
                                 .iterations = 1,
                                 .manual = true});
    return true;
}

void turns_set_time(double seconds) {
    if (seconds > 0) whole_time = seconds;
}

void turns_release(void) {
    while (groups) {
        turns *next = groups->next;
        for (int k = 0; k < groups->count; k++) free(groups->contenders[k].seconds);
        free(groups);
        groups = next;
    }
}
