/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hostile calls and hosts: shapes and memory that no run may accept, each with the words of its
 * refusal; hosts whose floating-point settings are unusual; memory that is never writable and
 * executable at once; nothing on standard error, whatever fails. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)
#define BIG (INT64_C(1) << 40)

/* Who computes. */
static const tosajit_backend kinds[] = {TOSAJIT_BACKEND_AUTO, TOSAJIT_BACKEND_INTERPRET,
                                        TOSAJIT_BACKEND_PRECOMPILED};
enum { KINDS = sizeof kinds / sizeof *kinds };

static tosajit_engine *engine_of(tosajit_backend backend) {
    tosajit_engine_options options = {.size = sizeof options, .backend = backend, .uncached = 1};
    tosajit_engine *engine = NULL;
    CHECK(tosajit_engine_create(&options, &engine));
    return engine;
}

static tosajit_kernel *add_of(tosajit_engine *engine, const char *a, const char *b) {
    tosajit_tensor_type types[2] = {test_type(TOSAJIT_F32, a), test_type(TOSAJIT_F32, b)};
    tosajit_kernel *kernel = NULL;
    CHECK(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel));
    return kernel;
}

/* One tensor of a call: `at` floats into the memory, or no data at all. */
typedef struct row_tensor {
    int32_t rank;
    int64_t dims[3], strides[3];
    enum { DENSE, STRIDED, NO_DIMS } layout;
    enum { A, B, R, NOWHERE } memory;
    int64_t at; /* bytes */
} row_tensor;

typedef struct row {
    const char *a, *b; /* the kernel's operands */
    row_tensor x, y, r;
    tosajit_status status;
    const char *words;
} row;

#define ANY "?x?", "?x?"
#define AT(d0, d1, where, bytes)                                                                   \
    { .rank = 2, .dims = {d0, d1}, .memory = where, .at = bytes }
#define T(d0, d1, where) AT(d0, d1, where, 0)
#define STRIDES(d0, d1, s0, s1, where, bytes)                                                      \
    { 2, {d0, d1}, {s0, s1}, STRIDED, where, bytes }
#define NO_SIZES(where)                                                                            \
    { .rank = 2, .layout = NO_DIMS, .memory = where }
#define RANK(number, where)                                                                        \
    { .rank = number, .dims = {1, 4, 3}, .memory = where }
#define ROOM_FLOATS 4096

