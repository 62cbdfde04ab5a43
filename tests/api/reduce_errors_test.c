/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions that are wrong: the message names op, operand, axis and sizes, and nothing has
 * changed - not the expression, not a result's memory. */
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

/* A reduction of tensor<2x3>, or of an unranked one, and what is said of it. */
typedef struct mistake {
    tosajit_op op;
    tosajit_type operand;
    int64_t axis;
    tosajit_status status;
    const char *words[3];
    tosajit_nan_mode nan_mode;
    bool unranked, strict;
    const char *declared; /* the result, or null */
} mistake;

#define OP(name, type) TOSAJIT_OP_reduce_##name, TOSAJIT_##type
#define SUM OP(sum, F32)
#define WORDS(...) .words = {__VA_ARGS__}
#define ATTRIBUTE TOSAJIT_BAD_ATTRIBUTE
#define SHAPE TOSAJIT_SHAPE_MISMATCH
#define TYPE TOSAJIT_TYPE_MISMATCH
static const mistake mistakes[] = {
    {SUM, 2, ATTRIBUTE,
     WORDS("tosa.reduce_sum: ", "axis 2 is no dimension of operand 0, tensor<2x3xf32> of rank 2")},
    {SUM, -1, ATTRIBUTE,
     WORDS("tosa.reduce_sum: ", "axis -1 is no dimension of operand 0, tensor<2x3xf32> of rank 2")},
    {SUM, INT64_MIN, ATTRIBUTE, WORDS("axis -9223372036854775808 is no dimension of operand 0"),
     .strict = true},
    {SUM, INT64_C(1) << 32, ATTRIBUTE, WORDS("axis 4294967296 is no dimension of operand 0")},
    {SUM, TOSAJIT_MAX_RANK, ATTRIBUTE,
     WORDS("axis 16 is no dimension of operand 0, tensor<*xf32>, nor of any tensor"),
     .unranked = true},
    {SUM, 1, SHAPE,
     WORDS("tosa.reduce_sum: ", "result dimension 1: declared tensor<2x3xf32>, but axis 1 of "
                                "operand 0, tensor<2x3xf32>, is reduced to size 1"),
     .declared = "2x3"},
    {SUM, 0, SHAPE,
     WORDS("result dimension 0: declared tensor<2x3xf32>, but axis 0 of operand 0, tensor<*xf32>"),
     .unranked = true, .declared = "2x3"},
    {SUM, 2, SHAPE,
     WORDS("axis 2 is no dimension of the result, declared tensor<2x3xf32> of rank 2"),
     .unranked = true, .declared = "2x3"},
    {SUM, 1, SHAPE, WORDS("declared tensor<2xf32> of rank 1", "rank 2 (tensor<2x1xf32>)"),
     .declared = "2"},
    {SUM, 1, SHAPE,
     WORDS("result dimension 0: declared tensor<4x1xf32>, but the operands give tensor<2x1xf32>"),
     .declared = "4x1"},
    {SUM, 1, ATTRIBUTE, WORDS("tosa.reduce_sum: ", "nan_mode"), .nan_mode = TOSAJIT_NAN_IGNORE},
    {OP(sum, I8), 1, TYPE,
     WORDS("tosa.reduce_sum: ", "not defined for (i8) -> i8", "i32, i64, f16, bf16, f32, f64")},
    {OP(sum, F64), 1, TYPE, WORDS("tosa.reduce_sum: ", "not defined for (f64) -> f64"),
     .strict = true},
    {OP(all, I32), 1, TYPE, WORDS("tosa.reduce_all: ", "not defined for (i32) -> i32", "i1")},
    {OP(product, I16), 1, TYPE, WORDS("tosa.reduce_product: ", "not defined for (i16) -> i16")},
    {OP(product, I32), 1, TYPE,
     WORDS("tosa.reduce_product: ", "not defined for (i32) -> i32; ", "f16, bf16, f32"),
     .strict = true},
    {OP(max, I48), 1, TYPE, WORDS("tosa.reduce_max: ", "not defined for (i48) -> i48")},
    {OP(max, F32), 1, ATTRIBUTE, WORDS("tosa.reduce_max: ", "nan_mode"),
     .nan_mode = (tosajit_nan_mode)2},
    {OP(count, F32), 1, TYPE, WORDS("tosa.reduce_count: ", "extension"), .strict = true},
};

