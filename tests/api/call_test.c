/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of a kernel as a host program makes them: in place, empty, of several results and spaces,
 * raw, with contracts. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)
#define DYN TOSAJIT_DYNAMIC

static void exactly_in_place_is_fine(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    float a[100], b[100];
    for (int k = 0; k < 100; k++) a[k] = (float)k, b[k] = 1000;
    tosajit_tensor operands[2] = {host_tensor(a, 10, 10), host_tensor(b, 10, 10)};
    CHECK(tosajit_run(kernel, operands, 2, &operands[0], 1));
    /* b = (a + b) + b, of the a just written. */
    CHECK(tosajit_run(kernel, operands, 2, &operands[1], 1));
    for (int k = 0; k < 100; k++) assert_true(a[k] == (float)k + 1000 && b[k] == (float)k + 2000);
    /* The even and the odd columns of one matrix share no byte. */
    int64_t strides[2] = {40, 8};
    tosajit_tensor even = host_tensor(a, 10, 5), odd = host_tensor(a + 1, 10, 5);
    even.strides = odd.strides = strides;
    CHECK(tosajit_run(kernel, (tosajit_tensor[]){even, even}, 2, &odd, 1));
    for (int k = 0; k < 100; k += 2) assert_true(a[k + 1] == 2 * a[k]);
    /* Nor do its left and right halves. */
    const int64_t halves[2] = {40, 4}, moved[2] = {40, -4};
    tosajit_tensor left = host_tensor(a, 10, 5), right = host_tensor(a + 5, 10, 5),
                   touching = host_tensor(a + 4, 10, 5), mirrored = host_tensor(a + 9, 10, 5);
    left.strides = right.strides = touching.strides = halves;
    mirrored.strides = moved;
    CHECK(tosajit_run(kernel, (tosajit_tensor[]){left, left}, 2, &right, 1));
    for (int k = 0; k < 50; k++)
        assert_true(a[k / 5 * 10 + 5 + k % 5] == 2 * a[k / 5 * 10 + k % 5]);
    host_assert_error(tosajit_run(kernel, (tosajit_tensor[]){left, left}, 2, &touching, 1),
                      TOSAJIT_OVERLAP, "share memory");
    CHECK(tosajit_run(kernel, (tosajit_tensor[]){left, left}, 2, &mirrored, 1));
    for (int k = 0; k < 50; k++)
        assert_true(a[k / 5 * 10 + 9 - k % 5] == 2 * a[k / 5 * 10 + k % 5]);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Two results of one static size, of which the first has no operand that a call could size
 * wrongly: what the second reads is checked all the same. */
static void results_of_one_size_have_their_own_operands(void **state) {
    static const tosajit_backend backends[] = {TOSAJIT_BACKEND_AUTO, TOSAJIT_BACKEND_INTERPRET};
    static const char *const texts[] = {
        "y: f32[4,3], x: f32[?,?]; a = y * y; b = x + y",
        "y: f32[4,3], x: f32[?,?]; m = sum(y, axis=1); a = y - m; b = exp(x + y) * m"};
    float x[12] = {0}, y[12] = {0}, a[12], b[12], untouched[12];
    memset(untouched, 0x5b, sizeof untouched);
    for (size_t k = 0; k < 4; k++) {
        tosajit_engine *engine = host_engine(backends[k % 2], NULL);
        const char *text = texts[k / 2];
        tosajit_expr *expr;
        tosajit_kernel *kernel;
        CHECK(tosajit_expr_parse(text, strlen(text), NULL, &expr));
        CHECK(tosajit_compile_expr(engine, expr, &kernel));
        tosajit_tensor operands[2] = {host_tensor(y, 4, 3), host_tensor(x, 3, 3)};
        const tosajit_tensor results[2] = {host_tensor(a, 4, 3), host_tensor(b, 4, 3)};
        memcpy(a, untouched, sizeof a);
        memcpy(b, untouched, sizeof b);
        host_assert_error(
            tosajit_run(kernel, operands, 2, results, 2), TOSAJIT_SHAPE_MISMATCH,
            "operand 1 dimension 0: size 3 does not broadcast with the static size 4");
        assert_memory_equal(a, untouched, sizeof a);
        assert_memory_equal(b, untouched, sizeof b);
        operands[1] = host_tensor(x, 4, 1);
        CHECK(tosajit_run(kernel, operands, 2, results, 2));
        assert_true(a[11] == 0 && b[11] == 0);
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
        tosajit_engine_destroy(engine);
    }
}

/* Rows that no vector divides are collapsed in place, where they are not elsewhere: a remembered
 * call of the one must not serve the other. */
static void rows_of_any_length_in_place(void **state) {
    enum { MOST_ROWS = 300, MOST_COLUMNS = 250 };
    static const int64_t rows[] = {1, 2, 9, MOST_ROWS},
                         columns[] = {3, 11, 16, 17, 64, 100, MOST_COLUMNS};
    static float x[MOST_ROWS * MOST_COLUMNS],
        y[MOST_COLUMNS > MOST_ROWS ? MOST_COLUMNS : MOST_ROWS], apart[MOST_ROWS * MOST_COLUMNS],
        in_place[MOST_ROWS * MOST_COLUMNS];
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) x[k] = (float)k;
    for (size_t k = 0; k < sizeof y / sizeof *y; k++) y[k] = (float)k * 0.5f;
    for (int is_static = 0; is_static < 2; is_static++)
        for (size_t n = 0; n < sizeof rows / sizeof *rows * (sizeof columns / sizeof *columns) * 2;
             n++) {
            const int64_t r = rows[n / 2 % 4], c = columns[n / 8],
                          other[2] = {n % 2 ? r : 1, n % 2 ? 1 : c};
            const tosajit_tensor_type types[2] = {is_static ? host_type(r, c) : host_type(DYN, DYN),
                                                  is_static ? host_type(other[0], other[1])
                                                            : host_type(DYN, DYN)};
            tosajit_kernel *kernel;
            CHECK(tosajit_compile(engine, TOSAJIT_OP_sub, types, 2, NULL, NULL, &kernel));
            tosajit_tensor operands[2] = {host_tensor(x, r, c), host_tensor(y, other[0], other[1])},
                           result = host_tensor(apart, r, c);
            for (int turn = 0; turn < 2; turn++) {
                memcpy(in_place, x, sizeof x);
                memset(apart, 0, sizeof apart);
                tosajit_tensor own = host_tensor(in_place, r, c);
                CHECK(tosajit_run(kernel, (tosajit_tensor[]){own, operands[1]}, 2, &own, 1));
                CHECK(tosajit_run(kernel, operands, 2, &result, 1));
                for (int64_t k = 0; k < r * c; k++) {
                    const float expected = x[k] - y[n % 2 ? k / c : k % c];
                    if (apart[k] != expected || in_place[k] != expected)
                        fail_msg("%d x %d: element %d", (int)r, (int)c, (int)k);
                }
                assert_memory_equal(in_place + r * c, x + r * c,
                                    sizeof x - (size_t)(r * c) * sizeof *x);
            }
            tosajit_kernel_release(kernel);
        }
    tosajit_engine_destroy(engine);
}

