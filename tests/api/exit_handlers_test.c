/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of what is called at exit, last one first, where an engine is asked to wait
 * (quiesce_at_exit): a handler of ours comes before those that destroy LLVM's objects, also the
 * ones that LLVM makes amid compilations. This program stands between LLVM and the C library. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>

#include "tests/support/cmocka.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

static unsigned ours, others, others_behind; /* since our last one */

/* atexit's have no object; C++'s objects are their destructors' argument. */
__attribute__((visibility("default"))) int __cxa_atexit(void (*handler)(void *), void *object,
                                                        void *library);
int __cxa_atexit(void (*handler)(void *), void *object, void *library) {
    static int (*next)(void (*)(void *), void *, void *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "__cxa_atexit");
    ours += !object;
    others += object != NULL;
    others_behind = object ? others_behind + 1 : 0;
    return next(handler, object, library);
}

/* Handlers that an ending thread has registered and taken back. */
static unsigned taken_back;

__attribute__((visibility("default"))) void __cxa_finalize(void *library);
void __cxa_finalize(void *library) {
    static void (*next)(void *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "__cxa_finalize");
    taken_back++;
    next(library);
}

static const int64_t any[] = {TOSAJIT_DYNAMIC};

static void open_engine(tosajit_engine **engine) {
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .quiesce_at_exit = 1};
    assert_int_equal(tosajit_engine_create(&options, engine), TOSAJIT_OK);
}

static void handlers_of_ours_come_first(void **state) {
    static const tosajit_op ops[] = {TOSAJIT_OP_abs, TOSAJIT_OP_tanh, TOSAJIT_OP_sigmoid,
                                     TOSAJIT_OP_erf, TOSAJIT_OP_sin,  TOSAJIT_OP_cos,
                                     TOSAJIT_OP_log, TOSAJIT_OP_exp};
    enum { COUNT = sizeof ops / sizeof *ops, AROUND_LOADING = 2 };
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, any);
    tosajit_engine *engine;
    tosajit_kernel *kernels[COUNT];
    unsigned powers = 0;
    open_engine(&engine);
    assert_int_equal(ours, 0);
    for (unsigned k = 0; k < COUNT; k++) {
        const unsigned before = others;
        assert_int_equal(tosajit_compile(engine, ops[k], &type, 1, NULL, NULL, &kernels[k]),
                         TOSAJIT_OK);
        print_message("compilation %u: %u handlers of LLVM\n", k + 1, others - before);
        if (k & (k + 1)) continue;
        assert_int_equal(others_behind, 0);
        assert_int_equal(ours, AROUND_LOADING + ++powers);
    }
    assert_true(others > 0);
    for (unsigned k = 0; k < COUNT; k++) tosajit_kernel_release(kernels[k]);
    tosajit_engine_destroy(engine);
}

/* An expression, and the ways to compile it. */
typedef struct compiled {
    tosajit_engine *engine;
    tosajit_expr *expr;
    char *text;
} compiled;

static void *by_one(void *argument) {
    const compiled *c = argument;
    tosajit_kernel *kernel = NULL;
    if (!tosajit_compile_expr(c->engine, c->expr, &kernel)) tosajit_kernel_release(kernel);
    return kernel;
}

static void *by_list(void *argument) {
    const compiled *c = argument;
    const tosajit_expr *list[] = {c->expr};
    tosajit_kernel *kernel = NULL;
    if (!tosajit_compile_many(c->engine, list, 1, &kernel, NULL)) tosajit_kernel_release(kernel);
    return kernel;
}

static void *by_image(void *argument) {
    compiled *c = argument;
    size_t size;
    if (tosajit_compile_image(&c->engine, 1, c->expr, &c->text, &size)) return NULL;
    tosajit_text_release(c->text);
    return c->text;
}

static void *by_printing(void *argument) {
    compiled *c = argument;
    if (tosajit_print(c->engine, c->expr, TOSAJIT_VIEW_ASM, &c->text)) return NULL;
    tosajit_text_release(c->text);
    return c->text;
}

/* Whatever way a thread compiled, its end registers a handler, which does not outlive it: a host
 * with a thread for every request would have as many. */
static void handlers_of_threads_go_with_them(void **state) {
    static void *(*const ways[])(void *) = {by_one, by_list, by_image, by_printing};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, any);
    compiled c = {.engine = NULL};
    tosajit_value x;
    open_engine(&c.engine);
    assert_int_equal(tosajit_expr_create(NULL, &c.expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(c.expr, &type, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_op(c.expr, TOSAJIT_OP_ceil, &x, 1, NULL, NULL, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(c.expr, x), TOSAJIT_OK);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        pthread_t thread;
        void *made;
        assert_non_null(ways[k](&c)); /* with the handlers behind compilations */
        const unsigned before = ours, taken = taken_back;
        assert_int_equal(pthread_create(&thread, NULL, ways[k], &c), 0);
        assert_int_equal(pthread_join(thread, &made), 0);
        assert_non_null(made);
        print_message("way %zu: %u handlers, %u taken back\n", k, ours - before,
                      taken_back - taken);
        assert_true(ours > before);
        assert_int_equal(taken_back - taken, 1);
    }
    tosajit_expr_destroy(c.expr);
    tosajit_engine_destroy(c.engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(handlers_of_ours_come_first),
                    TEST(handlers_of_threads_go_with_them));
}
