/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nothing left: every allocation, mapping, file call and thread refused in turn, and limits of the
 * process. A call then gives a status; nothing crashes, leaks or is left half made, and the next
 * call works.
 *
 * What no library can promise: where memory runs out inside LLVM itself, LLVM ends the process
 * (docs/testing.md). A day refuses an eighth of them, TOSAJIT_THIN=1 all, TOSAJIT_THIN=<n> every
 * n-th.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/account.h"
#include "tests/support/cmocka.h"
#include "tests/support/process.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)

/* System calls that fail: this program's definitions, which the linker exports (TOSAJIT_API says
 * that it may), come before the C library's, for LLVM too. The C library's own heap and streams do
 * not ask them. */
typedef enum call_kind { MAPPINGS, FILES } call_kind;
enum { CUT_SHORT = 0 }; /* no error: a block is read or written in part */
static struct {
    call_kind kind;
    unsigned count, fail_at;
    int error;
} system_calls;

static bool is_refused(call_kind kind) {
    if (kind != system_calls.kind || ++system_calls.count != system_calls.fail_at) return false;
    errno = system_calls.error;
    return true;
}

static void refuse_call(call_kind kind, unsigned number, int error) {
    system_calls.kind = kind;
    system_calls.count = 0;
    system_calls.fail_at = number;
    system_calls.error = error;
}

TOSAJIT_API void *mmap(void *address, size_t size, int protection, int flags, int file,
                       off_t offset) {
    if (is_refused(MAPPINGS)) return MAP_FAILED;
    long mapped = syscall(SYS_mmap, address, size, protection, flags, file, offset);
    return (void *)mapped;
}

TOSAJIT_API int mprotect(void *address, size_t size, int protection) {
    return is_refused(MAPPINGS) ? -1 : (int)syscall(SYS_mprotect, address, size, protection);
}

static bool is_refused_whole(void) { return is_refused(FILES) && system_calls.error != CUT_SHORT; }

static size_t refused_size(size_t size) {
    return system_calls.error == CUT_SHORT ? (size + 1) / 2 : 0;
}

static int open_at(int folder, const char *path, int flags, va_list arguments) {
    const unsigned mode = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
    return is_refused_whole() ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

TOSAJIT_API int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int file = open_at(AT_FDCWD, path, flags, arguments);
    va_end(arguments);
    return file;
}

TOSAJIT_API int openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int file = open_at(folder, path, flags, arguments);
    va_end(arguments);
    return file;
}

TOSAJIT_API ssize_t read(int file, void *bytes, size_t size) {
    if (is_refused(FILES) && !(size = refused_size(size))) return -1;
    return syscall(SYS_read, file, bytes, size);
}

TOSAJIT_API ssize_t write(int file, const void *bytes, size_t size) {
    if (is_refused(FILES) && !(size = refused_size(size))) return -1;
    return syscall(SYS_write, file, bytes, size);
}

TOSAJIT_API int fstat(int file, struct stat *about) {
    return is_refused_whole() ? -1 : (int)syscall(SYS_fstat, file, about);
}

