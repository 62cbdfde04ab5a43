/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bound calls: checked once, run on any memory. What they keep, what each run still refuses, and
 * that every kind of kernel can be bound: interpreted, compiling, loaded, divided among threads, of
 * several parts, with constants, empty. hostile_test and differential_test run what they have in
 * both ways. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)
#define DYN TOSAJIT_DYNAMIC

static void a_bound_call_keeps_all_that_it_needs(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    int64_t dims[2] = {4, 3}, row[2] = {1, 3}, strides[2] = {4, 16};
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, NULL, 2, dims),
                                  tosajit_dense(TOSAJIT_F32, NULL, 2, row)};
    const tosajit_tensor result = tosajit_dense(TOSAJIT_F32, NULL, 2, dims);
    tosajit_bound *dense, *transposed;
    CHECK(tosajit_bind(kernel, operands, 2, &result, 1, &dense));
    operands[0].strides = strides;
    CHECK(tosajit_bind(kernel, operands, 2, &result, 1, &transposed));
    memset(dims, 0x7f, sizeof dims);
    memset(row, 0x7f, sizeof row);
    memset(strides, 0x7f, sizeof strides);
    memset(operands, 0x7f, sizeof operands);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    for (int call = 0; call < 4; call++) {
        float a[13], b[3], r[12], t[12]; /* in another place of a line each time */
        for (int k = 0; k < 12; k++) a[k + call % 2] = (float)(k * (call + 1));
        for (int k = 0; k < 3; k++) b[k] = (float)(100 + k);
        CHECK(tosajit_bound_run(dense, (void *[]){a + call % 2, b, r}));
        CHECK(tosajit_bound_run(transposed, (void *[]){a + call % 2, b, t}));
        for (int k = 0; k < 12; k++) {
            assert_true(r[k] == (float)(k * (call + 1)) + b[k % 3]);
            assert_true(t[k] == (float)((k % 3 * 4 + k / 3) * (call + 1)) + b[k % 3]);
        }
    }
    tosajit_bound_release(dense);
    tosajit_bound_release(transposed);
    tosajit_bound_release(NULL);
}

