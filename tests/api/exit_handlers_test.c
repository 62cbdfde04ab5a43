/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of what is called at exit, last one first, where an engine is asked to wait
 * (quiesce_at_exit): a handler of ours comes before those that destroy LLVM's objects, also the
 * ones that LLVM makes amid compilations. This program stands between LLVM and the C library. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tosajit/tosajit.h"

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

static void handlers_of_ours_come_first(void **state) {
    (void)state;
    static const tosajit_op ops[] = {TOSAJIT_OP_abs, TOSAJIT_OP_tanh, TOSAJIT_OP_sigmoid,
                                     TOSAJIT_OP_erf, TOSAJIT_OP_sin,  TOSAJIT_OP_cos,
                                     TOSAJIT_OP_log, TOSAJIT_OP_exp};
    enum { COUNT = sizeof ops / sizeof *ops, AROUND_LOADING = 2 };
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .quiesce_at_exit = 1};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_engine *engine;
    tosajit_kernel *kernels[COUNT];
    unsigned powers = 0;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(handlers_of_ours_come_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
