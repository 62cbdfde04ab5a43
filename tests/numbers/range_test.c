/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chains of integers, of which the compiler knows between which numbers their values lie, have the
 * bits that they had, by every engine. Oracle: the interpreter, which knows nothing of ranges. */
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

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
    /* bytes by way of f32, which is never NaN then, and within 8 bits or not */
    "i8(clip(f32(x) * 0.0173 + f32(y) * 0.0291, -128, 127))",
    "i8(f32(x) * 0.5 + f32(y) * 1.5)",
    "i8(round((f32(x) + 3) * 0.0173 + (f32(y) - 7) * 0.0291) + 5)",
    "u8(round((f32(x) + 3) * 0.5 / 0.75 - f32(y)) + 128)",
    "i32(i8(f32(x) * 0.25)) - i32(i8(f32(y) + 0.5))",
    "u8(abs(f32(x)) + max(f32(y), 0.5))",
    "i32(i16(f32(x) * f32(y) * 2.5)) - i32(i16(-f32(x)))",
    "u16(f32(x) * f32(y) * 4.5)",
    "i8(where(f32(x) > f32(y), floor(f32(x) / 3), clip(f32(y) * 0.5, -3, 99)))",
    "i8(f64(x) * 0.0173 + f64(y) * 0.0291)",
    "i32(f64(x) * 16777216.25)",
    /* about the limits beyond which x86 has no i32 */
    "i32(f32(x) * 8000000)",
    "i32(f32(x) * -16777216)",
    "i8(f32(z))",
    "u8(f32(z))",
    "i32(f32(z))",
    "i8(f32(z) * 16777216)",
    "u8(round(f32(z)) + 200)",
    "i8(round(f32(z) * 0.25) + 16384)",
    "i8(round(f32(z) * 0.25) + -16384)",
    /* quotients that are infinite or NaN, and sums of infinities */
    "i8(f32(x) / f32(y))",
    "u8(f32(x) / f32(y) + 3)",
    "i8(round(f32(x) / f32(y)) + 3)",
    "i8(round(f32(x) / f32(y)) + -128)",
    "u8(round(f32(x) / f32(y)) + 128)",
    "i8(clip(round(f32(x) / f32(y)) + 100, -128, 127))",
    "i32(f32(x) / f32(y))",
    "i16(f32(z) * 3e30 - f32(z) * 2e30)",
    "i8(max(f32(x) / f32(y), 3))",
    "i8(maximum(f32(x) / f32(y), 3, nan_mode=ignore))",
    "u8(clamp(f32(x) / f32(y), min=2, max=90, nan_mode=ignore))",
    "i8(clamp(tanh(f32(x) / f32(y)), min=-1000, max=5, nan_mode=ignore))",
    "i8(maximum(tanh(f32(x) / f32(y)), -1000, nan_mode=ignore))",
    "i8(maximum(f32(x) / f32(y), f32(z) * 3e30 - f32(z) * 2e30, nan_mode=ignore))",
};

static const char types[] = "x: i8[?], y: i8[?], z: i32[?]\n";
static int8_t first[COUNT], second[COUNT];
static int32_t third[COUNT];

