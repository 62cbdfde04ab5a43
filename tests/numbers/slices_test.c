/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slices, and slices of slices, of every begin, end and step beside the indices that these say, of
 * sizes that are known when compiled and of others. A range that leaves the operand is refused. */
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tosajit/tosajit.h"

#define NONE TOSAJIT_DYNAMIC
enum { MOST = 6 };

/* Of a range the indices, if it does not leave so many. */
typedef struct indices {
    int count; /* -1: it leaves them */
    int64_t at[MOST];
} indices;

/* Where a position is: those that are negative count from the end. */
static int64_t place(int64_t position, int64_t n, int64_t open) {
    return position == NONE ? open : position < 0 ? position + n : position;
}

static indices indices_of(const int64_t range[3], const indices *of) {
    const int64_t n = of->count, step = range[2], least = step > 0 ? 0 : -1, most = n + least;
    const int64_t begin = place(range[0], n, step > 0 ? 0 : n - 1),
                  end = range[1] == NONE ? (step > 0 ? n : -1) : place(range[1], n, 0);
    indices found = {0};
    const bool turned = step > 0 ? end < begin : end > begin,
               before = range[1] != NONE && range[1] < -n;
    if (n < 0 || turned || before || begin < least || begin > most || end < least || end > most) {
        found.count = -1;
        return found;
    }
    for (int64_t i = begin; step > 0 ? i < end : i > end; i += step)
        found.at[found.count++] = of->at[i];
    return found;
}

/* x through one range or two; NULL: refused. */
static tosajit_kernel *compile(tosajit_engine *engine, const int64_t (*ranges)[3], int count,
                               int64_t size) {
    const tosajit_tensor_type type = {TOSAJIT_I32, 1, {size}};
    tosajit_expr *expr;
    tosajit_kernel *kernel = NULL;
    tosajit_value x;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    tosajit_status status = tosajit_expr_input(expr, &type, &x);
    for (int k = 0; !status && k < count; k++) {
        const tosajit_attributes a = {.numbers = ranges[k], .number_count = 3};
        status = tosajit_expr_op(expr, TOSAJIT_OP_slice, &x, 1, &a, NULL, &x);
    }
    if (!status) status = tosajit_expr_op(expr, TOSAJIT_OP_negate, &x, 1, NULL, NULL, &x);
    if (!status) status = tosajit_expr_result(expr, x);
    if (!status) status = tosajit_compile_expr(engine, expr, &kernel);
    if (status) assert_int_equal(status, TOSAJIT_SHAPE_MISMATCH);
    tosajit_expr_destroy(expr);
    return kernel;
}

static const char *name_of(const int64_t (*ranges)[3], int count, int64_t n) {
    static char name[200];
    int at = snprintf(name, sizeof name, "%d indices, ", (int)n);
    for (int k = 0; k < count; k++) {
        at += snprintf(name + at, sizeof name - (size_t)at, "[");
        for (int p = 0; p < 3; p++) {
            const char *behind = p < 2 ? ":" : "]";
            if (ranges[k][p] != NONE)
                at += snprintf(name + at, sizeof name - (size_t)at, "%d", (int)ranges[k][p]);
            at += snprintf(name + at, sizeof name - (size_t)at, "%s", behind);
        }
    }
    return name;
}

static void check_call(const tosajit_kernel *kernel, const int64_t (*ranges)[3], int count,
                       int64_t n) {
    const int32_t x[MOST] = {10, 11, 12, 13, 14, 15};
    int32_t r[MOST] = {0};
    int64_t dims[TOSAJIT_MAX_RANK];
    int32_t rank;
    indices expected = {(int)n, {0, 1, 2, 3, 4, 5}};
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_I32, (void *)x, 1, &n);
    for (int k = 0; k < count; k++) expected = indices_of(ranges[k], &expected);
    const tosajit_status status = tosajit_kernel_result_dims(kernel, &operand, 1, 0, &rank, dims);
    if (expected.count < 0 ? status != TOSAJIT_SHAPE_MISMATCH : status || dims[0] != expected.count)
        fail_msg("%s: %s", name_of(ranges, count, n), status ? tosajit_last_error() : "its size");
    if (status) return;
    const tosajit_tensor result = tosajit_dense(TOSAJIT_I32, r, 1, dims);
    if (tosajit_run(kernel, &operand, 1, &result, 1))
        fail_msg("%s: %s", name_of(ranges, count, n), tosajit_last_error());
    for (int k = 0; k < expected.count; k++)
        if (r[k] != -x[expected.at[k]]) fail_msg("%s: element %d", name_of(ranges, count, n), k);
}

