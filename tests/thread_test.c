/* Threads: one engine and its kernels used by several at once; run under the thread sanitizer too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "tosajit/tosajit.h"

enum { THREADS = 4, ROUNDS = 12, SIZE = 300 };

typedef struct worker {
    tosajit_engine *engine;
    tosajit_kernel *shared; /* run and retained by all */
    int number;
    char failure[256]; /* empty: none; cmocka's assertions belong to the main thread */
} worker;

static void report(worker *w, const char *what) {
    if (!*w->failure) snprintf(w->failure, sizeof w->failure, "%s: %.200s", what, tosajit_last_error());
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
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_I32, a, 1, dims), tosajit_dense(TOSAJIT_I32, b, 1, dims)};
    tosajit_tensor result = tosajit_dense(TOSAJIT_I32, r, 1, dims), wrong = tosajit_dense(TOSAJIT_I32, r, 1, other);
    if (tosajit_run(kernel, operands, 2, &result, 1)) report(w, "run");
    for (int k = 0; k < SIZE; k++)
        if (r[k] != a[k] + sign * b[k]) report(w, "wrong sum");
    /* Errors of one thread are not seen by another. */
    if (tosajit_run(kernel, operands, 2, &wrong, 1) != TOSAJIT_SHAPE_MISMATCH || !strstr(tosajit_last_error(), "301")) report(w, "error text");
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

static void native(void **state) {
    (void)state;
    share_engine(TOSAJIT_BACKEND_NATIVE);
}

static void background(void **state) {
    (void)state;
    share_engine(TOSAJIT_BACKEND_BACKGROUND);
}

static void interpreted(void **state) {
    (void)state;
    share_engine(TOSAJIT_BACKEND_INTERPRET);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(native), cmocka_unit_test(background), cmocka_unit_test(interpreted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
