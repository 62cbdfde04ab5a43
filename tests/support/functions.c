/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions: see functions.h. */
#include "tests/support/functions.h"

#include <math.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tosajit/inspect.h"

static int reference_reciprocal(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    return mpfr_ui_div(r, 1, x, mode);
}

/* IEEE 754 wants -inf of -0, MPFR gives +inf. */
static int reference_rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    if (mpfr_zero_p(x)) return mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1), 0;
    return mpfr_rec_sqrt(r, x, mode);
}

static int reference_sigmoid(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_neg(r, x, mode);
    mpfr_exp(r, r, mode);
    mpfr_add_ui(r, r, 1, mode);
    return mpfr_ui_div(r, 1, r, mode);
}

const test_function test_functions[TEST_FAST_FUNCTIONS] = {
    {TOSAJIT_OP_exp, mpfr_exp},
    {TOSAJIT_OP_log, mpfr_log},
    {TOSAJIT_OP_tanh, mpfr_tanh},
    {TOSAJIT_OP_sigmoid, reference_sigmoid},
    {TOSAJIT_OP_erf, mpfr_erf},
    {TOSAJIT_OP_sin, mpfr_sin},
    {TOSAJIT_OP_cos, mpfr_cos},
    {TOSAJIT_OP_rsqrt, reference_rsqrt},
    {TOSAJIT_OP_reciprocal, reference_reciprocal},
    {TOSAJIT_OP_exp2, mpfr_exp2},
    {TOSAJIT_OP_expm1, mpfr_expm1},
    {TOSAJIT_OP_log1p, mpfr_log1p},
    {TOSAJIT_OP_log2, mpfr_log2},
    {TOSAJIT_OP_log10, mpfr_log10},
    {TOSAJIT_OP_sinh, mpfr_sinh},
    {TOSAJIT_OP_cosh, mpfr_cosh},
    {TOSAJIT_OP_tan, mpfr_tan},
    {TOSAJIT_OP_asin, mpfr_asin},
    {TOSAJIT_OP_acos, mpfr_acos},
    {TOSAJIT_OP_atan, mpfr_atan},
    {TOSAJIT_OP_asinh, mpfr_asinh},
    {TOSAJIT_OP_acosh, mpfr_acosh},
    {TOSAJIT_OP_atanh, mpfr_atanh},
    {TOSAJIT_OP_cbrt, mpfr_cbrt},
};

uint32_t test_bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float test_float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void test_power_pairs(float *x, float *y) {
    static const float values[TEST_POWER_VALUES] = {0.0f,
                                                    -0.0f,
                                                    1,
                                                    -1,
                                                    0.5f,
                                                    -0.5f,
                                                    2,
                                                    -2,
                                                    3,
                                                    -3,
                                                    2.5f,
                                                    -2.5f,
                                                    0x1p-149f,
                                                    -0x1p-149f,
                                                    0x1p24f,
                                                    -0x1p24f,
                                                    16777215.0f,
                                                    3.4028235e38f,
                                                    -3.4028235e38f,
                                                    0.99999994f,
                                                    1.0000001f,
                                                    INFINITY,
                                                    -INFINITY,
                                                    NAN};
    for (size_t k = 0; k < TEST_POWER_PAIRS; k++)
        x[k] = values[k / TEST_POWER_VALUES], y[k] = values[k % TEST_POWER_VALUES];
}

void test_function_kernels(const test_engine *engines, size_t count, tosajit_op op,
                           tosajit_type type, tosajit_kernel **kernels) {
    tosajit_tensor_type vector = tosajit_ranked(type, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    const size_t arity = (size_t)tosajit_op_arity(op);
    for (size_t e = 0; e < count; e++)
        if (tosajit_compile(engines[e].engine, op, (tosajit_tensor_type[]){vector, vector}, arity,
                            NULL, NULL, &kernels[e]))
            fail_msg("%s: %s", engines[e].name, tosajit_last_error());
}

void test_release_kernels(tosajit_kernel *const *kernels, size_t count) {
    for (size_t e = 0; e < count; e++) tosajit_kernel_release(kernels[e]);
}

void test_run_function(const tosajit_kernel *kernel, tosajit_type type, void *x, void *y, void *r,
                       int64_t count) {
    tosajit_tensor operands[2] = {tosajit_dense(type, x, 1, &count),
                                  tosajit_dense(type, y, 1, &count)};
    tosajit_tensor result = tosajit_dense(type, r, 1, &count);
    if (tosajit_run(kernel, operands, tosajit_kernel_operand_count(kernel), &result, 1))
        fail_msg("%s", tosajit_last_error());
}
