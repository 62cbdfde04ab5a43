/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ways: the sweep's patterns in every way that they may take, apart and in place of the first
 * operand. In: how many patterns to take; 0 is all. Out: a line for each, of words:
 *
 *     shapes, "apart" or "in_place", the way that is chosen, ns of each way, counts of costs.h
 *
 * The ways are "direct", whose rows, planes and interleaving are chosen; "plain", which has the
 * innermost dimensions as rows and planes, not interleaved; and "collapsed", one long row. "-" is a
 * way that the walk cannot take, or that is "direct". They take turns, and the fastest turn of each
 * counts. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/buffers.h"
#include "bench/sweep.h"
/* The choice itself, for the ways that it weighs and what it counts of each. The program has this
 * copy alone: nothing is left to take from the library's. */
#include "runtime/tile/choose.c"
#include "runtime/run/kernel.h"
#include "runtime/tile/tile.h"

enum { TENSORS = 3, ROUNDS = 9, ROUND_NS = 20000, MAX_CALLS = 64 };
typedef enum way { PLAIN, DIRECT, COLLAPSED, WAYS } way;
static const char *const way_names[WAYS] = {"plain", "direct", "collapsed"};

/* One pattern, apart or in place. */
typedef struct trial {
    const plan_part *part;
    const code_part *code;
    walk w;
    tile_tensors tensors;
    tile_choice choices[WAYS];
    bool possible[WAYS];
    double counts[COST_TERMS], ns[WAYS];
} trial;

typedef struct sample {
    tosajit_kernel *kernels[SWEEP_RANK + 1]; /* by rank, of dynamic sizes */
    uint32_t one_in;
    bool failed;
} sample;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_calls(const trial *t, way k, int calls) {
    void *pointers[TENSORS];
    int64_t strides[3 * TENSORS];
    const tile_job job = {t->part, t->code, &t->w, pointers, &t->choices[k], strides};
    tile_strides(t->part, &t->choices[k], &t->w, &t->tensors, strides);
    const double start = now_ns();
    for (int c = 0; c < calls; c++) {
        for (int n = 0; n < t->w.tensors; n++) pointers[n] = t->tensors.pointers[n];
        tile_run_choice(&job);
    }
    return (now_ns() - start) / calls;
}

static void measure(trial *t) {
    int calls[WAYS];
    for (way k = PLAIN; k < WAYS; k++) {
        if (!t->possible[k]) continue;
        t->ns[k] = fmin(time_calls(t, k, 2), time_calls(t, k, 2));
        calls[k] = (int)fmax(2, fmin(MAX_CALLS, (double)ROUND_NS / t->ns[k]));
    }
    for (int round = 0; round < ROUNDS; round++)
        for (way k = PLAIN; k < WAYS; k++)
            if (t->possible[k]) t->ns[k] = fmin(t->ns[k], time_calls(t, k, calls[k]));
}

/* The innermost dimensions for rows and planes. */
static tile_choice plain_choice(const tile_choice *direct, const trial *t) {
    tile_choice c = *direct;
    c.row_dim = c.plane_dim = -1;
    c.interleave = c.rows = c.planes = 1;
    c.outer = (UINT32_C(1) << (t->w.rank - 1)) - 1;
    if (t->w.rank > 1) c.rows = t->w.sizes[c.row_dim = t->w.rank - 2];
    if (t->w.rank > 2 && t->part->has_planes) c.planes = t->w.sizes[c.plane_dim = t->w.rank - 3];
    if (c.row_dim >= 0) c.outer &= ~(UINT32_C(1) << c.row_dim);
    if (c.plane_dim >= 0) c.outer &= ~(UINT32_C(1) << c.plane_dim);
    return c;
}

static void set_walk(trial *t, const sweep_pattern *p) {
    int64_t strides[SWEEP_RANK];
    t->w.rank = p->rank;
    t->w.tensors = TENSORS;
    for (int32_t k = 0; k < TENSORS; k++) {
        walk_dense_strides(p->rank, p->dims[k], sizeof(float), strides);
        for (int32_t d = 0; d < p->rank; d++) {
            t->w.sizes[d] = p->dims[2][d];
            walk_mutable_strides(&t->w, d)[k] = p->dims[k][d] == 1 ? 0 : strides[d];
        }
    }
    walk_coalesce(&t->w);
}

