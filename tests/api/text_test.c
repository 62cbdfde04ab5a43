/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions as text, through the API: what they compute, what they are called, and what is said
 * of those that are wrong. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/account.h"
#include "tests/support/cmocka.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

#define CHECK(call)                                                                                \
    if ((call) != TOSAJIT_OK) fail_msg("%s", tosajit_last_error())

static tosajit_engine *engine;

static int open_engine(void **state) { return tosajit_engine_create(NULL, &engine) != TOSAJIT_OK; }

static int close_engine(void **state) {
    tosajit_engine_destroy(engine);
    return 0;
}

static tosajit_kernel *compile(const char *text, const tosajit_parse_options *options) {
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    if (tosajit_expr_parse(text, strlen(text), options, &expr) != TOSAJIT_OK)
        fail_msg("%s", tosajit_last_error());
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    return kernel;
}

/* The value of a function of x, an f32. */
static float apply(const char *text, float x) {
    tosajit_kernel *kernel = compile(text, NULL);
    float r = 0;
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, &x, 0, NULL),
                         result = tosajit_dense(TOSAJIT_F32, &r, 0, NULL);
    CHECK(tosajit_run(kernel, &operand, 1, &result, 1));
    tosajit_kernel_release(kernel);
    return r;
}

static void operands_and_results_keep_their_names(void **state) {
    static const char text[] = "x: f32[?,2], bias: f32[1,2]  # in front\n"
                               "h = x *\n    bias\n"
                               "y = h + 1; z = (h -\n 1)\n";
    tosajit_kernel *kernel = compile(text, NULL);
    assert_int_equal(tosajit_kernel_operand_count(kernel), 2);
    assert_string_equal(tosajit_kernel_operand_name(kernel, 0), "x");
    assert_string_equal(tosajit_kernel_operand_name(kernel, 1), "bias");
    assert_null(tosajit_kernel_operand_name(kernel, 2));
    assert_string_equal(tosajit_kernel_result_name(kernel, 0), "y");
    assert_string_equal(tosajit_kernel_result_name(kernel, 1), "z");
    assert_null(tosajit_kernel_result_name(kernel, 2));
    tosajit_kernel_release(kernel);
}

static void images_keep_names(void **state) {
    static char image[1 << 16];
    size_t size = 0;
    tosajit_kernel *kernel = compile("left - right : f32[?]", NULL), *loaded = NULL;
    if (tosajit_kernel_is_native(kernel)) {
        CHECK(tosajit_kernel_save(kernel, image, sizeof image, &size));
        CHECK(tosajit_kernel_load(image, size, NULL, &loaded));
        assert_string_equal(tosajit_kernel_operand_name(loaded, 1), "right");
        assert_string_equal(tosajit_kernel_result_name(loaded, 0), "r");
    }
    tosajit_kernel_release(loaded);
    tosajit_kernel_release(kernel);
}

static void other_names_make_another_kernel(void **state) {
    tosajit_kernel *a = compile("exp(x) : f32[?]", NULL),
                   *same = compile("exp( x ) : f32[?]", NULL),
                   *b = compile("exp(y) : f32[?]", NULL);
    assert_ptr_equal(a, same);
    assert_ptr_not_equal(a, b);
    tosajit_kernel_release(a);
    tosajit_kernel_release(same);
    tosajit_kernel_release(b);
}

static void names_that_are_none_are_refused(void **state) {
    static const char *const wrong[] = {
        "",
        "1x",
        "a b",
        "a-b",
        "\xc3\xa4",
        "%x",
        "a123456789012345678901234567890123456789012345678901234567890"};
    const tosajit_tensor_type type = {TOSAJIT_F32, 0, {0}};
    tosajit_expr *expr;
    tosajit_value x;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(tosajit_expr_name(expr, x, wrong[k]), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_name(expr, 1, "x"), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_name(NULL, 0, "x"), TOSAJIT_INVALID_ARGUMENT);
    CHECK(tosajit_expr_name(expr, x, "layer.0$_A"));
    CHECK(tosajit_expr_name(expr, x, NULL));
    tosajit_expr_destroy(expr);
}

