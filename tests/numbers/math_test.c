/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions against MPFR: strided samples of all 2^32 operands, the neighbourhood of every operand
 * where something happens, and pairs for pow and divide. TOSAJIT_STRIDE=1 makes it exhaustive. TOSA
 * allows several ulp; here every result must be rounded correctly. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/functions.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

enum { BATCH = 4096, PRECISION = 160, STRIDE = 50021, PAIRS = 60000 };

static double quotient(double x, double y) { return x / y; }

static int round_even(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    (void)mode;
    return mpfr_roundeven(r, x);
}

/* Those of one operand: beside the functions that have a fast tier the extension's. */
static const test_function extension[] = {{TOSAJIT_OP_sqrt, mpfr_sqrt},
                                          {TOSAJIT_OP_roundeven, round_even}};
enum { FUNCTIONS = TEST_FUNCTIONS + sizeof extension / sizeof *extension };

static const test_function *function_at(size_t n) {
    return n < TEST_FUNCTIONS ? &test_functions[n] : &extension[n - TEST_FUNCTIONS];
}

/* Those of two. */
static const struct {
    tosajit_op op;
    int (*value)(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode);
    double (*special)(double x, double y); /* by the C library, or its compiler */
} of_pairs[] = {{TOSAJIT_OP_pow, mpfr_pow, pow}, {TOSAJIT_OP_divide, mpfr_div, quotient}};
enum { PAIR_FUNCTIONS = sizeof of_pairs / sizeof *of_pairs };

typedef struct tally {
    uint64_t checked;
} tally;

static void compare(tally *t, const char *engine, tosajit_op op, float x, float y, float actual,
                    float expected) {
    t->checked++;
    if (!test_same(TOSAJIT_F32, test_bits_of(actual), test_bits_of(expected), 0))
        fail_msg("%s: %s(%a, %a) [operands 0x%08x 0x%08x] is %a [0x%08x], should be %a [0x%08x]",
                 engine, tosajit_op_name(op), (double)x, (double)y, test_bits_of(x),
                 test_bits_of(y), (double)actual, test_bits_of(actual), (double)expected,
                 test_bits_of(expected));
}

static float expected_value(const test_function *f, float x, mpfr_t argument, mpfr_t value) {
    mpfr_set_flt(argument, x, MPFR_RNDN);
    f->value(value, argument, MPFR_RNDN);
    return mpfr_get_flt(value, MPFR_RNDN);
}

/* Operands around which results change their kind: exponents of every size, thresholds of overflow
 * and underflow, and so on. */
static size_t special_operands(float *x) {
    static const float centres[] = {0x1p-149f,  0x1p-126f,       1,          0.5f,
                                    2,          88.72284f,       87.33655f,  103.97208f,
                                    17,         8.66f,           9.01f,      3.92f,
                                    0x1p23f,    0x1p24f,         1.5707964f, 3.1415927f,
                                    6.2831855f, 0x1.921fb6p100f, 10.05f,     3.4028235e38f};
    size_t count = 0;
    for (size_t k = 0; k < sizeof centres / sizeof *centres; k++)
        for (uint32_t step = 0; step < 17; step++)
            for (uint32_t sign = 0; sign < 2; sign++)
                x[count++] = test_float_of(((test_bits_of(centres[k]) + step - 8) & 0x7fffffff) |
                                           sign << 31);
    const uint32_t rest[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                             0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345};
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) x[count++] = test_float_of(rest[k]);
    return count;
}

/* One batch through every engine. */
static void check_batch(const test_function *f, tosajit_kernel *const *kernels, tally *tallies,
                        float *x, const float *expected, size_t count) {
    static float r[BATCH];
    for (size_t e = 0; e < test_engine_count; e++) {
        test_run_function(kernels[e], TOSAJIT_F32, x, x, r, (int64_t)count);
        for (size_t k = 0; k < count; k++)
            compare(&tallies[e], test_engines[e].name, f->op, x[k], x[k], r[k], expected[k]);
    }
}

