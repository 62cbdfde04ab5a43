/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cases: time per element of the workloads and the shapes for every contender, in turns, on the
 * same buffers. In: the tables of both. Out: cases "family/case/contender". A table says which
 * contenders a family has: kernels in a form, loops and copies in C, other libraries. Results are
 * compared, before anything is timed, with the loop's; where there is none, with those of
 * precompiled ops; and of shapes with an odometer over indices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/external.h"
#include "bench/families.h"
#include "bench/pair.h"
#include "bench/shape_cases.h"
#include "bench/turns.h"
#include "bench/workloads.h"
#include "tosajit/inspect.h"

enum {
    RANK = SHAPE_RANK,
    /* Elements of a copy beside forms, on one thread and two: one of fewer measures calls, or how
       long the other thread takes to begin. */
    LEAST_COPY = 4096,
    LEAST_COPY_ON_TWO = 256 * 1024,
    LEAST_STREAMING = 1024 * 1024,
};

/* Who computes: a kernel; its code without checks and planning; a loop in C; one in blocks, of
 * views; a copy of as many bytes; stores that bypass the caches; SLEEF; another library. */
typedef enum contender { KERNEL, RAW, LOOP, BLOCKED, COPY, STREAMING, SLEEF, EXTERNAL } contender;

typedef struct kind {
    const char *name;
    contender who;
    bool dynamic, in_place, precompiled, fast;
    bool two;       /* threads */
    int64_t offset; /* bytes from a cache line to where each buffer begins */
} kind;

/* Tables divide by the first one. */
static const kind usual[] = {
    {"loop", .who = LOOP},
    {"static", .who = KERNEL},
    {"dynamic", .dynamic = true},
    {"precompiled", .dynamic = true, .precompiled = true},
    {"raw", .who = RAW, .dynamic = true},
    {"fast", .dynamic = true, .fast = true},
    {"sleef_u10", .who = SLEEF},
    {"copy", .who = COPY},
    {"streaming", .who = STREAMING},
    {"", .who = EXTERNAL}, /* each library, by its name */
    {0},
};
static const kind functions[] = {
    {"loop", .who = LOOP},
    {"exact", .dynamic = true},
    {"precompiled", .dynamic = true, .precompiled = true},
    {"fast", .dynamic = true, .fast = true},
    {"sleef_u10", .who = SLEEF},
    {"", .who = EXTERNAL},
    {0},
};
/* At the beginning of a cache line, and where malloc and a slice have them. */
static const kind offsets[] = {
    {"loop", .who = LOOP},
    {"loop_16", .who = LOOP, .offset = 16},
    {"loop_4", .who = LOOP, .offset = 4},
    {"static", .offset = 0},
    {"static_16", .offset = 16},
    {"static_4", .offset = 4},
    {0},
};
static const kind of_shapes[] = {
    {"loop", .who = LOOP},        {"static", .who = KERNEL},
    {"dynamic", .dynamic = true}, {"precompiled", .dynamic = true, .precompiled = true},
    {"blocked", .who = BLOCKED},  {"copy", .who = COPY},
    {"", .who = EXTERNAL},        {0},
};
static const kind of_bytes[] = {
    {"static", .who = KERNEL},
    {"dynamic", .dynamic = true},
    {"copy", .who = COPY},
    {0},
};
static const kind forms[] = {
    {"static", .who = KERNEL},
    {"dynamic", .dynamic = true},
    {"static_in_place", .in_place = true},
    {"dynamic_in_place", .dynamic = true, .in_place = true},
    {"static_two", .two = true},
    {"dynamic_two", .dynamic = true, .two = true},
    {"static_two_in_place", .in_place = true, .two = true},
    {"dynamic_two_in_place", .dynamic = true, .in_place = true, .two = true},
    {"copy", .who = COPY},
    {"copy_two", .who = COPY, .two = true},
    {0},
};