static const row rows[] = {
    /* fine calls, beside those that are not */
    {ANY, T(4, 3, A), T(1, 3, B), T(4, 3, R), TOSAJIT_OK, ""},
    {ANY, AT(4, 3, A, 1), AT(1, 3, B, 2), AT(4, 3, R, 3), TOSAJIT_OK, ""},
    {ANY, STRIDES(4, 3, -12, -4, A, 44), STRIDES(4, 3, 0, 0, B, 0), T(4, 3, R), TOSAJIT_OK, ""},
    {ANY, T(4, 3, A), T(4, 3, A), T(4, 3, A), TOSAJIT_OK, ""},
    {ANY, T(0, 3, NOWHERE), T(1, 3, B), T(0, 3, NOWHERE), TOSAJIT_OK, ""},
    {ANY, T(0, INT64_MAX, NOWHERE), T(1, 1, B), T(0, INT64_MAX, NOWHERE), TOSAJIT_OK, ""},
    {ANY, STRIDES(1, 1, INT64_MIN, INT64_MIN, A, 0), T(1, 1, B), T(1, 1, R), TOSAJIT_OK, ""},
    /* sizes */
    {ANY, T(-1, 3, A), T(1, 3, B), T(4, 3, R), TOSAJIT_SHAPE_MISMATCH,
     "operand 0 dimension 0: -1 is not a size"},
    {ANY, T(4, 3, A), T(INT64_MIN, 3, B), T(4, 3, R), TOSAJIT_SHAPE_MISMATCH,
     "operand 1 dimension 0: -9223372036854775808 is not a size"},
    {ANY, T(4, 3, A), T(4, 3, B), T(-4, -3, R), TOSAJIT_SHAPE_MISMATCH,
     "result 0 dimension 0: -4 is not a size"},
    {ANY, T(BIG, BIG, A), T(1, 1, B), T(BIG, BIG, R), TOSAJIT_OVERFLOW,
     "operand 0 dimension 0: 1099511627776 elements with a stride of 4398046511104 bytes"},
    {ANY, STRIDES(BIG, 1, 0, 0, A, 0), STRIDES(1, BIG, 0, 0, B, 0), T(BIG, BIG, R),
     TOSAJIT_OVERFLOW, "result 0"},
    {ANY, T(INT64_MAX, 1, A), T(1, 1, B), T(4, 3, R), TOSAJIT_OVERFLOW, "operand 0"},
    {ANY, T(4, 3, A), T(3, 3, B), T(4, 3, R), TOSAJIT_SHAPE_MISMATCH,
     "size 3 does not broadcast with 4"},
    {ANY, T(4, 3, A), T(0, 3, B), T(4, 3, R), TOSAJIT_SHAPE_MISMATCH,
     "size 0 does not broadcast with 4"},
    {ANY, T(4, 3, A), T(1, 3, B), T(4, 2, R), TOSAJIT_SHAPE_MISMATCH,
     "result 0 dimension 1: the given size is 2, but the operands give 3"},
    {ANY, T(4, 3, A), T(1, 3, B), T(1, 1, R), TOSAJIT_SHAPE_MISMATCH,
     "result 0 dimension 0: the given size is 1"},
    {"4x3", "1x3", T(5, 3, A), T(1, 3, B), T(5, 3, R), TOSAJIT_SHAPE_MISMATCH,
     "operand 0 dimension 0 is 5, but the kernel was compiled for tensor<4x3xf32>"},
    {"4x3", "1x3", T(4, 3, A), T(4, 3, B), T(4, 3, R), TOSAJIT_SHAPE_MISMATCH,
     "operand 1 dimension 0 is 4"},
    {"4x3", "1x3", T(0, 3, A), T(1, 3, B), T(0, 3, R), TOSAJIT_SHAPE_MISMATCH,
     "operand 0 dimension 0 is 0"},
    {ANY, RANK(3, A), T(1, 3, B), T(4, 3, R), TOSAJIT_SHAPE_MISMATCH, "operand 0 has rank 3"},
    {ANY, RANK(-1, A), T(1, 3, B), T(4, 3, R), TOSAJIT_SHAPE_MISMATCH, "operand 0 has rank -1"},
    {ANY, T(4, 3, A), T(1, 3, B), RANK(INT32_MAX, R), TOSAJIT_SHAPE_MISMATCH,
     "result 0 has rank 2147483647"},
    /* pointers */
    {ANY, T(4, 3, NOWHERE), T(1, 3, B), T(4, 3, R), TOSAJIT_INVALID_ARGUMENT,
     "operand 0: data is a null pointer"},
    {ANY, T(4, 3, A), T(1, 3, B), T(4, 3, NOWHERE), TOSAJIT_INVALID_ARGUMENT,
     "result 0: data is a null pointer"},
    {ANY, NO_SIZES(A), T(1, 3, B), T(4, 3, R), TOSAJIT_INVALID_ARGUMENT,
     "operand 0: dims is a null pointer"},
    {ANY, T(4, 3, A), T(1, 3, B), NO_SIZES(R), TOSAJIT_INVALID_ARGUMENT,
     "result 0: dims is a null pointer"},
    /* strides */
    {ANY, STRIDES(4, 3, INT64_MAX, 4, A, 0), T(1, 3, B), T(4, 3, R), TOSAJIT_OVERFLOW,
     "operand 0 dimension 0: 4 elements with a stride of 9223372036854775807 bytes exceed the "
     "address space"},
    {ANY, STRIDES(4, 3, INT64_MIN, 4, A, 0), T(1, 3, B), T(4, 3, R), TOSAJIT_OVERFLOW,
     "a stride of -9223372036854775808 bytes"},
    {ANY, T(4, 3, A), T(1, 3, B), STRIDES(4, 3, 0, 4, R, 0), TOSAJIT_OVERLAP, "result 0 dimension"},
    {ANY, T(4, 3, A), T(1, 3, B), STRIDES(4, 3, 12, 0, R, 0), TOSAJIT_OVERLAP,
     "result 0 dimension 1: a stride of 0 bytes"},
    {ANY, T(4, 3, A), T(1, 3, B), STRIDES(4, 3, 4, 4, R, 0), TOSAJIT_OVERLAP, "does not step over"},
    {ANY, T(4, 3, A), T(1, 3, B), STRIDES(4, 3, 8, 4, R, 0), TOSAJIT_OVERLAP, "does not step over"},
    /* aliasing */
    {ANY, T(4, 3, A), T(1, 3, B), AT(4, 3, A, 4), TOSAJIT_OVERLAP,
     "result 0 and operand 0 share memory"},
    {ANY, T(4, 3, A), T(1, 3, B), AT(4, 3, A, 1), TOSAJIT_OVERLAP,
     "result 0 and operand 0 share memory"},
    {ANY, AT(4, 3, A, 40), T(1, 3, B), T(4, 3, A), TOSAJIT_OVERLAP,
     "result 0 and operand 0 share memory"},
    {ANY, T(4, 3, A), T(1, 3, B), T(4, 3, B), TOSAJIT_OVERLAP,
     "result 0 and operand 1 share memory"},
    {ANY, STRIDES(4, 4, 4, 16, A, 0), T(1, 1, B), T(4, 4, A), TOSAJIT_OVERLAP,
     "only an operand of the same data, strides and sizes"},
    {ANY, STRIDES(4, 3, -12, -4, A, 44), T(1, 3, B), T(4, 3, A), TOSAJIT_OVERLAP, "share memory"},
    /* strides that were counted in elements, or are odd; one that is not used may be */
    {ANY, STRIDES(4, 3, 3, 1, A, 0), T(1, 3, B), T(4, 3, R), TOSAJIT_INVALID_ARGUMENT,
     "operand 0 dimension 1: a stride of 1 is no multiple of the 4 bytes of an f32; strides are in "
     "bytes"},
    {ANY, T(4, 3, A), STRIDES(4, 3, 4, 1, B, 0), T(4, 3, R), TOSAJIT_INVALID_ARGUMENT,
     "operand 1 dimension 1: a stride of 1"},
    {ANY, T(4, 3, A), T(4, 3, B), STRIDES(4, 3, -14, 4, R, 64), TOSAJIT_INVALID_ARGUMENT,
     "result 0 dimension 0: a stride of -14"},
    {ANY, STRIDES(1, 3, 1, 4, A, 0), STRIDES(4, 1, 4, 1, B, 0), T(4, 3, R), TOSAJIT_OK, ""},
};

