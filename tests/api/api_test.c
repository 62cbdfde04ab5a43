/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C API as a host program meets it: life and death of objects, errors, memory, looking inside.
 */
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/account.h"
#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tests/support/process.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)
#define DYN TOSAJIT_DYNAMIC
static void kernels_outlive_their_engine(void **state) {
    for (int backend = TOSAJIT_BACKEND_AUTO; backend <= TOSAJIT_BACKEND_PRECOMPILED; backend++) {
        if (backend == TOSAJIT_BACKEND_CROSS) continue; /* which makes none */
        tosajit_engine *engine = host_engine((tosajit_backend)backend, NULL);
        tosajit_kernel *kernel = host_add_kernel(engine);
        tosajit_kernel_retain(kernel);
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
        host_assert_adds(kernel);
        tosajit_kernel_release(kernel);
    }
    tosajit_engine_destroy(NULL);
    tosajit_kernel_release(NULL);
    tosajit_expr_destroy(NULL);
}

static void background_becomes_native(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_BACKGROUND, NULL);
    tosajit_kernel *kernels[8];
    for (int k = 0; k < 8; k++) kernels[k] = host_add_kernel(engine);
    for (int k = 0; k < 8; k++) host_assert_adds(kernels[k]);
    tosajit_kernel_release(kernels[7]); /* nobody waits for it */
    for (int k = 0; k < 7; k++) {
        CHECK(tosajit_kernel_wait(kernels[k]));
        assert_true(tosajit_kernel_is_native(kernels[k]));
        host_assert_adds(kernels[k]);
        tosajit_kernel_release(kernels[k]);
    }
    tosajit_engine_destroy(engine);
}

static void interpreting_starts_no_compiler(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_INTERPRET, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    assert_false(tosajit_kernel_is_native(kernel));
    host_assert_adds(kernel);
    CHECK(tosajit_kernel_wait(kernel));
    tosajit_raw raw = {.size = sizeof raw};
    host_assert_error(tosajit_kernel_raw(kernel, 0, &raw), TOSAJIT_NOT_EXECUTABLE, "interpreted");
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static tosajit_failure last_failure(void) {
    tosajit_failure failure = {.size = sizeof failure};
    CHECK(tosajit_last_failure(&failure));
    assert_ptr_equal(failure.sentence + failure.sentence_length,
                     failure.sentence + strcspn(failure.sentence, "\n"));
    return failure;
}

/* op, operand, result, dimension, found, expected: what does not apply is none. */
static void assert_about(tosajit_status status, tosajit_op op, int32_t operand, int32_t result,
                         int32_t dimension, int64_t found, int64_t expected) {
    const tosajit_failure f = last_failure();
    assert_int_equal(f.status, status);
    assert_int_equal(f.op, op);
    assert_int_equal(f.operand, operand);
    assert_int_equal(f.result, result);
    assert_int_equal(f.dimension, dimension);
    assert_int_equal(f.found, found);
    assert_int_equal(f.expected, expected);
}

static void failures_of_texts_are_values(void) {
    tosajit_expr *expr = NULL;
    const char wide[] = "\ny = a * b : f32[2,3], f32[2,4]", short_of[] = "y = a +";
    const tosajit_parse_options from_5 = {.size = sizeof from_5, .name = "it", .line = 5};
    assert_int_equal(tosajit_expr_parse(wide, strlen(wide), &from_5, &expr),
                     TOSAJIT_SHAPE_MISMATCH);
    assert_about(TOSAJIT_SHAPE_MISMATCH, TOSAJIT_OP_mul, 1, -1, 1, 4, 3);
    tosajit_failure f = last_failure();
    assert_int_equal(f.line, 6);
    assert_int_equal(f.column, 7); /* of the operator */
    assert_memory_equal(tosajit_last_error(), "it:6:7: error: ", strlen("it:6:7: error: "));
    assert_ptr_equal(f.sentence, tosajit_last_error() + strlen("it:6:7: error: "));
    assert_true(f.sentence_length < strlen(f.sentence)); /* the line and a caret are behind it */
    /* Nothing is left of the one before. */
    assert_int_equal(tosajit_expr_parse(short_of, strlen(short_of), NULL, &expr),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_about(TOSAJIT_INVALID_ARGUMENT, TOSAJIT_OP_COUNT, -1, -1, -1, DYN, DYN);
    assert_int_equal(last_failure().line, 1);
    assert_null(expr);
}

static void failures_of_calls_are_values(tosajit_engine *engine) {
    float x[6] = {0}, y[6];
    const int64_t two_by_3[2] = {2, 3}, three_by_2[2] = {3, 2}, six[1] = {6};
    const tosajit_tensor_type types[2] = {host_type(DYN, DYN), host_type(DYN, DYN)};
    tosajit_kernel *kernel = NULL;
    CHECK(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel));
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, x, 2, two_by_3),
                                  tosajit_dense(TOSAJIT_F32, x, 2, three_by_2)},
                   result = tosajit_dense(TOSAJIT_F32, y, 2, two_by_3);
    assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_SHAPE_MISMATCH);
    assert_about(TOSAJIT_SHAPE_MISMATCH, TOSAJIT_OP_COUNT, 1, -1, 0, 3, 2);
    operands[1] = tosajit_dense(TOSAJIT_F32, x, 1, six);
    assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_SHAPE_MISMATCH);
    assert_about(TOSAJIT_SHAPE_MISMATCH, TOSAJIT_OP_COUNT, 1, -1, -1, 1, 2); /* ranks */
    operands[1] = operands[0];
    operands[1].element = TOSAJIT_I32;
    assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_TYPE_MISMATCH);
    assert_about(TOSAJIT_TYPE_MISMATCH, TOSAJIT_OP_COUNT, 1, -1, -1, DYN, DYN);
    operands[1] = operands[0];
    result.dims = three_by_2;
    assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_SHAPE_MISMATCH);
    assert_about(TOSAJIT_SHAPE_MISMATCH, TOSAJIT_OP_COUNT, -1, 0, 0, 3, 2);
    result = tosajit_dense(TOSAJIT_F32, x + 1, 2, two_by_3);
    result.dims = (int64_t[]){1, 2};
    operands[0].dims = operands[1].dims = result.dims;
    assert_int_equal(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_OVERLAP);
    assert_about(TOSAJIT_OVERLAP, TOSAJIT_OP_COUNT, 0, 0, -1, DYN, DYN);
    tosajit_kernel_release(kernel);
}

