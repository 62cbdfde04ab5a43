/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What texts of regions become so that others can share their kernels: line by line, with their
 * numbers. A text that is not certain is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/onnxruntime/generalise.h"
#include "tosajit/tosajit.h"

static const struct {
    const char *text, *expected; /* null: nothing is shared */
    size_t count;
    float numbers[GENERAL_NUMBERS];
} cases[] = {
    {"x: f32[?,16,?,?]; y = 0.5 * (x + 3)",
     "x: f32[?,?,?,?], tosajit_c0: f32[], tosajit_c1: f32[]; y = tosajit_c0 * (x + tosajit_c1)",
     2,
     {0.5f, 3}},
    {"x: f32[8,1,?,64]; y = x * 1e-05 + (-0.25); y",
     "x: f32[?,1,?,64], tosajit_c0: f32[], tosajit_c1: f32[]; y = x * tosajit_c0 + tosajit_c1; y",
     2,
     {1e-05f, -0.25f}},
    /* sizes of two operands may differ, so they stay */
    {"x: f32[?,16], y: f32[16]; x * y + 2",
     "x: f32[?,16], y: f32[16], tosajit_c0: f32[]; x * y + tosajit_c0",
     1,
     {2}},
    /* but where two end in ?, either of which may repeat, their other sizes decide nothing */
    {"x: f32[?,16,?], y: f32[?,16,?]; maximum(x + y, 0)",
     "x: f32[?,?,?], y: f32[?,?,?]; maximum(x + y, 0)",
     0,
     {0}},
    {"a: f32[1], x: f32[?,96,?], y: f32[?,?,1], z: f32[1,11,?]; a * x + y * z",
     "a: f32[1], x: f32[?,?,?], y: f32[?,?,1], z: f32[1,?,?]; a * x + y * z",
     0,
     {0}},
    /* which is not so if another one has sizes, or another rank */
    {"x: f32[?,11,?], y: f32[?,11,1], z: f32[?,?,?]; x * y + z",
     "x: f32[?,11,?], y: f32[?,11,1], z: f32[?,?,?]; x * y + z",
     0,
     {0}},
    {"x: f32[16,?], y: f32[?]; x + y", "x: f32[16,?], y: f32[?]; x + y", 0, {0}},
    {"x: f32[?,16,?], y: f32[16,1]; x + y", "x: f32[?,16,?], y: f32[16,1]; x + y", 0, {0}},
    /* one element differs from nothing */
    {"a: f32[1], x: f32[?,16,7]; a * x", "a: f32[1], x: f32[?,?,7]; a * x", 0, {0}},
    /* beside other signs, and as arguments, numbers decide what is computed */
    {"x: f32[?,7]; minimum(maximum(x, 0), 6) / 6 - 1",
     "x: f32[?,7]; minimum(maximum(x, 0), 6) / 6 - 1",
     0,
     {0}},
    {"x: f32[?]; x ** 2 + 3 ** x", "x: f32[?]; x ** 2 + 3 ** x", 0, {0}},
    {"x: f32[?]; clamp(x, min=0, max=6) * 2",
     "x: f32[?], tosajit_c0: f32[]; clamp(x, min=0, max=6) * tosajit_c0",
     1,
     {2}},
    /* what keeps a call out of the call cache is not taken */
    {"a: f32[?], b: f32[?], c: f32[?], d: f32[?], e: f32[?], f: f32[?]; a + b + c + d + e + f + 1 "
     "+ 2",
     "a: f32[?], b: f32[?], c: f32[?], d: f32[?], e: f32[?], f: f32[?], tosajit_c0: f32[]; a + b + "
     "c + d + e + f + tosajit_c0 + 2",
     1,
     {1}},
    {"x: f32[?]; x + 1 : f32[?]", NULL, 0, {0}},
    {"x + 1 : f32[?]", NULL, 0, {0}},
    {"x: f16[?]; x + 1", NULL, 0, {0}},
    {"x: f32[?]; i32(x) + 1", NULL, 0, {0}},
    /* bits stay where they are */
    {"x: f32[?]; x + 0x3f800000", "x: f32[?]; x + 0x3f800000", 0, {0}},
    {"x: f32[?]; x * (-0x3f800000) + 0x1e5 + 2",
     "x: f32[?], tosajit_c0: f32[]; x * (-0x3f800000) + 0x1e5 + tosajit_c0",
     1,
     {2}},
    {"x: f32[?]; x * (-0)", "x: f32[?], tosajit_c0: f32[]; x * tosajit_c0", 1, {-0.0F}},
    /* the nearest f32 of the nearest f64, as the library has it: the other neighbour without */
    {"x: f32[?]; x * 16777217.0000000000000000001",
     "x: f32[?], tosajit_c0: f32[]; x * tosajit_c0",
     1,
     {16777216}},
    /* as long as no number that is read */
    {"x: f32[?]; x * 1000000000000000000000000000000000000000000000000000000000000000000000e-69",
     "x: f32[?]; x * 1000000000000000000000000000000000000000000000000000000000000000000000e-69",
     0,
     {0}},
    {"x: f32[?]; x * [1,2]", NULL, 0, {0}},
    {"x: f32[?]; # x + 1", NULL, 0, {0}},
    {"x: f32[?", NULL, 0, {0}},
    {"x: f32[?; x + 1", NULL, 0, {0}},
    {"tosajit_c0: f32[?]; tosajit_c0 + 1", NULL, 0, {0}},
    {";", NULL, 0, {0}},
    {"", NULL, 0, {0}},
};

