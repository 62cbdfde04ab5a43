/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Precompiled ops: every legal row of every op runs on them in a process that never has LLVM, and
 * gives the interpreter's bits; so does every pair of them. And what is particular to running ops
 * one after the other: results in each other's operands' memory, many values at once, sizes around
 * a tile's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

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

/* The kernel of an expression, which is destroyed. Reductions may be interpreted. */
static tosajit_kernel *make_any(tosajit_expr *expr) {
    tosajit_kernel *kernel;
    REQUIRE(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    assert_false(tosajit_kernel_is_native(kernel));
    return kernel;
}

/* The same; it has precompiled code. */
static tosajit_kernel *make(tosajit_expr *expr) {
    const size_t before = precompiled_count();
    tosajit_kernel *kernel = make_any(expr);
    assert_int_equal(precompiled_count(), before + 1);
    return kernel;
}

/* ---------------------------------------------------------------------------------------------
 * Rows */

enum { COUNT = 75, ROWS = 25 };

/* Parameters of the call, legal ones; of sizes that are known when the kernel is made, or not. */
static int add_parameters(tosajit_op op, const tosajit_type *operands, tosajit_type result,
                          const tosajit_attributes *attributes, bool known, tosajit_expr *expr,
                          tosajit_value *values, tosajit_tensor *tensors) {
    const int64_t open = TOSAJIT_DYNAMIC;
    static uint8_t data[4][2048];
    static int64_t counts[4];
    const int arity = tosajit_op_arity(op), parameters = tosajit_op_parameters(op, NULL);
    for (int k = 0; k < parameters; k++) {
        const test_parameter p = test_parameter_of(op, k, operands[0], result, attributes);
        counts[k] = p.count ? p.count : 1;
        tosajit_tensor_type type = tosajit_ranked(p.element, 1, known ? &counts[k] : &open);
        for (int64_t e = 0; e < counts[k]; e++)
            test_parameter_element(&randoms, &p,
                                   data[k] + (size_t)e * tosajit_type_size(p.element));
        REQUIRE(tosajit_expr_input(expr, &type, &values[arity + k]));
        tensors[arity + k] = tosajit_dense(p.element, data[k], 1, &counts[k]);
    }
    return arity + parameters;
}

/* Operands of 25x3. Repeated: all columns of a row have the same, the first operand by its strides
 * and the others by their size. */
static void check_row(tosajit_op op, const tosajit_type *operands, tosajit_type result,
                      bool repeated) {
    static uint8_t data[TOSAJIT_MAX_ARITY][COUNT * 8], actual[COUNT * 8], expected[COUNT * 8];
    static const int64_t all_sizes[] = {ROWS, COUNT / ROWS}, column[] = {ROWS, 1}, none[] = {0, 0};
    const int64_t open[] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC},
                  made[] = {test_reduces(op) ? 1 : ROWS, COUNT / ROWS};
    tosajit_tensor tensors[TOSAJIT_MAX_OPERANDS];
    tosajit_value values[TOSAJIT_MAX_OPERANDS], value;
    tosajit_attributes attributes = {.nan_mode = TOSAJIT_NAN_PROPAGATE};
    tosajit_expr *expr;
    if (op == TOSAJIT_OP_gather) attributes.index_mode = TOSAJIT_INDEX_WRAP; /* of any number */
    if (op == TOSAJIT_OP_rescale) attributes = test_random_scaling(&randoms, operands[0], result);
    attributes.per_channel = 0;
    REQUIRE(tosajit_expr_create(NULL, &expr));
    for (int k = 0; k < tosajit_op_arity(op); k++) {
        tosajit_tensor_type type = tosajit_ranked(operands[k], 2, open);
        REQUIRE(tosajit_expr_input(expr, &type, &values[k]));
        for (size_t e = 0; e < COUNT; e++)
            test_random_element(&randoms, operands[k],
                                data[k] + e * tosajit_type_size(operands[k]));
        tensors[k] = tosajit_dense(operands[k], data[k], 2, repeated && k ? column : all_sizes);
        if (repeated && !k) tensors[k].strides = none;
    }
    const size_t all =
        (size_t)add_parameters(op, operands, result, &attributes, !repeated, expr, values, tensors);
    const tosajit_tensor_type type = tosajit_ranked(result, 2, open);
    REQUIRE(tosajit_expr_op(expr, op, values, all, &attributes, &type, &value));
    REQUIRE(tosajit_expr_result(expr, value));
    tosajit_kernel *kernel = test_reduces(op) ? make_any(expr) : make(expr);
    tosajit_tensor to = tosajit_dense(result, actual, 2, made);
    REQUIRE(tosajit_run(kernel, tensors, all, &to, 1));
    to.data = expected;
    REQUIRE(tosajit_run_interpreted(kernel, tensors, all, &to, 1));
    for (size_t e = 0; e < (size_t)(made[0] * made[1]); e++) {
        const size_t at = e * tosajit_type_size(result);
        if (!test_same(result, test_bits(result, actual + at), test_bits(result, expected + at), 0))
            fail_msg("%s of %s%s: element %zu", tosajit_op_name(op), tosajit_type_name(operands[0]),
                     repeated ? ", repeated" : "", e);
    }
    tosajit_kernel_release(kernel);
}

