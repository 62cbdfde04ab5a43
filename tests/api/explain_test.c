/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explanations: they are what a run does. Sizes that a run refuses are refused, threads are given
 * as many pieces as was said, and the facts of known calls are the known ones. No tensor has memory
 * here but where a run is made. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/random_program.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

enum { ANY = TOSAJIT_DYNAMIC };

/* A host's pool that counts. */
typedef struct pool {
    size_t pieces;
} pool;

static void count_pieces(void *context, size_t count, void (*task)(void *argument, size_t index),
                         void *argument) {
    ((pool *)context)->pieces += count;
    for (size_t k = 0; k < count; k++) task(argument, k);
}

static tosajit_engine *make_engine(pool *p, tosajit_backend backend) {
    const tosajit_parallel parallel = {count_pieces, p, 4};
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = backend, .parallel = p ? &parallel : NULL};
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    return engine;
}

static tosajit_kernel *make_add(tosajit_engine *engine, const int64_t *a, const int64_t *b) {
    const tosajit_tensor_type types[2] = {tosajit_ranked(TOSAJIT_F32, 2, a),
                                          tosajit_ranked(TOSAJIT_F32, 2, b)};
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                     TOSAJIT_OK);
    return kernel;
}

typedef struct call_case {
    const char *what;
    int64_t a[2], b[2];
    const int64_t *a_strides;
    int cached;
    int32_t rank;
    int64_t sizes[2], columns;
    uint64_t splat, packed;
    double bytes;
} call_case;

static const int64_t transposed[] = {4, 4000}, interleaved[] = {8000, 8};

static const call_case calls[] = {
    {"equal", {1000, 1000}, {1000, 1000}, NULL, 1, 1, {1000000}, 1000000, 0, 0, 12e6},
    {"a row", {1000, 1000}, {1, 1000}, NULL, 1, 2, {1000, 1000}, 1000, 0, 0, 8.004e6},
    {"a column", {1000, 1000}, {1000, 1}, NULL, 1, 2, {1000, 1000}, 1000, 2, 0, 8.004e6},
    {"one value", {1000, 1000}, {1, 1}, NULL, 1, 1, {1000000}, 1000000, 2, 0, 8.000004e6},
    {"a transpose", {1000, 1000}, {1, 1000}, transposed, 1, 2, {1000, 1000}, 1000, 0, 1, 8.004e6},
    {"every other", {1000, 1000}, {1, 1000}, interleaved, 1, 2, {1000, 1000}, 1000, 0, 1, 8.004e6},
};

