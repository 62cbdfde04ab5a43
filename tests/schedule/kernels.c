/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scenarios about kernels: the cache and its flights, the queue in the background, how kernels live
 * and die, and forks amid all that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/run/kernel.h"
#include "tests/schedule/fake.h"
#include "tests/schedule/scenarios.h"
#include "tosajit/image.h"

/* ---------------------------------------------------------------------------------------------
 * What threads do, and what holds meanwhile */

static tosajit_engine *engine;
static tosajit_kernel *shared;
static tosajit_kernel *held_kernel[NUMBERS]; /* that somebody has */
static int held[NUMBERS];                    /* and how many */

static tosajit_engine *make_engine(tosajit_backend backend) {
    const tosajit_allocator allocator = schedule_allocator();
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = backend, .allocator = &allocator};
    tosajit_engine *made = NULL;
    schedule_require(!tosajit_engine_create(&options, &made), "no engine: %s",
                     tosajit_last_error());
    return made;
}

static tosajit_tensor_type type_of(int number) {
    return tosajit_ranked(TOSAJIT_I32, 1, (int64_t[]){number});
}

static tosajit_status compile(tosajit_engine *in, int number, tosajit_kernel **kernel) {
    const tosajit_tensor_type types[2] = {type_of(number), type_of(number)};
    return tosajit_compile(in, TOSAJIT_OP_add, types, 2, NULL, NULL, kernel);
}

/* The kernel is the host's now. Whoever has the kernel of a number has the same one. */
static void hold(int number, tosajit_kernel *kernel) {
    fake.making[number] = NULL;
    schedule_require(!held[number] || held_kernel[number] == kernel,
                     "two kernels %d live at a time", number);
    held[number]++;
    held_kernel[number] = kernel;
}

static void let_go(int number, tosajit_kernel *kernel) {
    held[number]--;
    tosajit_kernel_release(kernel);
}

static tosajit_kernel *get(int number) {
    tosajit_kernel *kernel = NULL;
    const tosajit_status status = compile(engine, number, &kernel);
    schedule_require(!status, "compile: %s", tosajit_last_error());
    hold(number, kernel);
    return kernel;
}

static void run(const tosajit_kernel *kernel, int number) {
    int32_t a[NUMBERS], b[NUMBERS], sum[NUMBERS];
    const int64_t dims[1] = {number};
    for (int k = 0; k < number; k++) b[k] = 10 * (a[k] = k + number);
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_I32, a, 1, dims),
                                        tosajit_dense(TOSAJIT_I32, b, 1, dims)},
                         result = tosajit_dense(TOSAJIT_I32, sum, 1, dims);
    schedule_require(!tosajit_run(kernel, operands, 2, &result, 1), "run: %s",
                     tosajit_last_error());
    for (int k = 0; k < number; k++) schedule_require(sum[k] == 11 * (k + number), "a wrong sum");
}

static void wait_for(tosajit_kernel *kernel) {
    const tosajit_status status = tosajit_kernel_wait(kernel);
    schedule_require(status || tosajit_kernel_is_native(kernel),
                     "a lost kernel: it was waited for, and is not compiled");
    schedule_require(!status, "wait: %s", tosajit_last_error());
}

static void begin(tosajit_backend backend) {
    fake_reset();
    fake.background = backend == TOSAJIT_BACKEND_BACKGROUND;
    memset(held, 0, sizeof held);
    engine = make_engine(backend);
}

static void begin_native(void) { begin(TOSAJIT_BACKEND_NATIVE); }
static void begin_background(void) { begin(TOSAJIT_BACKEND_BACKGROUND); }

static void check_left(void) {
    schedule_require(fake.linked == 0 && fake.live == 0 && fake.inside == 0,
                     "%d kernels and %d compilers are left", fake.linked, fake.live);
}

/* Nothing is left of anything; the scheduler looks after memory. */
static void end(void) {
    tosajit_stats stats = {.size = sizeof stats};
    tosajit_engine_stats(engine, &stats);
    schedule_require(stats.kernels == 0 && stats.code_bytes == 0,
                     "%zu kernels and %zu bytes of code are left", stats.kernels, stats.code_bytes);
    tosajit_engine_destroy(engine);
    check_left();
}

