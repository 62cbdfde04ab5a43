/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cmocka, behind the headers that it wants, and a group of tests as one call. */
#ifndef TOSAJIT_TESTS_SUPPORT_CMOCKA_H
#define TOSAJIT_TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Every test is given a state, and few have one. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* int main(void) { return TEST_RUN(setup or NULL, teardown or NULL, TEST(one), TEST(other)); } */
#define TEST_RUN(setup, teardown, ...)                                                             \
    cmocka_run_group_tests_name("tests", ((const struct CMUnitTest[]){__VA_ARGS__}), setup,        \
                                teardown)
#define TEST(function) cmocka_unit_test(function)
/* In a directory of its own (scratch.h). */
#define TEST_IN_SCRATCH(function)                                                                  \
    cmocka_unit_test_setup_teardown(function, scratch_create, scratch_remove)

#endif