TOSAJIT_API int mkdir(const char *path, mode_t mode) {
    return is_refused_whole() ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

TOSAJIT_API int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return is_refused_whole() ? -1
                              : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

TOSAJIT_API int rename(const char *from, const char *to) {
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* The file is closed all the same. */
TOSAJIT_API int close(int file) {
    int failed = (int)syscall(SYS_close, file);
    return is_refused_whole() ? -1 : failed;
}

/* Threads: so many more at once. */
enum { ANY_NUMBER = 1 << 20 };
static atomic_int threads_left = ANY_NUMBER;

typedef struct thread_body {
    void *(*work)(void *);
    void *argument;
} thread_body;

static void *work_and_count(void *argument) {
    thread_body body = *(thread_body *)argument;
    free(argument);
    void *result = body.work(body.argument);
    atomic_fetch_add(&threads_left, 1);
    return result;
}

TOSAJIT_API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                               void *(*work)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    thread_body *body = atomic_fetch_sub(&threads_left, 1) > 0 ? malloc(sizeof *body) : NULL;
    if (body) *body = (thread_body){work, argument};
    int failed = body ? real(thread, attributes, work_and_count, body) : EAGAIN;
    if (failed) {
        atomic_fetch_add(&threads_left, 1);
        free(body);
    }
    return failed;
}

/* A directory for what is stored. */

static char directory[] = "/tmp/tosajit-exhaustion-XXXXXX", image_path[64];

/* Remove its files; returns how many of them nobody would ever read. */
static int empty_directory(void) {
    int leftovers = 0;
    DIR *stream = opendir(directory);
    assert_non_null(stream);
    for (struct dirent *d; (d = readdir(stream));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", directory, d->d_name);
        if (*d->d_name == '.' && !strstr(d->d_name, "write")) continue;
        leftovers += !strstr(d->d_name, ".kernel") && strcmp(path, image_path) != 0;
        unlink(path);
    }
    closedir(stream);
    return leftovers;
}

static int make_directory(void **state) {
    if (!mkdtemp(directory)) return -1;
    snprintf(image_path, sizeof image_path, "%s/image", directory);
    return 0;
}

static int remove_directory(void **state) {
    empty_directory();
    return rmdir(directory);
}

static int count_descriptors(void) {
    int count = 0;
    for (int k = 0; k < 256; k++) count += fcntl(k, F_GETFD) >= 0;
    return count;
}

/* Scenarios: together they reach everything that allocates. Each gives the first status that is not
 * OK. */

typedef struct objects {
    const tosajit_allocator *allocator;
    tosajit_engine *engine;
    tosajit_expr *expr;
    tosajit_kernel *kernel, *again;
} objects;

static void release(objects *o) {
    tosajit_kernel_release(o->again);
    tosajit_kernel_release(o->kernel);
    tosajit_expr_destroy(o->expr);
    tosajit_engine_destroy(o->engine);
}

static tosajit_status start(objects *o, const tosajit_engine_options *options) {
    tosajit_engine_options engine = *options;
    tosajit_expr_options expr = {.size = sizeof expr, .allocator = o->allocator};
    engine.size = sizeof engine;
    engine.allocator = o->allocator;
    tosajit_status status = tosajit_engine_create(&engine, &o->engine);
    return status ? status : tosajit_expr_create(&expr, &o->expr);
}

static tosajit_status finish(objects *o, tosajit_value result) {
    tosajit_status status = tosajit_expr_result(o->expr, result);
    if (!status) status = tosajit_compile_expr(o->engine, o->expr, &o->kernel);
    if (!status) status = tosajit_kernel_wait(o->kernel);
    if (!status) status = tosajit_compile_expr(o->engine, o->expr, &o->again);
    return status;
}

static const tosajit_engine_options automatic = {.backend = TOSAJIT_BACKEND_AUTO},
                                    native = {.backend = TOSAJIT_BACKEND_NATIVE},
                                    precompiled = {.backend = TOSAJIT_BACKEND_PRECOMPILED},
                                    background = {.backend = TOSAJIT_BACKEND_BACKGROUND},
                                    interpreted = {.backend = TOSAJIT_BACKEND_INTERPRET},
                                    threaded = {.threads = 2},
                                    storing = {.backend = TOSAJIT_BACKEND_NATIVE,
                                               .cache_directory = directory};

static const float row_numbers[4] = {1, 2, 3, 4};

/* The kernel of dynamic_sizes over a transposed view, which is packed. */
static tosajit_status run_dynamic_sizes(const tosajit_kernel *kernel) {
    const int64_t dims[2] = {3, 4}, strides[2] = {4, 12};
    float a[12], r[12];
    for (int k = 0; k < 12; k++) a[k] = (float)k;
    tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, a, 2, dims),
                   result = tosajit_dense(TOSAJIT_F32, r, 2, dims);
    operand.strides = strides;
    tosajit_status status = tosajit_run(kernel, &operand, 1, &result, 1);
    for (int k = 0; !status && k < 12; k++)
        assert_true(r[k] == a[k % 4 * 3 + k / 4] + row_numbers[k % 4]);
    return status;
}

/* x + row, with a contract. */
static tosajit_status dynamic_sizes(objects *o, const tosajit_engine_options *options) {
    const tosajit_contract contract = {.smallest = 2};
    tosajit_tensor_type type = test_type(TOSAJIT_F32, "?x?"), row = test_type(TOSAJIT_F32, "1x4");
    tosajit_value x, c, sum;
    tosajit_status status = start(o, options);
    if (!status) status = tosajit_expr_input(o->expr, &type, &x);
    if (!status) status = tosajit_expr_contract(o->expr, x, 1, &contract);
    if (!status) status = tosajit_expr_constant(o->expr, &row, row_numbers, &c);
    if (!status)
        status =
            tosajit_expr_op(o->expr, TOSAJIT_OP_add, (tosajit_value[]){x, c}, 2, NULL, NULL, &sum);
    if (!status) status = finish(o, sum);
    return status ? status : run_dynamic_sizes(o->kernel);
}

/* The same, read from a text. */
static tosajit_status text(objects *o, const tosajit_engine_options *options) {
    static const char sum[] = "x: f32[?,?]; r = x + [[1, 2, 3, 4]]";
    const tosajit_parse_options reading = {.size = sizeof reading, .allocator = o->allocator};
    tosajit_status status = start(o, options);
    tosajit_expr_destroy(o->expr);
    o->expr = NULL;
    if (!status) status = tosajit_expr_parse(sum, sizeof sum - 1, &reading, &o->expr);
    if (!status) status = tosajit_compile_expr(o->engine, o->expr, &o->kernel);
    if (!status) status = tosajit_compile_expr(o->engine, o->expr, &o->again);
    return status ? status : run_dynamic_sizes(o->kernel);
}