static void every_row_runs(void **state) {
    size_t rows = 0;
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        tosajit_type operands[TOSAJIT_MAX_ARITY], result;
        unsigned next = 0;
        for (; test_next_signature((tosajit_op)op, &next, operands, &result); rows++)
            for (int repeated = 0; repeated < 2; repeated++)
                check_row((tosajit_op)op, operands, result, repeated);
    }
    print_message("%zu rows\n", rows);
    assert_true(rows > 200);
}

/* A sum of functions, which the accuracy is about, and the sum of which it is not. */
static void sums_are_precompiled_of_each_accuracy(void **state) {
    static float data[3][COUNT], result[3];
    const tosajit_tensor_type open =
        tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, data, 2, (int64_t[]){3, COUNT}),
                         r = tosajit_dense(TOSAJIT_F32, result, 2, (int64_t[]){3, 1});
    for (int fast = 0; fast < 2; fast++) {
        const tosajit_expr_options options = {
            .size = sizeof options, .accuracy = fast ? TOSAJIT_REPRODUCIBLE : TOSAJIT_EXACT};
        const tosajit_attributes last = {.axis = 1};
        tosajit_expr *expr;
        tosajit_value value;
        REQUIRE(tosajit_expr_create(&options, &expr));
        REQUIRE(tosajit_expr_input(expr, &open, &value));
        REQUIRE(tosajit_expr_op(expr, TOSAJIT_OP_exp, &value, 1, NULL, NULL, &value));
        REQUIRE(tosajit_expr_op(expr, TOSAJIT_OP_reduce_sum, &value, 1, &last, NULL, &value));
        REQUIRE(tosajit_expr_result(expr, value));
        tosajit_kernel *kernel = make(expr);
        REQUIRE(tosajit_run(kernel, &x, 1, &r, 1));
        for (int k = 0; k < 3; k++) assert_true(result[k] == (float)COUNT); /* exp(0) is 1 */
        tosajit_kernel_release(kernel);
    }
}

static void llvm_never_comes(void **state) {
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) return;
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "libLLVM") || strstr(line, "tosajit-codegen")) fail_msg("%s", line);
    fclose(maps);
}

/* ---------------------------------------------------------------------------------------------
 * Pairs */

/* As jit/precompile/uses.c lists them. */
static const tosajit_op light[] = {TOSAJIT_OP_abs,     TOSAJIT_OP_clamp,  TOSAJIT_OP_negate,
                                   TOSAJIT_OP_add,     TOSAJIT_OP_sub,    TOSAJIT_OP_mul,
                                   TOSAJIT_OP_maximum, TOSAJIT_OP_minimum};
enum { LIGHT = sizeof light / sizeof *light, PAIR_ROWS = 3, PAIR_COLS = 37, PAIR_MOST = 3 };

/* An expression whose inputs, all of them of f32 and of one type, are made as they are needed. */
typedef struct growing {
    tosajit_expr *expr;
    int64_t dims[2];
    int inputs;
} growing;

