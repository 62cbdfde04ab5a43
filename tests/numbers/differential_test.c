/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random expressions, shapes, views and data: every engine, the interpreter among them, with
 * kernels of all forms, against an oracle. The oracle computes op by op, and shares no code with
 * the library: here is decided, with loops of their own, which element of each operand feeds a
 * result element; what an op makes of those, oracle.h tells. Native code is also compared with
 * itself: one op per kernel, and with all sizes static. All memory is guarded. See differential.h;
 * the test is differential_main.c, and a fuzzer calls it, too. */
#define _POSIX_C_SOURCE 200809L /* write */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/numbers/differential.h"
#include "tests/numbers/divide.h"
#include "tests/numbers/forms.h"
#include "tests/numbers/index_reference.h"
#include "tests/numbers/oracle.h"
#include "tests/numbers/reduce_reference.h"
#include "tests/support/cmocka.h"
#include "tests/support/guard.h"
#include "tests/support/random_program.h"

enum {
    RUNS = 5,           /* calls per kernel */
    NAME_SIZE = 64,     /* of an engine, and the form of its kernel */
    CAPACITY = 1 << 20, /* of a guarded tensor */
};

struct differential {
    test_engine opened[TEST_MAX_ENGINES],
        engines[TEST_MAX_ENGINES]; /* all; those of this case, whose names tell the form, too */
    size_t opened_count, engine_count, chosen[TEST_MAX_ENGINES]; /* which of the opened ones */
    char names[TEST_MAX_ENGINES][NAME_SIZE];
    forms *forms;
    guard_tensor inputs[PROGRAM_MAX_INPUTS], results[PROGRAM_MAX_RESULTS], shared;
    unsigned char *oracle[PROGRAM_MAX_NODES], *gathered[TOSAJIT_MAX_OPERANDS],
        *values[PROGRAM_MAX_NODES];
    differential_counts counts;
    void (*prepare)(tosajit_kernel *kernel);
};
typedef struct differential fixture;

/* One case: a program, its kernels, and one call of them. */
typedef struct trial {
    fixture *f;
    uint64_t seed;
    test_random random;
    program p;
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    bool live[PROGRAM_MAX_NODES], read[PROGRAM_MAX_NODES]; /* their sizes; their numbers */
    int run;
    program_shape input_shapes[PROGRAM_MAX_INPUTS], shapes[PROGRAM_MAX_NODES];
    tosajit_status expected;
} trial;

/* Reporting. */

static void print_shape(const char *what, size_t index, const guard_tensor *t) {
    fprintf(stderr, "  %s %zu: sizes", what, index);
    for (int32_t d = 0; d < t->tensor.rank; d++) fprintf(stderr, " %" PRId64, t->dims[d]);
    fprintf(stderr, t->tensor.strides ? ", strides" : ", dense");
    for (int32_t d = 0; t->tensor.strides && d < t->tensor.rank; d++)
        fprintf(stderr, " %" PRId64, t->strides[d]);
    fprintf(stderr, ", address modulo 64: %u\n", (unsigned)((uintptr_t)t->tensor.data % 64));
}

static void print_shapes(const trial *t) {
    for (int k = 0; k < t->p.input_count; k++) print_shape("operand", (size_t)k, &t->f->inputs[k]);
    for (int r = 0; r < t->p.result_count; r++) print_shape("result", (size_t)r, &t->f->results[r]);
}

static void report(const trial *t, const char *engine, const char *what) {
    fprintf(stderr, "\n%s: %s\n", engine, what);
    program_print(&t->p, stderr);
    print_shapes(t);
    fprintf(stderr, "  call %d; repeat with TOSAJIT_SEED=%" PRIu64 " TOSAJIT_CASES=1\n", t->run,
            t->seed);
    fail_msg("%s: %s (seed %" PRIu64 ")", engine, what, t->seed);
}

/* A kernel that leaves its memory dies at the guard; say how to repeat that. */
static char crash_text[400];

