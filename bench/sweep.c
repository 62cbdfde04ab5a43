/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sweep: f32 additions of every pattern (patterns.c). In: how many patterns to take. Out: cases
 * "sweep/AxB+CxD/contender", whose contenders are timed in turns within one repetition: patterns
 * differ by less than this machine's mood from one second to the next. */
#define _POSIX_C_SOURCE 199309L
#include "bench/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/external.h"
#include "bench/families.h"
#include "bench/peers.h"

enum {
    ROUNDS = 9, /* turns of a repetition; the fastest counts, since others on this machine only ever
                   add */
    ROUND_NS = 50000, /* of one contender in one round, about */
    MAX_CALLS = 64,   /* in one round */
};

/* Of the first column in the tables, to which the others are compared: what moving the bytes costs.
 */
typedef enum contender {
    LIMIT,
    LOOP,
    DYNAMIC,
    PRECOMPILED,
    EXTERNALS,
    MAX_CONTENDERS = EXTERNALS + 2
} contender;
enum { KERNELS = EXTERNALS - DYNAMIC }; /* from DYNAMIC on */

typedef struct pattern {
    struct pattern *next;
    sweep_pattern s;
    float *pointers[3];
    tosajit_kernel *kernels[KERNELS];
    tosajit_tensor tensors[3];
    peer *limit;
    void *operators[MAX_CONTENDERS];
    int contender_count, libraries[MAX_CONTENDERS];
    int64_t measured, reported[MAX_CONTENDERS]; /* repetitions */
    double seconds[MAX_CONTENDERS];             /* of the last one */
} pattern;

/* One contender of one pattern. */
typedef struct turn {
    struct turn *next;
    pattern *p;
    int who;
} turn;

static pattern *patterns;
static turn *turns;
static tosajit_engine *engines[KERNELS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_once(const pattern *p, int who) {
    void *const operands[2] = {p->pointers[0], p->pointers[1]};
    if (who == LIMIT)
        p->limit(operands, p->pointers[2], 1, p->s.count);
    else if (who == LOOP)
        sweep_loop(&p->s.nest, p->pointers[0], p->pointers[1], p->pointers[2]);
    else if (who < EXTERNALS)
        tosajit_run(p->kernels[who - DYNAMIC], p->tensors, 2, &p->tensors[2], 1);
    else
        externals[p->libraries[who]]->run(p->operators[who]);
}

static double time_calls(const pattern *p, int who, int64_t calls) {
    double start = now();
    for (int64_t k = 0; k < calls; k++) {
        run_once(p, who);
        bench_clobber();
    }
    return (now() - start) / (double)calls;
}

/* All contenders in turns. */
static void measure(pattern *p) {
    int64_t calls[MAX_CONTENDERS];
    for (int who = 0; who < p->contender_count; who++) {
        double once = fmin(time_calls(p, who, 2), time_calls(p, who, 2));
        calls[who] = (int64_t)fmax(2, fmin(MAX_CALLS, (double)ROUND_NS * 1e-9 / fmax(once, 1e-9)));
        p->seconds[who] = once;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int who = 0; who < p->contender_count; who++)
            p->seconds[who] = fmin(p->seconds[who], time_calls(p, who, calls[who]));
    p->measured++;
}

/* Fill, copy or triad: as many streams as there are operands of at least half the result's size;
 * smaller ones are read from L1. */
static peer *choose_limit(const pattern *p) {
    static peer *const limits[] = {peer_fill, peer_add_scalar, peer_add_same};
    int streams = 0;
    for (int k = 0; k < 2; k++) {
        int64_t count = 1;
        for (int32_t d = 0; d < p->s.rank; d++) count *= p->s.dims[k][d];
        streams += 2 * count >= p->s.count;
    }
    return limits[streams];
}

static tosajit_status compile(pattern *p) {
    tosajit_tensor_type types[2];
    int64_t dims[SWEEP_RANK] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    for (int k = 0; k < 2; k++) types[k] = tosajit_ranked(TOSAJIT_F32, p->s.rank, dims);
    static const tosajit_backend backends[KERNELS] = {TOSAJIT_BACKEND_NATIVE,
                                                      TOSAJIT_BACKEND_PRECOMPILED};
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; !status && k < KERNELS; k++) {
        const tosajit_engine_options options = {.size = sizeof options, .backend = backends[k]};
        if (!engines[k]) status = tosajit_engine_create(&options, &engines[k]);
        if (!status)
            status =
                tosajit_compile(engines[k], TOSAJIT_OP_add, types, 2, NULL, NULL, &p->kernels[k]);
    }
    return status;
}

static external_request request_of(const pattern *p) {
    external_request request = {.op = TOSAJIT_OP_add,
                                .operand_count = 2,
                                .rank = p->s.rank,
                                .low = -INFINITY,
                                .high = INFINITY};
    memcpy(request.dims, p->s.dims, sizeof p->s.dims);
    for (int k = 0; k < 3; k++) request.pointers[k] = p->pointers[k];
    return request;
}