/* A static size and a static result have at least one index. */
static void check_static(tosajit_engine *engine, const int64_t (*ranges)[3], int count) {
    for (int64_t n = 1; n <= MOST; n++) {
        indices expected = {(int)n, {0, 1, 2, 3, 4, 5}};
        for (int k = 0; k < count; k++) {
            expected = indices_of(ranges[k], &expected);
            if (expected.count == 0) expected.count = -1;
        }
        tosajit_kernel *kernel = compile(engine, ranges, count, n);
        if (!kernel != (expected.count < 0)) fail_msg("%s", name_of(ranges, count, n));
        if (kernel) check_call(kernel, ranges, count, n);
        tosajit_kernel_release(kernel);
    }
}

/* A slice of a dynamic size has a static one if both its ends count from the same one; so a second
 * slice may be refused before a call. */
static void check_dynamic(tosajit_engine *engine, const int64_t (*ranges)[3], int count) {
    tosajit_kernel *kernel = compile(engine, ranges, count, TOSAJIT_DYNAMIC);
    for (int64_t n = 0; n <= MOST; n++) {
        indices expected = {(int)n, {0, 1, 2, 3, 4, 5}};
        for (int k = 0; k < count; k++) expected = indices_of(ranges[k], &expected);
        if (kernel)
            check_call(kernel, ranges, count, n);
        else if (expected.count > 0)
            fail_msg("%s is refused", name_of(ranges, count, n));
    }
    tosajit_kernel_release(kernel);
}

static void slices_are_what_their_indices_say(void **state) {
    static const int64_t bounds[] = {NONE, -8, -7, -6, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7},
                         steps[] = {1, 2, 3, -1, -2};
    enum { BOUNDS = sizeof bounds / sizeof *bounds, STEPS = sizeof steps / sizeof *steps };
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    for (int k = 0; k < BOUNDS * BOUNDS * STEPS; k++) {
        const int64_t range[1][3] = {
            {bounds[k % BOUNDS], bounds[k / BOUNDS % BOUNDS], steps[k / BOUNDS / BOUNDS]}};
        check_static(engine, range, 1);
        check_dynamic(engine, range, 1);
    }
    tosajit_engine_destroy(engine);
}

static void slices_of_slices_are_what_their_indices_say(void **state) {
    static const int64_t bounds[] = {NONE, -2, -1, 0, 1, 2, 5}, steps[] = {1, 2, -1};
    enum {
        BOUNDS = sizeof bounds / sizeof *bounds,
        RANGES = BOUNDS * BOUNDS * sizeof steps / sizeof *steps
    };
    int64_t ranges[RANGES][3];
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    for (int k = 0; k < RANGES; k++) {
        ranges[k][0] = bounds[k % BOUNDS];
        ranges[k][1] = bounds[k / BOUNDS % BOUNDS];
        ranges[k][2] = steps[k / BOUNDS / BOUNDS];
    }
    for (int k = 0; k < RANGES * RANGES; k++) {
        int64_t pair[2][3];
        memcpy(pair[0], ranges[k % RANGES], sizeof pair[0]);
        memcpy(pair[1], ranges[k / RANGES], sizeof pair[1]);
        check_dynamic(engine, (const int64_t(*)[3])pair, 2);
        if (k % 7 == 0) check_static(engine, (const int64_t(*)[3])pair, 2);
    }
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(slices_are_what_their_indices_say),
                    TEST(slices_of_slices_are_what_their_indices_say));
}
