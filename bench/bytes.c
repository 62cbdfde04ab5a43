/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes: what networks of int8 do between their products: sums of products back to bytes, by one
 * scale or one per channel, and residual connections. In: nothing. Out: cases "int8/...", timed in
 * turns beside a copy of as many bytes. Results are compared with those of precompiled ops before
 * they are timed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/families.h"
#include "bench/turns.h"
#include "tosajit/tosajit.h"

enum { MAX_OPERANDS = 3, MAX_TEXT = 8192, MAX_COUNT = 1 << 20 };

/* An expression, in which # stands for the scales of i32: one, or one per channel. */
typedef struct byte_case {
    const char *name, *text;
    int64_t channels; /* the innermost size; 0: one scale */
    int operand_count;
    tosajit_type types[MAX_OPERANDS]; /* a second f32 is a column, all others are full */
} byte_case;

#define RESCALE(x) "rescale(" x ", #, to=i8)"
#define WIDE(x) "rescale(" x ", multiplier=1293842134, shift=12, scale32=true, to=i32)"
#define NARROW(x) "rescale(" x ", multiplier=1173489143, shift=49, scale32=true, to=i8)"
#define I8 TOSAJIT_I8
#define I32 TOSAJIT_I32
#define F32 TOSAJIT_F32

static const byte_case byte_cases[] = {
    {"scale", RESCALE("x"), 0, 1, {I32}},
    {"channels_8", RESCALE("x"), 8, 1, {I32}},
    {"channels_64", RESCALE("x"), 64, 1, {I32}},
    {"channels_256", RESCALE("x"), 256, 1, {I32}},
    {"channels_outer", "i8(x * y)", 0, 2, {F32, F32}},
    {"to_uint8",
     "rescale(x, multiplier=1293842134, shift=30, scale32=true, output_unsigned=true, to=i8)",
     0,
     1,
     {I8}},
    {"residual", NARROW(WIDE("x") " + " WIDE("y")), 0, 2, {I8, I8}},
    {"residual_relu",
     "clamp(" NARROW(WIDE("x") " + " WIDE("y")) ", min=0, max=127)",
     0,
     2,
     {I8, I8}},
    {"residual_of_i32", NARROW(WIDE(RESCALE("x")) " + " WIDE("y")), 64, 2, {I32, I8}},
    {"quantised_sum",
     "i8(round((f32(x) - 3) * 0.0173 + (f32(y) + 7) * 0.0291) + 5)",
     0,
     2,
     {I8, I8}},
    {"residual_of_three", NARROW(WIDE("x") " + " WIDE("y") " + " WIDE("z")), 0, 3, {I8, I8, I8}},
};

/* In the L2 and the L3 cache. */
static const struct {
    const char *name;
    int64_t count;
} sizes[] = {{"64K", 64 << 10}, {"1M", MAX_COUNT}};

typedef enum contender { STATIC, DYNAMIC, COPY, CONTENDERS } contender;
static const char *const names[CONTENDERS] = {"static", "dynamic", "copy"};

typedef struct job {
    struct job *next;
    const byte_case *what;
    contender who;
    int64_t dims[2], column[2], bytes; /* bytes: that a pass reads and writes */
    tosajit_kernel *kernel;
    tosajit_tensor operands[MAX_OPERANDS], result;
} job;

static job *jobs;
static tosajit_engine *engines[2]; /* compiled; of precompiled ops */
static int32_t *sums;

static bool is_column(const job *j, int operand) {
    return operand == 1 && j->what->types[0] == F32;
}

/* Scales of 2^-13 and less; those of channels differ in multiplier and shift. */
static size_t write_scales(int64_t channels, char *text, size_t size) {
    static const char *const kinds[] = {"multiplier=[", "], shift=["};
    const int64_t count = channels ? channels : 1;
    size_t at = 0;
    for (int kind = 0; kind < 2; kind++)
        for (int64_t k = 0; k < count && at < size; k++)
            at += (size_t)snprintf(text + at, size - at, "%s%d", k ? "," : kinds[kind],
                                   (int)(kind ? 43 + k % 3 : 1518500250 + k * 1234567));
    if (at < size)
        at += (size_t)snprintf(text + at, size - at, "], scale32=true, per_channel=%s",
                               channels ? "true" : "false");
    return at;
}

/* The text with its scales. */
static bool write_text(const byte_case *c, char *text) {
    const char *hash = strchr(c->text, '#');
    size_t at = hash ? (size_t)(hash - c->text) : 0;
    memcpy(text, c->text, at);
    if (hash) at += write_scales(c->channels, text + at, MAX_TEXT - at);
    if (at < MAX_TEXT)
        at += (size_t)snprintf(text + at, MAX_TEXT - at, "%s", hash ? hash + 1 : c->text);
    return at < MAX_TEXT;
}

static tosajit_status compile(job *j, tosajit_engine *engine, tosajit_kernel **kernel) {
    static const char *const operands[MAX_OPERANDS] = {"x", "y", "z"};
    tosajit_named_type types[MAX_OPERANDS];
    tosajit_parse_options options = {
        .size = sizeof options, .types = types, .type_count = (size_t)j->what->operand_count};
    tosajit_expr *expr;
    char text[MAX_TEXT];
    for (int k = 0; k < j->what->operand_count; k++) {
        int64_t dims[2] = {j->operands[k].dims[0], j->operands[k].dims[1]};
        if (j->who == DYNAMIC) dims[0] = TOSAJIT_DYNAMIC;
        if (j->who == DYNAMIC && !j->what->channels && dims[1] > 1) dims[1] = TOSAJIT_DYNAMIC;
        types[k] = (tosajit_named_type){operands[k], tosajit_ranked(j->what->types[k], 2, dims)};
    }
    if (!write_text(j->what, text)) return TOSAJIT_LIMIT_EXCEEDED;
    tosajit_status status = tosajit_expr_parse(text, strlen(text), &options, &expr);
    if (status) return status;
    status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    return status;
}