/* Where a middle value is declared open, the plan alone knows that its sizes never fit. */
static void failures_of_plans_are_values(tosajit_engine *engine) {
    const tosajit_tensor_type three = host_type(2, 3), four = host_type(2, 4),
                              open = host_type(2, DYN);
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_value x, y, middle, sum;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &three, &x));
    CHECK(tosajit_expr_input(expr, &four, &y));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_abs, &x, 1, NULL, &open, &middle));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_sub, (tosajit_value[]){middle, y}, 2, NULL, NULL, &sum));
    CHECK(tosajit_expr_result(expr, sum));
    assert_int_equal(tosajit_compile_expr(engine, expr, &kernel), TOSAJIT_SHAPE_MISMATCH);
    assert_about(TOSAJIT_SHAPE_MISMATCH, TOSAJIT_OP_sub, 1, -1, 1, 4, 3);
    tosajit_expr_destroy(expr);
}

/* Beside its sentence an error has what the sentence says, and nothing of an error before. */
static void failures_are_values(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    const tosajit_tensor_type types[2] = {host_type(2, 3), host_type(2, 4)};
    tosajit_kernel *kernel = NULL;
    assert_int_equal(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                     TOSAJIT_SHAPE_MISMATCH);
    assert_about(TOSAJIT_SHAPE_MISMATCH, TOSAJIT_OP_add, 1, -1, 1, 4, 3);
    assert_int_equal(tosajit_compile(NULL, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                     TOSAJIT_INVALID_ARGUMENT);
    assert_about(TOSAJIT_INVALID_ARGUMENT, TOSAJIT_OP_COUNT, -1, -1, -1, DYN, DYN);
    failures_of_texts_are_values();
    failures_of_calls_are_values(engine);
    failures_of_plans_are_values(engine);
    char before[512];
    snprintf(before, sizeof before, "%s", tosajit_last_error());
    assert_int_equal(tosajit_last_failure(NULL), TOSAJIT_INVALID_ARGUMENT);
    assert_string_equal(before, tosajit_last_error());
    tosajit_engine_destroy(engine);
}

static void bad_arguments_are_named(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL), *none = NULL;
    tosajit_engine_options options = {.size = 0};
    host_assert_error(tosajit_engine_create(&options, &none), TOSAJIT_INVALID_ARGUMENT,
                      "sizeof(tosajit_engine_options)");
    tosajit_expr_options expr_options = {.strict = 1};
    tosajit_expr *expr = NULL;
    host_assert_error(tosajit_expr_create(&expr_options, &expr), TOSAJIT_INVALID_ARGUMENT,
                      "sizeof(tosajit_expr_options)");
    account nothing = {0};
    const tosajit_allocator half = {.allocate = account_allocator(&nothing).allocate};
    options = (tosajit_engine_options){.size = sizeof options, .allocator = &half};
    host_assert_error(tosajit_engine_create(&options, &none), TOSAJIT_INVALID_ARGUMENT,
                      "release hook");
    options = (tosajit_engine_options){.size = sizeof options, .cpu = "pentium"};
    host_assert_error(tosajit_engine_create(&options, &none), TOSAJIT_INVALID_ARGUMENT,
                      "\"pentium\"");
    options = (tosajit_engine_options){.size = sizeof options, .backend = (tosajit_backend)77};
    host_assert_error(tosajit_engine_create(&options, &none), TOSAJIT_INVALID_ARGUMENT, "77");
    assert_null(none);

    tosajit_kernel *kernel = NULL;
    tosajit_tensor_type types[4] = {host_type(2, 3), host_type(2, 4), host_type(1, 1),
                                    host_type(1, 1)};
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                      TOSAJIT_SHAPE_MISMATCH, "dimension 1");
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 4, NULL, NULL, &kernel),
                      TOSAJIT_INVALID_ARGUMENT, "2");
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 1, NULL, NULL, &kernel),
                      TOSAJIT_INVALID_ARGUMENT, "2");
    host_assert_error(tosajit_compile(engine, (tosajit_op)999, types, 2, NULL, NULL, &kernel),
                      TOSAJIT_INVALID_ARGUMENT, "999");
    host_assert_error(
        tosajit_compile(engine, TOSAJIT_OP_bitwise_and, types, 1, NULL, NULL, &kernel),
        TOSAJIT_INVALID_ARGUMENT, "bitwise_and");
    types[1] = types[0];
    host_assert_error(
        tosajit_compile(engine, TOSAJIT_OP_bitwise_and, types, 2, NULL, NULL, &kernel),
        TOSAJIT_TYPE_MISMATCH, "f32");
    types[1].rank = TOSAJIT_UNRANKED;
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                      TOSAJIT_UNRANKED_SHAPE, "rank");
    types[1].rank = 17;
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                      TOSAJIT_LIMIT_EXCEEDED, "17");
    types[1] = host_type(INT64_C(1) << 40, INT64_C(1) << 40);
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_abs, &types[1], 1, NULL, NULL, &kernel),
                      TOSAJIT_OVERFLOW, "2^63 - 1 bytes");
    types[2] = host_type(INT64_C(1) << 40, 1), types[3] = host_type(1, INT64_C(1) << 40);
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_add, &types[2], 2, NULL, NULL, &kernel),
                      TOSAJIT_OVERFLOW, "2^63 - 1 bytes");
    types[1] = host_type(DYN, DYN);
    host_assert_error(
        tosajit_compile(engine, TOSAJIT_OP_add, &types[2], 2, NULL, &types[1], &kernel),
        TOSAJIT_OVERFLOW, "2^63 - 1 bytes");
    types[1] = host_type(2, 0);
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                      TOSAJIT_SHAPE_MISMATCH, "0");
    tosajit_attributes attributes = {.shift = 3};
    types[1] = types[0];
    host_assert_error(tosajit_compile(engine, TOSAJIT_OP_mul, types, 2, &attributes, NULL, &kernel),
                      TOSAJIT_BAD_ATTRIBUTE, "shift");
    host_assert_error(tosajit_compile(NULL, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel),
                      TOSAJIT_INVALID_ARGUMENT, "null");
    assert_null(kernel);
    tosajit_engine_destroy(engine);
}

