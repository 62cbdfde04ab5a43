/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many: expressions compiled at once against the same compiled one at a time and interpreted;
 * failures among them; the lives of their kernels. TOSAJIT_LIST=<n> shortens the lists, for
 * emulators. */
#define _POSIX_C_SOURCE 200809L
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/account.h"
#include "tests/support/cmocka.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

enum {
    MOST_COUNT = 40,
    LEAST_COUNT = 10,
    ROWS = 3,
    COLS = 77,
    ELEMENTS = ROWS * COLS,
    DYN_EVERY = 2
};
static int list_count = MOST_COUNT;
#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)

static tosajit_engine *engine_of(tosajit_backend backend, size_t threads, int uncached) {
    tosajit_engine_options options = {
        .size = sizeof options, .backend = backend, .threads = threads, .uncached = uncached};
    tosajit_engine *engine;
    CHECK(tosajit_engine_create(&options, &engine));
    return engine;
}

static tosajit_tensor_type type_of(int k) {
    int64_t dims[2] = {k % DYN_EVERY ? TOSAJIT_DYNAMIC : ROWS,
                       k % DYN_EVERY ? TOSAJIT_DYNAMIC : COLS};
    return tosajit_ranked(TOSAJIT_F32, 2, dims);
}

/* Expression k: one of several ops, of one operand twice as large, or of two; static and dynamic;
 * no two of the first MOST_COUNT equal. */
static tosajit_expr *make_expr(int k) {
    static const tosajit_op ops[] = {TOSAJIT_OP_add, TOSAJIT_OP_mul, TOSAJIT_OP_maximum,
                                     TOSAJIT_OP_pow, TOSAJIT_OP_sub};
    enum { OPS = sizeof ops / sizeof *ops };
    tosajit_tensor_type type = type_of(k),
                        scalar = tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){1, 1});
    tosajit_expr *expr;
    tosajit_value x, y, c, r;
    float number = (float)k;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_input(expr, &type, &y));
    CHECK(tosajit_expr_constant(expr, &scalar, &number, &c));
    CHECK(tosajit_expr_op(expr, ops[k % OPS], (tosajit_value[]){x, y}, 2, NULL, NULL, &r));
    if (k % 7 == 0)
        CHECK(
            tosajit_expr_op(expr, k % 2 ? TOSAJIT_OP_exp : TOSAJIT_OP_sin, &r, 1, NULL, NULL, &r));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){r, c}, 2, NULL, NULL, &r));
    CHECK(tosajit_expr_result(expr, r));
    return expr;
}

/* Kernels that are too large for code of their own: one before code is generated, and one while
 * LLVM generates it. */

/* More instructions than a kernel's code may have. */
static tosajit_expr *make_too_long(void) {
    enum { NODES = 31000 };
    tosajit_tensor_type type = type_of(1);
    tosajit_expr *expr;
    tosajit_value value;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &value));
    for (int k = 0; k < NODES; k++)
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){value, value}, 2, NULL, NULL,
                              &value));
    CHECK(tosajit_expr_result(expr, value));
    return expr;
}

/* More values at once than the stack of a kernel has room for, though they have 16 bytes only. */
static tosajit_expr *make_too_wide(void) {
    enum { NODES = 2200 };
    tosajit_value values[NODES];
    tosajit_tensor_type type = type_of(1);
    tosajit_expr *expr;
    tosajit_value value;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &value));
    for (int k = 0; k < NODES; k++) {
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){value, value}, 2, NULL, NULL,
                              &value));
        values[k] = value;
    }
    for (int k = NODES; k-- > 0;)
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){values[k], value}, 2, NULL,
                              NULL, &value));
    CHECK(tosajit_expr_result(expr, value));
    return expr;
}

/* One that is refused. */
static tosajit_expr *make_empty(void) {
    tosajit_expr *expr;
    CHECK(tosajit_expr_create(NULL, &expr));
    return expr;
}

typedef struct list {
    tosajit_expr *exprs[MOST_COUNT];
    tosajit_kernel *kernels[MOST_COUNT];
    tosajit_status statuses[MOST_COUNT];
} list;

