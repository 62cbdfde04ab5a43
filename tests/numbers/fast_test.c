/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* TOSAJIT_REPRODUCIBLE against MPFR, on every engine: samples of all 2^32 operands, the
 * neighbourhood of every operand where the emitters or the functions change their ways, pairs for
 * pow, all operands of f16 and bf16. Nothing may be further than 1 ulp from the exact value; the
 * largest distance of f32 is printed. TOSAJIT_STRIDE=1 makes it exhaustive. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/functions.h"
#include "tests/support/golden.h"
#include "tosajit/inspect.h"

enum { BATCH = 4096, PRECISION = 80, STRIDE = 100019, PAIRS = 100000 };

/* A floating-point type in numbers; its values are compared as doubles. */
typedef struct format {
    tosajit_type type;
    int exponent_bits, fraction_bits;
} format;

static const format f32 = {TOSAJIT_F32, 8, 23},
                    narrow_formats[] = {{TOSAJIT_F16, 5, 10}, {TOSAJIT_BF16, 8, 7}};

static double decode(const format *f, uint32_t bits) {
    uint32_t exponents = (UINT32_C(1) << f->exponent_bits) - 1, one = UINT32_C(1)
                                                                      << f->fraction_bits;
    uint32_t exponent = bits >> f->fraction_bits & exponents, fraction = bits & (one - 1);
    int bias = (int)(exponents / 2);
    double sign = bits >> (f->exponent_bits + f->fraction_bits) ? -1 : 1;
    if (exponent == exponents) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp((double)fraction, 1 - bias - f->fraction_bits);
    return sign * ldexp((double)(one + fraction), (int)exponent - bias - f->fraction_bits);
}

/* How far `actual` is from the exact value, in units of the type's last place at that value.
 * Infinity stands for the first power of two beyond the type, as when rounding; NaN, the exact
 * infinities and the sign of zero allow no distance. `exact` is a double: 2^-29 units are its own
 * error. */
static double distance(const format *f, double actual, double exact) {
    int bias = (1 << (f->exponent_bits - 1)) - 1, exponent;
    double failed = (double)INFINITY;
    if (isnan(actual) || isnan(exact)) return isnan(actual) && isnan(exact) ? 0 : failed;
    if (!signbit(actual) != !signbit(exact) || (isinf(exact) && !isinf(actual))) return failed;
    if (isinf(actual) && fabs(exact) >= ldexp(1, bias + 1)) return 0;
    if (isinf(actual)) actual = copysign(ldexp(1, bias + 1), exact);
    frexp(exact, &exponent);
    if (exact == 0 || exponent - 1 < 1 - bias) exponent = 2 - bias;
    if (exponent - 1 > bias) exponent = bias + 1;
    return ldexp(fabs(actual - exact), f->fraction_bits - exponent + 1);
}

/* The largest distance so far. */
typedef struct tally {
    double largest, x, y;
} tally;

static void compare(tally *t, const format *f, size_t engine, tosajit_op op, double x, double y,
                    double actual, double exact) {
    double d = distance(f, actual, exact);
    if (d > t->largest) *t = (tally){d, x, y};
    if (d > 1)
        fail_msg("%s: %s %s(%a, %a) is %a, %g ulp from %a", test_engines[engine].name,
                 tosajit_type_name(f->type), tosajit_op_name(op), x, y, actual, d, exact);
}

static void report(tosajit_op op, const tally *tallies) {
    for (size_t e = 0; e < test_engine_count; e++)
        printf("  %-10s %-12s at most %.4f ulp, at %a, %a\n", tosajit_op_name(op),
               test_engines[e].name, tallies[e].largest, tallies[e].x, tallies[e].y);
}

/* 33 operands around each, of both signs. */
static size_t add_around(float *x, size_t count, const float *centres, size_t centre_count) {
    for (size_t k = 0; k < centre_count; k++)
        for (uint32_t step = 0; step < 33; step++)
            for (uint32_t sign = 0; sign < 2; sign++)
                x[count++] = test_float_of(((test_bits_of(centres[k]) + step - 16) & 0x7fffffff) |
                                           sign << 31);
    return count;
}