/* Code that one engine keeps in a directory and the next one finds there. */
static size_t found_stored;
static tosajit_status stored(objects *o, const tosajit_engine_options *options) {
    objects first = {.allocator = o->allocator};
    tosajit_stats stats = {.size = sizeof stats};
    tosajit_status status = dynamic_sizes(&first, options);
    release(&first);
    if (!status) status = dynamic_sizes(o, options);
    if (!status) status = tosajit_engine_stats(o->engine, &stats);
    found_stored += stats.restored;
    return status;
}

/* Put another kernel in the place of o->again, and run it. */
static tosajit_status use_loaded(objects *o, tosajit_status status, tosajit_kernel **loaded) {
    if (status) {
        assert_null(*loaded);
        return status;
    }
    tosajit_kernel_release(o->again);
    o->again = *loaded;
    return run_dynamic_sizes(*loaded);
}

/* A kernel saved and loaded, in memory and as a file. */
static tosajit_status images(objects *o, const tosajit_engine_options *options) {
    const tosajit_load_options loading = {.size = sizeof loading, .allocator = o->allocator};
    tosajit_kernel *loaded = NULL;
    size_t size = 0;
    tosajit_status status = dynamic_sizes(o, options);
    if (!status) status = tosajit_kernel_save(o->kernel, NULL, 0, &size);
    void *image = malloc(size + 1);
    assert_non_null(image);
    if (!status) status = tosajit_kernel_save(o->kernel, image, size, &size);
    if (!status)
        status = use_loaded(o, tosajit_kernel_load(image, size, &loading, &loaded), &loaded);
    free(image);
    loaded = NULL;
    if (!status) status = tosajit_kernel_save_file(o->kernel, image_path);
    if (!status)
        status = use_loaded(o, tosajit_kernel_load_file(image_path, &loading, &loaded), &loaded);
    return status;
}

/* A table of equal entries, which is expanded, looked up, and rescaled per channel. */
static tosajit_status tables(objects *o, const tosajit_engine_options *options) {
    tosajit_tensor_type type = test_type(TOSAJIT_I8, "?x2"), entries = test_type(TOSAJIT_I8, "256"),
                        wide = test_type(TOSAJIT_I32, "?x2"),
                        channels = test_type(TOSAJIT_I32, "2"), shifts = test_type(TOSAJIT_I8, "2"),
                        zero8 = test_type(TOSAJIT_I8, "1"), zero32 = test_type(TOSAJIT_I32, "1");
    int8_t table[256], shift[2] = {31, 30}, zero = 0, a[4] = {1, 2, 3, 4};
    int32_t multiplier[2] = {1 << 30, 1 << 30}, zero_wide = 0, r[4];
    const int64_t dims[2] = {2, 2};
    tosajit_attributes scaling = {.scale32 = 1, .per_channel = 1};
    tosajit_value v[7], looked_up, scaled;
    memset(table, 10, sizeof table);
    tosajit_status status = start(o, options);
    if (!status) status = tosajit_expr_input(o->expr, &type, &v[0]);
    if (!status) status = tosajit_expr_constant(o->expr, &entries, table, &v[1]);
    if (!status) status = tosajit_expr_op(o->expr, TOSAJIT_OP_table, v, 2, NULL, NULL, &looked_up);
    if (!status) status = tosajit_expr_constant(o->expr, &channels, multiplier, &v[3]);
    if (!status) status = tosajit_expr_constant(o->expr, &shifts, shift, &v[4]);
    if (!status) status = tosajit_expr_constant(o->expr, &zero8, &zero, &v[5]);
    if (!status) status = tosajit_expr_constant(o->expr, &zero32, &zero_wide, &v[6]);
    if (!status) {
        v[2] = looked_up;
        status = tosajit_expr_op(o->expr, TOSAJIT_OP_rescale, &v[2], 5, &scaling, &wide, &scaled);
    }
    if (!status) status = finish(o, scaled);
    tosajit_tensor operand = tosajit_dense(TOSAJIT_I8, a, 2, dims),
                   result = tosajit_dense(TOSAJIT_I32, r, 2, dims);
    if (!status) status = tosajit_run(o->kernel, &operand, 1, &result, 1);
    if (!status) status = test_run_bound(o->kernel, &operand, 1, &result, 1);
    if (!status) assert_true(r[0] == 5 && r[1] == 10 && r[2] == 5 && r[3] == 10);
    return status;
}