static tosajit_kernel *compile(tosajit_engine *engine, const char *first_line, const char *text) {
    tosajit_expr *expr = test_parse(first_line, text);
    tosajit_kernel *kernel = test_compile(engine, expr);
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
    static int32_t should[COUNT], is[COUNT];
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        tosajit_kernel *oracle = compile(test_engines[0].engine, types, texts[k]);
        const size_t size = tosajit_type_size(run(oracle, should));
        for (size_t e = 1; e < test_engine_count; e++) {
            tosajit_kernel *kernel = compile(test_engines[e].engine, types, texts[k]);
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

/* A scale per channel, whose shifts differ, from all of i32 or i16 to 8 bits: what is between is
 * limited more than once. Rows of one channel to more than a step of any loop. */
static void write_channels(test_random *random, int channels, int kind, char *text, size_t size) {
    enum { MOST = 8 }; /* bits by which shifts differ */
    const bool is_short = kind % 4 > 1;
    const int least = kind % 3 == 0 ? 10 : kind % 3 == 1 ? 33 : 46;
    size_t at = (size_t)snprintf(text, size, "rescale(%s, multiplier=[", is_short ? "i16(z)" : "z");
    for (int k = 0; k < channels; k++)
        at += (size_t)snprintf(text + at, size - at, "%s%d", k ? "," : "",
                               (int)test_random_range(random, 1 << 30, INT32_MAX));
    at += (size_t)snprintf(text + at, size - at, "], shift=[");
    for (int k = 0; k < channels; k++)
        at += (size_t)snprintf(text + at, size - at, "%s%d", k ? "," : "",
                               least + (int)test_random_range(random, 0, MOST));
    snprintf(text + at, size - at,
             "], output_zp=%d, per_channel=true, scale32=true, %s%sto=i8) : i32[?,%d]",
             (int)test_random_range(random, INT8_MIN, INT8_MAX),
             kind % 2 ? "rounding_mode=DOUBLE_ROUND, " : "",
             is_short ? "output_unsigned=true, " : "", channels);
}

static void run_channels(const tosajit_kernel *kernel, int channels, int8_t *r) {
    const int64_t sizes[2] = {COUNT / 8 / channels, channels};
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_I32, third, 2, sizes),
                         result = tosajit_dense(TOSAJIT_I8, r, 2, sizes);
    if (tosajit_run(kernel, &operand, 1, &result, 1)) fail_msg("%s", tosajit_last_error());
}

static void channels_have_the_bits(void **state) {
    static int8_t should[COUNT], is[COUNT];
    static const int channels[] = {1, 3, 8, 16, 24, 31, 64, 65, 96, 130, 200, 256};
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    for (int k = 0; k < (int)(sizeof channels / sizeof *channels); k++) {
        char text[6000];
        write_channels(&random, channels[k], k, text, sizeof text);
        tosajit_kernel *oracle = compile(test_engines[0].engine, "", text);
        memset(should, 0, sizeof should);
        run_channels(oracle, channels[k], should);
        for (size_t e = 1; e < test_engine_count; e++) {
            tosajit_kernel *kernel = compile(test_engines[e].engine, "", text);
            memset(is, 0, sizeof is);
            run_channels(kernel, channels[k], is);
            for (int n = 0; n < COUNT; n++)
                if (is[n] != should[n])
                    fail_msg("%s on %s: %d instead of %d for z %d", text, test_engines[e].name,
                             is[n], should[n], (int)third[n]);
            tosajit_kernel_release(kernel);
        }
        tosajit_kernel_release(oracle);
    }
}

/* Planes of rows with scales that are the same in every row, where nothing may be collapsed: x is a
 * view, y is one number a plane, b one a channel. More rows than are computed between two steps of
 * columns, and not a multiple of them. */
enum { PLANES = 3, ROWS = 37, CHANNELS = 192, PADDED_ROWS = ROWS + 2, PADDED = CHANNELS + 5 };

static void run_planes(const tosajit_kernel *kernel, bool in_place, int8_t *r) {
    static int8_t bytes[PLANES * PADDED_ROWS * PADDED];
    const int64_t sizes[] = {PLANES, ROWS, CHANNELS}, column[] = {PLANES, 1, 1}, row[] = {CHANNELS},
                  strides[] = {PADDED_ROWS * PADDED, PADDED, 1};
    memcpy(bytes, second, sizeof bytes);
    const tosajit_tensor x = {TOSAJIT_I8, 3, bytes, sizes, strides},
                         operands[] = {x, tosajit_dense(TOSAJIT_I8, first + 99, 3, column),
                                       tosajit_dense(TOSAJIT_I32, third, 1, row)};
    const tosajit_tensor result = in_place ? x : tosajit_dense(TOSAJIT_I8, r, 3, sizes);
    if (tosajit_run(kernel, operands, 3, &result, 1)) fail_msg("%s", tosajit_last_error());
    for (int k = 0; in_place && k < PLANES * ROWS; k++)
        memcpy(r + k * CHANNELS, bytes + (k / ROWS * PADDED_ROWS + k % ROWS) * PADDED, CHANNELS);
    for (int k = 0; k < (int)sizeof bytes; k++)
        if (k % PADDED >= CHANNELS || k / PADDED % PADDED_ROWS >= ROWS)
            assert_int_equal(bytes[k], second[k]);
}

static void planes_have_the_bits(void **state) {
    static int8_t should[PLANES * ROWS * CHANNELS], is[PLANES * ROWS * CHANNELS];
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    char planes[80], text[6000], scales[5000], *end = NULL;
    write_channels(&random, CHANNELS, 1, scales, sizeof scales);
    if ((end = strstr(scales, " : "))) *end = 0;
    snprintf(planes, sizeof planes, "x: i8[?,?,%d], y: i8[?,1,1], b: i32[%d]\n", CHANNELS,
             CHANNELS);
    snprintf(text, sizeof text, "z = i32(x) * i32(y) * 999 + b\n%s", scales);
    tosajit_kernel *oracle = compile(test_engines[0].engine, planes, text);
    run_planes(oracle, false, should);
    for (size_t e = 1; e < test_engine_count; e++) {
        tosajit_kernel *kernel = compile(test_engines[e].engine, planes, text);
        for (int in_place = 0; in_place < 2; in_place++) {
            memset(is, 0, sizeof is);
            run_planes(kernel, in_place, is);
            for (int n = 0; n < (int)sizeof is; n++)
                if (is[n] != should[n])
                    fail_msg("%s, in place %d: %d instead of %d at %d", test_engines[e].name,
                             in_place, is[n], should[n], n);
        }
        tosajit_kernel_release(kernel);
    }
    tosajit_kernel_release(oracle);
}

/* Special cases that no text can say: a shift that each call gives, within limits; an i64 that is
 * read as unsigned; constants of 48 bits. */
typedef enum special { OPEN_SHIFT, UNSIGNED_64, CONSTANT_48 } special;
enum { LENGTH = 16 };

static tosajit_value constant(tosajit_expr *expr, tosajit_type element, int64_t size,
                              const void *data) {
    const tosajit_tensor_type type = tosajit_ranked(element, 1, &size);
    tosajit_value value;
    assert_int_equal(tosajit_expr_constant(expr, &type, data, &value), TOSAJIT_OK);
    return value;
}

static tosajit_value op(tosajit_expr *expr, tosajit_op kind, tosajit_value *x, size_t count,
                        tosajit_attributes attributes, tosajit_type element, int64_t size) {
    const tosajit_tensor_type type = tosajit_ranked(element, 1, &size);
    tosajit_value value;
    if (tosajit_expr_op(expr, kind, x, count, &attributes, &type, &value))
        fail_msg("%s", tosajit_last_error());
    return value;
}

static tosajit_value input(tosajit_expr *expr, tosajit_type element, int64_t size) {
    const tosajit_tensor_type type = tosajit_ranked(element, 1, &size);
    tosajit_value value;
    assert_int_equal(tosajit_expr_input(expr, &type, &value), TOSAJIT_OK);
    return value;
}

static tosajit_kernel *make_special(tosajit_engine *engine, special kind, int8_t low, int8_t high) {
    const int32_t multiplier = 12345, zero = 0;
    const int64_t none = 0;
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    int64_t numbers[LENGTH];
    for (int k = 0; k < LENGTH; k++) numbers[k] = k * 7 - 50;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    tosajit_value value = kind == CONSTANT_48 ? constant(expr, TOSAJIT_I48, LENGTH, numbers)
                                              : input(expr, TOSAJIT_I64, LENGTH);
    tosajit_value shift = input(expr, TOSAJIT_I8, 1);
    if (kind != CONSTANT_48)
        value =
            op(expr, TOSAJIT_OP_cast, &value, 1,
               (tosajit_attributes){.input_unsigned = kind == UNSIGNED_64}, TOSAJIT_I32, LENGTH);
    if (kind == OPEN_SHIFT)
        value = op(expr, TOSAJIT_OP_cast, &value, 1, (tosajit_attributes){0}, TOSAJIT_I8, LENGTH);
    if (kind == OPEN_SHIFT)
        shift = op(expr, TOSAJIT_OP_clamp, &shift, 1,
                   (tosajit_attributes){.min_val.i = low, .max_val.i = high}, TOSAJIT_I8, 1);
    else
        shift = constant(expr, TOSAJIT_I8, 1, &high);
    tosajit_value x[] = {value, constant(expr, TOSAJIT_I16, 1, &multiplier), shift,
                         kind == CONSTANT_48   ? constant(expr, TOSAJIT_I48, 1, &none)
                         : kind == UNSIGNED_64 ? constant(expr, TOSAJIT_I32, 1, &zero)
                                               : constant(expr, TOSAJIT_I8, 1, &zero),
                         constant(expr, TOSAJIT_I32, 1, &zero)};
    value = op(expr, TOSAJIT_OP_rescale, x, 5, (tosajit_attributes){0}, TOSAJIT_I32, LENGTH);
    assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
    if (tosajit_compile_expr(engine, expr, &kernel)) fail_msg("%s", tosajit_last_error());
    tosajit_expr_destroy(expr);
    return kernel;
}

static void run_special(const tosajit_kernel *kernel, special kind, int8_t shift, int32_t *r) {
    const int64_t size = LENGTH, one = 1;
    int64_t numbers[LENGTH];
    for (int k = 0; k < LENGTH; k++) numbers[k] = (k - 8) * INT64_C(0x100000001) * (1 << k);
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_I64, numbers, 1, &size)};
    operands[kind != CONSTANT_48] = tosajit_dense(TOSAJIT_I8, &shift, 1, &one);
    const tosajit_tensor result = tosajit_dense(TOSAJIT_I32, r, 1, &size);
    memset(r, 0xAA, LENGTH * sizeof *r);
    if (tosajit_run(kernel, operands, kind == CONSTANT_48 ? 1 : 2, &result, 1))
        fail_msg("%s", tosajit_last_error());
}

