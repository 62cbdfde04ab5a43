/* Threads: one thread, two on one processor, and two on two, on functions whose data lie in the caches and on sums that memory bounds;
 * beside copies on as many threads. In: the processors. Out: cases "threads/...", timed by the wall clock. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/families.h"
#include "tosajit/tosajit.h"

typedef enum contender { ONE, TWO_ON_ONE, TWO_ON_TWO, COPY_ONE, COPY_TWO } contender;

typedef struct thread_case {
    const char *name;
    tosajit_op op;
    int64_t count;
} thread_case;

/* 256K elements: half of them, and their results, fit the L2 of one processor. */
static const thread_case thread_cases[] = {
    {"exp/256K", TOSAJIT_OP_exp, 256 << 10}, {"tanh/256K", TOSAJIT_OP_tanh, 256 << 10}, {"pow/256K", TOSAJIT_OP_pow, 256 << 10},
    {"add/64K", TOSAJIT_OP_add, 64 << 10},   {"add/1M", TOSAJIT_OP_add, 1 << 20},       {"add/16M", TOSAJIT_OP_add, 16 << 20},
};

typedef struct job {
    struct job *next;
    const thread_case *what;
    contender who;
    tosajit_kernel *kernel;
    tosajit_tensor operands[2], result;
} job;

static job *jobs;
static tosajit_engine *engines[TWO_ON_TWO + 1];
static int processors[2]; /* the one that everything runs on, and another or -1 */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* thread 0: the caller. */
static void stay_on(pid_t thread, int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    sched_setaffinity(thread, sizeof set, &set);
}

/* The engine's own thread, the only other one, goes to the other processor and stays there. */
static void part(void) {
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
        pid_t thread = (pid_t)atoi(task->d_name);
        if (thread > 0) stay_on(thread, processors[thread != getpid()]);
    }
    if (tasks) closedir(tasks);
}

static tosajit_status need_engine(contender who) {
    if (engines[who]) return TOSAJIT_OK;
    tosajit_engine_options options = {.size = sizeof options, .threads = who == ONE ? 1 : 2};
    cpu_set_t both;
    CPU_ZERO(&both);
    for (int k = 0; k < (who == TWO_ON_TWO ? 2 : 1); k++) CPU_SET((size_t)processors[k], &both);
    sched_setaffinity(0, sizeof both, &both);
    tosajit_status status = tosajit_engine_create(&options, &engines[who]);
    if (who == TWO_ON_TWO) part();
    stay_on(0, processors[0]);
    return status;
}

static tosajit_status make_kernel(job *j) {
    const size_t arity = (size_t)tosajit_op_arity(j->what->op);
    tosajit_tensor_type types[2];
    for (int k = 0; k < 2; k++) types[k] = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_status status = need_engine(j->who);
    if (!status) status = tosajit_compile(engines[j->who], j->what->op, types, arity, NULL, NULL, &j->kernel);
    return status ? status : tosajit_run(j->kernel, j->operands, arity, &j->result, 1);
}

static bool prepare(bench_run *run, void *context) {
    job *j = context;
    if (j->result.data) return true;
    const bool is_pow = j->what->op == TOSAJIT_OP_pow;
    for (int k = 0; k < 2; k++)
        j->operands[k] = tosajit_dense(TOSAJIT_F32, is_pow && !k ? buffer_positive() : buffer_operand(TOSAJIT_F32, k), 1, &j->what->count);
    j->result = tosajit_dense(TOSAJIT_F32, buffer_result(0), 1, &j->what->count);
    const bool memory = j->operands[0].data && j->operands[1].data && j->result.data;
    if (memory && (j->who >= COPY_ONE || !make_kernel(j))) return true;
    bench_fail(run, memory ? tosajit_last_error() : "no memory");
    j->result.data = NULL;
    return false;
}

/* As many bytes as a sum of `count` elements moves, in a share of the arrays. */
typedef struct copy_share {
    const job *j;
    int64_t first, count;
} copy_share;

static void *copy(void *argument) {
    const copy_share *s = argument;
    float *result = (float *)s->j->result.data + s->first;
    const float *a = (const float *)s->j->operands[0].data + s->first, *b = (const float *)s->j->operands[1].data + s->first;
    memcpy(result, a, (size_t)s->count * sizeof *a);
    memcpy(result, b, (size_t)s->count / 2 * sizeof *b);
    return NULL;
}

static void copy_on_two(const job *j) {
    const int64_t half = j->what->count / 2;
    copy_share shares[2] = {{j, 0, half}, {j, half, half}};
    pthread_t other;
    pthread_attr_t there;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processors[1], &set);
    bool placed = pthread_attr_init(&there) == 0 && pthread_attr_setaffinity_np(&there, sizeof set, &set) == 0;
    if (!placed || pthread_create(&other, &there, copy, &shares[1])) abort(); /* a figure without its thread would be a lie */
    copy(&shares[0]);
    pthread_join(other, NULL);
    pthread_attr_destroy(&there);
}

static void run_once(const job *j) {
    if (j->who == COPY_ONE)
        copy(&(copy_share){j, 0, j->what->count});
    else if (j->who == COPY_TWO)
        copy_on_two(j);
    else
        tosajit_run(j->kernel, j->operands, (size_t)tosajit_op_arity(j->what->op), &j->result, 1);
}

static void body(bench_run *run, int64_t iterations, void *context) {
    const double start = now();
    for (int64_t i = 0; i < iterations; i++) {
        run_once(context);
        bench_clobber();
    }
    bench_seconds(run, now() - start);
}

static bool add_job(const thread_case *what, contender who, const char *name) {
    job *j = calloc(1, sizeof *j);
    if (!j) return false;
    j->what = what;
    j->who = who;
    j->next = jobs;
    jobs = j;
    char full_name[128];
    snprintf(full_name, sizeof full_name, "threads/%s/%s", what->name, name);
    bench_register(&(bench_case){.name = full_name, .prepare = prepare, .body = body, .context = j, .items = what->count, .manual = true});
    return true;
}

bool threads_register(int processor, int other) {
    processors[0] = processor;
    processors[1] = other;
    bool ok = processor >= 0;
    for (size_t k = 0; ok && k < sizeof thread_cases / sizeof *thread_cases; k++) {
        const thread_case *what = &thread_cases[k];
        const bool copies = what->op == TOSAJIT_OP_add && what->count > 1 << 20; /* starting a thread would be most of a shorter one */
        ok = add_job(what, ONE, "one") && add_job(what, TWO_ON_ONE, "two_on_one") &&
             (other < 0 || add_job(what, TWO_ON_TWO, "two_on_two")) && (!copies || add_job(what, COPY_ONE, "copy")) &&
             (!copies || other < 0 || add_job(what, COPY_TWO, "copy_on_two"));
    }
    return ok || processor < 0;
}

void threads_release(void) {
    while (jobs) {
        job *next = jobs->next;
        tosajit_kernel_release(jobs->kernel);
        free(jobs);
        jobs = next;
    }
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        tosajit_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
}
