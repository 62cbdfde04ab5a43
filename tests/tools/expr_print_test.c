/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Printed expressions: random programs become MLIR text, MLIR's verifier accepts it, and what is
 * read back has the same plan, the same results bit for bit, and prints as the same text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/random_program.h"
#include "tools/mlir/module.h"
#include "tosajit/inspect.h"

enum { CASES = 400, OPS = 12 };

static void say(void *context, const tosajit_mlir_finding *finding) {
    (void)context;
    fprintf(stderr, "%s\n", finding->text);
}

/* A text read back as an expression; the file is kept open for it. */
typedef struct reading {
    tosajit_mlir *file;
    tosa_function function;
} reading;

static reading read_back(const char *text, bool verify) {
    reading r = {0};
    tosajit_mlir_options options = {.size = sizeof options, .say = say};
    tosajit_status status = tosajit_mlir_read(text, strlen(text), &options, &r.file);
    if (!status && verify) status = tosajit_mlir_verify(r.file);
    if (!status) status = tosa_file_build(mlir_module_file(r.file), 0, NULL, &r.function);
    if (status) fail_msg("refused:\n%s", text);
    return r;
}

static void close_reading(reading *r) {
    tosa_function_release(&r->function);
    tosajit_mlir_close(r->file);
}

static char *print(const tosajit_expr *expr) {
    char *text = NULL;
    if (tosajit_expr_print(expr, "f", &text) != TOSAJIT_OK) fail_msg("%s", tosajit_last_error());
    return text;
}

/* The plan with the numbers of values left out: parameters that were attributes have numbers when
 * they are read back. */
static char *plan_of(tosajit_engine *engine, const tosajit_expr *expr) {
    char *text = NULL;
    if (tosajit_print(engine, expr, TOSAJIT_VIEW_PLAN, &text) != TOSAJIT_OK)
        fail_msg("%s", tosajit_last_error());
    char *to = text;
    for (const char *from = text; *from;) {
        *to++ = *from;
        if (*from++ == '%')
            while (isdigit((unsigned char)*from)) from++;
    }
    *to = '\0';
    return text;
}

/* True if MLIR's verifier takes the program: it wants equal ranks, and parameters whose sizes are
 * static. */
static bool suits_verifier(const program *p) {
    for (int k = 0; k < p->count; k++) {
        const program_node *node = &p->nodes[k];
        if (node->kind != PROGRAM_OP) continue;
        for (int o = 0; o < node->operand_count; o++) {
            const tosajit_tensor_type *type = &p->nodes[node->operands[o]].type;
            bool parameter = o >= tosajit_op_arity(node->op);
            if (parameter ? type->dims[0] == TOSAJIT_DYNAMIC || node->attributes.per_channel
                          : type->rank != node->type.rank)
                return false;
        }
    }
    return p->strict;
}

static void random_programs_read_back_as_themselves(void **state) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    int verified = 0, compared = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        test_random random = test_random_start(seed);
        program p;
        tosajit_expr *expr = NULL;
        assert_true(program_random(&random, 1 + (int)(seed % OPS), &p));
        if (program_build(&p, &expr) == TOSAJIT_OK && tosajit_expr_verify(expr) == TOSAJIT_OK) {
            bool verify = suits_verifier(&p);
            char *text = print(expr);
            reading r = read_back(text, verify);
            char *again = print(r.function.expr), *plan = plan_of(engine, expr),
                 *plan_again = plan_of(engine, r.function.expr);
            reading second = read_back(again, verify);
            char *third = print(second.function.expr);
            if (strcmp(plan, plan_again) != 0)
                fail_msg("seed %d: another plan:\n%s\n%s\nof\n%s", (int)seed, plan, plan_again,
                         text);
            if (strcmp(again, third) != 0)
                fail_msg("seed %d: another text:\n%s\n%s", (int)seed, again, third);
            verified += verify;
            compared++;
            tosajit_text_release(text);
            tosajit_text_release(again);
            tosajit_text_release(third);
            tosajit_text_release(plan);
            tosajit_text_release(plan_again);
            close_reading(&r);
            close_reading(&second);
        }
        tosajit_expr_destroy(expr);
        program_free(&p);
    }
    tosajit_engine_destroy(engine);
    print_message("%d programs, of which MLIR verified %d\n", compared, verified);
    assert_true(compared > CASES / 2 && verified > 10);
}

/* A text, which is released, is what is printed of what it says. */
static void reads_back_as(char *text, bool verify) {
    reading r = read_back(text, verify);
    char *again = print(r.function.expr);
    assert_string_equal(text, again);
    tosajit_text_release(text);
    tosajit_text_release(again);
    close_reading(&r);
}