static void what_no_text_says_has_the_bits(void **state) {
    for (int kind = OPEN_SHIFT; kind <= CONSTANT_48; kind++)
        for (int8_t high = 2; high <= 40; high += 7)
            for (int8_t low = 0; low <= (kind == OPEN_SHIFT ? 3 : 0); low++) {
                if (kind == OPEN_SHIFT && low > high) continue;
                for (size_t e = 1; e < test_engine_count; e++) {
                    tosajit_kernel *oracle =
                        make_special(test_engines[0].engine, (special)kind, low, high);
                    tosajit_kernel *kernel =
                        make_special(test_engines[e].engine, (special)kind, low, high);
                    int32_t should[LENGTH], is[LENGTH];
                    run_special(oracle, (special)kind, (int8_t)(low + 1), should);
                    run_special(kernel, (special)kind, (int8_t)(low + 1), is);
                    if (memcmp(should, is, sizeof is) != 0)
                        fail_msg("case %d, shift %d to %d, on %s", kind, low, high,
                                 test_engines[e].name);
                    tosajit_kernel_release(oracle);
                    tosajit_kernel_release(kernel);
                }
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
    return TEST_RUN(setup, test_teardown, TEST(chains_have_the_bits), TEST(channels_have_the_bits),
                    TEST(planes_have_the_bits), TEST(what_no_text_says_has_the_bits));
}
