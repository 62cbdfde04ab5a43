/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scans: random shapes, types, axes, forms and layouts, bit by bit what the reference says that
 * calls nothing of the library (reduce_reference.h); of logcumsumexp within a tolerance. The
 * operand is the caller's, or computed by the kernel; the scan is a result, or what another op
 * reads, or lies where the operand does. Kernels are of all forms of forms.h, called alone, bound,
 * and with threads. All memory is guarded.
 *
 * TOSAJIT_SEED=<n> sets the cases, TOSAJIT_CASES=<n> their number. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/numbers/divide.h"
#include "tests/numbers/exhaustive.h"
#include "tests/numbers/drawn.h"
#include "tests/numbers/reduce_reference.h"
#include "tests/support/cmocka.h"
#include "tests/support/guard.h"
#include "tests/support/host.h"
#include "tests/support/support.h"
#include "tests/support/text.h"

enum {
    STANDARD_CASES = 200,
    CALLS = 4, /* of a kernel */
    MOST_RANK = 3,
    MOST_ELEMENTS = 6000,
    CAPACITY = MOST_ELEMENTS * 8 * 8,
};

/* The operands of a kernel, and its results: the scan, and what is made of it. */
enum { DATA, ZERO, OPERANDS };
enum { SCANNED, MADE, RESULTS };

typedef struct subject {
    tosajit_op op;
    tosajit_type type;
    tosajit_attributes attributes;
    bool computed, dynamic; /* the operand; the sizes */
    unsigned results;       /* bit r: the kernel has result r */
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
} subject;

static struct {
    guard_tensor operands[OPERANDS], results[RESULTS];
    unsigned char *dense, *expected;
    forms *forms;
    test_random random;
    uint64_t kernels, calls, in_place;
} f;

static int64_t draw(int64_t low, int64_t high) { return test_random_range(&f.random, low, high); }
static bool chance(int percent) { return test_random_chance(&f.random, percent); }

/* ---------------------------------------------------------------------------------------------
 * Kernels */

static void draw_sizes(subject *s) {
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 33, 64, 70, 130},
                         lines[] = {1, 2, 7, 8, 9, 16, 31, 64, 1023, 1024, 1025, 2100};
    int64_t room = MOST_ELEMENTS;
    const int32_t axis = (int32_t)s->attributes.axis;
    for (int32_t k = 0; k < s->rank; k++) {
        const int32_t d = k == 0 ? axis : k == axis ? 0 : k; /* the axis first */
        int64_t size = d == axis ? lines[draw(0, 11)] : sizes[draw(0, 10)];
        if (size > room) size = room < 2 ? 1 : draw(1, 2);
        if (s->dynamic && chance(2)) size = 0;
        s->dims[d] = size;
        room /= size ? size : 1;
    }
}

static tosajit_expr *build(const subject *s) {
    tosajit_tensor_type type = tosajit_ranked(s->type, s->rank, s->dims);
    const tosajit_tensor_type one = tosajit_ranked(s->type, 0, NULL);
    tosajit_value x[OPERANDS], made[RESULTS], read;
    tosajit_expr *expr;
    for (int32_t d = 0; d < s->rank && s->dynamic; d++) type.dims[d] = TOSAJIT_DYNAMIC;
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    if (!status) status = tosajit_expr_input(expr, &type, &x[DATA]);
    if (!status) status = tosajit_expr_input(expr, &one, &x[ZERO]);
    read = x[DATA];
    if (!status && s->computed)
        status = tosajit_expr_op(expr, TOSAJIT_OP_add, x, 2, NULL, NULL, &read);
    if (!status)
        status = tosajit_expr_op(expr, s->op, &read, 1, &s->attributes, NULL, &made[SCANNED]);
    if (!status && s->results >> MADE & 1)
        status = tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x[ZERO], made[SCANNED]}, 2,
                                 NULL, NULL, &made[MADE]);
    for (int r = 0; !status && r < RESULTS; r++)
        if (s->results >> r & 1) status = tosajit_expr_result(expr, made[r]);
    if (status) fail_msg("scan: %s", tosajit_last_error());
    return expr;
}

static void make_kernels(const subject *s, tosajit_kernel **kernels) {
    tosajit_expr *expr = build(s);
    drawn_kernels(f.forms, &f.kernels, tosajit_op_name(s->op), expr, kernels);
    tosajit_expr_destroy(expr);
}

/* ---------------------------------------------------------------------------------------------
 * Memory */

static double read(tosajit_type type, const unsigned char *at) {
    return exhaustive_decode(type, exhaustive_load(at, 0, exhaustive_size(type)));
}

