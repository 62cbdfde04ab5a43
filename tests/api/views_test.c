/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views by the C interface: what is refused, with which words, and that a refused call writes
 * nothing; texts, images, bound calls and explanations of kernels that have some. Results are
 * compared with NumPy's by tests/tools/python_views_test.py. */
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum { R = 3, C = 4, N = R * C };

typedef struct wrong {
    tosajit_op op;
    const int64_t *numbers;
    size_t count;
    int64_t axis;
    tosajit_status status;
    const char *words[3];
} wrong;

#define LIST(...)                                                                                  \
    (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

/* Types that no value of an expression has: `verify` takes them as they are. */
static void wrong_types_are_refused(void **state) {
    static const tosajit_op ops[] = {TOSAJIT_OP_reshape, TOSAJIT_OP_transpose, TOSAJIT_OP_slice,
                                     TOSAJIT_OP_reverse, TOSAJIT_OP_tile,      TOSAJIT_OP_concat,
                                     TOSAJIT_OP_pad};
    static const struct {
        tosajit_tensor_type type;
        tosajit_status status;
        const char *words[2]; /* of operand 0, of operand 1 */
    } wrong[] = {{{TOSAJIT_F32, TOSAJIT_MAX_RANK + 1, {1}},
                  TOSAJIT_LIMIT_EXCEEDED,
                  {"operand 0: rank 17", "operand 1: rank 17"}},
                 {{TOSAJIT_F32, 2, {R, -5}},
                  TOSAJIT_SHAPE_MISMATCH,
                  {"operand 0 dimension 1", "operand 1 dimension 1"}}};
    for (size_t k = 0; k < 2 * sizeof ops / sizeof *ops; k++) {
        const tosajit_op op = ops[k / 2];
        const int count = tosajit_op_arity(op);
        for (int o = 0; o < count; o++) {
            tosajit_tensor_type types[2], inferred = {TOSAJIT_I8, 1, {7}};
            types[0] = types[1] = tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){R, C});
            types[o] = wrong[k % 2].type;
            host_assert_error(tosajit_verify(op, types, (size_t)count, NULL, NULL, 0, &inferred),
                              wrong[k % 2].status, wrong[k % 2].words[o]);
            assert_int_equal(inferred.rank, 1);
            assert_int_equal(inferred.dims[0], 7);
        }
    }
}

