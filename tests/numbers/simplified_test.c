/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The op that simplification puts in the place of another has its bits. Oracle: the same op, where
 * what made it simple comes with the call, or as two kernels. f16 and bf16: all operands. f32:
 * every TOSAJIT_STRIDE-th of 2^32, and those next to powers of two; 1 makes it exhaustive. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

enum { BATCH = 4096, STRIDE = 20011 };

static tosajit_tensor vector(tosajit_type element, void *data, const int64_t *size) {
    return (tosajit_tensor){.element = element, .rank = 1, .dims = size, .data = data};
}

static void run(const tosajit_kernel *kernel, tosajit_type element, void *x, void *y, void *r,
                int64_t count) {
    const int64_t one = 1;
    const tosajit_tensor operands[] = {vector(element, x, &count), vector(element, y, &one)},
                         result = vector(element, r, &count);
    if (tosajit_run(kernel, operands, tosajit_kernel_operand_count(kernel), &result, 1))
        fail_msg("%s", tosajit_last_error());
}

static void run_cast(const tosajit_kernel *kernel, tosajit_type from, tosajit_type to, void *x,
                     void *r) {
    const int64_t count = BATCH;
    const tosajit_tensor operand = vector(from, x, &count), result = vector(to, r, &count);
    if (tosajit_run(kernel, &operand, 1, &result, 1)) fail_msg("%s", tosajit_last_error());
}

/* Operands from bits `next` on; the bits after the last. The f32 behind each power of two, where
 * ties, overflow and subnormal results begin, are taken one by one. */
static uint64_t fill(tosajit_type element, uint64_t next, void *x) {
    const bool wide = element == TOSAJIT_F32;
    const uint64_t stride = wide ? test_setting("TOSAJIT_STRIDE", STRIDE) : 1;
    for (size_t k = 0; k < BATCH; k++) {
        if (wide)
            ((uint32_t *)x)[k] = (uint32_t)next;
        else
            ((uint16_t *)x)[k] = (uint16_t)next;
        const uint64_t before = next & 0x7fffff;
        next += before < 64 && wide ? 1 : stride;
        if (wide && before >= 64 && (next & 0x7fffff) < before) next &= ~UINT64_C(0x7fffff);
    }
    return next;
}

static uint64_t end_of(tosajit_type element) {
    return UINT64_C(1) << 8 * tosajit_type_size(element);
}

static void same(const char *engine, tosajit_type element, const void *x, const void *is,
                 const void *should) {
    const size_t size = tosajit_type_size(element);
    for (size_t k = 0; k < BATCH; k++) {
        const char *a = (const char *)is + k * size, *b = (const char *)should + k * size;
        if (!test_same(element, test_bits(element, a), test_bits(element, b), 0))
            fail_msg("%s, operand %#llx: %#llx, not %#llx", engine,
                     (unsigned long long)test_bits(element, (const char *)x + k * size),
                     (unsigned long long)test_bits(element, a),
                     (unsigned long long)test_bits(element, b));
    }
}

/* x ** exponent; the exponent is a constant, or a second operand. */
static tosajit_expr *power(tosajit_type element, const void *exponent) {
    const tosajit_tensor_type open = test_type(element, "?"), one = test_type(element, "1");
    tosajit_expr *expr;
    tosajit_value values[2], result;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &open, &values[0]), TOSAJIT_OK);
    assert_int_equal(exponent ? tosajit_expr_constant(expr, &one, exponent, &values[1])
                              : tosajit_expr_input(expr, &one, &values[1]),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_pow, values, 2, NULL, NULL, &result),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, result), TOSAJIT_OK);
    return expr;
}

static const tosajit_type types[] = {TOSAJIT_F16, TOSAJIT_BF16, TOSAJIT_F32};

/* An exponent as it lies in memory. */
static uint32_t exponent_bits(tosajit_type element, float exponent) {
    uint32_t bits;
    memcpy(&bits, &exponent, sizeof bits);
    if (element == TOSAJIT_BF16) return bits >> 16;
    if (element == TOSAJIT_F32) return bits;
    if (exponent == 0) return bits >> 16;
    int power_of_two; /* f16: 10 bits behind the point, which these exponents do not fill */
    const float fraction = frexpf(fabsf(exponent), &power_of_two);
    return (uint32_t)((exponent < 0) << 15 | (power_of_two + 14) << 10 |
                      (int)((fraction * 2 - 1) * 1024));
}