static void open_list(list *l) {
    for (int k = 0; k < list_count; k++) {
        l->exprs[k] = make_expr(k);
        l->statuses[k] = TOSAJIT_CODEGEN_FAILED;
    }
}

static tosajit_status compile_list(tosajit_engine *engine, list *l) {
    return tosajit_compile_many(engine, (const tosajit_expr *const *)l->exprs, (size_t)list_count,
                                l->kernels, l->statuses);
}

static void close_list(list *l) {
    for (int k = 0; k < list_count; k++) {
        tosajit_kernel_release(l->kernels[k]);
        tosajit_expr_destroy(l->exprs[k]);
    }
}

/* The kernel's bits are the interpreter's. */
static void assert_runs(const tosajit_kernel *kernel) {
    static float a[ELEMENTS], b[ELEMENTS], result[ELEMENTS + 1], expected[ELEMENTS + 1];
    const int64_t dims[2] = {ROWS, COLS};
    for (int i = 0; i < ELEMENTS; i++)
        a[i] = 0.03f * (float)(i % 101) - 1, b[i] = 0.05f * (float)(i % 37);
    memset(result, 0x5a, sizeof result);
    memset(expected, 0x5a, sizeof expected);
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 2, dims),
                                  tosajit_dense(TOSAJIT_F32, b, 2, dims)};
    tosajit_tensor got = tosajit_dense(TOSAJIT_F32, result, 2, dims),
                   wanted = tosajit_dense(TOSAJIT_F32, expected, 2, dims);
    CHECK(tosajit_run(kernel, operands, 2, &got, 1));
    CHECK(tosajit_run_interpreted(kernel, operands, 2, &wanted, 1));
    for (int i = 0; i < ELEMENTS; i++)
        if (expected[i] == expected[i])
            assert_memory_equal(&result[i], &expected[i], sizeof *result);
    assert_memory_equal(&result[ELEMENTS], &expected[ELEMENTS], sizeof *result);
}

static void all_are_compiled_as_if_alone(void **state) {
    for (size_t threads = 0; threads < 4; threads += 3) {
        tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, threads, 0);
        list l;
        open_list(&l);
        CHECK(compile_list(engine, &l));
        for (int k = 0; k < list_count; k++) {
            assert_int_equal(l.statuses[k], TOSAJIT_OK);
            assert_true(tosajit_kernel_is_native(l.kernels[k]));
            for (int other = 0; other < k; other++)
                assert_ptr_not_equal(l.kernels[k], l.kernels[other]);
            tosajit_kernel_info info = {.size = sizeof info};
            CHECK(tosajit_kernel_describe(l.kernels[k], &info));
            assert_true(info.code_bytes > 0 && info.codegen_ms > 0 && info.link_ms > 0);
            assert_runs(l.kernels[k]);
        }
        close_list(&l);
        tosajit_engine_destroy(engine);
    }
}

/* A list is long by the number of its kernels, whose code is optimised all the same: it is larger
 * by constants of the others at most. */
static void code_is_optimised_as_if_alone(void **state) {
    enum { SUMS = 16, CONSTANTS = 512 };
    static const tosajit_op ops[2] = {TOSAJIT_OP_add, TOSAJIT_OP_sub};
    const int64_t any[SUMS / 2] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC,
                                   TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC,
                                   TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, 0, 1);
    tosajit_expr *exprs[SUMS];
    tosajit_kernel *together[SUMS], *alone;
    for (int k = 0; k < SUMS; k++) {
        const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1 + k / 2, any);
        tosajit_value x, y, r;
        CHECK(tosajit_expr_create(NULL, &exprs[k]));
        CHECK(tosajit_expr_input(exprs[k], &type, &x));
        CHECK(tosajit_expr_input(exprs[k], &type, &y));
        CHECK(tosajit_expr_op(exprs[k], ops[k % 2], (tosajit_value[]){x, y}, 2, NULL, NULL, &r));
        CHECK(tosajit_expr_result(exprs[k], r));
    }
    CHECK(tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, SUMS, together, NULL));
    for (int k = 0; k < SUMS; k++) {
        tosajit_kernel_info in_list = {.size = sizeof in_list},
                            by_itself = {.size = sizeof by_itself};
        CHECK(tosajit_compile_expr(engine, exprs[k], &alone));
        CHECK(tosajit_kernel_describe(together[k], &in_list));
        CHECK(tosajit_kernel_describe(alone, &by_itself));
        assert_in_range(in_list.code_bytes, by_itself.code_bytes, by_itself.code_bytes + CONSTANTS);
        tosajit_kernel_release(alone);
        tosajit_kernel_release(together[k]);
        tosajit_expr_destroy(exprs[k]);
    }
    tosajit_engine_destroy(engine);
}