static void wrong_lists_are_refused(void **state) {
    const wrong cases[] = {
        {TOSAJIT_OP_reshape, LIST(5, 2), 0, TOSAJIT_SHAPE_MISMATCH, {"tensor<3x4xf32>", "5x2"}},
        {TOSAJIT_OP_reshape, LIST(-1, -1), 0, TOSAJIT_BAD_ATTRIBUTE, {"-1 twice", "0 and 1"}},
        {TOSAJIT_OP_reshape, LIST(-1, 5), 0, TOSAJIT_SHAPE_MISMATCH, {"number of elements"}},
        {TOSAJIT_OP_reshape, LIST(0, 12), 0, TOSAJIT_BAD_ATTRIBUTE, {"shape[0] is 0"}},
        {TOSAJIT_OP_reshape, LIST(-4, 12), 0, TOSAJIT_BAD_ATTRIBUTE, {"shape[0] is -4"}},
        {TOSAJIT_OP_reshape, NULL, 2, 0, TOSAJIT_INVALID_ARGUMENT, {"shape is a null"}},
        {TOSAJIT_OP_transpose,
         LIST(0),
         0,
         TOSAJIT_BAD_ATTRIBUTE,
         {"perms has 1 number", "needs 2"}},
        {TOSAJIT_OP_transpose, LIST(1, 1), 0, TOSAJIT_BAD_ATTRIBUTE, {"perms[1] is 1", "once"}},
        {TOSAJIT_OP_transpose, LIST(0, 2), 0, TOSAJIT_BAD_ATTRIBUTE, {"perms[1] is 2"}},
        {TOSAJIT_OP_transpose, NULL, 0, 0, TOSAJIT_BAD_ATTRIBUTE, {"perms has 0 numbers"}},
        {TOSAJIT_OP_slice, LIST(0, 3, 1), 0, TOSAJIT_BAD_ATTRIBUTE, {"ranges has 3", "needs 6"}},
        {TOSAJIT_OP_slice, LIST(0, 4, 1, 0, 4, 1), 0, TOSAJIT_SHAPE_MISMATCH, {"dimension 0", "4"}},
        {TOSAJIT_OP_slice, LIST(0, 3, 1, 2, 2, 1), 0, TOSAJIT_SHAPE_MISMATCH, {"dimension 1"}},
        {TOSAJIT_OP_slice, LIST(0, 3, 0, 0, 4, 1), 0, TOSAJIT_BAD_ATTRIBUTE, {"the step is 0"}},
        {TOSAJIT_OP_slice, LIST(-4, 3, 1, 0, 4, 1), 0, TOSAJIT_SHAPE_MISMATCH, {"begin -4"}},
        {TOSAJIT_OP_reverse, NULL, 0, 2, TOSAJIT_BAD_ATTRIBUTE, {"axis 2", "rank 2"}},
        {TOSAJIT_OP_reverse, NULL, 0, -1, TOSAJIT_BAD_ATTRIBUTE, {"axis -1"}},
        {TOSAJIT_OP_pad, LIST(0, 0, 0), 0, TOSAJIT_BAD_ATTRIBUTE, {"padding has 3", "needs 4"}},
        {TOSAJIT_OP_pad, LIST(0, 0, 1, INT64_MAX), 0, TOSAJIT_OVERFLOW, {"dimension 1", "2^63"}},
        {TOSAJIT_OP_tile, LIST(1, 0), 0, TOSAJIT_BAD_ATTRIBUTE, {"multiples[1] is 0"}},
        {TOSAJIT_OP_tile, LIST(1, INT64_MAX), 0, TOSAJIT_OVERFLOW, {"dimension 1", "2^63"}},
        {TOSAJIT_OP_exp, LIST(1), 0, TOSAJIT_BAD_ATTRIBUTE, {"takes no list of numbers"}},
        {TOSAJIT_OP_transpose, LIST(0, 1), 1, TOSAJIT_BAD_ATTRIBUTE, {"no axis"}},
    };
    const tosajit_tensor_type types[2] = {tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){R, C}),
                                          tosajit_ranked(TOSAJIT_F32, 0, NULL)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const wrong *w = &cases[k];
        const tosajit_attributes a = {
            .numbers = w->numbers, .number_count = w->count, .axis = w->axis};
        const tosajit_status status =
            tosajit_verify(w->op, types, (size_t)tosajit_op_arity(w->op), &a, NULL, 0, NULL);
        if (status != w->status)
            fail_msg("case %zu: %s: %s", k, tosajit_status_name(status), tosajit_last_error());
        for (int n = 0; n < 3 && w->words[n]; n++)
            if (!strstr(tosajit_last_error(), w->words[n]))
                fail_msg("case %zu: \"%s\" lacks \"%s\"", k, tosajit_last_error(), w->words[n]);
    }
    const tosajit_tensor_type unranked = {TOSAJIT_F32, TOSAJIT_UNRANKED, {0}};
    host_assert_error(
        tosajit_verify(TOSAJIT_OP_transpose, &unranked, 1,
                       &(tosajit_attributes){.numbers = (int64_t[]){0}, .number_count = 1}, NULL, 0,
                       NULL),
        TOSAJIT_UNRANKED_SHAPE, "must have a rank");
}

static tosajit_kernel *compile(tosajit_engine *engine, const char *text) {
    tosajit_expr *expr;
    tosajit_kernel *kernel = NULL;
    if (tosajit_expr_parse(text, strlen(text), NULL, &expr)) fail_msg("%s", tosajit_last_error());
    if (tosajit_compile_expr(engine, expr, &kernel)) fail_msg("%s", tosajit_last_error());
    tosajit_expr_destroy(expr);
    return kernel;
}

