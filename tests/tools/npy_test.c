/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* .npy files: every type there and back, every lie that a header can tell, and headers with random
 * damage. */
#define _XOPEN_SOURCE 700
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tools/data/array.h"
#include "tools/data/npy.h"
#include "tools/data/output_name.h"

static char directory[] = "/tmp/tosajit_npy_XXXXXX";
static char path[64];

static int make_directory(void **state) {
    if (!mkdtemp(directory)) return -1;
    snprintf(path, sizeof path, "%s/a.npy", directory);
    return 0;
}

static int remove_directory(void **state) {
    remove(path);
    return rmdir(directory); /* fails if a temporary file was left */
}

static void write_bytes(const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A file of this version, header and data. Returns its size. */
static size_t build(unsigned char version, const char *header, const void *data, size_t data_size,
                    unsigned char *bytes) {
    size_t length = strlen(header), used = version == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = version;
    bytes[7] = 0;
    for (size_t k = 8; k < used; k++) bytes[k] = (unsigned char)(length >> 8 * (k - 8));
    memcpy(bytes + used, header, length);
    if (data_size > 0) memcpy(bytes + used + length, data, data_size);
    return used + length + data_size;
}

static void write_file(unsigned char version, const char *header, const void *data,
                       size_t data_size) {
    unsigned char bytes[4096];
    write_bytes(bytes, build(version, header, data, data_size, bytes));
}

/* ---------------------------------------------------------------------------------------------
 */

static void written_arrays_read_back_in_every_type(void **state) {
    static const int64_t dims[] = {2, 3};
    static const unsigned char data[6 * 8] = {1, 0, 1, 1, 0, 1}; /* legal in every type */
    for (int t = 0; t < TOSAJIT_TYPE_COUNT; t++) {
        tosajit_type type = (tosajit_type)t;
        output_file pending;
        npy_error error;
        npy_array array;
        assert_true(npy_write(path, type, 2, dims, data, &pending, &error));
        assert_true(npy_commit(path, &pending, &error));
        assert_true(npy_read(path, type, &array, &error));
        assert_int_equal(array.rank, 2);
        assert_int_equal(array.dims[0], 2);
        assert_int_equal(array.dims[1], 3);
        assert_int_equal(array.strides[1], tosajit_type_size(type));
        assert_memory_equal(array.data, data, 6 * tosajit_type_size(type));
        npy_release(&array);
    }
}

static void ranks_0_1_and_16_read_back(void **state) {
    static const int64_t dims[TOSAJIT_MAX_RANK] = {1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
    static const int32_t ranks[] = {0, 1, TOSAJIT_MAX_RANK};
    static const int32_t data[4] = {1, 2, 3, 4};
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
        output_file pending;
        npy_error error;
        npy_array array;
        assert_true(npy_write(path, TOSAJIT_I32, ranks[k], dims, data, &pending, &error));
        assert_true(npy_commit(path, &pending, &error));
        assert_true(npy_read(path, TOSAJIT_I32, &array, &error));
        assert_int_equal(array.rank, ranks[k]);
        assert_memory_equal(array.dims, dims, (size_t)ranks[k] * sizeof *dims);
        npy_release(&array);
    }
}

static void an_aborted_write_leaves_the_old_file(void **state) {
    static const int64_t dims[] = {1};
    static const int32_t data[1] = {7};
    output_file pending;
    npy_error error;
    struct stat status;
    write_bytes("old", 3);
    assert_true(npy_write(path, TOSAJIT_I32, 1, dims, data, &pending, &error));
    output_file_abort(&pending);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 3);
    assert_false(npy_write("/dev/null/a.npy", TOSAJIT_I32, 1, dims, data, &pending, &error));
    assert_non_null(strstr(error.text, "/dev/null/a.npy: cannot write"));
}

static void fortran_order_becomes_strides(void **state) {
    static const int32_t data[6] = {0, 1, 2, 3, 4, 5};
    npy_array array;
    npy_error error;
    write_file(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }\n", data,
               sizeof data);
    assert_true(npy_read(path, TOSAJIT_I32, &array, &error));
    assert_int_equal(array.strides[0], 4);
    assert_int_equal(array.strides[1], 8);
    npy_release(&array);
}