static void end_background(void) {
    tosajit_engine_destroy(engine);
    check_left();
}

/* ---------------------------------------------------------------------------------------------
 * Scenarios */

static void get_run_release(int number) {
    (void)number;
    tosajit_kernel *kernel = get(1);
    run(kernel, 1);
    let_go(1, kernel);
}

static void get_retain_release(int number) {
    tosajit_kernel *kernel = get(1);
    if (number == 0) {
        tosajit_kernel_retain(kernel);
        tosajit_kernel_release(kernel);
        let_go(1, kernel);
        kernel = get(2);
        let_go(2, kernel);
    } else {
        let_go(1, kernel);
        kernel = get(1);
        run(kernel, 1);
        let_go(1, kernel);
    }
}

static void get_twice_and_wait(int number) {
    tosajit_kernel *kernel = get(1);
    if (number > 0) wait_for(kernel);
    let_go(1, kernel);
    kernel = get(1);
    wait_for(kernel);
    run(kernel, 1);
    let_go(1, kernel);
}

/* The first compilation fails, for everybody who waits for it. */
static void begin_failing(void) {
    begin_native();
    fake.fail_next = 1;
}

static void begin_failing_background(void) {
    begin_background();
    fake.fail_next = 1;
}

static void get_and_be_told(int number) {
    tosajit_kernel *kernel = get(1);
    const tosajit_status status = tosajit_kernel_wait(kernel);
    if (status)
        schedule_require(status == TOSAJIT_CODEGEN_FAILED &&
                             strcmp(tosajit_last_error(), "this compilation fails") == 0,
                         "the reason is lost: %s", tosajit_last_error());
    schedule_require((status == TOSAJIT_OK) == (tosajit_kernel_is_native(kernel) != 0),
                     "it is native, or it has failed");
    run(kernel, 1);
    if (number == 0) let_go(1, kernel), kernel = get(1);
    let_go(1, kernel);
}

static void get_or_fail(int number) {
    (void)number;
    tosajit_kernel *kernel = NULL;
    const tosajit_status status = compile(engine, 1, &kernel);
    if (status) {
        schedule_require(!kernel && status == TOSAJIT_CODEGEN_FAILED &&
                             strcmp(tosajit_last_error(), "this compilation fails") == 0,
                         "the reason is lost: %s", tosajit_last_error());
    } else {
        hold(1, kernel);
        run(kernel, 1);
        let_go(1, kernel);
    }
}

static void compile_list(int number) {
    tosajit_expr *exprs[2];
    for (int k = 0; k < 2; k++) {
        const tosajit_allocator allocator = schedule_allocator();
        const tosajit_expr_options options = {.size = sizeof options, .allocator = &allocator};
        const tosajit_tensor_type type = type_of((k ^ number) + 1);
        tosajit_value inputs[2], sum;
        tosajit_status status = tosajit_expr_create(&options, &exprs[k]);
        for (int i = 0; !status && i < 2; i++)
            status = tosajit_expr_input(exprs[k], &type, &inputs[i]);
        if (!status)
            status = tosajit_expr_op(exprs[k], TOSAJIT_OP_add, inputs, 2, NULL, NULL, &sum);
        if (!status) status = tosajit_expr_result(exprs[k], sum);
        schedule_require(!status, "no expression: %s", tosajit_last_error());
    }
    tosajit_kernel *kernels[2];
    schedule_require(
        !tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, 2, kernels, NULL),
        "compile_many: %s", tosajit_last_error());
    for (int k = 0; k < 2; k++) hold((k ^ number) + 1, kernels[k]);
    for (int k = 0; k < 2; k++) {
        run(kernels[k], (k ^ number) + 1);
        let_go((k ^ number) + 1, kernels[k]);
        tosajit_expr_destroy(exprs[k]);
    }
}

/* An engine goes while a kernel of it waits for its compilation, and somebody for that. */
static void begin_waiting(void) {
    begin_background();
    shared = get(1);
    tosajit_kernel_release(get(2));
}

