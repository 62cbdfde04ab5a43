/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The store on disk, as a hostile neighbour would meet it: damaged and foreign files, wrong
 * permissions, full disks, killed writers. */
#define _DEFAULT_SOURCE
#include "jit/engine/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jit/engine/disk_entry.h"
#include "runtime/base/memory.h"
#include "tests/support/cmocka.h"
#include "tests/support/scratch.h"

enum { NOBODY = 65534, PATH_SIZE = 256 };

static void open_store(store *s, uint64_t max_bytes) {
    tosajit_allocator allocator = memory_allocator(NULL);
    assert_int_equal(store_open(scratch, max_bytes, &allocator, s), TOSAJIT_OK);
}

/* The value under key is `expected`, or there is none if that is null. */
static void check(store *s, const char *key, const char *expected) {
    store_value value;
    bool found = store_find(s, key, strlen(key), &value);
    assert_int_equal(found, expected != NULL);
    if (!found) return;
    assert_int_equal(value.size, strlen(expected));
    assert_memory_equal(value.bytes, expected, value.size);
    store_drop(s, &value);
}

static bool put(store *s, const char *key, const char *value) {
    return store_put(s, key, strlen(key), value, strlen(value));
}

static void path_of(const char *key, char path[PATH_SIZE * 2]) {
    char name[STORE_NAME_SIZE];
    store_file_name(key, strlen(key), name);
    snprintf(path, PATH_SIZE * 2, "%s/%s", scratch, name);
}

static size_t count_files(void) {
    size_t count = 0;
    DIR *stream = opendir(scratch);
    assert_non_null(stream);
    while (readdir(stream)) count++;
    closedir(stream);
    return count - 2; /* . and .. */
}

static void what_is_put_is_found(void **state) {
    store s, other;
    open_store(&s, 0);
    open_store(&other, 0);
    check(&s, "one", NULL);
    assert_true(put(&s, "one", "first"));
    check(&s, "one", "first");
    check(&other, "one", "first");
    check(&s, "on", NULL);
    assert_true(put(&other, "one", "second"));
    assert_true(put(&other, "", "the empty key"));
    assert_true(put(&other, "nothing", ""));
    check(&s, "one", "second");
    check(&s, "", "the empty key");
    check(&s, "nothing", "");
    assert_int_equal(count_files(), 3);
    store_close(&s);
    store_close(&other);
}

static void keys_of_one_hash_are_told_apart(void **state) {
    store s;
    open_store(&s, 0);
    assert_true(put(&s, "mine", "value"));
    char mine[PATH_SIZE * 2], yours[PATH_SIZE * 2];
    path_of("mine", mine);
    path_of("yours", yours);
    assert_int_equal(rename(mine, yours), 0);
    check(&s, "yours", NULL);
    assert_int_equal(access(yours, F_OK), 0); /* it is somebody's */
    store_close(&s);
}

static size_t read_whole(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void write_whole(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, S_IRUSR | S_IWUSR), 0);
}