static void known_calls_are_explained(void **state) {
    tosajit_engine *engine = make_engine(NULL, TOSAJIT_BACKEND_AUTO);
    tosajit_kernel *kernel = make_add(engine, (int64_t[]){ANY, ANY}, (int64_t[]){ANY, ANY});
    for (size_t k = 0; k < sizeof calls / sizeof *calls && tosajit_kernel_is_native(kernel); k++) {
        const call_case *c = &calls[k];
        tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, NULL, 2, c->a),
                                      tosajit_dense(TOSAJIT_F32, NULL, 2, c->b)};
        operands[0].strides = c->a_strides;
        tosajit_explanation e = {.size = sizeof e};
        char *text = NULL;
        print_message("%s\n", c->what);
        assert_int_equal(tosajit_explain(kernel, operands, 2, NULL, 0, &e, &text), TOSAJIT_OK);
        assert_true(e.native && e.cached == c->cached);
        assert_int_equal(e.rank, c->rank);
        for (int32_t d = 0; d < c->rank; d++) assert_int_equal(e.sizes[d], c->sizes[d]);
        assert_int_equal(e.splat, c->splat);
        assert_int_equal(e.packed, c->packed);
        if (!c->packed) assert_int_equal(e.columns, c->columns);
        assert_true(e.bytes == c->bytes && e.elements == 1e6 && e.nanoseconds > 0);
        assert_int_equal(e.threads, 1);
        tosajit_raw raw = {.size = sizeof raw};
        assert_int_equal(tosajit_kernel_raw(kernel, 0, &raw), TOSAJIT_OK);
        assert_true(e.variant >= 0 && e.variant < raw.variant_count &&
                    raw.variants[e.variant].splat == c->splat);
        assert_non_null(strstr(text, c->cached ? "a cached call" : "an operand runs backwards"));
        tosajit_text_release(text);
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void pieces_are_those_of_the_run(void **state) {
    static const int64_t sizes[][2] = {{3, 5}, {64, 64}, {1000, 1000}, {7, 200000}, {300000, 3}};
    pool p = {0};
    tosajit_engine *engine = make_engine(&p, TOSAJIT_BACKEND_AUTO);
    tosajit_kernel *kernel = make_add(engine, (int64_t[]){ANY, ANY}, (int64_t[]){1, ANY});
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && tosajit_kernel_is_native(kernel); k++) {
        const int64_t row[2] = {1, sizes[k][1]};
        size_t count = (size_t)(sizes[k][0] * sizes[k][1]);
        float *a = calloc(count, sizeof *a), *b = calloc((size_t)row[1], sizeof *b),
              *r = calloc(count, sizeof *r);
        assert_true(a && b && r);
        const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 2, sizes[k]),
                                            tosajit_dense(TOSAJIT_F32, b, 2, row)};
        const tosajit_tensor result = tosajit_dense(TOSAJIT_F32, r, 2, sizes[k]);
        tosajit_explanation e = {.size = sizeof e};
        assert_int_equal(tosajit_explain(kernel, operands, 2, &result, 1, &e, NULL), TOSAJIT_OK);
        assert_int_equal(p.pieces, 0); /* no thread was asked */
        assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_OK);
        assert_int_equal(e.pieces, p.pieces ? p.pieces : 1);
        assert_true(e.threads <= 4 && e.threads <= e.pieces && (e.pieces == 1) == (e.threads == 1));
        p.pieces = 0;
        free(a);
        free(b);
        free(r);
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Kernels with reductions: threads share blocks, of which all parts tell alike, or each part's
 * pieces of the one block that there is: of a long row its segments. */
static const struct staged_case {
    const char *text;
    int64_t dims[2], made[2];
    size_t alike; /* parts of which one loop over threads is told */
    bool divided;
} staged_cases[] = {
    {"sum(exp(x), axis=1) : x: f32[?,?]", {1, 1 << 20}, {1, 1}, 1, true},
    {"sum(exp(x), axis=1) : x: f32[?,?]", {1, 100}, {1, 1}, 1, false},
    {"sum(exp(x), axis=1) : x: f32[?,?]", {3000, 1000}, {3000, 1}, 1, true},
    {"max(x, axis=1) : x: f32[1,1048576]", {1, 1 << 20}, {1, 1}, 1, true},
    {"softmax(x) : x: f32[?,?]", {1, 1 << 20}, {1, 1 << 20}, 1, true},
    {"softmax(x) : x: f32[?,?]", {1, 100}, {1, 100}, 1, false},
    {"softmax(x) : x: f32[?,?]", {1000, 2000}, {1000, 2000}, 3, true},
    {"softmax(x, axis=0) : x: f32[?,?]", {300, 4000}, {300, 4000}, 4, true},
};

/* The words of the text about parts: how many pieces threads share, altogether. */
static size_t pieces_told(const char *text) {
    static const char words[] = "threads: 4 of 4, which share ";
    size_t pieces = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at += strlen(words))
        pieces += strtoul(at + strlen(words), NULL, 10);
    return pieces;
}

static void threads_that_share_rows_are_explained(void **state) {
    pool p = {0};
    tosajit_engine *engine = make_engine(&p, TOSAJIT_BACKEND_AUTO);
    for (size_t k = 0; k < sizeof staged_cases / sizeof *staged_cases; k++) {
        const struct staged_case *c = &staged_cases[k];
        tosajit_explanation e = {.size = sizeof e};
        tosajit_expr *expr;
        tosajit_kernel *kernel;
        char *text;
        print_message("%s of %dx%d\n", c->text, (int)c->dims[0], (int)c->dims[1]);
        assert_int_equal(tosajit_expr_parse(c->text, strlen(c->text), NULL, &expr), TOSAJIT_OK);
        assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
        assert_int_equal(tosajit_kernel_wait(kernel), TOSAJIT_OK);
        if (tosajit_kernel_is_native(kernel)) {
            float *x = calloc((size_t)(c->dims[0] * c->dims[1]), sizeof *x),
                  *y = calloc((size_t)(c->made[0] * c->made[1]), sizeof *y);
            assert_true(x && y);
            const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, x, 2, c->dims),
                                 result = tosajit_dense(TOSAJIT_F32, y, 2, c->made);
            assert_int_equal(tosajit_explain(kernel, &operand, 1, &result, 1, &e, &text),
                             TOSAJIT_OK);
            assert_int_equal(p.pieces, 0);
            assert_int_equal(tosajit_run(kernel, &operand, 1, &result, 1), TOSAJIT_OK);
            assert_int_equal(p.pieces > 0, c->divided);
            assert_int_equal(pieces_told(text), p.pieces * c->alike);
            assert_int_equal(e.threads, c->divided ? 4 : 1);
            assert_true(c->divided ? e.pieces >= 4 && e.pieces <= p.pieces : e.pieces == 1);
            tosajit_text_release(text);
            free(x), free(y);
            p.pieces = 0;
        }
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
    }
    tosajit_engine_destroy(engine);
}

