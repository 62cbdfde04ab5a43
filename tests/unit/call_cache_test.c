/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call cache: which calls a kernel remembers, asked of it before and after each, and that what it
 * remembers is computed right. The code is a loop of this test's own. */
#include "runtime/run/call_cache.h"
#include "tests/support/cmocka.h"

enum { A, B, R, TENSORS, MOST = 8192 };

static float memory[TENSORS][MOST];
static int calls; /* of the code */

TOSAJIT_CODE static void sum(const void *context, void *const *pointers, const int64_t *strides,
                             int64_t planes, int64_t rows, int64_t cols) {
    char *at[TENSORS] = {pointers[A], pointers[B], pointers[R]};
    (void)context;
    calls++;
    for (int64_t p = 0; p < planes; p++) {
        for (int64_t r = 0; r < rows; r++)
            for (int t = TENSORS - 1; t >= 0; t--) {
                for (int64_t c = 0; t == R && c < cols; c++)
                    *(float *)(at[R] + c * strides[2 * R + 1]) =
                        *(float *)(at[A] + c * strides[2 * A + 1]) +
                        *(float *)(at[B] + c * strides[2 * B + 1]);
                at[t] += strides[2 * t];
            }
        for (int t = 0; t < TENSORS; t++) at[t] += strides[2 * TENSORS + t];
    }
}

static const code_part parts[] = {{sum, NULL, false, false}};
static const kernel_code code = {.parts = parts};

static tosajit_kernel *make_sum(int64_t rows, int64_t columns) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){rows, columns});
    tosajit_expr *expr;
    tosajit_value x, y, value;
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &y), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, y}, 2, NULL, NULL, &value),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
    assert_int_equal(kernel_create(expr, &expr->allocator, &(program_aids){0}, &kernel),
                     TOSAJIT_OK);
    tosajit_expr_destroy(expr);
    atomic_store(&kernel->code, &code);
    return kernel;
}

/* A call: a matrix and a matrix, row or column. Strides are those of the matrices, or null. */
typedef struct call {
    int64_t rows, columns, b_rows, b_columns;
    const int64_t *strides;
    bool in_place;
} call;

/* Run the call; whether it was remembered, and is computed right both ways. */
static bool was_remembered(tosajit_kernel *kernel, call c) {
    const int64_t dims[2] = {c.rows, c.columns}, b_dims[2] = {c.b_rows, c.b_columns};
    tosajit_tensor in[2] = {tosajit_dense(TOSAJIT_F32, memory[A], 2, dims),
                            tosajit_dense(TOSAJIT_F32, memory[B], 2, b_dims)},
                   out = tosajit_dense(TOSAJIT_F32, memory[c.in_place ? A : R], 2, dims);
    in[0].strides = out.strides = c.strides;
    const int64_t dense[2] = {4 * c.columns, 4}, *strides = c.strides ? c.strides : dense;
    for (int k = 0; k < MOST; k++) {
        memory[A][k] = (float)k;
        memory[B][k] = (float)(k * 8192);
    }
    calls = 0;
    const bool remembered = call_cache_run(kernel, &parts[0], in, &out);
    assert_true(remembered || calls == 0);
    if (!remembered) assert_int_equal(tosajit_run(kernel, in, 2, &out, 1), TOSAJIT_OK);
    assert_true(calls > 0);
    for (int64_t r = 0; r < c.rows; r++)
        for (int64_t k = 0; k < c.columns; k++) {
            const int64_t at = (r * strides[0] + k * strides[1]) / 4,
                          b = (c.b_rows > 1 ? r : 0) * c.b_columns + (c.b_columns > 1 ? k : 0);
            assert_true(((float *)out.data)[at] == (float)(at + b * 8192));
        }
    return remembered;
}

