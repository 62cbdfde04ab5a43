/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows begin and end anywhere: results at several places within a cache line, of all lengths around
 * the vectors' and their steps', apart from the operands or in place of one, on every level of the
 * machine. Each bit is compared with the interpreter's, and no byte beside is written. In: nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"

/* Rows of dense tensors lie one behind the other, so that those of three begin elsewhere. */
enum { LINE = 64, ROOM = 400 * LINE, MOST_ROWS = 3, BESIDE = 0x5a };

/* A program on operands of one shape. The first operand has the first result's type, and is what is
 * overwritten. */
typedef struct row {
    const char *name;
    tosajit_op first, second; /* of the operands; of its result and the last operand, or the same */
    tosajit_type operands[3], result;
    int operand_count, result_count; /* of one or of both ops */
} row;

#define SAME(op) TOSAJIT_OP_##op, TOSAJIT_OP_##op
static const row rows[] = {
    {"add f32", SAME(add), {TOSAJIT_F32, TOSAJIT_F32}, TOSAJIT_F32, 2, 1},
    {"abs f32", SAME(abs), {TOSAJIT_F32}, TOSAJIT_F32, 1, 1},
    {"and i8", SAME(bitwise_and), {TOSAJIT_I8, TOSAJIT_I8}, TOSAJIT_I8, 2, 1},
    {"shift i16", SAME(logical_right_shift), {TOSAJIT_I16, TOSAJIT_I16}, TOSAJIT_I16, 2, 1},
    {"add f16", SAME(add), {TOSAJIT_F16, TOSAJIT_F16}, TOSAJIT_F16, 2, 1},
    {"add f64", SAME(add), {TOSAJIT_F64, TOSAJIT_F64}, TOSAJIT_F64, 2, 1},
    {"xor i1", SAME(logical_xor), {TOSAJIT_I1, TOSAJIT_I1}, TOSAJIT_I1, 2, 1},
    {"select i8", SAME(select), {TOSAJIT_I1, TOSAJIT_I8, TOSAJIT_I8}, TOSAJIT_I8, 3, 1},
    {"greater f32", SAME(greater), {TOSAJIT_F32, TOSAJIT_F32}, TOSAJIT_I1, 2, 1},
    {"add, mul f32", TOSAJIT_OP_add, TOSAJIT_OP_mul, {TOSAJIT_F32, TOSAJIT_F32}, TOSAJIT_F32, 2, 2},
    {"rsqrt f32", SAME(rsqrt), {TOSAJIT_F32}, TOSAJIT_F32, 1, 1},
    {"intdiv i32", SAME(intdiv), {TOSAJIT_I32, TOSAJIT_I32}, TOSAJIT_I32, 2, 1},
    {"exp f32", SAME(exp), {TOSAJIT_F32}, TOSAJIT_F32, 1, 1},
    {"exp f16", SAME(exp), {TOSAJIT_F16}, TOSAJIT_F16, 1, 1},
};

/* Short ones all, then what a loop of one, two or four vectors of 2 to 64 lanes leaves. */
static const int64_t lengths[] = {71,  72,  80,  95,  96,  97,  127, 128, 129, 130,  143,
                                  144, 145, 191, 255, 256, 257, 300, 511, 513, 1023, 1040};
enum { SHORT = 70, LENGTHS = SHORT + (int)(sizeof lengths / sizeof *lengths) };
static int64_t length_at(int k) { return k < SHORT ? k + 1 : lengths[k - SHORT]; }

/* Where results and operands begin, in bytes from a cache line. */
static const int64_t places[][2] = {{0, 0}, {4, 4}, {16, 16}, {16, 0}, {4, 0}, {1, 0}, {8, 24}};
enum { PLACES = (int)(sizeof places / sizeof *places), TENSORS = 5 };

typedef struct fixture {
    test_engine engines[TEST_MAX_ENGINES];
    size_t engine_count;
    unsigned char *memory[TENSORS], *expected[2]; /* operands, then results */
    unsigned char operands[3][ROOM];
} fixture;

static tosajit_kernel *compile(const test_engine *engine, const row *r, int64_t rank_rows,
                               int64_t cols) {
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_value values[3], result;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    for (int k = 0; k < r->operand_count; k++) {
        const tosajit_tensor_type type =
            tosajit_ranked(r->operands[k], 2, (int64_t[]){rank_rows, cols});
        assert_int_equal(tosajit_expr_input(expr, &type, &values[k]), TOSAJIT_OK);
    }
    assert_int_equal(
        tosajit_expr_op(expr, r->first, values, (size_t)r->operand_count, NULL, NULL, &result),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, result), TOSAJIT_OK);
    if (r->result_count > 1) {
        const tosajit_value both[2] = {result, values[1]};
        assert_int_equal(tosajit_expr_op(expr, r->second, both, 2, NULL, NULL, &result),
                         TOSAJIT_OK);
        assert_int_equal(tosajit_expr_result(expr, result), TOSAJIT_OK);
    }
    assert_int_equal(tosajit_compile_expr(engine->engine, expr, &kernel), TOSAJIT_OK);
    tosajit_expr_destroy(expr);
    return kernel;
}