static void report(tosajit_op op, const tally *tallies) {
    for (size_t e = 0; e < test_engine_count; e++)
        printf("  %-10s %-12s %9llu operands rounded correctly\n", tosajit_op_name(op),
               test_engines[e].name, (unsigned long long)tallies[e].checked);
}

static void unary_functions_are_rounded_correctly(void **state) {
    static float x[BATCH], expected[BATCH];
    uint64_t stride = test_setting("TOSAJIT_STRIDE", STRIDE);
    mpfr_t argument, value;
    mpfr_inits2(PRECISION, argument, value, (mpfr_ptr)NULL);
    for (size_t n = 0; n < FUNCTIONS; n++) {
        const test_function *f = function_at(n);
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        tally tallies[TEST_MAX_ENGINES] = {0};
        test_function_kernels(test_engines, test_engine_count, f->op, TOSAJIT_F32, kernels);
        size_t count = special_operands(x);
        for (uint64_t bits = 7 * n; bits < UINT64_C(1) << 32 || count > 0; count = 0) {
            for (; count < BATCH && bits < UINT64_C(1) << 32; bits += stride)
                x[count++] = test_float_of((uint32_t)bits);
            for (size_t k = 0; k < count; k++)
                expected[k] = expected_value(f, x[k], argument, value);
            check_batch(f, kernels, tallies, x, expected, count);
        }
        test_release_kernels(kernels, test_engine_count);
        report(f->op, tallies);
    }
    mpfr_clears(argument, value, (mpfr_ptr)NULL);
}

/* Pairs whose power is an ordinary number more often than overflow: x near 1 with large y, and all
 * sizes otherwise. */
static void random_pair(test_random *random, float *x, float *y) {
    float a, b;
    test_random_element(random, TOSAJIT_F32, &a);
    test_random_element(random, TOSAJIT_F32, &b);
    if (test_random_chance(random, 60)) {
        a = 1.0f + (float)test_random_range(random, -800000, 4000000) * 0x1p-20f;
        b = (float)test_random_range(random, -1000000, 1000000) * 0x1p-15f;
        if (test_random_chance(random, 20)) a = -a, b = floorf(b);
    }
    *x = a;
    *y = b;
}

static void pairs_are_rounded_correctly(size_t n) {
    const tosajit_op op = of_pairs[n].op;
    static float x[BATCH], y[BATCH], r[BATCH], expected[BATCH];
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    tally tallies[TEST_MAX_ENGINES] = {0};
    mpfr_t a, b, value;
    mpfr_inits2(PRECISION, a, b, value, (mpfr_ptr)NULL);
    test_function_kernels(test_engines, test_engine_count, op, TOSAJIT_F32, kernels);
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    for (uint64_t done = 0, pairs = test_setting("TOSAJIT_PAIRS", PAIRS); done < pairs;
         done += BATCH) {
        for (size_t k = 0; k < BATCH; k++) {
            random_pair(&random, &x[k], &y[k]);
            mpfr_set_flt(a, x[k], MPFR_RNDN);
            mpfr_set_flt(b, y[k], MPFR_RNDN);
            of_pairs[n].value(value, a, b, MPFR_RNDN);
            expected[k] = mpfr_get_flt(value, MPFR_RNDN);
        }
        for (size_t e = 0; e < test_engine_count; e++) {
            test_run_function(kernels[e], TOSAJIT_F32, x, y, r, BATCH);
            for (size_t k = 0; k < BATCH; k++)
                compare(&tallies[e], test_engines[e].name, op, x[k], y[k], r[k], expected[k]);
        }
    }
    test_release_kernels(kernels, test_engine_count);
    report(op, tallies);
    mpfr_clears(a, b, value, (mpfr_ptr)NULL);
}

static void functions_of_pairs_are_rounded_correctly(void **state) {
    for (size_t n = 0; n < PAIR_FUNCTIONS; n++) pairs_are_rounded_correctly(n);
}

