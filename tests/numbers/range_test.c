/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chains of integers, of which the compiler knows between which numbers their values lie, have the
 * bits that they had, by every engine. Oracle: the interpreter, which knows nothing of ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"

enum { SIDE = 256, COUNT = SIDE * SIDE };

/* x and y are all pairs of i8, z is an i32 of any size. What is between them and the result has its
 * ends where the next op takes another way: limits of 8, 15, 16, 31 and 32 bits. */
static const char *const texts[] = {
    /* a residual sum, as models have it, rounded once and twice */
    "a = rescale(x, multiplier=1173741824, shift=11, input_zp=-3, scale32=true, to=i32)\n"
    "b = rescale(y, multiplier=1573741824, shift=12, input_zp=127, scale32=true, to=i32)\n"
    "rescale(a + b, multiplier=1373741824, shift=50, output_zp=-5, scale32=true, to=i8)",
    "a = rescale(x, multiplier=1073741824, shift=10, input_zp=-128, scale32=true, to=i32)\n"
    "b = rescale(y, multiplier=2147483647, shift=11, input_zp=7, scale32=true, to=i32)\n"
    "rescale(a - b, multiplier=1073741825, shift=49, scale32=true, rounding_mode=DOUBLE_ROUND, "
    "to=i8)",
    /* the same in 16 bits between */
    "a = rescale(x, multiplier=19661, shift=8, to=i16)\n"
    "clamp(rescale(a, multiplier=32767, shift=22, output_zp=127, to=i8), min=-5, max=120)",
    /* values that fit by a bit, and that do not */
    "rescale(max(min(z, 32767), -32768), multiplier=2147483647, shift=17, scale32=true, to=i32)",
    "rescale(max(min(z, 32768), -32768), multiplier=2147483647, shift=17, scale32=true, to=i32)",
    "rescale(max(min(z, 32767), -32768), multiplier=2147483647, shift=16, scale32=true, to=i32)",
    "rescale(max(min(z, 32767), -32768), multiplier=2147483647, shift=14, scale32=true, to=i32)",
    "rescale(max(min(z, 32767), -32768), multiplier=2147483647, shift=46, scale32=true, "
    "rounding_mode=DOUBLE_ROUND, to=i16)",
    "rescale(max(min(z, 1), -1), multiplier=1073741824, shift=30, scale32=true, to=i32)",
    "rescale(max(min(z, 2), -1), multiplier=1073741824, shift=30, scale32=true, to=i32)",
    "rescale(max(min(z, 536870911), -536870912), multiplier=2147483647, shift=31, scale32=true, "
    "to=i32)",
    "rescale(max(min(z, 536870912), -536870912), multiplier=2147483647, shift=31, scale32=true, "
    "to=i32)",
    "rescale(max(min(z, -9), 7), multiplier=2147483647, shift=3, scale32=true, to=i32)",
    /* sums and products that wrap, and those that cannot */
    "rescale(z + z, multiplier=1073741824, shift=33, scale32=true, to=i8)",
    "rescale(z - i32(x), multiplier=1073741824, shift=40, scale32=true, to=i16)",
    "rescale(i32(x) * i32(y), multiplier=2147483647, shift=38, scale32=true, to=i8)",
    "rescale((x * y) * (x * y), multiplier=1273741824, shift=53, scale32=true, to=i8)",
    "rescale(max(min(z, 2147483520), -2147483647) + i32(x), multiplier=1073741824, shift=55, "
    "scale32=true, rounding_mode=DOUBLE_ROUND, to=i8)",
    "rescale(where(i32(x) > i32(y), i32(x), max(z, 2147483000)), multiplier=1073741824, shift=54, "
    "scale32=true, to=i8)",
    /* unsigned operands and results */
    "rescale(x, multiplier=1173741824, shift=30, input_unsigned=true, input_zp=-1, scale32=true, "
    "to=i8)",
    "rescale(i32(x), multiplier=1173741824, shift=31, scale32=true, to=i8)",
    "a = rescale(x, multiplier=32767, shift=12, output_unsigned=true, output_zp=-128, to=i8)\n"
    "rescale(a, multiplier=1173741824, shift=20, input_zp=-128, scale32=true, to=i32)",
};

static int8_t first[COUNT], second[COUNT];
static int32_t third[COUNT];

static tosajit_kernel *compile(tosajit_engine *engine, const char *text) {
    static const char types[] = "x: i8[?], y: i8[?], z: i32[?]\n";
    char whole[800];
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    snprintf(whole, sizeof whole, "%s%s", types, text);
    if (tosajit_expr_parse(whole, strlen(whole), NULL, &expr))
        fail_msg("%s: %s", whole, tosajit_last_error());
    if (tosajit_compile_expr(engine, expr, &kernel)) fail_msg("%s", tosajit_last_error());
    tosajit_expr_destroy(expr);
    return kernel;
}

static tosajit_type run(const tosajit_kernel *kernel, void *r) {
    const int64_t size = COUNT;
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_I8, first, 1, &size),
                                       tosajit_dense(TOSAJIT_I8, second, 1, &size),
                                       tosajit_dense(TOSAJIT_I32, third, 1, &size)};
    const tosajit_type type = tosajit_kernel_result_type(kernel, 0).element;
    const tosajit_tensor result = tosajit_dense(type, r, 1, &size);
    if (tosajit_run(kernel, operands, 3, &result, 1)) fail_msg("%s", tosajit_last_error());
    return type;
}

static void chains_have_the_bits(void **state) {
    (void)state;
    static int32_t should[COUNT], is[COUNT];
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        tosajit_kernel *oracle = compile(test_engines[0].engine, texts[k]);
        const size_t size = tosajit_type_size(run(oracle, should));
        for (size_t e = 1; e < test_engine_count; e++) {
            tosajit_kernel *kernel = compile(test_engines[e].engine, texts[k]);
            run(kernel, is);
            for (size_t n = 0; n < COUNT; n++)
                if (memcmp((char *)is + n * size, (char *)should + n * size, size) != 0)
                    fail_msg("%s on %s: wrong for x %d, y %d, z %d", texts[k], test_engines[e].name,
                             first[n], second[n], (int)third[n]);
            tosajit_kernel_release(kernel);
        }
        tosajit_kernel_release(oracle);
    }
}

/* All pairs; small numbers, numbers about powers of two, and any. */
static int setup(void **state) {
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    for (int n = 0; n < COUNT; n++) {
        const uint32_t power = UINT32_C(1) << test_random_range(&random, 0, 31);
        const uint32_t bits = n % 4 == 0   ? (uint32_t)(n / 4 - COUNT / 8)
                              : n % 4 == 1 ? power + (uint32_t)test_random_range(&random, -2, 2)
                              : n % 4 == 2 ? 0 - power - (uint32_t)test_random_range(&random, -2, 2)
                                           : (uint32_t)test_random_next(&random);
        first[n] = (int8_t)(n % SIDE - SIDE / 2);
        second[n] = (int8_t)(n / SIDE - SIDE / 2);
        memcpy(&third[n], &bits, sizeof bits);
    }
    return test_setup_exact(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_have_the_bits)};
    return cmocka_run_group_tests(tests, setup, test_teardown);
}