/* One expression that has everything the text has words of its own for. */
static void everything_is_in_the_text(void **state) {
    const int64_t dims[] = {TOSAJIT_DYNAMIC, 2};
    tosajit_expr_options options = {.size = sizeof options, .accuracy = TOSAJIT_REPRODUCIBLE};
    tosajit_tensor_type floats = tosajit_ranked(TOSAJIT_F16, 2, dims),
                        ints = tosajit_ranked(TOSAJIT_I32, 2, dims);
    tosajit_expr *expr;
    tosajit_value x, i, c, clamped, product, sum, greatest, number;
    assert_int_equal(tosajit_expr_create(&options, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &floats, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &ints, &i), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_contract(expr, i, 0, &(tosajit_contract){.smallest = 2, .multiple = 8}),
        TOSAJIT_OK);
    const uint16_t halves[2] = {0x7e00, 0x8000}; /* a NaN and -0 */
    tosajit_tensor_type pair = tosajit_ranked(TOSAJIT_F16, 2, (int64_t[]){1, 2});
    assert_int_equal(tosajit_expr_constant(expr, &pair, halves, &c), TOSAJIT_OK);
    tosajit_attributes a = {
        .min_val.f = -1.0 / 0.0, .max_val.f = 1.5, .nan_mode = TOSAJIT_NAN_IGNORE};
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_clamp, &x, 1, &a, NULL, &clamped),
                     TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){clamped, c}, 2, NULL, NULL, &sum),
        TOSAJIT_OK);
    a = (tosajit_attributes){.shift = 7};
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){i, i}, 2, &a, NULL, &product),
        TOSAJIT_OK);
    a = (tosajit_attributes){.axis = 1, .nan_mode = TOSAJIT_NAN_IGNORE};
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_reduce_max, &sum, 1, &a, NULL, &greatest),
                     TOSAJIT_OK);
    a = (tosajit_attributes){.axis = 0, .joined = 1};
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_reduce_count, &sum, 1, &a, NULL, &number),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, sum), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, product), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, greatest), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, number), TOSAJIT_OK);
    char *text = print(expr);
    static const char *const words[] = {"{tosajit.contract = [[0, 2, 0, 8]]}",
                                        "tosajit.accuracy = \"reproducible\"",
                                        "min_val = 0xFC00 : f16",
                                        "dense<[[0x7E00, 0x8000]]> : tensor<1x2xf16>",
                                        "dense<7> : tensor<1xi8>",
                                        "nan_mode<IGNORE>",
                                        "<{nan_mode = #tosa.nan_mode<IGNORE>, axis = 1 : i32}>",
                                        "operator_name = \"reduce_count\"",
                                        "{axis = 0 : i32, joined = 1 : i32}"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strstr(text, words[k])) fail_msg("'%s' is not in\n%s", words[k], text);
    reads_back_as(text, true);
    tosajit_expr_destroy(expr);
}

/* Views in TOSA's own words where it has them, whatever sizes are in them. */
static void views_read_back_as_themselves(void **state) {
    static const struct {
        const char *written, *words[4];
        bool verified; /* by MLIR, which wants TOSA as it is */
    } cases[] = {
        {"t = transpose(x)[1:, ::-2]; r = flip(reshape(t, (0, -1, 1)), 0) + y;"
         "c = concat(x, tile(y[0], 3, 1), axis=-1) : x: f32[?,6], y: f32[1,1,?]",
         {"tosa.transpose\"(%arg0) <{perms = array<i32: 1, 0>}>", "operator_name = \"slice\"",
          "dense<[3, 1]> : tensor<2xindex>", "<{axis = 1 : i32}>"},
         true},
        {"reshape(x[1:3, -3:, :], (2, -1)) : f32[4,6,5]",
         {"dense<[1, 3, 0]>", "dense<[2, -1, -1]>", "\"tosa.slice\"(%arg0, %0, %1)",
          "dense<[2, -1]>"},
         true},
        {"pad(x[2:, :3], 1) : f32[?,?]",
         {"dense<[2, 0]>", "dense<[-1, 3]>", "\"tosa.pad\"(", "dense<[1, 1, 1, 1]>"},
         true},
        {"pad(x, y, 0, 2) : x: f32[3], y: f32[]", {"operator_name = \"pad\""}, false},
        {"reshape(x, (0, 2, 3)) : f32[?,6]", {"operator_name = \"reshape\""}, true},
        {"reshape(x, (0, 2, 3)) : f32[5,6]", {"dense<[5, 2, 3]>"}, true},
        {"x[:-1] : f32[?]", {"operator_name = \"slice\""}, true},
        {"x[0] + y : x: f32[1], y: f32[]", {"dense<> : tensor<0xindex>", "!tosa.shape<0>"}, true},
        {"flip(x, 1) * sum(x, axis=1) : f32[3,4]",
         {"\"tosa.reverse\"(%arg0) <{axis = 1 : i32}>",
          "tosa.reduce_sum\"(%arg0) <{axis = 1 : i32}>"},
         true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *written = cases[k].written;
        tosajit_expr *expr;
        if (tosajit_expr_parse(written, strlen(written), NULL, &expr))
            fail_msg("%s: %s", written, tosajit_last_error());
        for (tosajit_value v = 0; !tosajit_expr_name(expr, v, NULL); v++) continue; /* not read */
        char *text = print(expr);
        for (int w = 0; w < 4 && cases[k].words[w]; w++)
            if (!strstr(text, cases[k].words[w]))
                fail_msg("'%s' is not in\n%s", cases[k].words[w], text);
        reads_back_as(text, cases[k].verified);
        tosajit_expr_destroy(expr);
    }
}

static void what_cannot_be_printed_is_refused(void **state) {
    tosajit_expr *expr;
    tosajit_value x;
    char *text = NULL;
    tosajit_tensor_type scalar = tosajit_ranked(TOSAJIT_F32, 0, NULL);
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_print(NULL, NULL, &text), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_print(expr, NULL, NULL), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_print(expr, NULL, &text), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), "no result"));
    assert_int_equal(tosajit_expr_input(expr, &scalar, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_print(expr, "a b", &text), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_print(expr, "", &text), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_expr_print(expr, "0a", &text), TOSAJIT_INVALID_ARGUMENT);
    assert_null(text);
    assert_int_equal(tosajit_expr_print(expr, NULL, &text), TOSAJIT_OK);
    assert_string_equal(text, "func.func @main(%arg0: tensor<f32>) -> (tensor<f32>) {\n  return "
                              "%arg0 : tensor<f32>\n}\n");
    tosajit_text_release(text);
    tosajit_expr_destroy(expr);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(random_programs_read_back_as_themselves),
                    TEST(everything_is_in_the_text), TEST(views_read_back_as_themselves),
                    TEST(what_cannot_be_printed_is_refused));
}
