/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads: one engine and its kernels used by several at once; run under the thread sanitizer too.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/cmocka.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum { THREADS = 4, ROUNDS = 12, SIZE = 300 };

typedef struct worker {
    tosajit_engine *engine;
    tosajit_kernel *shared; /* run and retained by all */
    int number;
    char failure[256]; /* empty: none; cmocka's assertions belong to the main thread */
} worker;

static void report(worker *w, const char *what) {
    if (!*w->failure)
        snprintf(w->failure, sizeof w->failure, "%s: %.200s", what, tosajit_last_error());
}

static tosajit_status compile(tosajit_engine *engine, tosajit_op op, tosajit_kernel **kernel) {
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    return tosajit_compile(engine, op, (tosajit_tensor_type[]){type, type}, 2, NULL, NULL, kernel);
}

/* Run add or sub and compare. */
static void run(worker *w, const tosajit_kernel *kernel, int sign) {
    int32_t a[SIZE], b[SIZE], r[SIZE];
    for (int k = 0; k < SIZE; k++) a[k] = k * (w->number + 1), b[k] = 7 * k;
    const int64_t dims[1] = {SIZE}, other[1] = {SIZE + 1};
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_I32, a, 1, dims),
                                  tosajit_dense(TOSAJIT_I32, b, 1, dims)};
    tosajit_tensor result = tosajit_dense(TOSAJIT_I32, r, 1, dims),
                   wrong = tosajit_dense(TOSAJIT_I32, r, 1, other);
    if (tosajit_run(kernel, operands, 2, &result, 1)) report(w, "run");
    for (int k = 0; k < SIZE; k++)
        if (r[k] != a[k] + sign * b[k]) report(w, "wrong sum");
    /* Errors of one thread are not seen by another. */
    if (tosajit_run(kernel, operands, 2, &wrong, 1) != TOSAJIT_SHAPE_MISMATCH ||
        !strstr(tosajit_last_error(), "301"))
        report(w, "error text");
}

static void *work(void *argument) {
    worker *w = argument;
    for (int round = 0; round < ROUNDS; round++) {
        tosajit_kernel_retain(w->shared);
        run(w, w->shared, 1);
        tosajit_kernel *own;
        if (compile(w->engine, round % 2 ? TOSAJIT_OP_add : TOSAJIT_OP_sub, &own)) {
            report(w, "compile");
        } else {
            run(w, own, round % 2 ? 1 : -1);
            tosajit_kernel_release(own);
        }
        tosajit_kernel_release(w->shared);
    }
    return NULL;
}

static void share_engine(tosajit_backend backend) {
    tosajit_engine_options options = {.size = sizeof options, .backend = backend};
    tosajit_engine *engine;
    tosajit_kernel *shared;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    assert_int_equal(compile(engine, TOSAJIT_OP_add, &shared), TOSAJIT_OK);
    worker workers[THREADS] = {0};
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (worker){.engine = engine, .shared = shared, .number = k};
        assert_int_equal(pthread_create(&threads[k], NULL, work, &workers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    for (int k = 0; k < THREADS; k++)
        if (*workers[k].failure) fail_msg("thread %d: %s", k, workers[k].failure);
    tosajit_engine_destroy(engine);
    tosajit_kernel_release(shared);
}

static void native(void **state) { share_engine(TOSAJIT_BACKEND_NATIVE); }

static void background(void **state) { share_engine(TOSAJIT_BACKEND_BACKGROUND); }

static void interpreted(void **state) {
    share_engine(TOSAJIT_BACKEND_INTERPRET);
    share_engine(TOSAJIT_BACKEND_PRECOMPILED);
}

/* A host's pool of one thread, which runs the tasks backwards. */
static void backwards(void *context, size_t count, void (*task)(void *argument, size_t index),
                      void *argument) {
    for (size_t k = count; k-- > 0;) task(argument, k);
    *(size_t *)context += count;
}

/* exp(a * b), expensive enough to be divided. */
static tosajit_kernel *expensive_of(tosajit_engine *engine, const int64_t *a_dims,
                                    const int64_t *b_dims) {
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 3, a_dims),
                        other = tosajit_ranked(TOSAJIT_F32, 3, b_dims);
    tosajit_expr *expr;
    tosajit_value a, b, product, result;
    tosajit_kernel *kernel = NULL;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &a), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &other, &b), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){a, b}, 2, NULL, NULL, &product),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_exp, &product, 1, NULL, NULL, &result),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, result), TOSAJIT_OK);
    assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
    tosajit_expr_destroy(expr);
    return kernel;
}