/* Every pair of special values: C99 Annex F, which libm and compilers follow. */
static void check_special_pairs(size_t n) {
    const tosajit_op op = of_pairs[n].op;
    static float x[TEST_POWER_PAIRS], y[TEST_POWER_PAIRS], r[TEST_POWER_PAIRS];
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    tally t = {0};
    test_power_pairs(x, y);
    test_function_kernels(test_engines, test_engine_count, op, TOSAJIT_F32, kernels);
    for (size_t e = 0; e < test_engine_count; e++) {
        test_run_function(kernels[e], TOSAJIT_F32, x, y, r, TEST_POWER_PAIRS);
        for (size_t k = 0; k < TEST_POWER_PAIRS; k++)
            compare(&t, test_engines[e].name, op, x[k], y[k], r[k],
                    (float)of_pairs[n].special((double)x[k], (double)y[k]));
    }
    test_release_kernels(kernels, test_engine_count);
}

static void pairs_of_special_values(void **state) {
    for (size_t n = 0; n < PAIR_FUNCTIONS; n++) check_special_pairs(n);
}

/* Results of pow on special values go into another function, a factor and a sum, by every engine.
 * Oracle: the interpreter. A NaN is a NaN: of two, code and interpreter may give either. */
static void chains_pass_special_values_on(void **state) {
    static const char *const texts[] = {
        "r = pow(maximum(x, rsqrt(f32(-0.77)), nan_mode=ignore), y) * sigmoid(y) : f32[?], f32[?]",
        "r = exp(pow(x, y)) + tanh(pow(y, x) * x) : f32[?], f32[?]",
    };
    static float x[TEST_POWER_PAIRS], y[TEST_POWER_PAIRS], r[TEST_POWER_PAIRS],
        expected[TEST_POWER_PAIRS];
    test_power_pairs(x, y);
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        tosajit_expr *expr = test_parse("", texts[n]);
        for (size_t e = 0; e < test_engine_count; e++) { /* the interpreter first */
            tosajit_kernel *kernel = test_compile(test_engines[e].engine, expr);
            test_run_function(kernel, TOSAJIT_F32, x, y, e ? r : expected, TEST_POWER_PAIRS);
            for (size_t k = 0; e && k < TEST_POWER_PAIRS; k++)
                if (!test_same(TOSAJIT_F32, test_bits_of(r[k]), test_bits_of(expected[k]), 0))
                    fail_msg("%s: %s of %a, %a is %a, should be %a", test_engines[e].name, texts[n],
                             (double)x[k], (double)y[k], (double)r[k], (double)expected[k]);
            tosajit_kernel_release(kernel);
        }
        tosajit_expr_destroy(expr);
    }
}

/* The types narrower than f32, by precision and exponents as MPFR counts them: the smallest
 * subnormal is 2^(emin - 1). */
typedef struct narrow_type {
    tosajit_type type;
    int exponent_bits, fraction_bits;
    mpfr_exp_t emin, emax;
} narrow_type;

static const narrow_type narrow_types[] = {{TOSAJIT_F16, 5, 10, -23, 16},
                                           {TOSAJIT_BF16, 8, 7, -132, 128}};

static double decode(const narrow_type *t, uint16_t bits) {
    int exponents = (1 << t->exponent_bits) - 1, exponent = bits >> t->fraction_bits & exponents,
        bias = exponents / 2;
    int fraction = bits & ((1 << t->fraction_bits) - 1), one = 1 << t->fraction_bits;
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == exponents) return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(one + fraction, exponent - bias - t->fraction_bits)
                            : ldexp(fraction, 1 - bias - t->fraction_bits));
}

/* A value of high precision, rounded once to the type. */
static double round_to(const narrow_type *t, const mpfr_t value) {
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t rounded;
    mpfr_init2(rounded, t->fraction_bits + 1);
    mpfr_set_emin(t->emin);
    mpfr_set_emax(t->emax);
    int ternary = mpfr_set(rounded, value, MPFR_RNDN);
    ternary = mpfr_check_range(rounded, ternary, MPFR_RNDN);
    mpfr_subnormalize(rounded, ternary, MPFR_RNDN);
    double result = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(rounded);
    return result;
}