/* Refusals: strides cannot say it, or the order of a sum would change. */
static void what_is_no_view_is_refused(void **state) {
    static const char *const cases[][2] = {
        {"reshape(x + y, -1) : x: f32[3,4], y: f32[3,1]", NULL}, /* it is one of the result */
        {"reshape(x + y, -1)[1:] : x: f32[3,4], y: f32[3,1]", "no strides say"},
        {"softmax(x)[:, 1:] : f32[3,4]", "keep the axis as a size of 1"},
        {"sum(flip(x - sum(x, axis=1), 1), axis=1) : f32[3,4]", "cannot be seen through"},
        {"tile(x, 2, 1) : f32[3,4]", NULL}, /* each row of the result is one of two */
        {"tile(x, 2, 1)[1:] : f32[3,4]", "repeated along some"},
        {"tile(x, 2, 3) : f32[?,?]", "dimensions 0 and 1 are repeated, and both are dynamic"},
        {"sum(tile(x, 2), axis=0) : f32[3]", "repeated along some"},
        {"sum(reshape(transpose(x), -1), axis=0) : f32[3,4]",
         "tosa.reshape joins dimensions of %x that lie apart"},
        {"sum(reshape(transpose(x) + y, -1), axis=0) : x: f32[3,4], y: f32[4,3]", "of %x that lie"},
        {"sum(reshape(transpose(x), -1), axis=0) : f32[?,4]", "of %x that lie apart"},
        {"reshape(transpose(x), -1)[1:] : f32[3,4]", "of %x that lie apart"},
        {"sum(reshape(x[:, 1:], -1), axis=0) : f32[3,4]", "of %x that lie apart"},
        {"sum(reshape(flip(x, 1), -1), axis=0) : f32[3,4]", "of %x that lie apart"},
        {"transpose(reshape(exp(sum(x, axis=1)), (3, 4))) : f32[12,5]", "make what they view"},
        /* Dimensions that are apart and have one index, or are divided again, are not joined. */
        {"sum(reshape(transpose(x), -1), axis=0) : f32[1,4]", NULL},
        {"sum(reshape(transpose(x, (2, 0, 1)), -1), axis=0) : f32[3,4,1]", NULL},
        {"sum(reshape(x[:, 1:2], -1), axis=0) : f32[3,4]", NULL},
        {"sum(reshape(x[1:], -1), axis=0) : f32[3,4]", NULL},
        {"sum(reshape(x[:, 0:4], -1), axis=0) : f32[3,4]", NULL}, /* which are all */
        {"softmax(x)[:, 0:4] : f32[3,4]", NULL},
        /* One element repeats beside what a view of a sum has, whatever its own views. */
        {"sum(x, axis=0, keepdims=False) + max(x, keepdims=False) : f32[3,4]", NULL},
        {"max(x, keepdims=False) - sum(x, axis=0, keepdims=False) : f32[?,4]", NULL},
        {"sum(x, axis=0, keepdims=False) + max(x, axis=1, keepdims=False) : f32[4,4]",
         "keep dimensions as sizes of 1"},
        {"sum(reshape(x[:, 1:2, :], (3, 5)), axis=1) : f32[3,4,5]", NULL},
        {"sum(reshape(x[:, 1:2, :], -1), axis=0) : f32[3,4,5]", "of %x that lie apart"},
        {"reshape(transpose(x), -1) + y : x: f32[3,4], y: f32[12]", NULL},
        {"transpose(reshape(x + y, (3, 4))) : x: f32[12], y: f32[12]", NULL},
        {"concat(x, (y + y)) : x: f32[3], y: f32[2]", NULL}, /* an operand in brackets, no tuple */
        {"concat(x, (y), axis=0) : x: f32[3], y: f32[2]", NULL},
        {"concat(x, (2) * y) : x: f32[3], y: f32[2]", NULL},
        {"pad(x, (0 - c), ( 0, 1\n)) : x: f32[3], c: f32[1]", NULL},
        {"tile(concat(x, y), 9) : x: f32[3], y: f32[2]", NULL},
        {"tile(concat(x, y), 13) : x: f32[3], y: f32[2]", "more than 24 pieces"},
        {"sum(concat(x, y, axis=1), axis=1) : x: f32[3,4], y: f32[3,1]", "along pieces"},
        {"concat(x, y, axis=1) + concat(y, x, axis=1) : x: f32[3,4], y: f32[3,1]",
         "different places"},
        {"concat(x, x) + y : x: f32[?,4], y: f32[?,4]", "dynamic size"},
        {"reshape(concat(x, x), -1) : x: f32[3,4]", NULL}, /* of each piece */
        {"reshape(concat(x, x, axis=1), -1) : x: f32[3,4]", "piece by piece"},
        {"reshape(concat(x, x), (4, 6)) : x: f32[3,4]", NULL},
        {"reshape(concat(x, x), (3, 8)) : x: f32[3,4]", "piece by piece"},
        {"concat(concat(x, x), concat(x, x), axis=1) : x: f32[3,4]", NULL},
        {"pad(x, 1)[1:] : f32[3,4]", NULL},
        {"pad(x, y, 1) + 1 : x: f32[?,4], y: f32[1]", NULL},
        {"sum(pad(x, 1), axis=0) : f32[3,4]", "along pieces"},
        {"pad(pad(x, 1), 1) : f32[2,2,2,2,2,2]", "more than 24 pieces"},
        {"pad(x, y, 1) : x: f32[3,4], y: f32[2]", "tensor<2xf32>, must have one element"},
        {"pad(x, y, 1) : x: f32[3,4], y: f32[?]", "tensor<?xf32>, must have one element"},
        {"pad(x, (1, 2)) : f32[3,4]", "padding has 2 numbers"},
        {"pad(x, (0, 0, 0, -2)) : f32[3,4]", "padding[3] is -2, for dimension 1 of operand 0"},
        {"pad(x, y, y, 1) : x: f32[3,4], y: f32[1]", "found 3"},
        {"pad(x, 5.0, 1) : f32[3,4]", "pad takes whole numbers behind its operand"},
        {"transpose(x, (0, 5)) : f32[3,4]", "5 is not in -2..1"},
        {"reshape(x, (3, 5)) : f32[3,4]", "3x5xf32"},
        {"x[0, 0, 0] : f32[3,4]", "3 subscripts"},
        {"x[3] : f32[3,4]", "index 3"},
    };
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosajit_expr *expr = NULL;
        const tosajit_status status =
            tosajit_expr_parse(cases[k][0], strlen(cases[k][0]), NULL, &expr);
        if (!cases[k][1] != !status || (status && !strstr(tosajit_last_error(), cases[k][1])))
            fail_msg("%s: %s", cases[k][0], status ? tosajit_last_error() : "accepted");
        tosajit_expr_destroy(expr);
    }
    tosajit_engine_destroy(engine);
}

