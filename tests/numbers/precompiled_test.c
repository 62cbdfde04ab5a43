/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Precompiled ops: every legal row of every op runs on them in a process that never has LLVM, and
 * gives the interpreter's bits. And what is particular to running ops one after the other: results
 * in each other's operands' memory, many values at once, sizes around a tile's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/support.h"
#include "tosajit/tosajit.h"

static tosajit_engine *engine;
static test_random randoms;

#define REQUIRE(status)                                                                            \
    do {                                                                                           \
        if (status) fail_msg("%s", tosajit_last_error());                                          \
    } while (0)

static size_t precompiled_count(void) {
    tosajit_stats stats = {.size = sizeof stats};
    REQUIRE(tosajit_engine_stats(engine, &stats));
    assert_int_equal(stats.compilations, 0);
    return stats.precompiled;
}

/* The kernel of an expression, which is destroyed; it has precompiled code. */
static tosajit_kernel *make(tosajit_expr *expr) {
    tosajit_kernel *kernel;
    const size_t before = precompiled_count();
    REQUIRE(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    assert_int_equal(precompiled_count(), before + 1);
    assert_false(tosajit_kernel_is_native(kernel));
    return kernel;
}

/* ---------------------------------------------------------------------------------------------
 * Rows */

enum { COUNT = 75 };

/* Parameters of the call, legal ones. */
static int add_parameters(tosajit_op op, const tosajit_type *operands, tosajit_type result,
                          const tosajit_attributes *attributes, tosajit_expr *expr,
                          tosajit_value *values, tosajit_tensor *tensors) {
    static uint8_t data[4][2048];
    static int64_t counts[4];
    const int arity = tosajit_op_arity(op), parameters = tosajit_op_parameters(op, NULL);
    for (int k = 0; k < parameters; k++) {
        const test_parameter p = test_parameter_of(op, k, operands[0], result, attributes);
        counts[k] = p.count ? p.count : 1;
        tosajit_tensor_type type = tosajit_ranked(p.element, 1, &counts[k]);
        for (int64_t e = 0; e < counts[k]; e++)
            test_parameter_element(&randoms, &p,
                                   data[k] + (size_t)e * tosajit_type_size(p.element));
        REQUIRE(tosajit_expr_input(expr, &type, &values[arity + k]));
        tensors[arity + k] = tosajit_dense(p.element, data[k], 1, &counts[k]);
    }
    return arity + parameters;
}

static void check_row(tosajit_op op, const tosajit_type *operands, tosajit_type result) {
    static uint8_t data[TOSAJIT_MAX_ARITY][COUNT * 8], actual[COUNT * 8], expected[COUNT * 8];
    const int64_t open = TOSAJIT_DYNAMIC, count = COUNT;
    tosajit_tensor tensors[TOSAJIT_MAX_OPERANDS];
    tosajit_value values[TOSAJIT_MAX_OPERANDS], value;
    tosajit_attributes attributes = {.nan_mode = TOSAJIT_NAN_PROPAGATE};
    tosajit_expr *expr;
    if (op == TOSAJIT_OP_rescale) attributes = test_random_scaling(&randoms, operands[0], result);
    attributes.per_channel = 0;
    REQUIRE(tosajit_expr_create(NULL, &expr));
    for (int k = 0; k < tosajit_op_arity(op); k++) {
        tosajit_tensor_type type = tosajit_ranked(operands[k], 1, &open);
        REQUIRE(tosajit_expr_input(expr, &type, &values[k]));
        for (size_t e = 0; e < COUNT; e++)
            test_random_element(&randoms, operands[k],
                                data[k] + e * tosajit_type_size(operands[k]));
        tensors[k] = tosajit_dense(operands[k], data[k], 1, &count);
    }
    const size_t all =
        (size_t)add_parameters(op, operands, result, &attributes, expr, values, tensors);
    const tosajit_tensor_type type = tosajit_ranked(result, 1, &open);
    REQUIRE(tosajit_expr_op(expr, op, values, all, &attributes, &type, &value));
    REQUIRE(tosajit_expr_result(expr, value));
    tosajit_kernel *kernel = make(expr);
    tosajit_tensor to = tosajit_dense(result, actual, 1, &count);
    REQUIRE(tosajit_run(kernel, tensors, all, &to, 1));
    to.data = expected;
    REQUIRE(tosajit_run_interpreted(kernel, tensors, all, &to, 1));
    for (size_t e = 0; e < COUNT; e++) {
        const size_t at = e * tosajit_type_size(result);
        if (!test_same(result, test_bits(result, actual + at), test_bits(result, expected + at), 0))
            fail_msg("%s of %s: element %zu", tosajit_op_name(op), tosajit_type_name(operands[0]),
                     e);
    }
    tosajit_kernel_release(kernel);
}

static void every_row_runs(void **state) {
    (void)state;
    size_t rows = 0;
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        tosajit_type operands[TOSAJIT_MAX_ARITY], result;
        unsigned next = 0;
        for (; test_next_signature((tosajit_op)op, &next, operands, &result); rows++)
            check_row((tosajit_op)op, operands, result);
    }
    print_message("%zu rows\n", rows);
    assert_true(rows > 200);
}

