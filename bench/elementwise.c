/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elementwise: time per element of each workload for every contender, in turns, on the same
 * buffers. A contender's results are compared with the peer's before it is timed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/external.h"
#include "bench/families.h"
#include "bench/turns.h"
#include "bench/workloads.h"
#include "tosajit/inspect.h"

typedef struct size {
    const char *name;
    int64_t rows, cols;
} size;

/* L1; its edge, 48 KiB in three arrays; L2; L3; memory; and rows that are shorter than a vector, or
 * no multiple of one. */
static const size add_sizes[] = {
    {"1K", 8, 128},     {"4K", 16, 256},     {"16K", 128, 128},       {"64K", 256, 256},
    {"1M", 1024, 1024}, {"16M", 4096, 4096}, {"rows_of_11", 372, 11}, {"rows_of_100", 655, 100}};
static const size op_sizes[] = {{"16K", 128, 128}, {"1M", 1024, 1024}};
static const size broadcast_sizes[] = {{"4K", 16, 256}, {"64K", 256, 256}, {"rows_of_11", 372, 11}};
static const size offset_sizes[] = {{"4K", 16, 256}, {"16K", 128, 128}, {"64K", 256, 256}};
static const size narrow_sizes[] = {
    {"16K", 128, 128}, {"1M", 1024, 1024}, {"rows_of_11", 372, 11}, {"rows_of_100", 655, 100}};
static const size math_sizes[] = {{"4K", 16, 256}, {"16K", 128, 128}, {"1M", 1024, 1024}};

/* Who computes: the whole workload in one kernel, of static or dynamic sizes; one of dynamic sizes
 * that is not compiled, but runs precompiled ops; the code of the compiled one without checks and
 * planning; one of dynamic sizes and TOSAJIT_FAST; one kernel per step; a function in C; or another
 * library. */
typedef enum contender {
    FUSED_STATIC,
    FUSED_DYNAMIC,
    PRECOMPILED,
    RAW,
    FAST,
    STEPS,
    PEER,
    EXTERNAL
} contender;

/* One kernel of a contender, with the tensors of its call. */
typedef struct call {
    tosajit_kernel *kernel;
    int operand_count;
    tosajit_tensor operands[WORKLOAD_MAX_OPERANDS], result;
} call;

typedef struct job {
    struct job *next;
    const workload *work;
    contender who;
    int64_t offset;          /* bytes from a cache line to where each buffer begins */
    peer *loop;              /* of PEER */
    const external *library; /* of EXTERNAL */
    void *operator;          /* or null */
    int64_t rows, cols, dims[WORKLOAD_MAX_OPERANDS][2], full[2];
    void *pointers[WORKLOAD_MAX_OPERANDS + 1]; /* operands; for RAW also the result */
    int call_count;
    call calls[WORKLOAD_MAX_STEPS];
    /* The tile of RAW. */
    tosajit_entry entry;
    const void *context;
    int64_t tile_rows, tile_cols, strides[2 * (WORKLOAD_MAX_OPERANDS + 1)];
} job;

static job *jobs;
enum { ENGINES = 3 };
static tosajit_engine *engines[ENGINES]; /* the usual one; what others differ in */

static tosajit_engine **engine_of(const job *j) {
    switch (j->who) {
    case FAST: return &engines[1];
    case PRECOMPILED: return &engines[2];
    default: return &engines[0];
    }
}

static const char *failed(const char *what) {
    static char text[512];
    snprintf(text, sizeof text, "%s: %s", what, tosajit_last_error());
    return text;
}

static void *result_of(const job *j, int slot) { return (char *)buffer_result(slot) + j->offset; }

/* One tile for the whole result, or one row where every operand allows that. */
static bool make_tile(job *j) {
    const workload *w = j->work;
    tosajit_raw raw = {.size = sizeof raw};
    if (tosajit_kernel_raw(j->calls[0].kernel, 0, &raw)) return false;
    int64_t size = sizeof(float);
    bool linear = true;
    for (int k = 0; k <= w->operand_count; k++) {
        form f = k < w->operand_count ? w->forms[k] : FORM_FULL;
        linear &= f == FORM_FULL || f == FORM_SCALAR;
        j->strides[2 * k] = f == FORM_FULL ? size * j->cols : f == FORM_COLUMN ? size : 0;
        j->strides[2 * k + 1] = f == FORM_FULL || f == FORM_ROW ? size : 0;
    }
    j->pointers[w->operand_count] = result_of(j, 0);
    j->tile_rows = linear ? 1 : j->rows;
    j->tile_cols = linear ? j->rows * j->cols : j->cols;
    j->entry = raw.entry;
    j->context = raw.context;
    return true;
}

