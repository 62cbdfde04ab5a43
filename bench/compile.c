/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compile: latency of engines and kernels, by stage, against LLVM's own O3 pipeline on a scalar
 * loop and against what it is meant to be; and memory of kernels that are held. Each figure is the
 * median over single compilations, in processor time, which other programs disturb less; the stages
 * are the library's own and count from clock to clock. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/benchmark_shim.h"
#include "bench/families.h"
#include "bench/peer_llvm.h"
#include "bench/table.h"
#include "bench/workloads.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

enum {
    SAMPLES = 24,
    LIST_SAMPLES = 4,
    COLD_SAMPLES = 5,
    HELD_KERNELS = 1000,
    ROWS = 64,
    COLS = 64
};

/* A workload, the same as LLVM IR or null, and the time in ms that it is meant to stay below on an
 * idle core of today. */
typedef struct compile_job {
    const char *workload, *ir;
    bool dynamic;
    double target_ms;
} compile_job;

static const compile_job compile_jobs[] = {
    {"same", "%v = fadd float %x, %y\n", 0, 1.2},
    {"same", "%v = fadd float %x, %y\n", 1, 2.5},
    {"exp", "%v = call float @llvm.exp.f32(float %x)\n", 1, 6},
    {"ten_ops",
     "%s = fadd float %x, %y\n%d = fsub float %x, %y\n%p = fmul float %s, %d\n%q = fadd float %p, "
     "%x\n"
     "%m = call float @llvm.maximum.f32(float %q, float %y)\n%l = call float "
     "@llvm.minimum.f32(float %m, float 2.0)\n"
     "%t = call float @llvm.fabs.f32(float %l)\n%u = fmul float %t, %y\n%w = fsub float %u, %s\n%v "
     "= fmul float %w, 0.5\n",
     1, 6},
    {"log", NULL, 1, 6},
    {"tanh", NULL, 1, 6},
    {"sigmoid", NULL, 1, 6},
    {"erf", NULL, 1, 6},
    {"sin", NULL, 1, 6},
    {"cos", NULL, 1, 6},
    {"pow", NULL, 1, 6},
};
static const double fresh_process_target_ms = 15;

static tosajit_engine *engine;
static peer_jit *jit;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Without the cache, or only the first compilation of each would be measured; and with no other
 * code in the place of what is refused. */
static bool create_engine(void) {
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .uncached = 1};
    return engine || tosajit_engine_create(&options, &engine) == TOSAJIT_OK;
}

static tosajit_kernel *compile(const compile_job *j) {
    return workload_compile(engine, workload_find(j->workload), TOSAJIT_EXACT, ROWS, COLS,
                            j->dynamic);
}

static bool start(bench_run *run, void *context) {
    (void)context;
    if (!create_engine()) {
        bench_fail(run, tosajit_last_error());
        return false;
    }
    if (!jit && !(jit = peer_jit_create())) {
        bench_fail(run, "LLVM does not start");
        return false;
    }
    return true;
}

static void time_tosajit(bench_run *run, int64_t iterations, void *context) {
    enum { STAGES = 5 };
    static const char *const names[STAGES] = {"emit_ms", "passes_ms", "codegen_ms", "link_ms",
                                              "code_bytes"};
    double total[SAMPLES], stages[STAGES][SAMPLES];
    bench_counter(run, "target_ms", ((const compile_job *)context)->target_ms);
    for (int64_t i = 0; i < iterations; i++) {
        double before = now();
        tosajit_kernel *kernel = compile(context);
        total[i] = now() - before;
        if (!kernel) {
            bench_fail(run, tosajit_last_error());
            return;
        }
        tosajit_kernel_info info = {.size = sizeof info};
        tosajit_kernel_describe(kernel, &info);
        const double values[STAGES] = {info.emit_ms, info.passes_ms, info.codegen_ms, info.link_ms,
                                       (double)info.code_bytes};
        for (int s = 0; s < STAGES; s++) stages[s][i] = values[s];
        tosajit_kernel_release(kernel);
    }
    for (int s = 0; s < STAGES; s++)
        bench_counter(run, names[s], median(stages[s], (size_t)iterations));
    bench_seconds(run, median(total, (size_t)iterations) * (double)iterations);
}

