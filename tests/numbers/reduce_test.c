/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions, positions and indices: every op of every type along every axis of ranks 1 to 4, bit
 * by bit what reduce_reference.c says. Sizes stand around those where blocks, partial results,
 * vectors and their tails end; tensors are dense, backwards, with gaps, transposed; kernels are of
 * all forms of forms.h, called alone, bound, and with threads. All memory is guarded.
 *
 * TOSAJIT_SEED=<n> sets the operands; TOSAJIT_THIN=<n> leaves out most of the cases. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/numbers/divide.h"
#include "tests/numbers/drawn.h"
#include "tests/numbers/reduce_reference.h"
#include "tests/support/cmocka.h"
#include "tests/support/golden.h"
#include "tests/support/guard.h"
#include "tests/support/support.h"
#include "tests/support/text.h"

enum {
    STANDARD_THINNING = 8,
    MOST_RANK = 4,
    MOST_ELEMENTS = 20000,                          /* drawn */
    ROOM = 40000,                                   /* elements of what is fixed */
    CAPACITY = MOST_ELEMENTS * 8 * (2 + MOST_RANK), /* with gaps, also between sizes of 1 */
    LINE = 64,
};

/* A reduction of given sizes. */
typedef struct subject {
    tosajit_op op;
    tosajit_type type;
    tosajit_attributes attributes;
    int32_t rank;
    int64_t dims[MOST_RANK], made[MOST_RANK]; /* of the operand and of the result */
} subject;

static struct {
    guard_tensor operand, result;
    unsigned char dense[ROOM * 8], expected[ROOM * 8];
    forms *forms;
    test_random random;
    uint64_t kernels, calls, elements;
} f;

static const char *name_of(const subject *s) {
    static char text[200];
    int used =
        snprintf(text, sizeof text, "%s of %s, axis %d and %d more of", tosajit_op_name(s->op),
                 tosajit_type_name(s->type), (int)s->attributes.axis, (int)s->attributes.joined);
    for (int32_t d = 0; d < s->rank; d++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRId64, d ? "x" : " ",
                         s->dims[d]);
    return text;
}

/* Of a position's result, or of a reduction's. */
static tosajit_type result_of(const subject *s) {
    return test_is_position(s->op) ? TOSAJIT_I32 : s->type;
}

/* ---------------------------------------------------------------------------------------------
 * Operands */

/* Mostly numbers of which no sum or product of thousands leaves the type's range: then every
 * addition can be told from another order of them. */
static void fill_dense(const subject *s) {
    const size_t size = tosajit_type_size(s->type);
    const int64_t count = guard_count(s->rank, s->dims), way = test_random_range(&f.random, 0, 3);
    assert_true(count <= MOST_ELEMENTS);
    for (int64_t k = 0; k < count; k++) {
        unsigned char *at = f.dense + (size_t)k * size;
        if (way == 0)
            test_random_element(&f.random, s->type, at);
        else if (way > 1 && k > 2 && test_is_position(s->op)) /* many equal ones */
            memcpy(at, f.dense + (size_t)test_random_range(&f.random, 0, 2) * size, size);
        else if (s->op == TOSAJIT_OP_reduce_product)
            test_random_near_one(&f.random, s->type, at);
        else
            test_random_everyday(&f.random, s->type, at);
        /* Lines in which all is true, or false, but for a few. */
        if (s->type == TOSAJIT_I1 && way > 1 && !test_random_chance(&f.random, 1)) *at = way == 2;
    }
}

static void expect(const subject *s) {
    const reduce_question q = {.op = s->op,
                               .element = s->type,
                               .nan_mode = s->attributes.nan_mode,
                               .rank = s->rank,
                               .axis = (int32_t)s->attributes.axis,
                               .joined = s->attributes.joined,
                               .dims = s->dims};
    fill_dense(s);
    (test_is_position(s->op) ? position_reference : reduce_reference)(&q, f.dense, f.expected);
}

/* ---------------------------------------------------------------------------------------------
 * Layouts */