static void bad_calls_write_nothing(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    float a[12] = {1}, r[12];
    memset(r, 0x55, sizeof r);
    tosajit_tensor x = host_tensor(a, 4, 3), y = host_tensor(a, 3, 3), out = host_tensor(r, 4, 3),
                   small = host_tensor(r, 4, 2);
    tosajit_tensor i32 = tosajit_dense(TOSAJIT_I32, a, 2, host_dims(4, 3)),
                   flat = tosajit_dense(TOSAJIT_F32, a, 1, host_dims(12, 0));
    tosajit_tensor null = host_tensor(NULL, 4, 3), negative = host_tensor(a, -4, 3);
    tosajit_tensor huge = host_tensor(a, INT64_C(1) << 40, INT64_C(1) << 40),
                   one = host_tensor(a, 1, 1);
    struct {
        tosajit_tensor a, b, r;
        tosajit_status status;
        const char *words;
    } rows[] = {
        {x, y, out, TOSAJIT_SHAPE_MISMATCH,
         "operand 1 dimension 0: size 3 does not broadcast with 4"},
        {x, x, small, TOSAJIT_SHAPE_MISMATCH, "result 0 dimension 1"},
        {x, i32, out, TOSAJIT_TYPE_MISMATCH, "operand 1"},
        {flat, x, out, TOSAJIT_SHAPE_MISMATCH, "rank 1"},
        {null, x, out, TOSAJIT_INVALID_ARGUMENT, "operand 0: data is a null pointer"},
        {x, x, null, TOSAJIT_INVALID_ARGUMENT, "result 0: data is a null pointer"},
        {x, negative, out, TOSAJIT_SHAPE_MISMATCH, "-4"},
        {huge, one, out, TOSAJIT_OVERFLOW, "operand 0"},
        {one, x, host_tensor(a, 4, 3), TOSAJIT_OVERLAP,
         "operand 0 share memory"}, /* a broadcast operand at the result's base */
        {x, host_tensor(a + 1, 1, 1), host_tensor(a, 4, 3), TOSAJIT_OVERLAP,
         "operand 1 share memory"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        tosajit_tensor operands[2] = {rows[k].a, rows[k].b};
        host_assert_error(tosajit_run(kernel, operands, 2, &rows[k].r, 1), rows[k].status,
                          rows[k].words);
    }
    tosajit_tensor operands[2] = {x, x};
    host_assert_error(tosajit_run(kernel, operands, 1, &out, 1), TOSAJIT_INVALID_ARGUMENT,
                      "2 operands");
    host_assert_error(tosajit_run(kernel, operands, 2, &out, 0), TOSAJIT_INVALID_ARGUMENT,
                      "1 results");
    for (size_t k = 0; k < sizeof r; k++) assert_int_equal(((unsigned char *)r)[k], 0x55);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void views_show_what_is_compiled(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_NATIVE, NULL);
    tosajit_expr *expr;
    tosajit_value x, y, sum;
    tosajit_tensor_type type = host_type(DYN, DYN), row = host_type(1, DYN);
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_input(expr, &row, &y));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, y}, 2, NULL, NULL, &sum));
    char *text = NULL;
    host_assert_error(tosajit_print(engine, expr, TOSAJIT_VIEW_PLAN, &text),
                      TOSAJIT_INVALID_ARGUMENT, "no result");
    CHECK(tosajit_expr_result(expr, sum));
    const char *words[][3] = {
        {"affine_map<(d0, d1)[s1] -> (0, d1 * s1)>", "scf.if tensor.dim %arg1, 1 == 1", "loop 0"},
        {"define void @tosajit_add_f32", "fadd <", "target triple"},
        {"addps", "ret", "tosajit_add_f32"}};
    for (int view = TOSAJIT_VIEW_PLAN; view <= TOSAJIT_VIEW_ASM; view++) {
        CHECK(tosajit_print(engine, expr, (tosajit_view)view, &text));
#if !defined(__x86_64__)
        if (view == TOSAJIT_VIEW_ASM) words[view][0] = "fadd";
#endif
        for (int k = 0; k < 3; k++)
            if (!strstr(text, words[view][k]))
                fail_msg("view %d has no \"%s\":\n%s", view, words[view][k], text);
        tosajit_text_release(text);
    }
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

