/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of an expression that become tables have the bits that they had, on all 256 operands, or 2
 * of i1, by every engine, in rows and tails of all lengths, and from an image. Oracle: the same
 * expression, interpreted, with a factor of 1 that comes with the call, so that nothing depends on
 * one value alone. */
#include <stdio.h>
#include <string.h>

#include "tests/support/account.h"
#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum { VALUES = 256 };

/* %s: nothing, or the factor. `tables` is how often the plan reads one, `last` the op that it has
 * for the result, null where nobody looks. x has elements of `operand`. */
typedef struct sample {
    const char *text;
    int tables;
    tosajit_type operand, result;
    const char *last;
} sample;

#define I8 TOSAJIT_I8, TOSAJIT_I8, NULL

static const sample samples[] = {
    {"y = i8(sigmoid(f32(x)%s * 0.05) * 127.0)", 1, I8},
    {"y = i8(tanh((f32(x) + 3.0)%s * 0.03) * 127.0 - 7.0)", 1, I8},
    {"y = i8(clamp((f32(x) - 4.0)%s * 0.3, min=-6, max=6) * 21.0 + 1.0)", 1, I8},
    {"y = i8(exp(f16(x)%s * 0.05))", 1, I8},
    {"y = i8(log(bf16(x)%s))", 1, I8},
    /* a value in the middle that others need, too */
    {"h = sigmoid(f32(x)%s * 0.05); a = i8(h * 100.0); y = i8(h * 50.0 + f32(a))", 1, I8},
    /* a table of a table's result that is needed as well: both read x */
    {"a = i8(sigmoid(f32(x)%s) * 9.0); y = i8(erf(f32(a)) * 99.0)", 1, I8},
    {"a = i8(sigmoid(f32(x)%s) * 9.0); b = i8(erf(f32(-x)) * 99.0); y = i8(f32(a) * f32(b))", 1,
     I8},
    /* two values: a table of each, and the product is computed */
    {"b = i8(erf(f32(z) * 0.01) * 9.0); y = i8(f32(i8(sigmoid(f32(x)%s) * 9.0)) * f32(b))", 2, I8},
    /* too little for a table */
    {"y = i8(f32(x)%s * 0.5)", 0, I8},
    /* another type, or a shape of its own */
    {"y = i16(sigmoid(f32(x)%s) * 99.0)", 0, TOSAJIT_I8, TOSAJIT_I16, "tosa.cast"},
    {"y = i8(sigmoid(f32(x)%s * [0.5, 0.5]) * 99.0)", 0, I8},
    /* bytes of floating point, between all types of bytes */
    {"y = f8E4M3FN(sigmoid(f32(x)%s))", 1, TOSAJIT_F8E4M3FN, TOSAJIT_F8E4M3FN, "tosa.table"},
    {"y = f8E5M2(f16(x)%s * 0.5)", 1, TOSAJIT_F8E5M2, TOSAJIT_F8E5M2, "tosa.table"},
    {"y = f8E5M2(bf16(x)%s)", 1, TOSAJIT_F8E4M3FN, TOSAJIT_F8E5M2, "tosa.table"},
    {"y = i8(f32(x)%s * 3.0)", 1, TOSAJIT_F8E4M3FN, TOSAJIT_I8, "tosa.table"},
    {"y = f8E4M3FN(tanh(f32(x)%s * 0.02))", 1, TOSAJIT_I8, TOSAJIT_F8E4M3FN, "tosa.table"},
    /* unsigned bytes: lines up and down, limited or not, with midpoints that no line has */
    {"y = u8(clip(f32(x)%s * 1.37 - 20.25, 0, 255))", 1, TOSAJIT_U8, TOSAJIT_U8, "tosa.table"},
    {"y = u8(f32(x)%s * 0.857 + 12.3)", 1, TOSAJIT_U8, TOSAJIT_U8, "tosa.table"},
    {"y = u8(f32(x)%s * -2.13 + 300.3)", 1, TOSAJIT_U8, TOSAJIT_U8, "tosa.table"},
    {"y = u8(f32(x)%s * 1.7 + 3.0)", 1, TOSAJIT_U8, TOSAJIT_U8, "tosa.table"},
    {"y = u8(pow(f32(x)%s * 0.00392, 0.45) * 255.0)", 1, TOSAJIT_U8, TOSAJIT_U8, "tosa.table"},
    {"y = i8(clip(f32(x)%s * 0.71 - 90.1, -100, 70))", 1, TOSAJIT_U8, TOSAJIT_I8, "tosa.table"},
    {"y = u8(clip(f32(x)%s * 1.19 + 99.7, 3, 200))", 1, TOSAJIT_I8, TOSAJIT_U8, "tosa.table"},
    {"y = u8(f32(x)%s * 0.5)", 0, TOSAJIT_U8, TOSAJIT_U8, "tosa.cast"},
    /* i1: one of two, of types of all sizes */
    {"y = (1.0 - f32(x)%s) * -1e9", 0, TOSAJIT_I1, TOSAJIT_F32, "tosa.select"},
    {"y = rsqrt(f32(x)%s - 1.0)", 0, TOSAJIT_I1, TOSAJIT_F32, "tosa.select"},
    {"y = bf16(exp(f32(x)%s))", 0, TOSAJIT_I1, TOSAJIT_BF16, "tosa.select"},
    {"y = i64(i32(f32(x)%s)) - 7", 0, TOSAJIT_I1, TOSAJIT_I64, "tosa.select"},
    {"y = sin(f32(x)%s) > 0.5", 0, TOSAJIT_I1, TOSAJIT_I1, "tosa.select"},
    /* one op is as good as a select */
    {"y = f32(x)%s", 0, TOSAJIT_I1, TOSAJIT_F32, "tosa.cast"},
};