static void empty_tensors_need_no_memory(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    float b[3] = {0};
    tosajit_tensor operands[2] = {host_tensor(NULL, 0, 3), host_tensor(b, 1, 3)},
                   result = host_tensor(NULL, 0, 3), wrong = host_tensor(b, 1, 3);
    CHECK(tosajit_run(kernel, operands, 2, &result, 1));
    host_assert_error(tosajit_run(kernel, operands, 2, &wrong, 1), TOSAJIT_SHAPE_MISMATCH,
                      "the given size is 1, but the operands give 0");
    operands[1] = host_tensor(b, 2, 3);
    host_assert_error(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_SHAPE_MISMATCH, "2");
    int32_t rank = -1;
    int64_t sizes[TOSAJIT_MAX_RANK];
    operands[1] = host_tensor(NULL, 1, 1);
    CHECK(tosajit_kernel_result_dims(kernel, operands, 2, 0, &rank, sizes));
    assert_int_equal(rank, 2);
    assert_true(sizes[0] == 0 && sizes[1] == 3);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Of the kernel below: 2x3, 1x3 and 2x3 for these operands. */
static void all_sizes_are_told_at_once(const tosajit_kernel *kernel, tosajit_tensor *operands) {
    static const int64_t expected[3][2] = {{2, 3}, {1, 3}, {2, 3}};
    int64_t dims[3][TOSAJIT_MAX_RANK];
    tosajit_tensor results[3];
    CHECK(tosajit_kernel_results(kernel, operands, 2, results, 3, dims));
    for (int r = 0; r < 3; r++) {
        assert_true(results[r].element == TOSAJIT_F32 && results[r].rank == 2);
        assert_true(!results[r].data && !results[r].strides && results[r].dims == dims[r]);
        assert_memory_equal(dims[r], expected[r], sizeof expected[r]);
    }
    operands[1].dims = (int64_t[]){4, 3};
    host_assert_error(tosajit_kernel_results(kernel, operands, 2, results, 3, dims),
                      TOSAJIT_SHAPE_MISMATCH, "4");
    host_assert_error(tosajit_kernel_results(kernel, operands, 2, results, 2, dims),
                      TOSAJIT_INVALID_ARGUMENT, "3 results, not 2");
    host_assert_error(tosajit_kernel_results(kernel, operands, 1, results, 3, dims),
                      TOSAJIT_INVALID_ARGUMENT, "2 operands, not 1");
    host_assert_error(tosajit_kernel_results(kernel, NULL, 2, results, 3, dims),
                      TOSAJIT_INVALID_ARGUMENT, "null");
    host_assert_error(tosajit_kernel_results(kernel, operands, 2, results, 3, NULL),
                      TOSAJIT_INVALID_ARGUMENT, "null");
}

/* Two results of one iteration space, a third of another. */
static void several_results_of_several_spaces(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_expr *expr;
    tosajit_value x, row, sum, product, negated;
    tosajit_tensor_type type = host_type(DYN, 3), row_type = host_type(1, 3);
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_input(expr, &row_type, &row));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_negate, &row, 1, NULL, NULL, &negated));
    CHECK(
        tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, negated}, 2, NULL, NULL, &sum));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){sum, sum}, 2, NULL, NULL,
                          &product));
    CHECK(tosajit_expr_result(expr, product));
    CHECK(tosajit_expr_result(expr, negated));
    CHECK(tosajit_expr_result(expr, sum));
    tosajit_kernel *kernel;
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    assert_int_equal(tosajit_kernel_part_count(kernel), 2);
    float a[6] = {1, 2, 3, 4, 5, 6}, b[3] = {1, 2, 4}, p[6], n[3], s[6];
    tosajit_tensor operands[2] = {host_tensor(a, 2, 3), host_tensor(b, 1, 3)};
    tosajit_tensor results[3] = {host_tensor(p, 2, 3), host_tensor(n, 1, 3), host_tensor(s, 2, 3)};
    CHECK(tosajit_run(kernel, operands, 2, results, 3));
    for (int k = 0; k < 6; k++)
        assert_true(s[k] == a[k] - b[k % 3] && p[k] == s[k] * s[k] && n[k % 3] == -b[k % 3]);
    all_sizes_are_told_at_once(kernel, operands);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* A pool that counts, on the caller's thread. */