static tosajit_value grow_input(growing *g) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, g->dims);
    tosajit_value value;
    REQUIRE(tosajit_expr_input(g->expr, &type, &value));
    g->inputs++;
    return value;
}

/* An op on `given` at `position`, and on inputs of its own; given < 0: on such inputs alone. */
static tosajit_value grow(growing *g, tosajit_op op, tosajit_value given, int position) {
    tosajit_attributes attributes = {.nan_mode = TOSAJIT_NAN_PROPAGATE};
    tosajit_value operands[TOSAJIT_MAX_ARITY], value;
    if (op == TOSAJIT_OP_clamp) attributes.min_val.f = -1, attributes.max_val.f = 2;
    for (int k = 0; k < tosajit_op_arity(op); k++)
        operands[k] = given >= 0 && k == position ? given : grow_input(g);
    REQUIRE(tosajit_expr_op(g->expr, op, operands, (size_t)tosajit_op_arity(op), &attributes, NULL,
                            &value));
    return value;
}

/* Finds `said` in the explanation of a call on tensors of these sizes. */
static void assert_explained(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                             size_t count, const tosajit_tensor *result, const char *said) {
    char *text;
    REQUIRE(tosajit_explain(kernel, operands, count, result, 1, NULL, &text));
    if (!strstr(text, said)) fail_msg("no \"%s\" in:\n%s", said, text);
    tosajit_text_release(text);
}

/* The call in which operand k has one row where bit 2k of `repeats` is set, one column where bit
 * 2k + 1 is. The first, without a bit, makes the data of all. */
static void check_pair_call(const tosajit_kernel *kernel, int count, int repeats) {
    static float data[PAIR_MOST][PAIR_ROWS * PAIR_COLS], actual[PAIR_ROWS * PAIR_COLS],
        expected[PAIR_ROWS * PAIR_COLS];
    int64_t dims[PAIR_MOST][2], all[2] = {1, 1};
    tosajit_tensor operands[PAIR_MOST];
    for (int k = 0; k < count; k++) {
        dims[k][0] = repeats >> 2 * k & 1 ? 1 : PAIR_ROWS;
        dims[k][1] = repeats >> 2 * k & 2 ? 1 : PAIR_COLS;
        for (int d = 0; d < 2; d++)
            if (dims[k][d] > all[d]) all[d] = dims[k][d];
        for (size_t e = 0; repeats == 0 && e < PAIR_ROWS * PAIR_COLS; e++)
            test_random_element(&randoms, TOSAJIT_F32, &data[k][e]);
        operands[k] = tosajit_dense(TOSAJIT_F32, data[k], 2, dims[k]);
    }
    tosajit_tensor result = tosajit_dense(TOSAJIT_F32, actual, 2, all);
    if (repeats == 0)
        assert_explained(kernel, operands, (size_t)count, &result, "instructions: 1 for 2 ops");
    REQUIRE(tosajit_run(kernel, operands, (size_t)count, &result, 1));
    result.data = expected;
    REQUIRE(tosajit_run_interpreted(kernel, operands, (size_t)count, &result, 1));
    for (int64_t e = 0; e < all[0] * all[1]; e++)
        if (!test_same(TOSAJIT_F32, test_bits(TOSAJIT_F32, &actual[e]),
                       test_bits(TOSAJIT_F32, &expected[e]), 0))
            fail_msg("element %d, repeats %x", (int)e, (unsigned)repeats);
}

static void check_pair(tosajit_op first, tosajit_op second, int position) {
    growing g = {.dims = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC}};
    REQUIRE(tosajit_expr_create(NULL, &g.expr));
    const tosajit_value inner = grow(&g, first, -1, 0), outer = grow(&g, second, inner, position);
    REQUIRE(tosajit_expr_result(g.expr, outer));
    tosajit_kernel *kernel = make(g.expr);
    for (int repeats = 0; repeats < 1 << 2 * g.inputs; repeats++)
        check_pair_call(kernel, g.inputs, repeats);
    tosajit_kernel_release(kernel);
}

