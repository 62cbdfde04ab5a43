/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that earlier versions of the library left behind. golden/format1.image to
 * golden/format6.image are images of a dynamic f32 add of rank 2 for x86-64-v2, as they were
 * written by the first library of each format; golden/earlier.kernel is the entry of a cache
 * directory from the time of format 1. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/cmocka.h"
#include "tests/support/scratch.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum { PATH_SIZE = 512, LARGEST = 8 << 10, ROWS = 3, COLUMNS = 7, ELEMENTS = ROWS * COLUMNS };

static const char earlier_entry[] = TOSAJIT_GOLDEN_DIRECTORY "/earlier.kernel";

static void check_sums(const tosajit_kernel *kernel) {
    float a[ELEMENTS], b[COLUMNS], r[ELEMENTS];
    for (int k = 0; k < ELEMENTS; k++) a[k] = (float)(k * 3 - 20);
    for (int k = 0; k < COLUMNS; k++) b[k] = (float)(100 - k * k);
    const int64_t full[2] = {ROWS, COLUMNS}, row[2] = {1, COLUMNS};
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_F32, a, 2, full),
                                       tosajit_dense(TOSAJIT_F32, b, 2, row)};
    const tosajit_tensor result = tosajit_dense(TOSAJIT_F32, r, 2, full);
    assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_OK);
    for (int k = 0; k < ELEMENTS; k++) assert_true(r[k] == a[k] + b[k % COLUMNS]);
}

static void images_of_an_earlier_format_are_refused_in_words(void **state) {
    static const char *const paths[] = {
        TOSAJIT_GOLDEN_DIRECTORY "/format1.image", TOSAJIT_GOLDEN_DIRECTORY "/format2.image",
        TOSAJIT_GOLDEN_DIRECTORY "/format3.image", TOSAJIT_GOLDEN_DIRECTORY "/format4.image",
        TOSAJIT_GOLDEN_DIRECTORY "/format5.image"};
    for (int k = 0; k < 5; k++) {
        char named[32];
        tosajit_kernel *kernel = NULL;
        snprintf(named, sizeof named, "has format %d", k + 1);
        assert_int_equal(tosajit_kernel_load_file(paths[k], NULL, &kernel), TOSAJIT_BAD_IMAGE);
        assert_null(kernel);
        assert_non_null(strstr(tosajit_last_error(), named));
        assert_non_null(strstr(tosajit_last_error(), "compile the kernel anew"));
    }
}

static void images_of_this_format_are_still_read(void **state) {
    tosajit_kernel *kernel = NULL;
    tosajit_status status =
        tosajit_kernel_load_file(TOSAJIT_GOLDEN_DIRECTORY "/format6.image", NULL, &kernel);
#ifdef __x86_64__
    if (status) fail_msg("%s", tosajit_last_error());
    assert_true(tosajit_kernel_is_native(kernel));
    check_sums(kernel);
#else
    assert_int_equal(status, TOSAJIT_NOT_EXECUTABLE);
    assert_non_null(strstr(tosajit_last_error(), "is for machine 62"));
#endif
    tosajit_kernel_release(kernel);
}

/* The cache. */

/* True if the kernel, which is right, came from the directory. */
static bool is_found(void) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_NATIVE,
#ifdef __x86_64__
                                            .cpu = "x86-64-v2",
#endif
                                            .cache_directory = scratch};
    const int64_t dynamic[2] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, dynamic),
                              types[2] = {type, type};
    tosajit_kernel_info info = {.size = sizeof info};
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                     TOSAJIT_OK);
    check_sums(kernel);
    assert_int_equal(tosajit_kernel_describe(kernel, &info), TOSAJIT_OK);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return info.codegen_ms == 0;
}

static size_t read_file(const char *path, unsigned char *bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, LARGEST, file);
    fclose(file);
    assert_true(size > 0 && size < LARGEST);
    return size;
}

static void put_earlier_entry(const char *path) {
    static unsigned char bytes[LARGEST];
    const size_t size = read_file(earlier_entry, bytes);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, S_IRUSR | S_IWUSR), 0);
}

static bool is_earlier_entry(const char *path) {
    static unsigned char bytes[LARGEST], there[LARGEST];
    const size_t size = read_file(earlier_entry, bytes);
    return read_file(path, there) == size && memcmp(bytes, there, size) == 0;
}

/* The only entry of the directory. */
static void find_entry(char path[PATH_SIZE]) {
    int count = 0;
    DIR *stream = opendir(scratch);
    assert_non_null(stream);
    for (struct dirent *d; (d = readdir(stream));) {
        if (!strstr(d->d_name, ".kernel")) continue;
        snprintf(path, PATH_SIZE, "%s/%s", scratch, d->d_name);
        count++;
    }
    closedir(stream);
    assert_int_equal(count, 1);
}

/* Another build has other keys, so it does not find the entry; where both keys have one hash, it
 * sees that the entry is not its own. */
static void entries_of_earlier_builds_are_not_taken(void **state) {
    char theirs[PATH_SIZE], ours[PATH_SIZE];
    assert_false(is_found());
    assert_true(is_found());
    find_entry(ours);
    put_earlier_entry(ours);
    assert_false(is_found());
    assert_false(is_earlier_entry(ours));
    assert_true(is_found());
    snprintf(theirs, sizeof theirs, "%s/d6bf534cdcdbfef8.kernel", scratch);
    put_earlier_entry(theirs);
    assert_true(is_found());
    assert_true(is_earlier_entry(theirs)); /* that build may still be in use */
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(images_of_an_earlier_format_are_refused_in_words),
                    TEST(images_of_this_format_are_still_read),
                    TEST_IN_SCRATCH(entries_of_earlier_builds_are_not_taken));
}
