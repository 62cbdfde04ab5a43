/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Roof: what the machine's limits leave to a kernel. In: nothing. Out: cases "roof/copy/..." (bytes
 * at each level of the memory), "roof/peak/..." (vector operations on registers), and
 * "roof/chain_K/...": K multiplications and additions per element in one kernel, whose intensity is
 * K / 8 operations per byte. bench/plot.sh draws them. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/families.h"
#include "bench/peers.h"
#include "bench/turns.h"
#include "tosajit/tosajit.h"

typedef struct level {
    const char *name;
    int64_t count; /* elements that are read, and as many written: L1, L2, L3, memory */
} level;

static const level levels[] = {
    {"4K", 4 << 10}, {"64K", 64 << 10}, {"1M", 1 << 20}, {"16M", 16 << 20}};
static const int chains[] = {1, 4, 16, 64, 256};

typedef struct job {
    struct job *next;
    int64_t count;
    int operations; /* of the chain; 0: loop */
    peer *loop;
    tosajit_kernel *kernel;
    tosajit_tensor operand, result;
} job;

static job *jobs;
static tosajit_engine *engine;

/* x * 0.5 + 1 * 0.5 + 1 ...: neither overflows nor becomes subnormal. */
static tosajit_status compile(job *j) {
    static const float numbers[2] = {0.5f, 1.0f};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    const tosajit_tensor_type one = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){1});
    tosajit_value value, constants[2];
    tosajit_expr *expr;
    tosajit_status status = engine ? TOSAJIT_OK : tosajit_engine_create(NULL, &engine);
    if (!status) status = tosajit_expr_create(NULL, &expr);
    if (status) return status;
    status = tosajit_expr_input(expr, &type, &value);
    for (int k = 0; k < 2 && !status; k++)
        status = tosajit_expr_constant(expr, &one, &numbers[k], &constants[k]);
    for (int k = 0; k < j->operations && !status; k++)
        status = tosajit_expr_op(expr, k % 2 ? TOSAJIT_OP_add : TOSAJIT_OP_mul,
                                 (tosajit_value[]){value, constants[k % 2]}, 2, NULL, NULL, &value);
    if (!status) status = tosajit_expr_result(expr, value);
    if (!status) status = tosajit_compile_expr(engine, expr, &j->kernel);
    tosajit_expr_destroy(expr);
    return status;
}

static bool agrees(const job *j) {
    const float *x = j->operand.data, *r = j->result.data;
    for (int64_t i = 0; i < j->count; i++) {
        float value = x[i];
        for (int k = 0; k < j->operations; k++) value = k % 2 ? value + 1.0f : value * 0.5f;
        if (value != r[i]) return false;
    }
    return true;
}

static const char *prepare(void *context) {
    job *j = context;
    j->operand = tosajit_dense(TOSAJIT_F32, buffer_operand(TOSAJIT_F32, 0), 1, &j->count);
    j->result = tosajit_dense(TOSAJIT_F32, buffer_result(0), 1, &j->count);
    if (!j->operand.data || !j->result.data) return "no memory";
    if (!j->operations) return NULL;
    if (compile(j) || tosajit_run(j->kernel, &j->operand, 1, &j->result, 1))
        return tosajit_last_error();
    return agrees(j) ? NULL : "the results are wrong";
}

static void run(void *context, int64_t passes) {
    const job *j = context;
    for (int64_t k = 0; k < passes; k++) {
        if (j->kernel)
            tosajit_run(j->kernel, &j->operand, 1, &j->result, 1);
        else
            j->loop((void *const[]){j->operand.data}, j->result.data, 1, j->count);
        bench_clobber();
    }
}

static bool add_job(turns *group, const char *name, const job *values) {
    job *j = malloc(sizeof *j);
    if (!j) return false;
    *j = *values;
    j->next = jobs;
    jobs = j;
    return turns_add(
        group, &(turns_contender){
                   .name = name, .prepare = prepare, .run = run, .context = j, .items = j->count});
}

/* What a level leaves to copies takes turns with the chains that it bounds. */
static bool add_level(const level *l) {
    const struct {
        const char *name;
        peer *loop;
    } copies[] = {
        {"copy", peer_copy_other}, {"loop", peer_copy_loop}, {"streaming", peer_copy_streaming}};
    turns *group = turns_create(1, false);
    char name[64];
    bool ok = group;
    for (size_t k = 0; ok && k < sizeof copies / sizeof *copies; k++) {
        snprintf(name, sizeof name, "roof/copy/%s/%s", l->name, copies[k].name);
        ok = !copies[k].loop ||
             add_job(group, name, &(job){.count = l->count, .loop = copies[k].loop});
    }
    for (size_t k = 0; ok && k < sizeof chains / sizeof *chains; k++) {
        snprintf(name, sizeof name, "roof/chain_%d/%s/dynamic", chains[k], l->name);
        ok = add_job(group, name, &(job){.count = l->count, .operations = chains[k]});
    }
    return ok;
}

bool roof_register(void) {
    enum { PEAK_OPERATIONS = 3 << 18 };
    turns *group = turns_create(1, false);
    bool ok =
        group &&
        add_job(group, "roof/peak/separate", &(job){.count = PEAK_OPERATIONS, .loop = peer_peak}) &&
        (!peer_peak_fused || add_job(group, "roof/peak/fused",
                                     &(job){.count = PEAK_OPERATIONS, .loop = peer_peak_fused}));
    for (size_t k = 0; ok && k < sizeof levels / sizeof *levels; k++) ok = add_level(&levels[k]);
    return ok;
}

void roof_release(void) {
    while (jobs) {
        job *next = jobs->next;
        tosajit_kernel_release(jobs->kernel);
        free(jobs);
        jobs = next;
    }
    tosajit_engine_destroy(engine);
    engine = NULL;
}