static void callers_give_types_by_name(void **state) {
    const tosajit_named_type types[] = {{"b", {TOSAJIT_F16, 1, {3}}},
                                        {"unused", {TOSAJIT_I8, 0, {0}}},
                                        {"a", {TOSAJIT_F16, 0, {0}}}};
    const tosajit_parse_options options = {.size = sizeof options, .types = types, .type_count = 3};
    char *names = NULL;
    CHECK(tosajit_expr_operands("a * sigmoid(a + b)", 18, &names));
    assert_string_equal(names, "a\nb\n");
    tosajit_text_release(names);
    CHECK(tosajit_expr_operands("add f32 [?] [?]", 15, &names));
    assert_string_equal(names, "a\nb\n");
    tosajit_text_release(names);
    tosajit_kernel *kernel = compile("a * sigmoid(a + b)", &options);
    assert_int_equal(tosajit_kernel_operand_type(kernel, 1).dims[0], 3);
    tosajit_kernel_release(kernel);
    const struct {
        const char *text;
        int64_t size; /* of b */
    } own[] = {
        {"b: f16[5]; b + a", 5}, {"b: f16[?]; b + a", 3}, {"b: f16[?,?]; b + a", TOSAJIT_DYNAMIC}};
    for (size_t k = 0; k < sizeof own / sizeof *own;
         k++) { /* the text's own, with sizes for its ? */
        kernel = compile(own[k].text, &options);
        assert_true(tosajit_kernel_operand_type(kernel, 0).dims[0] == own[k].size);
        tosajit_kernel_release(kernel);
    }
}

static void messages_have_place_line_and_caret(void **state) {
    static const struct {
        const char *text, *message;
        tosajit_status status;
    } cases[] = {
        {"x = 1 +", "k:7:8: error: an operand expected, the line ends here\n  x = 1 +\n         ^",
         TOSAJIT_INVALID_ARGUMENT},
        {"a: f32[2]\ny = a *\n  (a + q)",
         "k:9:8: error: q has no type; end the text with one for all names, `: f32[?]`, or begin "
         "it with `q: f32[?];`\n    (a + q)\n         ^",
         TOSAJIT_INVALID_ARGUMENT},
        {"a + b : f32[2], f32[3]",
         "k:7:3: error: tosa.add: operand 1 dimension 0: 3 does not "
         "broadcast with 2 (operands tensor<2xf32>, tensor<3xf32>); the "
         "sizes must be equal, or one of them 1\n  a + b : f32[2], "
         "f32[3]\n    ^",
         TOSAJIT_SHAPE_MISMATCH},
        {"a && b : i1",
         "k:7:3: error: && is written &, with comparisons in brackets: (a > 0) & (b "
         "> 0)\n  a && b : i1\n    ^",
         TOSAJIT_INVALID_ARGUMENT},
        {"x * 1e999 : f32[?]",
         "k:7:5: error: no type has so large a number; infinity is inf\n"
         "  x * 1e999 : f32[?]\n      ^~~~~",
         TOSAJIT_INVALID_ARGUMENT},
        {"", "k:7: error: there is no expression in the text", TOSAJIT_INVALID_ARGUMENT},
    };
    const tosajit_parse_options options = {.size = sizeof options, .name = "k", .line = 7};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosajit_expr *expr = (tosajit_expr *)&options;
        assert_int_equal(tosajit_expr_parse(cases[k].text, strlen(cases[k].text), &options, &expr),
                         cases[k].status);
        assert_string_equal(tosajit_last_error(), cases[k].message);
        assert_ptr_equal(expr, &options);
    }
}