/* A call's tensors, and what it must not change. */
typedef struct call {
    float x[2 * N], r[N];
    int64_t dims[2], strides[2];
} call;

static call begin(void) {
    call c = {.dims = {R, C}, .strides = {C * sizeof(float), sizeof(float)}};
    for (int k = 0; k < 2 * N; k++) c.x[k] = (float)k;
    for (int k = 0; k < N; k++) c.r[k] = -1;
    return c;
}

static void wrong_calls_write_nothing(void **state) {
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    tosajit_kernel *kernel = compile(engine, "r = reshape(x[1:] * 2, -1) : x: f32[?,?]");
    call c = begin();
    tosajit_tensor x = tosajit_dense(TOSAJIT_F32, c.x, 2, c.dims),
                   r = tosajit_dense(TOSAJIT_F32, c.r, 1, (int64_t[]){N - C});
    host_assert_error(tosajit_run(kernel, &x, 2, &r, 1), TOSAJIT_INVALID_ARGUMENT, "1 operands");
    host_assert_error(tosajit_run(kernel, &x, 1, &r, 2), TOSAJIT_INVALID_ARGUMENT, "1 results");
    r.dims = (int64_t[]){N};
    host_assert_error(tosajit_run(kernel, &x, 1, &r, 1), TOSAJIT_SHAPE_MISMATCH, "result 0");
    c.dims[0] = 0;
    host_assert_error(tosajit_run(kernel, &x, 1, &r, 1), TOSAJIT_SHAPE_MISMATCH, "slice");
    c.dims[0] = R;
    x.element = TOSAJIT_F16;
    host_assert_error(tosajit_run(kernel, &x, 1, &r, 1), TOSAJIT_TYPE_MISMATCH, "operand 0");
    x.element = TOSAJIT_F32;
    x.data = NULL;
    r.dims = (int64_t[]){N - C};
    host_assert_error(tosajit_run(kernel, &x, 1, &r, 1), TOSAJIT_INVALID_ARGUMENT, "null pointer");
    c.dims[0] = 1; /* nothing of x is read */
    r.dims = (int64_t[]){0};
    host_assert_error(tosajit_run(kernel, &x, 1, &r, 1), TOSAJIT_INVALID_ARGUMENT, "null pointer");
    c.dims[0] = R;
    x.data = c.x;
    c.dims[0] = 2;
    r = tosajit_dense(TOSAJIT_F32, c.x + 2, 1, (int64_t[]){C}); /* amid what is read */
    host_assert_error(tosajit_run(kernel, &x, 1, &r, 1), TOSAJIT_OVERLAP, "");
    for (int k = 0; k < 2 * N; k++) assert_true(c.x[k] == (float)k);
    for (int k = 0; k < N; k++) assert_true(c.r[k] == -1);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* A list of nothing: no dimensions. */
static void pieces_are_no_scalar(void **state) {
    const tosajit_tensor_type type =
        tosajit_ranked(TOSAJIT_F64, 2, (int64_t[]){1, TOSAJIT_DYNAMIC});
    const tosajit_attributes none = {0};
    tosajit_expr *expr;
    tosajit_value x, value;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &x), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_concat, (tosajit_value[]){x, x}, 2, &none, NULL, &value),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_reshape, &value, 1, &none, NULL, &value),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
    host_assert_error(tosajit_expr_verify(expr), TOSAJIT_SHAPE_MISMATCH, "piece by piece");
    tosajit_expr_destroy(expr);
}

