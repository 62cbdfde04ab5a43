/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LLVM comes into the process with the first compilation and not before: kernels that come from
 * images never need it. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

static char image[] = "/tmp/tosajit-lazy-XXXXXX";

static bool is_mapped(const char *name) {
    char line[1024];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) found |= strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

static tosajit_status compile(tosajit_engine *engine, tosajit_kernel **kernel) {
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    return tosajit_compile(engine, TOSAJIT_OP_add, (tosajit_tensor_type[]){type, type}, 2, NULL,
                           NULL, kernel);
}

/* The work of the other process, into which LLVM comes. */
static int write_image(void) {
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    if (tosajit_engine_create(NULL, &engine) || compile(engine, &kernel) ||
        tosajit_kernel_save_file(kernel, image)) {
        puts(tosajit_last_error());
        return 1;
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return 0;
}

static int make_image(void **state) {
    int status, file = mkstemp(image);
    if (file < 0) return -1;
    close(file);
    pid_t child = fork();
    if (child == 0) _exit(write_image());
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

static int drop_image(void **state) { return unlink(image); }

static void check_sum(const tosajit_kernel *kernel) {
    int32_t a[3] = {1, 2, 3}, r[3];
    const int64_t dims[1] = {3};
    tosajit_tensor x = tosajit_dense(TOSAJIT_I32, a, 1, dims),
                   result = tosajit_dense(TOSAJIT_I32, r, 1, dims);
    assert_int_equal(tosajit_run(kernel, (tosajit_tensor[]){x, x}, 2, &result, 1), TOSAJIT_OK);
    assert_true(r[0] == 2 && r[1] == 4 && r[2] == 6);
}

static void images_need_no_llvm(void **state) {
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_kernel_load_file(image, NULL, &kernel), TOSAJIT_OK);
    assert_true(tosajit_kernel_is_native(kernel));
    check_sum(kernel);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    assert_true(is_mapped("libtosajit.so"));
    assert_false(is_mapped("libLLVM") || is_mapped("libtosajit-codegen"));
}

static void cpus_are_checked_without_llvm(void **state) {
    tosajit_engine_options options = {.size = sizeof options, .cpu = "abacus"};
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_INVALID_ARGUMENT);
    assert_non_null(strstr(tosajit_last_error(), "abacus"));
    assert_false(is_mapped("libLLVM") || is_mapped("libtosajit-codegen"));
}

static void precompiled_kernels_need_no_llvm(void **state) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_PRECOMPILED};
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    tosajit_stats stats = {.size = sizeof stats};
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    assert_int_equal(compile(engine, &kernel), TOSAJIT_OK);
    assert_int_equal(tosajit_engine_stats(engine, &stats), TOSAJIT_OK);
    assert_true(stats.precompiled == 1 && stats.compilations == 0);
    assert_false(tosajit_kernel_is_native(kernel));
    check_sum(kernel);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    assert_true(is_mapped("libtosajit-ops.so"));
    assert_false(is_mapped("libLLVM") || is_mapped("libtosajit-codegen"));
}

static void the_first_compilation_brings_llvm(void **state) {
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    assert_false(is_mapped("libLLVM") || is_mapped("libtosajit-codegen"));
    assert_int_equal(compile(engine, &kernel), TOSAJIT_OK);
    assert_true(is_mapped("libtosajit-codegen"));
    assert_int_equal(is_mapped("libLLVM"), !TOSAJIT_STATIC_LLVM);
    check_sum(kernel);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Errors from behind the table reach the caller, as the reason why there is no code to show. */
static void errors_come_through(void **state) {
    tosajit_expr *expr;
    tosajit_engine *engine;
    tosajit_value value;
    char *text;
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    const tosajit_engine_options native = {.size = sizeof native,
                                           .backend = TOSAJIT_BACKEND_NATIVE};
    assert_int_equal(tosajit_engine_create(&native, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &type, &value), TOSAJIT_OK);
    for (int k = 0; k < 4000; k++)
        assert_int_equal(tosajit_expr_op(expr, TOSAJIT_OP_pow, (tosajit_value[]){value, value}, 2,
                                         NULL, NULL, &value),
                         TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, value), TOSAJIT_OK);
    assert_int_equal(tosajit_print(engine, expr, TOSAJIT_VIEW_ASM, &text), TOSAJIT_OK);
    assert_non_null(strstr(text, "no code of its own: the expression makes more than"));
    tosajit_text_release(text);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(make_image, drop_image, TEST(images_need_no_llvm),
                    TEST(cpus_are_checked_without_llvm), TEST(precompiled_kernels_need_no_llvm),
                    TEST(the_first_compilation_brings_llvm), TEST(errors_come_through));
}