static tosajit_kernel *expensive(tosajit_engine *engine) {
    static const int64_t dynamic[3] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    return expensive_of(engine, dynamic, dynamic);
}

/* 257 columns leave a last one beside pieces of 128. Alone it is a walk along the rows, for which a
 * kernel of static sizes has no loop. */
static void a_last_column_is_no_piece(void **state) {
    enum { ROWS = 256, COLS = 257 };
    static const int64_t a_dims[3] = {1, 1, COLS}, b_dims[3] = {ROWS, 1, 1},
                         dims[3] = {ROWS, 1, COLS};
    static float a[COLS], b[ROWS], results[2][ROWS * COLS];
    size_t tasks = 0;
    const tosajit_parallel hook = {backwards, &tasks, 3};
    for (int k = 0; k < COLS; k++) a[k] = (float)k * 0.01f;
    for (int k = 0; k < ROWS; k++) b[k] = (float)k * 0.01f - 1;
    for (int divided = 0; divided < 2; divided++) {
        tosajit_engine_options options = {.size = sizeof options,
                                          .parallel = divided ? &hook : NULL};
        tosajit_engine *engine;
        assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
        tosajit_kernel *kernel = expensive_of(engine, a_dims, b_dims);
        tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 3, a_dims),
                                      tosajit_dense(TOSAJIT_F32, b, 3, b_dims)};
        tosajit_tensor result = tosajit_dense(TOSAJIT_F32, results[divided], 3, dims);
        assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_OK);
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
    }
    assert_true(tasks > 1);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
}

/* The kernel from an image, with the host's threads. */
static tosajit_kernel *loaded(const tosajit_kernel *kernel, const tosajit_parallel *parallel) {
    static char image[65536];
    const tosajit_load_options options = {.size = sizeof options, .parallel = parallel};
    tosajit_kernel *again = NULL;
    size_t size;
    assert_int_equal(tosajit_kernel_save(kernel, image, sizeof image, &size), TOSAJIT_OK);
    assert_int_equal(tosajit_kernel_load(image, size, &options, &again), TOSAJIT_OK);
    return again;
}

/* Divided or not, the bits are the same, whichever dimension is cut and however operands repeat or
 * are strided. */
static void divided_runs_agree(void **state) {
    enum { ELEMENTS = 131072, ENGINES = 6, KERNELS = ENGINES + 1 };
    static float a[ELEMENTS], b[ELEMENTS], alone[ELEMENTS], divided[ELEMENTS];
    static const int64_t shapes[][2][3] = {
        {{1, 1, ELEMENTS}, {1, 1, ELEMENTS}}, {{1, 1, ELEMENTS - 77}, {1, 1, 1}},
        {{2, 1000, 65}, {1, 1, 65}},          {{3, 1, 40000}, {3, 1, 1}},
        {{40000, 1, 3}, {1, 1, 3}},           {{7, 130, 100}, {7, 1, 100}}};
    size_t tasks = 0;
    /* As many as there are pieces. */
    const tosajit_parallel hook = {backwards, &tasks, 3}, any = {backwards, &tasks, SIZE_MAX};
    tosajit_engine_options rows[ENGINES] = {
        {.size = sizeof *rows},
        {.size = sizeof *rows, .parallel = &hook},
        {.size = sizeof *rows, .parallel = &any},
        {.size = sizeof *rows, .threads = 3},
        {.size = sizeof *rows, .threads = SIZE_MAX},
        {.size = sizeof *rows, .backend = TOSAJIT_BACKEND_PRECOMPILED, .threads = 3}};
    tosajit_engine *engines[ENGINES];
    tosajit_kernel *kernels[KERNELS];
    for (int k = 0; k < ELEMENTS; k++)
        a[k] = (float)(k % 1000) * 0.01f, b[k] = (float)(k % 37) * 0.1f - 2;
    for (int e = 0; e < ENGINES; e++) {
        assert_int_equal(tosajit_engine_create(&rows[e], &engines[e]), TOSAJIT_OK);
        kernels[e] = expensive(engines[e]);
    }
    kernels[ENGINES] = loaded(kernels[0], &any);
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        for (int transposed = 0; transposed < 2; transposed++) {
            const int64_t *dims = shapes[n][0],
                          strides[3] = {4 * dims[1] * dims[2], 4, 4 * dims[1]};
            tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 3, dims),
                                          tosajit_dense(TOSAJIT_F32, b, 3, shapes[n][1])};
            if (transposed) operands[0].strides = strides;
            tosajit_tensor result = tosajit_dense(TOSAJIT_F32, alone, 3, dims);
            assert_int_equal(tosajit_run(kernels[0], operands, 2, &result, 1), TOSAJIT_OK);
            result.data = divided;
            for (int e = 1; e < KERNELS; e++) {
                size_t before = tasks;
                memset(divided, 0, sizeof divided);
                assert_int_equal(tosajit_run(kernels[e], operands, 2, &result, 1), TOSAJIT_OK);
                assert_memory_equal(divided, alone,
                                    (size_t)(dims[0] * dims[1] * dims[2]) * sizeof *alone);
                if (e <= 2 || e == ENGINES)
                    assert_true(tasks > before + 1 && tasks - before < ELEMENTS);
            }
        }
    size_t before = tasks; /* small work stays on the caller */
    const int64_t small[3] = {1, 1, 100};
    tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 3, small),
                   result = tosajit_dense(TOSAJIT_F32, alone, 3, small);
    assert_int_equal(tosajit_run(kernels[1], (tosajit_tensor[]){x, x}, 2, &result, 1), TOSAJIT_OK);
    assert_int_equal(tasks, before);
    for (int e = 0; e < ENGINES; e++) tosajit_engine_destroy(engines[e]);
    for (int e = 0; e < KERNELS; e++) tosajit_kernel_release(kernels[e]);
}

