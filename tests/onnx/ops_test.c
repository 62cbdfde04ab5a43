/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nodes tosajit.Region in ONNX Runtime: each model is also written in the engine's own operators,
 * and both must give the same; what is wrong with a node is said when the session is made, what is
 * wrong with a call by the call. The engine is the one that TOSAJIT_ONNXRUNTIME names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "tests/onnx/model.h"
#include "tests/support/scratch.h"
#include "tools/onnxruntime/host.h"
#include "tools/onnxruntime/pair.h"

static ort_host *host;
static ort_message why;
static model m; /* large */

#define SURE(call)                                                                                 \
    do {                                                                                           \
        if (!(call)) fail_msg("%s: %s", #call, why.text);                                          \
    } while (0)

static int load_engine(void **state) {
    (void)state;
    if (ort_host_open(NULL, &host, &why)) return 0;
    fprintf(stderr, "%s\n", why.text);
    return 1;
}

static int unload_engine(void **state) {
    (void)state;
    ort_host_close(host);
    return 0;
}

static const char *path_of(const char *name) {
    static char path[2][SCRATCH_SIZE + 32];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s.onnx", scratch, name);
    return path[which];
}

static bool open_written(int threads, ort_session **session) {
    const char *path = path_of("model");
    const ort_session_options options = {.ops_library = TOSAJIT_OPS, .threads = threads};
    assert_true(model_write(&m, path));
    return ort_session_open(host, path, &options, session, &why);
}

/* Both models on made inputs; sizes are "N=3 M=4". */
static void expect_same(ort_session *own, ort_session *region, const pair_size *sizes, size_t count,
                        double tolerance) {
    pair_inputs inputs;
    ort_results *a, *b;
    SURE(pair_make_inputs(own, sizes, count, 3, 42, &inputs, &why));
    SURE(ort_session_run(own, inputs.tensors, &a, &why));
    SURE(ort_session_run(region, inputs.tensors, &b, &why));
    pair_difference differences[4];
    const size_t outputs = ort_session_output_count(own);
    assert_true(outputs <= 4);
    SURE(pair_compare(a, b, outputs, differences, &why));
    for (size_t k = 0; k < outputs; k++) {
        assert_int_equal(differences[k].nans, 0);
        if (differences[k].largest > tolerance)
            fail_msg("output %zu is %g apart", k, differences[k].largest);
    }
    ort_results_release(a);
    ort_results_release(b);
    pair_release_inputs(&inputs);
}

/* The arithmetic of a line: x and b broadcast, sizes from nothing to what threads divide. */
static void begin_line(void) {
    model_begin(&m);
    model_input(&m, "x", ORT_F32, "N,64");
    model_input(&m, "b", ORT_F32, "64");
    model_output(&m, "y", ORT_F32, "N,64");
}

static void a_region_computes_what_the_engine_computes(void **state) {
    (void)state;
    static const int64_t rows[] = {0, 1, 3, 77, 20000};
    for (int threads = 1; threads <= 2; threads++) {
        ort_session *own, *region;
        begin_line();
        model_node(&m, "", "Add", "x b", "s", NULL, 0);
        model_node(&m, "", "Sigmoid", "s", "t", NULL, 0);
        model_node(&m, "", "Mul", "x t", "y", NULL, 0);
        SURE(open_written(threads, &own));
        begin_line();
        model_region(&m, "x b", "y", "x: f32[?,64], b: f32[64]; y = x * sigmoid(x + b)", NULL);
        SURE(open_written(threads, &region));
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            /* the engine's sigmoid is a few units of 2^-24 off, ours half a unit */
            expect_same(own, region, &(pair_size){"N", rows[k]}, 1, 0x1p-21);
        ort_session_close(own);
        ort_session_close(region);
    }
}

/* Operations that round once, or not at all, must agree in every bit. */
static void results_of_several_types_agree_in_every_bit(void **state) {
    (void)state;
    ort_session *sessions[2];
    for (int own = 0; own < 2; own++) {
        model_begin(&m);
        model_input(&m, "x", ORT_F32, "N,M");
        model_input(&m, "y", ORT_F32, "N,1");
        model_output(&m, "sum", ORT_F32, "N,M");
        model_output(&m, "less", ORT_BOOL, "N,M");
        model_output(&m, "twice", ORT_F32, "N,1");
        if (own) {
            model_node(&m, "", "Add", "x y", "sum", NULL, 0);
            model_node(&m, "", "Less", "x y", "less", NULL, 0);
            model_node(&m, "", "Add", "y y", "twice", NULL, 0);
        } else {
            model_region(&m, "x y", "sum less twice",
                         "x: f32[?,?], y: f32[?,1]; sum = x + y; less = y > x; twice = y + y",
                         "exact");
        }
        SURE(open_written(1, &sessions[own]));
    }
    const pair_size sizes[3][2] = {
        {{"N", 5}, {"M", 7}}, {{"N", 0}, {"M", 7}}, {{"N", 300}, {"M", 900}}};
    for (int k = 0; k < 3; k++) expect_same(sessions[1], sessions[0], sizes[k], 2, 0);
    ort_session_close(sessions[0]);
    ort_session_close(sessions[1]);
}

/* An addition in every type that both know. */
static void every_type_reaches_the_kernel(void **state) {
    (void)state;
    static const struct {
        ort_type type;
        const char *expression, *op;
    } cases[] = {
        {ORT_F32, "x: f32[?], y: f32[?]; x + y", "Add"},
        {ORT_F16, "x: f16[?], y: f16[?]; x + y", "Add"},
        {ORT_I32, "x: i32[?], y: i32[?]; x + y", "Add"},
        {ORT_U32, "x: i32[?], y: i32[?]; x + y", "Add"},
        {ORT_I64, "x: i64[?], y: i64[?]; x + y", "Add"},
        {ORT_U64, "x: i64[?], y: i64[?]; x + y", "Add"},
        {ORT_BOOL, "x: i1[?], y: i1[?]; x ^ y", "Xor"},
        {ORT_I8, "x: i8[?], y: i8[?]; x & y", "BitwiseAnd"},
        {ORT_U8, "x: i8[?], y: i8[?]; x & y", "BitwiseAnd"},
        {ORT_I16, "x: i16[?], y: i16[?]; x | y", "BitwiseOr"},
        {ORT_U16, "x: i16[?], y: i16[?]; x | y", "BitwiseOr"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ort_session *sessions[2];
        for (int own = 0; own < 2; own++) {
            model_begin(&m);
            model_input(&m, "x", (int)cases[k].type, "N");
            model_input(&m, "y", (int)cases[k].type, "N");
            model_output(&m, "z", (int)cases[k].type, "N");
            if (own)
                model_node(&m, "", cases[k].op, "x y", "z", NULL, 0);
            else
                model_region(&m, "x y", "z", cases[k].expression, NULL);
            SURE(open_written(1, &sessions[own]));
        }
        expect_same(sessions[1], sessions[0], &(pair_size){"N", 1001}, 1, 0);
        ort_session_close(sessions[0]);
        ort_session_close(sessions[1]);
    }
}

/* bf16 has no operators of the engine's on a processor; a sum that is twice a number has one. */
static void bf16_doubles(void **state) {
    (void)state;
    ort_session *session;
    ort_results *results;
    uint16_t x[5] = {0x3f80, 0xc040, 0x0000, 0x7f80, 0x3eab};
    static const uint16_t twice[5] = {0x4000, 0xc0c0, 0x0000, 0x7f80, 0x3f2b};
    model_begin(&m);
    model_input(&m, "x", ORT_BF16, "N");
    model_output(&m, "y", ORT_BF16, "N");
    model_region(&m, "x", "y", "x: bf16[?]; y = x + x", NULL);
    SURE(open_written(1, &session));
    const ort_tensor input = {ORT_BF16, 1, {5}, x, sizeof x};
    SURE(ort_session_run(session, &input, &results, &why));
    assert_int_equal(ort_result(results, 0)->bytes, sizeof twice);
    assert_memory_equal(ort_result(results, 0)->data, twice, sizeof twice);
    ort_results_release(results);
    ort_session_close(session);
}

/* Constants of 16 bits stand in texts as their bits, as `tosajit onnx` writes them: 0x4000 is 2 in
 * both types, 0x3c00 is 1 as an f16 and 2^-7 as a bf16, and 0x8000 is -0. */
static void halves_take_bits_as_constants(void **state) {
    (void)state;
    static const struct {
        int type;
        const char *text;
        uint16_t x[3], y[3];
    } rows[] = {
        {ORT_BF16, "x: bf16[?]; x * 0x4000", {0x3f80, 0xc040, 0x0000}, {0x4000, 0xc0c0, 0x0000}},
        {ORT_BF16, "x: bf16[?]; x * 0x3c00", {0x3f80, 0xc040, 0x7f80}, {0x3c00, 0xbcc0, 0x7f80}},
        {ORT_BF16, "x: bf16[?]; x + 0x8000", {0x3f80, 0x8000, 0x0000}, {0x3f80, 0x8000, 0x0000}},
        {ORT_F16, "x: f16[?]; x * 0x4000", {0x3c00, 0xc200, 0x0001}, {0x4000, 0xc600, 0x0002}},
        {ORT_F16, "x: f16[?]; x + 0x3c00", {0x3c00, 0xc200, 0x8000}, {0x4000, 0xc000, 0x3c00}},
        {ORT_F16, "x: f16[?]; x + 0x8000", {0x3c00, 0x8000, 0x0000}, {0x3c00, 0x8000, 0x0000}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ort_session *session;
        ort_results *results;
        uint16_t x[3];
        memcpy(x, rows[k].x, sizeof x);
        model_begin(&m);
        model_input(&m, "x", rows[k].type, "N");
        model_output(&m, "y", rows[k].type, "N");
        model_region(&m, "x", "y", rows[k].text, NULL);
        SURE(open_written(1, &session));
        const ort_tensor input = {(ort_type)rows[k].type, 1, {3}, x, sizeof x};
        SURE(ort_session_run(session, &input, &results, &why));
        assert_int_equal(ort_result(results, 0)->bytes, sizeof rows[k].y);
        assert_memory_equal(ort_result(results, 0)->data, rows[k].y, sizeof rows[k].y);
        ort_results_release(results);
        ort_session_close(session);
    }
}

/* Values that only regions read are computed in their place where the engine finds that good: the
 * chain runs often, and its values are those of one region. */
static void chains_of_regions_agree_with_one(void **state) {
    (void)state;
    ort_session *chain, *whole;
    model_begin(&m);
    model_input(&m, "x", ORT_F32, "N,64");
    model_value(&m, "a", ORT_F32, "N,64");
    model_value(&m, "b", ORT_F32, "N,64");
    model_output(&m, "y", ORT_F32, "N,64");
    model_output(&m, "z", ORT_F32, "1,64");
    model_region(&m, "x", "a", "x: f32[?,64]; a = exp(x)", NULL);
    /* two parts: the second still reads what the first could overwrite */
    model_input(&m, "row", ORT_F32, "1,64");
    model_value(&m, "r", ORT_F32, "1,64");
    model_region(&m, "row", "r", "row: f32[1,64]; r = row + 1", NULL);
    model_region(&m, "a r", "b z", "a: f32[?,64], r: f32[1,64]; b = a * r; z = r + r", NULL);
    model_region(&m, "b", "y", "b: f32[?,64]; y = tanh(b)", NULL);
    SURE(open_written(1, &chain));
    model_begin(&m);
    model_input(&m, "x", ORT_F32, "N,64");
    model_output(&m, "y", ORT_F32, "N,64");
    model_output(&m, "z", ORT_F32, "1,64");
    model_input(&m, "row", ORT_F32, "1,64");
    model_region(&m, "x row", "y z",
                 "x: f32[?,64], row: f32[1,64]; r = row + 1; y = tanh(exp(x) * r); z = r + r",
                 NULL);
    SURE(open_written(1, &whole));
    for (int64_t n = 0; n < 6; n++) expect_same(whole, chain, &(pair_size){"N", n}, 1, 0);
    ort_session_close(chain);
    ort_session_close(whole);
}

/* A result in place of an operand that a later part of the kernel reads again. */
static void results_in_place_wait_for_later_readers(void **state) {
    (void)state;
    ort_session *chain, *whole;
    model_begin(&m);
    model_input(&m, "row", ORT_F32, "1,64");
    model_input(&m, "x", ORT_F32, "N,64");
    model_value(&m, "r", ORT_F32, "1,64");
    model_output(&m, "s", ORT_F32, "1,64");
    model_output(&m, "y", ORT_F32, "N,64");
    model_region(&m, "row", "r", "row: f32[1,64]; r = row + 1", NULL);
    model_region(&m, "r x", "t y", "r: f32[1,64], x: f32[?,64]; t = r * r; y = x * r", NULL);
    model_value(&m, "t", ORT_F32, "1,64");
    model_region(&m, "t", "s", "t: f32[1,64]; s = t + 1", NULL);
    SURE(open_written(1, &chain));
    model_begin(&m);
    model_input(&m, "row", ORT_F32, "1,64");
    model_input(&m, "x", ORT_F32, "N,64");
    model_output(&m, "s", ORT_F32, "1,64");
    model_output(&m, "y", ORT_F32, "N,64");
    model_region(&m, "row x", "s y",
                 "row: f32[1,64], x: f32[?,64]; r = row + 1; s = r * r + 1; y = x * r", NULL);
    SURE(open_written(1, &whole));
    for (int64_t n = 0; n < 6; n++) expect_same(whole, chain, &(pair_size){"N", n}, 1, 0);
    ort_session_close(chain);
    ort_session_close(whole);
}

/* An activation that is there often, with other numbers each time, computes what each computes
 * alone: the first has a kernel of its own, and the rest share one. */
static void regions_that_differ_in_numbers_agree_with_each_alone(void **state) {
    (void)state;
    static const char *const texts[] = {
        "x: f32[?,64]; t = x * (x + 3); y = t * 0.4763231 + (-0.0075732437)",
        "x: f32[?,64]; t = x * (x + 3); y = t * 0.63296586 + 1e-05",
        "x: f32[?,64]; t = x * (x + 1.5); y = t * 1e38 + 0.25",
        "x: f32[?,64]; t = x * (x + 3); y = t * 0 + (-0)",
    };
    ort_session *all;
    ort_results *results;
    float x[3 * 64];
    for (int k = 0; k < 3 * 64; k++) x[k] = (float)(k - 96) * 0.0371f;
    const ort_tensor input = {ORT_F32, 2, {3, 64}, x, sizeof x};
    model_begin(&m);
    model_input(&m, "x", ORT_F32, "N,64");
    for (int k = 0; k < 4; k++) {
        const char name[2] = {(char)('a' + k), 0};
        model_output(&m, name, ORT_F32, "N,64");
        model_region(&m, "x", name, texts[k], NULL);
    }
    SURE(open_written(1, &all));
    SURE(ort_session_run(all, &input, &results, &why));
    for (size_t k = 0; k < 4; k++) {
        tosajit_expr *expr;
        tosajit_engine *engine;
        tosajit_kernel *kernel;
        float y[3 * 64];
        const tosajit_engine_options options = {.size = sizeof options,
                                                .backend = TOSAJIT_BACKEND_INTERPRET};
        assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
        assert_int_equal(tosajit_expr_parse(texts[k], strlen(texts[k]), NULL, &expr), TOSAJIT_OK);
        assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_OK);
        const tosajit_tensor from = tosajit_dense(TOSAJIT_F32, x, 2, input.dims),
                             to = tosajit_dense(TOSAJIT_F32, y, 2, input.dims);
        assert_int_equal(tosajit_run(kernel, &from, 1, &to, 1), TOSAJIT_OK);
        assert_memory_equal(ort_result(results, k)->data, y, sizeof y);
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
        tosajit_engine_destroy(engine);
    }
    ort_results_release(results);
    ort_session_close(all);
}

/* Each line is a node that no session can have, and what it is told. */
static void wrong_nodes_are_refused_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *expression, *accuracy, *inputs, *message;
    } cases[] = {
        {"x: f32[?], y: f32[?]; x + z", NULL, "x y", "z"},
        {"x: f32[?], y: f32[?]; x +* y", NULL, "x y", "expression:1:"},
        {"x: f32[?], y: f32[?]; x & y", NULL, "x y", "bitwise_and"},
        {"x: f32[?]; x + 1", NULL, "x y", "inputs of the node: 2, operands of the expression: 1"},
        {"x: f32[?], y: f32[?]; x + y; x - y", NULL, "x y", "outputs: 1, results: 2"},
        {"x: f32[?], y: f32[?]; x + y", "quick", "x y", "neither `exact` nor `fast`"},
        {"x: i32[?], y: i32[?]; x + y", NULL, "x y",
         "operand 0 (x) is f32 in the model, but tensor<?xi32> in the expression"},
        {"x: f32[?], y: f32[?]; z = x > y", NULL, "x y",
         "result 0 (z) is f32 in the model, but tensor<?xi1> in the expression"},
        {"x: f32[2], y: f32[3]; x + y", NULL, "x y", "broadcast"},
        {"", NULL, "x y", "tosajit.Region z"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ort_session *session;
        model_begin(&m);
        model_input(&m, "x", ORT_F32, "N");
        model_input(&m, "y", ORT_F32, "N");
        model_output(&m, "z", ORT_F32, "N");
        model_region(&m, cases[k].inputs, "z", cases[k].expression, cases[k].accuracy);
        if (open_written(1, &session)) fail_msg("case %zu was accepted", k);
        if (!strstr(why.text, cases[k].message))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", k, why.text, cases[k].message);
    }
    ort_session *session;
    model_begin(&m);
    model_input(&m, "x", ORT_F32, "N");
    model_output(&m, "z", ORT_F32, "N");
    model_node(&m, "tosajit", "Region", "x", "z", NULL, 0);
    assert_false(open_written(1, &session));
    assert_non_null(strstr(why.text, "no attribute `expression`"));
}

/* The call fails, and the session goes on. */
static void wrong_sizes_are_refused_by_the_call(void **state) {
    (void)state;
    ort_session *session;
    ort_results *results;
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {1, 1, 1, 1, 1, 1};
    model_begin(&m);
    model_input(&m, "x", ORT_F32, "N");
    model_input(&m, "y", ORT_F32, "M");
    model_output(&m, "z", ORT_F32, "?");
    model_region(&m, "x y", "z", "x: f32[?], y: f32[?]; z = x + y", NULL);
    SURE(open_written(1, &session));
    ort_tensor inputs[2] = {{ORT_F32, 1, {6}, x, 24}, {ORT_F32, 1, {4}, y, 16}};
    assert_false(ort_session_run(session, inputs, &results, &why));
    assert_non_null(strstr(why.text, "size 4 does not broadcast with 6"));
    inputs[1] = (ort_tensor){ORT_F32, 1, {6}, y, 24};
    SURE(ort_session_run(session, inputs, &results, &why));
    for (int k = 0; k < 6; k++)
        assert_true(((const float *)ort_result(results, 0)->data)[k] == x[k] + 1);
    ort_results_release(results);
    ort_session_close(session);
}

/* The rank that the model declares may be another one than the call's. */
static void other_ranks_are_refused_by_the_call(void **state) {
    (void)state;
    ort_session *session;
    ort_results *results;
    float x[6] = {0};
    model_begin(&m);
    model_input(&m, "x", ORT_F32, "N,3");
    model_output(&m, "z", ORT_F32, "?");
    model_region(&m, "x", "z", "x: f32[?]; z = x + x", NULL);
    SURE(open_written(1, &session));
    const ort_tensor input = {ORT_F32, 2, {2, 3}, x, sizeof x};
    assert_false(ort_session_run(session, &input, &results, &why));
    assert_non_null(strstr(why.text, "has rank 2"));
    ort_session_close(session);
}

/* One session may be called by many threads at once, and kernels are shared among sessions. */
enum { CALLERS = 4, CALLS = 200 };
static ort_session *shared;

static void *call_often(void *failed) {
    static const float one = 1;
    for (int k = 0; k < CALLS; k++) {
        float x[1000], b[1] = {one};
        ort_message said;
        ort_results *results;
        const int64_t n = 1 + (k * 37) % 1000;
        for (int i = 0; i < n; i++) x[i] = (float)(i * k);
        const ort_tensor inputs[2] = {{ORT_F32, 1, {n}, x, (size_t)n * 4}, {ORT_F32, 1, {1}, b, 4}};
        if (!ort_session_run(shared, inputs, &results, &said)) return failed;
        const float *y = ort_result(results, 0)->data;
        for (int i = 0; i < n; i++)
            if (y[i] != x[i] + one) return failed;
        ort_results_release(results);
    }
    return NULL;
}

static void threads_share_a_session(void **state) {
    (void)state;
    pthread_t threads[CALLERS];
    ort_session *other;
    int failure;
    model_begin(&m);
    model_input(&m, "x", ORT_F32, "N");
    model_input(&m, "b", ORT_F32, "1");
    model_output(&m, "y", ORT_F32, "N");
    model_region(&m, "x b", "y", "x: f32[?], b: f32[1]; y = x + b", NULL);
    SURE(open_written(2, &shared));
    SURE(open_written(1, &other));
    ort_session_close(other);
    for (int k = 0; k < CALLERS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, call_often, &failure), 0);
    for (int k = 0; k < CALLERS; k++) {
        void *result;
        pthread_join(threads[k], &result);
        assert_null(result);
    }
    ort_session_close(shared);
}