/* The caller's thread flushes subnormals, rounds upward and traps on overflow; results must not
 * know. */
static void the_callers_environment_is_put_aside(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = host_add_kernel(engine);
    float tiny = 1e-40f, huge = 3e38f, a[4] = {tiny, 1.0f, huge, tiny},
          b[4] = {tiny, 1e-10f, huge, 0}, r[4];
    tosajit_tensor operands[2] = {host_tensor(a, 1, 4), host_tensor(b, 1, 4)},
                   result = host_tensor(r, 1, 4);
    fenv_t saved;
    assert_int_equal(feholdexcept(&saved), 0);
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    unsigned before = __builtin_ia32_stmxcsr() & ~0x480u; /* overflow unmasked... */
    before |= 0x8040u;                                    /* ...FTZ and DAZ */
    __builtin_ia32_ldmxcsr(before);
#endif
    tosajit_status status = tosajit_run(kernel, operands, 2, &result, 1);
    int rounding = fegetround();
#if defined(__x86_64__)
    unsigned after = __builtin_ia32_stmxcsr();
#endif
    fesetenv(&saved);
    CHECK(status);
    assert_int_equal(rounding, FE_UPWARD);
#if defined(__x86_64__)
    assert_int_equal(after & ~0x3fu, before & ~0x3fu);
#endif
    const float expected[4] = {2 * tiny, 1.0f, 1.0f / 0.0f, tiny};
    assert_memory_equal(r, expected, sizeof r);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Everything that allocates: an expression with a constant, its kernel, an interpreted run. */
static tosajit_status everything(const tosajit_allocator *allocator, tosajit_backend backend) {
    tosajit_engine_options options = {
        .size = sizeof options, .backend = backend, .allocator = allocator};
    tosajit_expr_options expr_options = {.size = sizeof expr_options, .allocator = allocator};
    tosajit_engine *engine = NULL;
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_value x = 0, c = 0, value = 0;
    tosajit_tensor_type type = host_type(DYN, 3), row = host_type(1, 3);
    const float data[3] = {1, 2, 3};
    float a[6] = {0}, r[6];
    tosajit_tensor operand = host_tensor(a, 2, 3), result = host_tensor(r, 2, 3);
    tosajit_status status = tosajit_engine_create(&options, &engine);
    if (!status) status = tosajit_expr_create(&expr_options, &expr);
    if (!status) status = tosajit_expr_input(expr, &type, &x);
    if (!status) status = tosajit_expr_constant(expr, &row, data, &c);
    value = x;
    for (int k = 0; !status && k < 600; k++)
        status = tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){value, c}, 2, NULL, NULL,
                                 &value);
    if (!status) status = tosajit_expr_result(expr, value);
    if (!status) status = tosajit_compile_expr(engine, expr, &kernel);
    if (!status) status = tosajit_run_interpreted(kernel, &operand, 1, &result, 1);
    if (!status) assert_true(r[0] == 600 && r[5] == 1800);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
    return status;
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state) {
    account a = {0};
    tosajit_allocator allocator = account_allocator(&a);
    CHECK(everything(&allocator, TOSAJIT_BACKEND_AUTO));
    assert_int_equal(a.live, 0);
    size_t total = a.count;
    assert_true(total > 5);
    size_t survived = 0; /* without memory for it, a kernel is just not cached */
    for (size_t k = 1; k <= total; k++) {
        a = (account){.fail_at = k};
        tosajit_status status = everything(&allocator, TOSAJIT_BACKEND_AUTO);
        if (status) host_assert_error(status, TOSAJIT_OUT_OF_MEMORY, "memory");
        survived += status == TOSAJIT_OK;
        assert_int_equal(a.live, 0);
    }
    assert_true(survived < total * 2 / 3);
}