/* Lists at the ends of what numbers can say, and more views than there is room for. */
static void extremes_are_refused(void **state) {
    const int64_t far = INT64_MAX, lists[][3] = {{-far, far, 1}, {far, far, 1},   {0, far, 1},
                                                 {-far, 1, 1},   {far, -far, -1}, {0, -far, -1}};
    const tosajit_tensor_type open = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC}),
                              some = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){C});
    tosajit_expr *expr;
    tosajit_value value;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const tosajit_attributes a = {.numbers = lists[k], .number_count = 3};
        host_assert_error(tosajit_verify(TOSAJIT_OP_slice, &some, 1, &a, NULL, 0, NULL),
                          TOSAJIT_SHAPE_MISMATCH, "dimension 0");
    }
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &open, &value), TOSAJIT_OK);
    for (int k = 0; k < 1000; k++)
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_reverse, &value, 1, NULL, NULL, &value),
                         TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
    host_assert_error(tosajit_expr_verify(expr), TOSAJIT_LIMIT_EXCEEDED, "64 views");
    tosajit_expr_destroy(expr);
}

/* More dynamic sizes than there is room for. */
static void too_many_sizes_are_refused(void **state) {
    tosajit_tensor_type wide = {TOSAJIT_F32, TOSAJIT_MAX_RANK, {0}};
    tosajit_expr *expr;
    tosajit_value sum, more;
    for (int32_t d = 0; d < TOSAJIT_MAX_RANK; d++) wide.dims[d] = TOSAJIT_DYNAMIC;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &wide, &sum), TOSAJIT_OK);
    for (int k = 0; k < 60; k++) {
        assert_int_equal(tosajit_expr_input(expr, &wide, &more), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){sum, more}, 2,
                                         NULL, NULL, &sum),
                         TOSAJIT_OK);
    }
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_reverse, &sum, 1, NULL, NULL, &sum),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, sum), TOSAJIT_OK);
    host_assert_error(tosajit_expr_verify(expr), TOSAJIT_LIMIT_EXCEEDED, "1024 different");
    tosajit_expr_destroy(expr);
}

/* Empty tensors have sizes and strides that nobody checks, and so nobody may compute with. */
static void empty_tensors_may_have_any_strides(void **state) {
    const int64_t strides[2] = {INT64_MIN, INT64_MAX};
    tosajit_engine *engine;
    float nothing;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    tosajit_kernel *kernel = compile(engine, "r = transpose(x[::-1, ::2]) * 2 : x: f32[?,?]");
    for (int k = 0; k < 4; k++) {
        const int64_t dims[2] = {k & 1 ? 0 : INT64_MAX, k & 1 ? INT64_MAX : 0},
                      turned[2] = {dims[1] / 2 + dims[1] % 2, dims[0]};
        const tosajit_tensor x = {TOSAJIT_F32, 2, &nothing, dims, k & 2 ? strides : NULL},
                             r = tosajit_dense(TOSAJIT_F32, &nothing, 2, turned);
        if (tosajit_run(kernel, &x, 1, &r, 1)) fail_msg("%d: %s", k, tosajit_last_error());
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* A computed value that then gets a size of 1 repeats beside an operand that has more there: the
 * view is not one of that operand. */
static void what_repeats_is_no_view_of_its_neighbour(void **state) {
    enum { BATCH = 2, HEADS = 4, LENGTH = 3, WIDTH = 8, X = BATCH * LENGTH * WIDTH };
    static const char *const texts[] = {
        "unsqueeze(x + x, 1) * y : x: f32[?,?,8], y: f32[?,4,?,8]",
        "unsqueeze(x + x, 1) * y : x: f32[?,?,8], y: f32[?,?,?,8]",
        "unsqueeze(x + x, 1) * y : x: f32[?,?,?], y: f32[?,?,?,?]",
        "reshape(x + x, (0, 1, 3, 8)) * y : x: f32[?,3,8], y: f32[?,?,3,8]",
        "unsqueeze(x + x, 1) * y : x: f32[?,?,8], y: f32[2,4,?,8]"};
    static const int64_t few[] = {BATCH, LENGTH, WIDTH}, all[] = {BATCH, HEADS, LENGTH, WIDTH};
    float x[X], y[X * HEADS], r[X * HEADS];
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    for (int k = 0; k < X * HEADS; k++) y[k] = (float)(k % 5 + 1), x[k % X] = (float)(k % X);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        tosajit_kernel *kernel = compile(engine, texts[k]);
        const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_F32, x, 3, few),
                                           tosajit_dense(TOSAJIT_F32, y, 4, all)},
                             result = tosajit_dense(TOSAJIT_F32, r, 4, all);
        if (tosajit_run(kernel, operands, 2, &result, 1))
            fail_msg("%s: %s", texts[k], tosajit_last_error());
        for (int i = 0; i < X * HEADS; i++) {
            const int row = LENGTH * WIDTH, own = i / (HEADS * row) * row + i % row;
            assert_true(r[i] == 2 * x[own] * y[i]);
        }
        tosajit_kernel_release(kernel);
    }
    tosajit_engine_destroy(engine);
}

