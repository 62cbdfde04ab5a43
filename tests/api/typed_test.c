/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Casts, reductions and views by functions of their own: each is the node that tosajit_expr_op
 * makes of attributes, and what is wrong is refused by name. A program with the public header alone
 * computes a softmax of a transposed slice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tosajit/inspect.h"

static tosajit_expr *begin(tosajit_value *x, int32_t rank, const int64_t *dims) {
    tosajit_expr *expr = NULL;
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, rank, dims);
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, x), TOSAJIT_OK);
    return expr;
}

/* The text of an expression whose result is value; the expression goes. */
static char *finish(tosajit_expr *expr, tosajit_value value) {
    char *text = NULL;
    assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_print(expr, NULL, &text), TOSAJIT_OK);
    tosajit_expr_destroy(expr);
    return text;
}

static const int64_t dims[] = {TOSAJIT_DYNAMIC, 6};
static const int64_t sizes[] = {TOSAJIT_SIZE_OF(0), 2, TOSAJIT_REST}, perms[] = {1, 0};
static const int64_t multiples[] = {1, 2};
static const tosajit_range ranges[] = {TOSAJIT_ALL, {-1, TOSAJIT_OPEN, -2}};
static const tosajit_padding padding[] = {{0, 0}, {1, 2}};

static tosajit_status typed(int way, tosajit_expr *e, tosajit_value x, tosajit_value one,
                            tosajit_value *y) {
    switch (way) {
    case 0: return tosajit_expr_reshape(e, x, 3, sizes, y);
    case 1: return tosajit_expr_transpose(e, x, 2, perms, y);
    case 2: return tosajit_expr_slice(e, x, 2, ranges, y);
    case 3: return tosajit_expr_reverse(e, x, 1, y);
    case 4: return tosajit_expr_tile(e, x, 2, multiples, y);
    case 5: return tosajit_expr_concat(e, x, x, 1, y);
    case 6: return tosajit_expr_pad(e, x, one, 2, padding, y);
    case 7: return tosajit_expr_reduce(e, TOSAJIT_OP_reduce_max, x, 0, 2, y);
    default: return tosajit_expr_cast(e, x, TOSAJIT_I32, y);
    }
}

static tosajit_status by_attributes(int way, tosajit_expr *e, tosajit_value x, tosajit_value one,
                                    tosajit_value *y) {
    static const int64_t cuts[] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, 1, -1, TOSAJIT_DYNAMIC, -2};
    static const int64_t around[] = {0, 0, 1, 2}, kept[] = {-2, 2, -1};
    static const struct {
        tosajit_op op;
        size_t operands;
        tosajit_attributes attributes;
    } ways[] = {{TOSAJIT_OP_reshape, 1, {.numbers = kept, .number_count = 3}},
                {TOSAJIT_OP_transpose, 1, {.numbers = perms, .number_count = 2}},
                {TOSAJIT_OP_slice, 1, {.numbers = cuts, .number_count = 6}},
                {TOSAJIT_OP_reverse, 1, {.axis = 1}},
                {TOSAJIT_OP_tile, 1, {.numbers = multiples, .number_count = 2}},
                {TOSAJIT_OP_concat, 2, {.axis = 1}},
                {TOSAJIT_OP_pad, 2, {.numbers = around, .number_count = 4}},
                {TOSAJIT_OP_reduce_max, 1, {.axis = 0, .joined = 1}},
                {TOSAJIT_OP_cast, 1, {.axis = 0}}};
    const tosajit_tensor_type i32 = {.element = TOSAJIT_I32, .rank = TOSAJIT_UNRANKED};
    const tosajit_value operands[] = {x, ways[way].op == TOSAJIT_OP_pad ? one : x};
    return tosajit_expr_op(e, ways[way].op, operands, ways[way].operands, &ways[way].attributes,
                           ways[way].op == TOSAJIT_OP_cast ? &i32 : NULL, y);
}

static char *text_of(int way, tosajit_status (*make)(int, tosajit_expr *, tosajit_value,
                                                     tosajit_value, tosajit_value *)) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 0, NULL);
    tosajit_value x, one, y;
    tosajit_expr *expr = begin(&x, 2, dims);
    assert_int_equal(tosajit_expr_constant(expr, &type, &(float){1}, &one), TOSAJIT_OK);
    if (make(way, expr, x, one, &y)) fail_msg("way %d: %s", way, tosajit_last_error());
    return finish(expr, y);
}

static void each_is_the_node_that_attributes_make(void **state) {
    for (int way = 0; way < 9; way++) {
        char *a = text_of(way, typed), *b = text_of(way, by_attributes);
        assert_string_equal(a, b);
        tosajit_text_release(a);
        tosajit_text_release(b);
    }
}

static void what_is_wrong_is_refused_by_name(void **state) {
    tosajit_value x, y;
    tosajit_expr *e = begin(&x, 2, dims);
    host_assert_error(tosajit_expr_reduce(e, TOSAJIT_OP_add, x, 0, 1, &y), TOSAJIT_INVALID_ARGUMENT,
                      "expr_reduce: add is no reduction");
    host_assert_error(tosajit_expr_reduce(e, (tosajit_op)999, x, 0, 1, &y),
                      TOSAJIT_INVALID_ARGUMENT, "999");
    host_assert_error(tosajit_expr_reduce(e, TOSAJIT_OP_reduce_sum, x, 0, 0, &y),
                      TOSAJIT_INVALID_ARGUMENT, "at least one is reduced");
    host_assert_error(tosajit_expr_reduce(e, TOSAJIT_OP_reduce_sum, x, 1, 2, &y),
                      TOSAJIT_BAD_ATTRIBUTE, "axis 2 is no dimension");
    host_assert_error(tosajit_expr_slice(e, x, 17, ranges, &y), TOSAJIT_LIMIT_EXCEEDED,
                      "expr_slice: rank 17");
    host_assert_error(tosajit_expr_reshape(e, x, -1, sizes, &y), TOSAJIT_LIMIT_EXCEEDED, "rank -1");
    host_assert_error(tosajit_expr_pad(e, x, x, 2, NULL, &y), TOSAJIT_INVALID_ARGUMENT,
                      "expr_pad: padding is a null pointer");
    host_assert_error(tosajit_expr_transpose(e, x, 1, perms, &y), TOSAJIT_BAD_ATTRIBUTE,
                      "perms has 1 number, but operand 0");
    host_assert_error(tosajit_expr_tile(NULL, x, 2, multiples, &y), TOSAJIT_INVALID_ARGUMENT,
                      "null pointer");
    tosajit_expr_destroy(e);
}

