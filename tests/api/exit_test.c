/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes that exit while something compiles. Each case is a child, which begins a compilation,
 * after a random time calls tosajit_quiesce and exit(CODE), and is slow to end: a handler of its
 * own, registered before LLVM's, sleeps while LLVM's objects are gone. TOSAJIT_ROUNDS=<n> repeats
 * the cases. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"

enum {
    CODE = 7,
    WRONG = 9,
    STANDARD_ROUNDS = 6,
    LATEST_MICROSECONDS = 60000,
    FIRST_MICROSECONDS = 20000,
    FIRST_FORKS = 5, /* to meet the loading, which is short */
    SLEEP_MICROSECONDS = 60000
};

/* The thread sanitizer has spin locks of its own. In a child they are not free if another thread of
 * the parent was inside malloc, and one child in some hundred spins in its exit for ever. */
#if defined(__SANITIZE_THREAD__)
enum { FORKS_THREADS = 0 };
#else
enum { FORKS_THREADS = 1 };
#endif

static tosajit_engine *engine; /* of the child; what it still holds at exit is no leak */
static tosajit_kernel *kernels[TOSAJIT_OP_COUNT];
static int failures;

static void sleep_at_exit(void) { usleep(SLEEP_MICROSECONDS); }

static void open_engine(const tosajit_engine_options *options) {
    tosajit_engine_options given = *options;
    given.size = sizeof given;
    if (tosajit_engine_create(&given, &engine)) _exit(WRONG);
}

static tosajit_status compile(tosajit_op op, tosajit_kernel **kernel) {
    const tosajit_tensor_type type =
        tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){TOSAJIT_DYNAMIC, 3});
    return tosajit_compile(engine, op, &type, 1, NULL, NULL, kernel);
}

static const tosajit_op ops[] = {TOSAJIT_OP_tanh, TOSAJIT_OP_sigmoid, TOSAJIT_OP_erf,
                                 TOSAJIT_OP_sin,  TOSAJIT_OP_cos,     TOSAJIT_OP_log};
enum { OPS = sizeof ops / sizeof *ops };

/* A kernel has been compiled before. */
static void background(unsigned microseconds) {
    atexit(sleep_at_exit);
    open_engine(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND});
    if (compile(TOSAJIT_OP_exp, &kernels[OPS]) || tosajit_kernel_wait(kernels[OPS])) _exit(WRONG);
    for (int k = 0; k < OPS; k++)
        if (compile(ops[k], &kernels[k])) _exit(WRONG);
    usleep(microseconds);
}

/* The thread has just been told, loads LLVM, or is amid the first compilation of the process. */
static void first_compilation(unsigned microseconds) {
    atexit(sleep_at_exit);
    open_engine(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND});
    for (int k = 0; k < OPS; k++)
        if (compile(ops[k], &kernels[k])) _exit(WRONG);
    usleep(microseconds % FIRST_MICROSECONDS);
}

/* The host has a handler, registered when the first kernel had been compiled. */
static void handler(unsigned microseconds) {
    atexit(sleep_at_exit);
    open_engine(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND});
    if (compile(TOSAJIT_OP_exp, &kernels[OPS]) || tosajit_kernel_wait(kernels[OPS])) _exit(WRONG);
    atexit(tosajit_quiesce);
    for (int k = 0; k < OPS; k++)
        if (compile(ops[k], &kernels[k])) _exit(WRONG);
    usleep(microseconds);
    exit(CODE);
}

static void *compile_all(void *nothing) {
    tosajit_kernel *kernel; /* what it holds, it still holds at exit */
    for (int k = 0; k < OPS; k++)
        if (compile(ops[k], &kernel) && !strstr(tosajit_last_error(), "tosajit_quiesce was called"))
            _exit(WRONG);
    return nothing;
}

/* Two threads of the host's compile. */
static void threads(unsigned microseconds) {
    pthread_t thread;
    atexit(sleep_at_exit);
    open_engine(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_NATIVE});
    if (compile(TOSAJIT_OP_exp, &kernels[OPS])) _exit(WRONG);
    for (int k = 0; k < 2; k++)
        if (pthread_create(&thread, NULL, compile_all, NULL) || pthread_detach(thread))
            _exit(WRONG);
    usleep(microseconds);
}

static void compile_late(void) {
    tosajit_kernel *kernel = NULL;
    if (compile(TOSAJIT_OP_floor, &kernel) != TOSAJIT_CODEGEN_FAILED || kernel) _exit(WRONG);
    if (!strstr(tosajit_last_error(), "tosajit_quiesce was called")) _exit(WRONG);
}

/* A handler of the host's finds LLVM gone. */
static void late_compilation(unsigned microseconds) {
    (void)microseconds;
    atexit(compile_late);
    open_engine(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_NATIVE});
    if (compile(TOSAJIT_OP_exp, &kernels[0])) _exit(WRONG);
}

static void release_late(void) {
    float x[6] = {1, 1, 1, 1, 1, 1}, r[6];
    const int64_t dims[2] = {2, 3};
    tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, x, 2, dims),
                   result = tosajit_dense(TOSAJIT_F32, r, 2, dims);
    if (tosajit_run(kernels[0], &operand, 1, &result, 1) || r[5] != 1) _exit(WRONG);
    tosajit_kernel_release(kernels[0]);
    tosajit_engine_destroy(engine);
}

/* A kernel runs, and all is given back, by a handler: as the destructor of a C++ host's static
 * object does. */
static void late_release(unsigned microseconds) {
    (void)microseconds;
    atexit(release_late);
    open_engine(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_NATIVE});
    if (compile(TOSAJIT_OP_ceil, &kernels[0])) _exit(WRONG);
}

static int allocations;