static void empty_arrays_are_arrays(void **state) {
    npy_array array;
    npy_error error;
    write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0, 2), }\n", NULL, 0);
    assert_true(npy_read(path, TOSAJIT_F32, &array, &error));
    assert_int_equal(array_count(&array), 0);
    assert_non_null(array.data);
    npy_release(&array);
    static const char *const huge[] = {"0, 9223372036854775807, 9223372036854775807",
                                       "9223372036854775807, 9223372036854775807, 0"};
    for (size_t k = 0; k < 2; k++) {
        char text[160];
        snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }\n",
                 huge[k]);
        write_file(1, text, NULL, 0);
        if (!npy_read(path, TOSAJIT_F32, &array, &error)) fail_msg("%s: %s", text, error.text);
        assert_int_equal(array_count(&array), 0);
        output_file pending;
        assert_true(
            npy_write(path, TOSAJIT_F32, array.rank, array.dims, array.data, &pending, &error));
        assert_true(npy_commit(path, &pending, &error));
        npy_release(&array);
        assert_true(npy_read(path, TOSAJIT_F32, &array, &error));
        npy_release(&array);
    }
}

static void replacing_keeps_the_mode_of_a_file(void **state) {
    static const int64_t dims[] = {1};
    static const int32_t data[1] = {7};
    static const mode_t modes[] = {0600, 0640, 0755};
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        output_file pending;
        npy_error error;
        struct stat status;
        write_bytes("old", 3);
        assert_int_equal(chmod(path, modes[k]), 0);
        assert_true(npy_write(path, TOSAJIT_I32, 1, dims, data, &pending, &error));
        assert_true(npy_commit(path, &pending, &error));
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, modes[k]);
    }
}

static void targets_are_the_same_however_they_are_spelled(void **state) {
    char dotted[80], link[80], missing[80];
    snprintf(dotted, sizeof dotted, "%s/./a.npy", directory);
    snprintf(missing, sizeof missing, "%s/b.npy", directory);
    snprintf(link, sizeof link, "%s/link", directory);
    remove(path);
    assert_int_equal(symlink("a.npy", link), 0);
    for (int exists = 0; exists < 2; exists++) {
        if (exists) write_bytes("old", 3);
        assert_true(output_name_same(path, path));
        assert_true(output_name_same(path, dotted));
        assert_true(output_name_same(link, dotted));
        assert_false(output_name_same(path, missing));
        assert_false(output_name_same(missing, link));
    }
    assert_int_equal(remove(link), 0);
}

/* Headers that other writers produce and NumPy accepts. */
static void unusual_headers_are_read(void **state) {
    static const struct {
        unsigned char version;
        tosajit_type type;
        const char *header;
    } cases[] = {
        {1, TOSAJIT_I32, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }\n"},
        {2, TOSAJIT_I32, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }\n"},
        {3, TOSAJIT_I32, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }\n"},
        {1, TOSAJIT_I32, "{\"shape\":(1,),\"descr\":\"=i4\",\"fortran_order\":True}"},
        {1, TOSAJIT_I32, "{'descr': '<i4', 'fortran_order': False, 'shape': (1L, 1), }   \n"},
        {1, TOSAJIT_F32, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n"},
        {1, TOSAJIT_I8, "{'descr': '<i1', 'fortran_order': False, 'shape': (4,), }\n"},
        {1, TOSAJIT_BF16, "{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }\n"},
        {1, TOSAJIT_BF16, "{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }\n"},
        {1, TOSAJIT_F8E4M3FN, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }\n"},
        {1, TOSAJIT_F8E5M2, "{'descr': '|V1', 'fortran_order': False, 'shape': (2, 2), }\n"},
        {1, TOSAJIT_F8E5M2, "{'descr': '<f1', 'fortran_order': False, 'shape': (2, 2), }\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        npy_array array;
        npy_error error = {""};
        write_file(cases[k].version, cases[k].header, "\1\2\3\4", 4);
        if (!npy_read(path, cases[k].type, &array, &error))
            fail_msg("%s refused: %s", cases[k].header, error.text);
        npy_release(&array);
    }
}

static void false_headers_are_refused(void **state) {
    static const struct {
        unsigned char version;
        tosajit_type type;
        size_t data_size;
        const char *header, *message;
    } cases[] = {
        {1, TOSAJIT_F32, 0, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
         "the file ends after 0 bytes of data, 4 expected"},
        {1, TOSAJIT_F32, 8, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
         "goes on after the 4 bytes"},
        {1, TOSAJIT_F32, 8, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
         "'<f8' found, '<f4' (float32) expected for f32"},
        {1, TOSAJIT_F32, 4, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }",
         "big-endian"},
        {1, TOSAJIT_BF16, 2, "{'descr': '>u2', 'fortran_order': False, 'shape': (1,), }",
         "big-endian"},
        {1, TOSAJIT_F32, 4, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }",
         "'<i4' found"},
        {1, TOSAJIT_I8, 4, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }",
         "'|u1' found"},
        {1, TOSAJIT_F32, 4, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
         "'|O' found"},
        {1, TOSAJIT_F32, 4, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
         "structured"},
        {1, TOSAJIT_F32, 4,
         "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4), }",
         "more than 2^63 - 1 bytes"},
        {1, TOSAJIT_F32, 4,
         "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
         "more than 2^63 - 1 bytes"},
        {1, TOSAJIT_F32, 4,
         "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,), }",
         "beyond 2^63 - 1"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
         "the file ends after 4 bytes of data"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
         "tuple of sizes"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4', 'fortran_order': False, 'shape': (1), }",
         "must be a tuple"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1), }",
         "',' or ')' expected"},
        {1, TOSAJIT_F32, 4,
         "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }",
         "16 dimensions"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }",
         "True or False"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4', 'shape': (1,), }", "'fortran_order' is missing"},
        {1, TOSAJIT_F32, 4,
         "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
         "'descr' appears twice"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
         "unknown key 'x'"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x",
         "text after"},
        {1, TOSAJIT_F32, 4, "{'descr': '<f4\\x00', 'fortran_order': False, 'shape': (1,), }",
         "descr must be a string"},
        {1, TOSAJIT_F32, 4, "", "'{' expected"},
        {0, TOSAJIT_F32, 4, "{}", "format version 0.0"},
        {4, TOSAJIT_F32, 4, "{}", "format version 4.0"},
        {1, TOSAJIT_I48, 8, "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }",
         "does not fit into i48"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static const char data[8] = {1, 1, 1, 1, 1, 1, 1, 1};
        npy_array array;
        npy_error error = {""};
        write_file(cases[k].version, cases[k].header, data, cases[k].data_size);
        assert_false(npy_read(path, cases[k].type, &array, &error));
        assert_null(array.data);
        if (!strstr(error.text, cases[k].message))
            fail_msg("%s\nsaid: %s\nexpected: %s", cases[k].header, error.text, cases[k].message);
    }
}