static void each_is_released_on_its_own(void **state) {
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, 0, 0);
    list l;
    open_list(&l);
    CHECK(compile_list(engine, &l));
    tosajit_engine_destroy(engine); /* kernels keep what they need */
    for (int k = 0; k < list_count; k++) {
        /* Every one, as 41 is prime; scattered over the batches of long lists. */
        int gone = k * 41 % list_count;
        tosajit_kernel_release(l.kernels[gone]);
        l.kernels[gone] = NULL;
        for (int other = k % 5; other < list_count; other += 5)
            if (l.kernels[other]) assert_runs(l.kernels[other]);
    }
    close_list(&l);
}

static void equal_and_known_expressions_are_one_kernel(void **state) {
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, 0, 0);
    tosajit_expr *exprs[5] = {make_expr(3), make_expr(8), make_expr(3), make_expr(4), make_expr(8)};
    tosajit_kernel *kernels[5], *known;
    CHECK(tosajit_compile_expr(engine, exprs[3], &known));
    CHECK(tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, 5, kernels, NULL));
    assert_ptr_equal(kernels[0], kernels[2]);
    assert_ptr_equal(kernels[1], kernels[4]);
    assert_ptr_equal(kernels[3], known);
    assert_ptr_not_equal(kernels[0], kernels[1]);
    tosajit_kernel_release(known);
    tosajit_kernel_release(kernels[0]);
    assert_runs(kernels[2]);
    assert_runs(kernels[3]);
    CHECK(tosajit_compile_expr(engine, exprs[1], &known)); /* remembered */
    assert_ptr_equal(known, kernels[1]);
    tosajit_kernel_release(known);
    for (int k = 1; k < 5; k++) tosajit_kernel_release(kernels[k]);
    for (int k = 0; k < 5; k++) tosajit_expr_destroy(exprs[k]);
    tosajit_engine_destroy(engine);
}

/* Nor does one that fails alone, as what is too large does in a module with others. */
static void lose_no_other(size_t threads, tosajit_expr *(*make_too_large)(void)) {
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, threads, 0);
    list l;
    open_list(&l);
    const int null_at = list_count / 2 + 1, empty_at = list_count - 1, large_at = 5;
    const int bad[] = {null_at, empty_at, large_at};
    for (int k = 0; k < 3; k++) tosajit_expr_destroy(l.exprs[bad[k]]);
    l.exprs[null_at] = NULL;
    l.exprs[empty_at] = make_empty();
    l.exprs[large_at] = make_too_large();
    assert_int_equal(compile_list(engine, &l), TOSAJIT_INVALID_ARGUMENT);
    char named[32];
    snprintf(named, sizeof named, "expression %d: ", null_at);
    assert_non_null(strstr(tosajit_last_error(), named));
    for (int k = 0; k < list_count; k++) {
        const bool is_bad = k == null_at || k == empty_at;
        assert_int_equal(l.statuses[k], is_bad ? TOSAJIT_INVALID_ARGUMENT : TOSAJIT_OK);
        assert_int_equal(tosajit_kernel_is_native(l.kernels[k]), !is_bad && k != large_at);
        if (is_bad) assert_null(l.kernels[k]);
        if (!is_bad && k != large_at) assert_runs(l.kernels[k]);
    }
    close_list(&l);
    tosajit_engine_destroy(engine);
}