/* The computation: a workload on rows x cols, or a shape. */
typedef struct subject {
    struct subject *next;
    const workload *work;
    const shape_case *shape;
    shape_layout layout;
    tosajit_accuracy accuracy;
    bool in_forms;           /* by the wall clock, and with copies where they bound it */
    int64_t rows, cols;      /* of the result, whose rows are one behind the other */
    int32_t rank;            /* of the shape's tensors: their last dimensions */
    int operand_count, home; /* home: the operand that results in place replace, -1: none has the
                                result's shape and type */
    int64_t sizes[WORKLOAD_MAX_OPERANDS][RANK], full[RANK];
    int64_t count, bytes; /* of the result; moved by a pass */
    bool drifts; /* in place again and again: the numbers become infinite, subnormal or NaN, which
                    take other paths */
} subject;

typedef struct job {
    struct job *next;
    const subject *s;
    const kind *k;
    bool in_place;
    peer *function;          /* or null */
    const external *library; /* or null */
    void *operator;
    tosajit_kernel *kernel;
    void *pointers[WORKLOAD_MAX_OPERANDS + 1]; /* operands; behind them, for RAW, the result */
    void *home;    /* what results in place replace, before the first pass */
    size_t extent; /* bytes that it and the result span */
    tosajit_tensor operands[WORKLOAD_MAX_OPERANDS], to;
    tosajit_raw raw;
    int64_t tile[2], strides[2 * (WORKLOAD_MAX_OPERANDS + 1)]; /* of RAW */
} job;

static subject *subjects;
static job *jobs;
static tosajit_engine *precompiled;
static tosajit_kernel *identity_on_two; /* of bytes */

static tosajit_type type_of(const subject *s, int operand) {
    return s->work ? s->work->types[operand] : TOSAJIT_F32;
}

/* Memory. */

static void *operand_memory(const subject *s, int k) {
    if (s->shape) return shape_memory(s->count, k);
    if (s->work->positive && !k) return buffer_positive();
    if (s->work->sums && s->work->types[k] == TOSAJIT_I32) return buffer_sums();
    return buffer_operand(s->work->types[k], k % BUFFER_OPERANDS);
}

static bool set_tensors(job *j) {
    const subject *s = j->s;
    char *result = s->count > BUFFER_MAX_F32 ? buffer_large(2) : buffer_result(0);
    if (!result || !buffer_result(BUFFER_RESULTS - 1)) return false;
    for (int k = 0; k < s->operand_count; k++) {
        char *memory = operand_memory(s, k);
        if (!memory) return false;
        j->pointers[k] = memory + j->k->offset;
        j->operands[k] = tosajit_dense(type_of(s, k), j->pointers[k], s->rank, s->sizes[k]);
        if (s->shape && !k && s->shape->seen != VIEW_DENSE)
            j->operands[k].strides = s->layout.strides[k] + RANK - s->rank;
    }
    j->to = tosajit_dense(s->work ? s->work->result : TOSAJIT_F32, result + j->k->offset, s->rank,
                          s->full);
    j->extent = (size_t)s->count * tosajit_type_size(j->to.element);
    if (s->shape && (s->shape->seen == VIEW_SECOND || s->shape->seen == VIEW_WIDE)) j->extent *= 2;
    if (!j->in_place) return true;
    j->home = j->pointers[s->home];
    j->pointers[s->home] = j->operands[s->home].data = j->to.data;
    j->to = j->operands[s->home]; /* with its strides */
    return true;
}

/* In place, the result's memory is an operand, so that all forms move through the same. What other
 * forms leave there are ordinary numbers too. */
static void restore(void *context) {
    const job *j = context;
    memcpy(j->to.data, j->home, j->extent);
}

/* By both threads, or what one of them is to compute would lie in the other's cache. */
static void restore_on_two(void *context) {
    const job *j = context;
    const int64_t bytes = (int64_t)j->extent;
    const tosajit_tensor from = tosajit_dense(TOSAJIT_I8, j->home, 1, &bytes),
                         to = tosajit_dense(TOSAJIT_I8, j->to.data, 1, &bytes);
    tosajit_run(identity_on_two, &from, 1, &to, 1);
}

/* Kernels. */

static tosajit_engine *precompiled_engine(void) {
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_PRECOMPILED, .uncached = 1};
    return precompiled || !tosajit_engine_create(&options, &precompiled) ? precompiled : NULL;
}