static float memories[3][ROOM_FLOATS], before[3][ROOM_FLOATS];

static tosajit_tensor place(const row_tensor *t) {
    tosajit_tensor tensor = tosajit_dense(
        TOSAJIT_F32, t->memory == NOWHERE ? NULL : (char *)memories[t->memory] + t->at, t->rank,
        t->dims);
    if (t->layout == STRIDED) tensor.strides = t->strides;
    if (t->layout == NO_DIMS) tensor.dims = NULL;
    return tensor;
}

static void hostile_calls_are_refused_with_reasons(void **state) {
    for (size_t kind = 0; kind < KINDS; kind++) {
        tosajit_engine *engine = engine_of(kinds[kind]);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const row *given = &rows[k];
            tosajit_kernel *kernel = add_of(engine, given->a, given->b);
            tosajit_tensor operands[2] = {place(&given->x), place(&given->y)},
                           result = place(&given->r);
            memset(memories, 0x3d, sizeof memories);
            memcpy(before, memories, sizeof before);
            for (int bound = 0; bound < 2; bound++) {
                tosajit_status status =
                    (bound ? test_run_bound : tosajit_run)(kernel, operands, 2, &result, 1);
                if (status != given->status)
                    fail_msg("row %zu%s: %s: %s", k, bound ? ", bound" : "",
                             tosajit_status_name(status), tosajit_last_error());
                if (status && !strstr(tosajit_last_error(), given->words))
                    fail_msg("row %zu: \"%s\"", k, tosajit_last_error());
                if (status) assert_memory_equal(memories, before, sizeof before);
            }
            tosajit_kernel_release(kernel);
        }
        tosajit_engine_destroy(engine);
    }
}