/* softmax(transpose(x[1:, :])), along the last dimension of what it is then. */
static tosajit_expr *softmax_of_a_transposed_slice(void) {
    const tosajit_range rows[] = {{1, TOSAJIT_OPEN, 1}, TOSAJIT_ALL};
    tosajit_value x, v, most, sum;
    tosajit_expr *e = begin(&x, 2, dims);
    tosajit_status s = tosajit_expr_slice(e, x, 2, rows, &v);
    if (!s) s = tosajit_expr_transpose(e, v, 2, perms, &v);
    if (!s) s = tosajit_expr_reduce(e, TOSAJIT_OP_reduce_max, v, 1, 1, &most);
    if (!s) s = tosajit_expr_op(e, TOSAJIT_OP_sub, (tosajit_value[]){v, most}, 2, NULL, NULL, &v);
    if (!s) s = tosajit_expr_op(e, TOSAJIT_OP_exp, &v, 1, NULL, NULL, &v);
    if (!s) s = tosajit_expr_reduce(e, TOSAJIT_OP_reduce_sum, v, 1, 1, &sum);
    if (!s) s = tosajit_expr_op(e, TOSAJIT_OP_divide, (tosajit_value[]){v, sum}, 2, NULL, NULL, &v);
    if (!s) s = tosajit_expr_result(e, v);
    if (s) fail_msg("%s", tosajit_last_error());
    return e;
}

static void a_softmax_of_a_transposed_slice(void **state) {
    enum { ROWS = 5, COLUMNS = 6 };
    float x[ROWS][COLUMNS], y[COLUMNS][ROWS - 1];
    const int64_t given[] = {ROWS, COLUMNS}, gives[] = {COLUMNS, ROWS - 1};
    tosajit_engine *engine = NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_expr *expr = softmax_of_a_transposed_slice();
    for (int k = 0; k < ROWS * COLUMNS; k++) x[k / COLUMNS][k % COLUMNS] = (float)(k * k % 7) - 3;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, x, 2, given),
                         result = tosajit_dense(TOSAJIT_F32, y, 2, gives);
    assert_int_equal(tosajit_run(kernel, &operand, 1, &result, 1), TOSAJIT_OK);
    for (int c = 0; c < COLUMNS; c++) {
        double sum = 0;
        for (int r = 1; r < ROWS; r++) sum += exp((double)x[r][c]);
        for (int r = 1; r < ROWS; r++)
            assert_true(fabs((double)y[c][r - 1] - exp((double)x[r][c]) / sum) < 1e-6);
    }
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

/* Whatever values are called, and also where one is a place. */
static void reductions_are_counted_by_their_ops(void **state) {
    tosajit_value x, y;
    tosajit_expr *e = softmax_of_a_transposed_slice();
    assert_int_equal(tosajit_expr_reductions(NULL), 0);
    assert_int_equal(tosajit_expr_reductions(e), 2);
    tosajit_expr_destroy(e);
    e = begin(&x, 2, dims);
    assert_int_equal(tosajit_expr_name(e, x, "reduce_sum"), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(e, TOSAJIT_OP_exp, &x, 1, NULL, NULL, &y), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_reductions(e), 0);
    assert_int_equal(tosajit_expr_op(e, TOSAJIT_OP_argmax, &y, 1, NULL, NULL, &y), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_reductions(e), 1);
    tosajit_expr_destroy(e);
}

/* The size is known when the kernel is called, so that is when the slice is refused. */
static void a_slice_that_does_not_fit_is_refused(void **state) {
    const tosajit_range cut[] = {{1, 5, 1}, {TOSAJIT_OPEN, 1, -2}};
    const int64_t any[] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC}, given[][2] = {{4, 6}, {5, 1}};
    const char *const said[] = {
        "dimension 0 of %arg0 has the size 4 in this call, which the slice 1:5 does not fit",
        "dimension 1 of %arg0 has the size 1 in this call, which the slice :1:-2 does not fit"};
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = NULL;
    tosajit_value x, y;
    tosajit_expr *expr = begin(&x, 2, any);
    assert_int_equal(tosajit_expr_slice(expr, x, 2, cut, &y), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, y), TOSAJIT_OK);
    assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
    for (int k = 0; k < 2; k++) {
        int64_t sizes_of[TOSAJIT_MAX_RANK];
        const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, NULL, 2, given[k]);
        host_assert_error(tosajit_kernel_result_dims(kernel, &operand, 1, 0, NULL, sizes_of),
                          TOSAJIT_SHAPE_MISMATCH, said[k]);
    }
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(each_is_the_node_that_attributes_make),
                    TEST(what_is_wrong_is_refused_by_name), TEST(a_softmax_of_a_transposed_slice),
                    TEST(reductions_are_counted_by_their_ops),
                    TEST(a_slice_that_does_not_fit_is_refused));
}