/* Where the functions that are not TOSA's change their ways. */
static size_t add_others(float *x, size_t count) {
    static const float centres[] = {0.75f, 1.5f,     125.5f,   160,      89.5f,  20,
                                    8192,  0x1p-14f, 0x1p-12f, 0x1p-26f, 0x1p24f};
    return add_around(x, count, centres, sizeof centres / sizeof *centres);
}

/* Operands around which results or the emitters' paths change. */
static size_t special_operands(float *x) {
    static const float centres[] = {
        0x1p-149f,   0x1p-126f,  0x1p-100f,  0.70710677f,   1.4142135f,  1,          0.5f,
        2,           88.72284f,  87.33f,     87.33655f,     103.97208f,  16.636f,    17.33f,
        30,          8.66f,      9.01f,      9.1f,          3.92f,       3.93f,      1.09375f,
        0.7853982f,  1.5707964f, 2.3561945f, 3.1415927f,    6.2831855f,  17562.32f,  65536,
        0x1p23f,     0x1p28f,    0x1p100f,   3.4028235e38f, 87.2f,       70,         0.125f,
        0.27372569f, 1.3686284f, 2.4635312f, 3.5584340f,    0.09817477f, 0.19634954f};
    const uint32_t rest[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                             0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345};
    size_t count = add_around(x, 0, centres, sizeof centres / sizeof *centres);
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) x[count++] = test_float_of(rest[k]);
    return count;
}

/* One batch through every engine. */
static void check_batch(tosajit_op op, tosajit_kernel *const *kernels, tally *tallies, float *x,
                        float *y, const double *exact, size_t count) {
    static float r[BATCH];
    for (size_t e = 0; e < test_engine_count; e++) {
        test_run_function(kernels[e], TOSAJIT_F32, x, y, r, (int64_t)count);
        for (size_t k = 0; k < count; k++)
            compare(&tallies[e], &f32, e, op, (double)x[k], (double)y[k], (double)r[k], exact[k]);
    }
}

static void functions_are_within_one_ulp(void **state) {
    static float x[BATCH];
    static double exact[BATCH];
    uint64_t stride = test_setting("TOSAJIT_STRIDE", STRIDE);
    mpfr_t argument, value;
    mpfr_inits2(PRECISION, argument, value, (mpfr_ptr)NULL);
    for (size_t n = 0; n < TEST_FAST_FUNCTIONS; n++) {
        tosajit_op op = test_functions[n].op;
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        tally tallies[TEST_MAX_ENGINES] = {0};
        test_function_kernels(test_engines, test_engine_count, op, TOSAJIT_F32, kernels);
        size_t count = add_others(x, special_operands(x));
        for (uint64_t bits = 11 * n; bits < UINT64_C(1) << 32 || count > 0; count = 0) {
            for (; count < BATCH && bits < UINT64_C(1) << 32; bits += stride)
                x[count++] = test_float_of((uint32_t)bits);
            for (size_t k = 0; k < count; k++) {
                mpfr_set_flt(argument, x[k], MPFR_RNDN);
                test_functions[n].value(value, argument, MPFR_RNDN);
                exact[k] = mpfr_get_d(value, MPFR_RNDN);
            }
            check_batch(op, kernels, tallies, x, x, exact, count);
        }
        test_release_kernels(kernels, test_engine_count);
        report(op, tallies);
    }
    mpfr_clears(argument, value, (mpfr_ptr)NULL);
}

/* In turn: arbitrary elements; x near 1 with large y; any x with a y that gives any result,
 * overflow and subnormals included. */
