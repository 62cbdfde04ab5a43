/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process that may not have executable memory: a seccomp filter refuses mmap and mprotect with
 * PROT_EXEC, as hardened systems do, before the library is first called, or later. The engine must
 * run precompiled ops, with the bits of native code, or say why it does not. Where the filter ends
 * the process instead, the backend that makes no memory executable lives. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/random_program.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

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
static int refuses; /* with this error; 0: not */

static int is_refused(int protection) {
    if (!refuses || !(protection & PROT_EXEC)) return 0;
    errno = refuses;
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

/* From now on the system answers with SECCOMP_RET_ERRNO | error, or SECCOMP_RET_KILL_PROCESS. False
 * where it does not allow a filter. */
static bool filter(uint32_t action) {
    /* Its low half: little-endian. */
    enum { PROT_ARGUMENT = offsetof(struct seccomp_data, args[2]) };
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, PROT_ARGUMENT),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof program / sizeof *program, program};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

static void forbid(int error) {
    if (filter(SECCOMP_RET_ERRNO | (uint32_t)error)) return;
    print_message("no seccomp here (%s): mmap and mprotect of the program refuse\n",
                  strerror(errno));
    refuses = error;
}

static int forbid_executable_memory(void **state) {
    if (save_image()) return -1;
    forbid(EACCES);
    return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Random programs in processes of their own */

enum { PROGRAMS = 120, FORBIDDEN = 3 };

/* Their answers, in memory that a child shares. */
typedef struct answers {
    uint64_t digests[PROGRAMS];
    unsigned char image[sizeof image];
    size_t image_size;
    size_t by[TOSAJIT_BACKEND_PRECOMPILED + 1]; /* how many kernels each backend answered */
    size_t reducing;                            /* how many have a reduction */
} answers;

static uint64_t digest_of(const program *p, const tosajit_tensor *results) {
    uint64_t digest = 1;
    for (int r = 0; r < p->result_count; r++) {
        const tosajit_type type = results[r].element;
        int64_t count = 1;
        for (int32_t d = 0; d < results[r].rank; d++) count *= results[r].dims[d];
        for (int64_t k = 0; k < count; k++) {
            const unsigned char *at =
                (const unsigned char *)results[r].data + (size_t)k * tosajit_type_size(type);
            const uint64_t bits = test_bits(type, at);
            /* Which NaN it is, is nobody's promise but where elements are only moved. */
            const bool any = test_is_nan(type, bits) && !program_moves(p, p->results[r]);
            digest = (digest ^ (any ? 0 : bits)) * UINT64_C(0x100000001b3);
        }
    }
    return digest;
}

static void *room_for(const tosajit_tensor *tensor) {
    size_t size = tosajit_type_size(tensor->element);
    for (int32_t d = 0; d < tensor->rank; d++) size *= (size_t)tensor->dims[d];
    return calloc(size ? size : 1, 1);
}

static bool run_program(const program *p, test_random *random, const tosajit_kernel *kernel,
                        uint64_t *digest) {
    tosajit_tensor operands[PROGRAM_MAX_INPUTS], results[PROGRAM_MAX_RESULTS];
    int64_t dims[PROGRAM_MAX_RESULTS][TOSAJIT_MAX_RANK];
    const size_t inputs = (size_t)p->input_count, outputs = (size_t)p->result_count;
    for (size_t k = 0; k < inputs; k++) {
        const program_node *node = &p->nodes[p->inputs[k]];
        operands[k] = tosajit_dense(node->type.element, NULL, node->type.rank, node->first_dims);
        operands[k].data = room_for(&operands[k]);
        int64_t count = 1, behind = 1; /* elements; those of an index of the first dimension */
        for (int32_t d = 0; d < node->type.rank; d++) count *= node->first_dims[d];
        for (int32_t d = 1; d < node->type.rank; d++) behind *= node->first_dims[d];
        for (int64_t i = 0; i < count; i++)
            program_fill(p, p->inputs[k], NULL, i / behind, random, true,
                         (unsigned char *)operands[k].data +
                             (size_t)i * tosajit_type_size(node->type.element));
    }
    bool fine = !tosajit_kernel_results(kernel, operands, inputs, results, outputs, dims);
    for (size_t k = 0; fine && k < outputs; k++) results[k].data = room_for(&results[k]);
    const tosajit_status status =
        fine ? tosajit_run(kernel, operands, inputs, results, outputs) : TOSAJIT_OK;
    fine = fine && (!status || status == TOSAJIT_INDEX_OUT_OF_RANGE);
    if (fine) *digest = status ? (uint64_t)status : digest_of(p, results);
    for (size_t k = 0; k < inputs; k++) free(operands[k].data);
    for (size_t k = 0; fine && k < outputs; k++) free(results[k].data);
    return fine;
}

static bool reduces(const program *p) {
    bool reached[PROGRAM_MAX_NODES], found = false;
    for (int r = 0; r < p->result_count; r++) {
        program_reach(p, p->results[r], reached);
        for (int k = 0; k < p->count; k++)
            found |= reached[k] && p->nodes[k].kind == PROGRAM_OP && test_reduces(p->nodes[k].op);
    }
    return found;
}

static bool answer_one(tosajit_engine *engine, uint64_t seed, answers *a) {
    test_random random = test_random_start(seed);
    program p;
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    tosajit_kernel_info info = {.size = sizeof info};
    if (!program_random(&random, (int)test_random_range(&random, 1, 5), &p) ||
        program_build(&p, &expr) || tosajit_compile_expr(engine, expr, &kernel) ||
        tosajit_kernel_describe(kernel, &info))
        return false;
    a->by[info.backend]++;
    a->reducing += reduces(&p);
    const bool fine = run_program(&p, &random, kernel, &a->digests[seed]);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    program_free(&p);
    return fine;
}

static answers *native, *other;
static int interpret_image(void);

static int answer_all(tosajit_backend backend, answers *a) {
    const tosajit_engine_options options = {.size = sizeof options, .backend = backend};
    tosajit_engine *engine;
    if (tosajit_engine_create(&options, &engine)) return 1;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        if (!answer_one(engine, seed, a)) return 2;
    tosajit_engine_destroy(engine);
    if (backend != TOSAJIT_BACKEND_NATIVE) return interpret_image();
    if (save_image()) return 3;
    memcpy(a->image, image, sizeof image);
    a->image_size = image_size;
    return 0;
}

/* A child that has not called the library before its filter; 0 for none. How it ended. */
static int answer_in_child(uint32_t action, tosajit_backend backend, answers *a) {
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int error = (int)(action & SECCOMP_RET_DATA);
        if (action == SECCOMP_RET_KILL_PROCESS && !filter(action)) _exit(FORBIDDEN);
        if (error) forbid(error);
        const int code = answer_all(backend, a);
        if (code) fprintf(stderr, "%s\n", tosajit_last_error());
        _exit(code);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int answer_natively(void **state) {
    answers *both =
        mmap(NULL, 2 * sizeof *both, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (both == MAP_FAILED) return -1;
    native = both, other = both + 1;
    return answer_in_child(0, TOSAJIT_BACKEND_NATIVE, native) ||
           native->by[TOSAJIT_BACKEND_NATIVE] != PROGRAMS;
}

/* Precompiled ops answer, but for reductions, which may be interpreted. */
static void expect_the_same_bits(void) {
    const size_t interpreted = other->by[TOSAJIT_BACKEND_INTERPRET];
    assert_memory_equal(other->digests, native->digests, sizeof native->digests);
    assert_int_equal(other->by[TOSAJIT_BACKEND_PRECOMPILED] + interpreted, PROGRAMS);
    assert_true(interpreted <= other->reducing && other->reducing < PROGRAMS / 2);
    memset(other, 0, sizeof *other);
}

static int interpret_image(void) {
    const tosajit_load_options options = {.size = sizeof options,
                                          .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_kernel *kernel;
    float a[2] = {3, 4}, r[2];
    const int64_t dims[1] = {2};
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims), operands[2] = {x, x},
                         result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    if (tosajit_kernel_load(native->image, native->image_size, &options, &kernel)) return 1;
    if (tosajit_run(kernel, operands, 2, &result, 1) || r[0] != 9 || r[1] != 16) return 2;
    tosajit_kernel_release(kernel);
    return 0;
}

/* Which error the filter gives makes no difference. */
static void a_filter_before_the_first_call_changes_no_bit(void **state) {
    static const int errors[] = {EPERM, EACCES, ENOSYS, ENOMEM};
    static const tosajit_backend backends[] = {TOSAJIT_BACKEND_AUTO, TOSAJIT_BACKEND_BACKGROUND,
                                               TOSAJIT_BACKEND_PRECOMPILED};
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
        for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
            assert_int_equal(
                answer_in_child(SECCOMP_RET_ERRNO | (uint32_t)errors[e], backends[b], other), 0);
            expect_the_same_bits();
        }
}

/* Others ask the system, which ends the process: SECURITY.md says so. */
static void a_filter_that_kills_leaves_precompiled_ops(void **state) {
    const int ended = answer_in_child(SECCOMP_RET_KILL_PROCESS, TOSAJIT_BACKEND_PRECOMPILED, other);
    if (ended == FORBIDDEN) {
        print_message("*** NOT TESTED: a filter that kills: no seccomp here\n");
        return;
    }
    assert_int_equal(ended, 0);
    expect_the_same_bits();
    assert_int_equal(answer_in_child(SECCOMP_RET_KILL_PROCESS, TOSAJIT_BACKEND_AUTO, other),
                     1000 + SIGSYS);
}

/* ---------------------------------------------------------------------------------------------
 * This process, which has compiled before its filter */

static tosajit_status create(tosajit_backend backend, tosajit_engine **engine) {
    tosajit_engine_options options = {.size = sizeof options, .backend = backend};
    return tosajit_engine_create(&options, engine);
}

static void native_says_why(void **state) {
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
    precompiled_ops_answer(TOSAJIT_BACKEND_AUTO);
}

static void background_runs_precompiled_ops(void **state) {
    precompiled_ops_answer(TOSAJIT_BACKEND_BACKGROUND);
}

static void the_backend_of_its_own_runs_them(void **state) {
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
    const int failed =
        TEST_RUN(answer_natively, NULL, TEST(a_filter_before_the_first_call_changes_no_bit),
                 TEST(a_filter_that_kills_leaves_precompiled_ops));
    return failed + TEST_RUN(forbid_executable_memory, NULL, TEST(native_says_why),
                             TEST(automatic_runs_precompiled_ops),
                             TEST(background_runs_precompiled_ops),
                             TEST(the_backend_of_its_own_runs_them), TEST(they_are_fast),
                             TEST(images_run_precompiled_ops));
}