static void time_llvm(bench_run *run, int64_t iterations, void *context) {
    const compile_job *j = context;
    double total[SAMPLES];
    for (int64_t i = 0; i < iterations; i++) {
        double before = now();
        peer_function *f = peer_jit_compile(jit, j->ir);
        total[i] = now() - before;
        if (!f) bench_fail(run, "LLVM refuses");
        peer_jit_release(jit, f);
    }
    bench_seconds(run, median(total, (size_t)iterations) * (double)iterations);
}

static void time_engine(bench_run *run, int64_t iterations, void *context) {
    double total[SAMPLES];
    (void)context;
    for (int64_t i = 0; i < iterations; i++) {
        tosajit_engine *made = NULL;
        double before = now();
        if (tosajit_engine_create(NULL, &made)) bench_fail(run, tosajit_last_error());
        total[i] = now() - before;
        tosajit_engine_destroy(made);
    }
    bench_seconds(run, median(total, (size_t)iterations) * (double)iterations);
}

static void time_lljit(bench_run *run, int64_t iterations, void *context) {
    double total[SAMPLES];
    (void)context;
    for (int64_t i = 0; i < iterations; i++) {
        double before = now();
        peer_jit *made = peer_jit_create();
        total[i] = now() - before;
        if (!made) bench_fail(run, "LLVM does not start");
        peer_jit_destroy(made);
    }
    bench_seconds(run, median(total, (size_t)iterations) * (double)iterations);
}

/* Several expressions. */

enum { LIST = 16, HITS = 1000 };

/* How the list is compiled, and the target per kernel. */
typedef struct list_job {
    int dynamic, at_once;
    double target_ms;
} list_job;

static const list_job list_jobs[] = {{0, 0, 1.2}, {0, 1, 1.2}, {1, 0, 2.5}, {1, 1, 2.5}};

static tosajit_expr *list_expr(int number, int dynamic) {
    static const tosajit_op ops[] = {TOSAJIT_OP_add, TOSAJIT_OP_sub, TOSAJIT_OP_mul,
                                     TOSAJIT_OP_floor};
    tosajit_op op = ops[number % 4];
    const int64_t sizes[2] = {ROWS, COLS + number}, any[2] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, dynamic ? any : sizes);
    tosajit_value values[3];
    tosajit_expr *expr;
    if (tosajit_expr_create(NULL, &expr)) return NULL;
    tosajit_status status = tosajit_expr_input(expr, &type, &values[0]);
    if (!status) status = tosajit_expr_input(expr, &type, &values[1]);
    if (!status)
        status =
            tosajit_expr_op(expr, op, values, (size_t)tosajit_op_arity(op), NULL, NULL, &values[2]);
    if (!status) status = tosajit_expr_result(expr, values[2]);
    if (!status) return expr;
    tosajit_expr_destroy(expr);
    return NULL;
}

static tosajit_status compile_list(const list_job *j, tosajit_expr *const *exprs,
                                   tosajit_kernel **kernels) {
    if (j->at_once)
        return tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, LIST, kernels,
                                    NULL);
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; !status && k < LIST; k++)
        status = tosajit_compile_expr(engine, exprs[k], &kernels[k]);
    return status;
}

/* Per kernel. */
static void time_list(bench_run *run, int64_t iterations, void *context) {
    const list_job *j = context;
    double total[SAMPLES];
    tosajit_expr *exprs[LIST];
    bool failed = false;
    for (int k = 0; k < LIST; k++) failed |= !(exprs[k] = list_expr(k, j->dynamic));
    for (int64_t i = 0; !failed && i < iterations; i++) {
        tosajit_kernel *kernels[LIST] = {0};
        double before = now();
        failed = compile_list(j, exprs, kernels) != TOSAJIT_OK;
        total[i] = (now() - before) / (double)LIST;
        for (int k = 0; k < LIST; k++) tosajit_kernel_release(kernels[k]);
    }
    for (int k = 0; k < LIST; k++) tosajit_expr_destroy(exprs[k]);
    bench_counter(run, "target_ms", j->target_ms);
    if (failed)
        bench_fail(run, tosajit_last_error());
    else
        bench_seconds(run, median(total, (size_t)iterations) * (double)iterations);
}