static void check_power(tosajit_type element, float exponent) {
    static uint32_t x[BATCH], is[BATCH], should[BATCH];
    uint32_t bits = exponent_bits(element, exponent);
    tosajit_expr *simple = power(element, &bits), *general = power(element, NULL);
    tosajit_kernel *kernels[TEST_MAX_ENGINES], *oracle = NULL;
    for (size_t e = 0; e < test_engine_count; e++) {
        kernels[e] = test_compile(test_engines[e].engine, simple);
        /* Native code is quicker than the interpreter, and math_test compares it with MPFR. */
        if (test_engines[e].native && !oracle)
            oracle = test_compile(test_engines[e].engine, general);
    }
    if (!oracle) oracle = test_compile(test_engines[0].engine, general);
    const bool long_run = element == TOSAJIT_F32 && test_setting("TOSAJIT_STRIDE", STRIDE) < 100;
    for (uint64_t next = 0; next < end_of(element);) {
        next = fill(element, next, x);
        run(oracle, element, x, &bits, should, BATCH);
        for (size_t e = 0; e < test_engine_count; e++) {
            if (long_run && !test_engines[e].native) continue; /* ten minutes for each exponent */
            run(kernels[e], element, x, &bits, is, BATCH);
            same(test_engines[e].name, element, x, is, should);
        }
    }
    tosajit_kernel_release(oracle);
    for (size_t e = 0; e < test_engine_count; e++) tosajit_kernel_release(kernels[e]);
    tosajit_expr_destroy(simple);
    tosajit_expr_destroy(general);
}

static void powers(void **state) {
    static const float exponents[] = {2, 1, -1, 0, -0.0f, 3, 4, 0.5f, -0.5f};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
            print_message("%s ** %g\n", tosajit_type_name(types[t]), (double)exponents[k]);
            check_power(types[t], exponents[k]);
        }
}

/* Functions of f64 are within 1 ulp, and what stands for them is, too: so two of them are at most 2
 * apart. A type with more digits, in which cubes of f32 are multiplied, f64 has not. */
static void powers_of_f64(void **state) {
    static const double exponents[] = {2, 1, -1, 0, 3, 4, 5, 10, 0.5, -0.5};
    static double x[BATCH], is[BATCH], should[BATCH];
    test_random random = test_random_start(11);
    for (int k = 0; k < BATCH; k++)
        if (k % 2)
            test_random_element(&random, TOSAJIT_F64, &x[k]);
        else
            x[k] = k < 2048 ? k - 512 : (double)test_random_range(&random, -9999999, 9999999) / 64;
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        double exponent = exponents[k];
        tosajit_expr *simple = power(TOSAJIT_F64, &exponent), *general = power(TOSAJIT_F64, NULL);
        for (size_t e = 0; e < test_engine_count; e++) {
            tosajit_kernel *kernel = test_compile(test_engines[e].engine, simple),
                           *oracle = test_compile(test_engines[e].engine, general);
            run(kernel, TOSAJIT_F64, x, &exponent, is, BATCH);
            run(oracle, TOSAJIT_F64, x, &exponent, should, BATCH);
            for (int i = 0; i < BATCH; i++)
                if (!test_same(TOSAJIT_F64, test_bits(TOSAJIT_F64, &is[i]),
                               test_bits(TOSAJIT_F64, &should[i]), 2))
                    fail_msg("%s: %.17g ** %g is %.17g, not %.17g", test_engines[e].name, x[i],
                             exponent, is[i], should[i]);
            tosajit_kernel_release(kernel);
            tosajit_kernel_release(oracle);
        }
        tosajit_expr_destroy(simple);
        tosajit_expr_destroy(general);
    }
}

/* A clamp, or one of a clamp. */
static tosajit_kernel *clamps(tosajit_engine *engine, tosajit_type element,
                              const tosajit_attributes *list, size_t count) {
    const tosajit_tensor_type open = test_type(element, "?");
    tosajit_expr *expr;
    tosajit_value value;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &open, &value), TOSAJIT_OK);
    for (size_t k = 0; k < count; k++)
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_clamp, &value, 1, &list[k], NULL, &value),
                         TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
    tosajit_kernel *kernel = test_compile(engine, expr);
    tosajit_expr_destroy(expr);
    return kernel;
}

static tosajit_attributes some_clamp(test_random *random, bool is_float) {
    static const float bounds[] = {-INFINITY, -6, -1, -0.0f, 0, 0.5f, 1, 6, INFINITY};
    const int64_t last = sizeof bounds / sizeof *bounds - 1;
    int64_t low = test_random_range(random, 0, last), high = test_random_range(random, low, last);
    tosajit_attributes a = {0};
    a.min_val.f = bounds[low];
    a.max_val.f = bounds[high];
    a.nan_mode = test_random_chance(random, 50) ? TOSAJIT_NAN_IGNORE : TOSAJIT_NAN_PROPAGATE;
    if (is_float) return a;
    a.nan_mode = TOSAJIT_NAN_PROPAGATE;
    a.min_val.i = test_random_range(random, -128, 127);
    a.max_val.i = test_random_range(random, a.min_val.i, 127);
    return a;
}