/* Rows that go to the code as they lie, and rows that are collapsed. */
static void memory_is_checked_by_every_run(void **state) {
    enum { MOST = 4000 };
    static const int64_t sizes[][2] = {{4, 100}, {1000, 3}, {1, 1}};
    static float memory[2 * MOST + 2], other[MOST], before[2 * MOST + 2];
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t count = sizes[s][0] * sizes[s][1];
        const tosajit_tensor type = host_tensor(NULL, sizes[s][0], sizes[s][1]),
                             row = host_tensor(NULL, 1, sizes[s][1]);
        tosajit_bound *bound;
        CHECK(tosajit_bind(kernel, (tosajit_tensor[]){type, row}, 2, &type, 1, &bound));
        for (int k = 0; k < 2 * MOST + 2; k++) memory[k] = (float)k;
        for (int k = 0; k < MOST; k++) other[k] = 1;
        CHECK(tosajit_bound_run(bound, (void *[]){memory, other, memory})); /* in place */
        for (int64_t k = 0; k < count; k++) assert_true(memory[k] == (float)k + 1);
        CHECK(tosajit_bound_run(bound, (void *[]){memory + count, other, memory})); /* beside it */
        for (int64_t k = 0; k < count; k++) assert_true(memory[k] == (float)(k + count) + 1);
        memcpy(before, memory, sizeof before);
        for (int64_t shift = 1; shift < count; shift += count / 3 + 1)
            for (int down = 0; down < 2; down++)
                host_assert_error(
                    tosajit_bound_run(bound, (void *[]){memory + (down ? shift : 0), other,
                                                        memory + (down ? 0 : shift)}),
                    TOSAJIT_OVERLAP, "result 0 and operand 0 share memory");
        host_assert_error(tosajit_bound_run(bound, (void *[]){(char *)memory + 1, other, memory}),
                          TOSAJIT_OVERLAP, "share memory");
        if (sizes[s][0] > 1)
            host_assert_error(tosajit_bound_run(bound, (void *[]){other, memory, memory}),
                              TOSAJIT_OVERLAP, "result 0 and operand 1 share memory");
        host_assert_error(tosajit_bound_run(bound, (void *[]){NULL, other, memory}),
                          TOSAJIT_INVALID_ARGUMENT, "operand 0: data is a null pointer");
        host_assert_error(tosajit_bound_run(bound, (void *[]){other, memory, NULL}),
                          TOSAJIT_INVALID_ARGUMENT, "result 0: data is a null pointer");
        host_assert_error(tosajit_bound_run(bound, NULL), TOSAJIT_INVALID_ARGUMENT, "data");
        host_assert_error(tosajit_bound_run(NULL, (void *[]){memory}), TOSAJIT_INVALID_ARGUMENT,
                          "bound");
        assert_memory_equal(before, memory, sizeof before);
        tosajit_bound_release(bound);
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Even and odd columns of one matrix, backwards, and in place of a view. */
static void views_interleave_and_run_backwards(void **state) {
    const int64_t dims[2] = {5, 4}, every_other[2] = {32, 8}, backwards[2] = {-32, -8};
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    tosajit_tensor view = tosajit_dense(TOSAJIT_F32, NULL, 2, dims), turned = view;
    view.strides = every_other;
    turned.strides = backwards;
    tosajit_bound *bound, *reversed;
    CHECK(tosajit_bind(kernel, (tosajit_tensor[]){view, view}, 2, &view, 1, &bound));
    CHECK(tosajit_bind(kernel, (tosajit_tensor[]){turned, turned}, 2, &view, 1, &reversed));
    float m[40], r[40];
    for (int k = 0; k < 40; k++) m[k] = (float)k;
    CHECK(tosajit_bound_run(bound, (void *[]){m, m + 1, m}));
    for (int k = 0; k < 40; k++) assert_true(m[k] == (k % 2 ? (float)k : (float)(2 * k + 1)));
    CHECK(tosajit_bound_run(bound, (void *[]){m, m, m + 1}));
    for (int k = 0; k < 40; k += 2) assert_true(m[k + 1] == 2 * m[k]);
    CHECK(tosajit_bound_run(reversed, (void *[]){m + 38, m + 39, r}));
    for (int k = 0; k < 40; k += 2) assert_true(r[k] == m[38 - k] + m[39 - k]);
    host_assert_error(tosajit_bound_run(reversed, (void *[]){m + 38, r + 38, m}), TOSAJIT_OVERLAP,
                      "share memory");
    tosajit_bound_release(bound);
    tosajit_bound_release(reversed);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void what_is_wrong_is_said_when_binding(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    const tosajit_tensor a = host_tensor(NULL, 4, 3), wrong = host_tensor(NULL, 5, 3);
    const tosajit_tensor good[2] = {a, a}, bad[2] = {a, wrong};
    tosajit_tensor hits = a;
    hits.strides = (int64_t[]){0, 4};
    tosajit_bound *const untouched = (tosajit_bound *)&engine;
    tosajit_bound *bound = untouched;
    host_assert_error(tosajit_bind(kernel, bad, 2, &a, 1, &bound), TOSAJIT_SHAPE_MISMATCH,
                      "operand 1 dimension 0: size 5 does not broadcast with 4");
    host_assert_error(tosajit_bind(kernel, good, 2, &wrong, 1, &bound), TOSAJIT_SHAPE_MISMATCH,
                      "result 0 dimension 0");
    host_assert_error(tosajit_bind(kernel, good, 2, &hits, 1, &bound), TOSAJIT_OVERLAP,
                      "step over");
    host_assert_error(tosajit_bind(kernel, good, 1, &a, 1, &bound), TOSAJIT_INVALID_ARGUMENT,
                      "takes 2 operands, not 1");
    host_assert_error(tosajit_bind(kernel, good, SIZE_MAX, &a, 2, &bound), TOSAJIT_INVALID_ARGUMENT,
                      "has 1 results, not 2");
    host_assert_error(tosajit_bind(NULL, good, 2, &a, 1, &bound), TOSAJIT_INVALID_ARGUMENT, "null");
    host_assert_error(tosajit_bind(kernel, NULL, 2, &a, 1, &bound), TOSAJIT_INVALID_ARGUMENT,
                      "null");
    host_assert_error(tosajit_bind(kernel, good, 2, NULL, 1, &bound), TOSAJIT_INVALID_ARGUMENT,
                      "null");
    host_assert_error(tosajit_bind(kernel, good, 2, &a, 1, NULL), TOSAJIT_INVALID_ARGUMENT, "null");
    assert_ptr_equal(bound, untouched);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Of sigmoid(x * row) + column, beside -row in a part of its own; the row is a constant. */
static tosajit_kernel *compile_parts(tosajit_engine *engine) {
    const tosajit_tensor_type type = host_type(DYN, 4), row_type = host_type(1, 4),
                              column_type = host_type(DYN, 1);
    tosajit_value v[4], product, result, negated;
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &v[0]));
    CHECK(tosajit_expr_constant(expr, &row_type, (float[]){1, 2, 3, 4}, &v[1]));
    CHECK(tosajit_expr_input(expr, &column_type, &v[2]));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_mul, v, 2, NULL, NULL, &product));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_sigmoid, &product, 1, NULL, NULL, &v[1]));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, &v[1], 2, NULL, NULL, &result));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_negate, &v[2], 1, NULL, NULL, &negated));
    CHECK(tosajit_expr_result(expr, result));
    CHECK(tosajit_expr_result(expr, negated));
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    return kernel;
}

