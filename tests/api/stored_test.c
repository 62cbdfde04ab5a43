/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels from the cache on disk, through the public API. Each process of the test is a child, so
 * that it begins without LLVM. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/scratch.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

enum { PATH_SIZE = 256, COUNT = 37 };

static int count_entries(void) {
    int count = 0;
    DIR *stream = opendir(scratch);
    REQUIRE(stream);
    for (struct dirent *d; (d = readdir(stream));) count += strstr(d->d_name, ".kernel") != NULL;
    closedir(stream);
    return count;
}

static bool has_llvm(void) {
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    REQUIRE(maps);
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, "libLLVM") || strstr(line, "libtosajit-codegen");
    fclose(maps);
    return found;
}

static tosajit_engine *open_engine(tosajit_engine_options options) {
    tosajit_engine *engine;
    options.size = sizeof options;
    options.cache_directory = scratch;
    if (options.backend == TOSAJIT_BACKEND_AUTO) options.backend = TOSAJIT_BACKEND_NATIVE;
    REQUIRE(!tosajit_engine_create(&options, &engine));
    return engine;
}

static tosajit_kernel *compile(tosajit_engine *engine, tosajit_op op, tosajit_type type) {
    tosajit_kernel *kernel;
    tosajit_tensor_type dynamic = tosajit_ranked(type, 1, (int64_t[]){TOSAJIT_DYNAMIC}),
                        operands[2] = {dynamic, dynamic};
    REQUIRE(
        !tosajit_compile(engine, op, operands, op == TOSAJIT_OP_exp ? 1 : 2, NULL, NULL, &kernel));
    return kernel;
}

/* a and b hold small integers, of which sums and products are exact. */
static bool computes(const tosajit_kernel *kernel, tosajit_op op) {
    int32_t a[COUNT], b[COUNT], r[COUNT];
    for (int k = 0; k < COUNT; k++) {
        a[k] = k * 7 - 90;
        b[k] = k * k - 300;
    }
    const int64_t dims[] = {COUNT};
    tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_I32, a, 1, dims),
                                 tosajit_dense(TOSAJIT_I32, b, 1, dims)};
    tosajit_tensor result = tosajit_dense(TOSAJIT_I32, r, 1, dims);
    if (tosajit_run(kernel, operands, 2, &result, 1)) return false;
    for (int k = 0; k < COUNT; k++)
        if (r[k] != (op == TOSAJIT_OP_add   ? a[k] + b[k]
                     : op == TOSAJIT_OP_sub ? a[k] - b[k]
                                            : a[k] * b[k]))
            return false;
    return true;
}

/* True if a kernel came from the directory. */
static bool was_stored(const tosajit_kernel *kernel) {
    tosajit_kernel_info info = {.size = sizeof info};
    REQUIRE(!tosajit_kernel_describe(kernel, &info));
    REQUIRE(tosajit_kernel_is_native(kernel) && info.code_bytes > 0);
    return info.codegen_ms == 0;
}

static const tosajit_op ops[] = {TOSAJIT_OP_add, TOSAJIT_OP_sub, TOSAJIT_OP_mul};
enum { OPS = sizeof ops / sizeof *ops };

static void use(bool expect_stored) {
    tosajit_engine *engine = open_engine((tosajit_engine_options){0});
    for (int k = 0; k < OPS; k++) {
        tosajit_kernel *kernel = compile(engine, ops[k], TOSAJIT_I32);
        REQUIRE(was_stored(kernel) == expect_stored);
        REQUIRE(computes(kernel, ops[k]));
        tosajit_kernel_release(kernel);
    }
    tosajit_engine_destroy(engine);
}

static void compile_first(void) {
    use(false);
    REQUIRE(count_entries() == OPS);
}

static void find_later(void) {
    use(true);
    REQUIRE(!has_llvm());
}

static void a_later_process_needs_no_compiler(void **state) {
    scratch_in_child(compile_first, 0);
    scratch_in_child(find_later, 0);
}