static void a_failure_loses_no_other(void **state) {
    for (size_t threads = 0; threads < 3; threads += 2) lose_no_other(threads, make_too_long);
}

/* LLVM needs ten times as long for it under an emulator. */
static void a_failure_inside_llvm_loses_no_other(void **state) {
    if (list_count < MOST_COUNT) {
        print_message("left out of a shorter list: a kernel that LLVM refuses\n");
        skip();
    }
    for (size_t threads = 0; threads < 3; threads += 2) lose_no_other(threads, make_too_wide);
}

static void arguments_are_checked(void **state) {
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO, 0, 0);
    const tosajit_expr *none = NULL;
    tosajit_kernel *kernel = (tosajit_kernel *)&none;
    assert_int_equal(tosajit_compile_many(NULL, &none, 1, &kernel, NULL), TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_compile_many(engine, NULL, 1, &kernel, NULL),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_int_equal(tosajit_compile_many(engine, &none, 1, NULL, NULL), TOSAJIT_INVALID_ARGUMENT);
    CHECK(tosajit_compile_many(engine, &none, 0, &kernel, NULL));
    assert_ptr_equal(kernel, (tosajit_kernel *)&none);
    assert_int_equal(tosajit_compile_many(engine, &none, 1, &kernel, NULL),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_null(kernel);
    tosajit_engine_destroy(engine);
}

static void other_backends_do_it_too(void **state) {
    const tosajit_backend backends[] = {TOSAJIT_BACKEND_INTERPRET, TOSAJIT_BACKEND_BACKGROUND};
    for (int b = 0; b < 2; b++) {
        tosajit_engine *engine = engine_of(backends[b], 0, 0);
        list l;
        open_list(&l);
        CHECK(compile_list(engine, &l));
        for (int k = 0; k < list_count; k++) {
            CHECK(tosajit_kernel_wait(l.kernels[k]));
            assert_int_equal(tosajit_kernel_is_native(l.kernels[k]), b);
            assert_runs(l.kernels[k]);
        }
        close_list(&l);
        tosajit_engine_destroy(engine);
    }
}

/* The host's threads get whole batches, each once. */
typedef struct hook {
    size_t calls, tasks;
} hook;

static void run_backwards(void *context, size_t count, void (*task)(void *argument, size_t index),
                          void *argument) {
    hook *h = context;
    h->calls++;
    h->tasks += count;
    for (size_t k = count; k-- > 0;) task(argument, k);
}

static void the_hosts_threads_compile(void **state) {
    hook h = {0};
    tosajit_parallel parallel = {run_backwards, &h, 5};
    tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .parallel = &parallel};
    tosajit_engine *engine;
    CHECK(tosajit_engine_create(&options, &engine));
    list l;
    open_list(&l);
    CHECK(compile_list(engine, &l));
    assert_int_equal(h.calls, 1);
    assert_in_range(h.tasks, 5, list_count - 1);
    for (int k = 0; k < list_count; k++) assert_runs(l.kernels[k]);
    close_list(&l);
    tosajit_engine_destroy(engine);
}

/* How often what two threads do at once is done again: four times with whole lists. */
static int rounds(void) { return list_count / LEAST_COUNT; }

static void *compile_and_run(void *engine) {
    for (int round = 0; round < rounds(); round++) {
        tosajit_expr *exprs[8];
        tosajit_kernel *kernels[8];
        for (int k = 0; k < 8; k++) exprs[k] = make_expr(k);
        tosajit_status status =
            tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, 8, kernels, NULL);
        for (int k = 0; k < 8; k++) tosajit_kernel_release(kernels[k]);
        for (int k = 0; k < 8; k++) tosajit_expr_destroy(exprs[k]);
        if (status) return engine;
    }
    return NULL;
}

static void several_threads_compile_lists(void **state) {
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, 2, 0);
    pthread_t threads[3];
    for (int k = 0; k < 3; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, compile_and_run, engine), 0);
    for (int k = 0; k < 3; k++) {
        void *failed;
        assert_int_equal(pthread_join(threads[k], &failed), 0);
        assert_null(failed);
    }
    tosajit_engine_destroy(engine);
}