static void the_engine_is_looked_for_and_its_absence_explained(void **state) {
    (void)state;
    ort_host *none;
    assert_false(ort_host_open("/nowhere", &none, &why));
    assert_non_null(strstr(why.text, "/nowhere"));
    assert_false(ort_host_open(TOSAJIT_OPS, &none, &why));
    assert_non_null(strstr(why.text, "no OrtGetApiBase"));
    assert_true(strncmp(ort_host_version(host), "1.", 2) == 0);
    ort_session *session;
    assert_false(ort_session_open(host, "/nowhere/model.onnx", NULL, &session, &why));
    assert_non_null(strstr(why.text, "/nowhere/model.onnx"));
}

/* The engine writes what it runs, with its own changes and our nodes as they were. */
static void an_optimised_model_can_be_saved_and_read_again(void **state) {
    (void)state;
    ort_session *saved, *again;
    char path[SCRATCH_SIZE + 40];
    snprintf(path, sizeof path, "%s/saved.onnx", scratch);
    begin_line();
    model_value(&m, "s", ORT_F32, "N,64");
    model_region(&m, "x b", "s", "x: f32[?,64], b: f32[64]; s = x + b", NULL);
    model_node(&m, "", "Neg", "s", "y", NULL, 0);
    assert_true(model_write(&m, path_of("model")));
    const ort_session_options saving = {.ops_library = TOSAJIT_OPS, .save = path, .threads = 1},
                              reading = {.ops_library = TOSAJIT_OPS, .threads = 1};
    SURE(ort_session_open(host, path_of("model"), &saving, &saved, &why));
    SURE(ort_session_open(host, path, &reading, &again, &why));
    expect_same(saved, again, &(pair_size){"N", 9}, 1, 0);
    ort_session_close(saved);
    ort_session_close(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_computes_what_the_engine_computes),
        cmocka_unit_test(results_of_several_types_agree_in_every_bit),
        cmocka_unit_test(every_type_reaches_the_kernel),
        cmocka_unit_test(bf16_doubles),
        cmocka_unit_test(halves_take_bits_as_constants),
        cmocka_unit_test(chains_of_regions_agree_with_one),
        cmocka_unit_test(results_in_place_wait_for_later_readers),
        cmocka_unit_test(regions_that_differ_in_numbers_agree_with_each_alone),
        cmocka_unit_test(wrong_nodes_are_refused_with_a_reason),
        cmocka_unit_test(wrong_sizes_are_refused_by_the_call),
        cmocka_unit_test(other_ranks_are_refused_by_the_call),
        cmocka_unit_test(threads_share_a_session),
        cmocka_unit_test(the_engine_is_looked_for_and_its_absence_explained),
        cmocka_unit_test(an_optimised_model_can_be_saved_and_read_again),
    };
    if (scratch_make(NULL)) return 1;
    const int failed = cmocka_run_group_tests(tests, load_engine, unload_engine);
    scratch_remove(NULL);
    return failed;
}