/* Of a program that is too large for code of its own the directory keeps that. */
static void use_too_large(tosajit_backend backend) {
    tosajit_engine *engine = open_engine((tosajit_engine_options){.backend = backend});
    tosajit_kernel *kernel;
    tosajit_expr *expr;
    tosajit_value value;
    tosajit_kernel_info info = {.size = sizeof info};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    REQUIRE(!tosajit_expr_create(NULL, &expr));
    REQUIRE(!tosajit_expr_input(expr, &type, &value));
    for (int k = 0; k < 4000; k++)
        REQUIRE(!tosajit_expr_op(expr, TOSAJIT_OP_sin, &value, 1, NULL, NULL, &value));
    REQUIRE(!tosajit_expr_result(expr, value));
    REQUIRE(!tosajit_compile_expr(engine, expr, &kernel));
    REQUIRE(!tosajit_kernel_wait(kernel));
    REQUIRE(!tosajit_kernel_describe(kernel, &info));
    REQUIRE(info.backend == TOSAJIT_BACKEND_PRECOMPILED);
    REQUIRE(count_entries() == 1);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

static void try_too_large(void) {
    use_too_large(TOSAJIT_BACKEND_NATIVE);
    REQUIRE(has_llvm());
}

static void know_too_large(void) {
    static const tosajit_backend backends[] = {TOSAJIT_BACKEND_NATIVE, TOSAJIT_BACKEND_AUTO,
                                               TOSAJIT_BACKEND_BACKGROUND};
    for (size_t k = 0; k < sizeof backends / sizeof *backends; k++) use_too_large(backends[k]);
    REQUIRE(!has_llvm());
}

static void what_is_too_large_is_not_tried_again(void **state) {
    scratch_in_child(try_too_large, 0);
    scratch_in_child(know_too_large, 0);
}

static void find_in_background_engine(void) {
    tosajit_engine *engine =
        open_engine((tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND});
    tosajit_kernel *kernel = compile(engine, TOSAJIT_OP_add, TOSAJIT_I32);
    REQUIRE(was_stored(kernel)); /* at once: nothing to wait for */
    REQUIRE(!tosajit_kernel_wait(kernel));
    tosajit_engine_destroy(engine);
    REQUIRE(computes(kernel, TOSAJIT_OP_add)); /* outlives the engine */
    tosajit_kernel_release(kernel);
}

static void a_background_engine_finds_code_at_once(void **state) {
    scratch_in_child(compile_first, 0);
    scratch_in_child(find_in_background_engine, 0);
}

/* A change of the code makes another entry; what does not, does not. Without TOSAJIT_CPU, which
 * may make two CPUs one. */
static void compile_others(void) {
    int entries = 0;
    REQUIRE(unsetenv("TOSAJIT_CPU") == 0);
    const tosajit_engine_options variations[] = {{.cpu = NULL},
                                                 {.accuracy = TOSAJIT_REPRODUCIBLE},
                                                 {.cpu = "x86-64-v2"},
                                                 {.threads = 2},
                                                 {.uncached = 1}};
    const int fresh[] = {1, 1, 1, 0, 0};
    for (size_t k = 0; k < sizeof variations / sizeof *variations; k++) {
#if !defined(__x86_64__)
        if (variations[k].cpu) continue;
#endif
        tosajit_engine *engine = open_engine(variations[k]);
        tosajit_kernel_release(compile(engine, TOSAJIT_OP_exp, TOSAJIT_F32));
        entries += fresh[k];
        REQUIRE(count_entries() == entries);
        tosajit_engine_destroy(engine);
    }
    tosajit_engine *engine = open_engine((tosajit_engine_options){0});
    tosajit_kernel_release(compile(engine, TOSAJIT_OP_add, TOSAJIT_F32));
    tosajit_kernel_release(compile(engine, TOSAJIT_OP_add, TOSAJIT_I32));
    REQUIRE(count_entries() == entries + 2);
    tosajit_engine_destroy(engine);
}

static void what_changes_the_code_is_in_the_key(void **state) {
    scratch_in_child(compile_others, 0);
}

/* Do something to every entry. */
static void for_entries(void (*change)(const char *path, int number)) {
    int number = 0;
    DIR *stream = opendir(scratch);
    REQUIRE(stream);
    for (struct dirent *d; (d = readdir(stream));) {
        char path[PATH_SIZE * 3];
        if (!strstr(d->d_name, ".kernel")) continue;
        snprintf(path, sizeof path, "%s/%s", scratch, d->d_name);
        change(path, number++);
    }
    closedir(stream);
}

static void cut(const char *path, int number) {
    struct stat s;
    REQUIRE(!stat(path, &s) && !truncate(path, s.st_size - 1 - number * 100));
}

static void flip(const char *path, int number) {
    FILE *file = fopen(path, "r+b");
    REQUIRE(file && !fseek(file, -1 - number * 50, SEEK_END));
    int byte = fgetc(file);
    REQUIRE(byte != EOF && !fseek(file, -1, SEEK_CUR) && fputc(byte ^ 0x10, file) != EOF &&
            !fclose(file));
}

static void open_to_others(const char *path, int number) {
    REQUIRE(!chmod(path, number % 2 ? 0620 : 0602));
}

static void empty(const char *path, int number) {
    (void)number;
    REQUIRE(!truncate(path, 0));
}

static void compile_again(void) { use(false); }

static void damaged_entries_are_compiled_anew(void **state) {
    void (*const changes[])(const char *, int) = {cut, flip, open_to_others, empty};
    scratch_in_child(compile_first, 0);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        scratch_in_child(find_later, 0);
        for_entries(changes[k]);
        scratch_in_child(compile_again, 0);
    }
    scratch_in_child(find_later, 0);
}

