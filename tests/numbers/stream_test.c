/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Results that are larger than the machine's caches, which are stored past them: rows of any end,
 * results at any place, several of them, planes, in place; blocks of parts that take turns; and
 * that small ones know no such stores. Expected is what loops over integers give. A day has a
 * quarter of the cases on each engine, TOSAJIT_THIN=1 has all. In: the kernel's word on the caches.
 * Out: where a result or a byte beside it is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

enum { BESIDE = 0x5a, EDGE = 64, MOST_COLUMNS = 8197, MOST_RESULTS = 2, STANDARD_THINNING = 4 };

/* By the same files as the library, but read in another way. */
static int64_t cache_bytes(void) {
    int64_t most = 0;
    for (int k = 0; k < 5; k++) {
        char path[80], unit = 0;
        long number = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", k);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        if (fscanf(file, "%ld%c", &number, &unit) < 1) number = 0;
        fclose(file);
        const int64_t bytes = (int64_t)number << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
        if (bytes > most) most = bytes;
    }
    return most;
}

/* A result [planes, rows, columns] of [planes, 1, columns] and [1, rows, 1], or of one that is as
 * large, and lies elsewhere or in the result's place. */
typedef struct large {
    tosajit_op op;
    tosajit_type from, to;
    int64_t planes, columns;
    size_t place; /* bytes behind a cache line */
    int results;
    bool is_static, is_full, in_place;
} large;

static const large cases[] = {
    {TOSAJIT_OP_add, TOSAJIT_I32, TOSAJIT_I32, 1, 1024, 0, 1, 1, 0, 0},
    {TOSAJIT_OP_add, TOSAJIT_I32, TOSAJIT_I32, 1, 1037, 4, 1, 1, 0, 0},
    {TOSAJIT_OP_add, TOSAJIT_I32, TOSAJIT_I32, 1, 1037, 16, 1, 1, 1, 0},
    {TOSAJIT_OP_add, TOSAJIT_I32, TOSAJIT_I32, 1, 1025, 2, 1, 1, 0, 0},
    {TOSAJIT_OP_add, TOSAJIT_I32, TOSAJIT_I32, 1, 1025, 20, 1, 0, 0, 0},
    {TOSAJIT_OP_add, TOSAJIT_I32, TOSAJIT_I32, 1, 8197, 60, 1, 1, 1, 1},
    {TOSAJIT_OP_add, TOSAJIT_I32, TOSAJIT_I32, 3, 2051, 8, 1, 1, 0, 0},
    {TOSAJIT_OP_add, TOSAJIT_I32, TOSAJIT_I32, 1, 1500, 32, 2, 1, 0, 0},
    {TOSAJIT_OP_bitwise_xor, TOSAJIT_I8, TOSAJIT_I8, 1, 4097, 1, 1, 1, 1, 0},
    {TOSAJIT_OP_bitwise_xor, TOSAJIT_I16, TOSAJIT_I16, 1, 2111, 6, 1, 1, 0, 0},
    {TOSAJIT_OP_greater, TOSAJIT_I32, TOSAJIT_I1, 2, 5001, 7, 1, 1, 0, 0},
    {TOSAJIT_OP_bitwise_or, TOSAJIT_I64, TOSAJIT_I64, 1, 4099, 24, 1, 1, 0, 0},
};

typedef struct fixture {
    test_engine engines[TEST_MAX_ENGINES];
    size_t engine_count;
    int64_t caches;
} fixture;

static int64_t shape_of(const large *c, int64_t caches, int64_t *dims) {
    const int64_t row = c->planes * c->columns * (int64_t)tosajit_type_size(c->to);
    dims[0] = c->planes;
    dims[1] = caches / row + 2;
    dims[2] = c->columns;
    return dims[0] * dims[1] * dims[2];
}

/* Small enough to be the same number in every type. */
static int64_t left_at(int64_t k) { return k * 7 % 61 - 30; }
static int64_t right_at(int64_t r) { return r * 5 % 59 - 29; }