static void count_loops(void *context, size_t count, void (*task)(void *argument, size_t index),
                        void *argument) {
    ++*(int *)context;
    for (size_t k = count; k-- > 0;) task(argument, k);
}

/* Each call has its own; short ones need none, and what is remembered of a call is nobody's. */
static void threads_may_come_with_the_call(void **state) {
    enum { ROWS = 1000, COLUMNS = 1000, COUNT = ROWS * COLUMNS };
    int engines = 0, mine = 0;
    const tosajit_parallel engines_pool = {count_loops, &engines, 2},
                           pool = {count_loops, &mine, 3}, one = {count_loops, &mine, 1},
                           none = {NULL, NULL, 4};
    tosajit_engine *engine;
    tosajit_engine_options options = {.size = sizeof options, .parallel = &engines_pool};
    CHECK(tosajit_engine_create(&options, &engine));
    tosajit_kernel *kernel = host_add_kernel(engine);
    float *a = malloc(COUNT * sizeof *a), *r = malloc(COUNT * sizeof *r);
    assert_true(a && r);
    for (int k = 0; k < COUNT; k++) a[k] = (float)k;
    const tosajit_tensor operands[2] = {host_tensor(a, ROWS, COLUMNS), host_tensor(a, 1, COLUMNS)},
                         result = host_tensor(r, ROWS, COLUMNS), row = host_tensor(r, 1, COLUMNS);
    static const struct {
        int loops, engines;
    } expected[] = {{1, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 1}};
    const tosajit_parallel *pools[] = {&pool, &one, NULL, &none};
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < 5; k++) {
            mine = engines = 0;
            memset(r, 0, COUNT * sizeof *r);
            CHECK(k < 4 ? tosajit_run_parallel(kernel, operands, 2, &result, 1, pools[k])
                        : tosajit_run(kernel, operands, 2, &result, 1));
            assert_true(mine == expected[k].loops && engines == expected[k].engines);
            int wrong = 0; /* a call of cmocka for each would be most of the time */
            for (int i = 0; i < COUNT; i++) wrong += r[i] != a[i] + a[i % COLUMNS];
            assert_int_equal(wrong, 0);
            CHECK(tosajit_run_parallel(kernel, (tosajit_tensor[]){operands[1], operands[1]}, 2,
                                       &row, 1, &pool));
            assert_true(mine == expected[k].loops && r[COLUMNS - 1] == 2 * (COLUMNS - 1));
        }
    host_assert_error(tosajit_run_parallel(kernel, operands, 2, &row, 1, &pool),
                      TOSAJIT_SHAPE_MISMATCH, "given size is 1");
    host_assert_error(tosajit_run_parallel(kernel, operands, 1, &result, 1, &pool),
                      TOSAJIT_INVALID_ARGUMENT, "2 operands, not 1");
    host_assert_error(tosajit_run_parallel(kernel, operands, 2, &result, 0, &pool),
                      TOSAJIT_INVALID_ARGUMENT, "1 results, not 0");
    host_assert_error(tosajit_run_parallel(NULL, operands, 2, &result, 1, &pool),
                      TOSAJIT_INVALID_ARGUMENT, "null");
    const tosajit_tensor shapeless = tosajit_dense(TOSAJIT_F32, r, 2, NULL),
                         deep = tosajit_dense(TOSAJIT_F32, r, 1 << 30, NULL);
    host_assert_error(tosajit_run_parallel(kernel, operands, 2, &shapeless, 1, &pool),
                      TOSAJIT_INVALID_ARGUMENT, "dims is a null pointer");
    host_assert_error(tosajit_run_parallel(kernel, operands, 2, &deep, 1, &pool),
                      TOSAJIT_SHAPE_MISMATCH, "rank");
    free(a), free(r);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* No single tensor says if a call is short: a product of a column and a row is larger than
 * both, one result may be smaller than another, and a long row becomes one element. */