/* Members to which later versions may give a meaning are refused by this one: attributes that the
 * op does not take, and every bit of an element type and a rank that no legal value has. */
static void reserved_room_is_refused(void **state) {
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){2, 3});
    assert_int_equal(tosajit_verify(TOSAJIT_OP_exp, &type, 1, NULL, NULL, 0, NULL), TOSAJIT_OK);
    const tosajit_attributes later = {.index_mode = TOSAJIT_INDEX_WRAP};
    host_assert_error(tosajit_verify(TOSAJIT_OP_exp, &type, 1, &later, NULL, 0, NULL),
                      TOSAJIT_BAD_ATTRIBUTE, "index_mode");
    tosajit_expr *expr;
    tosajit_value value;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    for (int bit = 4; bit < 32; bit++) {
        tosajit_tensor_type element = type, rank = type;
        element.element = (tosajit_type)((uint32_t)type.element | UINT32_C(1) << bit);
        rank.rank = (int32_t)((uint32_t)type.rank | UINT32_C(1) << bit);
        host_assert_error(tosajit_expr_input(expr, &element, &value), TOSAJIT_INVALID_ARGUMENT,
                          "is not an element type");
        host_assert_error(tosajit_expr_input(expr, &rank, &value), TOSAJIT_LIMIT_EXCEEDED,
                          "is not in 0..16");
    }
    tosajit_expr_destroy(expr);
}

/* Unsigned integers are an extension; what they are refused for names the types and what is legal.
 */