static tosajit_attributes attributes_of(const mistake *m) {
    return (tosajit_attributes){.axis = m->axis, .nan_mode = m->nan_mode};
}

static const tosajit_tensor_type *declared_of(const mistake *m, tosajit_tensor_type *type) {
    if (!m->declared) return NULL;
    *type = test_type(m->operand, m->declared);
    return type;
}

static void expect(const mistake *m, tosajit_status status) {
    for (int k = 0; k < 3 && m->words[k]; k++) host_assert_error(status, m->status, m->words[k]);
}

static void mistakes_are_named(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_NATIVE, NULL);
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        const mistake *m = &mistakes[k];
        const tosajit_attributes attributes = attributes_of(m);
        tosajit_tensor_type type = tosajit_ranked(m->operand, 2, (int64_t[]){2, 3}), result,
                            inferred = {TOSAJIT_I8, 0, {0}};
        tosajit_kernel *kernel = NULL;
        if (m->unranked) type.rank = TOSAJIT_UNRANKED;
        expect(m, tosajit_verify(m->op, &type, 1, &attributes, declared_of(m, &result), m->strict,
                                 &inferred));
        assert_int_equal(inferred.element, TOSAJIT_I8);
        if (!m->strict)
            expect(m, tosajit_compile(engine, m->op, &type, 1, &attributes, declared_of(m, &result),
                                      &kernel));
        assert_null(kernel);
    }
    tosajit_engine_destroy(engine);
}

static void expressions_stay_as_they_were(void **state) {
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        const mistake *m = &mistakes[k];
        const tosajit_attributes attributes = attributes_of(m);
        tosajit_expr_options options = {.size = sizeof options, .strict = m->strict};
        tosajit_tensor_type type = tosajit_ranked(m->operand, 2, (int64_t[]){2, 3}), result;
        tosajit_expr *expr;
        tosajit_value x, y = 77;
        char *before, *behind;
        if (m->unranked) type.rank = TOSAJIT_UNRANKED;
        assert_int_equal(tosajit_expr_create(&options, &expr), TOSAJIT_OK);
        if (m->strict && m->operand == TOSAJIT_F64) type.element = TOSAJIT_F32;
        assert_int_equal(tosajit_expr_input(expr, &type, &x), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_result(expr, x), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_print(expr, NULL, &before), TOSAJIT_OK);
        if (type.element == m->operand)
            expect(m,
                   tosajit_expr_op(expr, m->op, &x, 1, &attributes, declared_of(m, &result), &y));
        assert_int_equal(y, 77);
        assert_int_equal(tosajit_expr_print(expr, NULL, &behind), TOSAJIT_OK);
        assert_string_equal(before, behind);
        tosajit_text_release(before);
        tosajit_text_release(behind);
        tosajit_expr_destroy(expr);
    }
}

/* An axis for an op that has none is a mistake that would pass silently. */
static void others_take_no_axis(void **state) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){2, 3});
    const tosajit_attributes attributes = {.axis = 1};
    host_assert_error(tosajit_verify(TOSAJIT_OP_exp, &type, 1, &attributes, NULL, 0, NULL),
                      TOSAJIT_BAD_ATTRIBUTE, "axis");
}

/* Positions are i32; operands with a stride of 0 have as many elements as they like. */
static void positions_beyond_i32_are_refused(void **state) {
    const int64_t any[2] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC}, strides[2] = {0, 0}, one[2] = {1, 1};
    const int64_t sizes[][2] = {{1, INT64_C(1) << 31}, {1 << 16, 1 << 16}};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I8, 2, any);
    const tosajit_attributes both = {.joined = 1};
    for (int interprets = 0; interprets < 2; interprets++) {
        tosajit_engine *engine =
            host_engine(interprets ? TOSAJIT_BACKEND_INTERPRET : TOSAJIT_BACKEND_AUTO, NULL);
        tosajit_kernel *kernel;
        assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_argmax, &type, 1, &both, NULL, &kernel),
                         TOSAJIT_OK);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            int8_t element = 3;
            int32_t place = 77;
            const tosajit_tensor operand = {TOSAJIT_I8, 2, &element, sizes[k], strides},
                                 result = tosajit_dense(TOSAJIT_I32, &place, 2, one);
            host_assert_error(tosajit_run(kernel, &operand, 1, &result, 1), TOSAJIT_OVERFLOW,
                              "2147483647");
            assert_int_equal(place, 77);
        }
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
    }
}