/* Results of several spaces, 600 nodes, interpreted and native, and texts about it. */
static tosajit_status large(objects *o, const tosajit_engine_options *options) {
    tosajit_tensor_type type = test_type(TOSAJIT_F32, "?x3"), row = test_type(TOSAJIT_F32, "1x3");
    float a[6] = {0}, b[3] = {1, 2, 3}, r[6], n[3];
    const int64_t dims[2] = {2, 3}, row_dims[2] = {1, 3};
    tosajit_value x = 0, c, negated = 0;
    tosajit_status status = start(o, options);
    if (!status) status = tosajit_expr_input(o->expr, &type, &x);
    if (!status) status = tosajit_expr_input(o->expr, &row, &c);
    if (!status) status = tosajit_expr_op(o->expr, TOSAJIT_OP_negate, &c, 1, NULL, NULL, &negated);
    for (int k = 0; !status && k < 600; k++)
        status = tosajit_expr_op(o->expr, TOSAJIT_OP_sub, (tosajit_value[]){x, negated}, 2, NULL,
                                 NULL, &x);
    if (!status) status = tosajit_expr_result(o->expr, x);
    if (!status) status = finish(o, negated);
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 2, dims),
                                  tosajit_dense(TOSAJIT_F32, b, 2, row_dims)};
    tosajit_tensor results[2] = {tosajit_dense(TOSAJIT_F32, r, 2, dims),
                                 tosajit_dense(TOSAJIT_F32, n, 2, row_dims)};
    if (!status) status = tosajit_run(o->kernel, operands, 2, results, 2);
    if (!status) status = test_run_bound(o->kernel, operands, 2, results, 2);
    if (!status) status = tosajit_run_interpreted(o->kernel, operands, 2, results, 2);
    if (!status) assert_true(r[0] == 600 && r[5] == 1800 && n[2] == -3);
    char *text = NULL;
    if (!status) status = tosajit_print(o->engine, o->expr, TOSAJIT_VIEW_PLAN, &text);
    tosajit_text_release(text);
    return status;
}

/* One op, without an expression of the caller's. */
static tosajit_status single(objects *o, const tosajit_engine_options *options) {
    tosajit_tensor_type type = test_type(TOSAJIT_I32, "?x?x?"), types[2] = {type, type};
    int32_t a = 20, b = 3, r = 0;
    const int64_t dims[3] = {1, 1, 1};
    tosajit_status status = start(o, options);
    if (!status)
        status = tosajit_compile(o->engine, TOSAJIT_OP_intdiv, types, 2, NULL, NULL, &o->kernel);
    if (!status) status = tosajit_kernel_wait(o->kernel);
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_I32, &a, 3, dims),
                                  tosajit_dense(TOSAJIT_I32, &b, 3, dims)};
    tosajit_tensor result = tosajit_dense(TOSAJIT_I32, &r, 3, dims);
    if (!status) status = test_run_bound(o->kernel, operands, 2, &result, 1);
    if (!status) assert_int_equal(r, 6);
    return status;
}

static const struct {
    const char *name;
    tosajit_status (*run)(objects *, const tosajit_engine_options *);
    const tosajit_engine_options *options;
} scenarios[] = {
    {"dynamic", dynamic_sizes, &automatic},
    {"dynamic, interpreted", dynamic_sizes, &interpreted},
    {"dynamic, background", dynamic_sizes, &background},
    {"text", text, &automatic},
    {"dynamic, precompiled", dynamic_sizes, &precompiled},
    {"tables", tables, &automatic},
    {"tables, interpreted", tables, &interpreted},
    {"tables, precompiled", tables, &precompiled},
    {"large", large, &automatic},
    {"large, interpreted", large, &interpreted},
    {"large, precompiled", large, &precompiled},
    {"single", single, &automatic},
    {"single, threads", single, &threaded},
    {"stored", stored, &storing},
    {"images", images, &native},
};
/* The first that uses files. */
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, WITH_FILES = SCENARIOS - 2 };

static tosajit_status run_scenario(size_t k, const tosajit_allocator *allocator) {
    objects o = {.allocator = allocator};
    tosajit_status status = scenarios[k].run(&o, scenarios[k].options);
    if (status) assert_true(strlen(tosajit_last_error()) > 8);
    release(&o);
    assert_int_equal(empty_directory(), 0);
    return status;
}

static size_t thinning(void) {
    enum { STANDARD_THINNING = 8 };
    const size_t n = (size_t)test_setting("TOSAJIT_THIN", STANDARD_THINNING);
    return n > 0 ? n : 1;
}

/* The first that fails, of each n-th: with another scenario, error or day other ones. */
static size_t first_of(size_t variant) { return 1 + (variant + test_seed()) % thinning(); }

static void every_allocation_fails_once(void **state) {
    const size_t step = thinning();
    account a = {0};
    const tosajit_allocator allocator = account_allocator(&a);
    size_t refused = 0, total = 0;
    for (size_t k = 0; k < SCENARIOS; k++) {
        a = (account){0};
        CHECK(run_scenario(k, &allocator));
        assert_int_equal(a.live, 0);
        size_t count = a.count;
        assert_true(count > 3);
        for (size_t at = first_of(k); at <= count; at += step)
            for (int then_on = 0; then_on < 2; then_on++) {
                a = (account){.fail_at = at, .from_then_on = then_on};
                tosajit_status status = run_scenario(k, &allocator);
                if (status != TOSAJIT_OK && status != TOSAJIT_OUT_OF_MEMORY)
                    fail_msg("%s, allocation %zu: %s: %s", scenarios[k].name, at,
                             tosajit_status_name(status), tosajit_last_error());
                if (a.live)
                    fail_msg("%s, allocation %zu: %zu bytes leaked", scenarios[k].name, at, a.live);
                refused += status != TOSAJIT_OK;
                total++;
            }
    }
    print_message("%zu allocations failed, %zu of them a call\n", total, refused);
    assert_true(found_stored > 0);
    /* Without memory to be remembered or waited for, a kernel is still made. */
    assert_true(refused > total / 2);
}