static void each_kind_is_remembered(void **state) {
    static const int64_t wide[] = {400, 4}, wider[] = {440, 4}, transposed[] = {4, 160},
                         dense[] = {28, 4};
    static const call kinds[] = {
        {5, 7, 5, 7, NULL, false},        {5, 7, 1, 7, NULL, false},
        {5, 7, 5, 1, NULL, false},        {5, 7, 5, 7, NULL, true},
        {5, 7, 1, 7, NULL, true},         {5, 7, 5, 7, wide, false},
        {5, 7, 5, 7, wider, false},       {5, 7, 5, 7, dense, false},
        {40, 7, 1, 7, transposed, false}, {40, 7, 40, 1, transposed, true},
        {900, 3, 1, 3, NULL, false},      {900, 3, 1, 3, NULL, true},
        {1, 1, 1, 1, NULL, false},
    };
    tosajit_kernel *kernel = make_sum(TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC);
    for (int round = 0; round < 3; round++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            assert_int_equal(was_remembered(kernel, kinds[k]), round > 0);
    tosajit_kernel_release(kernel);
}

/* The first ones are kept; later ones are computed all the same. */
static void the_first_ones_are_kept(void **state) {
    tosajit_kernel *kernel = make_sum(TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC);
    int kept = 0;
    bool is_kept[201] = {false};
    for (int64_t rows = 1; rows <= 200; rows++) {
        const call c = {rows, 5, 1, 5, NULL, false};
        assert_false(was_remembered(kernel, c));
        kept += is_kept[rows] = was_remembered(kernel, c);
    }
    assert_int_equal(kept, 48);
    for (int64_t rows = 1; rows <= 200; rows++)
        assert_int_equal(was_remembered(kernel, (call){rows, 5, 1, 5, NULL, false}), is_kept[rows]);
    tosajit_kernel_release(kernel);
}

static void static_ones_know_a_few(void **state) {
    static const int64_t strides[][2] = {{200, 4}, {204, 4}, {208, 4}};
    tosajit_kernel *kernel = make_sum(6, 9);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(was_remembered(kernel, (call){6, 9, 6, 9, NULL, false}), round);
        assert_int_equal(was_remembered(kernel, (call){6, 9, 6, 9, NULL, true}), round);
        for (int k = 0; k < 3; k++)
            assert_int_equal(was_remembered(kernel, (call){6, 9, 6, 9, strides[k], false}),
                             round && k < 2);
    }
    tosajit_kernel_release(kernel);
}

/* ---------------------------------------------------------------------------------------------
 * Staged kernels: y = x - sum(x, axis=1), in two parts */

TOSAJIT_CODE static void row_sums(const void *context, void *const *pointers,
                                  const int64_t *strides, int64_t planes, int64_t rows,
                                  int64_t cols) {
    enum { X, S };
    (void)context;
    calls++;
    assert_int_equal(planes, 1);
    for (int64_t r = 0; r < rows; r++) {
        float all = 0;
        for (int64_t c = 0; c < cols; c++)
            all += *(float *)((char *)pointers[X] + r * strides[2 * X] + c * strides[2 * X + 1]);
        *(float *)((char *)pointers[S] + r * strides[2 * S]) = all;
    }
}

TOSAJIT_CODE static void differences(const void *context, void *const *pointers,
                                     const int64_t *strides, int64_t planes, int64_t rows,
                                     int64_t cols) {
    (void)context;
    calls++;
    assert_int_equal(planes, 1);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            char *at[TENSORS];
            for (int t = 0; t < TENSORS; t++)
                at[t] = (char *)pointers[t] + r * strides[2 * t] + c * strides[2 * t + 1];
            *(float *)at[R] = *(float *)at[A] - *(float *)at[B];
        }
}

static const code_part stages[] = {{row_sums, NULL, false, false},
                                   {differences, NULL, false, false}};
static const kernel_code staged_code = {.parts = stages};

static tosajit_kernel *make_staged(void) {
    const tosajit_tensor_type type =
        tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
    const tosajit_attributes last = {.axis = 1};
    tosajit_expr *expr;
    tosajit_value x, s, y;
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_reduce_sum, &x, 1, &last, NULL, &s),
                     TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_sub, (tosajit_value[]){x, s}, 2, NULL, NULL, &y),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, y), TOSAJIT_OK);
    assert_int_equal(kernel_create(expr, &expr->allocator, &(program_aids){0}, &kernel),
                     TOSAJIT_OK);
    tosajit_expr_destroy(expr);
    assert_true(kernel->staged);
    atomic_store(&kernel->code, &staged_code);
    return kernel;
}

/* Run it on x at A, y at `to`; whether it was remembered, and is computed right both ways. */
static bool staged_was_remembered(tosajit_kernel *kernel, int64_t rows, int64_t columns,
                                  const int64_t *strides, float *to) {
    const int64_t dims[2] = {rows, columns}, dense[2] = {4 * columns, 4};
    tosajit_tensor x = tosajit_dense(TOSAJIT_F32, memory[A], 2, dims),
                   y = tosajit_dense(TOSAJIT_F32, to, 2, dims);
    x.strides = strides;
    for (int k = 0; k < MOST; k++) memory[A][k] = (float)(k % 100);
    calls = 0;
    const bool remembered = call_cache_run(kernel, stages, &x, &y);
    assert_int_equal(calls, remembered ? 2 : 0);
    if (!remembered) assert_int_equal(tosajit_run(kernel, &x, 1, &y, 1), TOSAJIT_OK);
    if (!strides) strides = dense;
    for (int64_t r = 0; r < rows; r++) {
        float all = 0;
        for (int64_t k = 0; k < columns; k++)
            all += (float)((r * strides[0] + k * strides[1]) / 4 % 100);
        for (int64_t k = 0; k < columns; k++)
            assert_true(to[r * columns + k] ==
                        (float)((r * strides[0] + k * strides[1]) / 4 % 100) - all);
    }
    return remembered;
}