static void uses_of_unsigned_integers_are_refused_by_name(void **state) {
    static const struct {
        tosajit_op op;
        tosajit_type a, b, result;
        int strict;
        const char *said; /* null: legal */
    } cases[] = {
        {TOSAJIT_OP_add, TOSAJIT_U8, TOSAJIT_U8, TOSAJIT_U8, 0, NULL},
        {TOSAJIT_OP_add, TOSAJIT_U8, TOSAJIT_U8, TOSAJIT_U8, 1, "(u8, u8) -> u8"},
        {TOSAJIT_OP_add, TOSAJIT_U8, TOSAJIT_I8, TOSAJIT_U8, 0, "i32, i64, f16"},
        {TOSAJIT_OP_mul, TOSAJIT_U16, TOSAJIT_U16, TOSAJIT_I32, 0, "(u16, u16) -> i32"},
        {TOSAJIT_OP_cast, TOSAJIT_U8, 0, TOSAJIT_F32, 0, NULL},
        {TOSAJIT_OP_cast, TOSAJIT_U8, 0, TOSAJIT_F32, 1, "(u8) -> f32"},
        {TOSAJIT_OP_cast, TOSAJIT_F32, 0, TOSAJIT_U32, 1, "(f32) -> u32; it takes this operand to"},
        {TOSAJIT_OP_cast, TOSAJIT_U8, 0, TOSAJIT_F8E5M2, 0, "(u8) -> f8E5M2"},
        {TOSAJIT_OP_cast, TOSAJIT_U8, 0, TOSAJIT_U8, 0, "(u8) -> u8"},
        {TOSAJIT_OP_exp, TOSAJIT_U32, 0, TOSAJIT_U32, 0, "(u32) -> u32; it takes"},
        {TOSAJIT_OP_reduce_sum, TOSAJIT_U8, 0, TOSAJIT_U8, 0, "i32, i64, f16, bf16, f32, f64, u32"},
        {TOSAJIT_OP_reduce_sum, TOSAJIT_U32, 0, TOSAJIT_U32, 0, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int64_t dims[1] = {3}, one[1] = {1};
        const tosajit_tensor_type types[2] = {tosajit_ranked(cases[k].a, 1, dims),
                                              tosajit_ranked(cases[k].b, 1, dims)},
                                  result = tosajit_ranked(
                                      cases[k].result, 1,
                                      cases[k].op == TOSAJIT_OP_reduce_sum ? one : dims);
        const tosajit_status status =
            tosajit_verify(cases[k].op, types, (size_t)tosajit_op_arity(cases[k].op), NULL, &result,
                           cases[k].strict, NULL);
        if (!cases[k].said)
            assert_int_equal(status, TOSAJIT_OK);
        else
            host_assert_error(status, TOSAJIT_TYPE_MISMATCH, cases[k].said);
    }
    const tosajit_attributes whole = {.min_val.i = 0, .max_val.i = 256},
                             again = {.input_unsigned = 1};
    const tosajit_tensor_type u8 = tosajit_ranked(TOSAJIT_U8, 0, NULL),
                              f32 = tosajit_ranked(TOSAJIT_F32, 0, NULL);
    host_assert_error(tosajit_verify(TOSAJIT_OP_clamp, &u8, 1, &whole, NULL, 0, NULL),
                      TOSAJIT_BAD_ATTRIBUTE, "must be values of u8");
    host_assert_error(tosajit_verify(TOSAJIT_OP_cast, &u8, 1, &again, &f32, 0, NULL),
                      TOSAJIT_BAD_ATTRIBUTE, "input_unsigned is not legal for an operand of u8");
}

/* A caller that was compiled with a header whose structs were shorter. */
static void older_option_structs_are_taken(void **state) {
    struct {
        size_t size;
        const tosajit_allocator *allocator;
    } options = {sizeof options, NULL};
    tosajit_engine *engine;
    CHECK(tosajit_engine_create((const tosajit_engine_options *)(const void *)&options, &engine));
    tosajit_kernel *kernel = host_add_kernel(engine);
    struct {
        size_t size, code_bytes, beyond;
    } info = {.size = 2 * sizeof(size_t), .beyond = 77};
    CHECK(tosajit_kernel_describe(kernel, (tosajit_kernel_info *)(void *)&info));
    assert_true(info.code_bytes > 0 && info.beyond == 77);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* `live` values of which all are used again at the end, or a chain of long ops. */
static tosajit_status compile_large(tosajit_engine *engine, tosajit_op op, int count, bool live,
                                    tosajit_kernel **kernel) {
    tosajit_tensor_type type = host_type(DYN, DYN);
    static tosajit_value values[8192];
    tosajit_expr *expr;
    tosajit_value value;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &value));
    for (int k = 0; k < count; k++) {
        if (live)
            CHECK(
                tosajit_expr_op(expr, op, (tosajit_value[]){value, value}, 2, NULL, NULL, &value));
        if (!live) CHECK(tosajit_expr_op(expr, op, &value, 1, NULL, NULL, &value));
        values[k] = value;
    }
    for (int k = count - 1; live && k >= 0; k--)
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){values[k], value}, 2, NULL,
                              NULL, &value));
    CHECK(tosajit_expr_result(expr, value));
    tosajit_status status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    return status;
}