static void what_others_have_is_answered(void **state) {
    static const char *const cases[][2] = {
        {"x and y", "written &"},
        {"not x : i1", "written !"},
        {"x ^ 2 : f32", "written **"},
        {"x ? 1 : 2", "select("},
        {"x % 2 : i32", "a - a / b * b"},
        {"dot(x, y) : f32[?]", "sum(x * y, axis=-1)"},
        {"matmul(x, y) : f32", "no products of matrices"},
        {"x : float32[?]", "f32"},
        {"x + 1 : uint8", "the type is u8"},
        {"x + 1 : uint64", "the type is u64"},
        {"x || y : i1", "written |"},
        {"x // 3 + 100 : f32[?]", "a comment begins with #; floor division is floor_divide(a, b)"},
        {"(x\n // 3) : f32[?]", "floor_divide(a, b)"},
        {"x : f32[?] // why", "a comment begins with #"},
        {"// why\nx : f32[?]", "a comment begins with #"},
        {"leaky_relu(x) : f32", "maximum(x, x * 0.01)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosajit_expr *expr = NULL;
        assert_int_not_equal(tosajit_expr_parse(cases[k][0], strlen(cases[k][0]), NULL, &expr),
                             TOSAJIT_OK);
        if (!strstr(tosajit_last_error(), cases[k][1])) fail_msg("%s", tosajit_last_error());
    }
}

static void functions_are_written_out_of_ops(void **state) {
    static const struct {
        const char *text;
        float x, expected;
    } cases[] = {
        {"relu(x) : f32", -2, 0},
        {"relu(x) : f32", 3, 3},
        {"max(x, 1) : f32", -2, 1},
        {"min(x, 1) : f32", -2, -2},
        {"where(x > 0, x, x * 2) : f32", -2, -4},
        {"square(x) : f32", 3, 9},
        {"relu6(x) : f32", 9, 6},
        {"silu(x) : f32", 0, 0},
        {"neg(x) : f32", 1, -1},
        {"abs(x) : f32", -1, 1},
        {"gelu(x) : f32", 0, 0},
        {"sqrt(x) : f32", 9, 3},
        {"round(x) : f32", 2.5F, 2},
        {"rint(x) : f32", -3.5F, -4},
        {"x / 10 : f32", 3, 3 / 10.0F},
        {"1 / x : f32", 3, 1 / 3.0F},
        {"sqrt(x + square(x)) : f32", 0, 0},
        {"x ** 2 : f32", -3, 9},
        {"-x ** 2 : f32", 3, -9},
        {"2 * x ** 2 : f32", 3, 18},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        float found = apply(cases[k].text, cases[k].x);
        if (found != cases[k].expected)
            fail_msg("%s of %g: %g", cases[k].text, (double)cases[k].x, (double)found);
    }
}

/* sqrt is rounded correctly, and a square as pow: on what f32 has of every size. */
static void sqrt_and_squares_are_exact(void **state) {
    enum { COUNT = 4096 };
    static float x[COUNT], roots[COUNT], squares[COUNT], powers[COUNT];
    const int64_t dims[] = {COUNT};
    for (uint32_t k = 0; k < COUNT; k++) {
        const uint32_t bits = (k << 20) ^ (k * UINT32_C(2654435761) >> 12);
        memcpy(&x[k], &bits, sizeof bits);
    }
    tosajit_kernel *kernel =
        compile("x: f32[?], two: f32; a = sqrt(x); b = x ** 2; c = x ** two", NULL);
    float two = 2;
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_F32, x, 1, dims),
                                       tosajit_dense(TOSAJIT_F32, &two, 0, NULL)},
                         results[] = {tosajit_dense(TOSAJIT_F32, roots, 1, dims),
                                      tosajit_dense(TOSAJIT_F32, squares, 1, dims),
                                      tosajit_dense(TOSAJIT_F32, powers, 1, dims)};
    CHECK(tosajit_run(kernel, operands, 2, results, 3));
    for (size_t k = 0; k < COUNT; k++) {
        if (isnan(x[k])) continue;
        assert_memory_equal(&squares[k], &powers[k], sizeof(float));
        const float root = sqrtf(x[k]);
        if (isnan(root))
            assert_true(isnan(roots[k]));
        else
            assert_memory_equal(&roots[k], &root, sizeof root); /* of -0 it is -0 */
    }
    tosajit_kernel_release(kernel);
}

/* Extensions of TOSA are for texts that are not strict; an inverse it has. */
static void strict_texts_are_tosa(void **state) {
    static const struct {
        const char *text, *said; /* null: it is TOSA */
    } cases[] = {{"x / y : f32[2]", "x * reciprocal(y)"},
                 {"2 / x : f16[2]", "x * reciprocal(y)"},
                 {"1 / x : f32[2]", NULL},
                 {"x / y : i32[2]", NULL},
                 {"sqrt(x) : f32[2]", "extension"},
                 {"pow(x, 0.5) : f32[2]", NULL},
                 {"round(x) : bf16[2]", "extension"},
                 {"f32(x) : i64[2]", "i64"},
                 {"x + y : u8[2]", "u8"},
                 {"u16(x) : i32[2]", "u16"},
                 {"x << y : u32[2]", "u32"},
                 {"max(x, axis=0) : u8[2]", "u8"}};
    for (int strict = 0; strict < 2; strict++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const tosajit_parse_options options = {.size = sizeof options, .strict = strict};
            tosajit_expr *expr = NULL;
            const tosajit_status status =
                tosajit_expr_parse(cases[k].text, strlen(cases[k].text), &options, &expr);
            const bool refused = strict && cases[k].said;
            if ((status != TOSAJIT_OK) != refused) fail_msg("%s, strict %d", cases[k].text, strict);
            if (refused && !strstr(tosajit_last_error(), cases[k].said))
                fail_msg("%s: %s", cases[k].text, tosajit_last_error());
            tosajit_expr_destroy(expr);
        }
}

