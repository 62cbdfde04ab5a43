/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every door of a call on a thread with a stack of 64 KiB, a guard page at its end: texts, kernels
 * of one part and of several, with and without views, of dense and strided tensors; calls, the same
 * again, bound, and after loading. Only LLVM has more. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { STACK = 1 << 20 }; /* a sanitizer's own frames are several times as large */
#else
enum { STACK = 64 << 10 };
#endif
enum { ELEMENTS = 1 << 16, MOST = 3 };

typedef struct call {
    const char *text;
    int operands, rank;
    int64_t dims[3], result[3]; /* of each operand; of the result */
} call;

static const call calls[] = {
    {"x + y : f32[?,?], f32[?,?]", 2, 2, {100, 100}, {100, 100}},
    {"x * y + z : f64[?,?]", 3, 2, {100, 100}, {100, 100}},
    {"exp(x) * (y + 1) - z : f32[100,100]", 3, 2, {100, 100}, {100, 100}},
    {"gelu(x) + y : f32[?,?]", 2, 2, {7, 1000}, {7, 1000}},
    {"transpose(x) + y : f32[?,?]", 2, 2, {100, 100}, {100, 100}},
    {"softmax(x) : f32[?,?]", 1, 2, {100, 100}, {100, 100}},
    {"softmax(x, axis=0) : f64[?,?]", 1, 2, {100, 100}, {100, 100}},
    {"softmax(x, axis=(1,2)) : f32[?,?,?]", 1, 3, {10, 10, 10}, {10, 10, 10}},
    {"layer_norm(x) * y + z : f32[?,?]", 3, 2, {100, 100}, {100, 100}},
    {"layer_norm(x, axis=(1,2))[1:] : f32[?,?,?]", 1, 3, {11, 10, 10}, {10, 10, 10}},
    {"layer_norm(transpose(x[1:], (0, 2, 1))) : f64[?,?,?]", 1, 3, {11, 10, 12}, {10, 12, 10}},
    {"concat(x, y)[:, 1:] * 2 : f32[3,?]", 2, 2, {3, 11}, {6, 10}},
    {"std(x, axis=(0, 2), keepdims=True) + 1 : f32[?,?,?]", 1, 3, {10, 10, 12}, {1, 10, 1}},
};
enum { CALLS = sizeof calls / sizeof *calls };

static double memory[MOST + 1][3 * ELEMENTS];

/* The operands, and the result behind them; 1: strided, the first dimension innermost. */
static void place(const call *c, const tosajit_kernel *kernel, int strided, int64_t (*strides)[3],
                  tosajit_tensor *tensors) {
    for (int k = 0; k <= c->operands; k++) {
        const bool result = k == c->operands;
        const tosajit_type type = (result ? tosajit_kernel_result_type(kernel, 0)
                                          : tosajit_kernel_operand_type(kernel, (size_t)k))
                                      .element;
        int64_t step = 3 * (int64_t)tosajit_type_size(type);
        tensors[k] = tosajit_dense(type, memory[k], c->rank, result ? c->result : c->dims);
        for (int d = 0; d < c->rank; d++) strides[k][d] = step, step *= tensors[k].dims[d];
        if (strided) tensors[k].strides = strides[k];
    }
}

static bool run_all_ways(tosajit_kernel *kernel, const call *c, int strided) {
    int64_t strides[MOST + 1][3], dims[TOSAJIT_MAX_RANK];
    tosajit_tensor tensors[MOST + 1];
    void *data[MOST + 1];
    int32_t rank;
    const size_t count = (size_t)c->operands;
    tosajit_bound *bound;
    place(c, kernel, strided, strides, tensors);
    for (int k = 0; k <= c->operands; k++) data[k] = tensors[k].data;
    if (tosajit_kernel_result_dims(kernel, tensors, count, 0, &rank, dims)) return false;
    for (int k = 0; k < 2; k++)
        if (tosajit_run(kernel, tensors, count, &tensors[count], 1)) return false;
    if (tosajit_bind(kernel, tensors, count, &tensors[count], 1, &bound)) return false;
    const tosajit_status status = tosajit_bound_run(bound, data);
    tosajit_bound_release(bound);
    return !status;
}

/* The thread's task, and how far it has come. */
typedef struct job {
    tosajit_engine *engine; /* null: kernels that are there */
    tosajit_kernel *kernels[CALLS];
    int done;
} job;

static bool make(job *j, int k) {
    tosajit_expr *expr;
    if (!j->engine) return true;
    if (tosajit_expr_parse(calls[k].text, strlen(calls[k].text), NULL, &expr)) return false;
    const tosajit_status status = tosajit_compile_expr(j->engine, expr, &j->kernels[k]);
    tosajit_expr_destroy(expr);
    return !status;
}

static void *work(void *argument) {
    job *j = argument;
    for (j->done = 0; j->done < CALLS; j->done++)
        if (!make(j, j->done) || !run_all_ways(j->kernels[j->done], &calls[j->done], 0) ||
            !run_all_ways(j->kernels[j->done], &calls[j->done], 1))
            break;
    return NULL;
}

static void run_on_small_stack(job *j) {
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, j), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    if (j->done < CALLS) fail_msg("%s", calls[j->done].text);
    for (int k = 0; k < CALLS; k++) tosajit_kernel_release(j->kernels[k]);
}

static void texts_become_results(tosajit_backend backend) {
    job j = {.engine = host_engine(backend, NULL)};
    run_on_small_stack(&j);
    tosajit_engine_destroy(j.engine);
}

static void interpreted_texts_become_results(void **state) {
    texts_become_results(TOSAJIT_BACKEND_INTERPRET);
}

static void precompiled_texts_become_results(void **state) {
    texts_become_results(TOSAJIT_BACKEND_PRECOMPILED);
}

/* While a thread of the engine's compiles. */
static void texts_in_the_background_become_results(void **state) {
    texts_become_results(TOSAJIT_BACKEND_BACKGROUND);
}

static void native_kernels_run(void **state) {
    job j = {.engine = host_engine(TOSAJIT_BACKEND_NATIVE, NULL)}, loaded = {.engine = NULL};
    tosajit_engine *engine = j.engine;
    static char image[1 << 20];
    for (int k = 0; k < CALLS; k++) {
        size_t size;
        assert_true(make(&j, k));
        assert_int_equal(tosajit_kernel_save(j.kernels[k], image, sizeof image, &size), TOSAJIT_OK);
        assert_int_equal(tosajit_kernel_load(image, size, NULL, &loaded.kernels[k]), TOSAJIT_OK);
    }
    j.engine = NULL;
    run_on_small_stack(&j);
    run_on_small_stack(&loaded);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(interpreted_texts_become_results),
                    TEST(precompiled_texts_become_results),
                    TEST(texts_in_the_background_become_results), TEST(native_kernels_run));
}
