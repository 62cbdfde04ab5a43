/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rescaled sums of two rescaled i8, as residual connections have them, have the bits that they had,
 * on all pairs of operands, by every engine, in rows and tails of all lengths. Oracle: the
 * interpreter, which knows no affine pairs. And nearly all such sums of models are affine. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

enum { SIDE = 256, COUNT = SIDE * SIDE };

static int8_t first[COUNT], second[COUNT];
static int32_t should[COUNT], is[COUNT];

/* A factor as `rescale` has it: multiplier / 2^shift. */
static void quantise(double factor, long *multiplier, int *shift) {
    int exponent;
    const double fraction = frexp(factor, &exponent);
    *multiplier = lround(fraction * (double)(INT64_C(1) << 31));
    if (*multiplier == INT64_C(1) << 31) *multiplier /= 2, exponent++;
    *shift = 31 - exponent;
}

static double between(test_random *random, double low, double high) {
    return low + (high - low) * (double)test_random_range(random, 0, 1 << 20) / (1 << 20);
}

/* Operands and result have scales; `bits` more are kept between, 20 in models. */
static void write_sum(test_random *random, int bits, double steepest, char *text, size_t size) {
    const double a = exp(between(random, -4, 0)), b = exp(between(random, -4, 0)),
                 most = fmax(a, b), result = most * exp(between(random, -steepest, 1));
    const bool twice = test_random_chance(random, 50);
    const char *round = twice ? "rounding_mode=DOUBLE_ROUND, " : "";
    long m[3];
    int s[3], zero[3];
    quantise(ldexp(a / most / 2, bits), &m[0], &s[0]);
    quantise(ldexp(b / most / 2, bits), &m[1], &s[1]);
    quantise(ldexp(most * 2 / result, -bits), &m[2], &s[2]);
    for (int k = 0; k < 3; k++) zero[k] = (int)test_random_range(random, INT8_MIN, INT8_MAX);
    snprintf(text, size,
             "a = rescale(x, multiplier=%ld, shift=%d, input_zp=%d, %sscale32=true, to=i32)\n"
             "b = rescale(y, multiplier=%ld, shift=%d, input_zp=%d, %sscale32=true, to=i32)\n"
             "r = rescale(a + b, multiplier=%ld, shift=%d, output_zp=%d, %sscale32=true, to=i8)\n",
             m[0], s[0], zero[0], round, m[1], s[1], zero[1], round, m[2], s[2], zero[2], round);
}

/* `count` pairs from `from` on; of y one element where it has one. */
static size_t run(const tosajit_kernel *kernel, int from, int count, bool one, void *r) {
    const int64_t size = count, single = 1;
    const tosajit_tensor operands[] = {
        tosajit_dense(TOSAJIT_I8, first + from, 1, &size),
        tosajit_dense(TOSAJIT_I8, second + from, 1, one ? &single : &size)};
    const tosajit_type type = tosajit_kernel_result_type(kernel, 0).element;
    const tosajit_tensor result = tosajit_dense(type, r, 1, &size);
    if (tosajit_run(kernel, operands, 2, &result, 1)) fail_msg("%s", tosajit_last_error());
    return tosajit_type_size(type);
}

static void compare(const tosajit_kernel *oracle, const tosajit_kernel *kernel, const char *engine,
                    const char *text, int from, int count, bool one) {
    const size_t size = run(oracle, from, count, one, should);
    memset(is, 0x55, sizeof is);
    run(kernel, from, count, one, is);
    for (int n = 0; n < count; n++)
        if (memcmp((char *)is + (size_t)n * size, (char *)should + (size_t)n * size, size) != 0)
            fail_msg("%s on %s: wrong for x %d, y %d, of %d from %d on", text, engine,
                     first[from + n], second[one ? from : from + n], count, from);
}

/* A day has a third of the engines for each text, TOSAJIT_THIN=1 all. */
static void has_the_bits(const char *text) {
    enum { LONGEST = 70, ROWS = 4, STANDARD_THINNING = 3 };
    static uint64_t texts;
    texts++;
    for (int one = 0; one < 2; one++) {
        tosajit_expr *expr =
            test_parse(one ? "x: i8[?], y: i8[1]\n" : "x: i8[?], y: i8[?]\n", text);
        tosajit_kernel *oracle = test_compile(test_engines[0].engine, expr);
        for (size_t e = 1; e < test_engine_count; e++) {
            if (!test_is_drawn(texts + e, STANDARD_THINNING)) continue;
            tosajit_kernel *kernel = test_compile(test_engines[e].engine, expr);
            if (!one) compare(oracle, kernel, test_engines[e].name, text, 0, COUNT, false);
            for (int count = 1; count <= LONGEST; count++)
                compare(oracle, kernel, test_engines[e].name, text, count * 911, count, one);
            for (int row = 0; one && row < ROWS; row++)
                compare(oracle, kernel, test_engines[e].name, text, row * 77 * SIDE, SIDE, true);
            tosajit_kernel_release(kernel);
        }
        tosajit_kernel_release(oracle);
        tosajit_expr_destroy(expr);
    }
}

