/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads: one thread, two on one processor, and two on two, on functions whose data lie in the
 * caches and on sums that memory bounds; beside copies on as many threads. In: nothing. Out: cases
 * "threads/...", timed in turns by the wall clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/families.h"
#include "bench/pair.h"
#include "bench/turns.h"
#include "tosajit/inspect.h"

typedef enum contender { ONE, TWO_ON_ONE, TWO_ON_TWO, COPY_ONE, COPY_TWO } contender;

typedef struct thread_case {
    const char *name;
    tosajit_op op;
    int64_t count;
} thread_case;

/* 256K elements: half of them, and their results, fit the L2 of one processor. */
static const thread_case thread_cases[] = {
    {"exp/256K", TOSAJIT_OP_exp, 256 << 10}, {"tanh/256K", TOSAJIT_OP_tanh, 256 << 10},
    {"pow/256K", TOSAJIT_OP_pow, 256 << 10}, {"add/64K", TOSAJIT_OP_add, 64 << 10},
    {"add/1M", TOSAJIT_OP_add, 1 << 20},     {"add/16M", TOSAJIT_OP_add, 16 << 20},
};

typedef struct job {
    struct job *next;
    const thread_case *what;
    contender who;
    tosajit_kernel *kernel;
    tosajit_tensor operands[2], result;
} job;

static job *jobs;
static tosajit_engine *crowded; /* two threads on one processor */

static tosajit_status create_crowded(void *unused) {
    (void)unused;
    tosajit_engine_options options = {.size = sizeof options, .threads = 2};
    return tosajit_engine_create(&options, &crowded);
}

static tosajit_engine *engine_of(contender who) {
    if (who != TWO_ON_ONE) return pair_engine(who == ONE ? 1 : 2);
    if (!crowded) pair_create(false, create_crowded, NULL);
    return crowded;
}

static tosajit_status make_kernel(job *j) {
    const size_t arity = (size_t)tosajit_op_arity(j->what->op);
    tosajit_tensor_type types[2];
    tosajit_engine *engine = engine_of(j->who);
    if (!engine) return TOSAJIT_OUT_OF_MEMORY;
    for (int k = 0; k < 2; k++)
        types[k] = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_status status =
        tosajit_compile(engine, j->what->op, types, arity, NULL, NULL, &j->kernel);
    return status ? status : tosajit_run(j->kernel, j->operands, arity, &j->result, 1);
}

static const char *prepare(void *context) {
    job *j = context;
    const bool is_pow = j->what->op == TOSAJIT_OP_pow;
    for (int k = 0; k < 2; k++)
        j->operands[k] = tosajit_dense(
            TOSAJIT_F32, is_pow && !k ? buffer_positive() : buffer_operand(TOSAJIT_F32, k), 1,
            &j->what->count);
    j->result = tosajit_dense(TOSAJIT_F32, buffer_result(0), 1, &j->what->count);
    if (!j->operands[0].data || !j->operands[1].data || !j->result.data) return "no memory";
    return j->who >= COPY_ONE || !make_kernel(j) ? NULL : tosajit_last_error();
}

/* As many bytes as a sum of `count` elements moves, in a share of the arrays. */
typedef struct copy_share {
    const job *j;
    int64_t first, count;
} copy_share;

static void copy(const void *argument) {
    const copy_share *s = argument;
    float *result = (float *)s->j->result.data + s->first;
    const float *a = (const float *)s->j->operands[0].data + s->first,
                *b = (const float *)s->j->operands[1].data + s->first;
    memcpy(result, a, (size_t)s->count * sizeof *a);
    memcpy(result, b, (size_t)s->count / 2 * sizeof *b);
}

static void run_once(const job *j) {
    const int64_t half = j->what->count / 2;
    if (j->who == COPY_ONE)
        copy(&(copy_share){j, 0, j->what->count});
    else if (j->who == COPY_TWO)
        pair_run(copy, &(copy_share){j, 0, half}, &(copy_share){j, half, half});
    else
        tosajit_run(j->kernel, j->operands, (size_t)tosajit_op_arity(j->what->op), &j->result, 1);
}

static void run(void *context, int64_t passes) {
    for (int64_t k = 0; k < passes; k++) {
        run_once(context);
        bench_clobber();
    }
}

static bool add_job(turns *group, const thread_case *what, contender who, const char *name) {
    job *j = calloc(1, sizeof *j);
    if (!j) return false;
    j->what = what;
    j->who = who;
    j->next = jobs;
    jobs = j;
    char full_name[128];
    snprintf(full_name, sizeof full_name, "threads/%s/%s", what->name, name);
    return turns_add(group, &(turns_contender){.name = full_name,
                                               .prepare = prepare,
                                               .run = run,
                                               .wakes = who == TWO_ON_TWO || who == COPY_TWO,
                                               .context = j,
                                               .items = what->count});
}

bool threads_register(void) {
    bool ok = true;
    for (size_t k = 0; ok && k < sizeof thread_cases / sizeof *thread_cases; k++) {
        const thread_case *what = &thread_cases[k];
        const bool copies = what->op == TOSAJIT_OP_add && what->count > 1 << 18;
        turns *group = turns_create(1, true);
        ok = group && add_job(group, what, ONE, "one") &&
             add_job(group, what, TWO_ON_ONE, "two_on_one") &&
             (!pair_exists() || add_job(group, what, TWO_ON_TWO, "two_on_two")) &&
             (!copies || add_job(group, what, COPY_ONE, "copy")) &&
             (!copies || !pair_exists() || add_job(group, what, COPY_TWO, "copy_on_two"));
    }
    return ok;
}

void threads_release(void) {
    while (jobs) {
        job *next = jobs->next;
        tosajit_kernel_release(jobs->kernel);
        free(jobs);
        jobs = next;
    }
    tosajit_engine_destroy(crowded);
    crowded = NULL;
}