static void random_pair(test_random *random, uint64_t kind, float *x, float *y) {
    double a = 1 + (double)test_random_range(random, -700000, 1000000) *
                       ldexp(1, (int)test_random_range(random, -40, -20));
    if (kind % 4 == 0) test_random_element(random, TOSAJIT_F32, x);
    if (kind % 4 == 1) *x = (float)a;
    if (kind % 4 > 1) *x = test_float_of((uint32_t)test_random_range(random, 1, 0x7f7fffff));
    if (kind % 4 == 0)
        test_random_element(random, TOSAJIT_F32, y);
    else
        *y =
            (float)((double)test_random_range(random, -1550000, 1300000) * 1e-4 / log2((double)*x));
    if (kind % 16 == 0) *y = (float)test_random_range(random, -12, 12) * 0.5f;
    if (kind % 16 == 7) *x = -*x, *y = rintf(*y);
}

/* Arbitrary elements, and sizes that meet. */
static void random_sides(test_random *random, uint64_t kind, float *x, float *y) {
    test_random_element(random, TOSAJIT_F32, x);
    test_random_element(random, TOSAJIT_F32, y);
    if (kind % 2)
        *y = ldexpf(*x, (int)test_random_range(random, -13, 13)) +
             *x * (float)test_random_range(random, -999, 999) * 1e-3f;
}

enum { TWO_OPERANDS = 3 };
static const struct {
    tosajit_op op;
    int (*value)(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode);
    void (*draw)(test_random *random, uint64_t kind, float *x, float *y);
    double (*special)(double x, double y);
} pairs[TWO_OPERANDS] = {{TOSAJIT_OP_pow, mpfr_pow, random_pair, pow},
                         {TOSAJIT_OP_atan2, mpfr_atan2, random_sides, atan2},
                         {TOSAJIT_OP_hypot, mpfr_hypot, random_sides, hypot}};

static void check_pairs(size_t n) {
    static float x[BATCH], y[BATCH];
    static double exact[BATCH];
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    tally tallies[TEST_MAX_ENGINES] = {0};
    mpfr_t a, b, value;
    mpfr_inits2(PRECISION, a, b, value, (mpfr_ptr)NULL);
    test_function_kernels(test_engines, test_engine_count, pairs[n].op, TOSAJIT_F32, kernels);
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    for (uint64_t done = 0, all = test_setting("TOSAJIT_PAIRS", PAIRS); done < all; done += BATCH) {
        for (size_t k = 0; k < BATCH; k++) {
            pairs[n].draw(&random, done / 7 + k, &x[k], &y[k]);
            mpfr_set_flt(a, x[k], MPFR_RNDN);
            mpfr_set_flt(b, y[k], MPFR_RNDN);
            pairs[n].value(value, a, b, MPFR_RNDN);
            exact[k] = mpfr_get_d(value, MPFR_RNDN);
        }
        check_batch(pairs[n].op, kernels, tallies, x, y, exact, BATCH);
    }
    test_release_kernels(kernels, test_engine_count);
    report(pairs[n].op, tallies);
    mpfr_clears(a, b, value, (mpfr_ptr)NULL);
}

static void functions_of_two_are_within_one_ulp(void **state) {
    for (size_t n = 0; n < TWO_OPERANDS; n++) check_pairs(n);
}

/* Every pair of special values: C99 Annex F, by libm, which follows it. */
static void special_values_of_two(void **state) {
    static float x[TEST_POWER_PAIRS], y[TEST_POWER_PAIRS];
    static double exact[TEST_POWER_PAIRS];
    test_power_pairs(x, y);
    for (size_t n = 0; n < TWO_OPERANDS; n++) {
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        tally tallies[TEST_MAX_ENGINES] = {0};
        for (size_t k = 0; k < TEST_POWER_PAIRS; k++)
            exact[k] = pairs[n].special((double)x[k], (double)y[k]);
        test_function_kernels(test_engines, test_engine_count, pairs[n].op, TOSAJIT_F32, kernels);
        check_batch(pairs[n].op, kernels, tallies, x, y, exact, TEST_POWER_PAIRS);
        test_release_kernels(kernels, test_engine_count);
    }
}