static void run_calls(const job *j) {
    for (int k = 0; k < j->call_count; k++)
        tosajit_run(j->calls[k].kernel, j->calls[k].operands, (size_t)j->calls[k].operand_count,
                    &j->calls[k].result, 1);
}

static tosajit_tensor tensor_of(const job *j, int value) {
    const workload *w = j->work;
    if (value < VALUE_CONSTANT)
        return tosajit_dense(w->types[value], j->pointers[value], 2, j->dims[value]);
    const int step = value - VALUE_STEP;
    return tosajit_dense(workload_step_type(w, step), result_of(j, w->steps[step].slot), 2,
                         j->full);
}

static bool make_call(job *j, int first, int count) {
    call *c = &j->calls[j->call_count++];
    int sources[WORKLOAD_MAX_OPERANDS];
    const int dynamic = j->who != FUSED_STATIC && j->who != STEPS;
    c->kernel =
        workload_compile(*engine_of(j), j->work, first, count, j->rows, j->cols, dynamic, sources);
    if (!c->kernel) return false;
    c->operand_count = (int)tosajit_kernel_operand_count(c->kernel);
    for (int k = 0; k < c->operand_count; k++) c->operands[k] = tensor_of(j, sources[k]);
    int last = first + count - 1;
    c->result = tosajit_dense(workload_step_type(j->work, last),
                              result_of(j, j->work->steps[last].slot), 2, j->full);
    return true;
}

/* The workload as one operator of another library; false where that cannot be said: steps that make
 * no known function and are no op with a clamp, types other than f32. */
static bool make_request(const job *j, external_request *request) {
    const workload *w = j->work;
    bool clamped = w->step_count == 2 && w->steps[1].op == TOSAJIT_OP_clamp;
    if ((w->step_count != 1 && !clamped && !w->function) || w->operand_count > 2 ||
        w->result != TOSAJIT_F32)
        return false;
    *request = (external_request){.op = w->steps[0].op,
                                  .function = w->function,
                                  .operand_count = w->operand_count,
                                  .rank = 2,
                                  .low = -INFINITY,
                                  .high = INFINITY};
    if (clamped) {
        request->low = (float)w->attributes.min_val.f;
        request->high = (float)w->attributes.max_val.f;
    }
    for (int k = 0; k <= w->operand_count; k++) {
        if (k < w->operand_count && w->types[k] != TOSAJIT_F32) return false;
        memcpy(request->dims[k], k < w->operand_count ? j->dims[k] : j->full, sizeof j->full);
        request->pointers[k] = k < w->operand_count ? j->pointers[k] : result_of(j, 0);
    }
    return true;
}

static bool make_operator(job *j) {
    external_request request;
    return make_request(j, &request) && (j->operator= j->library->create(&request));
}

static void run_once(const job *j) {
    if (j->who == PEER)
        j->loop(j->pointers, result_of(j, 0), j->rows, j->cols);
    else if (j->who == EXTERNAL)
        j->library->run(j->operator);
    else if (j->who == RAW)
        j->entry(j->context, j->pointers, j->strides, 1, j->tile_rows, j->tile_cols);
    else
        run_calls(j);
}

/* Run once beside the peer. Every call is checked here, so that the timed loop need not. */
static const char *verify(const job *j) {
    int64_t count = j->rows * j->cols;
    void *expected = buffer_result(BUFFER_RESULTS - 1), *result = result_of(j, 0);
    /* Or another contender's would be taken for its own. */
    memset(result, 0xff, (size_t)count * tosajit_type_size(j->work->result));
    for (int k = 0; k < j->call_count; k++)
        if (tosajit_run(j->calls[k].kernel, j->calls[k].operands, (size_t)j->calls[k].operand_count,
                        &j->calls[k].result, 1))
            return failed("tosajit_run");
    if (!j->call_count) run_once(j);
    j->work->loop(j->pointers, expected, j->rows, j->cols);
    return buffer_agrees(j->work->result, result, expected, count, j->work->tolerance)
               ? NULL
               : "the results differ from the peer's";
}

