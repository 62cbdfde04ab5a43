/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of f64 against MPFR, at most 1 ulp off; and the same bits from every engine as from the
 * interpreter. In: TOSAJIT_OPERANDS=<n>, how many are drawn for each function, TOSAJIT_SEED=<n>.
 * Out: the rows of the table in docs/accuracy.md. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/functions.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

enum { BATCH = 4096, PRECISION = 200, OPERANDS = 24000, STEPS = 17 };

/* A function and its operands: between low and high it is drawn more densely. */
typedef struct function {
    tosajit_op op;
    int (*one)(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode);
    int (*two)(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode);
    double low, high;
} function;

/* IEEE 754 wants -inf of -0, MPFR gives +inf. */
static int rsqrt_of(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    if (mpfr_zero_p(x)) return mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1), 0;
    return mpfr_rec_sqrt(r, x, mode);
}

static int reciprocal_of(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    return mpfr_ui_div(r, 1, x, mode);
}

static int sigmoid_of(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_neg(r, x, mode);
    mpfr_exp(r, r, mode);
    mpfr_add_ui(r, r, 1, mode);
    return mpfr_ui_div(r, 1, r, mode);
}

static const function functions[] = {
    {TOSAJIT_OP_cos, mpfr_cos, NULL, -30, 30},
    {TOSAJIT_OP_erf, mpfr_erf, NULL, -6, 6},
    {TOSAJIT_OP_exp, mpfr_exp, NULL, -746, 710},
    {TOSAJIT_OP_log, mpfr_log, NULL, 0, 10},
    {TOSAJIT_OP_reciprocal, reciprocal_of, NULL, -10, 10},
    {TOSAJIT_OP_rsqrt, rsqrt_of, NULL, 0, 10},
    {TOSAJIT_OP_sigmoid, sigmoid_of, NULL, -750, 40},
    {TOSAJIT_OP_sin, mpfr_sin, NULL, -30, 30},
    {TOSAJIT_OP_tanh, mpfr_tanh, NULL, -20, 20},
    {TOSAJIT_OP_pow, NULL, mpfr_pow, 0, 0},
    {TOSAJIT_OP_exp2, mpfr_exp2, NULL, -1076, 1025},
    {TOSAJIT_OP_expm1, mpfr_expm1, NULL, -40, 710},
    {TOSAJIT_OP_log1p, mpfr_log1p, NULL, -1, 10},
    {TOSAJIT_OP_log2, mpfr_log2, NULL, 0, 10},
    {TOSAJIT_OP_log10, mpfr_log10, NULL, 0, 10},
    {TOSAJIT_OP_sinh, mpfr_sinh, NULL, -711, 711},
    {TOSAJIT_OP_cosh, mpfr_cosh, NULL, -711, 711},
    {TOSAJIT_OP_tan, mpfr_tan, NULL, -30, 30},
    {TOSAJIT_OP_asin, mpfr_asin, NULL, -1, 1},
    {TOSAJIT_OP_acos, mpfr_acos, NULL, -1, 1},
    {TOSAJIT_OP_atan, mpfr_atan, NULL, -10, 10},
    {TOSAJIT_OP_asinh, mpfr_asinh, NULL, -10, 10},
    {TOSAJIT_OP_acosh, mpfr_acosh, NULL, 1, 10},
    {TOSAJIT_OP_atanh, mpfr_atanh, NULL, -1, 1},
    {TOSAJIT_OP_cbrt, mpfr_cbrt, NULL, -10, 10},
    {TOSAJIT_OP_erfc, mpfr_erfc, NULL, -6, 28},
    {TOSAJIT_OP_atan2, NULL, mpfr_atan2, 0, 0},
    {TOSAJIT_OP_hypot, NULL, mpfr_hypot, 0, 0},
};

/* Where functions change their way or their kind, and operands that are known to be hard: powers of
 * 2, overflow, underflow, what is next to multiples of pi / 2, and ends of polynomials. */
static const double centres[] = {0.0,
                                 0x1p-1074,
                                 0x1p-1022,
                                 0x1p-400,
                                 0x1p-54,
                                 0x1p-28,
                                 0x1p-27,
                                 0.34657359027997264,
                                 0.5,
                                 0.7071067811865476,
                                 1.0,
                                 1.125,
                                 1.4142135623730951,
                                 1.5707963267948966,
                                 2.0,
                                 3.141592653589793,
                                 5.92158,
                                 19.06154746539849,
                                 26.0,
                                 26.543258454250982,
                                 27.226017111108366,
                                 36.7368005696771,
                                 707.0,
                                 708.3964185322641,
                                 709.782712893384,
                                 710.4758600739439,
                                 745.1332191019412,
                                 1023.0,
                                 1074.0,
                                 0x1p28,
                                 0x1p30,
                                 0x1p53,
                                 0x1.6ac5b262ca1ffp849,
                                 0x1.8p400,
                                 0x1.fffffffffffffp1023};