static int64_t computed(tosajit_op op, int64_t a, int64_t b) {
    switch (op) {
    case TOSAJIT_OP_add: return a + b;
    case TOSAJIT_OP_bitwise_xor: return a ^ b;
    case TOSAJIT_OP_bitwise_or: return a | b;
    default: return a > b;
    }
}

/* The first operand's dimensions, and the second's, of a result's. */
static void operand_dims(const large *c, const int64_t *dims, int64_t left[3], int64_t right[3]) {
    memcpy(left, dims, 3 * sizeof *left);
    if (!c->is_full) left[1] = 1;
    right[0] = right[2] = 1;
    right[1] = dims[1];
}

static tosajit_expr *build(const large *c, const int64_t *dims) {
    int64_t shapes[2][3];
    tosajit_expr *expr = NULL;
    tosajit_value values[2], result;
    operand_dims(c, dims, shapes[0], shapes[1]);
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    for (int k = 0; k < 2; k++) {
        for (int d = 0; d < 3 && !c->is_static; d++) shapes[k][d] = TOSAJIT_DYNAMIC;
        const tosajit_tensor_type type = tosajit_ranked(c->from, 3, shapes[k]);
        assert_int_equal(tosajit_expr_input(expr, &type, &values[k]), TOSAJIT_OK);
    }
    for (int r = 0; r < c->results; r++) {
        const tosajit_op op = r ? TOSAJIT_OP_bitwise_xor : c->op;
        assert_int_equal(tosajit_expr_op(expr, op, values, 2, NULL, NULL, &result), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_result(expr, result), TOSAJIT_OK);
    }
    return expr;
}

/* Memory that begins `place` bytes behind a cache line, with an edge on both sides. */
static unsigned char *room_for(int64_t elements, tosajit_type type, size_t place,
                               unsigned char **memory) {
    const size_t bytes = (size_t)elements * tosajit_type_size(type);
    *memory = aligned_alloc(EDGE, (bytes / EDGE + 4) * EDGE);
    assert_non_null(*memory);
    memset(*memory, BESIDE, (bytes / EDGE + 4) * EDGE);
    return *memory + EDGE + place;
}

static void fill(unsigned char *data, tosajit_type type, const int64_t *dims, bool is_left) {
    const size_t size = tosajit_type_size(type);
    for (int64_t p = 0; p < dims[0]; p++)
        for (int64_t r = 0; r < dims[1]; r++)
            for (int64_t k = 0; k < dims[2]; k++, data += size) {
                const int64_t value = is_left ? left_at(p + k) : right_at(r);
                memcpy(data, &value, size); /* little-endian */
            }
}

static void compare(const test_engine *engine, const large *c, size_t number, int result,
                    const int64_t *dims, const unsigned char *data) {
    const size_t size = tosajit_type_size(c->to);
    const unsigned char *at = data;
    bool same = true;
    for (int64_t p = 0; p < dims[0]; p++)
        for (int64_t r = 0; r < dims[1]; r++)
            for (int64_t k = 0; k < dims[2]; k++, at += size) {
                const int64_t value =
                    computed(result ? TOSAJIT_OP_bitwise_xor : c->op, left_at(p + k), right_at(r));
                same &= memcmp(at, &value, size) == 0;
            }
    for (int b = 1; b <= EDGE; b++) same &= data[-b] == BESIDE && at[b - 1] == BESIDE;
    if (!same)
        fail_msg("case %zu on %s: result %d, or a byte beside it", number, engine->name, result);
}