static void all_sizes_ask_for_threads(void **state) {
    enum { N = 3000, COUNT = 1 << 20 };
    static const struct {
        const char *text;
        int64_t dims[2][2], made[2][2];
        size_t results;
    } calls[] = {
        {"sum(x * y, axis=1) : x: f32[?,1], y: f32[1,?]", {{N, 1}, {1, N}}, {{N, 1}}, 1},
        {"a = x + 1; b = y * 2; a; b : x: f32[?,?], y: f32[?,?]",
         {{2, 2}, {1, COUNT}},
         {{2, 2}, {1, COUNT}},
         2},
        {"sum(x + y, axis=1) : x: f32[1,?], y: f32[1,?]", {{1, COUNT}, {1, COUNT}}, {{1, 1}}, 1},
    };
    int engines, mine;
    const tosajit_parallel engines_pool = {count_loops, &engines, 2},
                           pool = {count_loops, &mine, 2};
    tosajit_engine *engine;
    tosajit_engine_options options = {.size = sizeof options, .parallel = &engines_pool};
    CHECK(tosajit_engine_create(&options, &engine));
    float *memory[4];
    for (int t = 0; t < 4; t++) assert_non_null(memory[t] = calloc(COUNT, sizeof **memory));
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        tosajit_expr *expr;
        tosajit_kernel *kernel;
        tosajit_tensor tensors[4];
        CHECK(tosajit_expr_parse(calls[k].text, strlen(calls[k].text), NULL, &expr));
        CHECK(tosajit_compile_expr(engine, expr, &kernel));
        CHECK(tosajit_kernel_wait(kernel));
        for (int t = 0; t < 2; t++) {
            tensors[t] = tosajit_dense(TOSAJIT_F32, memory[t], 2, calls[k].dims[t]);
            tensors[2 + t] = tosajit_dense(TOSAJIT_F32, memory[2 + t], 2, calls[k].made[t]);
        }
        for (int alone = 0; alone < 2; alone++) {
            engines = mine = 0;
            CHECK(tosajit_run_parallel(kernel, tensors, 2, tensors + 2, calls[k].results,
                                       alone ? NULL : &pool));
            assert_true(engines == 0 && (mine > 0) == !alone);
        }
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
    }
    for (int t = 0; t < 4; t++) free(memory[t]);
    tosajit_engine_destroy(engine);
}