static tosajit_backend backend_of(const tosajit_kernel *kernel) {
    tosajit_kernel_info info = {.size = sizeof info};
    CHECK(tosajit_kernel_describe(kernel, &info));
    return info.backend;
}

/* The largest frames: rows that may be collapsed, operands that are packed, kernels that keep
 * values on the stack, and the interpreter. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SMALL_STACK = 1 << 20 }; /* a sanitizer's own frames are several times as large */
#else
enum { SMALL_STACK = 192 << 10 };
#endif
enum { STACK_KERNELS = 4 };

static void *run_on_small_stack(void *argument) {
    tosajit_kernel **kernels = argument;
    static float x[64 * 1000], r[64 * 1000];
    static const int64_t sizes[][2] = {{10, 100}, {64, 64}, {1000, 20}, {64, 3}},
                         strides[][2] = {{4, 4000}, {400, 8}, {4000, 4}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
            for (int n = 0; n < STACK_KERNELS; n++) {
                tosajit_tensor operands[2] = {host_tensor(x, sizes[k][0], sizes[k][1]),
                                              host_tensor(x, 1, 1)};
                const tosajit_tensor result = host_tensor(r, sizes[k][0], sizes[k][1]);
                if (strides[s][0] * (sizes[k][0] - 1) + strides[s][1] * (sizes[k][1] - 1) <
                    (int64_t)sizeof x)
                    operands[0].strides = strides[s];
                if (tosajit_run(kernels[n], operands, tosajit_kernel_operand_count(kernels[n]),
                                &result, 1))
                    return argument;
            }
    return NULL;
}

/* One whose code keeps as many values at once as it may, within a factor of two. */
static tosajit_kernel *full_kernel(tosajit_engine *engine) {
    tosajit_kernel *kernel = NULL;
    for (int count = 2048; !tosajit_kernel_is_native(kernel) && count > 1; count /= 2) {
        tosajit_kernel_release(kernel);
        CHECK(compile_large(engine, TOSAJIT_OP_mul, count, true, &kernel));
    }
    assert_true(tosajit_kernel_is_native(kernel));
    return kernel;
}

/* One of many values at once, by ops of the library. */
static tosajit_kernel *wide_kernel(tosajit_engine *engine) {
    tosajit_kernel *kernel;
    CHECK(compile_large(engine, TOSAJIT_OP_mul, 2048, true, &kernel));
    assert_int_equal(backend_of(kernel), TOSAJIT_BACKEND_PRECOMPILED);
    return kernel;
}

static void runs_need_192_kib_of_stack(void **state) {
    tosajit_engine *native = host_engine(TOSAJIT_BACKEND_NATIVE, NULL),
                   *interpreter = host_engine(TOSAJIT_BACKEND_INTERPRET, NULL),
                   *precompiled = host_engine(TOSAJIT_BACKEND_PRECOMPILED, NULL);
    tosajit_kernel *kernels[STACK_KERNELS] = {host_add_kernel(native), host_add_kernel(interpreter),
                                              full_kernel(native), wide_kernel(precompiled)};
    pthread_attr_t attributes;
    pthread_t thread;
    void *failed;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_on_small_stack, kernels), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    pthread_attr_destroy(&attributes);
    for (int k = 0; k < STACK_KERNELS; k++) tosajit_kernel_release(kernels[k]);
    tosajit_engine_destroy(native);
    tosajit_engine_destroy(interpreter);
    tosajit_engine_destroy(precompiled);
}

/* Kernels that still wait when the engine goes stay interpreted, and say so. */
static void a_destroyed_engine_compiles_no_more(void **state) {
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_BACKGROUND, NULL);
    tosajit_kernel *kernels[64];
    for (int k = 0; k < 64; k++) kernels[k] = host_add_kernel(engine);
    tosajit_engine_destroy(engine);
    int interpreted = 0;
    for (int k = 0; k < 64; k++) {
        tosajit_status status = tosajit_kernel_wait(kernels[k]);
        assert_true(status == TOSAJIT_OK || status == TOSAJIT_NOT_EXECUTABLE);
        assert_int_equal(status == TOSAJIT_OK, tosajit_kernel_is_native(kernels[k]) != 0);
        interpreted += status != TOSAJIT_OK;
        host_assert_adds(kernels[k]);
        tosajit_kernel_release(kernels[k]);
    }
    assert_true(interpreted > 0);
}