/* A reshape needs its dimensions in one run, which the caller's strides may deny. */
static void strides_decide_on_reshapes(void **state) {
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    tosajit_kernel *kernel = compile(engine, "r = reshape(x, -1)[::-1] : x: f32[?,?]");
    call c = begin();
    tosajit_tensor x = {TOSAJIT_F32, 2, c.x, c.dims, c.strides},
                   r = tosajit_dense(TOSAJIT_F32, c.r, 1, (int64_t[]){N});
    assert_int_equal(tosajit_run(kernel, &x, 1, &r, 1), TOSAJIT_OK);
    for (int k = 0; k < N; k++) assert_true(c.r[k] == (float)(N - 1 - k));
    c.strides[0] *= 2;
    host_assert_error(tosajit_run(kernel, &x, 1, &r, 1), TOSAJIT_SHAPE_MISMATCH, "operand 0");
    assert_non_null(strstr(tosajit_last_error(), "one run"));
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Loaded, bound and explained it is the same kernel; what it is asked tells of the caller's own
 * tensors. */
static void every_form_has_views(void **state) {
    static char image[1 << 16];
    tosajit_engine *engine;
    tosajit_kernel *loaded, *kernels[2];
    size_t size;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    kernels[0] = compile(engine, "r = transpose(x * 2) + y : x: f32[?,?], y: f32[?,?]");
    assert_int_equal(tosajit_kernel_save(kernels[0], image, sizeof image, &size), TOSAJIT_OK);
    if (tosajit_kernel_load(image, size, NULL, &loaded)) fail_msg("%s", tosajit_last_error());
    kernels[1] = loaded;
    for (int k = 0; k < 2; k++) {
        call c = begin();
        const int64_t turned[2] = {C, R};
        float y[N] = {0};
        const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, c.x, 2, c.dims),
                                            tosajit_dense(TOSAJIT_F32, y, 2, turned)},
                             r = tosajit_dense(TOSAJIT_F32, c.r, 2, turned);
        tosajit_bound *bound;
        tosajit_raw raw = {.size = sizeof raw};
        int64_t dims[TOSAJIT_MAX_RANK];
        int32_t rank;
        char *text;
        for (int n = 0; n < N; n++) y[n] = (float)(100 * n);
        assert_int_equal(tosajit_kernel_operand_count(kernels[k]), 2);
        assert_string_equal(tosajit_kernel_operand_name(kernels[k], 1), "y");
        assert_int_equal(tosajit_kernel_operand_type(kernels[k], 0).rank, 2);
        assert_int_equal(tosajit_kernel_result_dims(kernels[k], operands, 2, 0, &rank, dims),
                         TOSAJIT_OK);
        assert_true(rank == 2 && dims[0] == C && dims[1] == R);
        host_assert_error(tosajit_kernel_raw(kernels[k], 0, &raw), TOSAJIT_NOT_EXECUTABLE, "views");
        assert_int_equal(tosajit_explain(kernels[k], operands, 2, NULL, 0, NULL, &text),
                         TOSAJIT_OK);
        tosajit_text_release(text);
        assert_int_equal(tosajit_bind(kernels[k], operands, 2, &r, 1, &bound), TOSAJIT_OK);
        assert_int_equal(tosajit_bound_run(bound, (void *[]){c.x, y, c.r}), TOSAJIT_OK);
        for (int i = 0; i < C; i++)
            for (int j = 0; j < R; j++)
                assert_true(c.r[i * R + j] == 2 * c.x[j * C + i] + y[i * R + j]);
        tosajit_bound_release(bound);
    }
    tosajit_kernel_release(kernels[0]);
    tosajit_kernel_release(kernels[1]);
    tosajit_engine_destroy(engine);
}