static bool same_value(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* Run one op on all of x (and y) through every engine and compare with values that were rounded
 * once. */
static void check_narrow(const narrow_type *t, tosajit_op op, uint16_t *x, uint16_t *y,
                         const double *expected, int64_t count) {
    static uint16_t r[65536];
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    test_function_kernels(test_engines, test_engine_count, op, t->type, kernels);
    for (size_t e = 0; e < test_engine_count; e++) {
        test_run_function(kernels[e], t->type, x, y, r, count);
        for (int64_t k = 0; k < count; k++)
            if (!same_value(decode(t, r[k]), expected[k]))
                fail_msg("%s: %s %s(0x%04x, 0x%04x) is %a, should be %a", test_engines[e].name,
                         tosajit_type_name(t->type), tosajit_op_name(op), x[k], y[k],
                         decode(t, r[k]), expected[k]);
    }
    test_release_kernels(kernels, test_engine_count);
}

static void narrow_types_are_rounded_correctly_on_all_operands(void **state) {
    static uint16_t x[65536];
    static double expected[65536];
    mpfr_t argument, value;
    mpfr_inits2(PRECISION, argument, value, (mpfr_ptr)NULL);
    for (size_t n = 0; n < FUNCTIONS; n++)
        for (size_t m = 0; m < sizeof narrow_types / sizeof *narrow_types; m++) {
            const narrow_type *t = &narrow_types[m];
            for (int k = 0; k < 65536; k++) {
                x[k] = (uint16_t)k;
                mpfr_set_d(argument, decode(t, x[k]), MPFR_RNDN);
                function_at(n)->value(value, argument, MPFR_RNDN);
                expected[k] = round_to(t, value);
            }
            check_narrow(t, function_at(n)->op, x, x, expected, 65536);
        }
    mpfr_clears(argument, value, (mpfr_ptr)NULL);
}

static void narrow_pairs_are_rounded_correctly(size_t n) {
    static uint16_t x[65536], y[65536];
    static double expected[65536];
    mpfr_t a, b, value;
    mpfr_inits2(PRECISION, a, b, value, (mpfr_ptr)NULL);
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 2));
    for (size_t m = 0; m < sizeof narrow_types / sizeof *narrow_types; m++) {
        const narrow_type *t = &narrow_types[m];
        for (int k = 0; k < 65536; k++) {
            test_random_element(&random, t->type, &x[k]);
            test_random_element(&random, t->type, &y[k]);
            /* Small integer and half exponents make exact results and midpoints. */
            if (k % 2)
                y[k] = (uint16_t)((t->type == TOSAJIT_F16 ? 0x3800 : 0x3f00) +
                                  (k / 2 % 5) * (1 << (t->fraction_bits - 1)));
            mpfr_set_d(a, decode(t, x[k]), MPFR_RNDN);
            mpfr_set_d(b, decode(t, y[k]), MPFR_RNDN);
            of_pairs[n].value(value, a, b, MPFR_RNDN);
            expected[k] = round_to(t, value);
        }
        check_narrow(t, of_pairs[n].op, x, y, expected, 65536);
    }
    mpfr_clears(a, b, value, (mpfr_ptr)NULL);
}

static void functions_of_narrow_pairs_are_rounded_correctly(void **state) {
    for (size_t n = 0; n < PAIR_FUNCTIONS; n++) narrow_pairs_are_rounded_correctly(n);
}

/* f64, which only the extension's functions have: on values of every size. Rounded to 53 bits a
 * quotient or a root of so many never is a midpoint's neighbour within 160. */
static void expect_f64(tosajit_op op, double x, double y, double *expected) {
    mpfr_t a, b, value;
    mpfr_inits2(PRECISION, a, b, value, (mpfr_ptr)NULL);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    if (op == TOSAJIT_OP_divide)
        mpfr_div(value, a, b, MPFR_RNDN);
    else
        (op == TOSAJIT_OP_sqrt ? mpfr_sqrt : round_even)(value, a, MPFR_RNDN);
    *expected = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clears(a, b, value, (mpfr_ptr)NULL);
}