static void crashed(int number) {
    ssize_t written = write(STDERR_FILENO, crash_text, strlen(crash_text));
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

static void announce(const trial *t, const char *engine, const char *what) {
    snprintf(crash_text, sizeof crash_text,
             "\ndied in: %s, %s, call %d; repeat with TOSAJIT_SEED=%" PRIu64 " TOSAJIT_CASES=1\n",
             engine, what, t->run, t->seed);
}

static void expect_status(const trial *t, const char *engine, const char *call,
                          tosajit_status status, tosajit_status expected) {
    if (status == expected) return;
    char what[1000];
    snprintf(what, sizeof what, "%s gave %s instead of %s: %s", call, tosajit_status_name(status),
             tosajit_status_name(expected), tosajit_last_error());
    report(t, engine, what);
}

/* The element of a value that an element of the result uses, as the oracle has it: leading
 * dimensions that it lacks are dropped, sizes of 1 stay at 0. */
static const unsigned char *source(const trial *t, int node, int32_t result_rank,
                                   const int64_t *result_index) {
    const program_shape *shape = &t->shapes[node];
    int64_t linear = 0;
    for (int32_t d = 0; d < shape->rank; d++) {
        int32_t from = d + result_rank - shape->rank;
        linear =
            linear * shape->dims[d] + (shape->dims[d] == 1 || from < 0 ? 0 : result_index[from]);
    }
    return t->f->oracle[node] + (size_t)linear * tosajit_type_size(t->p.nodes[node].type.element);
}

/* The values that feed an element of result r, in hex; of tables the first element. */
static void print_sources(const trial *t, int r, const int64_t *index) {
    bool reached[PROGRAM_MAX_NODES];
    program_reach(&t->p, t->p.results[r], reached);
    for (int k = 0; k < t->p.count; k++) {
        bool whole =
            t->p.nodes[k].apart || (t->p.nodes[k].is_parameter && t->p.nodes[k].channels_of < 0);
        if (!reached[k] || guard_count(t->shapes[k].rank, t->shapes[k].dims) == 0) continue;
        const unsigned char *element =
            whole ? t->f->oracle[k] : source(t, k, t->shapes[t->p.results[r]].rank, index);
        fprintf(stderr, "\n  %%%d there: 0x%" PRIx64, k,
                test_bits(t->p.nodes[k].type.element, element));
    }
}

/* Compiling. */

/* Every engine's kernel in another form. */
static void compile(trial *t) {
    fixture *f = t->f;
    tosajit_expr *expr = NULL;
    expect_status(t, "-", "program_build", program_build(&t->p, &expr), TOSAJIT_OK);
    for (size_t e = 0; e < f->engine_count; e++) {
        const test_engine *engine = &f->opened[f->chosen[e]];
        const uint64_t form = t->seed + e;
        snprintf(f->names[e], NAME_SIZE, "%s, %s", engine->name, forms_name(engine, form));
        f->engines[e] = *engine;
        f->engines[e].name = f->names[e];
        announce(t, f->names[e], "compile");
        expect_status(t, f->names[e], "compile",
                      forms_make(f->forms, engine, form, expr, &t->kernels[e]), TOSAJIT_OK);
        if (f->prepare && !forms_is_later(engine, form)) f->prepare(t->kernels[e]);
    }
    tosajit_expr_destroy(expr);
}

/* Behind the first calls, which those that compile in the background answer in another way. */
static void await_code(const trial *t) {
    for (size_t e = 0; e < t->f->engine_count; e++)
        expect_status(t, t->f->names[e], "kernel_wait", tosajit_kernel_wait(t->kernels[e]),
                      TOSAJIT_OK);
}

static void release(trial *t) {
    for (size_t e = 0; e < t->f->engine_count; e++) tosajit_kernel_release(t->kernels[e]);
    program_free(&t->p);
}

/* Placing tensors. */

/* Strides in bytes: dimensions in any order in memory, forwards or backwards, with gaps between
 * elements and rows; operands may repeat along a dimension. False: dense. */
static bool random_strides(test_random *random, size_t element, const program_shape *shape,
                           bool repeat, int64_t *strides) {
    int64_t style = test_random_range(random, 0, 9), step = (int64_t)element;
    if (style < 3) return false;
    bool permute = style == 4 || style > 7, backwards = style == 5 || style > 7,
         gaps = style == 6 || style > 7;
    repeat = repeat && (style == 7 || style == 9);
    int32_t order[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < shape->rank; d++) order[d] = shape->rank - 1 - d; /* innermost first */
    for (int32_t d = 0; permute && d < shape->rank; d++) {
        int32_t other = (int32_t)test_random_range(random, d, shape->rank - 1), swap = order[d];
        order[d] = order[other];
        order[other] = swap;
    }
    if (gaps && test_random_chance(random, 50))
        step = (int64_t)element * test_random_range(random, 2, 3);
    /* No alignment at all. */
    if (gaps && test_random_chance(random, 10)) step = (int64_t)element + 1;
    for (int32_t k = 0; k < shape->rank; k++) {
        int32_t d = order[k];
        strides[d] = backwards && test_random_chance(random, 50) ? -step : step;
        if (repeat && test_random_chance(random, 40))
            strides[d] = 0;
        else
            step *= shape->dims[d] > 1 ? shape->dims[d] : 1;
        if (gaps && test_random_chance(random, 30))
            step += (int64_t)element * test_random_range(random, 1, 5);
    }
    return true;
}

/* Half of them stay at their edge. Others begin anywhere in a cache line, and most of those at a
 * whole element, which may be aligned. */
static void move_somewhere(trial *t, guard_tensor *guard) {
    enum { LINE = 64 };
    if (test_random_chance(&t->random, 50)) return;
    const size_t element = tosajit_type_size(guard->tensor.element);
    size_t bytes = (size_t)test_random_range(&t->random, 1, LINE - 1);
    if (test_random_chance(&t->random, 80)) bytes -= bytes % element;
    guard_move(guard, bytes);
    t->f->counts.moved++;
}

static bool place(trial *t, guard_tensor *guard, tosajit_type element, const program_shape *shape,
                  bool repeat) {
    int64_t strides[TOSAJIT_MAX_RANK];
    guard_edge edge = test_random_chance(&t->random, 70) ? GUARD_AT_END : GUARD_AT_START;
    bool strided = random_strides(&t->random, tosajit_type_size(element), shape, repeat, strides);
    if (!guard_place(guard, element, shape->rank, shape->dims, strided ? strides : NULL, edge) &&
        !guard_place(guard, element, shape->rank, shape->dims, NULL, edge))
        return false;
    move_somewhere(t, guard);
    return true;
}

/* True if every value has room in the oracle's buffers. */
static bool values_fit(const trial *t) {
    for (int k = 0; k < t->p.count && !t->expected; k++) {
        int64_t bytes = (int64_t)tosajit_type_size(t->p.nodes[k].type.element);
        for (int32_t d = 0; t->live[k] && d < t->shapes[k].rank && bytes <= CAPACITY; d++)
            bytes *= t->shapes[k].dims[d];
        if (bytes > CAPACITY) return false;
    }
    return true;
}

static bool has_live(const trial *t, bool (*is)(tosajit_op op)) {
    bool found = false;
    for (int k = 0; k < t->p.count; k++)
        found |= t->live[k] && t->p.nodes[k].kind == PROGRAM_OP && is(t->p.nodes[k].op);
    return found;
}

static bool adds_many(tosajit_op op) { return test_reduces(op) || op == TOSAJIT_OP_scatter_add; }
static bool is_gather(tosajit_op op) { return op == TOSAJIT_OP_gather; }

static void fill(trial *t, int node, int64_t index, bool legal, bool calm, unsigned char *element) {
    const program_node *n = &t->p.nodes[node];
    if (calm && !n->is_parameter && !n->is_index)
        test_random_everyday(&t->random, n->type.element, element);
    else
        program_fill(&t->p, node, t->shapes, index, &t->random, legal, element);
}

/* A NaN among the elements would be all that a sum has. False if a tensor is larger than its
 * buffer, which random bytes may want. */
static bool place_inputs(trial *t) {
    const bool calms = has_live(t, adds_many);
    for (int k = 0; k < t->p.input_count; k++) {
        guard_tensor *guard = &t->f->inputs[k];
        tosajit_type element = t->p.nodes[t->p.inputs[k]].type.element;
        if (!place(t, guard, element, &t->input_shapes[k], true)) return false;
        int64_t index[TOSAJIT_MAX_RANK] = {0};
        /* Of parameters any other number is taken as well. */
        bool legal = test_random_chance(&t->random, t->p.nodes[t->p.inputs[k]].is_index ? 85 : 60);
        const bool calm = calms && test_random_chance(&t->random, 70);
        if (guard->size > 0) do
                fill(t, t->p.inputs[k], index[0], legal, calm, guard_at(guard, index));
            while (guard_next(guard->tensor.rank, guard->dims, index));
        guard_remember(guard);
    }
    return true;
}

static bool place_results(trial *t) {
    static const program_shape scalar = {0};
    for (int r = 0; r < t->p.result_count; r++) {
        int node = t->p.results[r];
        const program_shape *shape = &t->shapes[node];
        if (t->expected && guard_count(shape->rank, shape->dims) > CAPACITY / 16) shape = &scalar;
        if (!place(t, &t->f->results[r], t->p.nodes[node].type.element, shape, false)) return false;
        guard_remember(&t->f->results[r]);
    }
    return true;
}

/* The oracle. */

/* A leaf, dense. */
static void copy_leaf(const trial *t, int node, unsigned char *to) {
    const program_node *leaf = &t->p.nodes[node];
    const program_shape *shape = &t->shapes[node];
    size_t size = tosajit_type_size(leaf->type.element), at = 0;
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    int input = 0;
    if (guard_count(shape->rank, shape->dims) == 0) return;
    while (leaf->kind == PROGRAM_INPUT && t->p.inputs[input] != node) input++;
    do {
        memcpy(to + size * at,
               leaf->kind == PROGRAM_INPUT ? guard_at(&t->f->inputs[input], index)
                                           : leaf->data + size * at,
               size);
        at++;
    } while (guard_next(shape->rank, shape->dims, index));
}

static void gather(trial *t, int node, const program_shape *space, unsigned char *to) {
    size_t size = tosajit_type_size(t->p.nodes[node].type.element), at = 0;
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    do memcpy(to + size * at++, source(t, node, space->rank, index), size);
    while (guard_next(space->rank, space->dims, index));
}

static void compute_reduction(trial *t, int node) {
    const program_node *op = &t->p.nodes[node];
    const program_shape *from = &t->shapes[op->operands[0]];
    const reduce_question q = {.op = op->op,
                               .element = t->p.nodes[op->operands[0]].type.element,
                               .nan_mode = op->attributes.nan_mode,
                               .rank = from->rank,
                               .axis = (int32_t)op->attributes.axis,
                               .joined = op->attributes.joined,
                               .dims = from->dims,
                               .exclusive = op->attributes.exclusive,
                               .reverse = op->attributes.reverse};
    (test_is_position(op->op) ? position_reference
     : test_is_scan(op->op)
         ? scan_reference
         : reduce_reference)(&q, t->f->oracle[op->operands[0]], t->f->oracle[node]);
}

static void compute_op(trial *t, int node) {
    const program_node *op = &t->p.nodes[node];
    const program_shape *space = &t->shapes[node];
    const int64_t count = guard_count(space->rank, space->dims);
    oracle_op asked = {op->op, tosajit_op_arity(op->op), op->operand_count,
                       {0},    op->type.element,         op->attributes};
    unsigned char *operands[TOSAJIT_MAX_OPERANDS];
    if (count == 0) return;
    for (int o = 0; o < op->operand_count; o++) {
        asked.operands[o] = t->p.nodes[op->operands[o]].type.element;
        const bool whole = o >= asked.arity && program_parameter(&t->p, node, o).count > 0;
        operands[o] = whole ? t->f->oracle[op->operands[o]] : t->f->gathered[o];
        if (!whole) gather(t, op->operands[o], space, operands[o]);
    }
    oracle_compute(&asked, operands, (size_t)count, t->f->oracle[node]);
}

static bool is_indexed(tosajit_op op) { return is_gather(op) || test_is_scatter(op); }

/* Gather or scatter; false if an index is an error. */
static bool compute_indexed(trial *t, int node) {
    const program_node *op = &t->p.nodes[node];
    index_question q = {.op = op->op, .attributes = &op->attributes};
    for (int o = 0; o <= op->operand_count; o++) {
        const int k = o < op->operand_count ? op->operands[o] : node;
        *(o < op->operand_count ? &q.operands[o] : &q.result) = (index_tensor){
            t->p.nodes[k].type.element, t->shapes[k].rank, t->shapes[k].dims, t->f->oracle[k]};
    }
    if (!is_gather(op->op)) q.updates = program_updates(&t->p, node, t->shapes);
    if (!index_reference_is_legal(&q)) return false;
    index_reference(&q);
    return true;
}

/* Every value whose numbers a result depends on. INDEX_OUT_OF_RANGE if an index is an error. */
static tosajit_status compute_oracle(trial *t) {
    for (int k = 0; k < t->p.count; k++) {
        if (!t->read[k]) continue;
        if (t->p.nodes[k].kind == PROGRAM_OP && is_indexed(t->p.nodes[k].op)) {
            if (!compute_indexed(t, k)) return TOSAJIT_INDEX_OUT_OF_RANGE;
        } else if (t->p.nodes[k].kind != PROGRAM_OP)
            copy_leaf(t, k, t->f->oracle[k]);
        else if (test_reduces(t->p.nodes[k].op) || test_is_position(t->p.nodes[k].op) ||
                 test_is_scan(t->p.nodes[k].op))
            compute_reduction(t, k);
        else
            compute_op(t, k);
    }
    return TOSAJIT_OK;
}

static void check_elements(trial *t, const test_engine *engine, int r, const guard_tensor *got,
                           const char *what) {
    int node = t->p.results[r];
    tosajit_type type = t->p.nodes[node].type.element;
    bool exact = program_moves(&t->p, node);
    int64_t index[TOSAJIT_MAX_RANK] = {0}, at = 0;
    if (got->size == 0) return;
    do {
        uint64_t is = test_bits(type, guard_at(got, index)),
                 should =
                     test_bits(type, t->f->oracle[node] + (size_t)at * tosajit_type_size(type));
        /* An operand that is a result, too, has any byte. */
        if (type == TOSAJIT_I1) should = should != 0;
        if (is != should && (exact || !test_same(type, is, should, 0))) {
            print_sources(t, r, index);
            char text[200];
            snprintf(text, sizeof text,
                     "%s: result %d element %" PRId64 " is 0x%" PRIx64 ", expected 0x%" PRIx64,
                     what, r, at, is, should);
            report(t, engine->name, text);
        }
        at++;
    } while (guard_next(got->tensor.rank, got->dims, index));
    t->f->counts.elements += (uint64_t)at;
}

/* Running. */

static void check_memory(trial *t, const test_engine *engine) {
    for (int k = 0; k < t->p.input_count; k++)
        if (!guard_intact(&t->f->inputs[k], false))
            report(t, engine->name, "an operand, or a byte beside it, was written");
    for (int r = 0; r < t->p.result_count; r++)
        if (!guard_intact(&t->f->results[r], t->expected == TOSAJIT_OK))
            report(t, engine->name,
                   t->expected ? "a failing call wrote a result"
                               : "a byte beside or between the results' elements was written");
}

static void check_result_dims(trial *t, size_t e, const tosajit_tensor *operands) {
    for (int r = 0; r < t->p.result_count; r++) {
        int64_t dims[TOSAJIT_MAX_RANK];
        int32_t rank = -1;
        tosajit_status status = tosajit_kernel_result_dims(
            t->kernels[e], operands, (size_t)t->p.input_count, (size_t)r, &rank, dims);
        if (t->expected) continue; /* another result may be the one that mismatches */
        expect_status(t, t->f->engines[e].name, "result_dims", status, TOSAJIT_OK);
        const program_shape *shape = &t->shapes[t->p.results[r]];
        if (rank != shape->rank || memcmp(dims, shape->dims, (size_t)rank * sizeof *dims) != 0)
            report(t, t->f->engines[e].name, "result_dims gives other sizes than the operands do");
    }
}

/* The ways to run a kernel: the first always, and one of the others in turn. */
typedef struct run_way {
    const char *name;
    tosajit_status (*run)(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                          size_t operand_count, const tosajit_tensor *results, size_t result_count);
} run_way;

enum { WAYS = 3 };
static const run_way ways[WAYS] = {
    {"run", tosajit_run}, {"run bound", test_run_bound}, {"run in parallel", divide_run}};

/* So that the next run must write them. */
static void forget_elements(guard_tensor *result) {
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    if (result->size == 0) return;
    do memset(guard_at(result, index), 0x5b, tosajit_type_size(result->tensor.element));
    while (guard_next(result->tensor.rank, result->dims, index));
}

static void call(trial *t, size_t e) {
    fixture *f = t->f;
    tosajit_tensor operands[PROGRAM_MAX_INPUTS], results[PROGRAM_MAX_RESULTS];
    for (int k = 0; k < t->p.input_count; k++) operands[k] = f->inputs[k].tensor;
    for (int r = 0; r < t->p.result_count; r++) results[r] = f->results[r].tensor;
    check_result_dims(t, e, operands);
    for (int w = 0; w < 2; w++) {
        const run_way *way = w == 0 ? ways : &ways[1 + (t->seed + (uint64_t)t->run) % (WAYS - 1)];
        for (int r = 0; r < t->p.result_count && w > 0 && !t->expected; r++)
            forget_elements(&f->results[r]);
        announce(t, f->engines[e].name, way->name);
        tosajit_status status = way->run(t->kernels[e], operands, (size_t)t->p.input_count, results,
                                         (size_t)t->p.result_count);
        expect_status(t, f->engines[e].name, way->name, status, t->expected);
        check_memory(t, &f->engines[e]);
        for (int r = 0; r < t->p.result_count && !t->expected; r++)
            check_elements(t, &f->engines[e], r, &f->results[r], way->name);
    }
    f->counts.runs++;
}

/* True if operand k can be result r's own memory. */
static bool fits_in_place(const trial *t, int k, int r) {
    const guard_tensor *in = &t->f->inputs[k], *out = &t->f->results[r];
    if (tosajit_type_size(in->tensor.element) != tosajit_type_size(out->tensor.element) ||
        in->tensor.rank != out->tensor.rank)
        return false;
    for (int32_t d = 0; d < in->tensor.rank; d++)
        if (in->dims[d] != out->dims[d]) return false;
    return in->size > 0;
}

/* Result r computed into a copy of operand k, laid out like the result, as far from an edge. */
static void call_in_place(trial *t, size_t e, int k, int r) {
    fixture *f = t->f;
    const guard_tensor *in = &f->inputs[k], *out = &f->results[r];
    const size_t before = (size_t)(out->memory - out->room),
                 behind = out->room_size - before - out->size;
    const guard_edge edge = before < behind ? GUARD_AT_START : GUARD_AT_END;
    if (!guard_place(&f->shared, in->tensor.element, in->tensor.rank, in->dims, out->tensor.strides,
                     edge))
        return;
    guard_move(&f->shared, before < behind ? before : behind);
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    do
        memcpy(guard_at(&f->shared, index), guard_at(in, index),
               tosajit_type_size(in->tensor.element));
    while (guard_next(in->tensor.rank, in->dims, index));
    guard_remember(&f->shared);

    tosajit_tensor operands[PROGRAM_MAX_INPUTS], results[PROGRAM_MAX_RESULTS];
    for (int i = 0; i < t->p.input_count; i++)
        operands[i] = i == k ? f->shared.tensor : f->inputs[i].tensor;
    for (int i = 0; i < t->p.result_count; i++) results[i] = f->results[i].tensor;
    results[r] = f->shared.tensor;
    results[r].element = out->tensor.element;
    announce(t, f->engines[e].name, "run in place");
    tosajit_status status = ways[t->seed % WAYS].run(
        t->kernels[e], operands, (size_t)t->p.input_count, results, (size_t)t->p.result_count);
    bool table = program_is_table(&t->p, t->p.inputs[k]);
    if (status == TOSAJIT_OVERLAP &&
        (table || has_live(t, test_is_scatter) || tosajit_kernel_part_count(t->kernels[e]) > 1)) {
        if (!guard_intact(&f->shared, false))
            report(t, f->engines[e].name, "a call refused for overlap wrote");
        return;
    }
    expect_status(t, f->engines[e].name, "run in place", status,
                  table ? TOSAJIT_OVERLAP : TOSAJIT_OK);
    if (!guard_intact(&f->shared, true))
        report(t, f->engines[e].name,
               "in place: a byte beside or between the elements was written");
    check_elements(t, &f->engines[e], r, &f->shared, "in place");
    for (int i = 0; i < t->p.result_count; i++)
        if (i != r) check_elements(t, &f->engines[e], i, &f->results[i], "in place");
    f->counts.in_place++;
}

/* Memory that is shared in another way than exactly in place. */

static bool shares_a_byte(const guard_tensor *operand, const tosajit_tensor *result,
                          unsigned char *marks) {
    size_t size = tosajit_type_size(operand->tensor.element);
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    bool shared = false;
    memset(marks, 0, operand->size);
    do memset(marks + (guard_at(operand, index) - operand->memory), 1, size);
    while (guard_next(operand->tensor.rank, operand->dims, index));
    do {
        ptrdiff_t offset = (unsigned char *)result->data - operand->memory;
        for (int32_t d = 0; d < result->rank; d++) offset += index[d] * result->strides[d];
        for (size_t byte = 0; byte < size; byte++, offset++)
            shared |= offset >= 0 && offset < (ptrdiff_t)operand->size && marks[offset];
    } while (guard_next(result->rank, result->dims, index));
    return shared;
}

/* Result r over operand k, but shifted in memory or with other strides: must be refused, and
 * nothing written. */
static void call_overlapping(trial *t, size_t e, int k, int r) {
    fixture *f = t->f;
    guard_tensor *in = &f->inputs[k];
    int64_t strides[TOSAJIT_MAX_RANK];
    tosajit_tensor operands[PROGRAM_MAX_INPUTS], results[PROGRAM_MAX_RESULTS];
    for (int i = 0; i < t->p.input_count; i++) operands[i] = f->inputs[i].tensor;
    for (int i = 0; i < t->p.result_count; i++) results[i] = f->results[i].tensor;
    memcpy(strides, in->strides, sizeof strides);
    results[r].strides = strides;
    results[r].data = in->tensor.data;
    int32_t d =
        in->tensor.rank > 0 ? (int32_t)test_random_range(&t->random, 0, in->tensor.rank - 1) : 0;
    bool stretches = in->tensor.rank > 0 && in->dims[d] > 1 && strides[d] != 0;
    if (stretches && test_random_chance(&t->random, 35)) {
        results[r].data = (unsigned char *)results[r].data + strides[d] * (in->dims[d] - 1);
        strides[d] = -strides[d];
    } else if (stretches && test_random_chance(&t->random, 50)) {
        strides[d] *= 2; /* only the first element stays in place */
    } else {
        int64_t reach = in->size < 64 ? (int64_t)in->size : 64,
                shift = test_random_range(&t->random, 1 - reach, reach - 1);
        if (shift == 0) return;
        results[r].data = (unsigned char *)results[r].data + shift;
    }
    if (!shares_a_byte(in, &results[r], f->gathered[0])) return;
    for (int i = 0; i < t->p.result_count; i++) guard_remember(&f->results[i]);
    announce(t, f->engines[e].name, "run on overlapping memory");
    tosajit_status status = ways[t->seed % WAYS].run(
        t->kernels[e], operands, (size_t)t->p.input_count, results, (size_t)t->p.result_count);
    expect_status(t, f->engines[e].name, "run on overlapping memory", status, TOSAJIT_OVERLAP);
    if (!guard_intact(in, false))
        report(t, f->engines[e].name, "a call refused for overlap wrote its operand");
    for (int i = 0; i < t->p.result_count; i++)
        if (!guard_intact(&f->results[i], false))
            report(t, f->engines[e].name, "a call refused for overlap wrote a result");
    f->counts.overlapping++;
}

static bool run_calls(trial *t) {
    if (!values_fit(t) || !place_inputs(t) || !place_results(t)) {
        print_message("TOSAJIT_SEED=%" PRIu64 ": the tensors are larger than the test's memory\n",
                      t->seed);
        t->f->counts.oversized++;
        return false;
    }
    if (test_setting("TOSAJIT_PRINT", 0)) print_shapes(t);
    if (!t->expected) t->expected = compute_oracle(t);
    t->f->counts.wrong_indices += t->expected == TOSAJIT_INDEX_OUT_OF_RANGE;
    for (size_t e = 0; e < t->f->engine_count; e++) call(t, e);
    if (t->expected || !test_random_chance(&t->random, 40)) return true;
    int r = (int)test_random_range(&t->random, 0, t->p.result_count - 1);
    for (int k = 0; k < t->p.input_count; k++) {
        if (!fits_in_place(t, k, r)) continue;
        for (size_t e = 0; e < t->f->engine_count; e++) call_in_place(t, e, k, r);
        if (t->read[t->p.inputs[k]]) call_overlapping(t, (size_t)t->run % t->f->engine_count, k, r);
        break;
    }
    return true;
}

/* One op per kernel, with the values in between in memory. */

static void run_one_op(trial *t, size_t e, int node) {
    const program_node *n = &t->p.nodes[node];
    tosajit_tensor_type types[TOSAJIT_MAX_OPERANDS],
        result_type = {n->type.element, TOSAJIT_UNRANKED, {0}};
    tosajit_tensor operands[TOSAJIT_MAX_OPERANDS];
    size_t count = (size_t)n->operand_count;
    for (size_t o = 0; o < count; o++) {
        int from = n->operands[o];
        const program_shape *shape = &t->shapes[from];
        types[o] = (tosajit_tensor_type){t->p.nodes[from].type.element, shape->rank, {0}};
        for (int32_t d = 0; d < shape->rank; d++) types[o].dims[d] = TOSAJIT_DYNAMIC;
        operands[o] = tosajit_dense(types[o].element, t->f->values[from], shape->rank, shape->dims);
    }
    tosajit_tensor result = tosajit_dense(n->type.element, t->f->values[node], t->shapes[node].rank,
                                          t->shapes[node].dims);
    tosajit_kernel *kernel = NULL;
    const char *name = t->f->engines[e].name;
    expect_status(t, name, "compile one op",
                  tosajit_compile(t->f->engines[e].engine, n->op, types, count, &n->attributes,
                                  &result_type, &kernel),
                  TOSAJIT_OK);
    expect_status(t, name, "run one op", tosajit_run(kernel, operands, count, &result, 1),
                  TOSAJIT_OK);
    tosajit_kernel_release(kernel);
}

/* The fused kernel's results, which are in memory, against the same computed op by op. */
static void compare_stepwise(trial *t, size_t e) {
    for (int k = 0; k < t->p.count; k++) {
        if (!t->read[k]) continue;
        if (t->p.nodes[k].kind == PROGRAM_OP)
            run_one_op(t, e, k);
        else
            copy_leaf(t, k, t->f->values[k]);
    }
    tosajit_tensor operands[PROGRAM_MAX_INPUTS], results[PROGRAM_MAX_RESULTS];
    for (int k = 0; k < t->p.input_count; k++) operands[k] = t->f->inputs[k].tensor;
    for (int r = 0; r < t->p.result_count; r++) results[r] = t->f->results[r].tensor;
    tosajit_run(t->kernels[e], operands, (size_t)t->p.input_count, results,
                (size_t)t->p.result_count);
    for (int r = 0; r < t->p.result_count; r++) {
        int node = t->p.results[r];
        tosajit_type type = t->p.nodes[node].type.element;
        int64_t index[TOSAJIT_MAX_RANK] = {0}, at = 0;
        if (t->p.nodes[node].kind != PROGRAM_OP || t->f->results[r].size == 0) continue;
        do {
            uint64_t fused = test_bits(type, guard_at(&t->f->results[r], index));
            uint64_t single =
                test_bits(type, t->f->values[node] + (size_t)at * tosajit_type_size(type));
            if (!test_same(type, fused, single, 0)) {
                print_sources(t, r, index);
                char text[200];
                snprintf(text, sizeof text,
                         "result %d element %" PRId64 " is 0x%" PRIx64 " fused, but 0x%" PRIx64
                         " op by op",
                         r, at, fused, single);
                report(t, t->f->engines[e].name, text);
            }
            at++;
        } while (guard_next(t->shapes[node].rank, t->shapes[node].dims, index));
    }
    t->f->counts.stepwise++;
}

static void first_shapes(trial *t) {
    for (int k = 0; k < t->p.input_count; k++) {
        const program_node *node = &t->p.nodes[t->p.inputs[k]];
        t->input_shapes[k].rank = node->type.rank;
        memcpy(t->input_shapes[k].dims, node->first_dims, sizeof node->first_dims);
    }
}

static void mark_live(trial *t) {
    bool reached[PROGRAM_MAX_NODES];
    for (int r = 0; r < t->p.result_count; r++) {
        program_reach(&t->p, t->p.results[r], reached);
        for (int k = 0; k < t->p.count; k++) t->live[k] |= reached[k];
        program_reach_numbers(&t->p, t->p.results[r], reached);
        for (int k = 0; k < t->p.count; k++) t->read[k] |= reached[k];
    }
}

/* The same with every dynamic size made static to what this call has: other plans, loops and tails,
 * the same elements. */
static void compare_static(trial *t, size_t e) {
    program fixed = t->p; /* borrows the constants */
    for (int k = 0; k < fixed.count; k++)
        if (!t->live[k] && fixed.nodes[k].kind == PROGRAM_OP) return; /* whose sizes need not fit */
    for (int k = 0; k < fixed.count; k++)
        fixed.nodes[k].declared &=
            fixed.nodes[k].op == TOSAJIT_OP_cast || fixed.nodes[k].op == TOSAJIT_OP_rescale;
    for (int k = 0; k < fixed.count; k++)
        if (fixed.nodes[k].declared) fixed.nodes[k].type.rank = TOSAJIT_UNRANKED;
    for (int k = 0; k < fixed.input_count; k++)
        for (int32_t d = 0; d < t->input_shapes[k].rank; d++) {
            if (t->input_shapes[k].dims[d] < 1) return; /* no static size */
            fixed.nodes[fixed.inputs[k]].type.dims[d] = t->input_shapes[k].dims[d];
        }
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    const test_engine *engine = &t->f->engines[e];
    announce(t, engine->name, "static sizes");
    expect_status(t, "-", "program_build with static sizes", program_build(&fixed, &expr),
                  TOSAJIT_OK);
    expect_status(t, engine->name, "compile_expr with static sizes",
                  tosajit_compile_expr(engine->engine, expr, &kernel), TOSAJIT_OK);
    tosajit_expr_destroy(expr);
    if (t->f->prepare) t->f->prepare(kernel);
    tosajit_tensor operands[PROGRAM_MAX_INPUTS], results[PROGRAM_MAX_RESULTS];
    for (int k = 0; k < t->p.input_count; k++) operands[k] = t->f->inputs[k].tensor;
    for (int r = 0; r < t->p.result_count; r++) results[r] = t->f->results[r].tensor;
    expect_status(
        t, engine->name, "run with static sizes",
        tosajit_run(kernel, operands, (size_t)t->p.input_count, results, (size_t)t->p.result_count),
        TOSAJIT_OK);
    check_memory(t, engine);
    for (int r = 0; r < t->p.result_count; r++)
        check_elements(t, engine, r, &t->f->results[r], "run with static sizes");
    tosajit_kernel_release(kernel);
    t->f->counts.fixed++;
}

void differential_case(fixture *f, uint64_t seed, test_random random) {
    trial t = {.f = f, .seed = seed, .random = random};
    bool single = test_random_chance(&t.random, 60);
    if (!program_random(&t.random, single ? 1 : (int)test_random_range(&t.random, 2, 14), &t.p))
        fail_msg("out of memory");
    mark_live(&t);
    if (test_setting("TOSAJIT_PRINT", 0)) program_print(&t.p, stderr);
    compile(&t);
    for (t.run = 0; t.run < RUNS; t.run++) {
        if (t.run == 0)
            first_shapes(&t);
        else
            program_random_dims(&t.p, &t.random, t.input_shapes);
        t.expected =
            program_shapes(&t.p, t.input_shapes, t.shapes) ? TOSAJIT_OK : TOSAJIT_SHAPE_MISMATCH;
        if (t.run == 0 && t.expected)
            report(&t, "test", "the sizes that the program was made for do not fit it");
        f->counts.mismatches += t.expected != TOSAJIT_OK;
        const bool ran = run_calls(&t);
        if (t.run == 0) await_code(&t);
        if (!ran) continue;
        bool stepwise = !single && t.run == 0 && !t.expected && test_random_chance(&t.random, 30);
        for (size_t e = 0; stepwise && e < f->engine_count; e++)
            if (e == 0 || e == 1 + seed % (f->engine_count - 1)) compare_stepwise(&t, e);
        if (!t.expected && test_random_chance(&t.random, 10))
            compare_static(&t, (seed + (uint64_t)t.run) % f->engine_count);
    }
    release(&t);
    f->counts.cases++;
}

void differential_announce_crashes(void) {
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
}

void differential_prepare(fixture *f, void (*prepare)(tosajit_kernel *kernel)) {
    f->prepare = prepare;
}

void differential_choose(fixture *f, size_t level) {
    f->chosen[1] = 1 + level % (f->opened_count - 1);
    f->engine_count = 2;
}

const differential_counts *differential_count(const fixture *f) { return &f->counts; }

/* Memory for the test. */

fixture *differential_open(void) {
    fixture *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->engine_count = f->opened_count = test_engines_open(f->opened, TOSAJIT_EXACT);
    for (size_t e = 0; e < f->engine_count; e++) f->chosen[e] = e;
    f->forms = forms_open();
    bool ok = f->engine_count > 1 && f->forms && guard_create(&f->shared, CAPACITY);
    for (int k = 0; ok && k < PROGRAM_MAX_INPUTS; k++) ok = guard_create(&f->inputs[k], CAPACITY);
    for (int k = 0; ok && k < PROGRAM_MAX_RESULTS; k++) ok = guard_create(&f->results[k], CAPACITY);
    for (int k = 0; ok && k < TOSAJIT_MAX_OPERANDS; k++) ok = (f->gathered[k] = malloc(CAPACITY));
    for (int k = 0; ok && k < PROGRAM_MAX_NODES; k++)
        ok = (f->oracle[k] = malloc(CAPACITY)) && (f->values[k] = malloc(CAPACITY));
    if (ok) return f;
    differential_close(f);
    return NULL;
}

void differential_close(fixture *f) {
    forms_close(f->forms);
    test_engines_close(f->opened, f->opened_count);
    guard_destroy(&f->shared);
    for (int k = 0; k < PROGRAM_MAX_INPUTS; k++) guard_destroy(&f->inputs[k]);
    for (int k = 0; k < PROGRAM_MAX_RESULTS; k++) guard_destroy(&f->results[k]);
    for (int k = 0; k < TOSAJIT_MAX_OPERANDS; k++) free(f->gathered[k]);
    for (int k = 0; k < PROGRAM_MAX_NODES; k++) {
        free(f->oracle[k]);
        free(f->values[k]);
    }
    free(f);
}
