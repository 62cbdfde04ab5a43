/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Precompiled: what is particular to kernels of precompiled ops: calls on few elements beside
 * compiled ones, making a kernel, a fresh process, and the first result of one that is compiled in
 * the background. Their speed on larger tensors is a contender of the other families. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/families.h"
#include "bench/pair.h"
#include "bench/table.h"
#include "bench/turns.h"
#include "tosajit/graph.h"

enum { FEW = 16, MANY = 1 << 20, SAMPLES = 24, MADE = 16, FIRST_SAMPLES = 9, STEADY_RUNS = 9 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* So many cheap ops, one after the other, on two vectors of dynamic size; null without memory. */
static tosajit_expr *chain(int ops) {
    static const tosajit_op turn[] = {TOSAJIT_OP_add, TOSAJIT_OP_mul, TOSAJIT_OP_sub,
                                      TOSAJIT_OP_maximum, TOSAJIT_OP_minimum};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_value inputs[2], value;
    tosajit_expr *expr;
    if (tosajit_expr_create(NULL, &expr)) return NULL;
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; !status && k < 2; k++) status = tosajit_expr_input(expr, &type, &inputs[k]);
    value = inputs[0];
    for (int k = 0; !status && k < ops; k++)
        status = tosajit_expr_op(expr, turn[k % 5], (tosajit_value[]){value, inputs[(k + 1) % 2]},
                                 2, NULL, NULL, &value);
    if (!status) status = tosajit_expr_result(expr, value);
    if (!status) return expr;
    tosajit_expr_destroy(expr);
    return NULL;
}

static tosajit_status open_engine(tosajit_backend backend, tosajit_engine **engine) {
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = backend, .uncached = 1};
    return *engine ? TOSAJIT_OK : tosajit_engine_create(&options, engine);
}

/* A chain on vectors of `count` elements. */
typedef struct job {
    tosajit_kernel *kernel;
    int64_t count;
    tosajit_tensor operands[2], result;
} job;

static bool set_tensors(job *j, int64_t count) {
    void *places[3] = {buffer_operand(TOSAJIT_F32, 0), buffer_operand(TOSAJIT_F32, 1),
                       buffer_result(0)};
    j->count = count;
    for (int k = 0; k < 3; k++)
        *(k < 2 ? &j->operands[k] : &j->result) =
            tosajit_dense(TOSAJIT_F32, places[k], 1, &j->count);
    return places[0] && places[1] && places[2];
}

static tosajit_status run_job(const job *j) {
    return tosajit_run(j->kernel, j->operands, 2, &j->result, 1);
}

/* ---------------------------------------------------------------------------------------------
 * Calls on few elements, in turns */

typedef struct call {
    const char *name;
    int ops;
    tosajit_backend backend;
    job job;
} call;

static call calls[] = {
    {"precompiled/call_16_one_op/native", 1, TOSAJIT_BACKEND_NATIVE, {0}},
    {"precompiled/call_16_one_op/precompiled", 1, TOSAJIT_BACKEND_PRECOMPILED, {0}},
    {"precompiled/call_16_five_ops/native", 5, TOSAJIT_BACKEND_NATIVE, {0}},
    {"precompiled/call_16_five_ops/precompiled", 5, TOSAJIT_BACKEND_PRECOMPILED, {0}},
};
enum { CALLS = sizeof calls / sizeof *calls };

static tosajit_engine *engines[2]; /* that compiles; of precompiled ops */

static const char *prepare_call(void *context) {
    call *c = context;
    tosajit_engine **engine = &engines[c->backend == TOSAJIT_BACKEND_PRECOMPILED];
    tosajit_expr *expr = chain(c->ops);
    if (!expr || !set_tensors(&c->job, FEW)) return "no memory";
    tosajit_status status = open_engine(c->backend, engine);
    if (!status) status = tosajit_compile_expr(*engine, expr, &c->job.kernel);
    tosajit_expr_destroy(expr);
    if (!status) status = run_job(&c->job);
    return status ? tosajit_last_error() : NULL;
}

static void run_call(void *context, int64_t passes) {
    const call *c = context;
    for (int64_t k = 0; k < passes; k++) run_job(&c->job);
}

/* ---------------------------------------------------------------------------------------------
 * Making a kernel */

static bool start_making(bench_run *run, void *context) {
    (void)context;
    const bool fine = !open_engine(TOSAJIT_BACKEND_PRECOMPILED, &engines[1]);
    if (!fine) bench_fail(run, tosajit_last_error());
    return fine;
}

static void make(bench_run *run, int64_t iterations, void *context) {
    double samples[SAMPLES];
    const int *ops = context;
    tosajit_expr *expr = chain(*ops);
    tosajit_status status = expr ? TOSAJIT_OK : TOSAJIT_OUT_OF_MEMORY;
    for (int64_t i = 0; !status && i < iterations; i++) {
        tosajit_kernel *kernels[MADE] = {0};
        const double begin = now();
        for (int k = 0; !status && k < MADE; k++)
            status = tosajit_compile_expr(engines[1], expr, &kernels[k]);
        samples[i] = (now() - begin) / (double)MADE;
        for (int k = 0; k < MADE; k++) tosajit_kernel_release(kernels[k]);
    }
    tosajit_expr_destroy(expr);
    if (status)
        bench_fail(run, tosajit_last_error());
    else
        bench_seconds(run, median(samples, (size_t)iterations) * (double)iterations);
}