/* Threads "as many as you like" divide rows, and what must be kept for each of them is kept. */
static void any_number_of_threads_shares_rows(void **state) {
    enum { ROWS = 500, COLUMNS = 2000, COUNT = ROWS * COLUMNS };
    static const size_t threads[] = {1, 3, 1 << 10, SIZE_MAX / 2, SIZE_MAX};
    static const char text[] = "softmax(x) : x: f32[?,?]";
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    float *memory[3];
    CHECK(tosajit_expr_parse(text, strlen(text), NULL, &expr));
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    CHECK(tosajit_kernel_wait(kernel));
    for (int t = 0; t < 3; t++) assert_non_null(memory[t] = calloc(COUNT, sizeof **memory));
    for (int k = 0; k < COUNT; k++) memory[0][k] = (float)(k % 97) / 16;
    for (int64_t rows = ROWS; rows > 0; rows = rows == 1 ? 0 : 1) {
        const int64_t columns = COUNT / rows;
        const tosajit_tensor x = host_tensor(memory[0], rows, columns),
                             alone = host_tensor(memory[1], rows, columns),
                             shared = host_tensor(memory[2], rows, columns);
        CHECK(tosajit_run(kernel, &x, 1, &alone, 1));
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
            int loops = 0;
            const tosajit_parallel pool = {count_loops, &loops, threads[k]};
            memset(memory[2], 0, COUNT * sizeof **memory);
            CHECK(tosajit_run_parallel(kernel, &x, 1, &shared, 1, &pool));
            assert_int_equal(loops > 0, threads[k] > 1);
            assert_memory_equal(memory[1], memory[2], COUNT * sizeof **memory);
        }
    }
    for (int t = 0; t < 3; t++) free(memory[t]);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