/* An expression whose kernel lives. */
static void time_hit(bench_run *run, int64_t iterations, void *context) {
    double total[SAMPLES];
    tosajit_engine *remembers = NULL;
    tosajit_kernel *first = NULL;
    tosajit_expr *expr = list_expr(0, 1);
    (void)context;
    tosajit_status status = tosajit_engine_create(NULL, &remembers);
    if (!status) status = tosajit_compile_expr(remembers, expr, &first);
    for (int64_t i = 0; !status && i < iterations; i++) {
        double before = now();
        for (int k = 0; !status && k < HITS; k++) {
            tosajit_kernel *again = NULL;
            status = tosajit_compile_expr(remembers, expr, &again);
            tosajit_kernel_release(again);
        }
        total[i] = (now() - before) / (double)HITS;
    }
    tosajit_kernel_release(first);
    tosajit_engine_destroy(remembers);
    tosajit_expr_destroy(expr);
    bench_counter(run, "target_ms", 1e-3);
    if (status)
        bench_fail(run, tosajit_last_error());
    else
        bench_seconds(run, median(total, (size_t)iterations) * (double)iterations);
}

/* Expressions of thousands of ops, in one kernel. */

enum { LONG_INPUTS = 40 };

/* Op number k takes the value before and: an input, of many; the one before that, or itself;
 * nothing. */
typedef struct long_job {
    const char *name;
    tosajit_op even, odd;
    int ops, inputs;
} long_job;

static const long_job long_jobs[] = {
    {"sums_of_40_inputs", TOSAJIT_OP_add, TOSAJIT_OP_add, 2500, LONG_INPUTS},
    {"sums_of_40_inputs", TOSAJIT_OP_add, TOSAJIT_OP_add, 10000, LONG_INPUTS},
    {"shared_products_and_sums", TOSAJIT_OP_mul, TOSAJIT_OP_add, 2500, 1},
    {"shared_products_and_sums", TOSAJIT_OP_mul, TOSAJIT_OP_add, 10000, 1},
    {"exp", TOSAJIT_OP_exp, TOSAJIT_OP_exp, 500, 1},
    {"exp", TOSAJIT_OP_exp, TOSAJIT_OP_exp, 2000, 1},
    {"exp_too_large", TOSAJIT_OP_exp, TOSAJIT_OP_exp, 10000, 1},
};

static tosajit_expr *long_expr(const long_job *j) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_value inputs[LONG_INPUTS], value, before;
    tosajit_expr *expr;
    if (tosajit_expr_create(NULL, &expr)) return NULL;
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; !status && k < j->inputs; k++)
        status = tosajit_expr_input(expr, &type, &inputs[k]);
    value = before = inputs[0];
    for (int k = 0; !status && k < j->ops; k++) {
        const tosajit_op op = k % 2 ? j->odd : j->even;
        const tosajit_value operands[2] = {value, j->inputs > 1 ? inputs[k % j->inputs]
                                                  : k % 2       ? before
                                                                : value};
        before = value;
        status =
            tosajit_expr_op(expr, op, operands, (size_t)tosajit_op_arity(op), NULL, NULL, &value);
    }
    if (!status) status = tosajit_expr_result(expr, value);
    if (!status) return expr;
    tosajit_expr_destroy(expr);
    return NULL;
}