static void run_case(const fixture *f, const test_engine *engine, size_t number) {
    const large *c = &cases[number];
    int64_t dims[3], shapes[2][3];
    const int64_t count = shape_of(c, f->caches, dims);
    unsigned char *memory[2 + MOST_RESULTS] = {0};
    tosajit_tensor operands[2], results[MOST_RESULTS];
    tosajit_kernel *kernel = NULL;
    operand_dims(c, dims, shapes[0], shapes[1]);
    for (int k = 0; k < 2; k++) {
        unsigned char *data = room_for(shapes[k][0] * shapes[k][1] * shapes[k][2], c->from,
                                       c->in_place ? c->place : 0, &memory[k]);
        fill(data, c->from, shapes[k], k == 0);
        operands[k] = tosajit_dense(c->from, data, 3, shapes[k]);
    }
    for (int r = 0; r < c->results; r++)
        results[r] = tosajit_dense(c->to,
                                   c->in_place ? operands[0].data
                                               : room_for(count, c->to, c->place, &memory[2 + r]),
                                   3, dims);
    tosajit_expr *expr = build(c, dims);
    if (tosajit_compile_expr(engine->engine, expr, &kernel))
        fail_msg("case %zu on %s: %s", number, engine->name, tosajit_last_error());
    assert_int_equal(tosajit_run(kernel, operands, 2, results, (size_t)c->results), TOSAJIT_OK);
    for (int r = 0; r < c->results; r++) compare(engine, c, number, r, dims, results[r].data);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    for (int k = 0; k < 2 + MOST_RESULTS; k++) free(memory[k]);
}

static void results_beyond_the_caches_are_right(void **state) {
    const fixture *f = *state;
    for (size_t e = 1; e < f->engine_count; e++)
        for (size_t k = 0; f->engines[e].native && k < sizeof cases / sizeof *cases; k++)
            if (test_is_drawn(e + k, STANDARD_THINNING)) run_case(f, &f->engines[e], k);
}

/* Rows less their sum: parts that take turns, block by block. */
typedef struct turn {
    const char *types;
    int64_t columns;
    size_t place; /* bytes behind a cache line */
    bool in_place;
} turn;

static const turn turns[] = {
    {"x: i32[?,64]\n", 64, 0, false},  {"x: i32[?,64]\n", 64, 16, false},
    {"x: i32[?,?]\n", 1040, 0, false}, {"x: i32[?,?]\n", 1041, 0, false},
    {"x: i32[?,256]\n", 256, 0, true}, {"x: i32[?,40]\n", 40, 0, false},
};

static bool is_centred(const int32_t *x, const int32_t *y, int64_t columns) {
    int32_t sum = 0;
    bool same = true;
    for (int64_t k = 0; k < columns; k++) sum += x[k];
    for (int64_t k = 0; k < columns; k++) same &= y[k] == x[k] - sum;
    return same;
}

static void run_turn(const fixture *f, const test_engine *engine, const turn *t) {
    const int64_t dims[2] = {f->caches / (4 * t->columns) + 3, t->columns},
                  count = dims[0] * dims[1];
    unsigned char *memory[3];
    int32_t *x = (int32_t *)room_for(count, TOSAJIT_I32, 4, &memory[0]),
            *to = (int32_t *)room_for(count, TOSAJIT_I32, t->place, &memory[1]),
            *before = (int32_t *)room_for(count, TOSAJIT_I32, 0, &memory[2]);
    for (int64_t k = 0; k < count; k++) before[k] = (int32_t)left_at(k);
    memcpy(t->in_place ? to : x, before, (size_t)count * sizeof *x);
    tosajit_expr *expr = test_parse(t->types, "x - sum(x, axis=1)");
    tosajit_kernel *kernel = NULL;
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_I32, t->in_place ? to : x, 2, dims),
                         result = tosajit_dense(TOSAJIT_I32, to, 2, dims);
    assert_int_equal(tosajit_compile_expr(engine->engine, expr, &kernel), TOSAJIT_OK);
    assert_int_equal(tosajit_run(kernel, &operand, 1, &result, 1), TOSAJIT_OK);
    bool same = true;
    for (int64_t r = 0; r < count; r += dims[1]) same &= is_centred(before + r, to + r, dims[1]);
    for (int b = 1; b <= EDGE; b++)
        same &=
            ((unsigned char *)to)[-b] == BESIDE && ((unsigned char *)(to + count))[b - 1] == BESIDE;
    if (!same) fail_msg("%s, %zu behind a line, on %s", t->types, t->place, engine->name);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    for (int k = 0; k < 3; k++) free(memory[k]);
}