/* A call without an element. */
static void compute_nothing(const tosajit_kernel *kernel, const int64_t *dims) {
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, NULL, 2, dims);
    tosajit_explanation e = {.size = sizeof e};
    char *text = NULL;
    CHECK(tosajit_run(kernel, &x, 1, &x, 1));
    CHECK(tosajit_explain(kernel, &x, 1, &x, 1, &e, &text));
    assert_true(e.elements == 0 && e.bytes == 0);
    assert_non_null(strstr(text, "nothing is computed"));
    tosajit_text_release(text);
}

/* No element needs no memory and no time, however large another size is, and in whatever form. */
static void nothing_is_soon_computed(void **state) {
    static const int64_t dims[][2] = {{0, INT64_MAX / 8}, {0, INT64_MAX}, {INT64_MAX / 8, 0},
                                      {INT64_MAX, 0},     {0, 0},         {7, 0}};
    static const char *const texts[] = {"softmax(x) : x: f32[?,?]",
                                        "softmax(x, axis=0) : x: f32[?,?]",
                                        "x - sum(exp(x - max(x)), axis=0) : x: f32[?,?]"};
    static const tosajit_backend backends[] = {TOSAJIT_BACKEND_AUTO, TOSAJIT_BACKEND_INTERPRET,
                                               TOSAJIT_BACKEND_PRECOMPILED};
    for (size_t k = 0; k < sizeof backends / sizeof *backends * 3; k++) {
        tosajit_engine *engine = host_engine(backends[k / 3], NULL);
        tosajit_expr *expr;
        tosajit_kernel *kernel;
        CHECK(tosajit_expr_parse(texts[k % 3], strlen(texts[k % 3]), NULL, &expr));
        CHECK(tosajit_compile_expr(engine, expr, &kernel));
        CHECK(tosajit_kernel_wait(kernel));
        for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) compute_nothing(kernel, dims[d]);
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
        tosajit_engine_destroy(engine);
    }
}

/* More tensors than a call remembers sizes for. */
static void many_operands_of_any_size(void **state) {
    enum { OPERANDS = 12, MOST = 40 };
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){DYN, DYN});
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    tosajit_value sum, input;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &sum));
    for (int k = 1; k < OPERANDS; k++) {
        CHECK(tosajit_expr_input(expr, &type, &input));
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){sum, input}, 2, NULL, NULL,
                              &sum));
    }
    CHECK(tosajit_expr_result(expr, sum));
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    static const int64_t sizes[][2] = {{1, 1}, {1, 5}, {5, 1}, {4, 10}, {1, 1}};
    float data[OPERANDS][MOST], result[MOST];
    for (int k = 0; k < OPERANDS * MOST; k++) data[k / MOST][k % MOST] = (float)k;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        tosajit_tensor operands[OPERANDS], to = host_tensor(result, sizes[s][0], sizes[s][1]);
        for (int k = 0; k < OPERANDS; k++)
            operands[k] = host_tensor(data[k], sizes[s][0], sizes[s][1]);
        CHECK(tosajit_run(kernel, operands, OPERANDS, &to, 1));
        for (int64_t i = 0; i < sizes[s][0] * sizes[s][1]; i++) {
            float expected = 0;
            for (int k = 0; k < OPERANDS; k++) expected += data[k][i];
            assert_true(result[i] == expected);
        }
    }
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