/* Every contender that computes the sum is compared with the loop. Null, or what is wrong. */
static const char *make_ready(pattern *p) {
    for (int k = 0; k < 3; k++)
        if (!(p->pointers[k] = k < 2 ? buffer_operand(TOSAJIT_F32, k) : buffer_result(0)))
            return "no memory";
    for (int k = 0; k < 3; k++)
        p->tensors[k] = tosajit_dense(TOSAJIT_F32, p->pointers[k], p->s.rank, p->s.dims[k]);
    if (compile(p)) return tosajit_last_error();
    external_request request = request_of(p);
    for (int who = EXTERNALS; who < p->contender_count; who++)
        if (!(p->operators[who] = externals[p->libraries[who]]->create(&request)))
            return "a library refuses the shapes";
    float *expected = buffer_result(BUFFER_RESULTS - 1);
    if (!expected) return "no memory";
    sweep_loop(&p->s.nest, p->pointers[0], p->pointers[1], expected);
    for (int who = DYNAMIC; who < p->contender_count; who++) {
        memset(p->pointers[2], 0, (size_t)p->s.count * sizeof(float));
        run_once(p, who);
        if (!buffer_agrees(TOSAJIT_F32, p->pointers[2], expected, p->s.count, 0))
            return "the results differ from the loop's";
    }
    return NULL;
}

static void drop(pattern *p) {
    for (int k = 0; k < KERNELS; k++) {
        tosajit_kernel_release(p->kernels[k]);
        p->kernels[k] = NULL;
    }
    for (int who = EXTERNALS; who < p->contender_count; who++) {
        if (p->operators[who]) externals[p->libraries[who]]->destroy(p->operators[who]);
        p->operators[who] = NULL;
    }
}

/* A pattern has kernels of its own, which remember its sizes. The patterns of a rank would
 * otherwise share one, and but the first 64 of them would be planned anew in every call. */
static bool prepare(bench_run *run, void *context) {
    static pattern *before;
    turn *t = context;
    pattern *p = t->p;
    if (before && before != p) drop(before);
    before = p;
    if (p->kernels[KERNELS - 1]) return true;
    const char *wrong = make_ready(p);
    if (!wrong) return true;
    bench_fail(run, wrong);
    drop(p); /* the next contender fails likewise */
    return false;
}

/* The contender that first comes to a repetition measures it for all. */
static void body(bench_run *run, int64_t iterations, void *context) {
    turn *t = context;
    pattern *p = t->p;
    if (p->reported[t->who] == p->measured) measure(p);
    p->reported[t->who] = p->measured;
    bench_seconds(run, p->seconds[t->who] * (double)iterations);
}

static bool add_turn(pattern *p, const char *shape, int who, const char *name) {
    turn *t = calloc(1, sizeof *t);
    if (!t) return false;
    *t = (turn){turns, p, who};
    turns = t;
    char full_name[128];
    snprintf(full_name, sizeof full_name, "sweep/%s/%s", shape, name);
    bench_register(&(bench_case){.name = full_name,
                                 .prepare = prepare,
                                 .body = body,
                                 .context = t,
                                 .items = p->s.count,
                                 .iterations = 1,
                                 .repetitions = 1,
                                 .manual = true});
    return true;
}

static void describe(const pattern *p, char *text, size_t capacity) {
    size_t used = 0;
    for (int k = 0; k < 2; k++)
        for (int32_t d = 0; d < p->s.rank; d++)
            used += (size_t)snprintf(text + used, capacity - used, "%s%d",
                                     d   ? "x"
                                     : k ? "+"
                                         : "",
                                     (int)p->s.dims[k][d]);
}

static bool add_pattern(const sweep_pattern *values) {
    pattern *p = calloc(1, sizeof *p);
    if (!p) return false;
    p->s = *values;
    p->next = patterns;
    patterns = p;
    char shape[96];
    describe(p, shape, sizeof shape);
    p->limit = choose_limit(p);
    bool ok = add_turn(p, shape, LIMIT, "limit") && add_turn(p, shape, LOOP, "loop") &&
              add_turn(p, shape, DYNAMIC, "dynamic") &&
              add_turn(p, shape, PRECOMPILED, "precompiled");
    p->contender_count = EXTERNALS;
    external_request request = request_of(p);
    for (int k = 0; ok && externals[k] && p->contender_count < MAX_CONTENDERS; k++) {
        if (externals[k]->compiles || !externals[k]->supports(&request)) continue;
        p->libraries[p->contender_count] = k;
        ok = add_turn(p, shape, p->contender_count++, externals[k]->name);
    }
    return ok;
}

static bool count_pattern(const sweep_pattern *p, uint32_t index, void *context) {
    (void)p;
    *(uint32_t *)context = index + 1;
    return true;
}

/* One in so many of those of ranks 3 and 4, which are nearly all. */
static bool take_pattern(const sweep_pattern *p, uint32_t index, void *context) {
    uint32_t one_in = *(const uint32_t *)context;
    return (p->rank > 2 && sweep_scramble(index) % one_in) || add_pattern(p);
}

bool sweep_register(int wanted) {
    uint32_t total = 0;
    sweep_visit(count_pattern, &total);
    uint32_t one_in = wanted > 0 && (uint32_t)wanted < total ? total / (uint32_t)wanted : 1;
    return sweep_visit(take_pattern, &one_in);
}

void sweep_release(void) {
    while (turns) {
        turn *next = turns->next;
        free(turns);
        turns = next;
    }
    while (patterns) {
        pattern *next = patterns->next;
        drop(patterns);
        free(patterns);
        patterns = next;
    }
    for (int k = 0; k < KERNELS; k++) {
        tosajit_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
}