enum { CENTRES = sizeof centres / sizeof *centres };

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double stepped(double x, int64_t steps) {
    const uint64_t size = (bits_of(fabs(x)) + (uint64_t)steps) & INT64_MAX;
    return copysign(double_of(size), x);
}

static double unit(test_random *r) { return (double)(test_random_next(r) >> 11) * 0x1p-53; }

/* Near 1, a multiple of pi / 4, or where the exponent of e^x changes. */
static double hard_operand(test_random *r) {
    const double sign = test_random_chance(r, 50) ? 1.0 : -1.0;
    const int64_t steps = test_random_range(r, -2, 2);
    switch (test_random_range(r, 0, 2)) {
    case 0: return sign * (1.0 + (unit(r) - 0.5) * ldexp(1.0, -(int)test_random_range(r, 0, 50)));
    case 1:
        return stepped(
            sign * 0x1.921fb54442d18p-1 *
                (double)test_random_range(r, 0, INT64_C(1) << test_random_range(r, 0, 50)),
            steps);
    default:
        return stepped(((double)test_random_range(r, -1080, 1030) + 0.5) * 0x1.62e42fefa39efp-1,
                       steps);
    }
}

static double operand(const function *f, test_random *r, size_t k) {
    if (k < (size_t)CENTRES * STEPS * 2)
        return copysign(stepped(centres[k / 2 / STEPS], (int64_t)(k / 2 % STEPS) - STEPS / 2),
                        k % 2 ? -1.0 : 1.0);
    switch (test_random_range(r, 0, 3)) {
    case 0: return double_of(test_random_next(r));
    case 1: return f->low + (f->high - f->low) * unit(r);
    case 2: return ldexp(2 * unit(r) - 1, (int)test_random_range(r, -40, 24));
    default: return hard_operand(r);
    }
}

/* Pairs of all kinds, and such whose power is no overflow, or whose angle is no axis, or whose
 * exponent is whole: pow is of products below 16, where these are neither large nor small. */
static void pair_of(test_random *r, double *x, double *y) {
    const function everyday = {.low = -10, .high = 10};
    *x = operand(&everyday, r, SIZE_MAX);
    *y = operand(&everyday, r, SIZE_MAX);
    switch (test_random_range(r, 0, 4)) {
    case 0: *y = (2 * unit(r) - 1) * 745 / log(fabs(*x)); break;
    case 1: *y = *x * ldexp(2 * unit(r) - 1, (int)test_random_range(r, -60, 60)); break;
    case 2:
        *x = (double)test_random_range(r, -50, 50);
        *y = (double)test_random_range(r, -30, 30);
        break;
    case 3:
        *y = (double)test_random_range(r, -17, 17);
        *x = copysign(exp(745 * (2 * unit(r) - 1) / fmax(fabs(*y), 1)), unit(r) - 0.5);
        break;
    default: break;
    }
}

/* The distance of a result from the real value, in units of its last place; huge where they are of
 * two kinds. A result that rounds to infinity may be the largest number. */