/* Mappings refused while kernels are made. LLVM may report it in any way but by ending the process.
 */
static void every_mapping_fails_once(void **state) {
    static const int errors[] = {ENOMEM, EPERM, EACCES};
    const size_t step = thinning();
    size_t refused = 0, total = 0;
    for (size_t k = 0; k < SCENARIOS; k++)
        for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
            refuse_call(MAPPINGS, 0, 0);
            CHECK(run_scenario(k, NULL));
            const size_t count = system_calls.count;
            for (size_t at = first_of(k + e); at <= count; at += step) {
                refuse_call(MAPPINGS, (unsigned)at, errors[e]);
                tosajit_status status = run_scenario(k, NULL);
                refuse_call(MAPPINGS, 0, 0);
                bool expected = status == TOSAJIT_OK || status == TOSAJIT_OUT_OF_MEMORY ||
                                status == TOSAJIT_NOT_EXECUTABLE ||
                                status == TOSAJIT_CODEGEN_FAILED;
                if (!expected)
                    fail_msg("%s, mapping %zu: %s: %s", scenarios[k].name, at,
                             tosajit_status_name(status), tosajit_last_error());
                refused += status != TOSAJIT_OK;
                total++;
            }
        }
    print_message("%zu mappings failed, %zu of them a call\n", total, refused);
    assert_true(total > 0);
}

/* True if the file is a whole image. An error while it was written must have left none, or the one
 * before. */
static bool is_sound_image(void) {
    tosajit_kernel *kernel = NULL;
    if (access(image_path, F_OK) != 0) return true;
    bool sound = !tosajit_kernel_load_file(image_path, NULL, &kernel) && !run_dynamic_sizes(kernel);
    tosajit_kernel_release(kernel);
    return sound;
}

/* Full and read-only disks, limits, signals: what is stored for later may fail to be, but no call
 * for it; what was asked for says so. */
static void every_file_call_fails_once(void **state) {
    static const int errors[] = {ENOSPC, EROFS, EIO, EMFILE, EINTR, CUT_SHORT};
    const size_t step = thinning();
    size_t refused = 0, total = 0;
    for (size_t k = WITH_FILES; k < SCENARIOS; k++)
        for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
            refuse_call(FILES, 0, 0);
            CHECK(run_scenario(k, NULL));
            const size_t count = system_calls.count;
            assert_true(count > 5);
            for (size_t at = first_of(k + e); at <= count; at += step) {
                const int descriptors = count_descriptors();
                refuse_call(FILES, (unsigned)at, errors[e]);
                objects o = {.allocator = NULL};
                tosajit_status status = scenarios[k].run(&o, scenarios[k].options);
                refuse_call(FILES, 0, 0);
                release(&o);
                if (!is_sound_image())
                    fail_msg("%s, file call %zu, error %d: a broken image is left",
                             scenarios[k].name, at, errors[e]);
                if (empty_directory() > 0)
                    fail_msg("%s, file call %zu, error %d: a file is left", scenarios[k].name, at,
                             errors[e]);
                if (status != TOSAJIT_OK && status != TOSAJIT_INVALID_ARGUMENT &&
                    status != TOSAJIT_BAD_IMAGE)
                    fail_msg("%s, file call %zu: %s: %s", scenarios[k].name, at,
                             tosajit_status_name(status), tosajit_last_error());
                if (errors[e] == CUT_SHORT) assert_int_equal(status, TOSAJIT_OK);
                assert_int_equal(count_descriptors(), descriptors);
                refused += status != TOSAJIT_OK;
                total++;
            }
        }
    print_message("%zu file calls failed, %zu of them a call\n", total, refused);
    assert_true(refused > 0 && refused < total);
}

/* After a refusal the same engine goes on. */
static void an_engine_survives_its_failures(void **state) {
    account a = {0};
    const tosajit_allocator allocator = account_allocator(&a);
    objects o = {.allocator = &allocator};
    CHECK(single(&o, &automatic));
    size_t live = a.live;
    tosajit_tensor_type types[2] = {test_type(TOSAJIT_F32, "?x3"), test_type(TOSAJIT_F32, "1x3")};
    for (size_t at = 1; at < 40; at += test_thinning())
        for (int mapping = 0; mapping < 2; mapping++) {
            tosajit_kernel *kernel = NULL;
            a.count = 0;
            a.fail_at = mapping ? 0 : at;
            refuse_call(MAPPINGS, mapping ? (unsigned)at : 0, ENOMEM);
            tosajit_status status =
                tosajit_compile(o.engine, TOSAJIT_OP_pow, types, 2, NULL, NULL, &kernel);
            a.fail_at = system_calls.fail_at = 0;
            assert_int_equal(status == TOSAJIT_OK, kernel != NULL);
            tosajit_kernel_release(kernel);
            assert_int_equal(a.live, live);
            CHECK(tosajit_compile(o.engine, TOSAJIT_OP_pow, types, 2, NULL, NULL, &kernel));
            tosajit_kernel_release(kernel);
        }
    tosajit_stats stats = {.size = sizeof stats};
    CHECK(tosajit_engine_stats(o.engine, &stats));
    assert_int_equal(stats.kernels, 1);
    release(&o);
    assert_int_equal(a.live, 0);
}