static void refuse_directory(void) {
    char path[PATH_SIZE * 2];
    tosajit_engine *engine = NULL;
    tosajit_engine_options options = {.size = sizeof options, .cache_directory = path};
    snprintf(path, sizeof path, "%s/none/none", scratch);
    REQUIRE(tosajit_engine_create(&options, &engine) == TOSAJIT_INVALID_ARGUMENT && !engine);
    REQUIRE(strstr(tosajit_last_error(), path));
    REQUIRE(!chmod(scratch, 0777));
    options.cache_directory = scratch;
    REQUIRE(tosajit_engine_create(&options, &engine) == TOSAJIT_INVALID_ARGUMENT && !engine);
    REQUIRE(strstr(tosajit_last_error(), "can be written by others"));
}

static void unsafe_directories_are_refused(void **state) { scratch_in_child(refuse_directory, 0); }

static void use_environment(void) {
    REQUIRE(!setenv("TOSAJIT_CACHE_DIR", scratch, 1));
    tosajit_engine *engine;
    REQUIRE(!tosajit_engine_create(NULL, &engine));
    tosajit_kernel_release(compile(engine, TOSAJIT_OP_add, TOSAJIT_I32));
    tosajit_engine_destroy(engine);
    REQUIRE(count_entries() == 1);
}

/* A variable is no reason to fail: one warning, and no cache. */
static void use_unsafe_environment(void) {
    char text[512] = "";
    int ends[2];
    REQUIRE(!chmod(scratch, 0777) && !setenv("TOSAJIT_CACHE_DIR", scratch, 1));
    REQUIRE(!pipe(ends) && dup2(ends[1], STDERR_FILENO) >= 0 &&
            !fcntl(ends[0], F_SETFL, O_NONBLOCK));
    for (int k = 0; k < 2; k++) {
        tosajit_engine *engine;
        REQUIRE(!tosajit_engine_create(NULL, &engine));
        tosajit_kernel_release(compile(engine, TOSAJIT_OP_sub, TOSAJIT_I32));
        tosajit_engine_destroy(engine);
    }
    ssize_t size = read(ends[0], text, sizeof text - 1);
    if (size <= 0 || !strstr(text, "TOSAJIT_CACHE_DIR: the cache directory") ||
        strchr(text, '\n') != text + size - 1)
        _exit(3);
    if (count_entries() != 1) _exit(4);
}

static void the_environment_asks_for_a_directory(void **state) {
    scratch_in_child(use_environment, 0);
    scratch_in_child(use_unsafe_environment, 0);
}

/* Compile, run and check until killed. */
static void work(unsigned seed) {
    /* A few entries: they come and go. */
    tosajit_engine *engine = open_engine((tosajit_engine_options){.cache_bytes = 20000});
    for (;;) {
        tosajit_op op = ops[rand_r(&seed) % OPS];
        tosajit_kernel *kernel = compile(engine, op, TOSAJIT_I32);
        REQUIRE(computes(kernel, op));
        tosajit_kernel_release(kernel);
    }
}

static void killed_processes_leave_a_sound_cache(void **state) {
    scratch_storm(&(storm){work, .processes = 3, .kills = 40, .longest_pause = 60000});
    for_entries(empty); /* whatever is there by chance */
    scratch_in_child(compile_again, 0);
    scratch_in_child(find_later, 0);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST_IN_SCRATCH(a_later_process_needs_no_compiler),
                    TEST_IN_SCRATCH(what_is_too_large_is_not_tried_again),
                    TEST_IN_SCRATCH(a_background_engine_finds_code_at_once),
                    TEST_IN_SCRATCH(what_changes_the_code_is_in_the_key),
                    TEST_IN_SCRATCH(damaged_entries_are_compiled_anew),
                    TEST_IN_SCRATCH(unsafe_directories_are_refused),
                    TEST_IN_SCRATCH(the_environment_asks_for_a_directory),
                    TEST_IN_SCRATCH(killed_processes_leave_a_sound_cache));
}