static const char *prepare_kernels(job *j) {
    tosajit_engine_options options = {.size = sizeof options,
                                      .backend = j->who == PRECOMPILED ? TOSAJIT_BACKEND_PRECOMPILED
                                                                       : TOSAJIT_BACKEND_AUTO,
                                      .accuracy = j->who == FAST ? TOSAJIT_FAST : TOSAJIT_EXACT,
                                      .uncached = 1};
    tosajit_engine **engine = engine_of(j);
    if (!*engine && tosajit_engine_create(&options, engine)) return failed("tosajit_engine_create");
    int per_call = j->who == STEPS ? 1 : j->work->step_count;
    for (int first = 0; first < j->work->step_count; first += per_call)
        if (!make_call(j, first, per_call)) return failed("compiling");
    const char *wrong = verify(j);
    if (wrong) return wrong;
    return j->who != RAW || make_tile(j) ? NULL : failed("tosajit_kernel_raw");
}

static const char *prepare(void *context) {
    job *j = context;
    for (int k = 0; k < j->work->operand_count; k++)
        if (!(j->pointers[k] = j->work->positive && !k
                                   ? buffer_positive()
                                   : buffer_operand(j->work->types[k], k % BUFFER_OPERANDS)))
            return failed("no memory for operands");
    for (int k = 0; k < j->work->operand_count; k++)
        j->pointers[k] = (char *)j->pointers[k] + j->offset;
    for (int k = 0; k < BUFFER_RESULTS; k++)
        if (!buffer_result(k)) return failed("no memory for results");
    if (j->who == PEER) return NULL;
    if (j->who != EXTERNAL) return prepare_kernels(j);
    return make_operator(j) ? verify(j) : "the library refuses the op";
}

static void run(void *context, int64_t passes) {
    const job *j = context;
    for (int64_t k = 0; k < passes; k++) {
        run_once(j);
        bench_clobber();
    }
}

/* A case: whose contenders take turns. */
typedef struct place {
    const char *family;
    const workload *work;
    const size *size;
    turns *group;
} place;

static bool add_job(const place *p, const job *values, const char *name) {
    const workload *w = p->work;
    job *j = calloc(1, sizeof *j);
    if (!j) return false;
    *j = *values;
    j->work = w;
    j->rows = j->full[0] = p->size->rows;
    j->cols = j->full[1] = p->size->cols;
    j->next = jobs;
    jobs = j;
    for (int k = 0; k < w->operand_count; k++)
        workload_dims(w->forms[k], j->rows, j->cols, j->dims[k]);
    char full_name[128];
    snprintf(full_name, sizeof full_name, "%s/%s/%s/%s", p->family, w->name, p->size->name, name);
    return turns_add(p->group, &(turns_contender){.name = full_name,
                                                  .prepare = prepare,
                                                  .run = run,
                                                  .context = j,
                                                  .items = j->rows * j->cols,
                                                  .bytes = workload_traffic(w, j->rows, j->cols)});
}

static bool add_peer(const place *p, peer *loop, const char *name) {
    return !loop || add_job(p, &(job){.who = PEER, .loop = loop}, name);
}

static bool add_kernels(const place *p, contender who, const char *name) {
    return add_job(p, &(job){.who = who}, name);
}

static bool add_externals(const place *p) {
    const workload *w = p->work;
    for (int k = 0; externals[k]; k++) {
        job probe = {.work = w, .full = {p->size->rows, p->size->cols}};
        external_request request;
        for (int o = 0; o < w->operand_count; o++)
            workload_dims(w->forms[o], p->size->rows, p->size->cols, probe.dims[o]);
        if (!make_request(&probe, &request) || !externals[k]->supports(&request)) continue;
        if (!add_job(p, &(job){.who = EXTERNAL, .library = externals[k]}, externals[k]->name))
            return false;
    }
    return true;
}

