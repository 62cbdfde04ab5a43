/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How far the vector math of others is from the real values, on the operands and by the reference
 * of the exhaustive proof. In: options, see usage; what was found when this was built. Out: a table
 * row per function and library on stdout. It measures and never fails. */
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/numbers/accuracy_peers.h"
#include "tests/numbers/exhaustive.h"

static const char usage[] = "accuracy_peers [options] [name...]   functions whose names contain "
                            "one of the words; all without any\n"
                            "  --stride N    every N-th of the 2^32 operands (default 1: all)\n"
                            "  --pairs N     points for pow (default 100000000)\n"
                            "  --threads N   default 2\n";

enum { MAX_PEERS = 8, MAX_THREADS = 64 };

/* libm in f32, one by one: where MLIR's convert-math-to-libm leads, too. */
#define LIBM(name, expression)                                                                     \
    static void name(const float *x, const float *y, float *r, size_t count) {                     \
        (void)y;                                                                                   \
        for (size_t k = 0; k < count; k++) r[k] = expression;                                      \
    }
LIBM(libm_cos, cosf(x[k]))
LIBM(libm_erf, erff(x[k]))
LIBM(libm_exp, expf(x[k]))
LIBM(libm_log, logf(x[k]))
LIBM(libm_pow, powf(x[k], y[k]))
LIBM(libm_rsqrt, 1.0f / sqrtf(x[k]))
LIBM(libm_sigmoid, 1.0f / (1.0f + expf(-x[k])))
LIBM(libm_sin, sinf(x[k]))
LIBM(libm_tanh, tanhf(x[k]))

static const peer libm_peers[] = {
    {"libm", TOSAJIT_OP_cos, libm_cos},   {"libm", TOSAJIT_OP_erf, libm_erf},
    {"libm", TOSAJIT_OP_exp, libm_exp},   {"libm", TOSAJIT_OP_log, libm_log},
    {"libm", TOSAJIT_OP_pow, libm_pow},   {"libm", TOSAJIT_OP_rsqrt, libm_rsqrt},
    {"libm", TOSAJIT_OP_sin, libm_sin},   {"libm", TOSAJIT_OP_sigmoid, libm_sigmoid},
    {"libm", TOSAJIT_OP_tanh, libm_tanh}, {NULL, TOSAJIT_OP_COUNT, NULL},
};

/* Per library. special: a NaN, infinity or zero that is another one than it should be; widest is
 * over the others. */
typedef struct measure {
    uint64_t checked, misrounded, beyond, special;
    double widest;
    uint64_t widest_operands[2], special_operands[2];
} measure;

typedef struct survey {
    const job *job;
    const peer *peers[MAX_PEERS];
    int peer_count, threads;
    uint64_t stride, total;
} survey;

typedef struct worker {
    const survey *survey;
    int number;
    expectation expected;
    measure measures[MAX_PEERS];
    _Alignas(64) float x[CHUNK], y[CHUNK], r[CHUNK];
} worker;

static void measure_element(worker *w, measure *m, void *const *operands, size_t k) {
    const job *j = w->survey->job;
    uint64_t actual = exhaustive_load(w->r, k, 4),
             bits[2] = {exhaustive_load(w->x, k, 4), exhaustive_load(w->y, k, 4)};
    double distance = exhaustive_distance(j, operands, &w->expected, k, actual);
    m->misrounded += !exhaustive_same(j, actual, exhaustive_load(w->expected.bits, k, 4));
    m->beyond += distance > 1;
    if (isinf(distance)) {
        if (m->special++ == 0) memcpy(m->special_operands, bits, sizeof bits);
    } else if (distance > m->widest) {
        m->widest = distance;
        memcpy(m->widest_operands, bits, sizeof bits);
    }
}

static void measure_chunk(worker *w, uint64_t first, size_t count) {
    const survey *s = w->survey;
    void *operands[2] = {w->x, w->y};
    memset(w->x, 0, sizeof w->x);
    exhaustive_operands(s->job, first * s->stride, s->stride, count, operands);
    exhaustive_expect(s->job, operands, count, &w->expected);
    for (int p = 0; p < s->peer_count; p++) {
        s->peers[p]->function(w->x, w->y, w->r, CHUNK);
        w->measures[p].checked += count;
        for (size_t k = 0; k < count; k++) measure_element(w, &w->measures[p], operands, k);
    }
}