typedef struct layout {
    const char *name;
    bool outwards;  /* the outermost dimension is contiguous */
    bool backwards; /* every other dimension, the innermost first */
    int apart;      /* elements from one to the next of the contiguous dimension */
} layout;

static const layout layouts[] = {{"dense", false, false, 1},
                                 {"with gaps", false, false, 2},
                                 {"transposed", true, false, 1},
                                 {"backwards", false, true, 1},
                                 {"transposed, backwards and with gaps", true, true, 2}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static void place(const layout *l, guard_tensor *guard, tosajit_type type, int32_t rank,
                  const int64_t *dims) {
    int64_t strides[MOST_RANK], step = (int64_t)tosajit_type_size(type) * l->apart;
    for (int32_t k = 0; k < rank; k++) {
        const int32_t d = l->outwards ? k : rank - 1 - k;
        strides[d] = l->backwards && k % 2 == 0 ? -step : step;
        step *= dims[d] > 0 ? dims[d] : 1;
        if (l->apart > 1) step += (int64_t)tosajit_type_size(type);
    }
    const bool dense = l == layouts;
    const guard_edge edge = test_random_chance(&f.random, 50) ? GUARD_AT_END : GUARD_AT_START;
    assert_true(guard_place(guard, type, rank, dims, dense ? NULL : strides, edge));
    if (test_random_chance(&f.random, 50))
        guard_move(guard, (size_t)test_random_range(&f.random, 1, LINE - 1) /
                              tosajit_type_size(type) * tosajit_type_size(type));
}

static void place_operand(const subject *s, const layout *l) {
    const size_t size = tosajit_type_size(s->type);
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    size_t at = 0;
    place(l, &f.operand, s->type, s->rank, s->dims);
    if (f.operand.size > 0) do
            memcpy(guard_at(&f.operand, index), f.dense + size * at++, size);
        while (guard_next(s->rank, s->dims, index));
    guard_remember(&f.operand);
}

static void compare(const subject *s, const char *engine, const char *how, const layout *l,
                    const guard_tensor *result) {
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    size_t at = 0;
    if (result->size > 0) do {
            const tosajit_type type = result_of(s);
            const uint64_t got = test_bits(type, guard_at(result, index)),
                           should = test_bits(type, f.expected + at * tosajit_type_size(type));
            if (!test_same(type, got, should, 0))
                fail_msg("%s on %s, %s, %s: element %zu is 0x%" PRIx64 ", expected 0x%" PRIx64,
                         name_of(s), engine, how, l->name, at, got, should);
            at++;
        } while (guard_next(s->rank, s->made, index));
    f.elements += at;
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

static tosajit_status run_backwards(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                    size_t operand_count, const tosajit_tensor *results,
                                    size_t result_count) {
    const tosajit_parallel pool = {divide_backwards, NULL, 2};
    return tosajit_run_parallel(kernel, operands, operand_count, results, result_count, &pool);
}

static const struct {
    const char *name;
    tosajit_status (*run)(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                          size_t operand_count, const tosajit_tensor *results, size_t result_count);
} ways[] = {{"run", tosajit_run},
            {"run bound", test_run_bound},
            {"run with threads", divide_run},
            {"run in pieces, backwards", run_backwards}};
enum { WAYS = sizeof ways / sizeof *ways };

/* In two ways; once where elements are interpreted, which takes long. */
static void call(const subject *s, tosajit_kernel *kernel, const char *engine, const layout *l) {
    const bool native = tosajit_kernel_is_native(kernel);
    for (size_t w = native ? 0 : 1; w < 2; w++) {
        const size_t way = w == 0 ? 0 : (size_t)(f.calls / 2 % WAYS);
        place(l, &f.result, result_of(s), s->rank, s->made);
        guard_remember(&f.result);
        if (ways[way].run(kernel, &f.operand.tensor, 1, &f.result.tensor, 1))
            fail_msg("%s on %s, %s, %s: %s", name_of(s), engine, ways[way].name, l->name,
                     tosajit_last_error());
        compare(s, engine, ways[way].name, l, &f.result);
        if (!guard_intact(&f.operand, false) || !guard_intact(&f.result, true))
            fail_msg("%s on %s, %s, %s: a byte beside the result was written", name_of(s), engine,
                     ways[way].name, l->name);
    }
    f.calls++;
}

/* ---------------------------------------------------------------------------------------------
 * Kernels */

static tosajit_expr *build(const subject *s, bool dynamic) {
    tosajit_tensor_type type = tosajit_ranked(s->type, s->rank, s->dims);
    tosajit_expr *expr;
    tosajit_value x, y;
    for (int32_t d = 0; d < s->rank && dynamic; d++) type.dims[d] = TOSAJIT_DYNAMIC;
    if (tosajit_expr_create(NULL, &expr) || tosajit_expr_input(expr, &type, &x) ||
        tosajit_expr_op(expr, s->op, &x, 1, &s->attributes, NULL, &y) ||
        tosajit_expr_result(expr, y))
        fail_msg("%s: %s", name_of(s), tosajit_last_error());
    return expr;
}

static void make_kernels(const subject *s, bool dynamic, tosajit_kernel **kernels) {
    tosajit_expr *expr = build(s, dynamic);
    drawn_kernels(f.forms, &f.kernels, name_of(s), expr, kernels);
    tosajit_expr_destroy(expr);
}

static void check(const subject *s, tosajit_kernel *const *kernels) {
    const layout *l = &layouts[test_random_range(&f.random, 0, LAYOUTS - 1)];
    expect(s);
    place_operand(s, l);
    for (size_t e = 0; e < test_engine_count; e++) call(s, kernels[e], test_engines[e].name, l);
}

static void release(tosajit_kernel **kernels) {
    for (size_t e = 0; e < test_engine_count; e++) tosajit_kernel_release(kernels[e]);
}

/* ---------------------------------------------------------------------------------------------
 * Sizes */

/* Around a vector, the 32 partial results, the 128 elements of one, and the 4096 of a block. */
static const int64_t sizes[] = {0,   1,   2,   5,   31,   32,   33,   63,   127,
                                128, 129, 255, 257, 1000, 4095, 4096, 4097, 3 * 4096 + 5};
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool is_reduced(const subject *s, int32_t d) {
    return d >= s->attributes.axis && d <= s->attributes.axis + s->attributes.joined;
}

/* n elements along all that is reduced: all but one dimension take a divisor. */
static void draw_reduced(subject *s, int64_t n) {
    static const int64_t divisors[] = {1, 2, 3, 5, 7, 17, 32};
    const int32_t first = (int32_t)s->attributes.axis, last = first + s->attributes.joined,
                  rest = (int32_t)test_random_range(&f.random, first, last);
    for (int32_t d = first; d <= last; d++) {
        const int64_t divisor = divisors[test_random_range(&f.random, 0, 6)];
        if (d == rest) continue;
        s->dims[d] = n % divisor == 0 ? divisor : 1;
        n /= s->dims[d];
    }
    s->dims[rest] = n;
    for (int32_t d = first; d <= last; d++) s->made[d] = s->op == TOSAJIT_OP_index ? s->dims[d] : 1;
}

/* Reduced dimensions have n elements; the other dimensions as many as fit, the innermost one
 * sometimes more than a vector or a strip, and seldom one none. */
static void draw_sizes(subject *s, int64_t n) {
    static const int64_t others[] = {1, 2, 3, 7, 16, 17, 33, 65, 130, 300, 2100};
    int64_t room = MOST_ELEMENTS / (n > 0 ? n : 1);
    for (int32_t d = s->rank; d-- > 0;) {
        int64_t size = others[test_random_range(&f.random, 0, 10)];
        if (size > room) size = room < 3 ? room : test_random_range(&f.random, 1, 3);
        if (test_random_chance(&f.random, 3)) size = 0;
        if (is_reduced(s, d)) continue;
        s->dims[d] = s->made[d] = size;
        if (size > 1) room /= size;
    }
    draw_reduced(s, n);
}

static void check_axis(subject *s) {
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    for (int32_t d = 0; d < s->rank; d++) s->dims[d] = 1; /* which the types do not say */
    make_kernels(s, true, kernels);
    for (size_t k = 0; k < SIZES; k++) {
        draw_sizes(s, sizes[k]);
        check(s, kernels);
    }
    release(kernels);
    draw_sizes(s, sizes[test_random_range(&f.random, 1, SIZES - 1)]);
    for (int32_t d = 0; d < s->rank; d++)
        if (s->dims[d] == 0) return; /* no static size */
    make_kernels(s, false, kernels);
    check(s, kernels);
    release(kernels);
}

static bool has_nan_mode(const subject *s) {
    return test_is_float(s->type) &&
           (s->op == TOSAJIT_OP_reduce_max || s->op == TOSAJIT_OP_reduce_min ||
            s->op == TOSAJIT_OP_argmax || s->op == TOSAJIT_OP_argmin);
}

/* An axis alone, and with some of those behind it. */
static void check_neighbours(tosajit_op op, tosajit_type type, int32_t rank, int32_t axis,
                             uint64_t number) {
    const int32_t joined[] = {0, (int32_t)test_random_range(&f.random, 1, MOST_RANK - 1)};
    for (int k = 0; k < 2 && axis + joined[k] < rank; k++) {
        subject s = {.op = op,
                     .type = type,
                     .attributes = {.axis = axis, .joined = joined[k]},
                     .rank = rank};
        if (has_nan_mode(&s) && number % 2) s.attributes.nan_mode = TOSAJIT_NAN_IGNORE;
        check_axis(&s);
    }
}

static void every_axis_is_reduced_in_its_order(void **state) {
    uint64_t number = 0, drawn = 0;
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        tosajit_type from[TOSAJIT_MAX_ARITY], to;
        for (unsigned next = 0;
             test_reduces((tosajit_op)op) && test_next_signature((tosajit_op)op, &next, from, &to);)
            for (int32_t rank = 1; rank <= MOST_RANK; rank++)
                for (int32_t axis = 0; axis < rank; axis++, number++)
                    if (test_is_drawn(number, STANDARD_THINNING) && test_is_mine(drawn++))
                        check_neighbours((tosajit_op)op, to, rank, axis, number);
    }
    print_message("%" PRIu64 " of %" PRIu64 " axes, %" PRIu64 " kernels, %" PRIu64
                  " calls, %" PRIu64 " elements compared\n",
                  drawn, number, f.kernels, f.calls, f.elements);
    assert_true(f.elements > 0);
}

/* The types of which an op gives positions. */
static bool takes(tosajit_op op, tosajit_type type) {
    return tosajit_op_accepts(op, &type, TOSAJIT_I32) != 0;
}

static void positions_are_counted_along_every_axis(void **state) {
    enum { THINNER = 3 }; /* each is two reductions */
    static const tosajit_op ops[] = {TOSAJIT_OP_argmax, TOSAJIT_OP_argmin, TOSAJIT_OP_index};
    uint64_t number = 0, drawn = 0;
    f.elements = f.kernels = f.calls = 0;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int type = 0; type < TOSAJIT_TYPE_COUNT; type++)
            for (int32_t rank = 1; rank <= MOST_RANK && takes(ops[k], (tosajit_type)type); rank++)
                for (int32_t axis = 0; axis < rank; axis++, number++)
                    if (test_is_drawn(number, THINNER * STANDARD_THINNING) && test_is_mine(drawn++))
                        check_neighbours(ops[k], (tosajit_type)type, rank, axis, number);
    print_message("%" PRIu64 " of %" PRIu64 " axes, %" PRIu64 " kernels, %" PRIu64
                  " calls, %" PRIu64 " elements compared\n",
                  drawn, number, f.kernels, f.calls, f.elements);
    assert_true(f.elements > 0);
}

