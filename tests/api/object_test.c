/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects ahead of time, through the C interface: what tosajit_compile_object and
 * tosajit_aot_kernel refuse, and how. That objects run is aot_test.sh's. */
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tosajit/image.h"

static tosajit_engine *engine_for(tosajit_backend backend, const char *cpu) {
    const tosajit_engine_options options = {.size = sizeof options, .backend = backend, .cpu = cpu};
    tosajit_engine *engine = NULL;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    return engine;
}

/* r = exp(x), which is a result if it is `complete`. */
static tosajit_expr *expression(int complete) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_expr *expr = NULL;
    tosajit_value x, r;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_exp, &x, 1, NULL, NULL, &r), TOSAJIT_OK);
    if (complete) assert_int_equal(tosajit_expr_result(expr, r), TOSAJIT_OK);
    return expr;
}

/* Refused with this status and these words, and no output set. */
static void refused(tosajit_engine *const *engines, size_t engine_count,
                    const tosajit_function *functions, size_t count, tosajit_status status,
                    const char *words) {
    char untouched, *object = &untouched;
    size_t size = 7;
    assert_int_equal(
        tosajit_compile_object(engines, engine_count, functions, count, &object, &size), status);
    assert_non_null(strstr(tosajit_last_error(), words));
    assert_true(object == &untouched && size == 7);
}

static void functions_are_checked(void **state) {
    tosajit_engine *engine = engine_for(TOSAJIT_BACKEND_CROSS, "x86-64-v3");
    tosajit_expr *expr = expression(1), *unfinished = expression(0);
    static const char *const no_names[] = {"", "1a", "a b", "a.b", "a-b", "\303\244"};
    for (size_t k = 0; k < sizeof no_names / sizeof *no_names; k++)
        refused(&engine, 1, &(tosajit_function){.name = no_names[k], .expr = expr}, 1,
                TOSAJIT_INVALID_ARGUMENT, "is no C identifier");
    refused(&engine, 1, &(tosajit_function){.name = NULL, .expr = expr}, 1,
            TOSAJIT_INVALID_ARGUMENT, "function 0 has a null pointer");
    const tosajit_function twice[] = {{.name = "same", .expr = expr},
                                      {.name = "same", .expr = expr}},
                           second[] = {{.name = "first", .expr = expr}, {.name = "second"}};
    refused(&engine, 1, twice, 2, TOSAJIT_INVALID_ARGUMENT, "two functions are called same");
    refused(&engine, 1, second, 2, TOSAJIT_INVALID_ARGUMENT, "function 1 has a null pointer");
    for (size_t k = 0; k < sizeof second->reserved / sizeof *second->reserved; k++) {
        tosajit_function later = {.name = "f", .expr = expr};
        later.reserved[k] = expr;
        refused(&engine, 1, &later, 1, TOSAJIT_INVALID_ARGUMENT, "a reserved member is not null");
    }
    refused(&engine, 1, &(tosajit_function){.name = "f", .expr = unfinished}, 1,
            TOSAJIT_INVALID_ARGUMENT, "f: the expression has no result");
    tosajit_expr_destroy(unfinished);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

static void engines_are_checked(void **state) {
    tosajit_engine *x86 = engine_for(TOSAJIT_BACKEND_CROSS, "x86-64-v3"),
                   *arm = engine_for(TOSAJIT_BACKEND_CROSS, "aarch64");
    tosajit_engine *interpreting = engine_for(TOSAJIT_BACKEND_INTERPRET, NULL);
    tosajit_expr *expr = expression(1);
    const tosajit_function f = {.name = "f", .expr = expr};
    refused(NULL, 1, &f, 1, TOSAJIT_INVALID_ARGUMENT, "null pointer or 0");
    refused(&x86, 0, &f, 1, TOSAJIT_INVALID_ARGUMENT, "null pointer or 0");
    refused(&x86, 1, NULL, 1, TOSAJIT_INVALID_ARGUMENT, "null pointer or 0");
    refused(&x86, 1, &f, 0, TOSAJIT_INVALID_ARGUMENT, "null pointer or 0");
    refused((tosajit_engine *[]){x86, NULL}, 2, &f, 1, TOSAJIT_INVALID_ARGUMENT,
            "engine 1 is a null pointer");
    refused((tosajit_engine *[]){x86, arm}, 2, &f, 1, TOSAJIT_INVALID_ARGUMENT,
            "engine 1 is for another architecture than engine 0");
    refused(&interpreting, 1, &f, 1, TOSAJIT_NOT_EXECUTABLE,
            "engine 0 compiles nothing and makes no code");
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(interpreting);
    tosajit_engine_destroy(arm);
    tosajit_engine_destroy(x86);
}

/* For either architecture, on either: an ELF file for the machine that was asked for. */
static void objects_are_for_their_cpu(void **state) {
    static const struct {
        const char *cpu;
        unsigned char machine; /* e_machine of ELF */
    } targets[] = {{"x86-64-v3", 62}, {"aarch64", 183}};
    tosajit_expr *expr = expression(1);
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        tosajit_engine *engine = engine_for(TOSAJIT_BACKEND_CROSS, targets[k].cpu);
        char *object = NULL;
        size_t size = 0;
        assert_int_equal(tosajit_compile_object(&engine, 1,
                                                &(tosajit_function){.name = "f", .expr = expr}, 1,
                                                &object, &size),
                         TOSAJIT_OK);
        assert_true(size > 64 && memcmp(object, "\177ELF", 4) == 0 &&
                    (unsigned char)object[18] == targets[k].machine);
        tosajit_text_release(object);
        tosajit_engine_destroy(engine);
    }
    tosajit_expr_destroy(expr);
}

static void wrong_descriptions_make_no_kernel(void **state) {
    tosajit_kernel *kernel = NULL;
    tosajit_aot aot = {0};
    assert_int_equal(tosajit_aot_kernel(NULL, &kernel), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_aot_kernel(&aot, NULL), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_aot_run(NULL, NULL, 0, NULL, 0), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_aot_kernel(&aot, &kernel), TOSAJIT_BAD_IMAGE);
    assert_non_null(strstr(tosajit_last_error(), "another version of this library"));
    aot.size = sizeof aot;
    assert_int_equal(tosajit_aot_kernel(&aot, &kernel), TOSAJIT_BAD_IMAGE);
    aot.image = "no image";
    aot.image_size = 8;
    assert_int_equal(tosajit_aot_kernel(&aot, &kernel), TOSAJIT_BAD_IMAGE);
    assert_int_equal(tosajit_aot_run(&aot, NULL, 0, NULL, 0), TOSAJIT_BAD_IMAGE);
    assert_null(kernel);
    assert_null(aot.kernel);
}

static void version_is_that_of_the_header(void **state) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TOSAJIT_VERSION_MAJOR, TOSAJIT_VERSION_MINOR,
             TOSAJIT_VERSION_PATCH);
    assert_string_equal(tosajit_version(), text);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(functions_are_checked), TEST(engines_are_checked),
                    TEST(objects_are_for_their_cpu), TEST(wrong_descriptions_make_no_kernel),
                    TEST(version_is_that_of_the_header));
}