static void files_that_end_anywhere_are_refused(void **state) {
    unsigned char bytes[512];
    for (unsigned char version = 1; version <= 3; version++) {
        size_t size = build(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n",
                            "\0\0\0\0", 4, bytes);
        for (size_t end = 0; end < size; end++) {
            npy_array array;
            npy_error error;
            write_bytes(bytes, end);
            assert_false(npy_read(path, TOSAJIT_F32, &array, &error));
        }
    }
}

static void no_npy_file_is_refused(void **state) {
    npy_array array;
    npy_error error;
    write_bytes("PK\3\4 a zip", 10);
    assert_false(npy_read(path, TOSAJIT_F32, &array, &error));
    assert_non_null(strstr(error.text, "not a .npy file"));
    write_bytes("\x93NUMPY\2\0\xff\xff\xff\xff", 12);
    assert_false(npy_read(path, TOSAJIT_F32, &array, &error));
    assert_non_null(strstr(error.text, "header of 4294967295 bytes"));
    assert_false(npy_read("/nonexistent.npy", TOSAJIT_F32, &array, &error));
    assert_false(npy_read("/tmp", TOSAJIT_F32, &array, &error));
}

/* xorshift, so that a seed repeats a failure everywhere. */
static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void damaged_headers_never_crash(void **state) {
    static const char letters[] = "0123456789'\"{}()[],: \n\\<>|=bifuVL-TFx";
    uint64_t seed = 1;
    for (int round = 0; round < 5000; round++) {
        unsigned char bytes[512];
        unsigned char version = (unsigned char)(1 + next_random(&seed) % 3);
        size_t size =
            build(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }  \n",
                  "\0\0\0\0", 4, bytes);
        for (uint64_t changes = 1 + next_random(&seed) % 4; changes > 0; changes--) {
            bool letter = next_random(&seed) % 4 != 0;
            uint64_t any = next_random(&seed);
            bytes[next_random(&seed) % size] =
                letter ? (unsigned char)letters[any % (sizeof letters - 1)] : (unsigned char)any;
        }
        npy_array array;
        npy_error error = {""};
        write_bytes(bytes, size);
        if (npy_read(path, TOSAJIT_F32, &array, &error))
            assert_true(array_count(&array) * 4 <= (int64_t)size);
        else
            assert_true(strlen(error.text) > 0 && array.data == NULL);
        npy_release(&array);
    }
}

int main(void) {
    return TEST_RUN(make_directory, remove_directory, TEST(written_arrays_read_back_in_every_type),
                    TEST(ranks_0_1_and_16_read_back), TEST(an_aborted_write_leaves_the_old_file),
                    TEST(fortran_order_becomes_strides), TEST(empty_arrays_are_arrays),
                    TEST(unusual_headers_are_read), TEST(false_headers_are_refused),
                    TEST(files_that_end_anywhere_are_refused), TEST(no_npy_file_is_refused),
                    TEST(damaged_headers_never_crash), TEST(replacing_keeps_the_mode_of_a_file),
                    TEST(targets_are_the_same_however_they_are_spelled));
}