static void no_damage_goes_unnoticed(void **state) {
    store s;
    open_store(&s, 0);
    assert_true(put(&s, "key", "a value of some length"));
    char path[PATH_SIZE * 2];
    unsigned char file[256], damaged[256 + 1];
    path_of("key", path);
    size_t size = read_whole(path, file, sizeof file), tried = 0;
    for (size_t bit = 0; bit < size * 8; bit++, tried++) {
        memcpy(damaged, file, size);
        damaged[bit / 8] ^= (unsigned char)(1 << bit % 8);
        write_whole(path, damaged, size);
        check(&s, "key", NULL);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    for (size_t length = 0; length < size; length++, tried++) {
        write_whole(path, file, length);
        check(&s, "key", NULL);
    }
    memcpy(damaged, file, size);
    damaged[size] = 0;
    write_whole(path, damaged, size + 1);
    check(&s, "key", NULL);
    assert_int_equal(atomic_load(&s.counts.damaged), tried + 1);
    write_whole(path, file, size);
    check(&s, "key", "a value of some length");
    store_close(&s);
}

static void what_is_no_file_of_ours_is_no_entry(void **state) {
    store s;
    open_store(&s, 0);
    char path[PATH_SIZE * 2], elsewhere[PATH_SIZE * 2];
    assert_true(put(&s, "key", "value"));
    path_of("key", path);
    assert_int_equal(chmod(path, 0620), 0);
    check(&s, "key", NULL);
    assert_int_equal(chmod(path, 0602), 0);
    check(&s, "key", NULL);
    assert_int_equal(chmod(path, 0644), 0);
    check(&s, "key", "value");
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", scratch);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    check(&s, "key", NULL);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    check(&s, "key", NULL);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    check(&s, "key", NULL);
    assert_false(put(&s, "key", "value")); /* no file takes the place of a directory */
    assert_int_equal(rmdir(path), 0);
    assert_true(put(&s, "key", "value"));
    check(&s, "key", "value");
    store_close(&s);
}

static void expect_refusal(const char *path, const char *why) {
    store s;
    tosajit_allocator allocator = memory_allocator(NULL);
    assert_int_equal(store_open(path, 0, &allocator, &s), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), why));
    assert_non_null(strstr(tosajit_last_error(), path));
}

static void a_directory_that_others_may_write_is_refused(void **state) {
    char path[PATH_SIZE * 2];
    assert_int_equal(chmod(scratch, 0720), 0);
    expect_refusal(scratch, "can be written by others; chmod go-w it");
    assert_int_equal(chmod(scratch, 0702), 0);
    expect_refusal(scratch, "can be written by others");
    assert_int_equal(chmod(scratch, 0755), 0);
    store s;
    open_store(&s, 0);
    store_close(&s);
    snprintf(path, sizeof path, "%s/none/none", scratch);
    expect_refusal(path, "No such file");
    snprintf(path, sizeof path, "%s/file", scratch);
    write_whole(path, (const unsigned char *)"x", 1);
    expect_refusal(path, "is no directory");
    snprintf(path, sizeof path, "%s/link", scratch);
    assert_int_equal(symlink(scratch, path), 0);
    expect_refusal(path, "is no directory");
}