static void llvm_never_comes(void **state) {
    (void)state;
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) return;
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "libLLVM") || strstr(line, "tosajit-codegen")) fail_msg("%s", line);
    fclose(maps);
}

/* ---------------------------------------------------------------------------------------------
 * Expressions */

/* Operands a and b, rows x cols of f32, of which b may be one row or one column. */
typedef struct pair {
    tosajit_expr *expr;
    tosajit_value a, b;
} pair;

static pair begin_with(const int64_t *dims) {
    pair p;
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, dims);
    REQUIRE(tosajit_expr_create(NULL, &p.expr));
    REQUIRE(tosajit_expr_input(p.expr, &type, &p.a));
    REQUIRE(tosajit_expr_input(p.expr, &type, &p.b));
    return p;
}

static pair begin(void) { return begin_with((int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC}); }

static tosajit_value binary(const pair *p, tosajit_op op, tosajit_value x, tosajit_value y) {
    tosajit_value value;
    REQUIRE(tosajit_expr_op(p->expr, op, (tosajit_value[]){x, y}, 2, NULL, NULL, &value));
    return value;
}

/* (a + b) * b - a, with an op of b alone. */
static tosajit_kernel *make_mixed(void) {
    const pair p = begin();
    const tosajit_value square = binary(&p, TOSAJIT_OP_mul, p.b, p.b),
                        sum = binary(&p, TOSAJIT_OP_add, p.a, p.b),
                        product = binary(&p, TOSAJIT_OP_mul, sum, square);
    REQUIRE(tosajit_expr_result(p.expr, binary(&p, TOSAJIT_OP_sub, product, p.a)));
    return make(p.expr);
}

static void fill(float *data, int64_t count) {
    for (int64_t k = 0; k < count; k++) data[k] = (float)test_random_range(&randoms, -1000, 1000);
}

static void check_sizes(const tosajit_kernel *kernel, const int64_t *a_dims,
                        const int64_t *b_dims) {
    const int64_t dims[2] = {a_dims[0] > b_dims[0] ? a_dims[0] : b_dims[0],
                             a_dims[1] > b_dims[1] ? a_dims[1] : b_dims[1]};
    const size_t count = (size_t)(dims[0] * dims[1]);
    float *memory = malloc(4 * count * sizeof *memory), *expected = memory + 3 * count;
    assert_non_null(memory);
    fill(memory, (int64_t)count * 2);
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, memory, 2, a_dims),
                                        tosajit_dense(TOSAJIT_F32, memory + count, 2, b_dims)};
    tosajit_tensor result = tosajit_dense(TOSAJIT_F32, memory + 2 * count, 2, dims);
    REQUIRE(tosajit_run(kernel, operands, 2, &result, 1));
    result.data = expected;
    REQUIRE(tosajit_run_interpreted(kernel, operands, 2, &result, 1));
    if (memcmp(memory + 2 * count, expected, count * sizeof *memory) != 0)
        fail_msg("%dx%d with %dx%d", (int)a_dims[0], (int)a_dims[1], (int)b_dims[0],
                 (int)b_dims[1]);
    free(memory);
}

/* Around the number of elements of a tile, 2,048, and of a vector, with every pattern of repeats.
 */