/* Limits of the process, each in a child of its own. */

static int in_child(int (*child)(long argument), long argument) {
    fflush(NULL);
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        test_limit_processor_time(60);
        _exit(child(argument));
    }
    int status = 0;
    assert_int_equal(waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int without_files(long argument) {
    const struct rlimit none = {3, 3}, no_bytes = {0, 0};
    (void)argument;
    if (setrlimit(RLIMIT_NOFILE, &none) || setrlimit(RLIMIT_FSIZE, &no_bytes)) return 1;
    for (size_t k = 0; k < WITH_FILES; k++) {
        objects o = {.allocator = NULL};
        tosajit_status status = scenarios[k].run(&o, scenarios[k].options);
        release(&o);
        if (status) return 2;
    }
    return 0;
}

static void no_files_are_needed(void **state) { assert_int_equal(in_child(without_files, 0), 0); }

/* 0: a status, no signal, and no file. */
static int with_small_files(long bytes) {
    const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    objects o = {.allocator = NULL};
    if (setrlimit(RLIMIT_FSIZE, &limit)) return 1;
    tosajit_status status = images(&o, &storing); /* keeps its code, too */
    bool said = strstr(tosajit_last_error(), strerror(EFBIG)) != NULL;
    release(&o);
    if (access(image_path, F_OK) == 0 || empty_directory()) return 2;
    return status == TOSAJIT_INVALID_ARGUMENT && said ? 0 : 3;
}

static void files_may_be_limited(void **state) {
    assert_int_equal(in_child(with_small_files, 0), 0);
    assert_int_equal(in_child(with_small_files, 100), 0);
}

enum { POOL = 4 };

/* 0: everything goes on with the threads that there are. */
static int with_few_threads(long more) {
    const tosajit_engine_options pool = {.threads = POOL},
                                 *ways[] = {&background, &pool, &automatic};
    atomic_store(&threads_left, (int)more);
    for (int k = 0; k < 3; k++) {
        objects o = {.allocator = NULL};
        const tosajit_status status = single(&o, ways[k]);
        release(&o);
        if (status) return 1 + k;
    }
    return 0;
}

/* -x of this rank, asked for twice; null if its kernel is another one, or computes something else.
 */
static tosajit_kernel *negation(tosajit_engine *engine, int32_t rank) {
    tosajit_tensor_type type = {TOSAJIT_I32, rank, {0}};
    int64_t dims[TOSAJIT_MAX_RANK];
    int32_t x = 5, r = 0;
    for (int d = 0; d < TOSAJIT_MAX_RANK; d++) type.dims[d] = TOSAJIT_DYNAMIC, dims[d] = 1;
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_I32, &x, rank, dims),
                         result = tosajit_dense(TOSAJIT_I32, &r, rank, dims);
    tosajit_kernel *kernels[2] = {NULL};
    for (int k = 0; k < 2; k++)
        if (tosajit_compile(engine, TOSAJIT_OP_negate, &type, 1, NULL, NULL, &kernels[k]))
            return NULL;
    tosajit_kernel_release(kernels[1]);
    if (kernels[0] != kernels[1] || tosajit_run(kernels[0], &operand, 1, &result, 1) || r != -5)
        return NULL;
    return kernels[0];
}

/* 0: kernels answer without a thread, are compiled by who waits, and let go of; and by a thread as
 * soon as the system gives one. */