static double distance(double result, mpfr_t value) {
    const double nearest = mpfr_get_d(value, MPFR_RNDN), wrong = 1e9;
    if (isnan(nearest) || isnan(result)) return isnan(nearest) && isnan(result) ? 0 : wrong;
    if (isinf(nearest) && isinf(result)) return nearest == result ? 0 : wrong;
    if (isinf(nearest) || isinf(result))
        return fmax(fabs(nearest), fabs(result)) == INFINITY &&
                       fmin(fabs(nearest), fabs(result)) == 0x1.fffffffffffffp1023
                   ? 1
                   : wrong;
    if (mpfr_zero_p(value)) return bits_of(result) == bits_of(nearest) ? 0 : wrong;
    int exponent = (int)mpfr_get_exp(value) - 53;
    if (exponent < -1074) exponent = -1074;
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    mpfr_sub_d(difference, value, result, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
    const double units = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return units;
}

/* The largest distance of a function's results, and where it is. */
typedef struct worst {
    double units, x, y;
    uint64_t operands;
} worst;

static void judge(const function *f, const double *x, const double *y, const double *results,
                  worst *w) {
    mpfr_t a, b, value;
    mpfr_inits2(53, a, b, (mpfr_ptr)NULL);
    mpfr_init2(value, PRECISION);
    for (size_t k = 0; k < BATCH; k++) {
        mpfr_set_d(a, x[k], MPFR_RNDN);
        mpfr_set_d(b, y[k], MPFR_RNDN);
        if (f->two)
            f->two(value, a, b, MPFR_RNDN);
        else
            f->one(value, a, MPFR_RNDN);
        const double units = distance(results[k], value);
        if (units > 1)
            fail_msg("%s(%a, %a) is %a, %g ulp from %a", tosajit_op_name(f->op), x[k], y[k],
                     results[k], units, mpfr_get_d(value, MPFR_RNDN));
        if (units > w->units) *w = (worst){units, x[k], y[k], w->operands};
    }
    w->operands += BATCH;
    mpfr_clears(a, b, value, (mpfr_ptr)NULL);
}

static void same_on_all(const function *f, tosajit_kernel *const *kernels, double *x, double *y,
                        const double *expected) {
    static double results[BATCH];
    for (size_t e = 0; e < test_engine_count; e++) {
        test_run_function(kernels[e], TOSAJIT_F64, x, y, results, BATCH);
        for (size_t k = 0; k < BATCH; k++)
            if (!test_same(TOSAJIT_F64, bits_of(results[k]), bits_of(expected[k]), 0))
                fail_msg("%s(%a, %a) is %a on %s, %a by the interpreter", tosajit_op_name(f->op),
                         x[k], y[k], results[k], test_engines[e].name, expected[k]);
    }
}

static void interpret(const tosajit_kernel *kernel, double *x, double *y, double *results) {
    const int64_t count = BATCH;
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F64, x, 1, &count),
                                  tosajit_dense(TOSAJIT_F64, y, 1, &count)};
    tosajit_tensor result = tosajit_dense(TOSAJIT_F64, results, 1, &count);
    if (tosajit_run_interpreted(kernel, operands, tosajit_kernel_operand_count(kernel), &result, 1))
        fail_msg("%s", tosajit_last_error());
}

static void check(const function *f) {
    static double x[BATCH], y[BATCH], expected[BATCH];
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    worst w = {0};
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    test_function_kernels(test_engines, test_engine_count, f->op, TOSAJIT_F64, kernels);
    const uint64_t operands = test_setting("TOSAJIT_OPERANDS", OPERANDS);
    for (uint64_t done = 0; done < operands; done += BATCH) {
        for (size_t k = 0; k < BATCH; k++)
            if (f->two)
                pair_of(&random, &x[k], &y[k]);
            else
                x[k] = y[k] = operand(f, &random, (size_t)done + k);
        interpret(kernels[0], x, y, expected);
        judge(f, x, y, expected, &w);
        same_on_all(f, kernels, x, y, expected);
    }
    test_release_kernels(kernels, test_engine_count);
    char at[64] = "";
    if (f->two) snprintf(at, sizeof at, " `%a`", w.y);
    printf("| %s f64 | %" PRIu64 " | %.4f | `%a`%s |\n", tosajit_op_name(f->op), w.operands,
           w.units, w.x, at);
}

static void functions_are_within_one_ulp(void **state) {
    for (size_t n = 0; n < sizeof functions / sizeof *functions; n++) check(&functions[n]);
}

/* A narrower type: bits of the significand, the exponent of the smallest subnormal, and that of the
 * bits themselves. */
typedef struct narrow {
    tosajit_type type;
    int precision, least, bits;
} narrow;

static double value_of(const narrow *t, uint32_t bits) {
    const uint32_t mask = (UINT32_C(1) << (t->precision - 1)) - 1, fraction = bits & mask;
    const int all = (1 << (t->bits - t->precision)) - 1,
              exponent = (int)(bits >> (t->precision - 1)) & all;
    double size = exponent == all ? fraction ? NAN : INFINITY
                  : exponent      ? ldexp((double)(fraction + mask + 1), t->least + exponent - 1)
                                  : ldexp((double)fraction, t->least);
    return bits >> (t->bits - 1) & 1 ? -size : size;
}

/* The real value rounded to nearest even, its range that of the type. */
static double nearest_of(const narrow *t, const mpfr_t value) {
    const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_t rounded;
    mpfr_init2(rounded, t->precision);
    int inexact = mpfr_set(rounded, value, MPFR_RNDN);
    mpfr_set_emin(t->least + 1);
    mpfr_set_emax(1 << (t->bits - t->precision - 1));
    inexact = mpfr_check_range(rounded, inexact, MPFR_RNDN);
    mpfr_subnormalize(rounded, inexact, MPFR_RNDN);
    mpfr_set_emin(low);
    mpfr_set_emax(high);
    const double result = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_clear(rounded);
    return result;
}