static size_t thread_count(void) {
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks))
        count += *task->d_name != '.';
    closedir(tasks);
    return count;
}

/* A thread that was joined is listed for a moment longer. */
static void wait_for_threads(size_t wanted) {
    enum { TRIALS = 5000, MILLISECOND = 1000000 };
    for (int k = 0; k < TRIALS && thread_count() != wanted; k++)
        nanosleep(&(struct timespec){0, MILLISECOND}, NULL);
    assert_int_equal(thread_count(), wanted);
}

/* Threads once none has come or gone for a tenth of a second. */
static size_t settled_thread_count(void) {
    size_t count = thread_count();
    for (int quiet = 0; quiet < 100; quiet++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        if (thread_count() != count) quiet = 0;
        count = thread_count();
    }
    return count;
}

static void *do_nothing(void *argument) { return argument; }

static void one_processor_gets_one_thread(void **state) {
    enum { ELEMENTS = 131072 };
    static float a[ELEMENTS], results[2][ELEMENTS];
    const int64_t dims[3] = {1, 1, ELEMENTS};
    cpu_set_t allowed, one;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    CPU_ZERO(&one);
    for (size_t k = 0; k < CPU_SETSIZE && !CPU_COUNT(&one); k++)
        if (CPU_ISSET(k, &allowed)) CPU_SET(k, &one);
    for (int k = 0; k < ELEMENTS; k++) a[k] = (float)(k % 1000) * 0.01f;
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 3, dims);
    pthread_t first; /* with which a sanitizer's own comes */
    assert_int_equal(pthread_create(&first, NULL, do_nothing, NULL), 0);
    pthread_join(first, NULL);
    const size_t before = settled_thread_count();
    for (int pinned = 0; pinned < 2; pinned++) {
        tosajit_engine_options options = {.size = sizeof options, .threads = 2};
        tosajit_engine *engine;
        if (pinned) assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
        wait_for_threads(before + (!pinned && CPU_COUNT(&allowed) > 1));
        tosajit_kernel *kernel = expensive(engine);
        tosajit_tensor result = tosajit_dense(TOSAJIT_F32, results[pinned], 3, dims);
        assert_int_equal(tosajit_run(kernel, (tosajit_tensor[]){x, x}, 2, &result, 1), TOSAJIT_OK);
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
        wait_for_threads(before);
    }
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
}

/* Several callers with one engine's threads: one has them, the others compute alone. */
typedef struct caller {
    const tosajit_kernel *kernel;
    const float *x, *expected;
    float *result;
    bool failed;
} caller;

enum { CALLERS = 4, LONG = 65536 };

static void *call_often(void *argument) {
    caller *c = argument;
    const int64_t dims[3] = {1, 1, LONG};
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, (void *)(uintptr_t)c->x, 3, dims),
                         result = tosajit_dense(TOSAJIT_F32, c->result, 3, dims);
    for (int round = 0; round < 200 && !c->failed; round++) {
        memset(c->result, 0, LONG * sizeof *c->result);
        c->failed = tosajit_run(c->kernel, (tosajit_tensor[]){x, x}, 2, &result, 1) ||
                    memcmp(c->result, c->expected, LONG * sizeof *c->result) != 0;
    }
    return NULL;
}