static void blocks_beyond_the_caches_are_right(void **state) {
    const fixture *f = *state;
    for (size_t e = 1; e < f->engine_count; e++)
        for (size_t k = 0; f->engines[e].native && k < sizeof turns / sizeof *turns; k++)
            if (test_is_drawn(e + k, STANDARD_THINNING)) run_turn(f, &f->engines[e], &turns[k]);
}

static bool text_bypasses(const test_engine *engine, const tosajit_expr *expr) {
    char *text = NULL;
    assert_int_equal(tosajit_print(engine->engine, expr, TOSAJIT_VIEW_ASM, &text), TOSAJIT_OK);
    const bool found = strstr(text, "movnt") != NULL;
    tosajit_text_release(text);
    return found;
}

/* Rows that share cache lines with others have no such stores. */
static void blocks_bypass_where_rows_are_lines(void **state) {
    const fixture *f = *state;
    for (size_t e = 1; e < f->engine_count; e++) {
        if (!f->engines[e].native) continue;
        for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
            tosajit_expr *expr = test_parse(turns[k].types, "x - sum(x, axis=1)");
#if defined(__x86_64__)
            assert_int_equal(text_bypasses(&f->engines[e], expr), turns[k].columns != 40);
#else
            assert_false(text_bypasses(&f->engines[e], expr));
#endif
            tosajit_expr_destroy(expr);
        }
    }
}

static bool bypasses(const test_engine *engine, const large *c, const int64_t *dims) {
    tosajit_expr *expr = build(c, dims);
    const bool found = text_bypasses(engine, expr);
    tosajit_expr_destroy(expr);
    return found;
}

/* Only results of sizes that are known to exceed the caches have such code, and only on this
 * machine. */
static void small_results_have_no_such_code(void **state) {
    const fixture *f = *state;
    int64_t dims[3];
    shape_of(&cases[1], f->caches, dims);
    const int64_t small[3] = {1, 64, 1037};
    for (size_t e = 1; e < f->engine_count; e++) {
        if (!f->engines[e].native) continue;
#if defined(__x86_64__)
        assert_true(bypasses(&f->engines[e], &cases[1], dims));
#endif
        large unknown = cases[1];
        unknown.is_static = false;
        assert_false(bypasses(&f->engines[e], &unknown, dims));
        assert_false(bypasses(&f->engines[e], &cases[1], small));
    }
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = "x86-64-v3"};
    test_engine cross = {.name = "x86-64-v3"};
    assert_int_equal(tosajit_engine_create(&options, &cross.engine), TOSAJIT_OK);
    assert_false(bypasses(&cross, &cases[1], dims));
    tosajit_engine_destroy(cross.engine);
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    *state = f;
    f->caches = cache_bytes();
    f->engine_count = test_engines_open(f->engines, TOSAJIT_EXACT);
    return f->engine_count > 1 ? 0 : -1;
}

static int teardown(void **state) {
    fixture *f = *state;
    test_engines_close(f->engines, f->engine_count);
    free(f);
    return 0;
}

int main(void) {
    const int64_t caches = cache_bytes();
    if (caches == 0 || caches > INT64_C(1) << 28) {
        printf("*** NOT TESTED: results beyond the caches, which have %lld MiB here (0: unknown)\n",
               (long long)(caches >> 20));
        return 0;
    }
    return TEST_RUN(setup, teardown, TEST(results_beyond_the_caches_are_right),
                    TEST(blocks_beyond_the_caches_are_right),
                    TEST(blocks_bypass_where_rows_are_lines),
                    TEST(small_results_have_no_such_code));
}