/* Threads that a run of 10^8 elements uses, as an engine of so many says. */
static void explain_threads(size_t threads, tosajit_explanation *e) {
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .threads = threads};
    const int64_t dims[2] = {10000, 10000};
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, NULL, 2, dims),
                                        tosajit_dense(TOSAJIT_F32, NULL, 2, dims)};
    tosajit_engine *engine;
    *e = (tosajit_explanation){.size = sizeof *e};
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    tosajit_kernel *kernel = make_add(engine, (int64_t[]){ANY, ANY}, (int64_t[]){ANY, ANY});
    assert_int_equal(tosajit_explain(kernel, operands, 2, NULL, 0, e, NULL), TOSAJIT_OK);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Threads beyond the processors are never started, so no explanation may count on them. */
static void threads_are_at_most_the_processors(void **state) {
    static const size_t asked[] = {0, 1, 2, 3, 64, SIZE_MAX};
    enum { MOST = 8 }; /* so many have work in 10^8 elements, whatever the machine */
    cpu_set_t allowed, some;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    CPU_ZERO(&some);
    for (size_t k = 0; k < CPU_SETSIZE && CPU_COUNT(&some) < MOST; k++) {
        if (!CPU_ISSET(k, &allowed)) continue;
        CPU_SET(k, &some);
        const size_t processors = (size_t)CPU_COUNT(&some);
        if (sched_setaffinity(0, sizeof some, &some) != 0) break; /* some emulators */
        for (size_t a = 0; a < sizeof asked / sizeof *asked; a++) {
            const size_t wanted = asked[a] < processors ? asked[a] : processors;
            tosajit_explanation e;
            explain_threads(asked[a], &e);
            assert_int_equal(e.threads, wanted ? wanted : 1);
            assert_true(e.threads == 1 ? e.pieces == 1 : e.pieces >= e.threads);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

/* How rows end, and with it what instructions the code has. */
typedef struct tail_case {
    const char *cpu;
    tosajit_op op;
    int64_t declared, size;
    int32_t lanes;
    tosajit_tail tail;
    int64_t tail_columns;
    const char *instruction; /* of a masked tail */
} tail_case;

static const tail_case tails[] = {
    {"x86-64-v4", TOSAJIT_OP_exp, ANY, 1000, 16, TOSAJIT_TAIL_MASKED, 8, "{%k"},
    {"x86-64-v4", TOSAJIT_OP_floor, ANY, 1024, 16, TOSAJIT_TAIL_OVERLAP, 0, "{%k"},
    {"x86-64-v4", TOSAJIT_OP_floor, ANY, 9, 16, TOSAJIT_TAIL_MASKED, 9, "{%k"},
    {"x86-64-v4", TOSAJIT_OP_floor, 1024, 1024, 16, TOSAJIT_TAIL_NONE, 0, NULL},
    {"x86-64-v3", TOSAJIT_OP_exp, ANY, 1003, 8, TOSAJIT_TAIL_MASKED, 3, "vmaskmov"},
    {"x86-64-v3", TOSAJIT_OP_floor, ANY, 1003, 8, TOSAJIT_TAIL_OVERLAP, 3, NULL},
    {"x86-64-v2", TOSAJIT_OP_exp, ANY, 1003, 4, TOSAJIT_TAIL_OVERLAP, 3, NULL},
    {"x86-64-v2", TOSAJIT_OP_exp, 1024, 1024, 4, TOSAJIT_TAIL_NONE, 0, NULL},
    {"aarch64", TOSAJIT_OP_exp, ANY, 1003, 4, TOSAJIT_TAIL_OVERLAP, 3, NULL},
};

static void tails_are_those_of_the_code(void **state) {
    size_t explained = 0;
    for (size_t k = 0; k < sizeof tails / sizeof *tails; k++) {
        const tail_case *c = &tails[k];
        const tosajit_engine_options options = {
            .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .cpu = c->cpu};
        const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, &c->declared);
        const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, NULL, 1, &c->size);
        tosajit_explanation e = {.size = sizeof e};
        tosajit_engine *engine;
        tosajit_kernel *kernel;
        tosajit_expr *expr;
        tosajit_value value;
        char *text;
        if (test_is_lowered(c->cpu) || tosajit_engine_create(&options, &engine)) {
            print_message("*** NOT TESTED: code for %s: not a CPU that this machine is\n", c->cpu);
            continue;
        }
        assert_int_equal(tosajit_compile(engine, c->op, &type, 1, NULL, NULL, &kernel), TOSAJIT_OK);
        assert_int_equal(tosajit_explain(kernel, &operand, 1, NULL, 0, &e, &text), TOSAJIT_OK);
        print_message("%s, %s of %d\n", c->cpu, tosajit_op_name(c->op), (int)c->size);
        assert_int_equal(e.lanes, c->lanes);
        assert_int_equal(e.tail, c->tail);
        assert_int_equal(e.tail_columns, c->tail_columns);
        assert_non_null(strstr(
            text, (const char *[]){"tail: none", "tail: masked", "tail: overlaps"}[c->tail]));
        tosajit_text_release(text);
        assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_input(expr, &type, &value), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_op(expr, c->op, &value, 1, NULL, NULL, &value), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
        assert_int_equal(tosajit_print(engine, expr, TOSAJIT_VIEW_ASM, &text), TOSAJIT_OK);
        if (c->instruction) assert_non_null(strstr(text, c->instruction));
        if (!c->instruction)
            assert_true(!strstr(text, "vmaskmov") &&
                        (c->op == TOSAJIT_OP_exp || !strstr(text, "{%k")));
        tosajit_text_release(text);
        tosajit_expr_destroy(expr);
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
        explained++;
    }
    assert_true(explained > 0);
}

static void interpreted_kernels_are_explained(void **state) {
    tosajit_engine *engine = make_engine(NULL, TOSAJIT_BACKEND_INTERPRET);
    tosajit_kernel *kernel = make_add(engine, (int64_t[]){ANY, 4}, (int64_t[]){1, 4});
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){5, 4}),
                                        tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){1, 4})};
    tosajit_explanation e = {.size = sizeof e};
    char *text;
    assert_int_equal(tosajit_explain(kernel, operands, 2, NULL, 0, &e, &text), TOSAJIT_OK);
    assert_true(!e.native && e.elements == 20);
    assert_non_null(strstr(text, "the interpreter"));
    tosajit_text_release(text);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Memory of the stack that calls below it find filled. */