static void callers_share_an_engines_threads(void **state) {
    static float x[LONG], expected[LONG], results[CALLERS][LONG];
    const tosajit_engine_options options = {.size = sizeof options, .threads = 3};
    tosajit_engine *engines[2];
    caller callers[CALLERS];
    pthread_t threads[CALLERS];
    for (int k = 0; k < LONG; k++) x[k] = (float)(k % 700) * 0.01f;
    assert_int_equal(tosajit_engine_create(NULL, &engines[0]), TOSAJIT_OK);
    assert_int_equal(tosajit_engine_create(&options, &engines[1]), TOSAJIT_OK);
    tosajit_kernel *alone = expensive(engines[0]), *kernel = expensive(engines[1]);
    caller first = {alone, x, expected, expected, false};
    call_often(&first);
    for (int k = 0; k < CALLERS; k++) {
        callers[k] = (caller){kernel, x, expected, results[k], false};
        assert_int_equal(pthread_create(&threads[k], NULL, call_often, &callers[k]), 0);
    }
    for (int k = 0; k < CALLERS; k++) {
        pthread_join(threads[k], NULL);
        assert_false(callers[k].failed);
    }
    tosajit_kernel_release(alone);
    tosajit_kernel_release(kernel);
    for (int e = 0; e < 2; e++) tosajit_engine_destroy(engines[e]);
}

static atomic_bool work_is_over;
static void *work_on(void *processor) {
    sched_setaffinity(0, sizeof(cpu_set_t), processor);
    while (!atomic_load(&work_is_over)) {
    }
    return NULL;
}

static int compare_times(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A call that waited for threads which do not get a processor took a hundred times as long. */
static void a_busy_processor_delays_no_run(void **state) {
    enum { TIMES = 201, MOST = 8, ELEMENTS = 4 * LONG };
    static float a[ELEMENTS], result[ELEMENTS];
    static int64_t times[2][TIMES];
    const int64_t dims[3] = {1, 1, ELEMENTS};
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 3, dims),
                         r = tosajit_dense(TOSAJIT_F32, result, 3, dims);
    cpu_set_t allowed, last;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    CPU_ZERO(&last);
    for (size_t k = CPU_SETSIZE; k-- > 0 && !CPU_COUNT(&last);)
        if (CPU_ISSET(k, &allowed)) CPU_SET(k, &last);
    if (CPU_COUNT(&allowed) < 2) print_message("*** NOT TESTED: there is one processor\n");
    tosajit_engine *engines[2];
    tosajit_kernel *kernels[2];
    for (size_t e = 0; e < 2; e++) {
        const tosajit_engine_options options = {.size = sizeof options,
                                                .threads = e ? (size_t)CPU_COUNT(&allowed) : 1};
        assert_int_equal(tosajit_engine_create(&options, &engines[e]), TOSAJIT_OK);
        kernels[e] = expensive(engines[e]);
    }
    pthread_t busy;
    assert_int_equal(pthread_create(&busy, NULL, work_on, &last), 0);
    for (int k = 0; k < TIMES; k++) {
        if (k % 4 == 0) nanosleep(&(struct timespec){0, 2000000}, NULL); /* threads sleep, too */
        for (int e = 0; e < 2; e++) {
            struct timespec start, end;
            clock_gettime(CLOCK_MONOTONIC, &start);
            assert_int_equal(tosajit_run(kernels[e], (tosajit_tensor[]){x, x}, 2, &r, 1),
                             TOSAJIT_OK);
            clock_gettime(CLOCK_MONOTONIC, &end);
            times[e][k] = (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec;
        }
    }
    atomic_store(&work_is_over, true);
    pthread_join(busy, NULL);
    for (int e = 0; e < 2; e++) {
        qsort(times[e], TIMES, sizeof times[e][0], compare_times);
        print_message("%s: median %lld ns, one in a hundred %lld ns, the worst %lld ns\n",
                      e ? "all processors, of which one is busy" : "one thread",
                      (long long)times[e][TIMES / 2], (long long)times[e][TIMES - TIMES / 100],
                      (long long)times[e][TIMES - 1]);
        tosajit_kernel_release(kernels[e]);
        tosajit_engine_destroy(engines[e]);
    }
    assert_true(times[1][TIMES / 2] < MOST * times[0][TIMES / 2]);
}

/* ---------------------------------------------------------------------------------------------
 * Tiles: a kernel on some rows of what another loop has just computed */

enum { ROWS = 37, COLUMNS = 29, TILE = 4 };

typedef struct tiles {
    const tosajit_kernel *kernel;
    const tosajit_raw *raw; /* or null */
    int32_t (*result)[COLUMNS];
    int from, to;
    char failure[256];
} tiles;

static int32_t bias[COLUMNS];
static int32_t product(int row, int column) { return row * 1000 + column; }

static void run_tile(tiles *t, int32_t tile[TILE][COLUMNS], int row, int rows) {
    const int64_t dims[2] = {rows, COLUMNS}, one[2] = {1, COLUMNS}, row_bytes = 4 * COLUMNS;
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_I32, tile, 2, dims),
                                        tosajit_dense(TOSAJIT_I32, bias, 2, one)},
                         result = tosajit_dense(TOSAJIT_I32, t->result[row], 2, dims);
    void *const pointers[3] = {tile, bias, t->result[row]};
    const int64_t strides[6] = {row_bytes, 4, 0, 4, row_bytes, 4};
    if (t->raw)
        t->raw->entry(t->raw->context, pointers, strides, 1, rows, COLUMNS);
    else if (tosajit_run(t->kernel, operands, 2, &result, 1))
        snprintf(t->failure, sizeof t->failure, "%.200s", tosajit_last_error());
}