static void tiles_fit_all_sizes(void **state) {
    (void)state;
    static const int64_t cols[] = {1, 2, 15, 16, 17, 700, 2047, 2048, 2049, 5000};
    static const int64_t rows[] = {1, 2, 3, 70};
    tosajit_kernel *kernel = make_mixed();
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t c = 0; c < sizeof cols / sizeof *cols; c++)
            for (int repeats = 0; repeats < 16; repeats++) {
                const int64_t a[2] = {repeats & 1 ? 1 : rows[r], repeats & 2 ? 1 : cols[c]};
                const int64_t b[2] = {repeats & 4 ? 1 : rows[r], repeats & 8 ? 1 : cols[c]};
                check_sizes(kernel, a, b);
            }
    tosajit_kernel_release(kernel);
}

/* Results b and a, a + b and b - a, each pair in place of a and b: nothing is read when it has been
 * written over. */
static void results_may_change_places(void **state) {
    (void)state;
    enum { LENGTH = 5000 };
    static float a[LENGTH], b[LENGTH], first[LENGTH], second[LENGTH];
    const int64_t dims[2] = {2, LENGTH / 2};
    for (int swaps = 0; swaps < 2; swaps++) {
        const pair p = begin_with(dims);
        REQUIRE(tosajit_expr_result(p.expr, swaps ? p.b : binary(&p, TOSAJIT_OP_add, p.a, p.b)));
        REQUIRE(tosajit_expr_result(p.expr, swaps ? p.a : binary(&p, TOSAJIT_OP_sub, p.b, p.a)));
        tosajit_kernel *kernel = make(p.expr);
        fill(a, LENGTH);
        fill(b, LENGTH);
        const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 2, dims),
                                            tosajit_dense(TOSAJIT_F32, b, 2, dims)};
        const tosajit_tensor apart[2] = {tosajit_dense(TOSAJIT_F32, first, 2, dims),
                                         tosajit_dense(TOSAJIT_F32, second, 2, dims)};
        REQUIRE(tosajit_run_interpreted(kernel, operands, 2, apart, 2));
        REQUIRE(tosajit_run(kernel, operands, 2, operands, 2));
        assert_memory_equal(a, first, sizeof a);
        assert_memory_equal(b, second, sizeof b);
        tosajit_kernel_release(kernel);
    }
}

/* A sum of so many products, all of which are computed before the first is added. */
static void many_values_live_at_once(void **state) {
    (void)state;
    enum { PRODUCTS = 1500 };
    static tosajit_value products[PRODUCTS];
    const pair p = begin();
    tosajit_value sum = p.a;
    for (int k = 0; k < PRODUCTS; k++) products[k] = binary(&p, TOSAJIT_OP_maximum, p.a, p.b);
    for (int k = 0; k < PRODUCTS; k++) sum = binary(&p, TOSAJIT_OP_add, sum, products[k]);
    REQUIRE(tosajit_expr_result(p.expr, sum));
    tosajit_kernel *kernel = make(p.expr);
    check_sizes(kernel, (int64_t[]){3, 37}, (int64_t[]){1, 37});
    tosajit_kernel_release(kernel);
}

static void code_of_its_own_is_refused(void **state) {
    (void)state;
    tosajit_kernel *kernel = make_mixed();
    tosajit_raw raw = {.size = sizeof raw};
    size_t size;
    assert_int_equal(tosajit_kernel_raw(kernel, 0, &raw), TOSAJIT_NOT_EXECUTABLE);
    assert_int_equal(tosajit_kernel_save(kernel, NULL, 0, &size), TOSAJIT_NOT_EXECUTABLE);
    assert_non_null(strstr(tosajit_last_error(), "precompiled"));
    tosajit_kernel_release(kernel);
}

static int open_engine(void **state) {
    (void)state;
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_PRECOMPILED};
    randoms = test_random_start(test_setting("TOSAJIT_SEED", 1));
    return tosajit_engine_create(&options, &engine) ? -1 : 0;
}

static int close_engine(void **state) {
    (void)state;
    tosajit_engine_destroy(engine);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_runs),
        cmocka_unit_test(tiles_fit_all_sizes),
        cmocka_unit_test(results_may_change_places),
        cmocka_unit_test(many_values_live_at_once),
        cmocka_unit_test(code_of_its_own_is_refused),
        cmocka_unit_test(llvm_never_comes),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