/* Two lists of the same, one in the opposite order, among them a failure, and one that is too large
 * and takes long: each waits for something that the other is making. */
enum { OPPOSITE = 12, BAD_AT = 5, LARGE_AT = 7, MOST_SECONDS = 300 };

typedef struct opposite {
    tosajit_engine *engine;
    pthread_barrier_t *start;
    bool backwards;
    const char *wrong; /* what was not as it should be; null: nothing */
} opposite;

static const char *compile_in_order(const opposite *o, tosajit_expr *const *exprs,
                                    tosajit_kernel **kernels) {
    const tosajit_expr *list[OPPOSITE];
    tosajit_status statuses[OPPOSITE];
    for (int k = 0; k < OPPOSITE; k++) list[k] = exprs[o->backwards ? OPPOSITE - 1 - k : k];
    pthread_barrier_wait(o->start);
    if (tosajit_compile_many(o->engine, list, OPPOSITE, kernels, statuses) !=
        TOSAJIT_INVALID_ARGUMENT)
        return "the list's status";
    const int bad_at = o->backwards ? OPPOSITE - 1 - BAD_AT : BAD_AT;
    char named[32];
    snprintf(named, sizeof named, "expression %d: ", bad_at);
    if (!strstr(tosajit_last_error(), named)) return "the message";
    for (int k = 0; k < OPPOSITE; k++)
        if (statuses[k] != (k == bad_at ? TOSAJIT_INVALID_ARGUMENT : TOSAJIT_OK) ||
            !kernels[k] != (k == bad_at))
            return "an item's status";
    return NULL;
}

static void *compile_opposite(void *argument) {
    opposite *o = argument;
    tosajit_expr *exprs[OPPOSITE];
    for (int k = 0; k < OPPOSITE; k++)
        exprs[k] = k == BAD_AT ? make_empty() : k == LARGE_AT ? make_too_long() : make_expr(k);
    for (int round = 0; round < rounds(); round++) {
        tosajit_kernel *kernels[OPPOSITE] = {0};
        const char *wrong = compile_in_order(o, exprs, kernels);
        if (wrong) o->wrong = wrong;
        /* And now both let go, so that the next round compiles again. */
        pthread_barrier_wait(o->start);
        for (int k = 0; k < OPPOSITE; k++) tosajit_kernel_release(kernels[k]);
    }
    for (int k = 0; k < OPPOSITE; k++) tosajit_expr_destroy(exprs[k]);
    return NULL;
}

/* How often one waited for what the other was making. */
static size_t joined_by_opposites(size_t pool) {
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, pool, 0);
    pthread_barrier_t start;
    pthread_t threads[2];
    opposite sides[2] = {{engine, &start, false, NULL}, {engine, &start, true, NULL}};
    assert_int_equal(pthread_barrier_init(&start, NULL, 2), 0);
    test_limit_processor_time(MOST_SECONDS);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, compile_opposite, &sides[k]), 0);
    for (int k = 0; k < 2; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
    test_limit_processor_time(0);
    for (int k = 0; k < 2; k++)
        if (sides[k].wrong) fail_msg("list %d: %s", k, sides[k].wrong);
    tosajit_stats stats = {.size = sizeof stats};
    CHECK(tosajit_engine_stats(engine, &stats));
    assert_int_equal(stats.kernels, 0);
    pthread_barrier_destroy(&start);
    tosajit_engine_destroy(engine);
    return stats.joined;
}

/* On a busy machine the threads may take turns, which shows nothing. */
static void opposite_lists_do_not_wait_for_each_other(void **state) {
    enum { TRIALS = 20 };
    for (size_t pool = 0; pool < 3; pool += 2) {
        int trial = 0;
        while (trial < TRIALS && joined_by_opposites(pool) == 0) trial++;
        assert_int_not_equal(trial, TRIALS);
    }
}

