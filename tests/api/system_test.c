/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Services that the library takes from the system, on every system: files in a directory, whose
 * they are, texts, threads, and that a directory which others may write is refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#if defined(_WIN32)
#include <windows.h>
/* behind it */
#include <aclapi.h>
#include <sddl.h>
#endif

#include "jit/engine/disk_cache.h"
#include "runtime/base/memory.h"
#include "runtime/system/system.h"
#include "tosajit/tosajit.h"

enum { PATH = 256, BYTES = 100000 };

static char folder[PATH];

static void new_folder(const char *end) {
    const char *place = getenv("TMPDIR");
#if defined(_WIN32)
    place = getenv("TEMP");
#endif
    /* Numbers of processes come again. */
    snprintf(folder, sizeof folder, "%s/tosajit-system-%ld-%lld%s", place ? place : "/tmp",
             system_process(), (long long)system_clock(), end);
}

static system_file make_folder(const char *end) {
    const char *why = NULL;
    new_folder(end);
    const system_file directory = system_directory_open(folder, &why);
    if (why) fail_msg("%s: %s", folder, why);
    return directory;
}

static void end_folder(system_file directory) {
    assert_true(system_file_close(directory));
#if defined(_WIN32)
    wchar_t wide[PATH];
    assert_true(MultiByteToWideChar(CP_UTF8, 0, folder, -1, wide, PATH) > 0);
    assert_true(RemoveDirectoryW(wide));
#else
    assert_int_equal(remove(folder), 0);
#endif
}

static void write_whole(system_file directory, const char *name, char filling) {
    static char bytes[BYTES];
    memset(bytes, filling, sizeof bytes);
    const system_file file = system_file_open(directory, name, SYSTEM_CREATE_PRIVATE);
    assert_true(file != SYSTEM_NO_FILE);
    assert_true(system_file_write(file, bytes, sizeof bytes));
    assert_true(system_file_close(file));
}

static char read_first(system_file directory, const char *name) {
    static char bytes[BYTES + 1];
    size_t got = 0;
    const system_file file = system_file_open(directory, name, SYSTEM_READ_NO_LINK);
    assert_true(file != SYSTEM_NO_FILE);
    assert_true(system_file_read(file, bytes, sizeof bytes, &got));
    assert_int_equal(got, BYTES);
    assert_true(system_file_close(file));
    return bytes[BYTES - 1];
}

static bool count_names(void *context, const char *name) {
    if (*name != '.') ++*(size_t *)context;
    return true;
}

static void files_of_a_directory(void **state) {
    const system_file directory = make_folder("-\xc3\xa4"); /* a name in UTF-8 */
    system_file_info about;
    write_whole(directory, "one", 'a');
    assert_true(system_file_open(directory, "one", SYSTEM_CREATE) == SYSTEM_NO_FILE);
    assert_int_equal(errno, EEXIST);
    assert_true(system_file_open(directory, "none", SYSTEM_READ) == SYSTEM_NO_FILE);
    assert_int_equal(errno, ENOENT);
    write_whole(directory, "two", 'b');
    assert_true(system_file_rename(directory, "two", "one"));
    assert_int_equal(read_first(directory, "one"), 'b');
    assert_true(system_file_look(directory, "one", false, &about));
    assert_true(about.is_regular && about.is_ours && !about.others_write && about.size == BYTES);
    assert_true(llabs((long long)(about.changed.tv_sec - time(NULL))) < 60);
    assert_false(system_file_look(directory, "two", false, &about));
    size_t count = 0;
    system_directory_list(directory, count_names, &count);
    assert_int_equal(count, 1);
    assert_true(system_file_remove(directory, "one"));
    assert_false(system_file_remove(directory, "one"));
    end_folder(directory);
}

static void a_file_that_is_read_can_be_replaced(void **state) {
    const system_file directory = make_folder("-open");
    write_whole(directory, "one", 'a');
    const system_file reader = system_file_open(directory, "one", SYSTEM_READ);
    assert_true(reader != SYSTEM_NO_FILE);
    write_whole(directory, "two", 'b');
    /* Windows before 10, and wine, refuse it, and leave both as they are. */
    const bool replaced = system_file_rename(directory, "two", "one");
    if (!replaced) assert_int_equal(errno, EACCES);
    if (!replaced) assert_true(system_file_remove(directory, "two"));
    assert_int_equal(read_first(directory, "one"), replaced ? 'b' : 'a');
    char byte;
    size_t got;
    assert_true(system_file_read(reader, &byte, 1, &got) && got == 1 && byte == 'a');
    assert_true(system_file_close(reader));
    assert_true(system_file_remove(directory, "one"));
    end_folder(directory);
}

static void a_file_is_appended_cut_and_touched(void **state) {
    const system_file directory = make_folder("-cut");
    system_file_info about;
    for (int k = 0; k < 2; k++) {
        const system_file file = system_file_open(directory, "one", SYSTEM_APPEND);
        assert_true(file != SYSTEM_NO_FILE && system_file_write(file, "abc", 3));
        assert_true(system_file_close(file));
    }
    const system_file file = system_file_open(directory, "one", SYSTEM_READ);
    assert_true(system_file_about(file, &about) && about.size == 6);
    system_file_touch(file);
    assert_true(system_file_close(file));
    const system_file again = system_file_open(directory, "one", SYSTEM_REPLACE);
    assert_true(system_file_write(again, "abcdef", 6) && system_file_cut(again, 2));
    assert_true(system_file_about(again, &about) && about.size == 2);
    assert_true(system_file_close(again) && system_file_remove(directory, "one"));
    end_folder(directory);
}