static tosajit_kernel *compile(const subject *s, const kind *k, tosajit_engine *engine) {
    const tosajit_accuracy accuracy = k->fast ? TOSAJIT_REPRODUCIBLE : s->accuracy;
    tosajit_tensor_type types[2];
    tosajit_kernel *kernel = NULL;
    if (!engine) return NULL;
    if (s->work) return workload_compile(engine, s->work, accuracy, s->rows, s->cols, k->dynamic);
    for (int o = 0; o < 2; o++) {
        types[o] = tosajit_ranked(TOSAJIT_F32, s->rank, s->sizes[o]);
        for (int32_t d = 0; k->dynamic && d < s->rank; d++) types[o].dims[d] = TOSAJIT_DYNAMIC;
    }
    tosajit_compile(engine, s->shape->op, types, (size_t)s->operand_count, NULL, NULL, &kernel);
    return kernel;
}

static tosajit_status need_identity(void) {
    const tosajit_tensor_type bytes = tosajit_ranked(TOSAJIT_I8, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    if (identity_on_two) return TOSAJIT_OK;
    return tosajit_compile(pair_engine(2), TOSAJIT_OP_identity, &bytes, 1, NULL, NULL,
                           &identity_on_two);
}

/* One tile for the whole result, or one row where every operand allows that. */
static bool make_tile(job *j) {
    const workload *w = j->s->work;
    const int64_t size = sizeof(float);
    bool linear = true;
    for (int k = 0; k <= w->operand_count; k++) {
        const form f = k < w->operand_count ? w->forms[k] : FORM_FULL;
        linear &= f == FORM_FULL || f == FORM_SCALAR;
        j->strides[2 * k] = f == FORM_FULL ? size * j->s->cols : f == FORM_COLUMN ? size : 0;
        j->strides[2 * k + 1] = f == FORM_FULL || f == FORM_ROW ? size : 0;
    }
    j->pointers[w->operand_count] = j->to.data;
    j->tile[0] = linear ? 1 : j->s->rows;
    j->tile[1] = linear ? j->s->count : j->s->cols;
    j->raw.size = sizeof j->raw;
    return tosajit_kernel_raw(j->kernel, 0, &j->raw) == TOSAJIT_OK;
}

/* Others. */

/* The subject as one operator of another library; false where that cannot be said: workloads that
 * are no known function and no op with bounds, types other than f32, views. */
static bool make_request(const job *j, external_request *request) {
    const subject *s = j->s;
    const workload *w = s->work;
    *request = (external_request){
        .operand_count = s->operand_count, .rank = s->rank, .low = -INFINITY, .high = INFINITY};
    if (w && ((!w->is_op && !w->function) || w->result != TOSAJIT_F32)) return false;
    if (!w && (s->shape->seen != VIEW_DENSE || j->in_place || s->count > BUFFER_MAX_F32))
        return false;
    request->op = w ? w->op : s->shape->op;
    if (w) request->function = w->function;
    if (w && w->low < w->high) request->low = w->low, request->high = w->high;
    for (int k = 0; k <= s->operand_count; k++) {
        const bool is_result = k == s->operand_count;
        if (!is_result && type_of(s, k) != TOSAJIT_F32) return false;
        memcpy(request->dims[k], is_result ? s->full : s->sizes[k], sizeof s->full);
        request->pointers[k] = is_result ? j->to.data : j->pointers[k];
    }
    return true;
}

/* As many bytes as a pass moves, half of them read, or a share of them. */
typedef struct share {
    const job *j;
    int64_t part, parts;
} share;

/* The operands one after the other, over the result again and again. */
static void move_bytes(const share *h) {
    const subject *s = h->j->s;
    const int64_t result = s->count * (int64_t)tosajit_type_size(h->j->to.element),
                  all = s->bytes - result, half = s->bytes / 2;
    int64_t from = half / h->parts * h->part,
            end = h->part + 1 == h->parts ? half : half / h->parts * (h->part + 1);
    while (from < end) {
        int64_t at = from % all, to = from % result, size = 0;
        int k = 0;
        for (;; at -= size, k++) {
            size = s->sizes[k][0] * s->sizes[k][1] * (int64_t)tosajit_type_size(type_of(s, k));
            if (at < size) break;
        }
        int64_t bytes = end - from;
        if (bytes > size - at) bytes = size - at;
        if (bytes > result - to) bytes = result - to;
        memcpy((char *)h->j->to.data + to, (const char *)h->j->pointers[k] + at, (size_t)bytes);
        from += bytes;
    }
}

static void copy(const void *argument) {
    const share *h = argument;
    const subject *s = h->j->s;
    if (!h->j->function) {
        move_bytes(h);
        return;
    }
    const int64_t first = s->count / h->parts * h->part,
                  count = h->part + 1 == h->parts ? s->count - first : s->count / h->parts;
    void *operands[2] = {(float *)h->j->pointers[0] + first,
                         s->operand_count > 1 ? (float *)h->j->pointers[1] + first : NULL};
    h->j->function(operands, (float *)h->j->to.data + first, 1, count);
}

/* Measuring. */

static void run_copy(const job *j) {
    if (j->k->two)
        pair_run(copy, &(share){j, 0, 2}, &(share){j, 1, 2});
    else
        copy(&(share){j, 0, 1});
}

static void run_once(const job *j) {
    const subject *s = j->s;
    if (j->k->who == KERNEL)
        tosajit_run(j->kernel, j->operands, (size_t)s->operand_count, &j->to, 1);
    else if (j->k->who == RAW)
        j->raw.entry(j->raw.context, j->pointers, j->strides, 1, j->tile[0], j->tile[1]);
    else if (j->library)
        j->library->run(j->operator);
    else if (j->k->who == COPY)
        run_copy(j);
    else if (j->function)
        j->function(j->pointers, j->to.data, s->rows, s->cols);
    else
        (s->shape->op == TOSAJIT_OP_mul ? sweep_loop_mul : sweep_loop)(
            &s->layout.nest, j->pointers[0], j->pointers[1], j->to.data);
}

static void run(void *context, int64_t passes) {
    for (int64_t k = 0; k < passes; k++) {
        run_once(context);
        bench_clobber();
    }
}

static bool shape_is_right(const job *j) {
    const subject *s = j->s;
    int64_t strides[RANK], stride = sizeof(float);
    void *operands[2];
    for (int d = RANK; d-- > 0; stride *= s->layout.sizes[d]) strides[d] = stride;
    for (int k = 0; k < 2; k++) operands[k] = shape_memory(s->count, k);
    return shape_agrees(s->shape, &s->layout, operands, j->to.data,
                        j->in_place ? s->layout.strides[s->home] : strides);
}

/* The loop's result, or that of precompiled ops. */
static const char *expect(const job *j, void *expected) {
    const subject *s = j->s;
    void *pointers[WORKLOAD_MAX_OPERANDS];
    tosajit_tensor operands[WORKLOAD_MAX_OPERANDS], to = j->to;
    to.data = expected;
    for (int k = 0; k < s->operand_count; k++) {
        operands[k] = j->operands[k];
        pointers[k] = operands[k].data = j->in_place && k == s->home ? j->home : j->pointers[k];
    }
    if (s->work->loop) {
        s->work->loop(pointers, expected, s->rows, s->cols);
        return NULL;
    }
    tosajit_kernel *kernel = compile(s, j->k, precompiled_engine());
    const bool failed =
        !kernel || tosajit_run(kernel, operands, (size_t)s->operand_count, &to, 1) != TOSAJIT_OK;
    tosajit_kernel_release(kernel);
    return failed ? tosajit_last_error() : NULL;
}

/* Run once. Every call is checked here, so that the timed loop need not. */
static const char *verify(job *j) {
    const subject *s = j->s;
    if (j->in_place)
        restore(j);
    else
        memset(j->to.data, 0xff, j->extent); /* or another's result would be taken for its own */
    if (j->k->who != KERNEL)
        run_once(j);
    else if (tosajit_run(j->kernel, j->operands, (size_t)s->operand_count, &j->to, 1))
        return tosajit_last_error();
    if (s->shape) return shape_is_right(j) ? NULL : "the results are wrong";
    void *expected = buffer_result(BUFFER_RESULTS - 1);
    const char *wrong = expect(j, expected);
    if (wrong) return wrong;
    return buffer_agrees(s->work->result, j->to.data, expected, s->count, s->work->tolerance)
               ? NULL
               : "the results differ from those of a loop or of precompiled ops";
}

static const char *prepare(void *context) {
    job *j = context;
    external_request request;
    if (!set_tensors(j)) return "no memory";
    if (j->k->who <= RAW) {
        j->kernel = compile(j->s, j->k,
                            j->k->precompiled ? precompiled_engine() : pair_engine(j->k->two + 1u));
        if (!j->kernel || (j->k->two && need_identity())) return tosajit_last_error();
        if (j->k->who == RAW && !make_tile(j)) return tosajit_last_error();
        return verify(j);
    }
    if (j->library)
        return make_request(j, &request) && (j->operator= j->library->create(&request))
                   ? verify(j)
                   : "the library refuses the op";
    return j->s->shape && j->k->who == LOOP ? verify(j) : NULL;
}

/* Registration. */

/* The function of a contender that is no kernel; null where it has none, or not as one. */
static peer *function_of(const subject *s, contender who) {
    const workload *w = s->work;
    switch (who) {
    case LOOP: return w ? w->loop : s->shape->loop;
    case BLOCKED: return w ? NULL : s->shape->blocked;
    case COPY: return w ? w->copy : s->shape->copy;
    case STREAMING: return peer_add_streaming;
    case SLEEF: return w->sleef ? *w->sleef : w->is_op ? peer_sleef(w->op) : NULL;
    default: return NULL;
    }
}

/* Beside forms a copy is the limit of what is no function. */
static bool has_copy(const subject *s, const kind *k) {
    if (!s->in_forms) return function_of(s, COPY) || (s->work && !s->work->loop);
    if (s->count < (k->two ? LEAST_COPY_ON_TWO : LEAST_COPY)) return false;
    return s->shape ? s->shape->copy != NULL : !s->work->functions;
}

static bool takes_part(const subject *s, const kind *k) {
    const workload *w = s->work;
    if (k->two && !pair_exists()) return false;
    switch (k->who) {
    case KERNEL: return (!k->in_place || s->home >= 0) && (!k->fast || w->functions);
    case RAW: return w->is_op && w->op == TOSAJIT_OP_add && w->low == w->high;
    case LOOP: return true;
    case COPY: return has_copy(s, k);
    case STREAMING:
        return w->loop == peer_add_same && s->count >= LEAST_STREAMING && peer_add_streaming;
    default: return function_of(s, k->who) != NULL;
    }
}

static bool add_job(turns *group, const subject *s, const kind *k, const external *library,
                    const char *case_name) {
    job *j = calloc(1, sizeof *j);
    if (!j) return false;
    *j = (job){.next = jobs, .s = s, .k = k, .library = library};
    j->in_place = k->in_place || (s->shape && s->shape->in_place);
    j->function = function_of(s, k->who);
    jobs = j;
    char name[128];
    snprintf(name, sizeof name, "%s/%s", case_name, library ? library->name : k->name);
    return turns_add(group, &(turns_contender){.name = name,
                                               .prepare = prepare,
                                               .run = run,
                                               .begin = j->in_place ? restore : NULL,
                                               .restore = !j->in_place || !s->drifts ? NULL
                                                          : k->two ? restore_on_two
                                                                   : restore,
                                               .wakes = k->two,
                                               .context = j,
                                               .items = s->count,
                                               .bytes = s->bytes});
}

static bool add_externals(turns *group, const subject *s, const kind *k, const char *case_name) {
    const job probe = {.s = s, .in_place = s->shape && s->shape->in_place};
    external_request request;
    bool ok = true;
    for (int e = 0; ok && externals[e] && make_request(&probe, &request); e++)
        ok = !externals[e]->supports(&request) || add_job(group, s, k, externals[e], case_name);
    return ok;
}

static bool add_subject(const subject *values, const kind *kinds, const char *case_name) {
    subject *s = malloc(sizeof *s);
    /* Forms are ten contenders a case: they have less time each. */
    turns *group = turns_create(values->in_forms ? 0.4 : 1, values->in_forms);
    bool ok = s && group;
    if (!s) return false;
    *s = *values;
    s->next = subjects;
    subjects = s;
    for (; ok && kinds->name; kinds++)
        ok = kinds->who == EXTERNAL
                 ? add_externals(group, s, kinds, case_name)
                 : !takes_part(s, kinds) || add_job(group, s, kinds, NULL, case_name);
    return ok;
}

typedef struct size {
    const char *name;
    int64_t rows, cols;
} size;

/* L1; its edge, 48 KiB in three arrays; L2; L3; memory; and rows that are shorter than a vector, or
 * no multiple of one. */
static const size add_sizes[] = {
    {"1K", 8, 128},          {"4K", 16, 256},           {"16K", 128, 128},
    {"64K", 256, 256},       {"1M", 1024, 1024},        {"16M", 4096, 4096},
    {"rows_of_11", 372, 11}, {"rows_of_100", 655, 100}, {0}};
static const size op_sizes[] = {{"16K", 128, 128}, {"1M", 1024, 1024}, {0}};
static const size broadcast_sizes[] = {
    {"4K", 16, 256}, {"64K", 256, 256}, {"rows_of_11", 372, 11}, {0}};
static const size offset_sizes[] = {{"4K", 16, 256}, {"16K", 128, 128}, {"64K", 256, 256}, {0}};
static const size narrow_sizes[] = {
    {"16K", 128, 128}, {"1M", 1024, 1024}, {"rows_of_11", 372, 11}, {"rows_of_100", 655, 100}, {0}};
static const size math_sizes[] = {{"4K", 16, 256}, {"16K", 128, 128}, {"1M", 1024, 1024}, {0}};
/* In the L2 and the L3 cache. */
static const size byte_sizes[] = {{"64K", 64, 1024}, {"1M", 1024, 1024}, {0}};
static const size form_sizes[] = {{"4K", 16, 256},
                                  {"16K", 128, 128},
                                  {"1M", 1024, 1024},
                                  {"16M", 4096, 4096},
                                  {"rows_of_11", 372, 11},
                                  {"rows_of_100", 655, 100},
                                  {0}};

typedef struct family {
    const char *name;
    const workload *list;
    const size *sizes;
    const kind *kinds;
    tosajit_accuracy accuracy;
} family;

static const family families[] = {
    {"add", workload_adds, add_sizes, usual, TOSAJIT_EXACT},
    {"broadcast", workload_broadcasts, broadcast_sizes, usual, TOSAJIT_EXACT},
    {"offset", workload_offsets, offset_sizes, offsets, TOSAJIT_EXACT},
    {"narrow", workload_narrows, narrow_sizes, usual, TOSAJIT_EXACT},
    {"op", workload_ops, op_sizes, usual, TOSAJIT_EXACT},
    {"math", workload_maths, math_sizes, functions, TOSAJIT_EXACT},
    {"chain", workload_chains, op_sizes, usual, TOSAJIT_EXACT},
    {"int8", workload_bytes, byte_sizes, of_bytes, TOSAJIT_EXACT},
    {"forms_add", workload_adds + 1, form_sizes, forms, TOSAJIT_EXACT}, /* `same` is the lines */
    {"forms_op", workload_ops, op_sizes, forms, TOSAJIT_EXACT},
    {"forms_math", workload_maths, op_sizes, forms, TOSAJIT_EXACT},
    {"forms_math", workload_maths, op_sizes, forms, TOSAJIT_REPRODUCIBLE},
    {"forms_chain", workload_chains, op_sizes, forms, TOSAJIT_EXACT},
};

static bool drifts(const workload *w) {
    const bool is_float =
        w->result == TOSAJIT_F32 || w->result == TOSAJIT_F16 || w->result == TOSAJIT_BF16;
    return is_float && (w->functions || strchr(w->text, '*'));
}

static bool add_workload(const family *f, const workload *w, const size *z) {
    const int64_t count = z->rows * z->cols, cols = w->channels ? w->channels : z->cols;
    subject s = {.work = w,
                 .accuracy = f->accuracy,
                 .in_forms = f->kinds == forms,
                 .rows = count / cols,
                 .cols = cols,
                 .full = {count / cols, cols},
                 .rank = 2,
                 .operand_count = w->operand_count,
                 .home = -1,
                 .count = count,
                 .bytes = workload_traffic(w, count / cols, cols),
                 .drifts = drifts(w)};
    for (int k = w->operand_count; k-- > 0;) {
        workload_dims(w->forms[k], s.rows, s.cols, s.sizes[k]);
        if (w->forms[k] == FORM_FULL && w->types[k] == w->result) s.home = k;
    }
    char name[96];
    snprintf(name, sizeof name, "%s/%s%s/%s", f->name, w->name,
             f->accuracy == TOSAJIT_REPRODUCIBLE ? "_fast" : "", z->name);
    return add_subject(&s, f->kinds, name);
}

static bool add_shape(const shape_case *shape, int32_t rank, const kind *kinds) {
    const shape_layout layout = shape_layout_of(shape);
    subject s = {.shape = shape,
                 .layout = layout,
                 .in_forms = kinds == forms,
                 .rows = layout.count / layout.sizes[RANK - 1],
                 .cols = layout.sizes[RANK - 1],
                 .rank = rank,
                 .operand_count = layout.operand_count,
                 .home = -1,
                 .count = layout.count,
                 .bytes = layout.bytes};
    memcpy(s.full, layout.sizes + RANK - rank, (size_t)rank * sizeof *s.full);
    for (int k = s.operand_count; k-- > 0;)
        if (memcmp(shape->dims[k], layout.sizes, sizeof layout.sizes) == 0) s.home = k;
    for (int k = 0; k < 2; k++)
        memcpy(s.sizes[k], shape->dims[k] + RANK - rank, (size_t)rank * sizeof *s.full);
    char name[96];
    snprintf(name, sizeof name, "%s%s/%s", s.in_forms ? "forms_" : "", shape->family, shape->name);
    return add_subject(&s, kinds, name);
}

#define LINE(name, n)                                                                              \
    { "add", "1d/" name, TOSAJIT_OP_add, {{1, 1, 1, n}, {1, 1, 1, n}}, .copy = peer_copy_same }
static const shape_case lines[] = {
    LINE("7", 7),          LINE("16", 16),        LINE("1023", 1023),    LINE("1K", 1 << 10),
    LINE("4K", 4 << 10),   LINE("16K", 16 << 10), LINE("64K", 64 << 10), LINE("1M", 1 << 20),
    LINE("16M", 16 << 20), LINE("64M", 64 << 20),
};

bool cases_register(void) {
    bool ok = true;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (const workload *w = families[f].list; w->name; w++)
            for (const size *z = families[f].sizes; ok && z->name; z++)
                ok = add_workload(&families[f], w, z);
    for (size_t k = 0; ok && k < sizeof lines / sizeof *lines; k++)
        ok = add_shape(&lines[k], 1, forms);
    for (int k = 0; ok && k < shape_case_count; k++) {
        const shape_case *s = &shape_cases[k];
        ok = add_shape(s, RANK, of_shapes);
        if (ok && !s->in_place && shape_layout_of(s).count <= BUFFER_MAX_F32)
            ok = add_shape(s, RANK, forms);
    }
    return ok;
}

void cases_release(void) {
    tosajit_kernel_release(identity_on_two);
    identity_on_two = NULL;
    while (jobs) {
        job *next = jobs->next;
        tosajit_kernel_release(jobs->kernel);
        if (jobs->operator) jobs->library->destroy(jobs->operator);
        free(jobs);
        jobs = next;
    }
    while (subjects) {
        subject *next = subjects->next;
        free(subjects);
        subjects = next;
    }
    tosajit_engine_destroy(precompiled);
    precompiled = NULL;
}