static void check_clamps(const test_engine *engine, tosajit_type element, test_random *random) {
    static uint32_t x[BATCH], between[BATCH], is[BATCH], should[BATCH];
    const bool is_float = test_is_float(element);
    const tosajit_attributes list[] = {some_clamp(random, is_float), some_clamp(random, is_float)};
    tosajit_kernel *one = clamps(engine->engine, element, list, 2),
                   *first = clamps(engine->engine, element, list, 1),
                   *second = clamps(engine->engine, element, list + 1, 1);
    for (size_t k = 0; k < BATCH; k++)
        test_random_element(random, element, (char *)x + k * tosajit_type_size(element));
    run(one, element, x, NULL, is, BATCH);
    run(first, element, x, NULL, between, BATCH);
    run(second, element, between, NULL, should, BATCH);
    same(engine->name, element, x, is, should);
    tosajit_kernel_release(one);
    tosajit_kernel_release(first);
    tosajit_kernel_release(second);
}

/* A day has a quarter of them on each engine, TOSAJIT_THIN=1 all. */
static void clamps_of_clamps(void **state) {
    enum { STANDARD_THINNING = 4 };
    static const tosajit_type clamped[] = {TOSAJIT_F32, TOSAJIT_BF16, TOSAJIT_I8, TOSAJIT_I16};
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    for (int k = 0; k < 40; k++)
        for (size_t e = 0; e < test_engine_count; e++)
            if (test_is_drawn((uint64_t)(k / 4) + e, STANDARD_THINNING))
                check_clamps(&test_engines[e], clamped[k % 4], &random);
}

/* A cast of what bounds do not change, and of what they do. */
static const struct {
    tosajit_type from, to;
    const char *inner, *outer, *whole;
} casts[] = {
    {TOSAJIT_F32, TOSAJIT_U8, "clip(x, 0, 255)", "u8(x)", "u8(clip(x, 0, 255))"},
    {TOSAJIT_F32, TOSAJIT_I8, "min(max(round(x), -128), 200)", "i8(x)",
     "i8(min(max(round(x), -128), 200))"},
    {TOSAJIT_F32, TOSAJIT_U8, "min(max(x, 0), 254.6)", "u8(x)", "u8(min(max(x, 0), 254.6))"},
    {TOSAJIT_F32, TOSAJIT_I16, "clip(x, -40000, 32767)", "i16(x)", "i16(clip(x, -40000, 32767))"},
    {TOSAJIT_F32, TOSAJIT_U32, "clip(x, 0, 4294967296)", "u32(x)", "u32(clip(x, 0, 4294967296))"},
    {TOSAJIT_F16, TOSAJIT_U8, "clip(x, -1, 256)", "u8(x)", "u8(clip(x, -1, 256))"},
    {TOSAJIT_F16, TOSAJIT_I8, "max(round(x), 3)", "i8(x)", "i8(max(round(x), 3))"},
    {TOSAJIT_BF16, TOSAJIT_U16, "clip(x, 0, 65536)", "u16(x)", "u16(clip(x, 0, 65536))"},
    {TOSAJIT_F32, TOSAJIT_I8, "clamp(x, min=-200, max=200, nan_mode=IGNORE)", "i8(x)",
     "i8(clamp(x, min=-200, max=200, nan_mode=IGNORE))"},
};

static void casts_of_bounds(void **state) {
    static uint32_t x[BATCH], between[BATCH], is[BATCH], should[BATCH];
    for (size_t c = 0; c < sizeof casts / sizeof *casts; c++)
        for (size_t e = 0; e < test_engine_count; e++) {
            char types[32];
            const tosajit_type from = casts[c].from, to = casts[c].to;
            snprintf(types, sizeof types, "x: %s[?]\n", tosajit_type_name(from));
            const char *const texts[] = {casts[c].inner, casts[c].outer, casts[c].whole};
            tosajit_kernel *kernels[3];
            for (int k = 0; k < 3; k++) {
                tosajit_expr *expr = test_parse(types, texts[k]);
                kernels[k] = test_compile(test_engines[e].engine, expr);
                tosajit_expr_destroy(expr);
            }
            for (uint64_t next = 0; next < end_of(from);) {
                next = fill(from, next, x);
                run_cast(kernels[0], from, from, x, between);
                run_cast(kernels[1], from, to, between, should);
                run_cast(kernels[2], from, to, x, is);
                same(test_engines[e].name, to, x, is, should);
            }
            for (int k = 0; k < 3; k++) tosajit_kernel_release(kernels[k]);
        }
}

int main(void) {
    return TEST_RUN(test_setup_exact, test_teardown, TEST(powers), TEST(powers_of_f64),
                    TEST(clamps_of_clamps), TEST(casts_of_bounds));
}