static void the_cap_refuses_what_exceeds_it(void **state) {
    enum { MOST = 60000 };
    tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .max_bytes = MOST};
    tosajit_engine *engine;
    list l;
    CHECK(tosajit_engine_create(&options, &engine));
    open_list(&l);
    assert_int_equal(compile_list(engine, &l), TOSAJIT_LIMIT_EXCEEDED);
    assert_non_null(strstr(tosajit_last_error(), "max_bytes"));
    size_t made = 0, refused = 0;
    for (int k = 0; k < list_count; k++) {
        assert_true(l.statuses[k] == TOSAJIT_OK || l.statuses[k] == TOSAJIT_LIMIT_EXCEEDED);
        assert_int_equal(l.kernels[k] != NULL, l.statuses[k] == TOSAJIT_OK);
        if (l.kernels[k]) assert_runs(l.kernels[k]);
        *(l.kernels[k] ? &made : &refused) += 1;
    }
    tosajit_stats stats = {.size = sizeof stats};
    CHECK(tosajit_engine_stats(engine, &stats));
    assert_true(made > 0 && refused > 0);
    assert_int_equal(stats.kernels, made);
    assert_int_equal(stats.refused, refused);
    assert_true(stats.code_bytes + stats.structure_bytes <= MOST);
    close_list(&l);
    tosajit_engine_destroy(engine);
}

static void code_is_kept_on_disk(void **state) {
    for (int again = 0; again < 2; again++) {
        tosajit_engine_options options = {
            .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .cache_directory = scratch};
        tosajit_engine *engine;
        tosajit_stats stats = {.size = sizeof stats};
        list l;
        CHECK(tosajit_engine_create(&options, &engine));
        open_list(&l);
        CHECK(compile_list(engine, &l));
        CHECK(tosajit_engine_stats(engine, &stats));
        assert_int_equal(stats.compilations, again ? 0 : list_count);
        assert_int_equal(stats.restored, again ? list_count : 0);
        for (int k = 0; k < list_count; k++) assert_runs(l.kernels[k]);
        close_list(&l);
        tosajit_engine_destroy(engine);
    }
}

static size_t compile_with(account *a, tosajit_expr *const *exprs, size_t count) {
    tosajit_allocator allocator = account_allocator(a);
    tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .allocator = &allocator};
    tosajit_engine *engine;
    tosajit_kernel *kernels[8];
    tosajit_status statuses[8], status, first = TOSAJIT_OK;
    size_t failing = a->fail_at, failed = 0;
    a->fail_at = 0;
    CHECK(tosajit_engine_create(&options, &engine));
    a->count = 0;
    a->fail_at = failing;
    status =
        tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, count, kernels, statuses);
    a->fail_at = 0;
    for (size_t k = 0; k < count; k++) {
        assert_true(statuses[k] == TOSAJIT_OK || statuses[k] == TOSAJIT_OUT_OF_MEMORY);
        assert_int_equal(kernels[k] != NULL, statuses[k] == TOSAJIT_OK);
        if (statuses[k] && !first) first = statuses[k];
        if (kernels[k]) assert_runs(kernels[k]);
        failed += statuses[k] != TOSAJIT_OK;
        tosajit_kernel_release(kernels[k]);
    }
    assert_int_equal(status, first);
    if (status) assert_non_null(strstr(tosajit_last_error(), "memory"));
    tosajit_engine_destroy(engine);
    assert_int_equal(a->live, 0);
    return failed;
}