static int8_t values[VALUES], truths[VALUES], others[VALUES];

/* It comes before x. */
static bool has_second(const sample *s) { return strstr(s->text, "(z)") != NULL; }

/* The text, for one engine, with or without the factor. */
static tosajit_expr *parse(const sample *s, bool factor, const char *shape) {
    char text[400], whole[500];
    const char *with = factor ? " * f32(u)" : "", *second = *shape == '?' ? ", i8[?]" : ", i8[2]",
               *type = tosajit_type_name(s->operand);
    if (strstr(s->text, "f16(x)")) with = factor ? " * f16(u)" : "";
    if (strstr(s->text, "bf16(x)")) with = factor ? " * bf16(u)" : "";
    snprintf(text, sizeof text, s->text, with, with);
    snprintf(whole, sizeof whole, "%s : %s[%s]%s%s", text, type, shape, has_second(s) ? second : "",
             factor ? ", i8[1]" : "");
    return test_parse("", whole);
}

/* `count` values of x from `first` on. */
static void run(const tosajit_kernel *kernel, const sample *s, int first, int count, void *r) {
    const int64_t size = count, one = 1;
    int8_t unit = 1, *x = s->operand == TOSAJIT_I1 ? truths : values;
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_I8, others + first, 1, &size),
                                       tosajit_dense(s->operand, x + first, 1, &size),
                                       tosajit_dense(TOSAJIT_I8, &unit, 1, &one)},
                         result = tosajit_dense(s->result, r, 1, &size);
    if (tosajit_run(kernel, operands + !has_second(s), tosajit_kernel_operand_count(kernel),
                    &result, 1))
        fail_msg("%s", tosajit_last_error());
}

static bool has_own_shape(const sample *s) { return strchr(s->text, '[') != NULL; }

/* One kernel of a sample beside another one, on all operands. */
static void compare(const sample *s, const tosajit_kernel *oracle, const tosajit_kernel *kernel,
                    const char *name) {
    static int8_t should[8 * VALUES], is[8 * VALUES];
    const int most = has_own_shape(s) ? 2 : VALUES, step = has_own_shape(s) ? 2 : 37;
    const size_t size = tosajit_type_size(s->result);
    for (int count = 1; count <= most; count += count < 70 && step > 2 ? 1 : step)
        for (int first = 0; first + count <= VALUES; first += count) {
            if (has_own_shape(s) && count != 2) continue;
            run(oracle, s, first, count, should);
            run(kernel, s, first, count, is);
            if (memcmp(is, should, (size_t)count * size) != 0)
                fail_msg("%s on %s: wrong among %d from %d on", s->text, name, count,
                         values[first]);
        }
}

