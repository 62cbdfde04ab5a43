/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls: what entering a kernel costs, on so few elements that the work is nothing. Contenders: the
 * hand-written loop and an empty function, both behind a pointer, the kernel's code, the checked
 * call, and the operators of other libraries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/external.h"
#include "bench/families.h"
#include "bench/peers.h"
#include "tosajit/inspect.h"

enum { MAX_RANK = 4, CHANGES = 256 /* more sizes than a kernel remembers */ };

/* Addition of two tensors of rank `rank` whose last size is `count` and the others 1; or the second
 * one is a single element. */
typedef struct call_job {
    struct call_job *next;
    int64_t count, dims[CHANGES][MAX_RANK], ones[MAX_RANK];
    int32_t rank;
    bool dynamic, raw, bind, broadcast, changing;
    tosajit_kernel *kernel;
    tosajit_bound *bound; /* or null */
    tosajit_raw code;
    tosajit_tensor operands[2], result;
    void *pointers[3];
    int64_t strides[6];
    peer *loop;              /* or null */
    tosajit_entry entry;     /* or null */
    const external *library; /* or null */
    void *operator;
} call_job;

static call_job *jobs;
static tosajit_engine
    *engines[2]; /* one for calls of changing sizes, which would take the others' entries */

static bool failed(bench_run *run) {
    bench_fail(run, tosajit_last_error());
    return false;
}

static tosajit_status compile(call_job *j) {
    tosajit_tensor_type types[2];
    for (int k = 0; k < 2; k++) {
        types[k] = tosajit_ranked(TOSAJIT_F32, j->rank, j->operands[k].dims);
        for (int32_t d = 0; j->dynamic && d < j->rank; d++) types[k].dims[d] = TOSAJIT_DYNAMIC;
    }
    tosajit_engine **engine = &engines[j->changing];
    tosajit_status status = *engine ? TOSAJIT_OK : tosajit_engine_create(NULL, engine);
    if (!status)
        status = tosajit_compile(*engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &j->kernel);
    j->code.size = sizeof j->code;
    if (!status && j->raw) status = tosajit_kernel_raw(j->kernel, 0, &j->code);
    if (!status && j->raw) j->entry = j->code.entry;
    if (!status && j->bind)
        status = tosajit_bind(j->kernel, j->operands, 2, &j->result, 1, &j->bound);
    return status;
}

static bool make_operator(call_job *j) {
    external_request request = {.op = TOSAJIT_OP_add,
                                .operand_count = 2,
                                .rank = j->rank,
                                .low = -INFINITY,
                                .high = INFINITY};
    for (int k = 0; k < 3; k++) {
        memcpy(request.dims[k], j->dims[0], sizeof j->dims[0]);
        request.pointers[k] = j->pointers[k];
    }
    if (!j->operator) j->operator= j->library->create(&request);
    return j->operator;
}

static bool prepare(bench_run *run, void *context) {
    call_job *j = context;
    for (int k = 0; k < 3; k++) {
        j->pointers[k] = k < 2 ? buffer_operand(TOSAJIT_F32, k) : buffer_result(0);
        if (!j->pointers[k]) return failed(run);
        j->strides[2 * k + 1] = sizeof(float);
        tosajit_tensor *tensor = k < 2 ? &j->operands[k] : &j->result;
        *tensor = tosajit_dense(TOSAJIT_F32, j->pointers[k], j->rank,
                                k == 1 && j->broadcast ? j->ones : j->dims[0]);
    }
    if (j->library && !make_operator(j)) {
        bench_fail(run, "the library refuses the op");
        return false;
    }
    if (j->loop || j->library || j->entry || j->kernel) return true;
    if (compile(j) || tosajit_run(j->kernel, j->operands, 2, &j->result, 1)) return failed(run);
    return true;
}

static void run_loop(bench_run *run, int64_t iterations, void *context) {
    const call_job *j = context;
    peer *volatile loop = j->loop; /* or the call would be inlined or hoisted */
    (void)run;
    for (int64_t i = 0; i < iterations; i++) loop(j->pointers, j->pointers[2], 1, j->count);
}

static void run_entry(bench_run *run, int64_t iterations, void *context) {
    const call_job *j = context;
    tosajit_entry volatile entry = j->entry;
    (void)run;
    for (int64_t i = 0; i < iterations; i++)
        entry(j->code.context, j->pointers, j->strides, 1, 1, j->count);
}

static void run_checked(bench_run *run, int64_t iterations, void *context) {
    const call_job *j = context;
    (void)run;
    for (int64_t i = 0; i < iterations; i++) tosajit_run(j->kernel, j->operands, 2, &j->result, 1);
}

static void run_again(bench_run *run, int64_t iterations, void *context) {
    const call_job *j = context;
    (void)run;
    for (int64_t i = 0; i < iterations; i++) tosajit_bound_run(j->bound, j->pointers);
}