/* Records of 6 bytes with a float in each, for a host that says so. */
static void any_strides_are_taken_where_the_host_asks(void **state) {
    tosajit_engine_options options = {.size = sizeof options, .any_strides = 1};
    tosajit_engine *engine = NULL;
    CHECK(tosajit_engine_create(&options, &engine));
    tosajit_kernel *kernel = add_of(engine, "?", "?");
    unsigned char records[3][6] = {{0}};
    for (int k = 0; k < 3; k++) memcpy(records[k], &(float){(float)(k + 1)}, sizeof(float));
    float sums[3] = {0};
    const int64_t dims[1] = {3}, strides[1] = {6};
    tosajit_tensor operand = {TOSAJIT_F32, 1, records, dims, strides};
    tosajit_tensor operands[2] = {operand, operand}, result = {TOSAJIT_F32, 1, sums, dims, NULL};
    CHECK(tosajit_run(kernel, operands, 2, &result, 1));
    for (int k = 0; k < 3; k++) assert_true(sums[k] == (float)(2 * k + 2));
    result.strides = (const int64_t[]){3}; /* less than a float */
    assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_OVERLAP);
    assert_non_null(strstr(tosajit_last_error(), "a stride of 3 bytes does not step over"));
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Types that no kernel may be compiled for. */
static void hostile_types_are_refused_with_reasons(void **state) {
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO);
    tosajit_tensor_type deep = {TOSAJIT_F32, 17, {0}}, negative = test_type(TOSAJIT_F32, "4"),
                        nameless = test_type((tosajit_type)99, "4"),
                        huge = test_type(TOSAJIT_F32, "4x4"), flat = test_type(TOSAJIT_F32, "4"),
                        low = test_type(TOSAJIT_F32, "4");
    negative.dims[0] = -4;
    huge.dims[0] = huge.dims[1] = INT64_C(1) << 31;
    low.rank = INT32_MIN;
    const struct {
        tosajit_tensor_type a, b;
        tosajit_status status;
        const char *words;
    } types[] = {
        {deep, flat, TOSAJIT_LIMIT_EXCEEDED, "operand 0: rank 17 is not in 0..16"},
        {flat, low, TOSAJIT_LIMIT_EXCEEDED, "operand 1: rank -2147483648"},
        {negative, flat, TOSAJIT_SHAPE_MISMATCH,
         "operand 0 dimension 0: a static size is at least 1, not -4"},
        {nameless, flat, TOSAJIT_INVALID_ARGUMENT, "99 is not an element type"},
        {huge, flat, TOSAJIT_OVERFLOW,
         "operand 0: tensor<2147483648x2147483648xf32> has more than 2^63 - 1 bytes"},
        {flat, test_type(TOSAJIT_F32, "5"), TOSAJIT_SHAPE_MISMATCH,
         "dimension 0: 5 does not broadcast with 4"},
    };
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        tosajit_kernel *kernel = NULL;
        tosajit_tensor_type both[2] = {types[k].a, types[k].b};
        tosajit_status status =
            tosajit_compile(engine, TOSAJIT_OP_add, both, 2, NULL, NULL, &kernel);
        if (status != types[k].status || !strstr(tosajit_last_error(), types[k].words))
            fail_msg("row %zu: %s: %s", k, tosajit_status_name(status), tosajit_last_error());
        assert_null(kernel);
    }
    tosajit_engine_destroy(engine);
}