static void *work(void *argument) {
    worker *w = argument;
    uint64_t step = (uint64_t)CHUNK * (uint64_t)w->survey->threads, total = w->survey->total;
    for (uint64_t at = (uint64_t)CHUNK * (uint64_t)w->number; at < total; at += step)
        measure_chunk(w, at, total - at < CHUNK ? total - at : CHUNK);
    mpfr_free_cache();
    return NULL;
}

static void merge(measure *into, const measure *from) {
    if (from->widest > into->widest)
        into->widest = from->widest,
        memcpy(into->widest_operands, from->widest_operands, sizeof from->widest_operands);
    if (from->special && !into->special)
        memcpy(into->special_operands, from->special_operands, sizeof from->special_operands);
    into->checked += from->checked;
    into->misrounded += from->misrounded;
    into->beyond += from->beyond;
    into->special += from->special;
}

static void print(const survey *s, int p, const measure *m) {
    char widest[40], special[40] = "";
    bool two = s->job->arity == 2;
    snprintf(widest, sizeof widest, two ? "0x%08" PRIx64 " 0x%08" PRIx64 : "0x%08" PRIx64,
             m->widest_operands[0], m->widest_operands[1]);
    if (m->special)
        snprintf(special, sizeof special, two ? "0x%08" PRIx64 " 0x%08" PRIx64 : "0x%08" PRIx64,
                 m->special_operands[0], m->special_operands[1]);
    printf("%-12s %-16s %11" PRIu64 " %12.4g %11" PRIu64 " %11" PRIu64 "  %-22s %10" PRIu64 " %s\n",
           s->job->name, s->peers[p]->name, m->checked, m->widest, m->misrounded, m->beyond, widest,
           m->special, special);
    fflush(stdout);
}

static bool run_survey(const survey *s) {
    worker *workers[MAX_THREADS] = {0};
    pthread_t threads[MAX_THREADS];
    measure measures[MAX_PEERS] = {0};
    int started = 0;
    for (; started < s->threads; started++) {
        worker *w = calloc(1, sizeof *w);
        if (w) w->survey = s, w->number = started;
        workers[started] = w;
        if (!w || pthread_create(&threads[started], NULL, work, w) != 0) break;
    }
    for (int k = 0; k < started; k++) {
        pthread_join(threads[k], NULL);
        for (int p = 0; p < s->peer_count; p++) merge(&measures[p], &workers[k]->measures[p]);
    }
    for (int k = 0; k < s->threads; k++) free(workers[k]);
    for (int p = 0; started == s->threads && p < s->peer_count; p++) print(s, p, &measures[p]);
    return started == s->threads;
}

static void add_peers(survey *s, const peer *peers) {
    for (; peers->function; peers++)
        if (peers->op == s->job->op && s->peer_count < MAX_PEERS) s->peers[s->peer_count++] = peers;
}

static bool is_selected(const job *j, char *const *names, int name_count) {
    bool selected = name_count == 0;
    for (int k = 0; k < name_count; k++) selected |= strstr(j->name, names[k]) != NULL;
    return selected && j->function && j->result == TOSAJIT_F32;
}

int main(int count, char **words) {
    uint64_t stride = 1, pairs = 100000000, threads = 2;
    int k = 1;
    for (; k + 1 < count && words[k][0] == '-'; k += 2) {
        uint64_t *target = strcmp(words[k], "--stride") == 0    ? &stride
                           : strcmp(words[k], "--pairs") == 0   ? &pairs
                           : strcmp(words[k], "--threads") == 0 ? &threads
                                                                : NULL;
        if (!target || (*target = strtoull(words[k + 1], NULL, 0)) == 0 || threads > MAX_THREADS)
            break;
    }
    if (k < count && words[k][0] == '-') {
        fputs(usage, stderr);
        return 2;
    }
    fputs(peers_missing, stdout);
    printf("%-12s %-16s %11s %12s %11s %11s  %-22s %10s %s\n", "function", "library", "operands",
           "max ulp", "misrounded", "over 1 ulp", "at", "special", "first at");
    size_t job_count;
    const job *jobs = exhaustive_jobs(&job_count, pairs);
    bool good = true;
    for (size_t n = 0; n < job_count; n++) {
        if (!is_selected(&jobs[n], words + k, count - k)) continue;
        uint64_t step = jobs[n].op == TOSAJIT_OP_pow ? 1 : stride;
        survey s = {.job = &jobs[n],
                    .threads = (int)threads,
                    .stride = step,
                    .total = (jobs[n].total + step - 1) / step};
        add_peers(&s, libm_peers);
        add_peers(&s, x86_peers);
        if (s.peer_count > 0) good &= run_survey(&s);
    }
    return good ? 0 : 1;
}