/* Numbers of a size that neither overflows at once nor loses all before it; or any bits. */
static void draw_element(const subject *s, bool any, unsigned char *at) {
    if (any) {
        test_random_element(&f.random, s->type, at);
    } else if (exhaustive_is_float(s->type)) {
        const double about = s->op == TOSAJIT_OP_cumprod ? 1 : 0,
                     number = about + (double)draw(-1000, 1000) / (about > 0 ? 50000 : 300);
        const uint64_t bits = exhaustive_encode(s->type, number);
        memcpy(at, &bits, tosajit_type_size(s->type));
    } else {
        const int64_t number = draw(0, 40);
        memcpy(at, &number, tosajit_type_size(s->type));
    }
}

static void copy_dense(const guard_tensor *from, int32_t rank, const int64_t *dims, size_t size,
                       bool back) {
    int64_t index[TOSAJIT_MAX_RANK] = {0}, k = 0;
    if (guard_count(rank, dims) == 0) return;
    do {
        unsigned char *own = f.dense + (size_t)k++ * size, *at = guard_at(from, index);
        memcpy(back ? at : own, back ? own : at, size);
    } while (guard_next(rank, dims, index));
}

/* -0 changes no number that it is added to. */
static void fill_operands(const subject *s) {
    const size_t size = tosajit_type_size(s->type);
    const bool any = chance(25), some = chance(20);
    const uint64_t zero = exhaustive_is_float(s->type) ? exhaustive_encode(s->type, -0.0) : 0;
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    drawn_place(&f.random, &f.operands[DATA], s->type, s->rank, s->dims);
    drawn_place(&f.random, &f.operands[ZERO], s->type, 0, NULL);
    memcpy(guard_at(&f.operands[ZERO], index), &zero, size);
    if (guard_count(s->rank, s->dims) > 0) do
            draw_element(s, any || (some && chance(3)), guard_at(&f.operands[DATA], index));
        while (guard_next(s->rank, s->dims, index));
    copy_dense(&f.operands[DATA], s->rank, s->dims, size, false);
    for (int o = 0; o < OPERANDS; o++) guard_remember(&f.operands[o]);
    const reduce_question q = {.op = s->op,
                               .element = s->type,
                               .nan_mode = s->attributes.nan_mode,
                               .rank = s->rank,
                               .axis = (int32_t)s->attributes.axis,
                               .dims = s->dims,
                               .exclusive = s->attributes.exclusive,
                               .reverse = s->attributes.reverse};
    if (guard_count(s->rank, s->dims) > 0) scan_reference(&q, f.dense, f.expected);
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

/* f64 has its logarithms and exponentials within an ulp, and adds what is left of each element. */
static bool is_near(tosajit_type type, double found, double right) {
    const double unit = type == TOSAJIT_F64 ? 0x1p-46 : type == TOSAJIT_F32 ? 0x1p-23 : 0x1p-7;
    return found == right || fabs(found - right) <= unit * (1 + fabs(right));
}

static bool is_right(const subject *s, const unsigned char *found, const unsigned char *right) {
    const size_t size = tosajit_type_size(s->type);
    if (memcmp(found, right, size) == 0) return true;
    if (!exhaustive_is_float(s->type)) return false;
    const double a = read(s->type, found), b = read(s->type, right);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return s->op == TOSAJIT_OP_logcumsumexp && is_near(s->type, a, b);
}

static void compare(const subject *s, const guard_tensor *result, const char *engine) {
    const size_t size = tosajit_type_size(s->type);
    int64_t index[TOSAJIT_MAX_RANK] = {0}, k = 0;
    if (guard_count(s->rank, s->dims) == 0) return;
    do {
        if (is_right(s, guard_at(result, index), f.expected + (size_t)k * size)) continue;
        fail_msg(
            "%s of %s %" PRId64 "x%" PRId64 "x%" PRId64 ", rank %d, axis %d, %s%s%s on %s: "
            "element %" PRId64 " is another one, %.17g and not %.17g",
            tosajit_op_name(s->op), tosajit_type_name(s->type), s->dims[0], s->dims[1], s->dims[2],
            (int)s->rank, (int)s->attributes.axis, s->attributes.exclusive ? "exclusive " : "",
            s->attributes.reverse ? "reverse " : "", s->computed ? "computed" : "", engine, k,
            read(s->type, guard_at(result, index)), read(s->type, f.expected + (size_t)k * size));
    } while (k++, guard_next(s->rank, s->dims, index));
}

static void call(const subject *s, tosajit_kernel *kernel, const char *engine, bool in_place) {
    tosajit_tensor operands[OPERANDS], results[RESULTS];
    size_t count = 0;
    for (int o = 0; o < OPERANDS; o++) operands[o] = f.operands[o].tensor;
    for (int r = 0; r < RESULTS; r++) {
        if (!(s->results >> r & 1)) continue;
        drawn_place(&f.random, &f.results[r], s->type, s->rank, s->dims);
        guard_remember(&f.results[r]);
        results[count++] = in_place ? operands[DATA] : f.results[r].tensor;
    }
    const uint64_t way = f.calls++ % 3;
    if ((way == 0   ? tosajit_run
         : way == 1 ? test_run_bound
                    : divide_run)(kernel, operands, OPERANDS, results, count))
        fail_msg("%s on %s: %s", tosajit_op_name(s->op), engine, tosajit_last_error());
    f.in_place += in_place;
    if (in_place) compare(s, &f.operands[DATA], engine);
    if (in_place) copy_dense(&f.operands[DATA], s->rank, s->dims, tosajit_type_size(s->type), true);
    for (int o = 0; o < OPERANDS; o++) assert_true(guard_intact(&f.operands[o], false));
    for (int r = 0; r < RESULTS && !in_place; r++) {
        if (!(s->results >> r & 1)) continue;
        compare(s, &f.results[r], engine);
        if (!guard_intact(&f.results[r], true))
            fail_msg("scan on %s: a byte was written that is none of a result's", engine);
    }
}

/* An op and a type that it takes. */
static void draw_op(subject *s, uint64_t number) {
    do {
        s->op = (tosajit_op)(TOSAJIT_OP_cumsum + (int)(number % 5));
        s->type = (tosajit_type)draw(0, TOSAJIT_TYPE_COUNT - 1);
    } while (!tosajit_op_accepts(s->op, &s->type, s->type));
    const bool extreme = s->op == TOSAJIT_OP_cummax || s->op == TOSAJIT_OP_cummin;
    if (extreme && chance(30)) s->attributes.nan_mode = TOSAJIT_NAN_IGNORE;
}

static void check_case(uint64_t number) {
    subject s = {.computed = chance(40),
                 .dynamic = chance(50),
                 .rank = (int32_t)draw(1, MOST_RANK),
                 .results = (unsigned)draw(1, 3)};
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    s.attributes.axis = draw(0, s.rank - 1);
    s.attributes.exclusive = chance(30);
    s.attributes.reverse = chance(30);
    draw_op(&s, number);
    draw_sizes(&s);
    make_kernels(&s, kernels);
    for (int k = 0; k < CALLS; k++) {
        if (k > 0 && s.dynamic) draw_sizes(&s);
        fill_operands(&s);
        const bool in_place = s.results == 1 && !s.computed && chance(40);
        for (size_t e = 0; e < test_engine_count; e++)
            call(&s, kernels[e], test_engines[e].name, in_place);
    }
    for (size_t e = 0; e < test_engine_count; e++) tosajit_kernel_release(kernels[e]);
}

static void elements_are_combined_up_to_each_one(void **state) {
    const uint64_t cases = test_setting("TOSAJIT_CASES", STANDARD_CASES) / test_thinning();
    for (uint64_t number = 0; number < cases; number++) check_case(number);
    print_message("%" PRIu64 " kernels, %" PRIu64 " calls, %" PRIu64 " of them in place\n",
                  f.kernels, f.calls, f.in_place);
    assert_true(cases < 20 || f.in_place > 0);
}

static int open_all(void **state) {
    bool fine = !test_setup_exact(state);
    f.random = test_random_start(test_seed());
    f.forms = forms_open();
    f.dense = malloc(CAPACITY);
    f.expected = malloc(CAPACITY);
    for (int o = 0; o < OPERANDS; o++) fine = fine && guard_create(&f.operands[o], CAPACITY);
    for (int r = 0; r < RESULTS; r++) fine = fine && guard_create(&f.results[r], CAPACITY);
    return fine && f.forms && f.dense && f.expected ? 0 : -1;
}

static int close_all(void **state) {
    forms_close(f.forms);
    free(f.dense);
    free(f.expected);
    for (int o = 0; o < OPERANDS; o++) guard_destroy(&f.operands[o]);
    for (int r = 0; r < RESULTS; r++) guard_destroy(&f.results[r]);
    return test_teardown(state);
}

/* ---------------------------------------------------------------------------------------------
 * What is refused */

static void others_are_refused(void **state) {
    static const struct {
        tosajit_op op;
        tosajit_type type;
        int strict;
        tosajit_attributes attributes;
        tosajit_status status;
        const char *words;
    } cases[] = {
        {TOSAJIT_OP_cumsum, TOSAJIT_F32, 0, {.axis = 2}, TOSAJIT_BAD_ATTRIBUTE, "axis 2 is no"},
        {TOSAJIT_OP_cumsum, TOSAJIT_F32, 0, {.axis = -1}, TOSAJIT_BAD_ATTRIBUTE, "axis -1 is no"},
        {TOSAJIT_OP_cummax, TOSAJIT_F32, 0, {.joined = 1}, TOSAJIT_BAD_ATTRIBUTE, "joined"},
        {TOSAJIT_OP_cumsum, TOSAJIT_I8, 0, {.axis = 0}, TOSAJIT_TYPE_MISMATCH, "i32, i64"},
        {TOSAJIT_OP_logcumsumexp, TOSAJIT_I32, 0, {.axis = 0}, TOSAJIT_TYPE_MISMATCH, "f32, f64"},
        {TOSAJIT_OP_cumprod, TOSAJIT_F32, 1, {.axis = 0}, TOSAJIT_TYPE_MISMATCH, "an extension"},
        {TOSAJIT_OP_reduce_sum, TOSAJIT_F32, 0, {.reverse = 1}, TOSAJIT_BAD_ATTRIBUTE, "reverse"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const tosajit_expr_options options = {.size = sizeof options, .strict = cases[k].strict};
        const tosajit_tensor_type type = {cases[k].type, 2, {3, 4}};
        tosajit_expr *expr;
        tosajit_value x, made;
        assert_int_equal(tosajit_expr_create(&options, &expr), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_input(expr, &type, &x), TOSAJIT_OK);
        host_assert_error(
            tosajit_expr_op(expr, cases[k].op, &x, 1, &cases[k].attributes, NULL, &made),
            cases[k].status, cases[k].words);
        tosajit_expr_destroy(expr);
    }
}

/* A pass that reduces a value stores it, too, where a scan and a gather read it: every element, not
 * one for each sum. */
static void values_are_whole_beside_a_reduction(void **state) {
    enum { ROWS = 3, COLUMNS = 5, VALUES = 64 };
    static int32_t x[ROWS][COLUMNS], v[VALUES], s[ROWS * COLUMNS], y[ROWS][COLUMNS],
        z[ROWS][COLUMNS];
    static const int64_t sizes[] = {ROWS, COLUMNS}, kept[][2] = {{1, COLUMNS}, {ROWS, 1}},
                         values[] = {VALUES};
    for (int k = 0; k < VALUES; k++) v[k] = 1000 - 7 * k;
    for (int k = 0; k < ROWS * COLUMNS; k++) x[k / COLUMNS][k % COLUMNS] = k * 5 % 31;
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_I32, x, 2, sizes),
                                       tosajit_dense(TOSAJIT_I32, v, 1, values)};
    for (int axis = 0; axis < 2; axis++) {
        char text[120];
        snprintf(text, sizeof text,
                 "t = x + x; s = max(t, axis=%d); y = cumsum(t, axis=1); z = gather(v, t); s; y; z",
                 axis);
        tosajit_expr *expr = test_parse("x: i32[?,?], v: i32[?]\n", text);
        const tosajit_tensor results[] = {tosajit_dense(TOSAJIT_I32, s, 2, kept[axis]),
                                          tosajit_dense(TOSAJIT_I32, y, 2, sizes),
                                          tosajit_dense(TOSAJIT_I32, z, 2, sizes)};
        for (size_t e = 0; e < test_engine_count; e++) {
            tosajit_kernel *kernel = test_compile(test_engines[e].engine, expr);
            if (tosajit_run(kernel, operands, 2, results, 3)) fail_msg("%s", tosajit_last_error());
            for (int r = 0; r < ROWS; r++)
                for (int c = 0, sum = 0; c < COLUMNS; c++) {
                    sum += 2 * x[r][c];
                    assert_int_equal(y[r][c], sum);
                    assert_int_equal(z[r][c], v[2 * x[r][c]]);
                }
            tosajit_kernel_release(kernel);
        }
        tosajit_expr_destroy(expr);
    }
}

int main(void) {
    return TEST_RUN(open_all, close_all, TEST(elements_are_combined_up_to_each_one),
                    TEST(values_are_whole_beside_a_reduction), TEST(others_are_refused));
}