static void joined_dimensions_are_checked(void **state) {
    static const struct {
        tosajit_op op;
        int axis, joined;
        const char *result;
        int strict;
        tosajit_status status;
        const char *word;
    } cases[] = {
        {TOSAJIT_OP_reduce_sum, 1, 1, "2x1x1", 0, TOSAJIT_OK, NULL},
        {TOSAJIT_OP_reduce_sum, 1, 2, "2x1x1", 0, ATTRIBUTE,
         "axis 3 is no dimension of operand 0, tensor<2x3x4xf32> of rank 3"},
        {TOSAJIT_OP_reduce_sum, 0, -1, "1x3x4", 0, ATTRIBUTE, "-1 joined dimensions are not legal"},
        {TOSAJIT_OP_reduce_sum, 0, 1, "1x3x4", 0, SHAPE,
         "result dimension 1: declared tensor<1x3x4xf32>, but axis 1 of operand 0"},
        {TOSAJIT_OP_reduce_sum, 0, 1, "1x1x4", 1, ATTRIBUTE, "extension of TOSA"},
        {TOSAJIT_OP_abs, 0, 1, "2x3x4", 0, ATTRIBUTE, "joined dimensions"},
    };
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 3, (int64_t[]){2, 3, 4});
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const tosajit_tensor_type result = test_type(TOSAJIT_F32, cases[k].result);
        const tosajit_attributes attributes = {.axis = cases[k].axis, .joined = cases[k].joined};
        const tosajit_status status =
            tosajit_verify(cases[k].op, &type, 1, &attributes, &result, cases[k].strict, NULL);
        if (cases[k].word)
            host_assert_error(status, cases[k].status, cases[k].word);
        else
            assert_int_equal(status, TOSAJIT_OK);
    }
}

/* Neighbours are one reduction, whether sizes are known or not, unless an operand lacks some. */
static void neighbours_are_joined(void **state) {
    static const struct {
        const char *text;
        int joined, alone; /* parts that reduce several dimensions, and one */
    } cases[] = {
        {"sum(x, axis=(1,2)) : f32[?,?,?]", 1, 0},
        {"sum(x, axis=(1,2)) : f32[2,3,4]", 1, 0},
        {"sum(x * 2.5 + c, axis=(1,2)) : f32[?,?,?], f32[?,1,1]", 1, 0},
        {"sum(x, axis=(0,2)) : f32[?,?,?]", 0, 2},
        {"sum(x * w, axis=(1,2)) : f32[?,?,?], f32[?]", 0, 2},
        {"sum(x * w, axis=(1,2)) : f32[2,3,4], f32[4]", 0, 2},
        {"sum(x * w, axis=(0,1,2)) : f32[?,?,?], f32[?,?]", 1, 1},
        {"sum(x * w, axis=(1,2)) : f32[?,?,?], f32[1,1,?]", 1, 0},
        {"sum(x - mean(x, axis=2, keepdims=True), axis=(1,2)) : f32[2,?,?]", 0, 3},
        {"max(max(x, axis=2), axis=1) : f32[?,?,?]", 1, 0},
        {"max(max(x * w, axis=2), axis=1) : f32[?,?,?], f32[?,?,?]", 0, 2},
    };
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_NATIVE, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosajit_expr *expr;
        char *plan = NULL;
        int joined = 0, alone = 0;
        if (tosajit_expr_parse(cases[k].text, strlen(cases[k].text), NULL, &expr) ||
            tosajit_print(engine, expr, TOSAJIT_VIEW_PLAN, &plan))
            fail_msg("%s: %s", cases[k].text, tosajit_last_error());
        for (const char *at = plan; (at = strstr(at, "reduced: dimension")); at++)
            ++*(at[strlen("reduced: dimension")] == 's' ? &joined : &alone);
        if (joined != cases[k].joined || alone != cases[k].alone)
            fail_msg("%s: %d joined and %d alone, expected %d and %d", cases[k].text, joined, alone,
                     cases[k].joined, cases[k].alone);
        tosajit_text_release(plan);
        tosajit_expr_destroy(expr);
    }
    tosajit_engine_destroy(engine);
}

