/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Models that bring their code: what a process without a compiler computes with it, and that an
 * image which is damaged, forged, of another expression or of another CPU changes no result. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "runtime/base/bytes.h"
#include "tests/onnx/model.h"
#include "tests/support/scratch.h"
#include "tosajit/tosajit.h"

enum { ANSWER = 16384, MOST_IMAGE = 1 << 15, ELEMENTS = 3 * 64 };

static model m; /* large */

typedef struct image {
    size_t size;
    unsigned char bytes[MOST_IMAGE];
} image;

/* ---------------------------------------------------------------------------------------------
 * Images */

/* The text's image, with code for CPUs of these names. */
static image make_image(const char *text, const char *const *cpus, size_t count) {
    static image made;
    tosajit_engine *engines[4];
    tosajit_expr *expr;
    char *bytes;
    for (size_t k = 0; k < count; k++) {
        const tosajit_engine_options options = {
            .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = cpus[k]};
        assert_int_equal(tosajit_engine_create(&options, &engines[k]), TOSAJIT_OK);
    }
    assert_int_equal(tosajit_expr_parse(text, strlen(text), NULL, &expr), TOSAJIT_OK);
    if (tosajit_compile_image(engines, count, expr, &bytes, &made.size))
        fail_msg("%s", tosajit_last_error());
    assert_true(made.size <= sizeof made.bytes);
    memcpy(made.bytes, bytes, made.size);
    tosajit_text_release(bytes);
    tosajit_expr_destroy(expr);
    for (size_t k = 0; k < count; k++) tosajit_engine_destroy(engines[k]);
    return made;
}

#if defined __x86_64__
static const char *const levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"}, *other = "aarch64";
#else
static const char *const levels[] = {"aarch64"}, *other = "x86-64-v2";
#endif
enum { LEVELS = sizeof levels / sizeof *levels };

static image usual_image(const char *text) { return make_image(text, levels, LEVELS); }

static int64_t number_at(const image *i, size_t at) {
    int64_t number;
    memcpy(&number, i->bytes + at, sizeof number);
    return number;
}

/* The checksum finds accidents; whoever forges can count. */
static void sum_up(image *i) {
    const uint64_t sum = bytes_hash(i->bytes + 32, i->size - 32);
    memcpy(i->bytes + 24, &sum, sizeof sum);
}

/* The code of one expression under the name of another one. */
static image forged(const char *name, const char *code) {
    static image false_one;
    const image true_one = usual_image(name);
    false_one = usual_image(code);
    assert_int_equal(number_at(&true_one, 48), number_at(&false_one, 48));
    memcpy(false_one.bytes + 64, true_one.bytes + 64, (size_t)number_at(&true_one, 48));
    memcpy(false_one.bytes + 40, true_one.bytes + 40, 8); /* the plan */
    sum_up(&false_one);
    return false_one;
}

/* ---------------------------------------------------------------------------------------------
 * Processes */

static const char *model_path(void) {
    static char path[SCRATCH_SIZE + 32];
    snprintf(path, sizeof path, "%s/model.onnx", scratch);
    return path;
}

/* The library of operators alone in a folder, where no other library of ours is beside it. */
static const char *alone(void) {
    static char path[SCRATCH_SIZE + 64];
    char command[2 * sizeof path + sizeof TOSAJIT_OPS_ALONE];
    snprintf(path, sizeof path, "%s/libtosajit-onnxruntime-ops.so", scratch);
    snprintf(command, sizeof command, "cp '%s' '%s'", TOSAJIT_OPS_ALONE, path);
    assert_int_equal(system(command), 0);
    return path;
}

typedef struct answer {
    int code;
    char out[ANSWER], lines[ANSWER]; /* what the session printed, and what the library said of it */
} answer;

static void read_file(const char *name, char text[ANSWER]) {
    char path[SCRATCH_SIZE + 32];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, ANSWER - 1, file);
    text[size] = 0;
    fclose(file);
}

/* The model in a process of its own. */
static const answer *ask(const char *library, const char *images, const char *compile,
                         const char *environment) {
    static answer a;
    static char command[8 * SCRATCH_SIZE + 1024];
    assert_true(model_write(&m, model_path()));
    snprintf(command, sizeof command,
             "env -u LD_LIBRARY_PATH -u TOSAJIT_CACHE_DIR TOSAJIT_VERBOSE=2 %s '%s' '%s' '%s' %s "
             "%s >'%s/out' 2>'%s/lines'",
             environment, TOSAJIT_SESSION, library, model_path(), images, compile, scratch,
             scratch);
    a.code = system(command);
    read_file("out", a.out);
    read_file("lines", a.lines);
    return &a;
}

static bool mapped(const answer *a, const char *library) {
    char line[64];
    snprintf(line, sizeof line, "mapped %s", library);
    return strstr(a->out, line) != NULL;
}