/* ---------------------------------------------------------------------------------------------
 * A fresh process: a program of its own (fresh.c), because this one has LLVM from the beginning */

static FILE *start_fresh(pid_t *child) {
    char path[4096];
    int ends[2];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "-fresh");
    if (length < 0 || pipe(ends)) return NULL;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    snprintf(slash + 1, sizeof path - (size_t)(slash + 1 - path), "tosajit-bench-fresh");
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *output = *child < 0 ? NULL : fdopen(ends[0], "r");
    if (!output) close(ends[0]);
    return output;
}

static void time_fresh(bench_run *run, int64_t iterations, void *context) {
    double samples[SAMPLES], mapped = 0;
    (void)context;
    for (int64_t i = 0; i < iterations; i++) {
        pid_t child = -1;
        int status = 1, llvm = 0;
        FILE *output = start_fresh(&child);
        const bool read = output && fscanf(output, "%lf %d", &samples[i], &llvm) == 2;
        if (output) fclose(output);
        if (child > 0) waitpid(child, &status, 0);
        if (!read || status) {
            bench_fail(run, "tosajit-bench-fresh failed");
            return;
        }
        mapped += llvm;
    }
    const double seconds = median(samples, (size_t)iterations);
    bench_counter(run, "first_result_ms", seconds * 1e3);
    bench_counter(run, "llvm_mapped", mapped);
    bench_seconds(run, seconds * (double)iterations);
}

/* ---------------------------------------------------------------------------------------------
 * In the background */

static tosajit_engine *background;

static tosajit_status open_background(void *context) {
    (void)context;
    return open_engine(TOSAJIT_BACKEND_BACKGROUND, &background);
}

/* From an expression to its first result, and what a run takes once the kernel is compiled. The
 * thread that compiles may use the other processor, if there is one. */
static tosajit_status time_first(const tosajit_expr *expr, double *first, double *steady) {
    job j = {0};
    double runs[STEADY_RUNS];
    if (!set_tensors(&j, MANY)) return TOSAJIT_OUT_OF_MEMORY;
    tosajit_status status = pair_create(true, open_background, NULL);
    const double begin = now();
    if (!status) status = tosajit_compile_expr(background, expr, &j.kernel);
    if (!status) status = run_job(&j);
    *first = now() - begin;
    if (!status) status = tosajit_kernel_wait(j.kernel);
    for (int k = 0; !status && k < STEADY_RUNS; k++) {
        const double start = now();
        status = run_job(&j);
        runs[k] = now() - start;
    }
    if (!status) *steady = median(runs, STEADY_RUNS);
    tosajit_kernel_release(j.kernel);
    tosajit_engine_destroy(background);
    background = NULL;
    return status;
}

static void time_background(bench_run *run, int64_t iterations, void *context) {
    double firsts[SAMPLES], steadies[SAMPLES], unused;
    const int *ops = context;
    tosajit_expr *expr = chain(*ops);
    /* So that the buffers are in the page tables, and LLVM's start is not measured. */
    tosajit_status status = expr ? time_first(expr, &unused, &unused) : TOSAJIT_OUT_OF_MEMORY;
    for (int64_t i = 0; !status && i < iterations; i++)
        status = time_first(expr, &firsts[i], &steadies[i]);
    tosajit_expr_destroy(expr);
    if (status) {
        bench_fail(run, tosajit_last_error());
        return;
    }
    const double first = median(firsts, (size_t)iterations);
    bench_counter(run, "first_result_ms", first * 1e3);
    bench_counter(run, "steady_ms", median(steadies, (size_t)iterations) * 1e3);
    bench_seconds(run, first * (double)iterations);
}

bool precompiled_register(void) {
    static int one = 1, five = 5, ten = 10;
    const bench_case cases[] = {
        {"precompiled/make_one_op/precompiled", start_making, make, &one, 0, 0, SAMPLES, 0, true},
        {"precompiled/make_ten_ops/precompiled", start_making, make, &ten, 0, 0, SAMPLES, 0, true},
        {"precompiled/fresh_process/precompiled", NULL, time_fresh, NULL, 0, 0, FIRST_SAMPLES, 0,
         true},
        {"precompiled/background_1M_five_ops/background", NULL, time_background, &five, 0, 0,
         FIRST_SAMPLES, 0, true},
    };
    turns *group = turns_create(1, false);
    bool ok = group != NULL;
    for (int k = 0; ok && k < CALLS; k++)
        ok = turns_add(group, &(turns_contender){.name = calls[k].name,
                                                 .prepare = prepare_call,
                                                 .run = run_call,
                                                 .context = &calls[k]});
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) bench_register(&cases[k]);
    return ok;
}

void precompiled_release(void) {
    for (int k = 0; k < CALLS; k++) tosajit_kernel_release(calls[k].job.kernel);
    for (int k = 0; k < 2; k++) {
        tosajit_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
}