static void narrow_types_are_within_one_ulp_on_all_operands(void **state) {
    enum { ALL = 65536, STANDARD_THINNING = 4 }; /* a quarter of the functions a day */
    static uint16_t x[ALL], r[ALL];
    static double exact[ALL];
    mpfr_t argument, value;
    mpfr_inits2(PRECISION, argument, value, (mpfr_ptr)NULL);
    for (size_t m = 0; m < sizeof narrow_formats / sizeof *narrow_formats; m++)
        for (size_t n = 0; n < TEST_FAST_FUNCTIONS; n++) {
            if (!test_is_drawn(m + n, STANDARD_THINNING)) continue;
            const format *f = &narrow_formats[m];
            tally tallies[TEST_MAX_ENGINES] = {0};
            for (uint32_t k = 0; k < ALL; k++) {
                x[k] = (uint16_t)k;
                mpfr_set_d(argument, decode(f, k), MPFR_RNDN);
                test_functions[n].value(value, argument, MPFR_RNDN);
                exact[k] = mpfr_get_d(value, MPFR_RNDN);
            }
            tosajit_kernel *kernels[TEST_MAX_ENGINES];
            test_function_kernels(test_engines, test_engine_count, test_functions[n].op, f->type,
                                  kernels);
            for (size_t e = 0; e < test_engine_count; e++) {
                test_run_function(kernels[e], f->type, x, x, r, ALL);
                for (uint32_t k = 0; k < ALL; k++)
                    compare(&tallies[e], f, e, test_functions[n].op, decode(f, k), 0,
                            decode(f, r[k]), exact[k]);
            }
            test_release_kernels(kernels, test_engine_count);
        }
    mpfr_clears(argument, value, (mpfr_ptr)NULL);
}

static uint64_t hash_of_results(const tosajit_kernel *kernel, float *x, float *y, size_t count) {
    static float r[BATCH];
    uint64_t hash = GOLDEN_START;
    test_run_function(kernel, TOSAJIT_F32, x, y, r, (int64_t)count);
    for (size_t k = 0; k < count; k++) {
        const uint32_t bits = isnan(r[k]) ? ~UINT32_C(0) : test_bits_of(r[k]);
        hash = golden_hash(hash, &bits, sizeof bits);
    }
    return hash;
}

/* The bits are the same from every engine, the interpreter and every level among them, and from
 * version to version, but where that is meant. */
static void bits_are_the_golden_ones(void **state) {
    static float x[BATCH], y[BATCH];
    const size_t count = special_operands(x);
    golden file;
    assert_true(golden_open(&file, TOSAJIT_GOLDEN_DIRECTORY "/fast.txt"));
    for (size_t k = 0; k < count; k++) y[k] = x[(k * 7 + 3) % count];
    for (size_t n = 0; n < TEST_FAST_FUNCTIONS + TWO_OPERANDS; n++) {
        const tosajit_op op =
            n < TEST_FAST_FUNCTIONS ? test_functions[n].op : pairs[n - TEST_FAST_FUNCTIONS].op;
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        char line[100];
        test_function_kernels(test_engines, test_engine_count, op, TOSAJIT_F32, kernels);
        const uint64_t hash = hash_of_results(kernels[0], x, y, count);
        for (size_t e = 1; e < test_engine_count; e++)
            if (hash_of_results(kernels[e], x, y, count) != hash)
                fail_msg("%s: %s has other bits than %s", tosajit_op_name(op), test_engines[e].name,
                         test_engines[0].name);
        snprintf(line, sizeof line, "%s f32 %016" PRIx64, tosajit_op_name(op), hash);
        golden_expect(&file, line);
        test_release_kernels(kernels, test_engine_count);
    }
    assert_true(golden_close(&file));
}

int main(void) {
    const int failed = TEST_RUN(
        test_setup_fast, test_teardown, TEST(functions_are_within_one_ulp),
        TEST(functions_of_two_are_within_one_ulp), TEST(special_values_of_two),
        TEST(narrow_types_are_within_one_ulp_on_all_operands), TEST(bits_are_the_golden_ones));
    mpfr_free_cache();
    return failed;
}