static void *operand_memory(const job *j, int k) {
    return j->what->types[k] == I32 ? sums : buffer_operand(j->what->types[k], k);
}

/* Numbers of 20 bits. */
static bool fill_sums(void) {
    uint32_t state = 1;
    if (!sums) sums = malloc(MAX_COUNT * sizeof *sums);
    for (int64_t k = 0; sums && k < MAX_COUNT; k++) {
        state = state * 1664525 + 1013904223;
        sums[k] = (int32_t)(state >> 12) - (1 << 19);
    }
    return sums;
}

/* The same by precompiled ops, element by element. */
static const char *verify(job *j) {
    const size_t count = (size_t)j->what->operand_count;
    tosajit_kernel *other = NULL;
    tosajit_tensor expected = j->result;
    expected.data = buffer_result(1);
    if (!expected.data) return "no memory";
    tosajit_status status = compile(j, engines[1], &other);
    if (!status) status = tosajit_run(other, j->operands, count, &expected, 1);
    if (!status) status = tosajit_run(j->kernel, j->operands, count, &j->result, 1);
    tosajit_kernel_release(other);
    if (status) return tosajit_last_error();
    return buffer_agrees(I8, j->result.data, expected.data, j->dims[0] * j->dims[1], 0)
               ? NULL
               : "the results differ from those of precompiled ops";
}

static const char *prepare(void *context) {
    job *j = context;
    tosajit_engine_options options = {.size = sizeof options};
    if (!sums && !fill_sums()) return "no memory";
    j->result = tosajit_dense(I8, buffer_result(0), 2, j->dims);
    j->bytes = j->dims[0] * j->dims[1];
    for (int k = 0; k < j->what->operand_count; k++) {
        const int64_t *dims = is_column(j, k) ? j->column : j->dims;
        j->operands[k] = tosajit_dense(j->what->types[k], operand_memory(j, k), 2, dims);
        if (!j->operands[k].data || !j->result.data) return "no memory";
        j->bytes += dims[0] * dims[1] * (int64_t)tosajit_type_size(j->what->types[k]);
    }
    if (j->who == COPY) return NULL;
    for (int k = 0; k < 2; k++) {
        options.backend = k ? TOSAJIT_BACKEND_PRECOMPILED : TOSAJIT_BACKEND_AUTO;
        if (!engines[k] && tosajit_engine_create(&options, &engines[k]))
            return tosajit_last_error();
    }
    return compile(j, engines[0], &j->kernel) ? tosajit_last_error() : verify(j);
}

/* Half of the bytes are read, half are written: the operands one after the other, over the result
 * again and again. */
static void copy(const job *j) {
    const int64_t size = j->dims[0] * j->dims[1];
    int64_t left = j->bytes / 2;
    for (int k = 0; k < j->what->operand_count; k++) {
        int64_t all = size * (int64_t)tosajit_type_size(j->operands[k].element);
        if (is_column(j, k)) continue;
        for (int64_t at = 0; at < all && left > 0; at += size, left -= size)
            memcpy(j->result.data, (char *)j->operands[k].data + at,
                   (size_t)(left < size ? left : size));
    }
}

static void run(void *context, int64_t passes) {
    const job *j = context;
    for (int64_t k = 0; k < passes; k++) {
        if (j->who == COPY)
            copy(j);
        else
            tosajit_run(j->kernel, j->operands, (size_t)j->what->operand_count, &j->result, 1);
        bench_clobber();
    }
}

static bool add_job(turns *group, const byte_case *c, const char *size, int64_t count,
                    contender who) {
    enum { COLUMNS = 1024 };
    const int64_t columns = c->channels ? c->channels : COLUMNS;
    job *j = calloc(1, sizeof *j);
    if (!j) return false;
    *j = (job){.next = jobs, .what = c, .who = who};
    j->dims[0] = j->column[0] = count / columns, j->dims[1] = columns, j->column[1] = 1;
    jobs = j;
    char name[64];
    snprintf(name, sizeof name, "int8/%s/%s/%s", c->name, size, names[who]);
    return turns_add(
        group, &(turns_contender){
                   .name = name, .prepare = prepare, .run = run, .context = j, .items = count});
}

bool bytes_register(void) {
    bool ok = true;
    for (size_t k = 0; k < sizeof byte_cases / sizeof *byte_cases; k++)
        for (size_t s = 0; ok && s < sizeof sizes / sizeof *sizes; s++) {
            turns *group = turns_create(1, false);
            ok = group;
            for (int who = 0; ok && who < CONTENDERS; who++)
                ok = add_job(group, &byte_cases[k], sizes[s].name, sizes[s].count, (contender)who);
        }
    return ok;
}

void bytes_release(void) {
    while (jobs) {
        job *next = jobs->next;
        tosajit_kernel_release(jobs->kernel);
        free(jobs);
        jobs = next;
    }
    for (int k = 0; k < 2; k++) {
        tosajit_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
    free(sums);
    sums = NULL;
}