static void a_new_directory_is_private(void **state) {
    char path[PATH_SIZE * 2];
    snprintf(path, sizeof path, "%s/new", scratch);
    mode_t before = umask(0);
    store s;
    tosajit_allocator allocator = memory_allocator(NULL);
    assert_int_equal(store_open(path, 0, &allocator, &s), TOSAJIT_OK);
    assert_true(put(&s, "key", "value"));
    umask(before);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    char name[STORE_NAME_SIZE];
    store_file_name("key", 3, name);
    assert_int_equal(fstatat(s.directory, name, &status, 0), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    store_close(&s);
}

static bool finds(store *s, const char *key) {
    store_value value;
    bool found = store_find(s, key, strlen(key), &value);
    if (found) store_drop(s, &value);
    return found;
}

static void meet_directory_of_another(void) {
    store s;
    tosajit_allocator allocator = memory_allocator(NULL);
    REQUIRE(store_open(scratch, 0, &allocator, &s) == TOSAJIT_INVALID_ARGUMENT);
    REQUIRE(strstr(tosajit_last_error(), "belongs to another user"));
}

static void meet_directory_of_root(void) {
    store s;
    tosajit_allocator allocator = memory_allocator(NULL);
    REQUIRE(store_open(scratch, 0, &allocator, &s) == TOSAJIT_OK);
    REQUIRE(finds(&s, "roots"));
    REQUIRE(!finds(&s, "others"));
    REQUIRE(!put(&s, "new", "value"));
    store_close(&s);
}

static void meet_own_read_only_directory(void) {
    store s;
    tosajit_allocator allocator = memory_allocator(NULL);
    REQUIRE(store_open(scratch, 0, &allocator, &s) == TOSAJIT_OK);
    REQUIRE(finds(&s, "roots"));
    REQUIRE(!put(&s, "new", "value"));
    REQUIRE(atomic_load(&s.counts.failed) == 1);
    store_close(&s);
}

static void users_are_told_apart(void **state) {
    /* Root may do so, but not where its namespace has one user alone. */
    if (chown(scratch, NOBODY - 1, (gid_t)-1) != 0 || chown(scratch, NOBODY, (gid_t)-1) != 0 ||
        chown(scratch, geteuid(), (gid_t)-1) != 0) {
        print_message("*** NOT TESTED: other users' directories: none may be given away\n");
        skip();
    }
    store s;
    open_store(&s, 0);
    assert_true(put(&s, "roots", "value"));
    assert_true(put(&s, "others", "value"));
    store_close(&s);
    char path[PATH_SIZE * 2];
    assert_int_equal(chmod(scratch, 0755), 0);
    path_of("roots", path);
    assert_int_equal(chmod(path, 0644), 0);
    path_of("others", path);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(chown(path, NOBODY - 1, (gid_t)-1), 0);
    scratch_in_child(meet_directory_of_root, NOBODY);
    assert_int_equal(chown(scratch, NOBODY - 1, (gid_t)-1), 0);
    scratch_in_child(meet_directory_of_another, NOBODY);
    assert_int_equal(chown(scratch, NOBODY, (gid_t)-1), 0);
    assert_int_equal(chmod(scratch, 0500), 0);
    scratch_in_child(meet_own_read_only_directory, NOBODY);
}

static void write_beyond_the_limit(void) {
    static unsigned char large[1 << 16];
    store s;
    tosajit_allocator allocator = memory_allocator(NULL);
    REQUIRE(store_open(scratch, 0, &allocator, &s) == TOSAJIT_OK);
    struct rlimit limit = {1 << 12, 1 << 12};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    REQUIRE(!store_put(&s, "large", 5, large, sizeof large)); /* and no SIGXFSZ */
    REQUIRE(store_put(&s, "small", 5, large, 16));
    struct rlimit files = {3, 3};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &files) == 0);
    REQUIRE(!store_put(&s, "more", 4, large, 16));
    REQUIRE(!finds(&s, "small"));
    store_close(&s);
}

static void limits_of_the_system_only_lose_entries(void **state) {
    scratch_in_child(write_beyond_the_limit, 0);
    assert_int_equal(count_files(), 1);
}