/* One call; the results are left in memory[3] and [4], or the first in memory[0]. */
static void call(fixture *f, tosajit_kernel *kernel, const row *r, const int64_t *dims,
                 const int64_t *at, bool in_place) {
    tosajit_tensor operands[3], results[2];
    const size_t count = (size_t)(dims[0] * dims[1]);
    for (int k = 0; k < TENSORS; k++) memset(f->memory[k], BESIDE, 3 * LINE + 8 * count);
    for (int k = 0; k < r->operand_count; k++) {
        unsigned char *data = f->memory[k] + LINE + (in_place && k == 0 ? at[0] : at[1]);
        memcpy(data, f->operands[k], count * tosajit_type_size(r->operands[k]));
        operands[k] = tosajit_dense(r->operands[k], data, 2, dims);
    }
    for (int k = 0; k < r->result_count; k++)
        results[k] =
            tosajit_dense(r->result, f->memory[k || !in_place ? 3 + k : 0] + LINE + at[0], 2, dims);
    assert_int_equal(
        tosajit_run(kernel, operands, (size_t)r->operand_count, results, (size_t)r->result_count),
        TOSAJIT_OK);
}

static void compare(const fixture *f, const test_engine *engine, const row *r, const int64_t *dims,
                    const int64_t *at, bool in_place) {
    const size_t size = tosajit_type_size(r->result), bytes = (size_t)(dims[0] * dims[1]) * size,
                 begin = LINE + (size_t)at[0];
    for (int k = 0; k < r->result_count; k++) {
        const unsigned char *memory = f->memory[k || !in_place ? 3 + k : 0];
        bool same = true;
        for (size_t b = 0; b < bytes; b += size)
            same &= test_same(r->result, test_bits(r->result, memory + begin + b),
                              test_bits(r->result, f->expected[k] + LINE + b), 0);
        for (size_t b = 0; b < LINE; b++)
            same &= (b >= begin || memory[b] == BESIDE) && memory[begin + bytes + b] == BESIDE;
        if (!same)
            fail_msg("%s on %s, %d x %d, result %d at %d, operands at %d%s", r->name, engine->name,
                     (int)dims[0], (int)dims[1], k, (int)at[0], (int)at[1],
                     in_place ? ", in place" : "");
    }
}

/* All lengths, places and ways of one kernel, which has dynamic sizes, or one length. */
static void check(fixture *f, const test_engine *engine, const row *r, int64_t tensor_rows,
                  int64_t cols, tosajit_kernel *kernel, tosajit_kernel *oracle) {
    const int64_t dims[2] = {tensor_rows, cols}, aligned[2] = {0, 0};
    const bool replaces = tosajit_type_size(r->operands[0]) == tosajit_type_size(r->result);
    call(f, oracle, r, dims, aligned, false);
    for (int k = 0; k < r->result_count; k++) memcpy(f->expected[k], f->memory[3 + k], ROOM);
    for (int p = 0; p < PLACES; p++)
        for (int in_place = 0; in_place <= replaces; in_place++) {
            call(f, kernel, r, dims, places[p], in_place);
            compare(f, engine, r, dims, places[p], in_place);
        }
}

static void fill_operands(fixture *f, size_t k) {
    const row *r = &rows[k];
    test_random random = test_random_start(k);
    for (int o = 0; o < r->operand_count; o++)
        for (size_t b = 0; b < ROOM; b += tosajit_type_size(r->operands[o]))
            test_random_element(&random, r->operands[o], f->operands[o] + b);
}

static void rows_end_as_they_begin(void **state) {
    fixture *f = *state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const row *r = &rows[k];
        fill_operands(f, k);
        tosajit_kernel *oracle = compile(&f->engines[0], r, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC);
        for (size_t e = 1; e < f->engine_count; e++) {
            tosajit_kernel *kernel = compile(&f->engines[e], r, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC);
            for (int n = 0; n < LENGTHS; n++)
                check(f, &f->engines[e], r, n % 2 ? 1 : MOST_ROWS, length_at(n), kernel, oracle);
            tosajit_kernel_release(kernel);
        }
        tosajit_kernel_release(oracle);
    }
}

enum { TRANSPOSED = -1 /* in place of a gap */ };