static void every_allocation_may_fail(void **state) {
    enum { FEW = 5, STANDARD_THINNING = 4 }; /* a quarter a day, TOSAJIT_THIN=1: all */
    tosajit_expr *exprs[FEW] = {make_expr(6), make_expr(11), make_expr(2), make_expr(10),
                                make_expr(6)};
    account counted = {0};
    assert_int_equal(compile_with(&counted, exprs, FEW), 0);
    const size_t allocations = counted.count, shorter = (size_t)(MOST_COUNT / list_count),
                 step = (shorter * shorter + 1) / 2;
    size_t all_failed = 0, some_failed = 0, none_failed = 0;
    for (int from_then_on = 0; from_then_on < 2; from_then_on++)
        for (size_t k = 1; k <= allocations; k += step) {
            if (step == 1 && !test_is_drawn(k, STANDARD_THINNING)) continue;
            account a = {.fail_at = k, .from_then_on = from_then_on};
            size_t failed = compile_with(&a, exprs, FEW);
            *(failed == FEW ? &all_failed : failed ? &some_failed : &none_failed) += 1;
        }
    print_message(
        "%zu allocations, every %zu. made to fail: %zu times all kernels failed, %zu times some\n",
        allocations, step, all_failed, some_failed);
    /* Memory that only remembers, or makes it cheaper, can be missed. */
    assert_true(all_failed > 0 && some_failed > 0 && none_failed > 0);
    for (int k = 0; k < FEW; k++) tosajit_expr_destroy(exprs[k]);
}

/* A kernel that outlives its batch holds no more than its own code, and nothing else of the batch
 * stays. */
static void code_is_given_back_while_others_live(void **state) {
    enum { ROUNDS = 6, WARM = 2, MOST_HEAP = 4 << 10 /* that a round may leave */ };
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, 0, 1);
    tosajit_kernel *kept[ROUNDS];
    tosajit_expr *exprs[MOST_COUNT];
    tosajit_stats warm = {.size = sizeof warm}, stats = {.size = sizeof stats};
    size_t warm_code = 0, warm_heap = 0;
    for (int k = 0; k < list_count; k++) /* Products in place of long ones. */
        exprs[k] = make_expr(k % 5 == 3 || k % 7 == 0 ? 101 + 100 * k : k);
    for (int round = 0; round < ROUNDS; round++) {
        tosajit_kernel *kernels[MOST_COUNT];
        CHECK(tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, (size_t)list_count,
                                   kernels, NULL));
        for (int k = 0; k < list_count; k++)
            if (k != round) tosajit_kernel_release(kernels[k]);
        kept[round] = kernels[round];
        if (round != WARM) continue;
        CHECK(tosajit_engine_stats(engine, &warm));
        warm_code = process_executable();
        warm_heap = mallinfo2().uordblks;
    }
    CHECK(tosajit_engine_stats(engine, &stats));
    assert_true(stats.code_bytes > warm.code_bytes);
    assert_int_equal(process_executable() - warm_code, stats.code_bytes - warm.code_bytes);
    print_message("heap: %zu bytes, of which the kernels say %zu\n",
                  mallinfo2().uordblks - warm_heap, stats.structure_bytes - warm.structure_bytes);
    assert_true(mallinfo2().uordblks <= warm_heap + (stats.structure_bytes - warm.structure_bytes) +
                                            (ROUNDS - 1 - WARM) * MOST_HEAP);
    for (int round = 0; round < ROUNDS; round++) {
        assert_runs(kept[round]);
        tosajit_kernel_release(kept[round]);
    }
    for (int k = 0; k < list_count; k++) tosajit_expr_destroy(exprs[k]);
    tosajit_engine_destroy(engine);
}

int main(void) {
    const uint64_t asked = test_setting("TOSAJIT_LIST", MOST_COUNT);
    list_count = asked < LEAST_COUNT ? LEAST_COUNT : asked > MOST_COUNT ? MOST_COUNT : (int)asked;
    return TEST_RUN(NULL, NULL, TEST(all_are_compiled_as_if_alone),
                    TEST(code_is_optimised_as_if_alone), TEST(each_is_released_on_its_own),
                    TEST(equal_and_known_expressions_are_one_kernel),
                    TEST(a_failure_loses_no_other), TEST(a_failure_inside_llvm_loses_no_other),
                    TEST(arguments_are_checked), TEST(other_backends_do_it_too),
                    TEST(the_hosts_threads_compile), TEST(several_threads_compile_lists),
                    TEST(opposite_lists_do_not_wait_for_each_other),
                    TEST(the_cap_refuses_what_exceeds_it), TEST_IN_SCRATCH(code_is_kept_on_disk),
                    TEST(every_allocation_may_fail), TEST(code_is_given_back_while_others_live));
}