static void raw_entries_compute(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_NATIVE, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    tosajit_raw raw = {.size = sizeof raw};
    CHECK(tosajit_kernel_raw(kernel, 0, &raw));
    assert_int_equal(raw.operand_count, 2);
    assert_int_equal(raw.result_count, 1);
    float a[2][50], b[2] = {10, 20}, r[2][50];
    for (int k = 0; k < 100; k++) a[k / 50][k % 50] = (float)k;
    void *pointers[3] = {a, b, r};
    int64_t strides[6] = {200, 4, 4, 0, 200, 4}; /* b is a splat per row */
    bool known = false;
    for (int32_t v = 0; v < raw.variant_count; v++)
        known |= ((raw.variants[v].splat | raw.variants[v].either) & 3) == 2;
    assert_true(known);
    raw.entry(raw.context, pointers, strides, 1, 2, 50);
    for (int k = 0; k < 100; k++) assert_true(r[k / 50][k % 50] == (float)k + b[k / 50]);
    tosajit_kernel_info info = {.size = sizeof info};
    CHECK(tosajit_kernel_describe(kernel, &info));
    assert_true(info.code_bytes > 0 && info.codegen_ms > 0);
    host_assert_error(tosajit_kernel_raw(kernel, 1, &raw), TOSAJIT_INVALID_ARGUMENT, "part");
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Two planes of three rows of four columns; the operand's rows are one row, which every plane has
 * anew. */
static void raw_entries_walk_planes(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_NATIVE, NULL);
    tosajit_kernel *kernel, *flat = host_add_kernel(engine);
    tosajit_tensor_type type = tosajit_ranked(
        TOSAJIT_F32, 3, (int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
    CHECK(tosajit_compile(engine, TOSAJIT_OP_add, (tosajit_tensor_type[]){type, type}, 2, NULL,
                          NULL, &kernel));
    tosajit_raw raw = {.size = sizeof raw};
    CHECK(tosajit_kernel_raw(flat, 0, &raw));
    assert_false(raw.has_planes);
    CHECK(tosajit_kernel_raw(kernel, 0, &raw));
    assert_true(raw.has_planes);
    float a[2][4], b[2][3][4], r[2][3][4];
    for (int k = 0; k < 24; k++)
        b[k / 12][k / 4 % 3][k % 4] = (float)(100 * k),
                                 a[k / 12][k % 4] = (float)(k / 12 * 4 + k % 4);
    void *pointers[3] = {a, b, r};
    const int64_t strides[9] = {
        0, 4, 16, 4, 16, 4, /* from plane to plane, behind the last row: */ 16, 0, 0};
    raw.entry(raw.context, pointers, strides, 2, 3, 4);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 12; k++)
            assert_true(r[p][k / 4][k % 4] == a[p][k % 4] + b[p][k / 4][k % 4]);
    tosajit_kernel_release(kernel);
    tosajit_kernel_release(flat);
    tosajit_engine_destroy(engine);
}

/* a + b of ?x? with a promise about the columns of both. */
static tosajit_kernel *compile_contract(tosajit_engine *engine, const tosajit_contract *contract,
                                        char **plan) {
    tosajit_tensor_type type = host_type(DYN, DYN);
    tosajit_expr *expr;
    tosajit_value values[2], sum;
    tosajit_kernel *kernel = NULL;
    CHECK(tosajit_expr_create(NULL, &expr));
    for (int k = 0; k < 2; k++) {
        CHECK(tosajit_expr_input(expr, &type, &values[k]));
        if (contract) CHECK(tosajit_expr_contract(expr, values[k], 1, contract));
    }
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, values, 2, NULL, NULL, &sum));
    CHECK(tosajit_expr_result(expr, sum));
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    CHECK(tosajit_print(engine, expr, TOSAJIT_VIEW_PLAN, plan));
    tosajit_expr_destroy(expr);
    return kernel;
}