static void texts_are_generalised_where_that_is_certain(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const general g = generalise(cases[k].text, 1);
        if (!cases[k].expected) {
            if (g.text) fail_msg("%s became %s", cases[k].text, g.text);
            continue;
        }
        assert_non_null(g.text);
        assert_string_equal(g.text, cases[k].expected);
        assert_int_equal(g.count, cases[k].count);
        assert_memory_equal(g.numbers, cases[k].numbers, g.count * sizeof *g.numbers);
        tosajit_expr *expr;
        assert_int_equal(tosajit_expr_parse(g.text, strlen(g.text), NULL, &expr), TOSAJIT_OK);
        tosajit_expr_destroy(expr);
        free(g.text);
    }
}

/* Only sizes before an unknown one may go without a relative: other sizes and numbers are worth
 * code of their own. */
static void sizes_that_decide_nothing_are_told(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool same_code;
    } rows[] = {
        {"x: f32[?,16,?], y: f32[?,16,?]; x + y", true},
        {"x: f32[?,96,?], y: f32[?,?,1], z: f32[?,?,?]; x * y + z", true},
        {"x: f32[?,16,?]; abs(x)", true},
        {"x: f32[?,16,?]; x + 1", false},
        {"x: f32[?,16,7]; abs(x)", false},
        {"x: f32[?,16,?], y: f32[?,16,1]; x + y", false},
        {"x: f32[?,16,?], y: f32[16,1]; x + y", false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const general g = generalise(rows[k].text, 1);
        assert_non_null(g.text);
        if (g.same_code != rows[k].same_code) fail_msg("%s", rows[k].text);
        free(g.text);
    }
}

/* No number of f32, and no number. They stay, so that the library refuses them. */
static void what_is_no_number_stays(void **state) {
    (void)state;
    static const char *const words[] = {"1.2.3", ".", "1e999", "1e39", "(-1e39)", "(-.)"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        char text[64];
        tosajit_expr *expr;
        snprintf(text, sizeof text, "x: f32[?]; x * %s", words[k]);
        const general g = generalise(text, 1);
        assert_non_null(g.text);
        assert_string_equal(g.text, text);
        assert_int_equal(g.count, 0);
        assert_int_equal(tosajit_expr_parse(text, strlen(text), NULL, &expr),
                         TOSAJIT_INVALID_ARGUMENT);
        free(g.text);
    }
}

/* Texts cut anywhere, and with any byte anywhere: read within their bounds, which sanitizers see.
 */
static void any_bytes_are_read_safely(void **state) {
    (void)state;
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525u + 1013904223u;
        const char *text = cases[(random >> 8) % 6].text;
        const size_t length = strlen(text), cut = (random >> 12) % (length + 1);
        char *copy = malloc(length + 1);
        assert_non_null(copy);
        memcpy(copy, text, length + 1);
        random = random * 1664525u + 1013904223u;
        copy[(random >> 4) % length] = (char)(random >> 24);
        copy[cut] = 0;
        free(generalise(copy, 1).text);
        free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_generalised_where_that_is_certain),
        cmocka_unit_test(sizes_that_decide_nothing_are_told),
        cmocka_unit_test(what_is_no_number_stays),
        cmocka_unit_test(any_bytes_are_read_safely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