static tosajit_kernel *compile_constant(tosajit_engine *engine, float constant, int strict) {
    tosajit_expr_options options = {.size = sizeof options, .strict = strict};
    tosajit_tensor_type type = host_type(DYN, 3), row = host_type(1, 3);
    const float data[3] = {1, 2, constant};
    tosajit_expr *expr;
    tosajit_value x, c, sum;
    tosajit_kernel *kernel = NULL;
    CHECK(tosajit_expr_create(&options, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_constant(expr, &row, data, &c));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, c}, 2, NULL, NULL, &sum));
    CHECK(tosajit_expr_result(expr, sum));
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    return kernel;
}

static void the_same_expression_is_the_same_kernel(void **state) {
    for (int backend = TOSAJIT_BACKEND_AUTO; backend <= TOSAJIT_BACKEND_BACKGROUND; backend++) {
        tosajit_engine_options options = {.size = sizeof options,
                                          .backend = (tosajit_backend)backend};
        tosajit_engine *engine;
        CHECK(tosajit_engine_create(&options, &engine));
        tosajit_kernel *kernels[] = {compile_constant(engine, 3, 0), compile_constant(engine, 3, 0),
                                     compile_constant(engine, 4, 0), compile_constant(engine, 3, 1),
                                     host_add_kernel(engine),        host_add_kernel(engine)};
        assert_ptr_equal(kernels[0], kernels[1]);
        assert_ptr_not_equal(kernels[0], kernels[2]);
        assert_ptr_not_equal(kernels[0], kernels[3]);
        assert_ptr_equal(kernels[4], kernels[5]);
        tosajit_kernel_release(kernels[4]);
        host_assert_adds(kernels[5]);
        enum { MANY = 300 }; /* the table grows */
        tosajit_kernel *many[MANY];
        for (int k = 0; backend == TOSAJIT_BACKEND_INTERPRET && k < MANY; k++)
            many[k] = compile_constant(engine, (float)k + 10, 0);
        for (int k = 0; backend == TOSAJIT_BACKEND_INTERPRET && k < MANY; k++) {
            tosajit_kernel *again = compile_constant(engine, (float)k + 10, 0);
            assert_ptr_equal(again, many[k]);
            tosajit_kernel_release(again);
            tosajit_kernel_release(many[k]);
        }
        tosajit_engine_destroy(engine);
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            if (k != 4) tosajit_kernel_release(kernels[k]);
    }
}

static void runs_allocate_nothing(void **state) {
    account a = {0};
    tosajit_allocator allocator = account_allocator(&a);
    tosajit_engine *engine = host_engine(TOSAJIT_BACKEND_NATIVE, &allocator);
    tosajit_kernel *kernel = host_add_kernel(engine);
    host_assert_adds(kernel);
    size_t count = a.count, heap = process_heap();
    float x[1000] = {0}, r[1000];
    int64_t strides[2] = {4, 40};
    tosajit_tensor operands[2] = {host_tensor(x, 10, 100), host_tensor(x, 1, 1)},
                   result = host_tensor(r, 10, 100);
    operands[0].strides = strides; /* transposed: goes through the packing path */
    for (int k = 0; k < 100; k++) CHECK(tosajit_run(kernel, operands, 2, &result, 1));
    assert_int_equal(a.count, count);
    assert_int_equal(process_heap(), heap);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    assert_int_equal(a.live, 0);
}

int main(void) {
    return TEST_RUN(
        NULL, NULL, TEST(kernels_outlive_their_engine), TEST(background_becomes_native),
        TEST(interpreting_starts_no_compiler), TEST(bad_arguments_are_named),
        TEST(failures_are_values), TEST(bad_calls_write_nothing), TEST(views_show_what_is_compiled),
        TEST(the_callers_environment_is_put_aside),
        TEST(every_failing_allocation_is_reported_and_leaks_nothing), TEST(runs_allocate_nothing),
        TEST(the_same_expression_is_the_same_kernel), TEST(reserved_room_is_refused),
        TEST(uses_of_unsigned_integers_are_refused_by_name), TEST(older_option_structs_are_taken),
        TEST(runs_need_192_kib_of_stack), TEST(a_destroyed_engine_compiles_no_more));
}