/* A sum, or for bytes an and, of rows x cols and rows x 1, in place of the first. `gap` elements
 * lie between its rows. */
static void run_in_place(tosajit_kernel *kernel, tosajit_type type, const int64_t *dims,
                         int64_t gap, const void *column, void *data) {
    const int64_t size = (int64_t)tosajit_type_size(type), own[2] = {dims[0], 1},
                  apart[2] = {(dims[1] + gap) * size, size}, turned[2] = {size, dims[0] * size};
    tosajit_tensor operands[2] = {tosajit_dense(type, data, 2, dims),
                                  tosajit_dense(type, (void *)(uintptr_t)column, 2, own)};
    if (gap) operands[0].strides = gap == TRANSPOSED ? turned : apart;
    tosajit_tensor result = operands[0];
    assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_OK);
}

/* One call, by code and by the interpreter. */
static void check_in_place(fixture *f, const test_engine *engine, tosajit_type type,
                           const int64_t *dims, int64_t gap, tosajit_kernel *kernel,
                           tosajit_kernel *oracle) {
    const size_t size = tosajit_type_size(type);
    test_random random = test_random_start((uint64_t)dims[1]);
    if ((size_t)(dims[0] * (dims[1] + gap)) * size > ROOM) return;
    for (size_t b = 0; b < ROOM; b += size) {
        test_random_element(&random, type, f->memory[0] + b);
        test_random_element(&random, type, f->memory[1] + b);
    }
    memcpy(f->expected[0], f->memory[0], ROOM);
    run_in_place(oracle, type, dims, gap, f->memory[1], f->expected[0]);
    run_in_place(kernel, type, dims, gap, f->memory[1], f->memory[0]);
    for (size_t b = 0; b < ROOM; b += size)
        if (!test_same(type, test_bits(type, f->memory[0] + b), test_bits(type, f->expected[0] + b),
                       0))
            fail_msg("%d on %s, %d x %d in place, %d apart, byte %d", (int)type, engine->name,
                     (int)dims[0], (int)dims[1], (int)gap, (int)b);
}

/* A sum of both types, or for bytes an and. */
static tosajit_kernel *compile_pair(const test_engine *engine, const tosajit_tensor_type *both) {
    const bool is_byte = both[0].element == TOSAJIT_I8;
    const tosajit_op op = is_byte ? TOSAJIT_OP_bitwise_and : TOSAJIT_OP_add;
    tosajit_kernel *kernel = NULL;
    assert_int_equal(tosajit_compile(engine->engine, op, both, 2, NULL, NULL, &kernel), TOSAJIT_OK);
    return kernel;
}

/* In place, rows are interleaved where there are masks: more of them than a call of the code has,
 * in calls that are met first, remembered, and of views. */
