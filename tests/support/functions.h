/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the tests of functions: MPFR's functions, operands, and kernels of one op on several
 * engines. In: an op, or engines. Out: exact values to compare with; failures are cmocka's. */
#ifndef TOSAJIT_TESTS_SUPPORT_FUNCTIONS_H
#define TOSAJIT_TESTS_SUPPORT_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <mpfr.h>

#include "tests/support/support.h"

/* The functions of one operand that are not exact: first TOSA's, which are rounded correctly unless
 * fast, then those that only fast has in f32. */
typedef struct test_function {
    tosajit_op op;
    int (*value)(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode);
} test_function;

enum { TEST_FUNCTIONS = 9, TEST_FAST_FUNCTIONS = TEST_FUNCTIONS + 15 };
extern const test_function test_functions[TEST_FAST_FUNCTIONS];

uint32_t test_bits_of(float value);
float test_float_of(uint32_t bits);

/* All pairs of values for which a power is special; what C99's Annex F says of them is what libm's
 * pow does. */
enum { TEST_POWER_VALUES = 24, TEST_POWER_PAIRS = TEST_POWER_VALUES * TEST_POWER_VALUES };
void test_power_pairs(float *x, float *y);

/* A kernel of the op on dynamic vectors for every engine, to be released. */
void test_function_kernels(const test_engine *engines, size_t count, tosajit_op op,
                           tosajit_type type, tosajit_kernel **kernels);
void test_release_kernels(tosajit_kernel *const *kernels, size_t count);

/* Run on vectors of `count` elements; y is not read by kernels of one operand. */
void test_run_function(const tosajit_kernel *kernel, tosajit_type type, void *x, void *y, void *r,
                       int64_t count);

#endif