/* ---------------------------------------------------------------------------------------------
 * The order is pinned */

/* FNV-1a of all sums and products of fixed operands, NaN excluded: none is among them. A change of
 * the order, in the library and in the reference at once, changes it. */
static const uint64_t standard_digest = UINT64_C(0x5916d5b6792d7f7f);

static uint64_t pin(tosajit_engine *engine, subject *s, uint64_t digest) {
    tosajit_expr *expr = build(s, false);
    tosajit_kernel *kernel = test_compile(engine, expr);
    const size_t size = tosajit_type_size(s->type);
    const int64_t count = guard_count(s->rank, s->dims);
    test_random random = test_random_start(7);
    for (int64_t k = 0; k < count; k++)
        if (s->op == TOSAJIT_OP_reduce_product)
            test_random_near_one(&random, s->type, f.dense + (size_t)k * size);
        else
            test_random_everyday(&random, s->type, f.dense + (size_t)k * size);
    const tosajit_tensor x = tosajit_dense(s->type, f.dense, s->rank, s->dims),
                         y = tosajit_dense(s->type, f.expected, s->rank, s->made);
    if (tosajit_run(kernel, &x, 1, &y, 1)) fail_msg("%s: %s", name_of(s), tosajit_last_error());
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    return golden_hash(digest, f.expected, size * (size_t)guard_count(s->rank, s->made));
}

