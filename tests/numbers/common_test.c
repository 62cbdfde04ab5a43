/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions that are written twice are computed once, and nothing else changes: bits, and what
 * may share memory. Oracle: what is written twice as kernels of its own, whose results the rest
 * then takes as operands. */
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

enum { ROWS = 37, COLS = 65, PARTS = 2 };

typedef struct sample {
    const char *whole, *parts[PARTS];
    bool is_row[PARTS];               /* 1 x COLS, else ROWS x 1 */
    const char *types, *outer, *line; /* the rest, of x and of the parts, a and b; of the plan */
    int count;                        /* so many of these lines */
} sample;

static const sample samples[] = {
    {"(x - mean(x, axis=0)) / std(x, axis=0)",
     {"mean(x, axis=0)", "std(x, axis=0)"},
     {true, true},
     "a: f32[1,?], b: f32[1,?]",
     "(x - a) / b",
     "  scratch ", /* sums and counts, and by columns the mean and the root that end them */
     6},
    {"std(x, axis=1) * x + mean(x, axis=1)",
     {"std(x, axis=1)", "mean(x, axis=1)"},
     {false, false},
     "a: f32[?,1], b: f32[?,1]",
     "a * x + b",
     "  scratch ",
     4},
    {"exp(x - max(x, axis=1)) / sum(exp(x - max(x, axis=1)), axis=1)",
     {"max(x, axis=1)", "sum(exp(x - max(x, axis=1)), axis=1)"},
     {false, false},
     "a: f32[?,1], b: f32[?,1]",
     "exp(x - a) / b",
     "kept in the memory of result 0",
     1},
    /* The last part reads x, so nothing may lie in the result before: that may lie on x. */
    {"exp(x - max(x, axis=1)) / sum(exp(x - max(x, axis=1)), axis=1) + x",
     {"max(x, axis=1)", "sum(exp(x - max(x, axis=1)), axis=1)"},
     {false, false},
     "a: f32[?,1], b: f32[?,1]",
     "exp(x - a) / b + x",
     "kept in the memory of result 0",
     0},
    {"tanh(x) * sum(tanh(x), axis=1) + sum(tanh(x) * tanh(x), axis=0)",
     {"sum(tanh(x), axis=1)", "sum(tanh(x) * tanh(x), axis=0)"},
     {false, true},
     "a: f32[?,1], b: f32[1,?]",
     "tanh(x) * a + b",
     "  scratch ",
     2},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static const int64_t matrix[2] = {ROWS, COLS};

/* The text of x, and of a and b if `types` has them. */
static void run(tosajit_engine *engine, const char *types, const char *text,
                const tosajit_tensor *operands, float *data, const int64_t *dims) {
    char declared[128];
    snprintf(declared, sizeof declared, "x: f32[?,?]%s%s\n", *types ? ", " : "", types);
    tosajit_expr *expr = test_parse(declared, text);
    tosajit_kernel *kernel = test_compile(engine, expr);
    const tosajit_tensor result = tosajit_dense(TOSAJIT_F32, data, 2, dims);
    if (tosajit_run(kernel, operands, tosajit_kernel_operand_count(kernel), &result, 1))
        fail_msg("%s: %s", text, tosajit_last_error());
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
}

/* Everything, and the whole in place of x. */
static void check(tosajit_engine *engine, const char *name, const sample *s) {
    static float x[ROWS * COLS], parts[PARTS][COLS], should[ROWS * COLS], is[ROWS * COLS];
    test_random random = test_random_start(7);
    tosajit_tensor operands[1 + PARTS] = {tosajit_dense(TOSAJIT_F32, x, 2, matrix)};
    for (int k = 0; k < ROWS * COLS; k++)
        x[k] = (float)test_random_range(&random, -9999, 9999) / 777;
    for (int k = 0; k < PARTS; k++) {
        const int64_t *dims =
            s->is_row[k] ? (const int64_t[]){1, COLS} : (const int64_t[]){ROWS, 1};
        run(engine, "", s->parts[k], operands, parts[k], dims);
        operands[1 + k] = tosajit_dense(TOSAJIT_F32, parts[k], 2, dims);
    }
    run(engine, s->types, s->outer, operands, should, matrix);
    run(engine, "", s->whole, operands, is, matrix);
    if (memcmp(is, should, sizeof is) != 0) fail_msg("%s: %s has other bits", name, s->whole);
    run(engine, "", s->whole, operands, x, matrix);
    if (memcmp(x, should, sizeof x) != 0) fail_msg("%s: %s, in place", name, s->whole);
}

static void bits_and_sharing_stay(void **state) {
    for (size_t k = 0; k < SAMPLES; k++)
        for (size_t e = 0; e < test_engine_count; e++)
            check(test_engines[e].engine, test_engines[e].name, &samples[k]);
}

/* How often each is computed, by the plan. */
static void plans_have_it_once(void **state) {
    for (size_t k = 0; k < SAMPLES; k++) {
        char *text;
        int count = 0;
        tosajit_expr *expr = test_parse("x: f32[?,?]\n", samples[k].whole);
        assert_int_equal(tosajit_print(test_engines[0].engine, expr, TOSAJIT_VIEW_PLAN, &text),
                         TOSAJIT_OK);
        for (const char *at = text; (at = strstr(at, samples[k].line)) != NULL; at++) count++;
        if (count != samples[k].count)
            fail_msg("%s: not %d of \"%s\"\n%s", samples[k].whole, samples[k].count,
                     samples[k].line, text);
        tosajit_text_release(text);
        tosajit_expr_destroy(expr);
    }
}

int main(void) {
    return TEST_RUN(test_setup_exact, test_teardown, TEST(bits_and_sharing_stay),
                    TEST(plans_have_it_once));
}