/* Bits of every floating-point type: those of a NaN, too, and a minus turns the sign's. A printed
 * text has the bits of constants and limits. */
static void hexadecimal_numbers_are_bits(void **state) {
    static const char *const cases[][2] = {
        {"f16(0x3c00)", "dense<0x3C00> : tensor<f16>"},
        {"f16(0x1)", "dense<0x0001> : tensor<f16>"},
        {"bf16(0x3f80)", "dense<0x3F80> : tensor<bf16>"},
        {"f32(0x3f800000)", "dense<0x3F800000> : tensor<f32>"},
        {"f32(0x80000000)", "dense<0x80000000> : tensor<f32>"},
        {"f32(0x7f800001)", "dense<0x7F800001> : tensor<f32>"},
        {"f64(0x8000000000000000)", "dense<0x8000000000000000> : tensor<f64>"},
        {"f64(0x80000000)", "dense<0x0000000080000000> : tensor<f64>"},
        {"f8E4M3FN(0xb8)", "dense<0xB8> : tensor<f8E4M3FN>"},
        {"f8E5M2(0x7f)", "dense<0x7F> : tensor<f8E5M2>"},
        {"f16(-0x3c00)", "dense<0xBC00> : tensor<f16>"},
        {"f16(-0xbc00)", "dense<0x3C00> : tensor<f16>"},
        {"f64(-0x0)", "dense<0x8000000000000000> : tensor<f64>"},
        {"f32((-0))", "dense<0x80000000> : tensor<f32>"},
        {"i8(0xff)", "dense<-1> : tensor<i8>"},
        {"i8(-0x80)", "dense<-128> : tensor<i8>"},
        {"x * 0x3800 : f16[2]", "dense<0x3800> : tensor<1xf16>"},
        {"x + [0x3f80, -0x3f80, 1] : bf16[3]", "dense<[0x3F80, 0xBF80, 0x3F80]>"},
        {"clamp(x, min=0xbc00, max=0x4000) : f16[2]", "max_val = 0x4000 : f16"},
        {"clamp(x, min=0xbc00, max=0x4000) : f16[2]", "min_val = 0xBC00 : f16"},
        {"clamp f32 [?] min=-0x3f800000 max=1", "min_val = 0xBF800000 : f32"},
        {"0x3c00 / x : f16[2]", "tosa.reciprocal"}, /* 1 */
        {"0x1 / x : f16[2]", "divide"},
        {"x ** 0x40000000 : f32[2]", "tosa.mul"}, /* 2 */
        {"x ** 0x2 : f32[2]", "tosa.pow"},
        {"x ** 0x2 : i32[2]", "tosa.mul"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosajit_expr *expr = NULL;
        char *text = NULL;
        if (tosajit_expr_parse(cases[k][0], strlen(cases[k][0]), NULL, &expr) != TOSAJIT_OK)
            fail_msg("%s", tosajit_last_error());
        CHECK(tosajit_expr_print(expr, NULL, &text));
        if (!strstr(text, cases[k][1])) fail_msg("%s, not %s: %s", cases[k][0], cases[k][1], text);
        tosajit_text_release(text);
        tosajit_expr_destroy(expr);
    }
    assert_true(apply("x * 0x3f000000 : f32", 3) == 1.5F);
    assert_true(signbit(apply("x * 0x80000000 : f32", 3)));
}

static void bits_beyond_the_type_are_refused(void **state) {
    static const char *const cases[][2] = {
        {"f16(0x1ffff)", "0x1ffff is no value of f16, which has 16 bits"},
        {"f8E5M2(-0x100)", "-0x100 is no value of f8E5M2, which has 8 bits"},
        {"x * [1, 0x10000] : bf16[2]", "0x10000 is no value of bf16, which has 16 bits"},
        {"0x13f800000 / x : f32[2]", "0x13f800000 is no value of f32, which has 32 bits"},
        {"clamp(x, max=0x1ffff) : f16[2]", "0x1ffff is no value of f16, which has 16 bits"},
        {"f64(0x10000000000000000)", "this number has more than 64 bits"},
        {"i8(0x100)", "0x100 is no value of i8, which has 8 bits"},
        {"x + 18446744073709551616 : u64[2]", "18446744073709551616 is no value of u64"},
        {"clip(x, -1, 5) : u64[2]", "-1 is no value of u64"},
        {"i48(0x1000000000000)", "is no value of i48, which has 48 bits"},
        {"i1(0x2)", "0x2 is no value of i1, which has 1 bit\n"},
        {"i8(-0xff)", "-0xff is no value of i8\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tosajit_expr *expr = NULL;
        assert_int_equal(tosajit_expr_parse(cases[k][0], strlen(cases[k][0]), NULL, &expr),
                         TOSAJIT_INVALID_ARGUMENT);
        if (!strstr(tosajit_last_error(), cases[k][1])) fail_msg("%s", tosajit_last_error());
    }
}

static void wrong_calls_are_refused(void **state) {
    tosajit_expr *expr = NULL;
    char *names = NULL;
    const tosajit_named_type nameless = {NULL, {TOSAJIT_F32, 0, {0}}};
    tosajit_parse_options options = {.size = sizeof options, .types = NULL, .type_count = 1};
    assert_int_equal(tosajit_expr_parse(NULL, 0, NULL, &expr), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_parse("x : f32", 7, NULL, NULL), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_operands("x", 1, NULL), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_operands(NULL, 0, &names), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_parse("x", 1, &options, &expr), TOSAJIT_INVALID_ARGUMENT);
    options.types = &nameless;
    assert_int_equal(tosajit_expr_parse("x", 1, &options, &expr), TOSAJIT_INVALID_ARGUMENT);
    options.type_count = 0;
    options.accuracy = (tosajit_accuracy)7;
    assert_int_equal(tosajit_expr_parse("x", 1, &options, &expr), TOSAJIT_INVALID_ARGUMENT);
    options.accuracy = TOSAJIT_EXACT;
    options.size = 1;
    assert_int_equal(tosajit_expr_parse("x", 1, &options, &expr), TOSAJIT_INVALID_ARGUMENT);
    assert_null(expr);
    assert_null(names);
}

static void every_failing_allocation_is_reported(void **state) {
    static const char text[] = "x: f32[?,2], b: f32[2]; h = clamp(gelu(x + b), min=0) ** 2; "
                               "y = h * [[1, 2]]; z = f16(h)";
    for (size_t fail_at = 1;; fail_at++) {
        account a = {.fail_at = fail_at};
        const tosajit_allocator allocator = account_allocator(&a);
        const tosajit_parse_options options = {.size = sizeof options, .allocator = &allocator};
        tosajit_expr *expr = NULL;
        tosajit_status status = tosajit_expr_parse(text, sizeof text - 1, &options, &expr);
        tosajit_expr_destroy(expr);
        assert_int_equal(a.live, 0);
        if (status == TOSAJIT_OK) {
            assert_true(fail_at > 10);
            return;
        }
        assert_int_equal(status, TOSAJIT_OUT_OF_MEMORY);
        assert_null(expr);
    }
}

int main(void) {
    return TEST_RUN(open_engine, close_engine, TEST(operands_and_results_keep_their_names),
                    TEST(images_keep_names), TEST(other_names_make_another_kernel),
                    TEST(names_that_are_none_are_refused), TEST(callers_give_types_by_name),
                    TEST(messages_have_place_line_and_caret), TEST(what_others_have_is_answered),
                    TEST(functions_are_written_out_of_ops), TEST(sqrt_and_squares_are_exact),
                    TEST(strict_texts_are_tosa), TEST(hexadecimal_numbers_are_bits),
                    TEST(bits_beyond_the_type_are_refused), TEST(wrong_calls_are_refused),
                    TEST(every_failing_allocation_is_reported));
}