/* Of a directory, for everybody. */
#if defined(_WIN32)
static void open_to_all(const char *path) {
    PACL list;
    EXPLICIT_ACCESSA all;
    BuildExplicitAccessWithNameA(&all, (char *)(uintptr_t) "S-1-1-0", GENERIC_ALL, SET_ACCESS,
                                 SUB_CONTAINERS_AND_OBJECTS_INHERIT);
    PSID everybody;
    assert_true(ConvertStringSidToSidA("S-1-1-0", &everybody));
    BuildTrusteeWithSidA(&all.Trustee, everybody);
    assert_int_equal(SetEntriesInAclA(1, &all, NULL, &list), ERROR_SUCCESS);
    assert_int_equal(SetNamedSecurityInfoA((char *)(uintptr_t)path, SE_FILE_OBJECT,
                                           DACL_SECURITY_INFORMATION, NULL, NULL, list, NULL),
                     ERROR_SUCCESS);
    LocalFree(list);
    LocalFree(everybody);
}
#else
static void open_to_all(const char *path) {
    char command[2 * PATH];
    snprintf(command, sizeof command, "chmod a+w '%s'", path);
    assert_int_equal(system(command), 0);
}
#endif

static void a_cache_is_private(void **state) {
    const tosajit_allocator heap = memory_allocator(NULL);
    const system_file directory = make_folder("-cache");
    store s;
    store_value value;
    assert_int_equal(store_open(folder, 0, &heap, &s), TOSAJIT_OK);
    assert_true(store_put(&s, "key", 3, "value", 5));
    assert_true(store_put(&s, "key", 3, "other", 5));
    assert_true(store_find(&s, "key", 3, &value));
    assert_memory_equal(value.bytes, "other", 5);
    store_drop(&s, &value);
    s.max_bytes = 1;
    store_evict(&s);
    store_close(&s);
    open_to_all(folder);
    assert_int_equal(store_open(folder, 0, &heap, &s), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), "it can be written by others"));
    end_folder(directory);
}

static void a_text_grows(void **state) {
    char *text = NULL, *other = NULL;
    size_t size = 0, other_size = 0;
    FILE *stream = system_text_open(&text, &size), *second = system_text_open(&other, &other_size);
    assert_true(stream && second);
    for (int k = 0; k < 50000; k++) fprintf(stream, "%d\n", k % 10);
    fputs("second", second);
    assert_true(system_text_close(stream));
    assert_int_equal(size, 100000);
    assert_int_equal(strlen(text), size);
    assert_true(system_text_close(second));
    assert_string_equal(other, "second");
    free(text);
    free(other);
}

static system_mutex mutex = SYSTEM_MUTEX;
static system_condition condition;
static system_once once = SYSTEM_ONCE;
static int turns, began;

static void begin_once(void) { began++; }

static void *take_turns(void *argument) {
    const int own = argument ? 1 : 0;
    system_call_once(&once, begin_once);
    for (int k = 0; k < 1000; k++) {
        system_mutex_lock(&mutex);
        while (turns % 2 != own) system_condition_wait(&condition, &mutex);
        turns++;
        system_mutex_unlock(&mutex);
        system_condition_broadcast(&condition);
    }
    return NULL;
}

static void threads_take_turns(void **state) {
    system_thread threads[2];
    system_condition_create(&condition);
    assert_true(system_thread_start(&threads[0], take_turns, NULL));
    assert_true(system_thread_start(&threads[1], take_turns, threads));
    for (int k = 0; k < 2; k++) system_thread_join(threads[k]);
    assert_int_equal(turns, 2000);
    assert_int_equal(began, 1);
    system_condition_destroy(&condition);
}

static void the_machine_is_known(void **state) {
    char file[PATH];
    const int64_t before = system_clock();
    system_sleep(2000000);
    assert_true(system_clock() - before >= 1000000);
    assert_true(system_processors() >= 1);
    assert_true(system_cache_bytes() >= 0);
    assert_true(system_page_size() >= 4096);
    system_no_library reason = {NULL, false};
    /* A static program of musl knows nothing of files, and loads none. */
    const bool known = system_library_file(&turns, file, sizeof file);
#if defined(__GLIBC__) || defined(_WIN32)
    assert_true(known);
#endif
    if (!known) return;
    assert_non_null(strstr(file, "system_test"));
    assert_null(system_library_open("/nowhere/library", false, &reason));
    assert_true(reason.missing);
    assert_non_null(strstr(reason.why, "/nowhere/library"));
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(files_of_a_directory),
                    TEST(a_file_that_is_read_can_be_replaced),
                    TEST(a_file_is_appended_cut_and_touched), TEST(a_cache_is_private),
                    TEST(a_text_grows), TEST(threads_take_turns), TEST(the_machine_is_known));
}