static void wait_while_the_engine_goes(int number) {
    if (number == 1) {
        tosajit_engine_destroy(engine);
        return;
    }
    const tosajit_status status = tosajit_kernel_wait(shared);
    schedule_require(status ==
                         (tosajit_kernel_is_native(shared) ? TOSAJIT_OK : TOSAJIT_NOT_EXECUTABLE),
                     "wait: %s", tosajit_last_error());
    run(shared, 1);
    tosajit_kernel_release(shared);
}

/* ---------------------------------------------------------------------------------------------
 * Forks: the child does every call that is promised */

/* Work that needs no engine of the parent's. Where the parent's first compilation had not ended, it
 * may have been under way, and then nothing is compiled in the child. */
static void use_a_new_engine(bool begun) {
    tosajit_engine *own = make_engine(TOSAJIT_BACKEND_BACKGROUND);
    tosajit_kernel *kernel = NULL;
    fake_reset();
    schedule_require(!compile(own, 4, &kernel), "compile in a new engine: %s",
                     tosajit_last_error());
    const tosajit_status status = tosajit_kernel_wait(kernel);
    schedule_require(!status || (!begun && status == TOSAJIT_CODEGEN_FAILED), "wait: %s",
                     tosajit_last_error());
    schedule_require((status == TOSAJIT_OK) == tosajit_kernel_is_native(kernel),
                     "waited for no native code");
    run(kernel, 4);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(own);
}

static void explain(const tosajit_kernel *kernel) {
    int32_t value = 1, sum = 0, rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    const int64_t one = 1;
    const tosajit_tensor x = tosajit_dense(TOSAJIT_I32, &value, 1, &one), operands[2] = {x, x},
                         result = tosajit_dense(TOSAJIT_I32, &sum, 1, &one);
    tosajit_explanation explanation = {.size = sizeof explanation};
    char *text = NULL;
    schedule_require(!tosajit_run_interpreted(kernel, operands, 2, &result, 1) && sum == 2,
                     "run_interpreted: %s", tosajit_last_error());
    schedule_require(!tosajit_kernel_result_dims(kernel, operands, 2, 0, &rank, dims) &&
                         rank == 1 && dims[0] == 1,
                     "result_dims: %s", tosajit_last_error());
    schedule_require(!tosajit_explain(kernel, operands, 2, &result, 1, &explanation, &text),
                     "explain: %s", tosajit_last_error());
    tosajit_text_release(text);
}

static void save_and_load(const tosajit_kernel *kernel, size_t size) {
    enum { CAPACITY = 4096 };
    char image[CAPACITY];
    tosajit_kernel *loaded = NULL;
    schedule_require(size <= CAPACITY && !tosajit_kernel_save(kernel, image, sizeof image, &size),
                     "save: %s", tosajit_last_error());
    schedule_require(!tosajit_kernel_load(image, size, NULL, &loaded), "load: %s",
                     tosajit_last_error());
    tosajit_kernel_release(loaded); /* its code is none to be run */
}

static void ask(tosajit_kernel *kernel) {
    tosajit_kernel_info info = {.size = sizeof info};
    tosajit_stats stats = {.size = sizeof stats};
    tosajit_raw raw = {.size = sizeof raw};
    size_t size = 0;
    schedule_require(!tosajit_kernel_describe(kernel, &info) &&
                         !tosajit_engine_stats(engine, &stats),
                     "describe");
    const tosajit_status expected =
        tosajit_kernel_is_native(kernel) ? TOSAJIT_OK : TOSAJIT_NOT_EXECUTABLE;
    schedule_require(tosajit_kernel_raw(kernel, 0, &raw) == expected, "raw: %s",
                     tosajit_last_error());
    schedule_require(tosajit_kernel_save(kernel, NULL, 0, &size) == expected, "save: %s",
                     tosajit_last_error());
    run(kernel, 1);
    explain(kernel);
    if (!expected) save_and_load(kernel, size);
    tosajit_kernel_retain(kernel);
    tosajit_kernel_release(kernel);
}

/* In an engine that was in use: a kernel, or a refusal; never a wait for a thread that does not
 * exist. */