/* The sizes change from call to call. */
static void run_changing(bench_run *run, int64_t iterations, void *context) {
    const call_job *j = context;
    (void)run;
    for (int64_t i = 0; i < iterations; i++) {
        tosajit_tensor operands[2] = {j->operands[0], j->operands[1]}, result = j->result;
        operands[0].dims = result.dims = j->dims[i % CHANGES];
        if (!j->broadcast) operands[1].dims = operands[0].dims;
        tosajit_run(j->kernel, operands, 2, &result, 1);
    }
}

static void run_operator(bench_run *run, int64_t iterations, void *context) {
    const call_job *j = context;
    (void)run;
    for (int64_t i = 0; i < iterations; i++) j->library->run(j->operator);
}

static void run_bound(bench_run *run, int64_t iterations, void *context) {
    const call_job *j = context;
    (void)run;
    for (int64_t i = 0; i < iterations; i++) {
        j->library->setup(j->operator);
        j->library->run(j->operator);
    }
}

static bool add_job(const char *name, bench_body body, const call_job *values) {
    call_job *j = malloc(sizeof *j);
    if (!j) return false;
    *j = *values;
    j->next = jobs;
    jobs = j;
    for (int32_t d = 0; d < j->rank; d++) {
        j->ones[d] = 1;
        for (int k = 0; k < CHANGES; k++) j->dims[k][d] = d + 1 < j->rank ? 1 : j->count + k;
    }
    char full_name[128];
    snprintf(full_name, sizeof full_name, "call/add_%d/%s", (int)j->count, name);
    bench_register(
        &(bench_case){.name = full_name, .prepare = prepare, .body = body, .context = j});
    return true;
}

/* The prepared operator alone, and with new shapes and pointers for every call, which the checked
 * call of a kernel includes. */
static bool add_externals(int64_t count) {
    for (int k = 0; externals[k]; k++) {
        char name[64];
        call_job job = {.count = count, .rank = MAX_RANK, .library = externals[k]};
        snprintf(name, sizeof name, "%s_4d", externals[k]->name);
        if (!add_job(name, run_operator, &job)) return false;
        snprintf(name, sizeof name, "%s_setup_4d", externals[k]->name);
        if (externals[k]->setup && !add_job(name, run_bound, &job)) return false;
    }
    return true;
}

bool calls_register(void) {
    static const int64_t counts[] = {1, 7, 16, 64, 1023};
    bool ok = true;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        int64_t n = counts[k];
        ok = ok &&
             add_job("loop", run_loop, &(call_job){.count = n, .rank = 1, .loop = peer_add_same});
        ok = ok &&
             add_job("empty", run_entry, &(call_job){.count = n, .rank = 1, .entry = peer_empty});
        ok =
            ok && add_job("raw_static", run_entry, &(call_job){.count = n, .rank = 1, .raw = true});
        ok = ok && add_job("raw_dynamic", run_entry,
                           &(call_job){.count = n, .rank = 1, .raw = true, .dynamic = true});
        ok = ok && add_job("run_static", run_checked, &(call_job){.count = n, .rank = 1});
        ok = ok && add_job("run_dynamic", run_checked,
                           &(call_job){.count = n, .rank = 1, .dynamic = true});
        ok = ok &&
             add_job("bound_static", run_again, &(call_job){.count = n, .rank = 1, .bind = true});
        ok =
            ok && add_job("bound_dynamic_4d", run_again,
                          &(call_job){.count = n, .rank = MAX_RANK, .dynamic = true, .bind = true});
        ok = ok && add_job("static_4d", run_checked, &(call_job){.count = n, .rank = MAX_RANK});
        ok = ok && add_job("dynamic_4d", run_checked,
                           &(call_job){.count = n, .rank = MAX_RANK, .dynamic = true});
        ok = ok &&
             add_job("changing_4d", run_changing,
                     &(call_job){.count = n, .rank = MAX_RANK, .dynamic = true, .changing = true});
        ok = ok && add_job("broadcast_static_4d", run_checked,
                           &(call_job){.count = n, .rank = MAX_RANK, .broadcast = true});
        ok = ok &&
             add_job("broadcast_dynamic_4d", run_checked,
                     &(call_job){.count = n, .rank = MAX_RANK, .broadcast = true, .dynamic = true});
        ok = ok && add_job("broadcast_changing_4d", run_changing,
                           &(call_job){.count = n,
                                       .rank = MAX_RANK,
                                       .broadcast = true,
                                       .dynamic = true,
                                       .changing = true});
        ok = ok && add_externals(n);
    }
    return ok;
}

void calls_release(void) {
    while (jobs) {
        call_job *next = jobs->next;
        tosajit_bound_release(jobs->bound);
        tosajit_kernel_release(jobs->kernel);
        if (jobs->operator) jobs->library->destroy(jobs->operator);
        free(jobs);
        jobs = next;
    }
    for (int k = 0; k < 2; k++) {
        tosajit_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
}
