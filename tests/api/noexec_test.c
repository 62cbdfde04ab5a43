/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process that may not have executable memory: a seccomp filter refuses mmap and mprotect with
 * PROT_EXEC, as hardened systems do. The engine must run precompiled ops, or say why it does not.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tosajit/tosajit.h"

static unsigned char image[65536];
static size_t image_size;

/* An image of r = a * b, made while that is still allowed. */
static int save_image(void) {
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    if (tosajit_engine_create(NULL, &engine)) return -1;
    if (tosajit_compile(engine, TOSAJIT_OP_mul, (tosajit_tensor_type[]){type, type}, 2, NULL, NULL,
                        &kernel))
        return -1;
    tosajit_status status = tosajit_kernel_save(kernel, image, sizeof image, &image_size);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return status ? -1 : 0;
}

/* Where no filter can be installed, as under an emulator, these answer in the C library's place:
 * the loader finds the program's first. */
static int refuses;

static int is_refused(int protection) {
    if (!refuses || !(protection & PROT_EXEC)) return 0;
    errno = EACCES;
    return 1;
}

__attribute__((visibility("default"))) int mprotect(void *address, size_t size, int protection) {
    return is_refused(protection) ? -1 : (int)syscall(SYS_mprotect, address, size, protection);
}

__attribute__((visibility("default"))) void *mmap(void *address, size_t size, int protection,
                                                  int flags, int file, off_t offset) {
    if (is_refused(protection)) return MAP_FAILED;
    return (void *)(uintptr_t)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

static int forbid_executable_memory(void **state) {
    (void)state;
    if (save_image()) return -1;
    /* Its low half: little-endian. */
    enum { PROT_ARGUMENT = offsetof(struct seccomp_data, args[2]) };
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PROT_ARGUMENT),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    refuses = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0;
    if (refuses)
        print_message("no seccomp here (%s): mmap and mprotect of the program refuse\n",
                      strerror(errno));
    return 0;
}

static tosajit_status create(tosajit_backend backend, tosajit_engine **engine) {
    tosajit_engine_options options = {.size = sizeof options, .backend = backend};
    return tosajit_engine_create(&options, engine);
}

static void native_says_why(void **state) {
    (void)state;
    tosajit_engine *engine = NULL;
    assert_int_equal(create(TOSAJIT_BACKEND_NATIVE, &engine), TOSAJIT_NOT_EXECUTABLE);
    assert_non_null(strstr(tosajit_last_error(), "executable memory"));
    assert_null(engine);
}

static tosajit_backend answerer(const tosajit_kernel *kernel) {
    tosajit_kernel_info info = {.size = sizeof info};
    assert_int_equal(tosajit_kernel_describe(kernel, &info), TOSAJIT_OK);
    return info.backend;
}

/* The kernel is not compiled, and right. */
static void squares(const tosajit_kernel *kernel) {
    assert_false(tosajit_kernel_is_native(kernel));
    float a[3] = {1, 2, 3}, r[3];
    const int64_t dims[1] = {3};
    tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims),
                   result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    assert_int_equal(tosajit_run(kernel, (tosajit_tensor[]){x, x}, 2, &result, 1), TOSAJIT_OK);
    assert_true(r[0] == 1 && r[1] == 4 && r[2] == 9);
}

static void precompiled_ops_answer(tosajit_backend backend) {
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    tosajit_stats stats = {.size = sizeof stats};
    assert_int_equal(create(backend, &engine), TOSAJIT_OK);
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_mul, (tosajit_tensor_type[]){type, type}, 2,
                                     NULL, NULL, &kernel),
                     TOSAJIT_OK);
    assert_int_equal(tosajit_kernel_wait(kernel), TOSAJIT_OK);
    assert_int_equal(answerer(kernel), TOSAJIT_BACKEND_PRECOMPILED);
    squares(kernel);
    assert_int_equal(tosajit_engine_stats(engine, &stats), TOSAJIT_OK);
    assert_true(stats.precompiled == 1 && stats.compilations == 0);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void automatic_runs_precompiled_ops(void **state) {
    (void)state;
    precompiled_ops_answer(TOSAJIT_BACKEND_AUTO);
}

static void background_runs_precompiled_ops(void **state) {
    (void)state;
    precompiled_ops_answer(TOSAJIT_BACKEND_BACKGROUND);
}

static void the_backend_of_its_own_runs_them(void **state) {
    (void)state;
    precompiled_ops_answer(TOSAJIT_BACKEND_PRECOMPILED);
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

typedef tosajit_status runner(const tosajit_kernel *, const tosajit_tensor *, size_t,
                              const tosajit_tensor *, size_t);

/* The shortest of a few runs. */
static double time_run(runner *run, const tosajit_kernel *kernel, const tosajit_tensor *operands,
                       const tosajit_tensor *result) {
    double shortest = 1e9;
    for (int k = 0; k < 9; k++) {
        const double start = seconds();
        assert_int_equal(run(kernel, operands, 2, result, 1), TOSAJIT_OK);
        const double taken = seconds() - start;
        if (taken < shortest) shortest = taken;
    }
    return shortest;
}

/* The interpreter takes some hundred times as long. */
static void they_are_fast(void **state) {
    (void)state;
    enum { COUNT = 1 << 14, LEAST = 20 };
    static float a[COUNT], r[COUNT];
    const int64_t dims[1] = {COUNT};
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims), operands[2] = {x, x},
                         result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    assert_int_equal(create(TOSAJIT_BACKEND_AUTO, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_mul, (tosajit_tensor_type[]){type, type}, 2,
                                     NULL, NULL, &kernel),
                     TOSAJIT_OK);
    const double precompiled = time_run(tosajit_run, kernel, operands, &result);
    const double interpreted = time_run(tosajit_run_interpreted, kernel, operands, &result);
    print_message("precompiled: 1/%.0f of the interpreter's time\n", interpreted / precompiled);
    assert_true(interpreted > (double)LEAST * precompiled);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void images_run_precompiled_ops(void **state) {
    (void)state;
    tosajit_kernel *kernel = NULL;
    tosajit_load_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE};
    assert_int_equal(tosajit_kernel_load(image, image_size, &options, &kernel),
                     TOSAJIT_NOT_EXECUTABLE);
    assert_non_null(strstr(tosajit_last_error(), "executable memory"));
    assert_null(kernel);
    assert_int_equal(tosajit_kernel_load(image, image_size, NULL, &kernel), TOSAJIT_OK);
    assert_int_equal(answerer(kernel), TOSAJIT_BACKEND_PRECOMPILED);
    assert_int_equal(tosajit_kernel_wait(kernel), TOSAJIT_OK);
    squares(kernel);
    size_t size;
    assert_int_equal(tosajit_kernel_save(kernel, NULL, 0, &size), TOSAJIT_NOT_EXECUTABLE);
    tosajit_kernel_release(kernel);
    options.backend = TOSAJIT_BACKEND_INTERPRET;
    assert_int_equal(tosajit_kernel_load(image, image_size, &options, &kernel), TOSAJIT_OK);
    assert_int_equal(answerer(kernel), TOSAJIT_BACKEND_INTERPRET);
    tosajit_kernel_release(kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(native_says_why),
                                       cmocka_unit_test(automatic_runs_precompiled_ops),
                                       cmocka_unit_test(background_runs_precompiled_ops),
                                       cmocka_unit_test(the_backend_of_its_own_runs_them),
                                       cmocka_unit_test(they_are_fast),
                                       cmocka_unit_test(images_run_precompiled_ops)};
    return cmocka_run_group_tests(tests, forbid_executable_memory, NULL);
}