static void fill_stack(void) {
    volatile unsigned char bytes[256 << 10];
    for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = 0x7f;
}

/* A phase that reduces leaves its result to the next one, which reads all of it. */
static void phases_are_explained(void **state) {
    static const char text[] = "t0 = scatter_add(x * w + x, i, y * v, index_mode=signed)\n"
                               "t1 = x - max(x, axis=0)\n"
                               "t2 = scatter(t0 * w + t1, i, v, index_mode=signed)\n"
                               "t3 = scatter_add(t1, i, y - y, index_mode=signed)\n";
    tosajit_engine *engine = make_engine(NULL, TOSAJIT_BACKEND_AUTO);
    tosajit_expr *expr =
        test_parse("x: f32[50,2]; y: f32[9,2]; w: f32[1,2]; v: f32[9,1]; i: i32[9,1]\n", text);
    tosajit_kernel *kernel = test_compile(engine, expr);
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){50, 2}),
                                       tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){9, 2}),
                                       tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){1, 2}),
                                       tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){9, 1}),
                                       tosajit_dense(TOSAJIT_I32, NULL, 2, (int64_t[]){9, 1})};
    tosajit_explanation e = {.size = sizeof e};
    fill_stack();
    assert_int_equal(tosajit_explain(kernel, operands, 5, NULL, 0, &e, NULL), TOSAJIT_OK);
    assert_true(e.threads == 1 && e.elements > 200);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