/* To the kernel: of native code, or where that is too large of precompiled ops. */
static void time_long(bench_run *run, int64_t iterations, void *context) {
    const long_job *j = context;
    double total[SAMPLES];
    tosajit_expr *expr = long_expr(j);
    tosajit_status status = expr ? TOSAJIT_OK : TOSAJIT_OUT_OF_MEMORY;
    for (int64_t i = 0; !status && i < iterations; i++) {
        tosajit_kernel *kernel = NULL;
        double before = now();
        status = tosajit_compile_expr(engine, expr, &kernel);
        total[i] = now() - before;
        tosajit_kernel_release(kernel);
    }
    tosajit_expr_destroy(expr);
    if (status)
        bench_fail(run, tosajit_last_error());
    else
        bench_seconds(run, median(total, (size_t)iterations) * (double)iterations);
}

/* Figures that only a fresh process has: this program again, as a child, which writes lines of a
 * name and a value. */

typedef struct figure {
    char name[32];
    double value;
} figure;

static pid_t spawn(const char *mode, FILE **output) {
    int ends[2];
    if (pipe(ends)) return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/proc/self/exe", "tosajit-bench", mode, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *output = child < 0 ? NULL : fdopen(ends[0], "r");
    if (!*output) close(ends[0]);
    return child;
}

/* How many figures the child wrote; 0 if it failed. */
static int run_child(const char *mode, figure *figures) {
    FILE *output = NULL;
    pid_t child = spawn(mode, &output);
    int count = 0, status = 1;
    while (output && count < BENCH_MAX_COUNTERS &&
           fscanf(output, "%31s %lf", figures[count].name, &figures[count].value) == 2)
        count++;
    if (output) fclose(output);
    if (child > 0) waitpid(child, &status, 0);
    return status == 0 ? count : 0;
}

/* The first figure is the time in ms; all are reported. */
static void time_child(bench_run *run, int64_t iterations, void *context) {
    figure figures[BENCH_MAX_COUNTERS];
    double samples[BENCH_MAX_COUNTERS][SAMPLES];
    int count = 0;
    for (int64_t i = 0; i < iterations; i++) {
        count = run_child(context, figures);
        if (count == 0) {
            bench_fail(run, "the child process failed");
            return;
        }
        for (int k = 0; k < count; k++) samples[k][i] = figures[k].value;
    }
    if (strcmp(context, "--child=first") == 0)
        bench_counter(run, "target_ms", fresh_process_target_ms);
    for (int k = 1; k < count; k++)
        bench_counter(run, figures[k].name, median(samples[k], (size_t)iterations));
    bench_seconds(run, median(samples[0], (size_t)iterations) * 1e-3 * (double)iterations);
}

int compile_child_first(void) {
    double begin = now();
    if (!create_engine()) return 1;
    double created = now();
    tosajit_kernel *first = compile(&compile_jobs[1]);
    double compiled = now();
    tosajit_kernel *second = compile(&compile_jobs[1]);
    double again = now();
    tosajit_kernel_info info = {.size = sizeof info};
    if (!first || !second || tosajit_kernel_describe(first, &info)) return 1;
    printf("total_ms %g\nengine_ms %g\nfirst_kernel_ms %g\nsecond_kernel_ms %g\n",
           (compiled - begin) * 1e3, (created - begin) * 1e3, (compiled - created) * 1e3,
           (again - compiled) * 1e3);
    printf("emit_ms %g\npasses_ms %g\ncodegen_ms %g\nlink_ms %g\n", info.emit_ms, info.passes_ms,
           info.codegen_ms, info.link_ms);
    tosajit_kernel_release(first);
    tosajit_kernel_release(second);
    compile_release();
    return 0;
}

int compile_child_llvm(void) {
    double begin = now();
    jit = peer_jit_create();
    double created = now();
    peer_function *first = jit ? peer_jit_compile(jit, compile_jobs[1].ir) : NULL;
    double compiled = now();
    if (!first) return 1;
    printf("total_ms %g\nengine_ms %g\nfirst_kernel_ms %g\n", (compiled - begin) * 1e3,
           (created - begin) * 1e3, (compiled - created) * 1e3);
    peer_jit_release(jit, first);
    compile_release();
    return 0;
}