/* Scales and zero points by chance; every third sum keeps too few bits between to be affine. */
static void sums_have_the_bits(void **state) {
    enum { SUMS = 12 };
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    for (int k = 0; k < SUMS; k++) {
        char text[600];
        write_sum(&random, k % 3 == 2 ? 4 + k : 20, k % 3 + 1, text, sizeof text);
        has_the_bits(text);
    }
}

/* Expressions that are nearly such a sum. */
static void others_have_the_bits(void **state) {
    static const char a[] =
        "a = rescale(x, multiplier=1173741824, shift=11, input_zp=-3, scale32=true, to=i32)\n";
    static const char b[] =
        "b = rescale(y, multiplier=1573741824, shift=12, input_zp=127, scale32=true, to=i32)\n";
    static const char *const ends[] = {
        /* between is needed as well: a term, the sum */
        "r = rescale(a + b, multiplier=1373741824, shift=50, scale32=true, to=i8)\ni32(r) + a",
        "s = a + b\nr = rescale(s, multiplier=1373741824, shift=50, scale32=true, to=i8)\n"
        "i32(r) ^ s",
        /* ops around it: of bytes, of terms */
        "c = rescale(clamp(y, min=-20, max=90), multiplier=1073741824, shift=11, scale32=true, "
        "to=i32)\n"
        "clamp(rescale(a - c, multiplier=1373741824, shift=49, scale32=true, to=i8), min=-9, "
        "max=80)",
        "rescale((a + 3000) + b, multiplier=1373741824, shift=50, scale32=true, to=i8)",
        "rescale(a + max(b, 0), multiplier=1373741824, shift=50, scale32=true, to=i8)",
        "rescale(a * 3 - i32(y), multiplier=1373741824, shift=50, scale32=true, to=i8)",
        /* a sum that may wrap; results that never change; a falling term; one term that is none */
        "rescale(a * 2000 + b * 2000, multiplier=1373741824, shift=60, scale32=true, to=i8)",
        "rescale(a + b, multiplier=1, shift=62, output_zp=9, scale32=true, to=i8)",
        "rescale(a + b * -2, multiplier=1373741824, shift=50, scale32=true, to=i8)",
        "rescale(a + (b & 0), multiplier=1373741824, shift=49, scale32=true, to=i8)",
        "rescale(a + b * 0, multiplier=1373741824, shift=49, scale32=true, to=i8)",
        /* an affine pair's result in another one */
        "r = rescale(a + b, multiplier=1373741824, shift=50, scale32=true, to=i8)\n"
        "c = rescale(r, multiplier=1073741824, shift=11, scale32=true, to=i32)\n"
        "rescale(c - b, multiplier=1373741824, shift=50, scale32=true, to=i8)",
    };
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        char text[800];
        /* what nobody needs would be a result */
        snprintf(text, sizeof text, "%s%s%s", a, strchr(ends[k], 'b') ? b : "", ends[k]);
        has_the_bits(text);
    }
}

/* That code for x86 multiplies pairs of bytes, which nothing else does. */
static void sums_of_models_are_affine(void **state) {
    enum { SUMS = 40, LEAST = 36 };
    const tosajit_engine_options options = {
        .size = sizeof options, .cpu = "x86-64-v3", .backend = TOSAJIT_BACKEND_CROSS};
    test_random random = test_random_start(1);
    tosajit_engine *engine;
    int planes = 0;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    for (int k = 0; k < SUMS; k++) {
        char text[600], *code;
        write_sum(&random, 20, 0.5, text, sizeof text);
        tosajit_expr *expr = test_parse("x: i8[?], y: i8[?]\n", text);
        if (tosajit_print(engine, expr, TOSAJIT_VIEW_ASM, &code))
            fail_msg("%s", tosajit_last_error());
        planes += strstr(code, "vpmaddubsw") != NULL;
        tosajit_text_release(code);
        tosajit_expr_destroy(expr);
    }
    tosajit_engine_destroy(engine);
    print_message("%d of %d sums are affine\n", planes, (int)SUMS);
    assert_in_range(planes, LEAST, SUMS);
}

static int setup(void **state) {
    for (int n = 0; n < COUNT; n++) {
        first[n] = (int8_t)(n % SIDE - SIDE / 2);
        second[n] = (int8_t)(n / SIDE - SIDE / 2);
    }
    return test_setup_exact(state);
}

int main(void) {
    return TEST_RUN(setup, test_teardown, TEST(sums_have_the_bits), TEST(others_have_the_bits),
                    TEST(sums_of_models_are_affine));
}