/* The kernel as others load it. */
static tosajit_kernel *pass_on(const tosajit_kernel *kernel) {
    static char image[1 << 16];
    tosajit_kernel *loaded = NULL;
    size_t size;
    if (tosajit_kernel_save(kernel, image, sizeof image, &size) ||
        tosajit_kernel_load(image, size, NULL, &loaded))
        fail_msg("%s", tosajit_last_error());
    return loaded;
}

static void tables_have_the_bits(void **state) {
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        const sample *s = &samples[k];
        tosajit_expr *with = parse(s, true, "?"), *expr = parse(s, false, "?");
        tosajit_kernel *oracle = test_compile(test_engines[0].engine, with); /* the interpreter */
        for (size_t e = 0; e < test_engine_count; e++) {
            tosajit_kernel *kernel = test_compile(test_engines[e].engine, expr);
            compare(s, oracle, kernel, test_engines[e].name);
            if (tosajit_kernel_is_native(kernel)) {
                tosajit_kernel *loaded = pass_on(kernel);
                compare(s, oracle, loaded, "an image");
                tosajit_kernel_release(loaded);
            }
            tosajit_kernel_release(kernel);
        }
        tosajit_kernel_release(oracle);
        tosajit_expr_destroy(with);
        tosajit_expr_destroy(expr);
    }
}

static int count_words(const char *text, const char *word) {
    int count = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) count++;
    return count;
}

/* Every view names a table by its op. */
static void expect_tables_of_ops(tosajit_expr *expr, tosajit_view view, int tables) {
    char *text;
    if (tosajit_print(test_engines[0].engine, expr, view, &text))
        fail_msg("%s", tosajit_last_error());
    if (count_words(text, "looked up by %") != tables || (tables > 0 && strstr(text, "tosa.const")))
        fail_msg("not %d tables by their ops\n%s", tables, text);
    tosajit_text_release(text);
}

/* That there are tables, and where not. Of static sizes a constant may have its own, if it is the
 * same. */
static void plans_show_tables(void **state) {
    static const tosajit_view views[] = {TOSAJIT_VIEW_PLAN, TOSAJIT_VIEW_JSON};
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
        for (int fixed = 0; fixed < 2; fixed++) {
            tosajit_expr *expr = parse(&samples[k], false, fixed ? "2" : "?");
            const int tables = samples[k].tables + (fixed && has_own_shape(&samples[k]));
            char *text;
            if (tosajit_print(test_engines[0].engine, expr, TOSAJIT_VIEW_PLAN, &text))
                fail_msg("%s", tosajit_last_error());
            if (count_words(text, "  table\n") != tables)
                fail_msg("%s: not %d tables\n%s", samples[k].text, tables, text);
            if (samples[k].last && !strstr(text, samples[k].last))
                fail_msg("%s: its result is no %s\n%s", samples[k].text, samples[k].last, text);
            tosajit_text_release(text);
            for (size_t v = 0; v < sizeof views / sizeof *views; v++)
                expect_tables_of_ops(expr, views[v], tables);
            tosajit_expr_destroy(expr);
        }
}

/* Two numbers take the place of two ops, which may be needed besides; so nothing becomes a table
 * where they would be too many. */
static void an_expression_of_all_nodes_compiles(void **state) {
    const int64_t any[1] = {TOSAJIT_DYNAMIC};
    const tosajit_tensor_type truth = tosajit_ranked(TOSAJIT_I1, 1, any),
                              number = tosajit_ranked(TOSAJIT_F32, 1, any);
    tosajit_engine_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    tosajit_expr *expr;
    tosajit_value x, y, z;
    int nodes = 2;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &truth, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &number, &y), TOSAJIT_OK);
    for (; nodes + 3 <= TOSAJIT_MAX_NODES; nodes += 3) {
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_cast, &x, 1, NULL, &number, &z),
                         TOSAJIT_OK);
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_negate, &z, 1, NULL, NULL, &z),
                         TOSAJIT_OK);
        assert_int_equal(
            tosajit_expr_op(expr, TOSAJIT_OP_maximum, (tosajit_value[]){y, z}, 2, NULL, NULL, &y),
            TOSAJIT_OK);
    }
    for (; nodes < TOSAJIT_MAX_NODES; nodes++)
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_abs, &y, 1, NULL, NULL, &y), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, y), TOSAJIT_OK);
    assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

