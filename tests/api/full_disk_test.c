/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library on a disk that is full, or nearly: kernel images and cache directories. No piece of a
 * file stays, what was there stays, and errors name the file and the reason.
 *   full_disk_test DIRECTORY    a small disk of its own with a file `filler` on it;
 *                               tests/tools/full_disk_test.sh makes one */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum { PATH = 512, SIZE = 70, MOST_KIB = 48 };
static const char *disk;
static char filler[PATH], image[PATH], cache[PATH];
static tosajit_engine *engine;
static tosajit_kernel *kernel;

static tosajit_status compile(tosajit_engine *by, tosajit_op op, tosajit_kernel **made) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    return tosajit_compile(by, op, &type, 1, NULL, NULL, made);
}

static void negates(const tosajit_kernel *made) {
    float a[SIZE], r[SIZE];
    const int64_t dims[1] = {SIZE};
    for (int k = 0; k < SIZE; k++) a[k] = (float)k;
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims),
                         result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    assert_int_equal(tosajit_run(made, &x, 1, &result, 1), TOSAJIT_OK);
    for (int k = 0; k < SIZE; k++) assert_true(r[k] == -a[k]);
}

/* Files in a directory, and how many of them are no finished ones of a cache. */
static int count_files(const char *path, int *unfinished) {
    DIR *stream = opendir(path);
    int count = 0;
    assert_non_null(stream);
    *unfinished = 0;
    for (struct dirent *d; (d = readdir(stream));) {
        if (d->d_name[0] == '.' && (!d->d_name[1] || !strcmp(d->d_name, ".."))) continue;
        const char *end = strrchr(d->d_name, '.');
        *unfinished += !end || strlen(d->d_name) != 16 + strlen(end);
        count++;
    }
    closedir(stream);
    return count;
}

/* Take all that the disk has, then give back so much. */
static void leave_room(int kib) {
    static char block[4096];
    int file = open(filler, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    off_t size = 0;
    for (ssize_t more; (more = write(file, block, sizeof block)) > 0;) size += more;
    assert_int_equal(errno, ENOSPC);
    assert_true(size > 1024 * kib);
    assert_int_equal(ftruncate(file, size - 1024 * kib), 0);
    close(file);
}

static void images_are_whole_or_not_there(void **state) {
    size_t size;
    int refused = 0, written = 0, before, after, ignored;
    assert_int_equal(tosajit_kernel_save(kernel, NULL, 0, &size), TOSAJIT_OK);
    for (int kib = 0; kib <= MOST_KIB; kib += 4) {
        struct stat about;
        leave_room(kib);
        before = count_files(disk, &ignored);
        const tosajit_status status = tosajit_kernel_save_file(kernel, image);
        after = count_files(disk, &ignored);
        if (status) {
            assert_int_equal(status, TOSAJIT_INVALID_ARGUMENT);
            assert_non_null(strstr(tosajit_last_error(), image));
            assert_non_null(strstr(tosajit_last_error(), strerror(ENOSPC)));
            tosajit_failure failure = {.size = sizeof failure};
            assert_int_equal(tosajit_last_failure(&failure), TOSAJIT_OK);
            assert_int_equal(failure.system_error, ENOSPC);
            assert_int_equal(after, before);
            refused++;
        } else {
            tosajit_kernel *loaded;
            assert_int_equal(after, before + 1);
            assert_true(stat(image, &about) == 0 && (size_t)about.st_size == size);
            assert_int_equal(tosajit_kernel_load_file(image, NULL, &loaded), TOSAJIT_OK);
            negates(loaded);
            tosajit_kernel_release(loaded);
            unlink(image);
            written++;
        }
    }
    assert_true(refused > 0 && written > 0);
}

/* A file that is replaced stays what it was, if there is no room beside it. */
static void images_that_are_there_stay(void **state) {
    tosajit_kernel *other, *loaded;
    leave_room(MOST_KIB);
    assert_int_equal(tosajit_kernel_save_file(kernel, image), TOSAJIT_OK);
    leave_room(0);
    assert_int_equal(compile(engine, TOSAJIT_OP_abs, &other), TOSAJIT_OK);
    assert_int_equal(tosajit_kernel_save_file(other, image), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_kernel_load_file(image, NULL, &loaded), TOSAJIT_OK);
    negates(loaded);
    tosajit_kernel_release(loaded);
    tosajit_kernel_release(other);
    unlink(image);
}

static tosajit_stats compile_cached(void) {
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .cache_directory = cache};
    tosajit_engine *cached;
    tosajit_kernel *made;
    tosajit_stats stats = {.size = sizeof stats};
    assert_int_equal(tosajit_engine_create(&options, &cached), TOSAJIT_OK);
    assert_int_equal(compile(cached, TOSAJIT_OP_negate, &made), TOSAJIT_OK);
    negates(made);
    assert_int_equal(tosajit_engine_stats(cached, &stats), TOSAJIT_OK);
    tosajit_kernel_release(made);
    tosajit_engine_destroy(cached);
    return stats;
}

/* Entries are lost, and nothing else. */
static void a_cache_has_whole_entries_or_none(void **state) {
    int without = 0, with = 0, unfinished;
    leave_room(MOST_KIB);
    assert_int_equal(mkdir(cache, 0700), 0);
    for (int kib = 0; kib <= MOST_KIB; kib += 4) {
        leave_room(kib);
        assert_int_equal(compile_cached().restored, 0);
        const int entries = count_files(cache, &unfinished);
        assert_int_equal(unfinished, 0);
        assert_true(entries <= 1);
        assert_int_equal(compile_cached().restored, entries);
        *(entries ? &with : &without) += 1;
        char command[PATH + 16];
        snprintf(command, sizeof command, "rm -f %s/*", cache);
        assert_int_equal(system(command), 0);
    }
    assert_true(with > 0 && without > 0);
    rmdir(cache);
}

static void an_engine_says_why_there_is_no_cache(void **state) {
    char none[PATH];
    tosajit_engine *cached = NULL;
    snprintf(none, sizeof none, "%s/no/such", disk);
    const tosajit_engine_options options = {.size = sizeof options, .cache_directory = none};
    assert_int_equal(tosajit_engine_create(&options, &cached), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), none));
    assert_non_null(strstr(tosajit_last_error(), strerror(ENOENT)));
}

static int setup(void **state) {
    snprintf(filler, sizeof filler, "%s/filler", disk);
    snprintf(image, sizeof image, "%s/image", disk);
    snprintf(cache, sizeof cache, "%s/cache", disk);
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_NATIVE};
    return tosajit_engine_create(&options, &engine) || compile(engine, TOSAJIT_OP_negate, &kernel);
}

static int teardown(void **state) {
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    disk = argv[1];
    return TEST_RUN(setup, teardown, TEST(images_are_whole_or_not_there),
                    TEST(images_that_are_there_stay), TEST(a_cache_has_whole_entries_or_none),
                    TEST(an_engine_says_why_there_is_no_cache));
}