/* A picture of three colours whose rows have any length: the pieces lie between each other. */
static void pieces_lie_in_rows_of_any_length(void **state) {
    enum { ROWS = 4, COLUMNS = 30, COLOURS = 3, MOST = 101, CALLS = MOST - COLUMNS * COLOURS };
    static uint8_t colours[COLOURS][ROWS * COLUMNS], picture[ROWS * MOST];
    const int64_t dims[3] = {ROWS, COLUMNS, 1}, all[3] = {ROWS, COLUMNS, COLOURS};
    tosajit_engine *engine;
    tosajit_tensor x[COLOURS];
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    tosajit_kernel *kernel = compile(engine, "r = concat(a, b, c, axis=-1) : u8[?,?,?]");
    for (int k = 0; k < COLOURS; k++) {
        memset(colours[k], 10 + k, sizeof colours[k]);
        x[k] = tosajit_dense(TOSAJIT_U8, colours[k], 3, dims);
    }
    for (int n = 0; n < CALLS; n++) {
        const int64_t pitch = COLUMNS * COLOURS + n, strides[3] = {pitch, COLOURS, 1};
        const tosajit_tensor r = {TOSAJIT_U8, 3, picture, all, strides};
        memset(picture, 0, sizeof picture);
        if (tosajit_run(kernel, x, COLOURS, &r, 1))
            fail_msg("rows of %d: %s", (int)pitch, tosajit_last_error());
        for (int k = 0; k < ROWS * MOST; k++)
            assert_int_equal(picture[k], k / pitch < ROWS && k % pitch < COLUMNS * COLOURS
                                             ? 10 + k % pitch % COLOURS
                                             : 0);
    }
    const tosajit_tensor gray = tosajit_dense(TOSAJIT_U8, picture, 3, all);
    x[1].data = picture + 1; /* messages count the caller's tensors, not pieces */
    host_assert_error(tosajit_run(kernel, x, COLOURS, &gray, 1), TOSAJIT_OVERLAP,
                      "result 0 and operand 1 share memory");
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Some box of an array, or any tensor; and the bytes that it has. */
typedef struct box {
    int64_t dims[3], strides[3], first;
} box;
enum { BOX_ROOM = 600 };

static int some(uint32_t *seed, int least, int most) {
    *seed = *seed * 1664525u + 1013904223u;
    return least + (int)((*seed >> 8) % (uint32_t)(most - least + 1));
}

static void mark(const box *b, uint8_t *bytes) {
    for (int64_t i = 0; i < b->dims[0]; i++)
        for (int64_t j = 0; j < b->dims[1]; j++)
            for (int64_t k = 0; k < b->dims[2]; k++)
                bytes[b->first + i * b->strides[0] + j * b->strides[1] + k * b->strides[2]]++;
}

/* Two boxes that have no index in common, of an array with gaps behind its rows and planes. */
static void make_boxes(uint32_t *seed, box *a, box *b) {
    const int64_t sizes[3] = {some(seed, 2, 5), some(seed, 2, 5), some(seed, 2, 5)};
    const int axis = some(seed, 0, 2);
    a->first = b->first = BOX_ROOM / 4;
    for (int d = 2, stride = some(seed, 1, 2); d >= 0; d--) {
        const int64_t cut = some(seed, 1, (int)sizes[d] - 1);
        a->strides[d] = b->strides[d] = stride;
        a->dims[d] = d == axis ? cut : some(seed, 1, (int)sizes[d]);
        b->dims[d] = d == axis ? sizes[d] - cut : some(seed, 1, (int)sizes[d]);
        b->first += d == axis ? cut * stride : 0;
        stride = stride * (int)sizes[d] + some(seed, 0, 2);
    }
}

static void make_any(uint32_t *seed, box *b) {
    b->first = BOX_ROOM / 2 + some(seed, 0, 9);
    for (int d = 0; d < 3; d++) {
        b->dims[d] = some(seed, 1, 4);
        b->strides[d] = some(seed, 1, 20) * (some(seed, 0, 3) ? 1 : -1);
    }
}

/* Results without a common byte are accepted if they are boxes of one array; with one, never. */
static void results_share_no_byte(void **state) {
    enum { PAIRS = 200000 };
    static uint8_t bytes[BOX_ROOM], x[64];
    tosajit_engine *engine;
    int accepted = 0, refused = 0;
    uint32_t seed = 1;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    tosajit_kernel *kernel = compile(engine, "r = ~a; s = ~b : u8[?,?,?]");
    for (int n = 0; n < PAIRS; n++) {
        box boxes[2];
        tosajit_tensor operands[2], results[2];
        const bool apart = n % 4 == 0;
        uint8_t most = 0;
        if (apart) make_boxes(&seed, &boxes[0], &boxes[1]);
        for (int k = 0; k < 2; k++) {
            if (!apart) make_any(&seed, &boxes[k]);
            operands[k] = tosajit_dense(TOSAJIT_U8, x, 3, boxes[k].dims);
            results[k] = operands[k];
            results[k].data = bytes + boxes[k].first;
            results[k].strides = boxes[k].strides;
        }
        const tosajit_status status = tosajit_run(kernel, operands, 2, results, 2);
        memset(bytes, 0, sizeof bytes);
        mark(&boxes[0], bytes);
        mark(&boxes[1], bytes);
        for (int k = 0; k < BOX_ROOM; k++) most = bytes[k] > most ? bytes[k] : most;
        if (status && status != TOSAJIT_OVERLAP) fail_msg("%s", tosajit_last_error());
        if (apart ? most > 1 || status : most > 1 && !status) fail_msg("pair %d", n);
        accepted += !status && !apart;
        refused += status && most == 1;
    }
    assert_true(accepted > PAIRS / 100 && refused < PAIRS / 2);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* An image whose views are damaged is refused, and nothing else happens. */
static void damaged_images_are_refused(void **state) {
    static char image[1 << 16], bad[1 << 16];
    tosajit_engine *engine;
    tosajit_kernel *kernel, *loaded;
    size_t size;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    kernel = compile(engine, "r = x[1:, ::2] + 1 : f32[?,?]");
    assert_int_equal(tosajit_kernel_save(kernel, image, sizeof image, &size), TOSAJIT_OK);
    for (size_t at = 0; at < size; at += 7) {
        memcpy(bad, image, size);
        bad[at] = (char)(bad[at] ^ 0x20);
        assert_int_equal(tosajit_kernel_load(bad, size, NULL, &loaded), TOSAJIT_BAD_IMAGE);
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Printed, an expression is one that MLIR's reader can read back: tests/tools/tool_test.sh does. */
static void texts_name_lists(void **state) {
    static const char text[] = "r = transpose(x)[1:, 0] : f32[3,?]";
    tosajit_expr *expr;
    char *printed;
    assert_int_equal(tosajit_expr_parse(text, strlen(text), NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_print(expr, NULL, &printed), TOSAJIT_OK);
    assert_non_null(strstr(printed, "perms = array<i32: 1, 0>"));
    assert_non_null(strstr(printed, "values = dense<[1, 0]> : tensor<2xindex>"));
    assert_non_null(strstr(printed, "values = dense<[-1, 1]> : tensor<2xindex>"));
    assert_non_null(strstr(printed, "operator_name = \"reshape\""));
    assert_non_null(strstr(printed, "shape = array<i64: -2>"));
    tosajit_text_release(printed);
    tosajit_expr_destroy(expr);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(wrong_types_are_refused), TEST(wrong_lists_are_refused),
                    TEST(what_is_no_view_is_refused), TEST(wrong_calls_write_nothing),
                    TEST(what_repeats_is_no_view_of_its_neighbour),
                    TEST(strides_decide_on_reshapes), TEST(pieces_are_no_scalar),
                    TEST(extremes_are_refused), TEST(too_many_sizes_are_refused),
                    TEST(empty_tensors_may_have_any_strides), TEST(every_form_has_views),
                    TEST(pieces_lie_in_rows_of_any_length), TEST(results_share_no_byte),
                    TEST(damaged_images_are_refused), TEST(texts_name_lists));
}