/* Calls of one block are remembered, in place, too, unless its tensors share memory otherwise. */
static void blocks_are_remembered(void **state) {
    static const int64_t wide[] = {400, 4}, wider[] = {440, 4};
    tosajit_kernel *kernel = make_staged();
    for (int round = 0; round < 3; round++) {
        assert_int_equal(staged_was_remembered(kernel, 5, 7, NULL, memory[R]), round > 0);
        assert_int_equal(staged_was_remembered(kernel, 5, 7, NULL, memory[B] + round), true);
        assert_int_equal(staged_was_remembered(kernel, 1, 64, NULL, memory[R]), round > 0);
        assert_int_equal(staged_was_remembered(kernel, 5, 7, wide, memory[R]), round > 0);
        assert_int_equal(staged_was_remembered(kernel, 5, 7, wider, memory[R]), round > 0);
        assert_int_equal(staged_was_remembered(kernel, 5, 7, NULL, memory[A]), round > 0);
        assert_false(staged_was_remembered(kernel, 2600, 3, NULL, memory[R])); /* blocks */
    }
    tosajit_kernel_release(kernel);
}

/* transpose(x) + y: seen through its view, a call is remembered by the sizes that the caller has.
 */
static void views_are_remembered(void **state) {
    const tosajit_tensor_type type =
        tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
    const tosajit_attributes turned = {.numbers = (int64_t[]){1, 0}, .number_count = 2};
    tosajit_expr *expr;
    tosajit_value x, y;
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &y), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_transpose, &x, 1, &turned, NULL, &x),
                     TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, y}, 2, NULL, NULL, &x),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, x), TOSAJIT_OK);
    assert_int_equal(kernel_create(expr, &expr->allocator, &(program_aids){0}, &kernel),
                     TOSAJIT_OK);
    tosajit_expr_destroy(expr);
    assert_non_null(kernel->views);
    atomic_store(&kernel->code, &code);
    for (int round = 0; round < 3; round++)
        for (int64_t rows = 2; rows < 4; rows++) {
            const int64_t dims[2] = {rows, 5}, turned_dims[2] = {5, rows};
            const tosajit_tensor in[2] = {tosajit_dense(TOSAJIT_F32, memory[A], 2, turned_dims),
                                          tosajit_dense(TOSAJIT_F32, memory[B], 2, dims)},
                                 out = tosajit_dense(TOSAJIT_F32, memory[R], 2, dims);
            for (int k = 0; k < MOST; k++) memory[A][k] = (float)k, memory[B][k] = (float)(k * 100);
            const bool remembered = call_cache_run(kernel, parts, in, &out);
            assert_int_equal(remembered, round > 0);
            if (!remembered) assert_int_equal(tosajit_run(kernel, in, 2, &out, 1), TOSAJIT_OK);
            for (int64_t r = 0; r < rows; r++)
                for (int64_t c = 0; c < 5; c++)
                    assert_true(memory[R][r * 5 + c] == (float)(c * rows + r + (r * 5 + c) * 100));
        }
    tosajit_kernel_release(kernel);
}

static void shared_memory_is_refused(void **state) {
    const int64_t dims[2] = {5, 7};
    tosajit_kernel *kernel = make_staged();
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, memory[A], 2, dims),
                         y = tosajit_dense(TOSAJIT_F32, memory[A] + 34, 2, dims);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(tosajit_run(kernel, &x, 1, &y, 1), TOSAJIT_OVERLAP);
        assert_int_equal(staged_was_remembered(kernel, 5, 7, NULL, memory[A] + 35), round > 0);
    }
    tosajit_kernel_release(kernel);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(each_kind_is_remembered), TEST(the_first_ones_are_kept),
                    TEST(static_ones_know_a_few), TEST(blocks_are_remembered),
                    TEST(views_are_remembered), TEST(shared_memory_is_refused));
}
