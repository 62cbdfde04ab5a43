/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sweep: f32 additions of every combination of {full, size 1} per operand and dimension up to rank
 * 4, with inner sizes around the vector lengths. In: how many patterns to take. Out: cases
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
    ELEMENTS =
        16 * 1024, /* of a result, about: a call's cost shows little, and everything lies in L2 */
    ROUNDS = 9, /* turns of a repetition; the fastest counts, since others on this machine only ever
                   add */
    ROUND_NS = 50000, /* of one contender in one round, about */
    MAX_CALLS = 64,   /* in one round */
};

/* How the two operands cover a dimension. */
typedef enum cover { BOTH, ONLY_B, ONLY_A, NEITHER, COVER_COUNT } cover;

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
    int32_t rank;
    int64_t dims[3][SWEEP_RANK], count; /* operands, result */
    sweep_nest nest;
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
        p->limit(operands, p->pointers[2], 1, p->count);
    else if (who == LOOP)
        sweep_loop(&p->nest, p->pointers[0], p->pointers[1], p->pointers[2]);
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
        for (int32_t d = 0; d < p->rank; d++) count *= p->dims[k][d];
        streams += 2 * count >= p->count;
    }
    return limits[streams];
}

static tosajit_status compile(pattern *p) {
    tosajit_tensor_type types[2];
    int64_t dims[SWEEP_RANK] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    for (int k = 0; k < 2; k++) types[k] = tosajit_ranked(TOSAJIT_F32, p->rank, dims);
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
                                .rank = p->rank,
                                .low = -INFINITY,
                                .high = INFINITY};
    memcpy(request.dims, p->dims, sizeof p->dims);
    for (int k = 0; k < 3; k++) request.pointers[k] = p->pointers[k];
    return request;
}

/* Every contender that computes the sum is compared with the loop. Null, or what is wrong. */
static const char *make_ready(pattern *p) {
    for (int k = 0; k < 3; k++)
        if (!(p->pointers[k] = k < 2 ? buffer_operand(TOSAJIT_F32, k) : buffer_result(0)))
            return "no memory";
    for (int k = 0; k < 3; k++)
        p->tensors[k] = tosajit_dense(TOSAJIT_F32, p->pointers[k], p->rank, p->dims[k]);
    if (compile(p)) return tosajit_last_error();
    external_request request = request_of(p);
    for (int who = EXTERNALS; who < p->contender_count; who++)
        if (!(p->operators[who] = externals[p->libraries[who]]->create(&request)))
            return "a library refuses the shapes";
    float *expected = buffer_result(BUFFER_RESULTS - 1);
    if (!expected) return "no memory";
    sweep_loop(&p->nest, p->pointers[0], p->pointers[1], expected);
    for (int who = DYNAMIC; who < p->contender_count; who++) {
        memset(p->pointers[2], 0, (size_t)p->count * sizeof(float));
        run_once(p, who);
        if (!buffer_agrees(TOSAJIT_F32, p->pointers[2], expected, p->count, 0))
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

static bool prepare(bench_run *run, void *context) {
    turn *t = context;
    pattern *p = t->p;
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
                                 .items = p->count,
                                 .iterations = 1,
                                 .repetitions = 1,
                                 .manual = true});
    return true;
}

static void describe(const pattern *p, char *text, size_t capacity) {
    size_t used = 0;
    for (int k = 0; k < 2; k++)
        for (int32_t d = 0; d < p->rank; d++)
            used += (size_t)snprintf(text + used, capacity - used, "%s%d",
                                     d   ? "x"
                                     : k ? "+"
                                         : "",
                                     (int)p->dims[k][d]);
}

static bool add_pattern(const pattern *values) {
    pattern *p = malloc(sizeof *p);
    if (!p) return false;
    *p = *values;
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

/* Repeatable, and without a rhythm of its own. */
static uint32_t scramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* The sizes of a pattern: the inner one as given, the outermost that is one as large as the rest
 * demands, those between small. */
static void choose_sizes(pattern *p, const cover *covers, int64_t inner, uint32_t seed) {
    int64_t *sizes = p->dims[2], rest = ELEMENTS / inner;
    int32_t last = p->rank - 1, large = -1;
    for (int32_t d = last; d >= 0; d--) {
        sizes[d] = 1;
        if (covers[d] == NEITHER) continue;
        large = d;
        if (d < last) sizes[d] = 2 + (int64_t)(scramble(seed + (uint32_t)d) % 7);
    }
    if (covers[last] != NEITHER) sizes[last] = inner;
    if (large < 0 || large == last) return;
    for (int32_t d = large + 1; d < last; d++) rest /= sizes[d];
    sizes[large] = rest > 2 ? rest : 2;
}

static bool make_pattern(int32_t rank, uint32_t covers, int64_t inner, pattern *p) {
    cover each[SWEEP_RANK];
    *p = (pattern){.rank = rank, .count = 1};
    for (int32_t d = 0; d < rank; d++) each[d] = (cover)(covers >> (2 * d) & 3);
    if (each[rank - 1] == NEITHER && inner != 1) return false; /* the same for every inner size */
    if (rank == 1) inner += ELEMENTS;
    choose_sizes(p, each, inner, covers * 64 + (uint32_t)inner);
    for (int k = 0; k < 3; k++)
        for (int32_t d = 0; d < rank && k < 2; d++)
            p->dims[k][d] = each[d] == BOTH || each[d] == (k ? ONLY_B : ONLY_A) ? p->dims[2][d] : 1;
    for (int32_t d = 0; d < SWEEP_RANK; d++)
        p->nest.sizes[d] = d < SWEEP_RANK - rank ? 1 : p->dims[2][d - SWEEP_RANK + rank];
    for (int k = 0; k < 2; k++) {
        int64_t stride = 1;
        for (int32_t d = rank; d-- > 0;) {
            p->nest.strides[k][d + SWEEP_RANK - rank] = p->dims[k][d] == 1 ? 0 : stride;
            stride *= p->dims[k][d];
        }
    }
    for (int32_t d = 0; d < rank; d++) p->count *= p->dims[2][d];
    return p->count >= ELEMENTS / 8; /* others measure calls */
}

typedef bool visitor(const pattern *p, uint32_t index, void *context);

static bool visit_patterns(visitor *visit, void *context) {
    static const int64_t inner[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                    13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000};
    uint32_t index = 0;
    for (int32_t rank = 1; rank <= SWEEP_RANK; rank++)
        for (uint32_t covers = 0; covers < 1u << (2 * rank); covers++)
            for (size_t k = 0; k < sizeof inner / sizeof *inner; k++) {
                pattern p;
                if (make_pattern(rank, covers, inner[k], &p) && !visit(&p, index++, context))
                    return false;
            }
    return true;
}

static bool count_pattern(const pattern *p, uint32_t index, void *context) {
    (void)p;
    *(uint32_t *)context = index + 1;
    return true;
}

/* One in so many of those of ranks 3 and 4, which are nearly all. */
static bool take_pattern(const pattern *p, uint32_t index, void *context) {
    uint32_t one_in = *(const uint32_t *)context;
    return (p->rank > 2 && scramble(index) % one_in) || add_pattern(p);
}

bool sweep_register(int wanted) {
    uint32_t total = 0;
    visit_patterns(count_pattern, &total);
    uint32_t one_in = wanted > 0 && (uint32_t)wanted < total ? total / (uint32_t)wanted : 1;
    return visit_patterns(take_pattern, &one_in);
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
