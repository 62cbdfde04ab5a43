/* Elementwise: time per element of each workload for every contender, on the same buffers. A contender's results are compared with
 * the peer's before it is timed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/families.h"
#include "bench/workloads.h"

typedef struct size {
    const char *name;
    int64_t rows, cols;
} size;

/* L1; its edge, 48 KiB in three arrays; L2; L3; memory; and rows that are shorter than a vector, or no multiple of one. */
static const size add_sizes[] = {{"1K", 8, 128},      {"4K", 16, 256},         {"64K", 256, 256},        {"1M", 1024, 1024},
                                 {"16M", 4096, 4096}, {"rows_of_11", 372, 11}, {"rows_of_100", 655, 100}};
static const size op_sizes[] = {{"16K", 128, 128}, {"1M", 1024, 1024}};

/* Who computes: the whole workload in one kernel, of static or dynamic sizes; the code of the latter without checks and planning; one
 * kernel per step; or a function in C. */
typedef enum contender { FUSED_STATIC, FUSED_DYNAMIC, RAW, STEPS, PEER } contender;

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
    peer *loop; /* of PEER */
    int64_t rows, cols, dims[WORKLOAD_MAX_OPERANDS][2], full[2];
    bool ready;
    void *pointers[WORKLOAD_MAX_OPERANDS + 1]; /* operands; for RAW also the result */
    int call_count;
    call calls[WORKLOAD_MAX_STEPS];
    /* The tile of RAW. */
    tosajit_entry entry;
    int64_t tile_rows, tile_cols, strides[2 * (WORKLOAD_MAX_OPERANDS + 1)];
} job;

static job *jobs;
static tosajit_engine *engine;

static bool failed(bench_run *run, const char *what) {
    char text[512];
    snprintf(text, sizeof text, "%s: %s", what, tosajit_last_error());
    bench_fail(run, text);
    return false;
}

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
    j->pointers[w->operand_count] = buffer_result(0);
    j->tile_rows = linear ? 1 : j->rows;
    j->tile_cols = linear ? j->rows * j->cols : j->cols;
    j->entry = raw.entry;
    return true;
}

static void run_calls(const job *j) {
    for (int k = 0; k < j->call_count; k++)
        tosajit_run(j->calls[k].kernel, j->calls[k].operands, (size_t)j->calls[k].operand_count, &j->calls[k].result, 1);
}

static tosajit_tensor tensor_of(const job *j, int value) {
    const workload *w = j->work;
    if (value < VALUE_CONSTANT) return tosajit_dense(w->types[value], j->pointers[value], 2, j->dims[value]);
    return tosajit_dense(TOSAJIT_F32, buffer_result(w->steps[value - VALUE_STEP].slot), 2, j->full);
}

static bool make_call(job *j, int first, int count) {
    call *c = &j->calls[j->call_count++];
    int sources[WORKLOAD_MAX_OPERANDS];
    c->kernel = workload_compile(engine, j->work, first, count, j->rows, j->cols, j->who == FUSED_DYNAMIC || j->who == RAW, sources);
    if (!c->kernel) return false;
    c->operand_count = (int)tosajit_kernel_operand_count(c->kernel);
    for (int k = 0; k < c->operand_count; k++) c->operands[k] = tensor_of(j, sources[k]);
    c->result = tosajit_dense(j->work->result, buffer_result(j->work->steps[first + count - 1].slot), 2, j->full);
    return true;
}

/* Run once beside the peer. Every call is checked here, so that the timed loop need not. */
static bool verify(bench_run *run, const job *j) {
    int64_t count = j->rows * j->cols;
    void *expected = buffer_result(BUFFER_RESULTS - 1);
    for (int k = 0; k < j->call_count; k++)
        if (tosajit_run(j->calls[k].kernel, j->calls[k].operands, (size_t)j->calls[k].operand_count, &j->calls[k].result, 1))
            return failed(run, "tosajit_run");
    j->work->loop(j->pointers, expected, j->rows, j->cols);
    if (buffer_agrees(j->work->result, buffer_result(0), expected, count, j->work->tolerance)) return true;
    bench_fail(run, "the results differ from the peer's");
    return false;
}