static void the_order_is_that_of_earlier_versions(void **state) {
    static const tosajit_type types[] = {TOSAJIT_F16, TOSAJIT_BF16, TOSAJIT_F32, TOSAJIT_F64};
    static const tosajit_op ops[] = {TOSAJIT_OP_reduce_sum, TOSAJIT_OP_reduce_product};
    if (!test_is_mine(0)) return;
    for (size_t e = 0; e < test_engine_count; e++) {
        uint64_t digest = GOLDEN_START;
        for (int k = 0; k < 16; k++) {
            subject s = {.op = ops[k % 2], .type = types[k / 2 % 4], .rank = 2};
            const int32_t axis = k / 8;
            s.attributes.axis = axis;
            s.dims[axis] = 3 * 4096 + 5, s.dims[1 - axis] = 3;
            s.made[axis] = 1, s.made[1 - axis] = 3;
            digest = pin(test_engines[e].engine, &s, digest);
        }
        if (digest != standard_digest)
            fail_msg("on %s the digest is 0x%016" PRIx64 ", expected 0x%016" PRIx64,
                     test_engines[e].name, digest, standard_digest);
    }
}

/* ---------------------------------------------------------------------------------------------
 * In place */

/* Results over an operand of the same sizes have the bits that they have apart from it. */
static const char *const in_place[] = {
    "reduce_sum(x, axis=1) : f32[?,1]",
    "x - reduce_max(x, axis=-1) : f32[?,?]",
    "m = reduce_max(x, axis=-1); e = exp(x - m); e / reduce_sum(e, axis=-1) : f32[?,?]",
    "x - reduce_sum(x, axis=0) : f32[?,?]",
    "d = x - reduce_sum(x, axis=1); d * reduce_max(d * d, axis=0) : f32[?,?]",
};