static int without_a_thread(long rounds) {
    enum { RANKS = 16 };
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_BACKGROUND};
    tosajit_engine *engine;
    tosajit_kernel *kernels[RANKS];
    tosajit_stats stats = {.size = sizeof stats};
    atomic_store(&threads_left, 0);
    if (tosajit_engine_create(&options, &engine)) return 1;
    for (long k = 0; k < rounds * RANKS; k++) {
        tosajit_kernel *kernel = negation(engine, (int32_t)(k % RANKS));
        if (!kernel || tosajit_kernel_is_native(kernel)) return 2;
        tosajit_kernel_release(kernel);
    }
    for (int k = 0; k < RANKS; k++) kernels[k] = negation(engine, k);
    if (tosajit_kernel_wait(kernels[7]) || !tosajit_kernel_is_native(kernels[7])) return 3;
    if (tosajit_kernel_wait(kernels[7]) || tosajit_kernel_is_native(kernels[8])) return 4;
    for (int k = 9; k < RANKS; k++) tosajit_kernel_release(kernels[k]);
    for (int k = 0; k < 9; k++) tosajit_kernel_release(negation(engine, k));
    atomic_store(&threads_left, ANY_NUMBER);
    for (int k = 0; k < 9; k++)
        if (tosajit_kernel_wait(kernels[k]) || !tosajit_kernel_is_native(kernels[k])) return 5;
    for (int k = 0; k < 8; k++) tosajit_kernel_release(kernels[k]);
    tosajit_engine_destroy(engine);
    if (tosajit_kernel_wait(kernels[8])) return 6;
    tosajit_kernel_release(kernels[8]);

    atomic_store(&threads_left, 0);
    if (tosajit_engine_create(&options, &engine)) return 7;
    for (int k = 0; k < RANKS; k++) kernels[k] = negation(engine, k);
    for (int k = 1; k < RANKS; k++) tosajit_kernel_release(kernels[k]);
    for (int k = 0; k < 3; k++) { /* each kernel that is made lets go of two */
        const tosajit_tensor_type type = test_type(TOSAJIT_F32, "?x?x?");
        const tosajit_op op = k ? k > 1 ? TOSAJIT_OP_sin : TOSAJIT_OP_cos : TOSAJIT_OP_exp;
        if (tosajit_compile(engine, op, &type, 1, NULL, NULL, &kernels[k + 1])) return 8;
        tosajit_kernel_release(kernels[k + 1]);
    }
    if (tosajit_engine_stats(engine, &stats) || stats.kernels > RANKS - 3) return 9;
    tosajit_engine_destroy(engine);
    if (tosajit_kernel_wait(kernels[0]) != TOSAJIT_NOT_EXECUTABLE) return 10;
    tosajit_kernel_release(kernels[0]);
    return 0;
}

static void compiling_needs_no_thread(void **state) {
    assert_int_equal(in_child(without_a_thread, 1), 0);
    assert_int_equal(in_child(without_a_thread, 5), 0);
}

static void threads_may_be_refused(void **state) {
    for (long more = 0; more <= POOL; more++) assert_int_equal(in_child(with_few_threads, more), 0);
}

/* So many more bytes than there are in use; 0: every call gave a status. */
static int with_little_memory(long more) {
    struct rlimit limit;
    objects o = {.allocator = NULL};
    tosajit_status status = start(&o, &native);
    if (status) return 1;
    size_t used = process_addresses();
    limit.rlim_cur = limit.rlim_max = used + (size_t)more;
    if (used == 0 || setrlimit(RLIMIT_AS, &limit)) return 2;
    bool all = true;
    tosajit_kernel *kernels[64] = {NULL};
    for (unsigned k = 0; k < 64; k++) {
        tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){k + 1});
        status = tosajit_compile(o.engine, TOSAJIT_OP_erf, &type, 1, NULL, NULL, &kernels[k]);
        if (status && status != TOSAJIT_OUT_OF_MEMORY && status != TOSAJIT_NOT_EXECUTABLE) return 3;
        if (!status && !tosajit_kernel_is_native(kernels[k])) return 4;
        all &= !status;
    }
    for (unsigned k = 0; k < 64; k++) tosajit_kernel_release(kernels[k]);
    release(&o);
    return all ? 0 : 100; /* some were refused, and said so */
}

static void little_memory_is_refused_before_llvm_has_none(void **state) {
    if (test_is_emulated()) {
        print_message("*** NOT TESTED: limits of address space, which is the emulator's\n");
        return;
    }
    int refused = 0, done = 0;
    for (long more = 0; more <= 64 << 20; more = more ? more * 2 : 1 << 12) {
        int code = in_child(with_little_memory, more);
        if (code != 0 && code != 100) fail_msg("with %ld KiB: exit code %d", more >> 10, code);
        refused += code == 100;
        done += code == 0;
    }
    assert_true(refused > 0 && done > 0);
}

/* Expressions that LLVM would need gigabytes for, or nearly as much as a kernel may take. */
static const struct {
    tosajit_op op;
    tosajit_type element;
    int nodes, results; /* each with an input more; 0: the last node */
    const char *cpu;    /* null: this one */
} large_expressions[] = {
    {TOSAJIT_OP_pow, TOSAJIT_F32, 60000, 1, NULL},
    {TOSAJIT_OP_add, TOSAJIT_F32, 2000, 31, NULL},
    {TOSAJIT_OP_pow, TOSAJIT_F32, 60, 1, NULL},
    {TOSAJIT_OP_exp, TOSAJIT_F32, 700, 1, NULL},
    {TOSAJIT_OP_intdiv, TOSAJIT_I64, 400, 1, NULL},
    {TOSAJIT_OP_intdiv, TOSAJIT_I64, 240, 1, NULL}, /* most memory for an instruction */
    {TOSAJIT_OP_add, TOSAJIT_BF16, 600, 1, NULL},
    {TOSAJIT_OP_add, TOSAJIT_F32, 7000, 1, NULL},
    {TOSAJIT_OP_erf, TOSAJIT_F32, 100, 1, NULL},
    /* Code that is generated twice: the first has too large a frame. The second is the CPU of which
     * that takes most, and a limit at which it died. */
    {TOSAJIT_OP_erf, TOSAJIT_F32, 300, 0, NULL},
    {TOSAJIT_OP_erf, TOSAJIT_F32, 300, 0, "x86-64-v2"},
};
enum { LARGE = sizeof large_expressions / sizeof *large_expressions };