static void age(const char *path, time_t seconds) {
    struct timespec now, times[2];
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= seconds;
    times[0] = times[1] = now;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_least_recently_used_go(void **state) {
    enum { DAY = 86400, COUNT = 20, SIZE = 1000 };
    static unsigned char value[SIZE];
    store s;
    open_store(&s, (uint64_t)COUNT * SIZE * 2);
    char key[32], path[PATH_SIZE * 2];
    for (int k = 0; k < COUNT; k++) {
        snprintf(key, sizeof key, "key %d", k);
        assert_true(store_put(&s, key, strlen(key), value, sizeof value));
        path_of(key, path);
        age(path, (COUNT - k) * DAY);
    }
    assert_true(finds(&s, "key 0")); /* and is used now */
    store_close(&s);

    open_store(&s, (uint64_t)COUNT * SIZE / 2); /* counts what is there */
    assert_true(atomic_load(&s.counts.evicted) >= COUNT / 2);
    assert_true(atomic_load(&s.bytes_held) <= (uint64_t)COUNT * SIZE / 2);
    assert_true(finds(&s, "key 0"));
    assert_false(finds(&s, "key 1"));
    assert_false(finds(&s, "key 2"));
    assert_true(finds(&s, "key 19"));
    for (int k = 0; k < COUNT * 3; k++) {
        snprintf(key, sizeof key, "more %d", k);
        assert_true(store_put(&s, key, strlen(key), value, sizeof value));
        assert_true(atomic_load(&s.bytes_held) <= (uint64_t)COUNT * SIZE / 2 + SIZE);
    }
    static unsigned char large[COUNT * SIZE];
    assert_false(store_put(&s, "large", 5, large, sizeof large)); /* would throw out everything */
    store_close(&s);
}

static void orphans_and_strangers(void **state) {
    const char *names[] = {STORE_PREFIX_TEMPORARY "1-old", STORE_PREFIX_TEMPORARY "2-new",
                           "readme.txt"};
    char paths[3][PATH_SIZE * 2];
    for (int k = 0; k < 3; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%s", scratch, names[k]);
        write_whole(paths[k], (const unsigned char *)"x", 1);
        if (k != 1) age(paths[k], 7200);
    }
    store s;
    open_store(&s, 0);
    assert_int_not_equal(access(paths[0], F_OK), 0);
    assert_int_equal(access(paths[1], F_OK), 0);
    assert_int_equal(access(paths[2], F_OK), 0);
    store_close(&s);
}

/* A value that only its key can have. */
static size_t make_value(unsigned key, unsigned char *value) {
    size_t size = 1 + key * 7919 % 60000;
    for (size_t k = 0; k < size; k++) value[k] = (unsigned char)(key * 31 + k * (k >> 8 | 1));
    return size;
}

enum { STORM_KEYS = 40, STORM_LARGEST = 60000 };

/* Find or put until killed; exit with 1 on the first wrong value. */
static void work(unsigned seed) {
    static unsigned char expected[STORM_LARGEST + 1];
    store s;
    tosajit_allocator allocator = memory_allocator(NULL);
    REQUIRE(store_open(scratch, STORM_LARGEST * 10, &allocator, &s) == TOSAJIT_OK);
    for (;;) {
        unsigned key = (unsigned)(rand_r(&seed) % STORM_KEYS);
        size_t size = make_value(key, expected);
        store_value value;
        if (rand_r(&seed) % 2) {
            store_put(&s, &key, sizeof key, expected, size);
        } else if (store_find(&s, &key, sizeof key, &value)) {
            REQUIRE(value.size == size && memcmp(value.bytes, expected, size) == 0);
            store_drop(&s, &value);
        }
    }
}

static void killed_writers_leave_nothing_wrong(void **state) {
    scratch_storm(&(storm){work, .processes = 4, .kills = 300, .longest_pause = 10000});
    static unsigned char expected[STORM_LARGEST + 1];
    store s;
    open_store(&s, 0);
    unsigned found = 0;
    for (unsigned key = 0; key < STORM_KEYS; key++) {
        store_value value;
        if (!store_find(&s, &key, sizeof key, &value)) continue;
        assert_int_equal(value.size, make_value(key, expected));
        assert_memory_equal(value.bytes, expected, value.size);
        store_drop(&s, &value);
        found++;
    }
    assert_true(found > 0);
    assert_int_equal(atomic_load(&s.counts.damaged), 0);
    store_close(&s);
}

int main(void) {
    return TEST_RUN(
        NULL, NULL, TEST_IN_SCRATCH(what_is_put_is_found),
        TEST_IN_SCRATCH(keys_of_one_hash_are_told_apart), TEST_IN_SCRATCH(no_damage_goes_unnoticed),
        TEST_IN_SCRATCH(what_is_no_file_of_ours_is_no_entry),
        TEST_IN_SCRATCH(a_directory_that_others_may_write_is_refused),
        TEST_IN_SCRATCH(a_new_directory_is_private), TEST_IN_SCRATCH(users_are_told_apart),
        TEST_IN_SCRATCH(limits_of_the_system_only_lose_entries),
        TEST_IN_SCRATCH(the_least_recently_used_go), TEST_IN_SCRATCH(orphans_and_strangers),
        TEST_IN_SCRATCH(killed_writers_leave_nothing_wrong));
}