/* Every pair is one step, with the bits of two, however its operands repeat. */
static void every_pair_is_one_instruction(void **state) {
    int pairs = 0;
    for (int n = 0; n < LIGHT * LIGHT; n++) {
        const tosajit_op first = light[n / LIGHT], second = light[n % LIGHT];
        if (first == TOSAJIT_OP_clamp && second == first) continue; /* is one clamp */
        for (int k = 0; k < tosajit_op_arity(second); k++, pairs++) check_pair(first, second, k);
    }
    assert_int_equal(pairs, 103);
}

/* Ops in a chain on one row, in so many instructions; where `shared`, the first's result is also
 * added to what the last computes; where `given`, it is a result, too. */
static void check_instructions(int ops, bool shared, bool given, const char *said) {
    static float data[8][PAIR_COLS], results[2][PAIR_COLS];
    const int64_t dims[2] = {1, PAIR_COLS};
    tosajit_tensor operands[8], written[2];
    growing g = {.dims = {1, PAIR_COLS}};
    char *text;
    REQUIRE(tosajit_expr_create(NULL, &g.expr));
    tosajit_value first = grow(&g, TOSAJIT_OP_add, -1, 0), last = first;
    for (int k = 1; k < ops; k++) last = grow(&g, TOSAJIT_OP_mul, last, k % 2);
    if (shared)
        REQUIRE(tosajit_expr_op(g.expr, TOSAJIT_OP_add, (tosajit_value[]){first, last}, 2, NULL,
                                NULL, &last));
    REQUIRE(tosajit_expr_result(g.expr, last));
    if (given) REQUIRE(tosajit_expr_result(g.expr, first));
    tosajit_kernel *kernel = make(g.expr);
    for (int k = 0; k < g.inputs; k++) operands[k] = tosajit_dense(TOSAJIT_F32, data[k], 2, dims);
    for (int k = 0; k < 2; k++) written[k] = tosajit_dense(TOSAJIT_F32, results[k], 2, dims);
    REQUIRE(
        tosajit_explain(kernel, operands, (size_t)g.inputs, written, given ? 2 : 1, NULL, &text));
    if (!strstr(text, said)) fail_msg("no \"%s\" in:\n%s", said, text);
    tosajit_text_release(text);
    tosajit_kernel_release(kernel);
}