/* The peer comes first: tables divide by the first contender. */
static bool add_contenders(const place *p) {
    const workload *w = p->work;
    bool ok = add_peer(p, w->loop, "loop") && add_kernels(p, FUSED_STATIC, "static") &&
              add_kernels(p, FUSED_DYNAMIC, "dynamic") &&
              add_kernels(p, PRECOMPILED, "precompiled");
    if (ok && w->steps[0].op == TOSAJIT_OP_add && w->step_count == 1)
        ok = add_kernels(p, RAW, "raw");
    if (ok && w->step_count > 1) ok = add_kernels(p, STEPS, "steps");
    if (ok && w->step_count > 1 && workload_has_function(w)) ok = add_kernels(p, FAST, "fast");
    if (ok && w->sleef) ok = add_peer(p, *w->sleef, "sleef_u10");
    ok = ok && add_peer(p, w->copy, "copy");
    if (ok && w->loop == peer_add_same && p->size->rows * p->size->cols >= 1024 * 1024)
        ok = add_peer(p, peer_add_streaming, "streaming");
    return ok && add_externals(p);
}

/* Functions: both accuracies beside functions of other libraries. */
static bool add_math(const place *p) {
    return add_peer(p, p->work->loop, "loop") && add_kernels(p, FUSED_DYNAMIC, "exact") &&
           add_kernels(p, PRECOMPILED, "precompiled") && add_kernels(p, FAST, "fast") &&
           add_peer(p, peer_sleef(p->work->steps[0].op), "sleef_u10") && add_externals(p);
}

/* All buffers at the beginning of a cache line, and where malloc and a slice have them. */
static bool add_offsets(const place *p) {
    static const struct {
        const char *loop, *kernel;
        int64_t offset;
    } all[] = {{"loop", "static", 0}, {"loop_16", "static_16", 16}, {"loop_4", "static_4", 4}};
    bool ok = true;
    for (size_t k = 0; ok && k < sizeof all / sizeof *all; k++)
        ok = add_job(p, &(job){.who = PEER, .loop = p->work->loop, .offset = all[k].offset},
                     all[k].loop);
    for (size_t k = 0; ok && k < sizeof all / sizeof *all; k++)
        ok = add_job(p, &(job){.who = FUSED_STATIC, .offset = all[k].offset}, all[k].kernel);
    return ok;
}

typedef bool add_function(const place *p);

static bool add_family(const char *family, add_function *add, const workload *list, int count,
                       const size *sizes, int size_count) {
    for (int k = 0; k < count; k++)
        for (int s = 0; s < size_count; s++) {
            const place p = {family, &list[k], &sizes[s], turns_create(1, false)};
            if (!p.group || !add(&p)) return false;
        }
    return true;
}

bool elementwise_register(void) {
    const int adds = sizeof add_sizes / sizeof *add_sizes, ops = sizeof op_sizes / sizeof *op_sizes;
    const int offsets = sizeof offset_sizes / sizeof *offset_sizes,
              narrows = sizeof narrow_sizes / sizeof *narrow_sizes;
    const int broadcasts = sizeof broadcast_sizes / sizeof *broadcast_sizes,
              maths = sizeof math_sizes / sizeof *math_sizes;
    return add_family("add", add_contenders, workload_adds, workload_add_count, add_sizes, adds) &&
           add_family("broadcast", add_contenders, workload_broadcasts, workload_broadcast_count,
                      broadcast_sizes, broadcasts) &&
           add_family("offset", add_offsets, workload_offsets, workload_offset_count, offset_sizes,
                      offsets) &&
           add_family("narrow", add_contenders, workload_narrows, workload_narrow_count,
                      narrow_sizes, narrows) &&
           add_family("op", add_contenders, workload_ops, workload_op_count, op_sizes, ops) &&
           add_family("math", add_math, workload_maths, workload_math_count, math_sizes, maths) &&
           add_family("chain", add_contenders, workload_chains, workload_chain_count, op_sizes,
                      ops);
}

void elementwise_release(void) {
    while (jobs) {
        job *next = jobs->next;
        for (int k = 0; k < jobs->call_count; k++) tosajit_kernel_release(jobs->calls[k].kernel);
        if (jobs->operator) jobs->library->destroy(jobs->operator);
        free(jobs);
        jobs = next;
    }
    for (int k = 0; k < ENGINES; k++) {
        tosajit_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
}