static void misuse_is_refused(void **state) {
    tosajit_engine *engine = make_engine(NULL, TOSAJIT_BACKEND_AUTO);
    tosajit_kernel *kernel = make_add(engine, (int64_t[]){ANY, 4}, (int64_t[]){1, 4});
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){5, 4}),
                                  tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){1, 4})};
    const tosajit_tensor result = tosajit_dense(TOSAJIT_F32, NULL, 2, (int64_t[]){6, 4});
    tosajit_explanation e = {0};
    char *text = NULL;
    assert_int_equal(tosajit_explain(NULL, operands, 2, NULL, 0, NULL, &text),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_explain(kernel, NULL, 2, NULL, 0, NULL, &text),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_explain(kernel, operands, 1, NULL, 0, NULL, &text),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_explain(kernel, operands, 2, &result, 2, NULL, &text),
                     TOSAJIT_INVALID_ARGUMENT);
    /* No size. */
    assert_int_equal(tosajit_explain(kernel, operands, 2, NULL, 0, &e, &text),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_explain(kernel, operands, 2, &result, 1, NULL, &text),
                     TOSAJIT_SHAPE_MISMATCH);
    operands[0].dims = (int64_t[]){INT64_C(1) << 60, 4};
    assert_int_equal(tosajit_explain(kernel, operands, 2, NULL, 0, NULL, &text), TOSAJIT_OVERFLOW);
    operands[0].dims = (int64_t[]){-1, 4};
    assert_int_equal(tosajit_explain(kernel, operands, 2, NULL, 0, NULL, &text),
                     TOSAJIT_SHAPE_MISMATCH);
    operands[0].dims = NULL;
    assert_int_equal(tosajit_explain(kernel, operands, 2, NULL, 0, NULL, &text),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_null(text);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void random_programs_are_explained(void **state) {
    enum { CASES = 120 };
    tosajit_engine *engine = make_engine(NULL, TOSAJIT_BACKEND_AUTO);
    int explained = 0, refused = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        test_random random = test_random_start(seed);
        program p;
        tosajit_expr *expr = NULL;
        tosajit_kernel *kernel = NULL;
        assert_true(program_random(&random, 1 + (int)(seed % 5), &p));
        if (program_build(&p, &expr) == TOSAJIT_OK &&
            tosajit_compile_expr(engine, expr, &kernel) == TOSAJIT_OK) {
            program_shape inputs[PROGRAM_MAX_INPUTS], shapes[PROGRAM_MAX_NODES];
            tosajit_tensor operands[PROGRAM_MAX_INPUTS];
            program_random_dims(&p, &random, inputs);
            for (int k = 0; k < p.input_count; k++)
                operands[k] = tosajit_dense(p.nodes[p.inputs[k]].type.element, NULL, inputs[k].rank,
                                            inputs[k].dims);
            bool fits = program_shapes(&p, inputs, shapes);
            tosajit_explanation e = {.size = sizeof e};
            char *text = NULL;
            tosajit_status status =
                tosajit_explain(kernel, operands, (size_t)p.input_count, NULL, 0, &e, &text);
            if ((status == TOSAJIT_OK) != fits)
                fail_msg("seed %d: %s", (int)seed, status ? tosajit_last_error() : "explained");
            if (fits)
                assert_true(strlen(text) > 0 && e.elements >= 0 &&
                            (!e.native || (double)e.rows * (double)e.columns <= e.elements + 1024));
            explained += fits;
            refused += !fits;
            tosajit_text_release(text);
        }
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
        program_free(&p);
    }
    tosajit_engine_destroy(engine);
    print_message("%d calls explained, %d refused\n", explained, refused);
    assert_true(explained > CASES / 2 && refused > 0);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(known_calls_are_explained), TEST(pieces_are_those_of_the_run),
                    TEST(threads_that_share_rows_are_explained),
                    TEST(threads_are_at_most_the_processors),
                    TEST(interpreted_kernels_are_explained), TEST(phases_are_explained),
                    TEST(misuse_is_refused), TEST(random_programs_are_explained),
                    TEST(tails_are_those_of_the_code));
}