static void *work_on_tiles(void *argument) {
    tiles *t = argument;
    for (int row = t->from; row < t->to; row += TILE) {
        int32_t tile[TILE][COLUMNS];
        const int rows = t->to - row < TILE ? t->to - row : TILE;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < COLUMNS; c++) tile[r][c] = product(row + r, c);
        run_tile(t, tile, row, rows);
    }
    return NULL;
}

/* Two threads, each with rows of its own. */
static void check_tiles(const tosajit_kernel *kernel, const tosajit_raw *raw) {
    int32_t result[ROWS][COLUMNS] = {{0}};
    for (int c = 0; c < COLUMNS; c++) bias[c] = 7 * c;
    tiles halves[2] = {{kernel, raw, result, 0, 18, ""}, {kernel, raw, result, 18, ROWS, ""}};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, work_on_tiles, &halves[1]), 0);
    work_on_tiles(&halves[0]);
    pthread_join(other, NULL);
    for (int k = 0; k < 2; k++) assert_string_equal(halves[k].failure, "");
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) assert_int_equal(result[r][c], product(r, c) + 7 * c);
}

static tosajit_kernel *add_rows(tosajit_engine *engine, int64_t rows) {
    tosajit_kernel *kernel;
    const int64_t dims[2] = {rows, COLUMNS}, one[2] = {1, COLUMNS};
    const tosajit_tensor_type types[2] = {tosajit_ranked(TOSAJIT_I32, 2, dims),
                                          tosajit_ranked(TOSAJIT_I32, 2, one)};
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                     TOSAJIT_OK);
    return kernel;
}