/* Every rounding mode, with and without flushing of subnormals: the same results, and the settings
 * as before. */
static void the_hosts_settings_neither_matter_nor_change(void **state) {
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const float a[4] = {1e-40f, 1, 16777216, 1.0f / 3}, b[4] = {1e-40f, 1e-10f, 1, 1.0f / 7},
                expected[4] = {1e-40f + 1e-40f, 1, 16777216, 1.0f / 3 + 1.0f / 7};
    const int64_t dims[1] = {4};
    for (size_t kind = 0; kind < KINDS; kind++) {
        tosajit_engine *engine = engine_of(kinds[kind]);
        tosajit_kernel *kernel = add_of(engine, "?", "?");
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
            for (unsigned flush = 0; flush < 4; flush++) {
                float r[4];
                float x[4], y[4];
                memcpy(x, a, sizeof x);
                memcpy(y, b, sizeof y);
                tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, x, 1, dims),
                                              tosajit_dense(TOSAJIT_F32, y, 1, dims)};
                tosajit_tensor result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
                fenv_t saved;
                fegetenv(&saved);
                fesetround(modes[m]);
#if defined(__x86_64__)
                /* FTZ, DAZ. */
                const unsigned bits = (flush & 1 ? 0x8000u : 0) | (flush & 2 ? 0x40u : 0);
                __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | bits);
                unsigned set = __builtin_ia32_stmxcsr() & ~0x3fu;
#endif
                tosajit_status status = tosajit_run(kernel, operands, 2, &result, 1);
                int mode = fegetround();
#if defined(__x86_64__)
                unsigned found = __builtin_ia32_stmxcsr() & ~0x3fu;
#endif
                fesetenv(&saved);
                CHECK(status);
                assert_int_equal(mode, modes[m]);
#if defined(__x86_64__)
                assert_int_equal(found, set);
#endif
                assert_memory_equal(r, expected, sizeof r);
            }
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
    }
}

/* Write xor execute. */

static atomic_bool finished;
static atomic_uint scans, found_both;

static void *watch_maps(void *unused) {
    (void)unused;
    while (!atomic_load(&finished)) {
        char line[512];
        FILE *maps = fopen("/proc/self/maps", "r");
        while (maps && fgets(line, sizeof line, maps)) {
            const char *rights = strchr(line, ' ');
            if (rights && rights[2] == 'w' && rights[3] == 'x') atomic_fetch_add(&found_both, 1);
        }
        if (maps) fclose(maps);
        atomic_fetch_add(&scans, 1);
    }
    return NULL;
}

static void no_page_is_writable_and_executable(void **state) {
    static unsigned char image[1 << 16];
    pthread_t watcher;
    size_t size;
    /* A page that is both is found, or the test below says nothing. */
    void *both =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(pthread_create(&watcher, NULL, watch_maps, NULL), 0);
    while (both != MAP_FAILED && !atomic_load(&found_both)) usleep(100);
    if (both != MAP_FAILED) munmap(both, 4096);
    unsigned scanned = atomic_load(&scans);
    while (atomic_load(&scans) < scanned + 2) usleep(100);
    atomic_store(&found_both, 0);
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE);
    for (int k = 0; k < 60; k++) {
        tosajit_kernel *kernel = add_of(engine, "?x?", "1x?"), *loaded;
        CHECK(tosajit_kernel_save(kernel, image, sizeof image, &size));
        CHECK(tosajit_kernel_load(image, size, NULL, &loaded));
        tosajit_kernel_release(loaded);
        tosajit_kernel_release(kernel);
    }
    tosajit_engine_destroy(engine);
    atomic_store(&finished, true);
    pthread_join(watcher, NULL);
    print_message("%u scans of /proc/self/maps\n", atomic_load(&scans));
    assert_int_equal(atomic_load(&found_both), 0);
}