/* Resident bytes. */
static double resident(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*u %lu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* Growth from holding the kernels, and from having released them. */
static bool hold_kernels(tosajit_kernel **kernels, double *held, double *kept) {
    double before = resident();
    bool ok = true;
    for (int k = 0; k < HELD_KERNELS; k++)
        ok = (kernels[k] = compile(&compile_jobs[1])) != NULL && ok;
    *held = (resident() - before) / (double)HELD_KERNELS;
    for (int k = 0; k < HELD_KERNELS; k++) tosajit_kernel_release(kernels[k]);
    *kept = (resident() - before) / (double)HELD_KERNELS;
    return ok;
}

int compile_child_memory(void) {
    static tosajit_kernel *kernels[HELD_KERNELS];
    if (!create_engine()) return 1;
    /* So that LLVM's own first allocations are not counted. */
    tosajit_kernel_release(compile(&compile_jobs[1]));
    double held, kept, held_again, kept_again, begin = now();
    if (!hold_kernels(kernels, &held, &kept) || !hold_kernels(kernels, &held_again, &kept_again))
        return 1;
    double ms = (now() - begin) * 1e3 / (2.0 * (double)HELD_KERNELS);
    printf("ms %g\nbytes_per_kernel %g\nafter_release %g\nsecond_thousand %g\nafter_second %g\n",
           ms, held, kept, held_again, kept_again);
    compile_release();
    return 0;
}

static void add(const char *row, const char *contender, bench_prepare prepare, bench_body body,
                const void *context, int64_t iterations) {
    char name[128];
    snprintf(name, sizeof name, "%s/%s", row, contender);
    /* The contexts are read only; the shim's pointer serves bodies that write, too. */
    bench_register(&(bench_case){.name = name,
                                 .prepare = prepare,
                                 .body = body,
                                 .context = (void *)(uintptr_t)context,
                                 .iterations = iterations,
                                 .manual = true,
                                 .repetitions = iterations == 1 ? 1 : 0});
}

void compile_register(void) {
    for (size_t k = 0; k < sizeof compile_jobs / sizeof *compile_jobs; k++) {
        const compile_job *j = &compile_jobs[k];
        char row[64];
        snprintf(row, sizeof row, "compile/%s_%s",
                 strcmp(j->workload, "same") ? j->workload : "add",
                 j->dynamic ? "dynamic" : "static");
        if (j->ir) add(row, "llvm_O3", start, time_llvm, j, SAMPLES);
        add(row, "tosajit", start, time_tosajit, j, SAMPLES);
    }
    for (size_t k = 0; k < sizeof list_jobs / sizeof *list_jobs; k++) {
        const list_job *j = &list_jobs[k];
        add(j->dynamic ? "compile/sixteen_dynamic_each" : "compile/sixteen_static_each",
            j->at_once ? "at_once" : "tosajit", start, time_list, j, LIST_SAMPLES);
    }
    for (size_t k = 0; k < sizeof long_jobs / sizeof *long_jobs; k++) {
        char row[64];
        snprintf(row, sizeof row, "long/%s/%d", long_jobs[k].name, long_jobs[k].ops);
        add(row, "tosajit", start, time_long, &long_jobs[k], 1);
    }
    add("compile/cache_hit", "tosajit", start, time_hit, NULL, SAMPLES);
    add("compile/engine", "llvm_O3", start, time_lljit, NULL, SAMPLES);
    add("compile/engine", "tosajit", start, time_engine, NULL, SAMPLES);
    add("compile/fresh_process", "llvm_O3", NULL, time_child, "--child=llvm", COLD_SAMPLES);
    add("compile/fresh_process", "tosajit", NULL, time_child, "--child=first", COLD_SAMPLES);
    add("memory/thousand_kernels", "tosajit", NULL, time_child, "--child=memory", 1);
}

void compile_release(void) {
    tosajit_engine_destroy(engine);
    engine = NULL;
    peer_jit_destroy(jit);
    jit = NULL;
}