static bool prepare(bench_run *run, void *context) {
    job *j = context;
    if (j->ready) return true;
    for (int k = 0; k < j->work->operand_count; k++)
        if (!(j->pointers[k] = buffer_operand(j->work->types[k], k))) return failed(run, "no memory for operands");
    for (int k = 0; k < BUFFER_RESULTS; k++)
        if (!buffer_result(k)) return failed(run, "no memory for results");
    if (j->who != PEER) {
        if (!engine && tosajit_engine_create(NULL, &engine)) return failed(run, "tosajit_engine_create");
        int per_call = j->who == STEPS ? 1 : j->work->step_count;
        for (int first = 0; first < j->work->step_count; first += per_call)
            if (!make_call(j, first, per_call)) return failed(run, "compiling");
        if (!verify(run, j)) return false;
        if (j->who == RAW && !make_tile(j)) return failed(run, "tosajit_kernel_raw");
    }
    j->ready = true;
    return true;
}

static void body(bench_run *run, int64_t iterations, void *context) {
    const job *j = context;
    (void)run;
    for (int64_t i = 0; i < iterations; i++) {
        if (j->who == PEER)
            j->loop(j->pointers, buffer_result(0), j->rows, j->cols);
        else if (j->who == RAW)
            j->entry(j->pointers, j->strides, j->tile_rows, j->tile_cols);
        else
            run_calls(j);
        bench_clobber();
    }
}

/* Bytes that a pass over operands and result has to move. */
static int64_t traffic(const job *j) {
    int64_t bytes = j->rows * j->cols * (int64_t)tosajit_type_size(j->work->result);
    for (int k = 0; k < j->work->operand_count; k++) bytes += j->dims[k][0] * j->dims[k][1] * (int64_t)tosajit_type_size(j->work->types[k]);
    return bytes;
}

static bool add_job(const char *family, const workload *w, const size *s, contender who, peer *loop, const char *name) {
    job *j = calloc(1, sizeof *j);
    if (!j) return false;
    *j = (job){.next = jobs, .work = w, .who = who, .loop = loop, .rows = s->rows, .cols = s->cols, .full = {s->rows, s->cols}};
    jobs = j;
    for (int k = 0; k < w->operand_count; k++) workload_dims(w->forms[k], s->rows, s->cols, j->dims[k]);
    char full_name[128];
    snprintf(full_name, sizeof full_name, "%s/%s/%s/%s", family, w->name, s->name, name);
    bench_register(
        &(bench_case){.name = full_name, .prepare = prepare, .body = body, .context = j, .items = s->rows * s->cols, .bytes = traffic(j)});
    return true;
}

/* The peer comes first: tables divide by the first contender. */
static bool add_contenders(const char *family, const workload *w, const size *s) {
    bool ok = add_job(family, w, s, PEER, w->loop, "loop") && add_job(family, w, s, FUSED_STATIC, NULL, "static") &&
              add_job(family, w, s, FUSED_DYNAMIC, NULL, "dynamic");
    if (ok && w->steps[0].op == TOSAJIT_OP_add && w->step_count == 1) ok = add_job(family, w, s, RAW, NULL, "raw");
    if (ok && w->step_count > 1) ok = add_job(family, w, s, STEPS, NULL, "steps");
    if (ok && w->copy) ok = add_job(family, w, s, PEER, w->copy, "copy");
    if (ok && w->loop == peer_add_same && peer_add_streaming && s->rows * s->cols >= 1024 * 1024)
        ok = add_job(family, w, s, PEER, peer_add_streaming, "streaming");
    return ok;
}

static bool add_family(const char *family, const workload *list, int count, const size *sizes, int size_count) {
    for (int k = 0; k < count; k++)
        for (int s = 0; s < size_count; s++)
            if (!add_contenders(family, &list[k], &sizes[s])) return false;
    return true;
}

bool elementwise_register(void) {
    const int adds = sizeof add_sizes / sizeof *add_sizes, ops = sizeof op_sizes / sizeof *op_sizes;
    return add_family("add", workload_adds, workload_add_count, add_sizes, adds) &&
           add_family("op", workload_ops, workload_op_count, op_sizes, ops) &&
           add_family("chain", workload_chains, workload_chain_count, op_sizes, ops);
}

void elementwise_release(void) {
    while (jobs) {
        job *next = jobs->next;
        for (int k = 0; k < jobs->call_count; k++) tosajit_kernel_release(jobs->calls[k].kernel);
        free(jobs);
        jobs = next;
    }
    tosajit_engine_destroy(engine);
    engine = NULL;
    buffers_release();
}