static void contracts_are_checked_and_used(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_NATIVE, NULL);
    const tosajit_contract contract = {.smallest = 16, .largest = 320, .multiple = 16};
    char *free_plan, *plan;
    tosajit_kernel *unbound = compile_contract(engine, NULL, &free_plan),
                   *bound = compile_contract(engine, &contract, &plan);
    assert_non_null(strstr(free_plan, "loop 2"));
    assert_null(strstr(plan, "loop 1"));
    assert_null(strstr(plan, "tensor.dim %arg0, 1"));
    assert_non_null(strstr(plan, "columns: a multiple of 16"));
    tosajit_kernel_info info[2] = {{.size = sizeof *info}, {.size = sizeof *info}};
    CHECK(tosajit_kernel_describe(unbound, &info[0]));
    CHECK(tosajit_kernel_describe(bound, &info[1]));
    assert_true(info[1].code_bytes < info[0].code_bytes / 2);
    tosajit_raw raw = {.size = sizeof raw};
    CHECK(tosajit_kernel_raw(bound, 0, &raw));
    assert_int_equal(raw.cols_multiple, 16);

    static float a[5 * 320], b[5 * 320], r[5 * 320], expected[5 * 320];
    for (int k = 0; k < 5 * 320; k++) a[k] = (float)k, b[k] = 1.0f / (float)(k + 1);
    for (int64_t cols = 16; cols <= 320; cols += 16)
        for (int64_t rows = 1; rows <= 5; rows += 4)
            for (int strided = 0; strided < 2; strided++) {
                const int64_t strides[2] = {4, 4 * rows};
                tosajit_tensor operands[2] = {host_tensor(a, rows, cols), host_tensor(b, 1, cols)},
                               result = host_tensor(expected, rows, cols);
                if (strided) operands[0].strides = strides;
                CHECK(tosajit_run(unbound, operands, 2, &result, 1));
                result.data = r;
                CHECK(tosajit_run(bound, operands, 2, &result, 1));
                assert_memory_equal(r, expected, (size_t)(rows * cols) * sizeof *r);
            }
    const int64_t wrong[] = {0, 1, 15, 17, 336};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        tosajit_tensor x = host_tensor(a, 1, wrong[k]), result = host_tensor(r, 1, wrong[k]);
        host_assert_error(tosajit_run(bound, (tosajit_tensor[]){x, x}, 2, &result, 1),
                          TOSAJIT_SHAPE_MISMATCH, "against the contract");
    }
    const tosajit_contract impossible = {.smallest = 17, .largest = 31, .multiple = 16};
    tosajit_expr *expr;
    tosajit_value x;
    tosajit_tensor_type type = host_type(4, DYN);
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    host_assert_error(tosajit_expr_contract(expr, x, 1, &impossible), TOSAJIT_INVALID_ARGUMENT,
                      "no multiple of 16 is in 17..31");
    host_assert_error(tosajit_expr_contract(expr, x, 0, &contract), TOSAJIT_INVALID_ARGUMENT,
                      "no dynamic dimension 0");
    host_assert_error(tosajit_expr_contract(expr, 7, 0, &contract), TOSAJIT_INVALID_ARGUMENT,
                      "7 is not an input");
    for (size_t k = 0; k < sizeof contract.reserved / sizeof *contract.reserved; k++) {
        tosajit_contract later = contract;
        later.reserved[k] = 1;
        host_assert_error(tosajit_expr_contract(expr, x, 1, &later), TOSAJIT_INVALID_ARGUMENT,
                          "a reserved member is not 0");
    }
    tosajit_expr_destroy(expr);
    tosajit_text_release(free_plan);
    tosajit_text_release(plan);
    tosajit_kernel_release(unbound);
    tosajit_kernel_release(bound);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(exactly_in_place_is_fine),
                    TEST(results_of_one_size_have_their_own_operands),
                    TEST(rows_of_any_length_in_place), TEST(empty_tensors_need_no_memory),
                    TEST(several_results_of_several_spaces), TEST(threads_may_come_with_the_call),
                    TEST(all_sizes_ask_for_threads), TEST(any_number_of_threads_shares_rows),
                    TEST(nothing_is_soon_computed), TEST(many_operands_of_any_size),
                    TEST(raw_entries_compute), TEST(raw_entries_walk_planes),
                    TEST(contracts_are_checked_and_used));
}