/* False where there is but one way. */
static bool set_ways(trial *t, bool in_place) {
    const asked a = ask(t->part, t->code, &t->w, in_place);
    tile_choice *const plain = &t->choices[PLAIN], *const direct = &t->choices[DIRECT],
                       *const collapsed = &t->choices[COLLAPSED];
    double counts[COST_TERMS];
    memset(t->counts, 0, sizeof t->counts); /* of a walk of one row, none is counted */
    choose_direct(&a, direct, t->counts);
    if (direct->packed) return false;
    *plain = plain_choice(direct, t);
    t->possible[DIRECT] = true;
    t->possible[PLAIN] = plain->row_dim != direct->row_dim ||
                         plain->plane_dim != direct->plane_dim || direct->interleave > 1;
    t->possible[COLLAPSED] = t->w.rank > 1 && choose_collapsed(&a, collapsed) &&
                             collapsed_ns(&a, collapsed, counts) < DBL_MAX;
    for (int k = 0; t->possible[COLLAPSED] && k < COST_TERMS; k++) t->counts[k] += counts[k];
    collapsed->by_pattern = true;
    return t->possible[PLAIN] || t->possible[COLLAPSED];
}

static void print(const trial *t, const sweep_pattern *p, bool in_place) {
    tile_choice chosen;
    tile_choose(t->part, t->code, &t->w, in_place, &chosen);
    for (int k = 0; k < 2; k++)
        for (int32_t d = 0; d < p->rank; d++)
            printf("%s%d", d ? "x" : k ? "+" : "", (int)p->dims[k][d]);
    printf(" %s %s", in_place ? "in_place" : "apart",
           way_names[chosen.strategy == TILE_COLLAPSED ? COLLAPSED : DIRECT]);
    for (int k = 0; k < WAYS; k++)
        if (t->possible[k])
            printf(" %.1f", t->ns[k]);
        else
            printf(" -");
    for (int k = 0; k < COST_TERMS; k++) printf(" %.6g", t->counts[k]);
    putchar('\n');
}

static bool try_pattern(const sweep_pattern *p, uint32_t index, void *context) {
    sample *s = context;
    trial t;
    if (p->rank > 2 && sweep_scramble(index) % s->one_in) return true;
    for (int in_place = 0; in_place < 2; in_place++) {
        if (in_place && memcmp(p->dims[0], p->dims[2], sizeof p->dims[0]) != 0) continue;
        const tosajit_kernel *kernel = s->kernels[p->rank];
        t.part = &kernel->plan.parts[0];
        t.code = &atomic_load(&kernel->code)->parts[0];
        for (int k = 0; k < TENSORS; k++) {
            t.tensors.pointers[k] = k < 2 ? buffer_operand(TOSAJIT_F32, k) : buffer_result(0);
            t.tensors.splat_strides[k] = 0;
            if (!t.tensors.pointers[k]) return !(s->failed = true);
        }
        if (in_place) t.tensors.pointers[2] = t.tensors.pointers[0];
        set_walk(&t, p);
        if (!set_ways(&t, in_place)) continue;
        measure(&t);
        print(&t, p, in_place);
    }
    return true;
}

static tosajit_status compile(tosajit_engine *engine, int32_t rank, tosajit_kernel **kernel) {
    int64_t dims[SWEEP_RANK];
    tosajit_tensor_type types[2];
    for (int32_t d = 0; d < rank; d++) dims[d] = TOSAJIT_DYNAMIC;
    types[0] = types[1] = tosajit_ranked(TOSAJIT_F32, rank, dims);
    return tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, kernel);
}

static bool count_pattern(const sweep_pattern *p, uint32_t index, void *context) {
    (void)p;
    *(uint32_t *)context = index + 1;
    return true;
}

int main(int argc, char **argv) {
    const uint32_t wanted = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    const tosajit_engine_options options = {.size = sizeof options};
    tosajit_engine *engine = NULL;
    sample s = {.one_in = 1};
    uint32_t total = 0;
    sweep_visit(count_pattern, &total);
    if (wanted > 0 && wanted < total) s.one_in = total / wanted;
    tosajit_status status = tosajit_engine_create(&options, &engine);
    for (int32_t rank = 1; !status && rank <= SWEEP_RANK; rank++)
        status = compile(engine, rank, &s.kernels[rank]);
    if (status) fprintf(stderr, "ways: %s\n", tosajit_last_error());
    if (!status && !sweep_visit(try_pattern, &s)) fputs("ways: no memory\n", stderr);
    for (int32_t rank = 1; rank <= SWEEP_RANK; rank++) tosajit_kernel_release(s.kernels[rank]);
    tosajit_engine_destroy(engine);
    buffers_release();
    return status || s.failed;
}