static void texts_are_answered(void **state) {
    static const char *const cases[][2] = {
        {"reduce_sum(x) : f32[2,3]", "reduce_sum needs the dimension that it reduces"},
        {"reduce_sum(x, axis=2) : f32[2,3]", "axis 2 is no dimension of "},
        {"reduce_sum(x, axis=-3) : f32[2,3]", "axis -3 is no dimension of "},
        {"reduce_sum(x, axis=0) : f32[]", "which has rank 0"},
        {"reduce_sum(x, axis=0.5) : f32[2,3]", "a whole number"},
        {"reduce_sum(x, axis=y) : f32[2,3], f32[]", "a whole number"},
        {"reduce_sum(x, axis=[1,0]) : f32[2,3]", "neighbouring dimensions, in their order"},
        {"reduce_sum(x, axis=[0,2]) : f32[2,3,4]", "neighbouring dimensions, in their order"},
        {"reduce_sum(x, axis=[[0,1]]) : f32[2,3]", "a whole number"},
        {"reverse(x, axis=[0,1]) : f32[2,3]", "a whole number"},
        {"reduce_sum(x, axis=18446744073709551615) : f32[2,3]", "a whole number"},
        {"reduce_sum(x, axis=0, axis=1) : f32[2,3]", "axis is given twice"},
        {"exp(x, axis=1) : f32[2,3]", "axis"},
        {"reduce_sum(x, axis=1) : i8[2,3]", "not defined for (i8) -> i8"},
        {"reduce_max(x, axis=1, nan=never) : f32[2,3]", "propagate or ignore"},
        {"reduce_sum(x, axis=1, nan=ignore) : f32[2,3]", "nan"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosajit_expr *expr = NULL;
        const tosajit_status status =
            tosajit_expr_parse(cases[k][0], strlen(cases[k][0]), NULL, &expr);
        if (!status || expr || !strstr(tosajit_last_error(), cases[k][1]))
            fail_msg("%s: %s", cases[k][0], status ? tosajit_last_error() : "accepted");
    }
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

/* A call whose result has another size along the axis, or elsewhere. */
static void calls_write_nothing(void **state) {
    static const int64_t wrong[][2] = {{2, 3}, {2, 0}, {2, 2}, {1, 1}, {3, 1}};
    static const tosajit_backend backends[] = {TOSAJIT_BACKEND_NATIVE, TOSAJIT_BACKEND_INTERPRET};
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6], untouched[6];
    const tosajit_tensor operand = host_tensor(x, 2, 3);
    memset(untouched, 0x5b, sizeof untouched);
    for (size_t b = 0; b < 2; b++) {
        tosajit_engine *engine = host_engine(backends[b], NULL);
        tosajit_expr *expr = test_parse("", "reduce_sum(x, axis=1) : f32[?,?]");
        tosajit_kernel *kernel = test_compile(engine, expr);
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            const tosajit_tensor result = host_tensor(y, wrong[k][0], wrong[k][1]);
            char words[80];
            memcpy(y, untouched, sizeof y);
            snprintf(words, sizeof words, "result 0 dimension %d", wrong[k][0] == 2);
            host_assert_error(tosajit_run(kernel, &operand, 1, &result, 1), TOSAJIT_SHAPE_MISMATCH,
                              words);
            assert_memory_equal(y, untouched, sizeof y);
        }
        const tosajit_tensor right = host_tensor(y, 2, 1);
        assert_int_equal(tosajit_run(kernel, &operand, 1, &right, 1), TOSAJIT_OK);
        assert_true(y[0] == 6 && y[1] == 15);
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
        tosajit_engine_destroy(engine);
    }
}

/* A result that lies over a part of what is still to be read. */
static void overlap_is_refused(void **state) {
    float x[12] = {1, 2, 3, 4, 5, 6}, before[12];
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_NATIVE, NULL);
    tosajit_expr *expr = test_parse("", "reduce_sum(x, axis=1) : f32[?,?]");
    tosajit_kernel *kernel = test_compile(engine, expr);
    memcpy(before, x, sizeof x);
    for (int shift = 0; shift < 6; shift++) {
        const tosajit_tensor operand = host_tensor(x, 2, 3), result = host_tensor(x + shift, 2, 1);
        host_assert_error(tosajit_run(kernel, &operand, 1, &result, 1), TOSAJIT_OVERLAP,
                          "result 0");
        assert_memory_equal(x, before, sizeof x);
    }
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(mistakes_are_named), TEST(expressions_stay_as_they_were),
                    TEST(others_take_no_axis), TEST(positions_beyond_i32_are_refused),
                    TEST(joined_dimensions_are_checked), TEST(neighbours_are_joined),
                    TEST(texts_are_answered), TEST(calls_write_nothing), TEST(overlap_is_refused));
}