/* Rounded correctly; or where f64 is not enough to tell, of one in 2^28, nearly so. */
static bool is_near(const narrow *t, double result, const mpfr_t value) {
    const double nearest = nearest_of(t, value);
    if (isnan(nearest) || isnan(result)) return isnan(nearest) && isnan(result);
    if (bits_of(nearest) == bits_of(result)) return true;
    int exponent = mpfr_regular_p(value) ? (int)mpfr_get_exp(value) - t->precision : 0;
    if (exponent < t->least) exponent = t->least;
    mpfr_t difference;
    mpfr_init2(difference, PRECISION);
    mpfr_sub_d(difference, value, result, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
    const double units = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return units < 0.5001;
}

/* Operands of a batch as bits, and as numbers. */
typedef struct batch {
    uint32_t x[BATCH], y[BATCH];
    uint16_t x16[BATCH], y16[BATCH], r16[BATCH];
    uint32_t r[BATCH];
} batch;

static void run_narrow(const narrow *t, const tosajit_kernel *kernel, batch *b) {
    for (size_t k = 0; k < BATCH; k++) b->x16[k] = (uint16_t)b->x[k], b->y16[k] = (uint16_t)b->y[k];
    if (t->bits == 16)
        test_run_function(kernel, t->type, b->x16, b->y16, b->r16, BATCH);
    else
        test_run_function(kernel, t->type, b->x, b->y, b->r, BATCH);
    for (size_t k = 0; t->bits == 16 && k < BATCH; k++) b->r[k] = b->r16[k];
}

static void judge_narrow(const function *f, const narrow *t, const char *engine, const batch *b) {
    mpfr_t x, y, value;
    mpfr_inits2(53, x, y, (mpfr_ptr)NULL);
    mpfr_init2(value, PRECISION);
    for (size_t k = 0; k < BATCH; k++) {
        mpfr_set_d(x, value_of(t, b->x[k]), MPFR_RNDN);
        mpfr_set_d(y, value_of(t, b->y[k]), MPFR_RNDN);
        if (f->two)
            f->two(value, x, y, MPFR_RNDN);
        else
            f->one(value, x, MPFR_RNDN);
        if (!is_near(t, value_of(t, b->r[k]), value))
            fail_msg("%s(%a, %a) of %s on %s is %a, should be %a", tosajit_op_name(f->op),
                     value_of(t, b->x[k]), value_of(t, b->y[k]), tosajit_type_name(t->type), engine,
                     value_of(t, b->r[k]), nearest_of(t, value));
    }
    mpfr_clears(x, y, value, (mpfr_ptr)NULL);
}

static void same_narrow(const function *f, const narrow *t, const char *engine, const batch *b,
                        const batch *expected) {
    for (size_t k = 0; k < BATCH; k++)
        if (!test_same(t->type, b->r[k], expected->r[k], 0))
            fail_msg("%s(%a, %a) of %s is %a on %s, %a on %s", tosajit_op_name(f->op),
                     value_of(t, b->x[k]), value_of(t, b->y[k]), tosajit_type_name(t->type),
                     value_of(t, b->r[k]), engine, value_of(t, expected->r[k]),
                     test_engines[0].name);
}

/* All operands of 16 bits; of f32, and of pairs, arbitrary ones. A day has a quarter of them. */
static void check_narrow(const function *f, const narrow *t) {
    enum { STANDARD_THINNING = 4 };
    static batch b;
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    test_random random = test_random_start(test_seed());
    test_function_kernels(test_engines, test_engine_count, f->op, t->type, kernels);
    for (uint32_t first = 0; first < UINT32_C(1) << 16; first += BATCH) {
        if (!test_is_drawn(first / BATCH + (uint64_t)f->op, STANDARD_THINNING)) continue;
        for (size_t k = 0; k < BATCH; k++) {
            b.x[k] = t->bits == 16 ? first + (uint32_t)k : (uint32_t)test_random_next(&random);
            b.y[k] = (uint32_t)(test_random_next(&random) >> (64 - t->bits));
        }
        static batch first_engine;
        for (size_t e = 0; e < test_engine_count; e++) {
            run_narrow(t, kernels[e], &b);
            if (e == 0) judge_narrow(f, t, test_engines[e].name, &b), first_engine = b;
            same_narrow(f, t, test_engines[e].name, &b, &first_engine);
        }
    }
    test_release_kernels(kernels, test_engine_count);
}

/* Those that narrower types have by way of f64; tests/numbers/math_test.c has the others. */
static void narrower_types_are_rounded_once_more(void **state) {
    static const narrow types[] = {
        {TOSAJIT_F16, 11, -24, 16}, {TOSAJIT_BF16, 8, -133, 16}, {TOSAJIT_F32, 24, -149, 32}};
    for (size_t n = 0; n < sizeof functions / sizeof *functions; n++)
        for (size_t k = 0; functions[n].op >= TOSAJIT_OP_exp2 && k < 3; k++)
            check_narrow(&functions[n], &types[k]);
}

/* Every pair of special values. Oracle: the C library, which follows C99 Annex F. */
static void pairs_of_special_values(void **state) {
    static const double values[] = {0.0,       -0.0,
                                    1,         -1,
                                    0.5,       -0.5,
                                    2,         -2,
                                    3,         -3,
                                    2.5,       -2.5,
                                    0x1p-1074, -0x1p-1074,
                                    1e22,      0x1p53,
                                    -0x1p53,   NAN,
                                    1e300,     -1e300,
                                    1e-300,    5,
                                    INFINITY,  -INFINITY,
                                    1e9,       0x1.fffffffffffffp-1};
    enum { VALUES = sizeof values / sizeof *values, PAIRS = VALUES * VALUES };
    static const struct {
        tosajit_op op;
        double (*libm)(double x, double y);
    } of_pairs[] = {{TOSAJIT_OP_pow, pow},           {TOSAJIT_OP_atan2, atan2},
                    {TOSAJIT_OP_hypot, hypot},       {TOSAJIT_OP_fmod, fmod},
                    {TOSAJIT_OP_copysign, copysign}, {TOSAJIT_OP_nextafter, nextafter}};
    static double x[PAIRS], y[PAIRS], results[PAIRS];
    for (size_t k = 0; k < PAIRS; k++) x[k] = values[k / VALUES], y[k] = values[k % VALUES];
    for (size_t n = 0; n < sizeof of_pairs / sizeof *of_pairs; n++) {
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        test_function_kernels(test_engines, test_engine_count, of_pairs[n].op, TOSAJIT_F64,
                              kernels);
        for (size_t e = 0; e < test_engine_count; e++) {
            test_run_function(kernels[e], TOSAJIT_F64, x, y, results, PAIRS);
            for (size_t k = 0; k < PAIRS; k++) {
                const double expected = of_pairs[n].libm(x[k], y[k]);
                const bool special = !isfinite(expected) || expected == 0;
                if (special
                        ? !test_same(TOSAJIT_F64, bits_of(results[k]), bits_of(expected), 0)
                        : !(fabs(results[k] - expected) <= 0x1p-52 * fabs(expected) + 0x1p-1074))
                    fail_msg("%s(%a, %a) on %s is %a, should be %a",
                             tosajit_op_name(of_pairs[n].op), x[k], y[k], test_engines[e].name,
                             results[k], expected);
            }
        }
        test_release_kernels(kernels, test_engine_count);
    }
}

/* Code that knows the exponent has the bits of code that does not: of the interpreter's pow. */
static void exponents_that_are_numbers(void **state) {
    static const double exponents[] = {-17, -15, -10, -3, -2, -1, -0.5, 0,  0.5, 1,  2,   2.5,
                                       3,   4,   5,   7,  9,  10, 12,   15, 16,  17, 100, -1000};
    static double x[BATCH], y[BATCH], expected[BATCH];
    tosajit_kernel *pow_kernels[TEST_MAX_ENGINES];
    const function power = {TOSAJIT_OP_pow, NULL, mpfr_pow, 0, 0};
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    test_function_kernels(test_engines, test_engine_count, power.op, TOSAJIT_F64, pow_kernels);
    for (size_t n = 0; n < sizeof exponents / sizeof *exponents; n++) {
        for (size_t k = 0; k < BATCH; k++) pair_of(&random, &x[k], &y[k]), y[k] = exponents[n];
        interpret(pow_kernels[0], x, y, expected);
        char text[64];
        snprintf(text, sizeof text, "pow(x, %.17g) : f64[?]", exponents[n]);
        tosajit_expr *expr = test_parse("", text);
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        for (size_t e = 0; e < test_engine_count; e++)
            kernels[e] = test_compile(test_engines[e].engine, expr);
        same_on_all(&power, kernels, x, y, expected);
        test_release_kernels(kernels, test_engine_count);
        tosajit_expr_destroy(expr);
    }
    test_release_kernels(pow_kernels, test_engine_count);
}

int main(void) {
    return TEST_RUN(test_setup_exact, test_teardown, TEST(exponents_that_are_numbers),
                    TEST(functions_are_within_one_ulp), TEST(narrower_types_are_rounded_once_more),
                    TEST(pairs_of_special_values));
}