static void use_the_old_engine(void) {
    fake_reset();
    tosajit_kernel *kernel = NULL, *kernels[1] = {NULL};
    tosajit_status status = compile(engine, 2, &kernel);
    schedule_require(!status || status == TOSAJIT_CODEGEN_FAILED, "compile in the old engine: %s",
                     tosajit_last_error());
    if (!status) run(kernel, 2);
    tosajit_kernel_release(kernel);
    fake_reset();
    tosajit_expr *expr = NULL;
    const tosajit_tensor_type type = type_of(3);
    tosajit_value x, result;
    schedule_require(!tosajit_expr_create(NULL, &expr) && !tosajit_expr_input(expr, &type, &x) &&
                         !tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, x}, 2, NULL,
                                          NULL, &result) &&
                         !tosajit_expr_result(expr, result),
                     "no expression");
    status = tosajit_compile_many(engine, (const tosajit_expr *const *)&expr, 1, kernels, NULL);
    schedule_require(!status || status == TOSAJIT_CODEGEN_FAILED, "compile_many: %s",
                     tosajit_last_error());
    tosajit_kernel_release(kernels[0]);
    char *text = NULL;
    status = tosajit_print(engine, expr, TOSAJIT_VIEW_IR, &text);
    schedule_require(!status || status == TOSAJIT_CODEGEN_FAILED, "print: %s",
                     tosajit_last_error());
    tosajit_text_release(text);
    fake_reset();
    char *object = NULL;
    size_t size;
    const tosajit_function function = {.name = "f", .expr = expr};
    status = tosajit_compile_object(&engine, 1, &function, 1, &object, &size);
    schedule_require(!status || status == TOSAJIT_CODEGEN_FAILED, "compile_object: %s",
                     tosajit_last_error());
    tosajit_text_release(object);
    tosajit_expr_destroy(expr);
}

static void child(void) {
    const bool begun = tosajit_kernel_is_native(shared);
    const tosajit_status status = tosajit_kernel_wait(shared);
    schedule_require(status ==
                         (tosajit_kernel_is_native(shared) ? TOSAJIT_OK : TOSAJIT_NOT_EXECUTABLE),
                     "wait: %s", tosajit_last_error());
    ask(shared);
    use_a_new_engine(begun);
    use_the_old_engine();
    tosajit_kernel_release(shared);
    tosajit_engine_destroy(engine);
    use_a_new_engine(begun);
    tosajit_quiesce();
}

static void begin_shared_native(void) {
    begin_native();
    shared = get(1);
}

static void begin_shared_background(void) {
    begin_background();
    shared = get(1);
}

static void use_and_wait(int number) {
    tosajit_kernel *kernel;
    if (number == 0) {
        wait_for(shared);
        run(shared, 1);
    }
    kernel = get(2);
    wait_for(kernel);
    run(kernel, 2);
    let_go(2, kernel);
}

static void end_shared(void) {
    tosajit_kernel_release(shared);
    end_background();
}

const scenario kernel_scenarios[KERNEL_SCENARIOS] = {
    {"single flight", "a kernel that is held is found; nobody compiles it a second time", 3,
     begin_native, get_run_release, end, NULL, false},
    {"life", "a kernel is found while somebody holds it, and gone afterwards", 2, begin_native,
     get_retain_release, end, NULL, false},
    {"failure", "who waits for a compilation that fails gets its reason", 3, begin_failing,
     get_or_fail, end, NULL, false},
    {"lists", "lists in opposite orders meet, and compile each kernel once", 2, begin_native,
     compile_list, end, NULL, false},
    {"background", "a kernel that was waited for is compiled, whoever let go of it before", 2,
     begin_background, get_twice_and_wait, end_background, NULL, false},
    {"background failure", "who waits for a job that fails gets its reason, and can run", 2,
     begin_failing_background, get_and_be_told, end_background, NULL, false},
    {"engine goes", "who waits for a kernel whose engine goes gets an answer", 2, begin_waiting,
     wait_while_the_engine_goes, check_left, NULL, false},
    {"fork", "a child runs and releases what its parent has, and compiles or is refused", 2,
     begin_shared_native, use_and_wait, end_shared, child, false},
    {"fork, background", "a child waits for nothing that its parent's threads do", 2,
     begin_shared_background, use_and_wait, end_shared, child, false},
};