static void *exit_in_allocation(void *context, size_t size) {
    (void)context;
    if (++allocations > 20) {
        tosajit_quiesce();
        exit(CODE);
    }
    return malloc(size);
}

static void release(void *context, void *memory, size_t size) {
    (void)context;
    (void)size;
    free(memory);
}

/* A hook of the host's ends the process from within a compilation, which does not wait for itself.
 */
static void exit_within(unsigned microseconds) {
    (void)microseconds;
    static const tosajit_allocator hooks = {exit_in_allocation, release, NULL};
    open_engine(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_NATIVE, .allocator = &hooks});
    for (int k = 0; k < OPS; k++)
        if (compile(ops[k], &kernels[k])) _exit(WRONG);
    _exit(WRONG);
}

/* A child of a process that compiles: it has no thread to wait for. */
static void forked(unsigned microseconds) {
    background(microseconds);
    pid_t child = fork();
    if (child == 0) return;
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != CODE)
        _exit(WRONG);
}

/* Nobody calls tosajit_quiesce, but the engine has asked for it: a kernel has been compiled before.
 */
static void plugin(unsigned microseconds) {
    atexit(sleep_at_exit);
    open_engine(
        &(tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND, .quiesce_at_exit = 1});
    if (compile(TOSAJIT_OP_exp, &kernels[OPS]) || tosajit_kernel_wait(kernels[OPS])) _exit(WRONG);
    for (int k = 0; k < OPS; k++)
        if (compile(ops[k], &kernels[k])) _exit(WRONG);
    usleep(microseconds);
    exit(CODE);
}

/* The same while LLVM is loaded, or amid the first compilation of the process. */
static void plugin_first(unsigned microseconds) {
    atexit(sleep_at_exit);
    open_engine(
        &(tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND, .quiesce_at_exit = 1});
    for (int k = 0; k < OPS; k++)
        if (compile(ops[k], &kernels[k])) _exit(WRONG);
    usleep(microseconds % FIRST_MICROSECONDS);
    exit(CODE);
}

static void *begin_all(void *nothing) {
    for (int k = 0; k < OPS; k++)
        if (compile(ops[k], &kernels[k])) _exit(WRONG);
    return nothing;
}

/* A thread that compiled ends meanwhile, and the process goes on. */
static void plugin_thread(unsigned microseconds) {
    pthread_t thread;
    open_engine(
        &(tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND, .quiesce_at_exit = 1});
    if (pthread_create(&thread, NULL, begin_all, NULL) || pthread_join(thread, NULL)) _exit(WRONG);
    if (compile(TOSAJIT_OP_exp, &kernels[OPS])) _exit(WRONG);
    usleep(microseconds % FIRST_MICROSECONDS);
    for (int k = 0; k < OPS; k++)
        if (tosajit_kernel_wait(kernels[k])) _exit(WRONG);
    exit(CODE);
}

/* A child of a process whose thread has just been told, loads LLVM, or is amid the first
 * compilation. It computes, by whatever code it can have. */
static void forked_first(unsigned microseconds) {
    first_compilation(microseconds);
    pid_t child = fork();
    if (child == 0) {
        float x[3] = {-1, 0, 1}, r[3];
        const int64_t dims[2] = {1, 3};
        tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, x, 2, dims),
                       result = tosajit_dense(TOSAJIT_F32, r, 2, dims);
        alarm(60);
        open_engine(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_AUTO});
        if (compile(TOSAJIT_OP_abs, &kernels[OPS])) _exit(WRONG);
        if (tosajit_run(kernels[OPS], &operand, 1, &result, 1) || r[0] != 1) _exit(WRONG);
        _exit(CODE);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != CODE)
        _exit(WRONG);
}

/* The child's exit code, or 1000 + the signal that ended it. */
static int outcome(void (*act)(unsigned microseconds), unsigned microseconds) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        act(microseconds);
        tosajit_quiesce();
        exit(CODE);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* A child that waits for what does not come is ended by CTest, and the test with it. */
static void repeat(const char *name, void (*act)(unsigned microseconds), uint64_t rounds) {
    test_random random = test_random_start(1);
    int wrong = 0;
    for (uint64_t k = 0; k < rounds; k++) {
        const unsigned microseconds = (unsigned)test_random_range(&random, 0, LATEST_MICROSECONDS);
        const int code = outcome(act, microseconds);
        if (code != CODE) print_message("%s, exit after %u us: %d\n", name, microseconds, code);
        wrong += code != CODE;
    }
    failures += wrong;
    print_message("%s: %llu children, %d ended otherwise than they should\n", name,
                  (unsigned long long)rounds, wrong);
}

static void processes_end_as_they_should(void **state) {
    const uint64_t rounds = test_setting("TOSAJIT_ROUNDS", STANDARD_ROUNDS);
    repeat("background thread", background, rounds);
    repeat("first compilation", first_compilation, rounds);
    repeat("a handler of the host's", handler, rounds);
    repeat("two threads of the host's", threads, rounds);
    repeat("a plugin", plugin, rounds);
    repeat("a plugin's first compilation", plugin_first, rounds);
    repeat("a plugin, and a thread that ends", plugin_thread, rounds);
    if (FORKS_THREADS) {
        repeat("a child forked meanwhile", forked, rounds);
        repeat("a child forked amid the first compilation, which compiles", forked_first,
               rounds * FIRST_FORKS);
    } else {
        print_message("a child forked meanwhile: not tested under the thread sanitizer\n");
    }
    repeat("compiling in a handler", late_compilation, 2);
    repeat("running and releasing in a handler", late_release, 2);
    repeat("exit within a compilation", exit_within, 2);
    assert_int_equal(failures, 0);
}

int main(void) { return TEST_RUN(NULL, NULL, TEST(processes_end_as_they_should)); }