static void two_threads_share_a_kernel_by_tiles(void **state) {
    static const tosajit_backend backends[] = {TOSAJIT_BACKEND_NATIVE, TOSAJIT_BACKEND_BACKGROUND,
                                               TOSAJIT_BACKEND_PRECOMPILED,
                                               TOSAJIT_BACKEND_INTERPRET};
    for (size_t k = 0; k < sizeof backends / sizeof *backends; k++) {
        tosajit_engine_options options = {.size = sizeof options, .backend = backends[k]};
        tosajit_engine *engine;
        assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
        tosajit_kernel *any = add_rows(engine, TOSAJIT_DYNAMIC), *all = add_rows(engine, ROWS);
        tosajit_raw raw = {.size = sizeof raw};
        check_tiles(any, NULL);
        if (!tosajit_kernel_raw(all, 0, &raw)) /* who has code; rows are not part of it */
            check_tiles(all, &raw);
        else
            assert_int_not_equal(backends[k], TOSAJIT_BACKEND_NATIVE);
        tosajit_kernel_release(any);
        tosajit_kernel_release(all);
        tosajit_engine_destroy(engine);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Reductions: what is remembered of their calls is read while others write it, and threads share
 * rows while others wait for their own. */

enum { SHAPES = 20, LONG_ROW = 40 * 4096 + 5, MOST = LONG_ROW };

static const char *const reducing[] = {"softmax(x) : x: f32[?,?]",
                                       "sum(exp(x), axis=1) : x: f32[?,?]",
                                       "x - max(x, axis=0) : x: f32[?,?]"};
enum { REDUCING = sizeof reducing / sizeof *reducing };

/* More shapes than are remembered; the last one is a row that threads share. */
static void shape_of(int number, int64_t *dims) {
    dims[0] = number == SHAPES - 1 ? 1 : 1 + number % 5;
    dims[1] = number == SHAPES - 1 ? LONG_ROW : 3 + 7 * (int64_t)number;
}

typedef struct reducer {
    tosajit_kernel *const *kernels;
    float *const (*expected)[SHAPES];
    const float *x;
    char failure[256];
} reducer;

static tosajit_status reduce(const tosajit_kernel *kernel, const float *x, int number, int k,
                             float *to, int64_t *made) {
    int64_t dims[2];
    shape_of(number, dims);
    made[0] = dims[0], made[1] = k == 1 ? 1 : dims[1];
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, (void *)(uintptr_t)x, 2, dims),
                         result = tosajit_dense(TOSAJIT_F32, to, 2, made);
    return tosajit_run(kernel, &operand, 1, &result, 1);
}

static void *reduce_all(void *argument) {
    enum { TURNS = 6 };
    reducer *r = argument;
    float *own = malloc(MOST * sizeof *own);
    for (int turn = 0; turn < TURNS * SHAPES * REDUCING && own && !*r->failure; turn++) {
        const int k = turn % REDUCING, number = turn / REDUCING % SHAPES;
        int64_t made[2];
        if (reduce(r->kernels[k], r->x, number, k, own, made))
            snprintf(r->failure, sizeof r->failure, "%.200s", tosajit_last_error());
        else if (memcmp(own, r->expected[k][number], (size_t)(made[0] * made[1]) * sizeof *own))
            snprintf(r->failure, sizeof r->failure, "%s, shape %d", reducing[k], number);
    }
    free(own);
    return NULL;
}

static tosajit_kernel *reducing_kernel(tosajit_engine *engine, int k) {
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_expr_parse(reducing[k], strlen(reducing[k]), NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
    assert_int_equal(tosajit_kernel_wait(kernel), TOSAJIT_OK);
    tosajit_expr_destroy(expr);
    return kernel;
}

static void several_callers_reduce(void **state) {
    const tosajit_engine_options options = {.size = sizeof options, .threads = 3},
                                 plain = {.size = sizeof plain,
                                          .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine, *interpreter;
    tosajit_kernel *kernels[REDUCING];
    float *x = malloc(MOST * sizeof *x), *expected[REDUCING][SHAPES];
    reducer reducers[THREADS];
    pthread_t threads[THREADS];
    assert_non_null(x);
    for (int k = 0; k < MOST; k++) x[k] = (float)(k % 97) / 16;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_engine_create(&plain, &interpreter), TOSAJIT_OK);
    for (int k = 0; k < REDUCING; k++) {
        tosajit_kernel *slow = reducing_kernel(interpreter, k);
        kernels[k] = reducing_kernel(engine, k);
        for (int number = 0; number < SHAPES; number++) {
            int64_t made[2];
            assert_non_null(expected[k][number] = malloc(MOST * sizeof *x));
            assert_int_equal(reduce(slow, x, number, k, expected[k][number], made), TOSAJIT_OK);
        }
        tosajit_kernel_release(slow);
    }
    for (int t = 0; t < THREADS; t++) {
        reducers[t] = (reducer){kernels, (float *const(*)[SHAPES])expected, x, ""};
        assert_int_equal(pthread_create(&threads[t], NULL, reduce_all, &reducers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++)
        if (*reducers[t].failure) fail_msg("thread %d: %s", t, reducers[t].failure);
    for (int k = 0; k < REDUCING; k++) {
        tosajit_kernel_release(kernels[k]);
        for (int number = 0; number < SHAPES; number++) free(expected[k][number]);
    }
    free(x);
    tosajit_engine_destroy(engine);
    tosajit_engine_destroy(interpreter);
}

int main(void) {
    return TEST_RUN(NULL, NULL,
                    TEST(one_processor_gets_one_thread), /* the first: it counts threads */
                    TEST(divided_runs_agree), TEST(callers_share_an_engines_threads),
                    TEST(a_busy_processor_delays_no_run), TEST(a_last_column_is_no_piece),
                    TEST(two_threads_share_a_kernel_by_tiles), TEST(several_callers_reduce),
                    TEST(native), TEST(background), TEST(interpreted));
}