/* The first output of a text that has x: f32[?,64] alone, by the interpreter. */
static void expect(const answer *a, const char *text) {
    static float x[ELEMENTS], y[ELEMENTS];
    static const int64_t dims[2] = {3, 64};
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine;
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    if (a->code) fail_msg("%s", a->lines);
    for (int k = 0; k < ELEMENTS; k++) x[k] = (float)(k - 96) * 0.0371f;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_parse(text, strlen(text), NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
    const tosajit_tensor from = tosajit_dense(TOSAJIT_F32, x, 2, dims),
                         to = tosajit_dense(TOSAJIT_F32, y, 2, dims);
    assert_int_equal(tosajit_run(kernel, &from, 1, &to, 1), TOSAJIT_OK);
    const char *at = a->out;
    for (int k = 0; k < ELEMENTS; k++) {
        char *end;
        const float got = strtof(at, &end);
        if (end == at || memcmp(&got, &y[k], sizeof got) != 0)
            fail_msg("%s: element %d is %a, not %a", text, k, (double)got, (double)y[k]);
        at = end;
    }
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

/* One region with one image. */
static void write_one(const char *text, const image *i) {
    model_begin(&m);
    model_input(&m, "x", 1, "N,64");
    model_output(&m, "y", 1, "N,64");
    if (i) model_bytes_constant(&m, "code", i->bytes, i->size);
    model_region(&m, i ? "x code" : "x", "y", text, NULL);
}

/* ---------------------------------------------------------------------------------------------
 * Tests */

static const char swish[] = "x: f32[?,64]; y = x * sigmoid(x)";

static void a_process_without_a_compiler_runs_the_code_of_the_model(void **state) {
    (void)state;
    static image i;
    i = usual_image(swish);
    write_one(swish, &i);
    static const char *const modes[] = {"background", "now"};
    for (int k = 0; k < 2; k++) {
        const answer *a = ask(alone(), "1", modes[k], "");
        expect(a, swish);
        assert_false(mapped(a, "libLLVM") || mapped(a, "libtosajit-codegen") ||
                     mapped(a, "libtosajit.so"));
        assert_null(strstr(a->lines, "precompiled"));
        assert_non_null(strstr(a->lines, "run tosajit_"));
    }
    /* The other library has a compiler, and does not load it. */
    const answer *a = ask(TOSAJIT_OPS, "1", "now", "");
    expect(a, swish);
    assert_true(mapped(a, "libtosajit.so"));
    assert_false(mapped(a, "libLLVM") || mapped(a, "libtosajit-codegen"));
}

static void without_code_it_computes_by_precompiled_ops(void **state) {
    (void)state;
    write_one(swish, NULL);
    const answer *a = ask(alone(), "1", "background", "");
    expect(a, swish);
    assert_non_null(strstr(a->lines, "precompiled in"));
    assert_false(mapped(a, "libLLVM") || mapped(a, "libtosajit-codegen"));
    a = ask(alone(), "1", "now", "");
    expect(a, swish);
    assert_non_null(strstr(a->lines, "precompiled in"));
}

/* That code is run at all shows when it is another expression's; and that it is not, unasked. */
static void code_of_a_model_is_run_only_where_the_host_asks(void **state) {
    (void)state;
    static image i;
    i = forged("x: f32[?,64]; y = ceil(x)", "x: f32[?,64]; y = floor(x)");
    write_one("x: f32[?,64]; y = ceil(x)", &i);
    expect(ask(TOSAJIT_OPS, "1", "now", ""), "x: f32[?,64]; y = floor(x)");
    expect(ask(TOSAJIT_OPS, "0", "now", ""), "x: f32[?,64]; y = ceil(x)");
    expect(ask(alone(), "0", "background", ""), "x: f32[?,64]; y = ceil(x)");
}

/* Each level's code is that of another function, which says which one ran. */
static void the_best_code_for_the_cpu_runs(void **state) {
    (void)state;
    static image i;
    i = usual_image(swish);
    write_one(swish, &i);
    for (size_t k = 0; k < LEVELS; k++) {
        char environment[64];
        snprintf(environment, sizeof environment, "TOSAJIT_CPU=%s", levels[k]);
        const answer *a = ask(alone(), "1", "now", environment);
        expect(a, swish);
        assert_null(strstr(a->lines, "precompiled"));
    }
    if (LEVELS < 3) return;
    i = make_image(swish, levels + LEVELS - 1, 1); /* the highest alone, and a lower CPU */
    write_one(swish, &i);
    const answer *a = ask(alone(), "1", "now", "TOSAJIT_CPU=x86-64-v2");
    expect(a, swish);
    assert_non_null(strstr(a->lines, "precompiled in"));
    i = make_image(swish, &other, 1);
    write_one(swish, &i);
    a = ask(alone(), "1", "now", "");
    expect(a, swish);
    assert_non_null(strstr(a->lines, "precompiled in"));
}

/* None is run, whatever is wrong with it, and no result changes. */
static void images_that_are_none_change_nothing(void **state) {
    (void)state;
    static image whole, i;
    whole = usual_image(swish);
    static const char tanh_text[] = "x: f32[?,64]; y = tanh(x)";
    for (size_t cut = 1; cut < whole.size; cut += whole.size / 5) {
        i = whole;
        i.size = cut;
        write_one(swish, &i);
        const answer *a = ask(alone(), "1", "now", "");
        expect(a, swish);
        assert_non_null(strstr(a->lines, "precompiled in"));
    }
    for (size_t at = 0; at < whole.size; at += whole.size / 7) {
        i = whole;
        i.bytes[at] ^= 0x10;
        if (at >= 32) sum_up(&i); /* its program, plan or tables are wrong, not its sum */
        if (at >= 64 + (size_t)number_at(&whole, 48) + 8 * 6 * LEVELS) i.bytes[24] ^= 1; /* code */
        write_one(swish, &i);
        expect(ask(alone(), "1", "now", ""), swish);
    }
    i = usual_image(tanh_text);
    write_one(swish, &i);
    expect(ask(alone(), "1", "background", ""), swish);
    i.size = 0;
    write_one(swish, &i);
    expect(ask(alone(), "1", "background", ""), swish);
}

static void regions_share_an_image(void **state) {
    (void)state;
    static const char *const texts[] = {"x: f32[?,64]; y = x * sigmoid(x + 1.5)",
                                        "x: f32[?,64]; y = x * sigmoid(x + 2.5)"};
    static image i;
    i = usual_image("x: f32[?,64], tosajit_c0: f32[]; y = x * sigmoid(x + tosajit_c0)");
    for (int first = 0; first < 2; first++) {
        model_begin(&m);
        model_input(&m, "x", 1, "N,64");
        model_output(&m, "y", 1, "N,64");
        model_output(&m, "z", 1, "N,64");
        model_bytes_constant(&m, "code", i.bytes, i.size);
        model_region(&m, "x code", "y", texts[first], NULL);
        model_region(&m, "x code", "z", texts[!first], NULL);
        const answer *a = ask(alone(), "1", "now", "");
        expect(a, texts[first]);
        assert_null(strstr(a->lines, "precompiled"));
    }
}

static void wrong_inputs_and_settings_are_refused_with_a_reason(void **state) {
    (void)state;
    model_begin(&m);
    model_input(&m, "x", 1, "N,64");
    model_input(&m, "more", 1, "N,64");
    model_output(&m, "y", 1, "N,64");
    model_region(&m, "x more", "y", swish, NULL);
    const answer *a = ask(TOSAJIT_OPS, "1", "now", "");
    assert_int_not_equal(a->code, 0);
    assert_non_null(strstr(a->lines, "inputs of the node: 2, operands of the expression: 1"));
    write_one(swish, NULL);
    a = ask(TOSAJIT_OPS, "yes", "now", "");
    assert_non_null(strstr(a->lines, "tosajit.images, or the variable TOSAJIT_ONNX_IMAGES, is "
                                     "`yes`, but takes `0` or `1`"));
    a = ask(TOSAJIT_OPS, "1", "later", "");
    assert_non_null(strstr(a->lines, "is `later`, but takes `background` or `now`"));
}

/* Hosts end while a thread compiles, and know nothing of it. */
static void processes_end_while_code_is_made(void **state) {
    (void)state;
    model_begin(&m);
    model_input(&m, "x", 1, "N,64");
    static const char *const functions[] = {"tanh", "sigmoid", "erf", "sin", "cos", "log", "exp"};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        char text[64], name[8];
        snprintf(text, sizeof text, "x: f32[?,64]; y = %s(x)", functions[k]);
        snprintf(name, sizeof name, "y%zu", k);
        model_output(&m, name, 1, "N,64");
        model_region(&m, "x", name, text, NULL);
    }
    for (int k = 0; k < 10; k++)
        expect(ask(TOSAJIT_OPS, "0", "background", ""), "x: f32[?,64]; y = tanh(x)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_without_a_compiler_runs_the_code_of_the_model),
        cmocka_unit_test(without_code_it_computes_by_precompiled_ops),
        cmocka_unit_test(code_of_a_model_is_run_only_where_the_host_asks),
        cmocka_unit_test(the_best_code_for_the_cpu_runs),
        cmocka_unit_test(images_that_are_none_change_nothing),
        cmocka_unit_test(regions_share_an_image),
        cmocka_unit_test(wrong_inputs_and_settings_are_refused_with_a_reason),
        cmocka_unit_test(processes_end_while_code_is_made),
    };
    if (scratch_make(NULL)) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_remove(NULL);
    return failed;
}