static void check_in_place(const test_engine *engine, const char *text,
                           const tosajit_kernel *kernel, const int64_t *dims) {
    static float x[ROOM], apart[ROOM], over[ROOM];
    const size_t bytes = sizeof(float) * (size_t)guard_count(2, dims);
    for (int64_t k = 0; k < guard_count(2, dims); k++)
        test_random_everyday(&f.random, TOSAJIT_F32, &x[k]);
    memcpy(over, x, bytes);
    const tosajit_tensor from = tosajit_dense(TOSAJIT_F32, x, 2, dims),
                         to = tosajit_dense(TOSAJIT_F32, apart, 2, dims),
                         both = tosajit_dense(TOSAJIT_F32, over, 2, dims);
    if (tosajit_run(kernel, &from, 1, &to, 1)) fail_msg("%s: %s", text, tosajit_last_error());
    if (tosajit_run(kernel, &both, 1, &both, 1)) fail_msg("%s: %s", text, tosajit_last_error());
    if (memcmp(over, apart, bytes) != 0)
        fail_msg("%s on %s, %dx%d in place: other bits than apart", text, engine->name,
                 (int)dims[0], (int)dims[1]);
}

static void in_place_has_the_same_bits(void **state) {
    static const int64_t dims[][2] = {{1, 1}, {5, 1}, {3, 70}, {40, 700}, {2, 9000}};
    if (!test_is_mine(1)) return;
    for (size_t k = 0; k < sizeof in_place / sizeof *in_place; k++) {
        tosajit_expr *expr = test_parse("", in_place[k]);
        for (size_t e = 0; e < test_engine_count; e++) {
            tosajit_kernel *kernel = test_compile(test_engines[e].engine, expr);
            for (size_t n = 0; n < sizeof dims / sizeof *dims; n++)
                if (k > 0 || dims[n][1] == 1)
                    check_in_place(&test_engines[e], in_place[k], kernel, dims[n]);
            tosajit_kernel_release(kernel);
        }
        tosajit_expr_destroy(expr);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Operands that repeat by strides of 0, along any dimensions */

static const struct {
    const char *text; /* of y, and perhaps x */
    unsigned ones;    /* dimensions of the result that are 1, as bits */
} repeating[] = {
    {"sum(y, axis=(1,2), keepdims=True)", 6},
    {"sum(y, axis=(0,1), keepdims=True)", 3},
    {"max(y, axis=(0,1,2), keepdims=True)", 7},
    {"sum(y, axis=2, keepdims=True)", 4},
    {"softmax(y, axis=(1,2))", 0},
    {"sum(y * x + y, axis=(1,2), keepdims=True)", 6},
    {"sum(y * x + y, axis=(0,1,2), keepdims=True)", 7},
    {"mean(y - max(x, axis=(0,1)), axis=(1,2), keepdims=True)", 6},
};

/* Of these sizes, or of any where they are null. */
static tosajit_kernel *make_repeating(const test_engine *engine, size_t number,
                                      const int64_t *dims) {
    char text[200], type[40] = "f32[?,?,?]";
    const bool two =
        strstr(repeating[number].text, "x + y") || strstr(repeating[number].text, "(x,");
    if (dims)
        snprintf(type, sizeof type, "f32[%d,%d,%d]", (int)dims[0], (int)dims[1], (int)dims[2]);
    snprintf(text, sizeof text, "%s : %s%s%s", repeating[number].text, type, two ? ", " : "",
             two ? type : "");
    tosajit_expr *expr = test_parse("", text);
    tosajit_kernel *kernel = test_compile(engine->engine, expr);
    tosajit_expr_destroy(expr);
    return kernel;
}

/* Where the elements of y are that repeats along these dimensions; and a copy of it. */
static void repeat(unsigned repeats, const int64_t *dims, const float *y, int64_t *strides,
                   float *copy) {
    int64_t index[3] = {0}, step = sizeof(float);
    for (int d = 3; d-- > 0;) {
        strides[d] = repeats >> d & 1 ? 0 : step;
        step *= repeats >> d & 1 ? 1 : dims[d];
    }
    do {
        int64_t at = 0;
        for (int d = 0; d < 3; d++) at += index[d] * strides[d];
        *copy++ = y[at / (int64_t)sizeof(float)];
    } while (guard_next(3, dims, index));
}

static void check_repeating(const test_engine *engine, size_t number, const tosajit_kernel *kernel,
                            const int64_t *dims) {
    static float x[ROOM], y[ROOM], copy[ROOM], results[2][ROOM];
    int64_t strides[3], made[3];
    for (int d = 0; d < 3; d++) made[d] = repeating[number].ones >> d & 1 ? 1 : dims[d];
    for (unsigned repeats = 0; repeats < 8; repeats++) {
        for (int64_t k = 0; k < guard_count(3, dims); k++) {
            test_random_everyday(&f.random, TOSAJIT_F32, &x[k]);
            test_random_everyday(&f.random, TOSAJIT_F32, &y[k]);
        }
        repeat(repeats, dims, y, strides, copy);
        for (int k = 0; k < 2; k++) {
            const tosajit_tensor operands[] = {{TOSAJIT_F32, 3, k ? copy : y, dims,
                                                k ? NULL : strides},
                                               tosajit_dense(TOSAJIT_F32, x, 3, dims)},
                                 to = tosajit_dense(TOSAJIT_F32, results[k], 3, made);
            if (tosajit_run(kernel, operands, tosajit_kernel_operand_count(kernel), &to, 1))
                fail_msg("%s: %s", repeating[number].text, tosajit_last_error());
        }
        if (memcmp(results[0], results[1], sizeof results[0]) != 0)
            fail_msg("%s on %s, of %dx%dx%d, which repeats along %u (bits): other bits than a copy",
                     repeating[number].text, engine->name, (int)dims[0], (int)dims[1], (int)dims[2],
                     repeats);
    }
}

static void operands_may_repeat_along_all_that_is_reduced(void **state) {
    static const int64_t dims[][3] = {{3, 2, 2}, {4, 5, 6}, {3, 4, 1}, {3, 1, 4}, {2, 40, 30}};
    if (!test_is_mine(1)) return;
    for (size_t k = 0; k < sizeof repeating / sizeof *repeating; k++)
        for (size_t e = 0; e < test_engine_count; e++) {
            tosajit_kernel *open = make_repeating(&test_engines[e], k, NULL);
            for (size_t n = 0; n < sizeof dims / sizeof *dims; n++) {
                check_repeating(&test_engines[e], k, open, dims[n]);
                if (!test_is_drawn(k + e + n, STANDARD_THINNING)) continue;
                tosajit_kernel *fixed = make_repeating(&test_engines[e], k, dims[n]);
                check_repeating(&test_engines[e], k, fixed, dims[n]);
                tosajit_kernel_release(fixed);
            }
            tosajit_kernel_release(open);
        }
}

/* ---------------------------------------------------------------------------------------------
 * Blocks */

/* Parts whose columns are not the innermost dimension, in more than one block: code that was
 * promised a multiple of columns would write behind the result. */
static const struct {
    const char *text;
    int64_t dims[3], made[3];
    tosajit_type type;
} in_blocks[] = {
    {"mean(max(x, axis=2), axis=1) : f64[8,?,?]", {8, 1265, 1}, {8, 1, 1}, TOSAJIT_F64},
    {"t = sum(x, axis=2); t - mean(t, axis=0) : f32[?,4,?]", {2, 4, 1830}, {2, 4, 1}, TOSAJIT_F32},
    {"prod(x, axis=2) * min(prod(x, axis=2), axis=0) : f64[?,16,?]",
     {3, 16, 900},
     {3, 16, 1},
     TOSAJIT_F64},
};

static void blocks_keep_what_columns_promise(void **state) {
    static unsigned char x[8 * 50000], expected[4096], found[4096];
    if (!test_is_mine(0)) return;
    for (size_t n = 0; n < sizeof in_blocks / sizeof *in_blocks; n++) {
        const tosajit_tensor from = tosajit_dense(in_blocks[n].type, x, 3, in_blocks[n].dims),
                             right =
                                 tosajit_dense(in_blocks[n].type, expected, 3, in_blocks[n].made),
                             to = tosajit_dense(in_blocks[n].type, found, 3, in_blocks[n].made);
        const size_t size = tosajit_type_size(in_blocks[n].type);
        for (int64_t k = 0; k < guard_count(3, in_blocks[n].dims); k++)
            test_random_near_one(&f.random, in_blocks[n].type, x + (size_t)k * size);
        tosajit_expr *expr = test_parse("", in_blocks[n].text);
        for (size_t e = 0; e < test_engine_count; e++) {
            tosajit_kernel *kernel = test_compile(test_engines[e].engine, expr);
            memset(expected, 0xa5, sizeof expected);
            memset(found, 0xa5, sizeof found);
            if (tosajit_run_interpreted(kernel, &from, 1, &right, 1) ||
                tosajit_run(kernel, &from, 1, &to, 1))
                fail_msg("%s: %s", in_blocks[n].text, tosajit_last_error());
            if (memcmp(found, expected, sizeof found) != 0)
                fail_msg("%s on %s: other bits than the interpreter's, or beyond the result",
                         in_blocks[n].text, test_engines[e].name);
            tosajit_kernel_release(kernel);
        }
        tosajit_expr_destroy(expr);
    }
}

/* The outermost dimension is none of all parts, so that blocks cut the next one, of five columns of
 * which each has its own place in the padded result. In a block of one column the code has no loop
 * along what is left. */
static void blocks_have_more_than_a_column(void **state) {
    enum { ROWS = 600, COLUMNS = 5 };
    static const char *const text =
        "t0 = x * y; t1 = t0 * sum(t0, axis=2); t2 = tile(pad(t0, (0, 1, 0, 0, 2, 0)), (2, 1, 1)) "
        ": x: f32[?,5,1], y: f32[?,1,1]";
    static const int64_t dims[2][3] = {{ROWS, COLUMNS, 1}, {ROWS, 1, 1}},
                         made[2][3] = {{ROWS, COLUMNS, 1}, {2 * (ROWS + 1), COLUMNS, 3}};
    static float x[2][ROWS * COLUMNS], results[2][2][2 * (ROWS + 1) * COLUMNS * 3];
    if (!test_is_mine(0)) return;
    tosajit_tensor from[2], to[2][2];
    for (int t = 0; t < 2; t++) {
        for (int64_t k = 0; k < guard_count(3, dims[t]); k++)
            test_random_everyday(&f.random, TOSAJIT_F32, &x[t][k]);
        from[t] = tosajit_dense(TOSAJIT_F32, x[t], 3, dims[t]);
        for (int r = 0; r < 2; r++)
            to[t][r] = tosajit_dense(TOSAJIT_F32, results[t][r], 3, made[r]);
    }
    tosajit_expr *expr = test_parse("", text);
    for (size_t e = 0; e < test_engine_count; e++) {
        tosajit_kernel *kernel = test_compile(test_engines[e].engine, expr);
        memset(results, 0xa5, sizeof results);
        if (tosajit_run_interpreted(kernel, from, 2, to[0], 2) ||
            tosajit_run(kernel, from, 2, to[1], 2))
            fail_msg("%s: %s", text, tosajit_last_error());
        if (memcmp(results[0], results[1], sizeof results[0]) != 0)
            fail_msg("%s on %s: other bits than the interpreter's", text, test_engines[e].name);
        tosajit_kernel_release(kernel);
    }
    tosajit_expr_destroy(expr);
}

static int open_all(void **state) {
    if (test_setup_exact(state)) return -1;
    f.random = test_random_start(test_seed());
    f.forms = forms_open();
    return f.forms && guard_create(&f.operand, CAPACITY) && guard_create(&f.result, CAPACITY) ? 0
                                                                                              : -1;
}

static int close_all(void **state) {
    forms_close(f.forms);
    guard_destroy(&f.operand);
    guard_destroy(&f.result);
    return test_teardown(state);
}

int main(void) {
    return TEST_RUN(open_all, close_all, TEST(every_axis_is_reduced_in_its_order),
                    TEST(positions_are_counted_along_every_axis),
                    TEST(the_order_is_that_of_earlier_versions), TEST(in_place_has_the_same_bits),
                    TEST(operands_may_repeat_along_all_that_is_reduced),
                    TEST(blocks_keep_what_columns_promise), TEST(blocks_have_more_than_a_column));
}
