/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts for machines do not follow the host's locale: in one that writes 1,5 for a number, plans
 * and functions are what they are in "C", and 1.25 is read as it is there. The locale is made by
 * localedef, in a directory of the test's own. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/scratch.h"
#include "tosajit/inspect.h"

/* clamp((x + 1.5) * [1.25, -0.1, 3e30], -0.5, 6.5) */
static tosajit_expr *fractions(void) {
    const tosajit_tensor_type matrix =
        tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){TOSAJIT_DYNAMIC, 3});
    const tosajit_tensor_type one = tosajit_ranked(TOSAJIT_F32, 0, NULL),
                              row = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){3});
    const tosajit_attributes limits = {.min_val.f = -0.5, .max_val.f = 6.5};
    const float bias = 1.5f, factors[3] = {1.25f, -0.1f, 3e30f};
    tosajit_expr *expr = NULL;
    tosajit_value x, b, f, r;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &matrix, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_constant(expr, &one, &bias, &b), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_constant(expr, &row, factors, &f), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, b}, 2, NULL, NULL, &r),
        TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){r, f}, 2, NULL, NULL, &r),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_clamp, &r, 1, &limits, NULL, &r), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, r), TOSAJIT_OK);
    return expr;
}

enum { TEXTS = 4 };

static void write_texts(const tosajit_expr *expr, char *texts[TEXTS]) {
    static const char text[] = "y = x * 1.25 : f32[?]";
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine = NULL;
    tosajit_expr *parsed = NULL;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_print(expr, NULL, &texts[0]), TOSAJIT_OK);
    assert_int_equal(tosajit_print(engine, expr, TOSAJIT_VIEW_PLAN, &texts[1]), TOSAJIT_OK);
    assert_int_equal(tosajit_print(engine, expr, TOSAJIT_VIEW_JSON, &texts[2]), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_parse(text, sizeof text - 1, NULL, &parsed), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_print(parsed, NULL, &texts[3]), TOSAJIT_OK);
    tosajit_expr_destroy(parsed);
    tosajit_engine_destroy(engine);
}

static void texts_do_not_follow_the_locale(void **state) {
    char number[16], *plain[TEXTS], *german[TEXTS];
    tosajit_expr *expr = fractions();
    write_texts(expr, plain);
    assert_non_null(strstr(plain[3], "0x3FA00000")); /* 1.25, or the test says nothing */
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    snprintf(number, sizeof number, "%g", 1.5);
    assert_string_equal(number, "1,5");
    write_texts(expr, german);
    for (int k = 0; k < TEXTS; k++) {
        assert_string_equal(plain[k], german[k]);
        tosajit_text_release(plain[k]);
        tosajit_text_release(german[k]);
    }
    tosajit_expr_destroy(expr);
}

static int make_locale(void **state) {
    char command[SCRATCH_SIZE + 64];
    if (scratch_create(state) != 0 || setenv("LOCPATH", scratch, 1) != 0) return -1;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8", scratch);
    int failed = system(command);
    if (failed)
        fputs("there is no locale to test with: sh tools/install-dependencies.sh locales\n",
              stderr);
    return failed;
}

int main(void) {
    return TEST_RUN(NULL, NULL,
                    cmocka_unit_test_setup_teardown(texts_do_not_follow_the_locale, make_locale,
                                                    scratch_remove));
}