/* Compilations that LLVM gives up, and engines that are refused, with standard error in a file. */
static tosajit_status fail_in_llvm(tosajit_engine *engine) {
    tosajit_tensor_type type = test_type(TOSAJIT_F32, "?");
    tosajit_expr *expr;
    tosajit_kernel *kernel = NULL;
    static tosajit_value values[3000];
    tosajit_value value;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &value));
    for (int k = 0; k < 3000; k++) {
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){value, value}, 2, NULL, NULL,
                              &value));
        values[k] = value;
    }
    for (int k = 2999; k >= 0; k--)
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_sub, (tosajit_value[]){values[k], value}, 2, NULL,
                              NULL, &value));
    CHECK(tosajit_expr_result(expr, value));
    tosajit_status status = tosajit_compile_expr(engine, expr, &kernel);
    tosajit_expr_destroy(expr);
    return status;
}

/* Standard error goes into a file from here on; returns a copy of what it was. */
static int divert_standard_error(FILE *file) {
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    return saved;
}

static void expect_nothing_written(FILE *file, int saved) {
    char written[4096];
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    size_t size = fread(written, 1, sizeof written - 1, file);
    written[size] = 0;
    fclose(file);
    assert_string_equal(written, "");
}

static void failures_write_nothing_to_standard_error(void **state) {
    FILE *file = tmpfile();
    assert_non_null(file);
    int saved = divert_standard_error(file);
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE);
    tosajit_status status = fail_in_llvm(engine);
    tosajit_engine *other = NULL;
    tosajit_engine_options options = {.size = sizeof options, .cpu = "z80"};
    tosajit_status unknown = tosajit_engine_create(&options, &other);
    tosajit_engine_destroy(engine);
    expect_nothing_written(file, saved);
    assert_int_equal(status, TOSAJIT_OK); /* by precompiled ops */
    assert_int_equal(unknown, TOSAJIT_INVALID_ARGUMENT);
}

#if defined(__aarch64__)
#define LOWEST_CPU "aarch64"
#else
#define LOWEST_CPU "x86-64-v2"
#endif

/* LLVM's libraries are loaded by then; but LLVM has not looked at the machine, if this is the first
 * test. */
static void without_descriptors_nothing_is_written_to_standard_error(void **state) {
    struct rlimit limit;
    float x[3] = {1, -2, 3}, r[3] = {0};
    const int64_t dims[1] = {3};
    const tosajit_tensor a = tosajit_dense(TOSAJIT_F32, x, 1, dims),
                         result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    tosajit_engine_options lowest = {
        .size = sizeof lowest, .backend = TOSAJIT_BACKEND_NATIVE, .cpu = LOWEST_CPU};
    tosajit_engine *loading = NULL;
    CHECK(tosajit_engine_create(&lowest, &loading));
    tosajit_kernel_release(add_of(loading, "?", "?"));
    tosajit_engine_destroy(loading);
    FILE *file = tmpfile();
    assert_true(file && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    int saved = divert_standard_error(file);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, limit.rlim_max}), 0);
    const int opened = open("/dev/null", O_RDONLY);
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE);
    tosajit_kernel *kernel = add_of(engine, "?", "?");
    const bool native = tosajit_kernel_is_native(kernel);
    const tosajit_status status = tosajit_run(kernel, (tosajit_tensor[]){a, a}, 2, &result, 1);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    setrlimit(RLIMIT_NOFILE, &limit);
    expect_nothing_written(file, saved);
    assert_int_equal(opened, -1);
    assert_int_equal(status, TOSAJIT_OK);
    assert_true(native && r[0] == 2 && r[1] == -4 && r[2] == 6);
}

int main(void) {
    return TEST_RUN(
        NULL, NULL, TEST(without_descriptors_nothing_is_written_to_standard_error), /* the first */
        TEST(hostile_calls_are_refused_with_reasons),
        TEST(any_strides_are_taken_where_the_host_asks),
        TEST(hostile_types_are_refused_with_reasons),
        TEST(the_hosts_settings_neither_matter_nor_change),
        TEST(no_page_is_writable_and_executable), TEST(failures_write_nothing_to_standard_error));
}