static tosajit_status build_large(size_t which, tosajit_expr *expr) {
    const tosajit_op op = large_expressions[which].op;
    tosajit_tensor_type type = test_type(large_expressions[which].element, "?x?");
    tosajit_value x, y, sum;
    tosajit_status status = tosajit_expr_input(expr, &type, &x);
    y = x;
    for (int k = 0; !status && k < large_expressions[which].nodes; k++)
        status = tosajit_expr_op(expr, op, (tosajit_value[]){y, x}, (size_t)tosajit_op_arity(op),
                                 NULL, NULL, &y);
    for (int k = 0; !status && k < large_expressions[which].results; k++) {
        status = tosajit_expr_input(expr, &type, &x);
        if (!status)
            status =
                tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, y}, 2, NULL, NULL, &sum);
        if (!status) status = tosajit_expr_result(expr, sum);
    }
    return status || large_expressions[which].results ? status : tosajit_expr_result(expr, y);
}

/* With so many MiB more than there are in use, one of them; 0: a kernel; 101: no memory; 102: its
 * CPU is none of this machine's. */
static int large_with_little_memory(long argument) {
    struct rlimit limit;
    objects o = {.allocator = NULL};
    tosajit_kernel *first = NULL, *kernel = NULL;
    tosajit_tensor_type type = test_type(TOSAJIT_F32, "?");
    const size_t which = (size_t)argument % LARGE;
    const tosajit_engine_options options = {.backend = TOSAJIT_BACKEND_NATIVE,
                                            .cpu = large_expressions[which].cpu};
    if (start(&o, &options)) return options.cpu ? 102 : 1; /* not a CPU of this machine */
    if (build_large(which, o.expr)) return 1;
    if (tosajit_compile(o.engine, TOSAJIT_OP_exp, &type, 1, NULL, NULL, &first)) return 1;
    const size_t used = process_addresses();
    limit.rlim_cur = limit.rlim_max = used + ((size_t)(argument / LARGE) << 20);
    if (used == 0 || setrlimit(RLIMIT_AS, &limit)) return 2;
    tosajit_status status = tosajit_compile_expr(o.engine, o.expr, &kernel);
    return status == TOSAJIT_OK ? 0 : status == TOSAJIT_OUT_OF_MEMORY ? 101 : 3;
}

/* With enough of it each becomes a kernel, on any CPU: of native code, or of precompiled ops. How
 * much is enough depends on the CPU. A day has an eighth of them. */
static void large_expressions_are_refused_before_llvm_has_no_memory(void **state) {
    static const long sizes[] = {4,   16,  32,  48,  64,  96,  128, 160, 192,
                                 224, 256, 320, 384, 448, 640, 896, 1280};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    size_t done = 0, refused = 0, left_out = 0, expressions = 0;
    if (test_is_emulated()) {
        print_message("*** NOT TESTED: limits of address space, which is the emulator's\n");
        return;
    }
    for (size_t k = first_of(0) - 1; k < LARGE; k += thinning(), expressions++)
        for (size_t s = 0; s < SIZES; s++) {
            int code = in_child(large_with_little_memory, sizes[s] * LARGE + (long)k);
            left_out += code == 102;
            if (code == 102) print_message("*** NOT TESTED: %s\n", large_expressions[k].cpu);
            if (code == 102) break;
            if (code != 0 && code != 101)
                fail_msg("%d times %s with %ld MiB: exit code %d", large_expressions[k].nodes,
                         tosajit_op_name(large_expressions[k].op), sizes[s], code);
            done += code == 0;
            refused += code == 101;
            if (code == 0) break; /* more memory is no harder */
        }
    print_message("%zu kernels, %zu times without memory\n", done, refused);
    assert_int_equal(done, expressions - left_out);
    assert_true(refused > 0);
}

int main(void) {
    return TEST_RUN(make_directory, remove_directory, TEST(every_allocation_fails_once),
                    TEST(every_mapping_fails_once), TEST(every_file_call_fails_once),
                    TEST(an_engine_survives_its_failures), TEST(no_files_are_needed),
                    TEST(files_may_be_limited), TEST(threads_may_be_refused),
                    TEST(compiling_needs_no_thread),
                    TEST(little_memory_is_refused_before_llvm_has_none),
                    TEST(large_expressions_are_refused_before_llvm_has_no_memory));
}