/* A value that somebody else reads, or that is a result, has to be in memory. */
static void only_what_one_op_reads_is_paired(void **state) {
    check_instructions(1, false, false, "instructions: 1 for 1 op\n");
    check_instructions(4, false, false, "instructions: 2 for 4 ops;");
    check_instructions(5, false, false, "instructions: 3 for 5 ops;");
    check_instructions(2, true, false, "instructions: 2 for 3 ops;"); /* the first alone */
    check_instructions(2, false, true, "instructions: 2 for 2 ops\n");
    check_instructions(3, false, true, "instructions: 2 for 3 ops;");
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

/* A result y that takes the place of x, and what x is reduced to: x is reduced as it was, whether
 * an instruction or a copy writes y, and of whatever is reduced. Rows and columns cross tiles. */
static void what_is_written_over_was_reduced_before(void **state) {
    enum { MOST = 9 * 4100 };
    static const char *const texts[] = {
        "y = x * 2; s = sum(x, axis=%d) : f32[?,?]",
        "y = x + z; s = max(x, axis=%d) : x: f32[?,?], z: f32[1,1]",
        "y = z + 1; s = sum(x, axis=%d) : x: f32[?,?], z: f32[?,?]",
        "s = sum(x, axis=%d); m = min(x, axis=%d); y = m + x : f32[?,?]",
        "y = (x + 1) * x; s = sum(x * x, axis=%d); t = max(x, axis=%d) : f32[?,?]",
        "y = maximum(x, z); s = sum(x, axis=%d) : x: i32[?,?], z: i32[1,1]",
        "y = -x; s = sum(x, axis=%d) : f16[?,?]",
        "y = x * x; s = all(x > 0.5, axis=%d); n = prod(x, axis=%d) : f64[?,?]"};
    static const int64_t sizes[][2] = {{5, 7}, {9, 4100}, {4100, 9}, {1, 3000}, {3000, 1}};
    static uint8_t x[MOST * 8], z[MOST * 8], found[3][MOST * 8], expected[3][MOST * 8];
    char text[120];
    size_t in_place = 0;
    for (size_t t = 0; t < 2 * sizeof texts / sizeof *texts; t++) {
        tosajit_expr *expr;
        tosajit_kernel *kernel;
        const int axis = (int)t % 2;
        snprintf(text, sizeof text, texts[t / 2], axis, axis);
        REQUIRE(tosajit_expr_parse(text, strlen(text), NULL, &expr));
        kernel = make(expr);
        const size_t operands = tosajit_kernel_operand_count(kernel),
                     results = tosajit_kernel_result_count(kernel);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            tosajit_tensor from[2], to[3];
            int64_t dims[3][TOSAJIT_MAX_RANK];
            static const int64_t one[2] = {1, 1};
            size_t replaced = results;
            for (size_t o = 0; o < operands; o++) {
                const tosajit_tensor_type type = tosajit_kernel_operand_type(kernel, o);
                const size_t bytes = tosajit_type_size(type.element);
                from[o] =
                    tosajit_dense(type.element, o ? z : x, 2, type.dims[0] == 1 ? one : sizes[k]);
                for (size_t e = 0; e < MOST; e++)
                    test_random_everyday(&randoms, type.element, (o ? z : x) + e * bytes);
            }
            for (size_t r = 0; r < results; r++) {
                const tosajit_tensor_type type = tosajit_kernel_result_type(kernel, r);
                int32_t rank;
                REQUIRE(tosajit_kernel_result_dims(kernel, from, operands, r, &rank, dims[r]));
                to[r] = tosajit_dense(type.element, expected[r], rank, dims[r]);
                if (replaced == results && !memcmp(dims[r], sizes[k], sizeof sizes[k]))
                    replaced = r;
            }
            REQUIRE(tosajit_run_interpreted(kernel, from, operands, to, results));
            for (size_t r = 0; r < results; r++) to[r].data = r == replaced ? x : found[r];
            const tosajit_status status = tosajit_run(kernel, from, operands, to, results);
            if (status == TOSAJIT_OVERLAP) continue; /* a later part reads x */
            REQUIRE(status);
            in_place++;
            for (size_t r = 0; r < results; r++)
                if (memcmp(to[r].data, expected[r],
                           (size_t)(dims[r][0] * dims[r][1]) * tosajit_type_size(to[r].element)))
                    fail_msg("%s, of %dx%d: result %zu", text, (int)sizes[k][0], (int)sizes[k][1],
                             r);
        }
        tosajit_kernel_release(kernel);
    }
    print_message("%zu calls in place\n", in_place);
    assert_true(in_place > sizeof texts / sizeof *texts * 4);
}

/* Sums of so many maxima, each of which is read twice, the second time when all have been added. */
static void many_values_live_at_once(void **state) {
    enum { MAXIMA = 1500 };
    static tosajit_value maxima[MAXIMA];
    const pair p = begin();
    tosajit_value sum = p.a;
    for (int k = 0; k < MAXIMA; k++) maxima[k] = binary(&p, TOSAJIT_OP_maximum, p.a, p.b);
    for (int k = 0; k < MAXIMA; k++) sum = binary(&p, TOSAJIT_OP_add, sum, maxima[k]);
    for (int k = 0; k < MAXIMA; k++) sum = binary(&p, TOSAJIT_OP_sub, sum, maxima[k]);
    REQUIRE(tosajit_expr_result(p.expr, sum));
    tosajit_kernel *kernel = make(p.expr);
    check_sizes(kernel, (int64_t[]){3, 37}, (int64_t[]){1, 37});
    tosajit_kernel_release(kernel);
}

