/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of --check and --print: elements as text, the distance of two floats, and the rules
 * of comparison. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "runtime/system/system.h"
#include "tests/support/cmocka.h"
#include "tools/data/array.h"
#include "tools/data/compare.h"
#include "tools/data/element.h"

static void elements_print_as_numbers(void **state) {
    static const struct {
        tosajit_type type;
        uint64_t bits;
        const char *text;
    } cases[] = {
        {TOSAJIT_I1, 0, "False"},
        {TOSAJIT_I1, 1, "True"},
        {TOSAJIT_I1, 200, "True"},
        {TOSAJIT_I8, 0x80, "-128"},
        {TOSAJIT_I16, 0xffff, "-1"},
        {TOSAJIT_I32, 0x80000000, "-2147483648"},
        {TOSAJIT_I48, UINT64_C(0xffff800000000000), "-140737488355328"},
        {TOSAJIT_I64, UINT64_C(0x8000000000000000), "-9223372036854775808"},
        {TOSAJIT_F32, 0x3dcccccd, "0.1"},
        {TOSAJIT_F32, 0x3f800001, "1.0000001"},
        {TOSAJIT_F32, 0x80000000, "-0"},
        {TOSAJIT_F32, 0x00000001, "1e-45"},
        {TOSAJIT_F32, 0xff800000, "-inf"},
        {TOSAJIT_F32, 0xffc00000, "nan"},
        {TOSAJIT_F16, 0x3c00, "1"},
        {TOSAJIT_F16, 0x0001, "5.9605e-08"},
        {TOSAJIT_F16, 0x7c00, "inf"},
        {TOSAJIT_F16, 0x7bff, "65504"},
        {TOSAJIT_BF16, 0x4049, "3.141"},
        {TOSAJIT_F8E4M3FN, 0x7e, "448"},
        {TOSAJIT_F8E4M3FN, 0x7f, "nan"},
        {TOSAJIT_F8E4M3FN, 0x08, "0.0156"},
        {TOSAJIT_F8E5M2, 0x7b, "57344"},
        {TOSAJIT_F32, 0x41200000, "10"},
        {TOSAJIT_F32, 0xc2c80000, "-100"},
        {TOSAJIT_F32, 0x447a0000, "1000"},
        {TOSAJIT_F32, 0x3a83126f, "0.001"},
        {TOSAJIT_F32, 0x38d1b717, "0.0001"},
        {TOSAJIT_F32, 0x38d1b716, "9.999999e-05"},
        {TOSAJIT_F32, 0x4b800000, "16777216"},
        {TOSAJIT_F32, 0x4e6e6b27, "999999936"},
        {TOSAJIT_F32, 0x4e6e6b28, "1e+09"},
        {TOSAJIT_F32, 0x00000000, "0"},
        {TOSAJIT_F64, UINT64_C(0x405edd2f1a9fbe77), "123.456"},
        {TOSAJIT_F64, UINT64_C(0x41cdcd64ff800000), "999999999"},
        {TOSAJIT_F8E5M2, 0xfc, "-inf"},
        {TOSAJIT_F8E5M2, 0x7d, "nan"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_string_equal(element_print(cases[k].type, &cases[k].bits).text, cases[k].text);
    }
}

static void only_nan_equals_other_bits(void **state) {
    /*                              equal       NaNs        1 ulp       zeros */
    static const uint32_t a[] = {0x3f800000, 0x7fc00000, 0x3f800000, 0x80000000};
    static const uint32_t b[] = {0x3f800000, 0xffc00000, 0x3f800001, 0x00000000};
    const comparison floats = compare_elements(TOSAJIT_F32, a, b, 4),
                     integers = compare_elements(TOSAJIT_I32, a, b, 4),
                     equal = compare_elements(TOSAJIT_F32, a, b, 2);
    assert_int_equal(floats.different, 2);
    assert_int_equal(floats.first, 2);
    assert_int_equal(integers.different, 3);
    assert_int_equal(integers.first, 1);
    assert_int_equal(equal.different, 0);
    assert_int_equal(equal.first, -1);
}

static void a_difference_is_told_in_hex_with_its_index(void **state) {
    static const int64_t dims[] = {2, 3};
    static const uint32_t a[6] = {0, 0, 0, 0, 0, 0x3f800000}, b[6] = {0, 0, 0, 0, 0, 0x3f800001};
    char text[256];
    assert_string_equal(compare_describe(TOSAJIT_F32, 2, dims, a, b, 5, text, sizeof text),
                        "[1, 2]: kernel 0x3f800000 (1), interpreter 0x3f800001 (1.0000001)");
    assert_string_equal(compare_describe(TOSAJIT_F32, 0, dims, a, b, 0, text, sizeof text),
                        "[]: kernel 0x00000000 (0), interpreter 0x00000000 (0)");
    char tiny[8];
    compare_describe(TOSAJIT_F32, 2, dims, a, b, 5, tiny, sizeof tiny);
    assert_int_equal(strlen(tiny), 7);
}

static void names_of_others_are_escaped(void **state) {
    static const struct {
        size_t length;
        const char *bytes, *text;
    } cases[] = {
        {5, "gelu1", "gelu1"},
        {3, "f\0g", "f\\00g"},
        {4, "f\\00", "f\\5C00"},
        {4, "\33[2J", "\\1B[2J"},
        {3, "\t\n\177", "\\09\\0A\\7F"},
        {5, "\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac"}, /* a umlaut, euro */
        {4, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {2, "\xc2\x9b", "\\C2\\9B"},         /* a control character in two bytes */
        {1, "\x9b", "\\9B"},                 /* and in one */
        {2, "\xc0\x80", "\\C0\\80"},         /* overlong */
        {3, "\xe0\x82\x9b", "\\E0\\82\\9B"}, /* overlong */
        {3, "\xed\xa0\x80", "\\ED\\A0\\80"}, /* a surrogate */
        {2, "\xe2\x82", "\\E2\\82"},         /* cut */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[64];
        escape_name(cases[k].bytes, cases[k].length, text, sizeof text);
        assert_string_equal(text, cases[k].text);
    }
    char tiny[4], message[64];
    escape_name("abc\33", 4, tiny, sizeof tiny);
    assert_string_equal(tiny, "abc");
    escape_message("a\\b\33\nc", message, sizeof message);
    assert_string_equal(message, "a\\b\\1B\n    c");
}

/* ---------------------------------------------------------------------------------------------
 */

static char *print_values(int32_t rank, const int64_t *dims) {
    npy_array array;
    char *text = NULL;
    size_t size;
    assert_true(array_make(TOSAJIT_I32, rank, dims, &array));
    for (int64_t k = 0; k < array_count(&array); k++) ((int32_t *)array.data)[k] = (int32_t)k;
    FILE *out = system_text_open(&text, &size);
    assert_non_null(out);
    array_print_values(out, &array);
    assert_true(system_text_close(out));
    npy_release(&array);
    return text;
}

static void arrays_print_as_numpy_prints_them(void **state) {
    static const struct {
        int32_t rank;
        int64_t dims[3];
        const char *text;
    } cases[] = {
        {0, {0}, "0\n"},
        {1, {3}, "[0 1 2]\n"},
        {1, {0}, "[]\n"},
        {2, {2, 2}, "[[0 1]\n [2 3]]\n"},
        {3, {2, 1, 2}, "[[[0 1]]\n\n [[2 3]]]\n"},
        {1,
         {30},
         "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24\n 25 26 27 "
         "28 29]\n"},
        {1, {2000}, "[   0    1    2 ... 1997 1998 1999]\n"},
        {2,
         {2, 1000},
         "[[   0    1    2 ...  997  998  999]\n [1000 1001 1002 ... 1997 1998 1999]]\n"},
        {2,
         {1000, 2},
         "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [1994 1995]\n [1996 1997]\n [1998 "
         "1999]]\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = print_values(cases[k].rank, cases[k].dims);
        assert_string_equal(text, cases[k].text);
        free(text);
    }
}

static void sizes_that_no_memory_has_are_refused(void **state) {
    static const int64_t dims[] = {INT64_MAX, 2};
    npy_array array;
    assert_false(array_make(TOSAJIT_I8, 2, dims, &array));
    static const int64_t empty[] = {INT64_MAX, INT64_MAX, 0};
    assert_true(array_make(TOSAJIT_I8, 3, empty, &array));
    assert_int_equal(array_count(&array), 0);
    npy_release(&array);
}

int main(void) {
    return TEST_RUN(
        NULL, NULL, TEST(elements_print_as_numbers), TEST(only_nan_equals_other_bits),
        TEST(names_of_others_are_escaped), TEST(a_difference_is_told_in_hex_with_its_index),
        TEST(arrays_print_as_numpy_prints_them), TEST(sizes_that_no_memory_has_are_refused));
}