static void rows_in_place_do(void **state) {
    static const tosajit_type types[] = {TOSAJIT_F32, TOSAJIT_F64, TOSAJIT_F16, TOSAJIT_I8};
    static const int64_t many[] = {2, 150, 701}, few[] = {2, 3, 7, 11, 15, 16}, gaps[] = {0, 0, 5};
    fixture *f = *state;
    for (size_t e = 1; e < f->engine_count; e++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            const tosajit_tensor_type type =
                tosajit_ranked(types[k], 2, (int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
            const tosajit_tensor_type both[2] = {type, type};
            tosajit_kernel *made[2]; /* by the interpreter, and by the engine */
            for (size_t m = 0; m < 2; m++) made[m] = compile_pair(&f->engines[m ? e : 0], both);
            for (size_t n = 0; n < 54; n++)
                check_in_place(f, &f->engines[e], types[k],
                               (int64_t[]){many[n / 18], few[n / 3 % 6]}, gaps[n % 3], made[1],
                               made[0]);
            for (size_t m = 0; m < 2; m++) tosajit_kernel_release(made[m]);
        }
}

/* Rows that are known to be a few vectors may have a loop of their own. Views that are walked in
 * another order have rows of other lengths, short ones as well. A day has a quarter of the lengths
 * on each engine, TOSAJIT_THIN=1 all. */
static void rows_of_few_vectors_do(void **state) {
    static const tosajit_type types[] = {TOSAJIT_F32, TOSAJIT_F64, TOSAJIT_I8};
    static const int64_t known[] = {8,  9,  15, 17, 20, 24, 25,  31,  33, 40,
                                    47, 49, 63, 65, 66, 95, 129, 160, 255},
                         many[] = {1, 2, 7, 23, 70}, gaps[] = {0, 5, TRANSPOSED};
    enum { CASES = 15, STANDARD_THINNING = 4 };
    fixture *f = *state;
    for (size_t n = 0; n < sizeof known / sizeof *known; n++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            const tosajit_tensor_type both[2] = {
                tosajit_ranked(types[k], 2, (int64_t[]){TOSAJIT_DYNAMIC, known[n]}),
                tosajit_ranked(types[k], 2, (int64_t[]){TOSAJIT_DYNAMIC, 1})};
            tosajit_kernel *oracle = compile_pair(&f->engines[0], both);
            for (size_t e = 1; e < f->engine_count; e++) {
                if (!test_is_drawn(n + k + e, STANDARD_THINNING)) continue;
                tosajit_kernel *kernel = compile_pair(&f->engines[e], both);
                for (size_t c = 0; c < CASES; c++)
                    check_in_place(f, &f->engines[e], types[k], (int64_t[]){many[c / 3], known[n]},
                                   gaps[c % 3], kernel, oracle);
                tosajit_kernel_release(kernel);
            }
            tosajit_kernel_release(oracle);
        }
}

/* Sizes that are known leave out what they do not need. */
static void rows_of_known_lengths_do(void **state) {
    static const int64_t known[] = {5, 16, 24, 48, 64, 112, 1024};
    fixture *f = *state;
    for (size_t n = 0; n < sizeof known / sizeof *known; n++)
        for (size_t e = 1; e < f->engine_count; e++)
            for (int k = 0; k < 4; k++) {
                tosajit_kernel *kernel = compile(&f->engines[e], &rows[k], 1, known[n]),
                               *oracle = compile(&f->engines[0], &rows[k], 1, known[n]);
                check(f, &f->engines[e], &rows[k], 1, known[n], kernel, oracle);
                tosajit_kernel_release(kernel);
                tosajit_kernel_release(oracle);
            }
}

/* Results of several widths, of constants alone: nothing is loaded, and with AVX2 no row is peeled.
 */
static void constants_are_results(void **state) {
    const fixture *f = *state;
    enum { MOST = 40 };
    int16_t wide[MOST], wide_result[MOST];
    int8_t narrow[MOST], narrow_result[MOST];
    for (int k = 0; k < MOST; k++) wide[k] = (int16_t)(300 * k), narrow[k] = (int8_t)(k - 7);
    for (size_t e = 0; e < f->engine_count; e++)
        for (int64_t length = 1; length <= MOST; length += length < 4 ? 1 : 9) {
            const tosajit_tensor_type types[2] = {tosajit_ranked(TOSAJIT_I16, 1, &length),
                                                  tosajit_ranked(TOSAJIT_I8, 1, &length)};
            const tosajit_tensor results[2] = {
                tosajit_dense(TOSAJIT_I16, wide_result, 1, &length),
                tosajit_dense(TOSAJIT_I8, narrow_result, 1, &length)};
            tosajit_expr *expr;
            tosajit_kernel *kernel;
            tosajit_value values[2];
            assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
            for (int k = 0; k < 2; k++) {
                const void *data = k ? (const void *)narrow : wide;
                assert_int_equal(tosajit_expr_constant(expr, &types[k], data, &values[k]), 0);
                assert_int_equal(tosajit_expr_result(expr, values[k]), TOSAJIT_OK);
            }
            assert_int_equal(tosajit_compile_expr(f->engines[e].engine, expr, &kernel), 0);
            memset(wide_result, BESIDE, sizeof wide_result);
            memset(narrow_result, BESIDE, sizeof narrow_result);
            assert_int_equal(tosajit_run(kernel, NULL, 0, results, 2), TOSAJIT_OK);
            assert_memory_equal(wide_result, wide, (size_t)length * sizeof *wide);
            assert_memory_equal(narrow_result, narrow, (size_t)length);
            tosajit_kernel_release(kernel);
            tosajit_expr_destroy(expr);
        }
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    *state = f;
    f->engine_count = test_engines_open(f->engines, TOSAJIT_EXACT);
    bool ok = f->engine_count > 1;
    for (int k = 0; ok && k < TENSORS; k++) ok = (f->memory[k] = aligned_alloc(LINE, ROOM));
    for (int k = 0; ok && k < 2; k++) ok = (f->expected[k] = malloc(ROOM));
    return ok ? 0 : -1;
}

static int teardown(void **state) {
    fixture *f = *state;
    test_engines_close(f->engines, f->engine_count);
    for (int k = 0; k < TENSORS; k++) free(f->memory[k]);
    for (int k = 0; k < 2; k++) free(f->expected[k]);
    free(f);
    return 0;
}

int main(void) {
    return TEST_RUN(setup, teardown, TEST(rows_end_as_they_begin), TEST(rows_in_place_do),
                    TEST(rows_of_few_vectors_do), TEST(rows_of_known_lengths_do),
                    TEST(constants_are_results));
}