/* Products of extremes, shifted by a number that the code does not know. */
static void every_shift_of_a_product(void **state) {
    static const int32_t edges[] = {INT32_MIN, INT32_MIN + 1, -65537,        -3,       -1, 0, 1,
                                    2,         46341,         INT32_MAX - 1, INT32_MAX};
    enum { EDGES = sizeof edges / sizeof *edges, PRODUCTS = EDGES * EDGES };
    static int32_t a[PRODUCTS], b[PRODUCTS], actual[PRODUCTS], expected[PRODUCTS];
    const int64_t open = TOSAJIT_DYNAMIC, count = PRODUCTS, one = 1;
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I32, 1, &open),
                              shift_type = tosajit_ranked(TOSAJIT_I8, 1, &one);
    tosajit_value values[3], product;
    tosajit_expr *expr;
    int8_t shift;
    for (int k = 0; k < PRODUCTS; k++) a[k] = edges[k / EDGES], b[k] = edges[k % EDGES];
    REQUIRE(tosajit_expr_create(NULL, &expr));
    for (int k = 0; k < 3; k++)
        REQUIRE(tosajit_expr_input(expr, k < 2 ? &type : &shift_type, &values[k]));
    REQUIRE(tosajit_expr_op(expr, TOSAJIT_OP_mul, values, 3, NULL, NULL, &product));
    REQUIRE(tosajit_expr_result(expr, product));
    tosajit_kernel *kernel = make(expr);
    const tosajit_tensor operands[3] = {tosajit_dense(TOSAJIT_I32, a, 1, &count),
                                        tosajit_dense(TOSAJIT_I32, b, 1, &count),
                                        tosajit_dense(TOSAJIT_I8, &shift, 1, &one)};
    for (shift = 0; shift < 64; shift++) {
        tosajit_tensor result = tosajit_dense(TOSAJIT_I32, actual, 1, &count);
        REQUIRE(tosajit_run(kernel, operands, 3, &result, 1));
        result.data = expected;
        REQUIRE(tosajit_run_interpreted(kernel, operands, 3, &result, 1));
        if (memcmp(actual, expected, sizeof actual) != 0) fail_msg("shift %d", shift);
    }
    tosajit_kernel_release(kernel);
}

/* Several instructions, which the context tells the code of. */
static void its_entry_takes_a_context(void **state) {
    enum { COUNT = 1000 };
    static float a[COUNT], b[COUNT], results[2][COUNT];
    const int64_t dims[2] = {1, COUNT}, size = sizeof(float);
    const int64_t strides[6] = {0, size, 0, size, 0, size};
    tosajit_kernel *kernel = make_mixed();
    tosajit_raw raw = {.size = sizeof raw};
    fill(a, COUNT);
    fill(b, COUNT);
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 2, dims),
                                        tosajit_dense(TOSAJIT_F32, b, 2, dims)},
                         result = tosajit_dense(TOSAJIT_F32, results[0], 2, dims);
    REQUIRE(tosajit_run(kernel, operands, 2, &result, 1));
    REQUIRE(tosajit_kernel_raw(kernel, 0, &raw));
    assert_non_null(raw.context);
    raw.entry(raw.context, (void *[]){a, b, results[1]}, strides, 1, 1, COUNT);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    tosajit_kernel_release(kernel);
}

static void no_image_is_saved(void **state) {
    tosajit_kernel *kernel = make_mixed();
    size_t size;
    assert_int_equal(tosajit_kernel_save(kernel, NULL, 0, &size), TOSAJIT_NOT_EXECUTABLE);
    assert_non_null(strstr(tosajit_last_error(), "precompiled"));
    tosajit_kernel_release(kernel);
}

static int open_engine(void **state) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_PRECOMPILED};
    randoms = test_random_start(test_setting("TOSAJIT_SEED", 1));
    return tosajit_engine_create(&options, &engine) ? -1 : 0;
}

static int close_engine(void **state) {
    tosajit_engine_destroy(engine);
    return 0;
}

int main(void) {
    return TEST_RUN(open_engine, close_engine, TEST(every_row_runs),
                    TEST(sums_are_precompiled_of_each_accuracy),
                    TEST(every_pair_is_one_instruction), TEST(only_what_one_op_reads_is_paired),
                    TEST(every_shift_of_a_product), TEST(tiles_fit_all_sizes),
                    TEST(results_may_change_places), TEST(what_is_written_over_was_reduced_before),
                    TEST(many_values_live_at_once), TEST(its_entry_takes_a_context),
                    TEST(no_image_is_saved), TEST(llvm_never_comes));
}