/* A byte that comes with the call is a shift and zero points here. It has one element, of which no
 * 256 can be tried: (59 - 3) * 4 / 2^3 + 3. */
static void a_byte_that_is_a_parameter_has_no_table(void **state) {
    const tosajit_tensor_type one = test_type(TOSAJIT_I8, "1"), any = test_type(TOSAJIT_I8, "?"),
                              factor = test_type(TOSAJIT_I32, "1");
    const int8_t number = 59;
    const int32_t multiplier = 4;
    const int64_t dims[1] = {1};
    for (size_t e = 0; e < test_engine_count; e++) {
        tosajit_expr *expr;
        tosajit_value v[5];
        tosajit_kernel *kernel;
        int8_t shift = 3, result = 0;
        assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_constant(expr, &one, &number, &v[0]), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_constant(expr, &factor, &multiplier, &v[1]), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_input(expr, &any, &v[2]), TOSAJIT_OK);
        v[3] = v[4] = v[2];
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_rescale, v, 5,
                                         &(tosajit_attributes){.scale32 = 1}, &any, &v[0]),
                         TOSAJIT_OK);
        assert_int_equal(tosajit_expr_result(expr, v[0]), TOSAJIT_OK);
        if (tosajit_compile_expr(test_engines[e].engine, expr, &kernel))
            fail_msg("%s: %s", test_engines[e].name, tosajit_last_error());
        const tosajit_tensor operand = tosajit_dense(TOSAJIT_I8, &shift, 1, dims),
                             to = tosajit_dense(TOSAJIT_I8, &result, 1, dims);
        assert_int_equal(tosajit_run(kernel, &operand, 1, &to, 1), TOSAJIT_OK);
        assert_int_equal(result, 31);
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
    }
}

/* Whichever allocation fails: the status says so, and nothing is left behind. */
static void exhausted_memory_is_reported(void **state) {
    const sample *s = &samples[8]; /* two tables */
    tosajit_expr *expr = parse(s, false, "?");
    account a = {0};
    const tosajit_allocator allocator = account_allocator(&a);
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET, .allocator = &allocator};
    assert_true(has_second(s));
    size_t reported = 0;
    for (size_t at = 1, failures = 1; failures > 0; at++) {
        tosajit_engine *engine;
        tosajit_kernel *kernel;
        a = (account){0};
        assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
        a.fail_at = a.count + at;
        const tosajit_status status = tosajit_compile_expr(engine, expr, &kernel);
        failures = a.count >= a.fail_at;
        /* without room in the cache there is still a kernel */
        assert_true(status == TOSAJIT_OK || (failures && status == TOSAJIT_OUT_OF_MEMORY));
        reported += status != TOSAJIT_OK;
        if (!status) tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
        assert_int_equal(a.live, 0);
    }
    assert_in_range(reported, 30, 1000);
    tosajit_expr_destroy(expr);
}

static int setup(void **state) {
    for (int k = 0; k < VALUES; k++) {
        values[k] = (int8_t)(k - VALUES / 2), others[k] = (int8_t)(k * 37 + 11);
        truths[k] = (int8_t)(k * k % 7 % 2);
    }
    return test_setup_exact(state);
}

int main(void) {
    return TEST_RUN(setup, test_teardown, TEST(tables_have_the_bits), TEST(plans_show_tables),
                    TEST(an_expression_of_all_nodes_compiles),
                    TEST(a_byte_that_is_a_parameter_has_no_table),
                    TEST(exhausted_memory_is_reported));
}