static tosajit_kernel *loaded_again(tosajit_kernel *kernel) {
    size_t size = 0;
    tosajit_kernel *loaded;
    CHECK(tosajit_kernel_save(kernel, NULL, 0, &size));
    void *image = malloc(size);
    assert_non_null(image);
    CHECK(tosajit_kernel_save(kernel, image, size, &size));
    CHECK(tosajit_kernel_load(image, size, NULL, &loaded));
    free(image);
    tosajit_kernel_release(kernel);
    return loaded;
}

enum { ROWS = 20000 /* so many are divided among threads */, FEW_ROWS = 500 };

/* Against tosajit_run, twice; rows of 0, too. */
static void assert_bound_runs(tosajit_kernel *kernel, int64_t most, bool waits) {
    static float x[4 * ROWS], column[ROWS], r[2][4 * ROWS], n[2][ROWS];
    for (int k = 0; k < 4 * ROWS; k++) x[k] = (float)(k % 17) - 8;
    for (int k = 0; k < ROWS; k++) column[k] = (float)(k % 5);
    const int64_t rows[] = {most, 3, 1, 0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const tosajit_tensor operands[2] = {host_tensor(x, rows[k], 4),
                                            host_tensor(column, rows[k], 1)};
        const tosajit_tensor results[2] = {host_tensor(r[0], rows[k], 4),
                                           host_tensor(n[0], rows[k], 1)};
        tosajit_bound *bound;
        CHECK(tosajit_bind(kernel, operands, 2, results, 2, &bound));
        CHECK(tosajit_run(kernel, operands, 2, results, 2));
        for (int twice = 0; twice < 2; twice++) {
            memset(r[1], 0x5a, sizeof r[1]);
            memset(n[1], 0x5a, sizeof n[1]);
            CHECK(tosajit_bound_run(bound, (void *[]){rows[k] ? x : NULL, column, r[1], n[1]}));
            assert_memory_equal(r[0], r[1], (size_t)rows[k] * sizeof *x * 4);
            assert_memory_equal(n[0], n[1], (size_t)rows[k] * sizeof *x);
            if (waits) tosajit_kernel_wait(kernel);
        }
        tosajit_bound_release(bound);
    }
}

static void every_kind_of_kernel_can_be_bound(void **state) {
    static const struct {
        tosajit_backend backend;
        size_t threads;
        bool loaded, waits;
    } kinds[] = {
        {TOSAJIT_BACKEND_AUTO, 1, false, false},
        {TOSAJIT_BACKEND_INTERPRET, 1, false, false},
        {TOSAJIT_BACKEND_BACKGROUND, 1, false, true},
        {TOSAJIT_BACKEND_AUTO, 2, false, false},
        {TOSAJIT_BACKEND_AUTO, 1, true, false},
        {TOSAJIT_BACKEND_PRECOMPILED, 1, false, false},
        {TOSAJIT_BACKEND_PRECOMPILED, 2, false, false},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const tosajit_engine_options options = {.size = sizeof options,
                                                .backend = kinds[k].backend,
                                                .threads = kinds[k].threads,
                                                .uncached = 1};
        tosajit_engine *engine;
        CHECK(tosajit_engine_create(&options, &engine));
        tosajit_kernel *kernel = compile_parts(engine);
        if (kinds[k].loaded && tosajit_kernel_is_native(kernel)) kernel = loaded_again(kernel);
        assert_bound_runs(kernel, kinds[k].threads > 1 ? ROWS : FEW_ROWS, kinds[k].waits);
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
    }
}

enum { THREADS = 8, CALLS = 2000, ELEMENTS = 37 };

static void *run_often(void *argument) {
    const tosajit_bound *bound = argument;
    float a[ELEMENTS], b[ELEMENTS], r[ELEMENTS];
    for (int call = 0; call < CALLS; call++) {
        for (int k = 0; k < ELEMENTS; k++) a[k] = (float)(call + k), b[k] = (float)k;
        if (tosajit_bound_run(bound, (void *[]){a, b, r})) return NULL;
        for (int k = 0; k < ELEMENTS; k++)
            if (r[k] != (float)(call + 2 * k)) return NULL;
    }
    return argument;
}

static void threads_share_a_bound_call(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    const tosajit_tensor a = host_tensor(NULL, 1, ELEMENTS);
    tosajit_bound *bound;
    pthread_t threads[THREADS];
    CHECK(tosajit_bind(kernel, (tosajit_tensor[]){a, a}, 2, &a, 1, &bound));
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, run_often, bound), 0);
    for (int k = 0; k < THREADS; k++) {
        void *fine;
        assert_int_equal(pthread_join(threads[k], &fine), 0);
        assert_non_null(fine);
    }
    tosajit_bound_release(bound);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(a_bound_call_keeps_all_that_it_needs),
                    TEST(memory_is_checked_by_every_run), TEST(views_interleave_and_run_backwards),
                    TEST(what_is_wrong_is_said_when_binding),
                    TEST(every_kind_of_kernel_can_be_bound), TEST(threads_share_a_bound_call));
}