static void doubles_are_rounded_correctly(void **state) {
    static const tosajit_op ops[] = {TOSAJIT_OP_sqrt, TOSAJIT_OP_roundeven, TOSAJIT_OP_divide};
    static double x[BATCH], y[BATCH], r[BATCH], expected[BATCH];
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 3));
    for (size_t n = 0; n < sizeof ops / sizeof *ops; n++) {
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        for (size_t k = 0; k < BATCH; k++) {
            test_random_element(&random, TOSAJIT_F64, &x[k]);
            test_random_element(&random, TOSAJIT_F64, &y[k]);
            if (k % 4 == 0) x[k] = (double)test_random_range(&random, -4000000, 4000000) / 2;
            expect_f64(ops[n], x[k], y[k], &expected[k]);
        }
        test_function_kernels(test_engines, test_engine_count, ops[n], TOSAJIT_F64, kernels);
        for (size_t e = 0; e < test_engine_count; e++) {
            test_run_function(kernels[e], TOSAJIT_F64, x, y, r, BATCH);
            for (size_t k = 0; k < BATCH; k++)
                if (!same_value(r[k], expected[k]))
                    fail_msg("%s: %s(%a, %a) is %a, should be %a", test_engines[e].name,
                             tosajit_op_name(ops[n]), x[k], y[k], r[k], expected[k]);
        }
        test_release_kernels(kernels, test_engine_count);
    }
}

static tosajit_kernel *compile_quotient(const test_engine *engine, const int64_t *dims,
                                        float divisor) {
    const tosajit_tensor_type vector = tosajit_ranked(TOSAJIT_F32, 1, dims),
                              number = tosajit_ranked(TOSAJIT_F32, 0, NULL);
    tosajit_expr *expr;
    tosajit_value v[3];
    tosajit_kernel *kernel = NULL;
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    if (!status) status = tosajit_expr_input(expr, &vector, &v[0]);
    if (!status) status = tosajit_expr_constant(expr, &number, &divisor, &v[1]);
    if (!status) status = tosajit_expr_op(expr, TOSAJIT_OP_divide, v, 2, NULL, NULL, &v[2]);
    if (!status) status = tosajit_expr_result(expr, v[2]);
    if (!status) status = tosajit_compile_expr(engine->engine, expr, &kernel);
    if (status) fail_msg("%s: %s", engine->name, tosajit_last_error());
    tosajit_expr_destroy(expr);
    return kernel;
}

/* Quotients by a constant: those by powers of two are products where the inverse is normal. */
static void constant_divisors_are_divided_by(void **state) {
    static const float divisors[] = {3, 2,        -0.5F,      0x1p-149F, 0x1p-126F,
                                     8, 1000003,  -0.0F,      INFINITY,  NAN,
                                     1, 0x1p127F, -0x1p-121F, 0x1p120F};
    static float x[BATCH], r[BATCH];
    const int64_t dims[] = {BATCH};
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 4));
    for (size_t k = 0; k < BATCH; k++) test_random_element(&random, TOSAJIT_F32, &x[k]);
    for (size_t n = 0; n < sizeof divisors / sizeof *divisors; n++)
        for (size_t e = 0; e < test_engine_count; e++) {
            tosajit_kernel *kernel = compile_quotient(&test_engines[e], dims, divisors[n]);
            test_run_function(kernel, TOSAJIT_F32, x, x, r, BATCH);
            for (size_t k = 0; k < BATCH; k++)
                if (!same_value((double)r[k], (double)(x[k] / divisors[n])))
                    fail_msg("%s: %a / %a is %a, should be %a", test_engines[e].name, (double)x[k],
                             (double)divisors[n], (double)r[k], (double)(x[k] / divisors[n]));
            tosajit_kernel_release(kernel);
        }
}

int main(void) {
    const int failed =
        TEST_RUN(test_setup_exact, test_teardown, TEST(unary_functions_are_rounded_correctly),
                 TEST(functions_of_pairs_are_rounded_correctly), TEST(pairs_of_special_values),
                 TEST(chains_pass_special_values_on),
                 TEST(narrow_types_are_rounded_correctly_on_all_operands),
                 TEST(functions_of_narrow_pairs_are_rounded_correctly),
                 TEST(doubles_are_rounded_correctly), TEST(constant_divisors_are_divided_by));
    mpfr_free_cache();
    return failed;
}
