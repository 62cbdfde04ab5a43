/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every function of tosajit.h as a call: see state_calls.h. The calls compute with integers only,
 * so that whatever traps or is rounded is the library's. Memory is static, so that the stack is,
 * too. */
#include "tests/api/state_calls.h"

#include <stdio.h>
#include <string.h>

#include <state_aot.h> /* generated */
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum {
    COUNT = STATE_MANY,
    FEW = STATE_FEW,
    WIDE_INPUTS = STATE_TENSORS - 1,
    WIDE_RANK = TOSAJIT_MAX_RANK,
    WIDE_COUNT = STATE_WIDE
};

static uint64_t start(void) { return UINT64_C(0xcbf29ce484222325); }

static uint64_t mix(uint64_t digest, const void *data, size_t size) {
    for (size_t k = 0; k < size; k++)
        digest = (digest ^ ((const uint8_t *)data)[k]) * UINT64_C(0x100000001b3);
    return digest;
}

static outcome gave(tosajit_status status, const void *data, size_t size) {
    return (outcome){status, status ? 0 : mix(start(), data, size)};
}

static outcome gave_number(int64_t number) { return gave(TOSAJIT_OK, &number, sizeof number); }

/* Without digits: texts count the kernels of the process. */
static outcome gave_text(tosajit_status status, char *text) {
    uint64_t digest = start();
    for (const char *at = text; !status && *at; at++)
        if (*at < '0' || *at > '9') digest = mix(digest, at, 1);
    if (!status) tosajit_text_release(text);
    return (outcome){status, status ? 0 : digest};
}

static outcome gave_string(const char *text) { return gave(TOSAJIT_OK, text, strlen(text)); }

/* ---------------------------------------------------------------------------------------------
 * Data and objects */

static float operands_f32[2][COUNT];
static int32_t operands_i32[2][FEW];
static int64_t wide_operands[WIDE_INPUTS][WIDE_COUNT];
static const int64_t many[1] = {COUNT}, few[1] = {FEW}, open[1] = {TOSAJIT_DYNAMIC};

/* Which NaN an operation gives is unspecified (docs/semantics.md): of two, an x86 takes the first,
 * and the compiler exchanges factors as it likes. So that native code and what stands in for it
 * where memory is out count as equal, all NaNs are one. */
static uint64_t mix_results(fixture *f, uint64_t digest) {
    memcpy(f->bits, f->results_f32, sizeof f->bits);
    for (int k = 0; k < COUNT; k++)
        if ((f->bits[k] & 0x7fffffff) > 0x7f800000) f->bits[k] = 0x7fc00000;
    return mix(digest, f->bits, sizeof f->bits);
}

void state_data_fill(void) {
    test_random random = test_random_start(11);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < COUNT; i++)
            test_random_element(&random, TOSAJIT_F32, &operands_f32[k][i]);
        for (int i = 0; i < FEW; i++)
            test_random_element(&random, TOSAJIT_I32, &operands_i32[k][i]);
    }
    for (int k = 0; k < WIDE_INPUTS; k++)
        for (int i = 0; i < WIDE_COUNT; i++)
            test_random_element(&random, TOSAJIT_I64, &wide_operands[k][i]);
}

/* pow(max(a, b), rsqrt(c)) * sigmoid(a), with a constant that is folded, and parts that the
 * interpreter computes in long double. */
static tosajit_status build(tosajit_expr *expr) {
    const float negative[3] = {-0.77f, -0.77f, -0.77f}; /* a NaN for the compiler to fold */
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, open);
    const tosajit_tensor_type one = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){1});
    tosajit_value a, b, c, v, w;
    tosajit_status s = tosajit_expr_input(expr, &type, &a);
    if (!s) s = tosajit_expr_input(expr, &type, &b);
    if (!s) s = tosajit_expr_constant(expr, &one, negative, &c);
    if (!s) s = tosajit_expr_op(expr, TOSAJIT_OP_rsqrt, &c, 1, NULL, NULL, &c);
    if (!s)
        s = tosajit_expr_op(expr, TOSAJIT_OP_maximum, (tosajit_value[]){b, c}, 2,
                            &(tosajit_attributes){.nan_mode = TOSAJIT_NAN_IGNORE}, NULL, &v);
    if (!s) s = tosajit_expr_op(expr, TOSAJIT_OP_pow, (tosajit_value[]){v, a}, 2, NULL, NULL, &v);
    if (!s) s = tosajit_expr_op(expr, TOSAJIT_OP_sigmoid, &a, 1, NULL, NULL, &w);
    if (!s) s = tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){v, w}, 2, NULL, NULL, &v);
    return s ? s : tosajit_expr_result(expr, v);
}

static int64_t wide_size(int d) { return d & 1 ? 1 : 2; }
static bool wide_repeats(int k, int d) { return (k + d) % 3 == 0; }

/* As many operands of as many dimensions as may be, and as many values at once as a kernel keeps.
 */
static tosajit_status build_wide(tosajit_expr *expr) {
    enum { VALUES = 200 };
    tosajit_value in[WIDE_INPUTS], values[VALUES];
    tosajit_status s = TOSAJIT_OK;
    for (int k = 0; !s && k < WIDE_INPUTS; k++) {
        int64_t dims[WIDE_RANK];
        for (int d = 0; d < WIDE_RANK; d++) dims[d] = wide_repeats(k, d) ? 1 : TOSAJIT_DYNAMIC;
        const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I64, WIDE_RANK, dims);
        s = tosajit_expr_input(expr, &type, &in[k]);
    }
    for (int i = 0; !s && i < VALUES; i++)
        s = tosajit_expr_op(
            expr, i & 1 ? TOSAJIT_OP_add : TOSAJIT_OP_bitwise_xor,
            (tosajit_value[]){in[i % WIDE_INPUTS],
                              i < WIDE_INPUTS ? in[(i * 7 + 1) % WIDE_INPUTS] : values[i - 60]},
            2, NULL, NULL, &values[i]);
    tosajit_value v = values[0];
    for (int i = 1; !s && i < VALUES; i++)
        s = tosajit_expr_op(expr, TOSAJIT_OP_sub, (tosajit_value[]){v, values[i]}, 2, NULL, NULL,
                            &v);
    for (int i = VALUES; !s && i-- > 0;)
        s = tosajit_expr_op(expr, TOSAJIT_OP_maximum, (tosajit_value[]){v, values[i * 17 % VALUES]},
                            2, NULL, NULL, &v);
    return s ? s : tosajit_expr_result(expr, v);
}

typedef tosajit_status run_function(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                    size_t operand_count, const tosajit_tensor *results,
                                    size_t result_count);

/* Transposed: no call is cached, and what does not lie in rows is copied. */
static tosajit_status run_wide(fixture *f, run_function *run) {
    int64_t(*dims)[WIDE_RANK] = f->wide_dims, (*strides)[WIDE_RANK] = f->wide_strides;
    tosajit_tensor *tensors = f->wide_tensors;
    for (int k = 0; k < WIDE_INPUTS; k++) {
        int64_t stride = sizeof(int64_t);
        for (int d = 0; d < WIDE_RANK; d++) {
            dims[k][d] = wide_repeats(k, d) ? 1 : wide_size(d);
            strides[k][d] = stride;
            stride *= dims[k][d];
        }
        tensors[k] = tosajit_dense(TOSAJIT_I64, wide_operands[k], WIDE_RANK, dims[k]);
        tensors[k].strides = strides[k];
    }
    for (int d = 0; d < WIDE_RANK; d++) dims[WIDE_INPUTS][d] = wide_size(d);
    tensors[WIDE_INPUTS] =
        tosajit_dense(TOSAJIT_I64, f->wide_results, WIDE_RANK, dims[WIDE_INPUTS]);
    memset(f->wide_results, 0, sizeof f->wide_results);
    return run(f->wide, tensors, WIDE_INPUTS, &tensors[WIDE_INPUTS], 1);
}

static tosajit_status make_engines(fixture *f) {
    tosajit_engine_options options = {.size = sizeof options, .uncached = 1};
    tosajit_status s = tosajit_engine_create(&options, &f->engine);
    options.backend = TOSAJIT_BACKEND_INTERPRET;
    if (!s) s = tosajit_engine_create(&options, &f->interpreter);
    options.backend = TOSAJIT_BACKEND_BACKGROUND;
    if (!s) s = tosajit_engine_create(&options, &f->background);
    options.backend = TOSAJIT_BACKEND_AUTO;
    options.threads = 2;
    return s ? s : tosajit_engine_create(&options, &f->threads);
}

static tosajit_status make_division(tosajit_engine *engine, tosajit_kernel **kernel) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I32, 1, few);
    const tosajit_tensor_type types[2] = {type, type};
    return tosajit_compile(engine, TOSAJIT_OP_intdiv, types, 2, NULL, NULL, kernel);
}

static tosajit_status make_expressions(fixture *f) {
    tosajit_status s = tosajit_expr_create(NULL, &f->expr);
    if (!s) s = build(f->expr);
    if (!s) s = tosajit_expr_create(NULL, &f->wide_expr);
    return s ? s : build_wide(f->wide_expr);
}

tosajit_status fixture_share(fixture *f, const fixture *made) {
    memcpy(f, made, sizeof *f);
    f->expr = f->wide_expr = NULL;
    return make_expressions(f);
}

void fixture_release(fixture *f, bool own) {
    tosajit_expr_destroy(f->expr);
    tosajit_expr_destroy(f->wide_expr);
    if (!own) return;
    tosajit_kernel *const kernels[] = {f->kernel, f->divided, f->division, f->interpreted, f->wide};
    tosajit_engine *const engines[] = {f->engine, f->interpreter, f->threads, f->background};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        tosajit_kernel_release(kernels[k]);
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++)
        tosajit_engine_destroy(engines[k]);
}

tosajit_status fixture_make(fixture *f, const char *directory) {
    memset(f, 0, sizeof *f);
    f->directory = directory;
    tosajit_status s = make_engines(f);
    if (!s) s = make_expressions(f);
    if (!s) s = tosajit_compile_expr(f->engine, f->expr, &f->kernel);
    if (!s) s = tosajit_compile_expr(f->threads, f->expr, &f->divided);
    if (!s) s = tosajit_compile_expr(f->interpreter, f->expr, &f->interpreted);
    if (!s) s = tosajit_compile_expr(f->engine, f->wide_expr, &f->wide);
    if (!s) s = make_division(f->engine, &f->division);
    return s ? s : tosajit_kernel_save(f->kernel, f->image, sizeof f->image, &f->image_size);
}

/* ---------------------------------------------------------------------------------------------
 * Calls without objects */

static outcome status_name(fixture *f) {
    (void)f;
    return gave_string(tosajit_status_name(TOSAJIT_OVERFLOW));
}

static outcome last_error(fixture *f) {
    const tosajit_tensor type = {.element = TOSAJIT_F32};
    const tosajit_status status = tosajit_run(f->kernel, &type, 1, &type, 1);
    outcome o = gave_string(tosajit_last_error());
    o.digest += (uint64_t)status;
    return o;
}

static outcome last_failure(fixture *f) {
    last_error(f);
    tosajit_failure failure = {.size = sizeof failure};
    const tosajit_status status = tosajit_last_failure(&failure);
    outcome o = gave_string(failure.sentence);
    o.digest += (uint64_t)status + (uint64_t)failure.status;
    return o;
}

static outcome version(fixture *f) {
    (void)f;
    return gave_string(tosajit_version());
}

static outcome type_name(fixture *f) {
    (void)f;
    return gave_string(tosajit_type_name(TOSAJIT_F8E5M2));
}

static outcome type_size(fixture *f) {
    (void)f;
    return gave_number((int64_t)tosajit_type_size(TOSAJIT_I48));
}

static outcome type_find(fixture *f) {
    (void)f;
    return gave_number(tosajit_type_find("bf16"));
}

static outcome type_print(fixture *f) {
    (void)f;
    char text[64];
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, few);
    tosajit_type_print(&type, text, sizeof text);
    return gave_string(text);
}

static outcome op_name(fixture *f) {
    (void)f;
    return gave_string(tosajit_op_name(TOSAJIT_OP_pow));
}

static outcome op_arity(fixture *f) {
    (void)f;
    return gave_number(tosajit_op_arity(TOSAJIT_OP_select));
}

static outcome op_formula(fixture *f) {
    (void)f;
    return gave_string(tosajit_op_formula(TOSAJIT_OP_pow));
}

static outcome op_find(fixture *f) {
    (void)f;
    return gave_number(tosajit_op_find("tosa.div"));
}

static outcome op_parameters(fixture *f) {
    (void)f;
    int required = 0;
    return gave_number(tosajit_op_parameters(TOSAJIT_OP_rescale, &required) * 2 + required);
}

static outcome op_accepts(fixture *f) {
    (void)f;
    const tosajit_type types[2] = {TOSAJIT_I8, TOSAJIT_I8};
    return gave_number(tosajit_op_accepts(TOSAJIT_OP_mul, types, TOSAJIT_I32));
}

static outcome cpu_name(fixture *f) {
    (void)f;
    return gave_string(tosajit_cpu_name(0));
}

/* ---------------------------------------------------------------------------------------------
 * Expressions */

static outcome expr_create(fixture *f) {
    (void)f;
    tosajit_expr *expr;
    const tosajit_status status = tosajit_expr_create(NULL, &expr);
    if (!status) tosajit_expr_destroy(expr);
    return gave(status, NULL, 0);
}

/* An expression of its own, so that a failing call can be repeated. */
static outcome in_expr(tosajit_status (*add)(tosajit_expr *expr, tosajit_value *value)) {
    tosajit_expr *expr;
    tosajit_value value = -1;
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    if (status) return gave(status, NULL, 0);
    status = add(expr, &value);
    tosajit_expr_destroy(expr);
    return gave(status, &value, sizeof value);
}

static tosajit_status add_input(tosajit_expr *expr, tosajit_value *value) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, open);
    return tosajit_expr_input(expr, &type, value);
}

static tosajit_status add_contract(tosajit_expr *expr, tosajit_value *value) {
    const tosajit_contract contract = {.smallest = 2, .multiple = 8};
    const tosajit_status status = add_input(expr, value);
    return status ? status : tosajit_expr_contract(expr, *value, 0, &contract);
}

static tosajit_status add_constant(tosajit_expr *expr, tosajit_value *value) {
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, few);
    return tosajit_expr_constant(expr, &type, operands_f32[0], value);
}

/* Bounds that are rounded to see whether they are values of the type, and a zero point. */
static tosajit_status add_ops(tosajit_expr *expr, tosajit_value *value) {
    const tosajit_attributes bounds = {.min_val = {.f = 0x1p-149},
                                       .max_val = {.f = 0x1.fffffep127}};
    const tosajit_attributes no_value = {.min_val = {.f = 0x1.0000001p0}, .max_val = {.f = 2}};
    const tosajit_tensor_type one = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){1});
    const uint32_t signalling = 0x7fa00000;
    tosajit_value operands[3], clamped = 0;
    tosajit_status s = add_input(expr, &operands[0]);
    if (!s) s = tosajit_expr_op(expr, TOSAJIT_OP_clamp, operands, 1, &bounds, NULL, &clamped);
    if (!s) {
        s = tosajit_expr_op(expr, TOSAJIT_OP_clamp, operands, 1, &no_value, NULL, value);
        s = s == TOSAJIT_BAD_ATTRIBUTE ? TOSAJIT_OK : s ? s : TOSAJIT_CODEGEN_FAILED;
    }
    if (!s) s = tosajit_expr_constant(expr, &one, &signalling, &operands[1]);
    operands[2] = operands[1];
    if (!s) {
        s = tosajit_expr_op(expr, TOSAJIT_OP_negate, operands, 3, NULL, NULL, value);
        s = s == TOSAJIT_BAD_ATTRIBUTE ? TOSAJIT_OK : s ? s : TOSAJIT_CODEGEN_FAILED;
    }
    *value = clamped;
    return s;
}

static tosajit_status add_result(tosajit_expr *expr, tosajit_value *value) {
    const tosajit_status status = add_input(expr, value);
    return status ? status : tosajit_expr_result(expr, *value);
}

/* Each view, then a reduction, then a cast; they begin with a slice that is turned round. */
static tosajit_status add_views(tosajit_expr *expr, tosajit_value *value) {
    const tosajit_range turned = {TOSAJIT_OPEN, TOSAJIT_OPEN, -1};
    const tosajit_padding around = {1, 2};
    const tosajit_tensor_type one = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){1});
    tosajit_value x, zero, v = 0;
    tosajit_status s = add_input(expr, &x);
    if (!s) s = tosajit_expr_constant(expr, &one, operands_f32[0], &zero);
    if (!s) s = tosajit_expr_slice(expr, x, 1, &turned, &v);
    if (!s) s = tosajit_expr_reverse(expr, v, 0, &v);
    if (!s) s = tosajit_expr_concat(expr, v, x, 0, &v);
    if (!s) s = tosajit_expr_tile(expr, v, 1, (int64_t[]){2}, &v);
    if (!s) s = tosajit_expr_pad(expr, v, zero, 1, &around, &v);
    if (!s) s = tosajit_expr_reshape(expr, v, 2, (int64_t[]){1, TOSAJIT_REST}, &v);
    if (!s) s = tosajit_expr_transpose(expr, v, 2, (int64_t[]){1, 0}, &v);
    if (!s) s = tosajit_expr_reduce(expr, TOSAJIT_OP_reduce_max, v, 0, 2, &v);
    return s ? s : tosajit_expr_cast(expr, v, TOSAJIT_I32, value);
}

static outcome expr_views(fixture *f) { return (void)f, in_expr(add_views); }
static outcome expr_input(fixture *f) { return (void)f, in_expr(add_input); }
static outcome expr_contract(fixture *f) { return (void)f, in_expr(add_contract); }
static outcome expr_constant(fixture *f) { return (void)f, in_expr(add_constant); }
static outcome expr_op(fixture *f) { return (void)f, in_expr(add_ops); }
static outcome expr_result(fixture *f) { return (void)f, in_expr(add_result); }

static outcome expr_type(fixture *f) {
    tosajit_tensor_type type = {0};
    const tosajit_status status = tosajit_expr_type(f->expr, 0, &type);
    return gave(status, &type, sizeof type);
}

/* With bounds of floating point. */
static outcome expr_print(fixture *f) {
    char *text = NULL;
    tosajit_expr *expr;
    tosajit_value value;
    (void)f;
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    if (status) return gave(status, NULL, 0);
    status = add_ops(expr, &value);
    if (!status) status = tosajit_expr_result(expr, value);
    if (!status) status = tosajit_expr_print(expr, "f", &text);
    tosajit_expr_destroy(expr);
    return gave_text(status, text);
}

static outcome expr_name(fixture *f) { return gave(tosajit_expr_name(f->expr, 0, NULL), NULL, 0); }

/* Brackets as deep as they may be, a number that is rounded, and a message. */
static outcome expr_parse(fixture *f) {
    enum { DEPTH = 199 };
    char *text = f->text;
    tosajit_expr *expr;
    memset(text, '(', DEPTH);
    memcpy(text + DEPTH, "x * 0.1", 7);
    memset(text + DEPTH + 7, ')', DEPTH);
    memcpy(text + 2 * DEPTH + 7, " : f32[?]", 10);
    tosajit_status status = tosajit_expr_parse(text, strlen(text), NULL, &expr);
    if (!status) tosajit_expr_destroy(expr);
    if (!status && tosajit_expr_parse(text, strlen(text) - 20, NULL, &expr) == TOSAJIT_OK)
        tosajit_expr_destroy(expr);
    return gave(status, NULL, 0);
}

static outcome expr_operands(fixture *f) {
    char *names = NULL;
    (void)f;
    tosajit_status status = tosajit_expr_operands("x * sigmoid(x + b)", 18, &names);
    return gave_text(status, names);
}

/* An op that joins two others, and one that the host refuses beside them. */
static tosajit_status accept_three(void *context, const int32_t *ops, size_t count, int *accepted) {
    (void)context, (void)ops;
    *accepted = count <= 3;
    return TOSAJIT_OK;
}

static outcome partition(fixture *f) {
    static const uint8_t members[] = {1, 1, 1, 1}, kept[] = {0, 0, 0, 0, 1};
    static const int32_t operands[] = {0, 0, 1, 2, 3}, first[] = {0, 1, 2, 4, 5},
                         producers[] = {-1, 0, 1, 2, 3};
    const tosajit_graph graph = {.size = sizeof graph,
                                 .op_count = 4,
                                 .value_count = 5,
                                 .members = members,
                                 .operands = operands,
                                 .first_operand = first,
                                 .producers = producers,
                                 .kept = kept,
                                 .accepts = accept_three};
    int32_t regions[4] = {0};
    (void)f;
    const tosajit_status status = tosajit_partition(&graph, regions);
    return gave(status, regions, sizeof regions);
}

static outcome expr_reductions(fixture *f) {
    const size_t count = tosajit_expr_reductions(f->expr);
    return gave(TOSAJIT_OK, &count, sizeof count);
}

static outcome expr_verify(fixture *f) { return gave(tosajit_expr_verify(f->expr), NULL, 0); }

static outcome verify(fixture *f) {
    (void)f;
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, open);
    const tosajit_attributes bounds = {.min_val = {.f = -0x1p-149}, .max_val = {.f = 1}};
    tosajit_tensor_type inferred = {0};
    const tosajit_status status =
        tosajit_verify(TOSAJIT_OP_clamp, &type, 1, &bounds, NULL, 0, &inferred);
    return gave(status, &inferred, sizeof inferred);
}

static outcome infer_shape(fixture *f) {
    (void)f;
    const tosajit_tensor_type types[2] = {tosajit_ranked(TOSAJIT_F32, 1, open),
                                          tosajit_ranked(TOSAJIT_F32, 1, few)};
    tosajit_tensor_type result = {0};
    const tosajit_status status = tosajit_infer_shape(types, 2, 0, &result);
    return gave(status, &result, sizeof result);
}

static outcome verify_result(fixture *f) {
    (void)f;
    const tosajit_tensor_type inferred = tosajit_ranked(TOSAJIT_F32, 1, open);
    return gave(tosajit_verify_result(&inferred, &inferred, 1), NULL, 0);
}

/* ---------------------------------------------------------------------------------------------
 * Engines and kernels */

static outcome engine_create(fixture *f) {
    (void)f;
    tosajit_engine *engine;
    const tosajit_engine_options options = {.size = sizeof options, .threads = 2};
    const tosajit_status status = tosajit_engine_create(&options, &engine);
    if (!status) tosajit_engine_destroy(engine);
    return gave(status, NULL, 0);
}

static outcome engine_stats(fixture *f) {
    tosajit_stats stats = {.size = sizeof stats};
    const tosajit_status status = tosajit_engine_stats(f->interpreter, &stats);
    return gave(status, &stats.kernels, sizeof stats.kernels);
}

static tosajit_status run_on(fixture *f, run_function *run, const tosajit_kernel *kernel,
                             const int64_t *dims) {
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, operands_f32[0], 1, dims),
                                        tosajit_dense(TOSAJIT_F32, operands_f32[1], 1, dims)};
    const tosajit_tensor result = tosajit_dense(TOSAJIT_F32, f->results_f32, 1, dims);
    memset(f->results_f32, 0, sizeof f->results_f32);
    return run(kernel, operands, 2, &result, 1);
}

/* The outcome of a new kernel; the reference is given up. */
static outcome gave_kernel(fixture *f, tosajit_status status, tosajit_kernel *kernel) {
    if (status) return gave(status, NULL, 0);
    status = run_on(f, tosajit_run, kernel, few);
    tosajit_kernel_release(kernel);
    return (outcome){status, status ? 0 : mix_results(f, start())};
}

static outcome compile_expr(fixture *f) {
    tosajit_kernel *kernel = NULL;
    const tosajit_status status = tosajit_compile_expr(f->engine, f->expr, &kernel);
    return gave_kernel(f, status, kernel);
}

static outcome compile_many(fixture *f) {
    const tosajit_expr *exprs[3] = {f->expr, f->expr, f->expr};
    tosajit_kernel *kernels[3] = {NULL};
    const tosajit_status status = tosajit_compile_many(f->threads, exprs, 3, kernels, NULL);
    for (int k = 1; k < 3; k++) tosajit_kernel_release(kernels[k]);
    if (status) tosajit_kernel_release(kernels[0]);
    return gave_kernel(f, status, kernels[0]);
}

static tosajit_status run_division(fixture *f, run_function *run, const tosajit_kernel *kernel) {
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_I32, operands_i32[0], 1, few),
                                        tosajit_dense(TOSAJIT_I32, operands_i32[1], 1, few)};
    const tosajit_tensor result = tosajit_dense(TOSAJIT_I32, f->results_i32, 1, few);
    memset(f->results_i32, 0, sizeof f->results_i32);
    return run(kernel, operands, 2, &result, 1);
}

static outcome compile(fixture *f) {
    tosajit_kernel *kernel = NULL;
    tosajit_status status = make_division(f->engine, &kernel);
    if (!status) status = run_division(f, tosajit_run, kernel);
    tosajit_kernel_release(kernel);
    return gave(status, f->results_i32, sizeof f->results_i32);
}

static outcome kernel_retain(fixture *f) {
    tosajit_kernel_retain(f->kernel);
    tosajit_kernel_release(f->kernel);
    return gave_number(0);
}

/* Answers by the interpreter until there is code, and by the code then. */
static outcome kernel_wait(fixture *f) {
    tosajit_kernel *kernel;
    tosajit_status status = tosajit_compile_expr(f->background, f->expr, &kernel);
    if (status) return gave(status, NULL, 0);
    status = run_on(f, tosajit_run, kernel, few);
    uint64_t digest = mix_results(f, start());
    if (!status) status = tosajit_kernel_wait(kernel);
    if (!status) status = run_on(f, tosajit_run, kernel, few);
    digest = mix_results(f, digest);
    tosajit_kernel_release(kernel);
    return (outcome){status, status ? 0 : digest};
}

static outcome kernel_is_native(fixture *f) {
    return gave_number(2 * tosajit_kernel_is_native(f->kernel) +
                       tosajit_kernel_is_native(f->interpreted));
}

/* Cached and static, cached and dynamic, divided, and with everything that takes stack. */
static outcome run_by(run_function *how, fixture *f) {
    uint64_t digest = start();
    tosajit_status s = run_on(f, how, f->kernel, few);
    digest = mix_results(f, digest);
    if (!s) s = run_on(f, how, f->kernel, few);
    digest = mix_results(f, digest);
    if (!s) s = run_on(f, how, f->divided, many);
    digest = mix_results(f, digest);
    if (!s) s = run_division(f, how, f->division);
    digest = mix(digest, f->results_i32, sizeof f->results_i32);
    if (!s) s = run_wide(f, how);
    digest = mix(digest, f->wide_results, sizeof f->wide_results);
    return (outcome){s, s ? 0 : digest};
}

static outcome run(fixture *f) { return run_by(tosajit_run, f); }
static outcome run_bound(fixture *f) { return run_by(test_run_bound, f); }

static void one_by_one(void *context, size_t count, void (*task)(void *argument, size_t index),
                       void *argument) {
    (void)context;
    for (size_t k = 0; k < count; k++) task(argument, k);
}

static tosajit_status run_on_pool(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                  size_t operand_count, const tosajit_tensor *results,
                                  size_t result_count) {
    const tosajit_parallel pool = {one_by_one, NULL, 3};
    return tosajit_run_parallel(kernel, operands, operand_count, results, result_count, &pool);
}

static outcome run_parallel(fixture *f) { return run_by(run_on_pool, f); }

static outcome run_interpreted(fixture *f) {
    uint64_t digest = start();
    tosajit_status s = run_on(f, tosajit_run_interpreted, f->kernel, few);
    digest = mix_results(f, digest);
    if (!s) s = run_division(f, tosajit_run_interpreted, f->division);
    digest = mix(digest, f->results_i32, sizeof f->results_i32);
    if (!s) s = run_wide(f, tosajit_run_interpreted);
    digest = mix(digest, f->wide_results, sizeof f->wide_results);
    return (outcome){s, s ? 0 : digest};
}

static tosajit_status result_dims(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                  size_t operand_count, const tosajit_tensor *results,
                                  size_t result_count) {
    int64_t dims[TOSAJIT_MAX_RANK];
    (void)results, (void)result_count;
    return tosajit_kernel_result_dims(kernel, operands, operand_count, 0, NULL, dims);
}

static outcome kernel_result_dims(fixture *f) {
    const tosajit_status status = run_on(f, result_dims, f->kernel, many);
    return gave(status ? status : run_wide(f, result_dims), NULL, 0);
}

static tosajit_status all_dims(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                               size_t operand_count, const tosajit_tensor *results,
                               size_t result_count) {
    tosajit_tensor made[TOSAJIT_MAX_TENSORS];
    int64_t dims[TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK];
    (void)results;
    return tosajit_kernel_results(kernel, operands, operand_count, made, result_count, dims);
}

static outcome kernel_results(fixture *f) {
    const tosajit_status status = run_on(f, all_dims, f->kernel, many);
    return gave(status ? status : run_wide(f, all_dims), NULL, 0);
}

static outcome kernel_operand_count(fixture *f) {
    return gave_number((int64_t)tosajit_kernel_operand_count(f->wide));
}

static outcome kernel_result_count(fixture *f) {
    return gave_number((int64_t)tosajit_kernel_result_count(f->wide));
}

static outcome kernel_operand_type(fixture *f) {
    const tosajit_tensor_type type = tosajit_kernel_operand_type(f->kernel, 1);
    return gave(TOSAJIT_OK, &type, sizeof type);
}

static outcome kernel_operand_name(fixture *f) {
    return gave_number(tosajit_kernel_operand_name(f->kernel, 0) != NULL);
}

static outcome kernel_result_name(fixture *f) {
    return gave_number(tosajit_kernel_result_name(f->kernel, 0) != NULL);
}

static outcome kernel_result_type(fixture *f) {
    const tosajit_tensor_type type = tosajit_kernel_result_type(f->kernel, 0);
    return gave(TOSAJIT_OK, &type, sizeof type);
}

static outcome kernel_part_count(fixture *f) {
    return gave_number((int64_t)tosajit_kernel_part_count(f->kernel));
}

static outcome kernel_raw(fixture *f) {
    tosajit_raw raw = {.size = sizeof raw};
    const tosajit_status status = tosajit_kernel_raw(f->kernel, 0, &raw);
    return gave(status, &raw.variant_count, sizeof raw.variant_count);
}

static outcome kernel_describe(fixture *f) {
    tosajit_kernel_info info = {.size = sizeof info};
    const tosajit_status status = tosajit_kernel_describe(f->kernel, &info);
    return gave(status, &info.code_bytes, sizeof info.code_bytes);
}

/* ---------------------------------------------------------------------------------------------
 * Images, objects, texts */

static outcome kernel_save(fixture *f) {
    size_t size = 0;
    const tosajit_status status = tosajit_kernel_save(f->kernel, f->saved, sizeof f->saved, &size);
    return gave(status, &size, sizeof size);
}

static outcome kernel_load(fixture *f) {
    tosajit_kernel *kernel = NULL;
    const tosajit_status status = tosajit_kernel_load(f->image, f->image_size, NULL, &kernel);
    return gave_kernel(f, status, kernel);
}

static const char *path_of(fixture *f) {
    snprintf(f->path, sizeof f->path, "%s/kernel", f->directory);
    return f->path;
}

static outcome kernel_save_file(fixture *f) {
    return gave(tosajit_kernel_save_file(f->kernel, path_of(f)), NULL, 0);
}

/* Reads the file of the call before. */
static outcome kernel_load_file(fixture *f) {
    tosajit_kernel *kernel = NULL;
    const tosajit_status status = tosajit_kernel_load_file(path_of(f), NULL, &kernel);
    return gave_kernel(f, status, kernel);
}

/* The linked function as it is before its first call. Another thread may be at that. */
static tosajit_aot first_call(void) {
    const tosajit_aot *linked = &state_aot_exp_aot;
    return (tosajit_aot){.size = linked->size,
                         .image = linked->image,
                         .image_size = linked->image_size,
                         .code = linked->code,
                         .code_size = linked->code_size};
}

static tosajit_status aot_runs(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                               size_t operand_count, const tosajit_tensor *results,
                               size_t result_count) {
    tosajit_aot aot = first_call();
    (void)kernel, (void)operand_count;
    tosajit_status status = tosajit_aot_run(&aot, operands, 1, results, result_count);
    tosajit_kernel_release(aot.kernel); /* of this copy, which ends here */
    return status ? status
                  : tosajit_aot_run(&state_aot_exp_aot, operands, 1, results, result_count);
}

static outcome aot_kernel(fixture *f) {
    tosajit_aot aot = first_call();
    tosajit_kernel *kernel = NULL;
    (void)f;
    tosajit_status status = tosajit_aot_kernel(&aot, &kernel);
    tosajit_kernel_release(kernel);
    if (!status) status = tosajit_aot_kernel(&state_aot_exp_aot, &kernel);
    return gave(status, NULL, 0);
}

static outcome aot_run(fixture *f) {
    const tosajit_status status = run_on(f, aot_runs, NULL, few);
    return (outcome){status, status ? 0 : mix_results(f, start())};
}

static outcome compile_object(fixture *f) {
    char *object = NULL;
    size_t size = 0;
    const tosajit_function function = {.name = "f", .expr = f->expr};
    const tosajit_status status =
        tosajit_compile_object(&f->engine, 1, &function, 1, &object, &size);
    if (!status) tosajit_text_release(object);
    return gave(status, &size, sizeof size);
}

static outcome compile_image(fixture *f) {
    char *image = NULL;
    size_t size = 0;
    const tosajit_status status = tosajit_compile_image(&f->engine, 1, f->expr, &image, &size);
    if (!status) tosajit_text_release(image);
    return gave(status, &size, sizeof size);
}

/* An image of the expression, and one that is none. */
static outcome compile_with_image(fixture *f) {
    char *image = NULL;
    size_t size = 0;
    tosajit_kernel *kernel = NULL;
    tosajit_status refused[2] = {TOSAJIT_OK, TOSAJIT_OK};
    tosajit_status status = tosajit_compile_image(&f->engine, 1, f->expr, &image, &size);
    for (size_t k = 0; !status && k < 2; k++) {
        status =
            tosajit_compile_with_image(f->engine, f->expr, image, size - k, &kernel, &refused[k]);
        if (!status) tosajit_kernel_release(kernel);
        if (!status && refused[k] == TOSAJIT_OUT_OF_MEMORY) status = refused[k];
    }
    if (image) tosajit_text_release(image);
    return gave(status, refused, sizeof refused);
}

static outcome print(fixture *f) {
    uint64_t digest = start();
    tosajit_status status = TOSAJIT_OK;
    for (int view = TOSAJIT_VIEW_PLAN; !status && view <= TOSAJIT_VIEW_PASSES; view++) {
        char *text = NULL;
        status = tosajit_print(f->engine, f->expr, (tosajit_view)view, &text);
        digest += gave_text(status, text).digest;
    }
    return (outcome){status, status ? 0 : digest};
}

static _Thread_local char *explained;
static tosajit_status explain_text(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                   size_t operand_count, const tosajit_tensor *results,
                                   size_t result_count) {
    return tosajit_explain(kernel, operands, operand_count, results, result_count, NULL,
                           &explained);
}

static outcome explain(fixture *f) {
    tosajit_status status = run_on(f, explain_text, f->divided, many);
    const outcome divided = gave_text(status, explained);
    if (status) return divided;
    status = run_wide(f, explain_text);
    outcome wide = gave_text(status, explained);
    wide.digest += divided.digest;
    return wide;
}

static outcome quiesce(fixture *f) {
    tosajit_kernel *kernel = NULL;
    tosajit_quiesce();
    const tosajit_status status = tosajit_compile_expr(f->engine, f->expr, &kernel);
    tosajit_kernel_release(kernel); /* of precompiled ops */
    return gave_number(status);
}

/* The calls that only give back are made by those that take. The last lets nobody compile. */
const state_call state_calls[] = {
    {"tosajit_status_name", status_name, false},
    {"tosajit_last_error", last_error, false},
    {"tosajit_last_failure", last_failure, false},
    {"tosajit_version", version, false},
    {"tosajit_type_name", type_name, false},
    {"tosajit_type_size", type_size, false},
    {"tosajit_type_find", type_find, false},
    {"tosajit_type_print", type_print, false},
    {"tosajit_op_name", op_name, false},
    {"tosajit_op_arity", op_arity, false},
    {"tosajit_op_formula", op_formula, false},
    {"tosajit_op_find", op_find, false},
    {"tosajit_op_parameters", op_parameters, false},
    {"tosajit_op_accepts", op_accepts, false},
    {"tosajit_cpu_name", cpu_name, false},
    {"tosajit_expr_create", expr_create, false},
    {"tosajit_expr_destroy", expr_create, false},
    {"tosajit_expr_input", expr_input, false},
    {"tosajit_expr_contract", expr_contract, false},
    {"tosajit_expr_constant", expr_constant, false},
    {"tosajit_expr_op", expr_op, false},
    {"tosajit_expr_cast", expr_views, false},
    {"tosajit_expr_reduce", expr_views, false},
    {"tosajit_expr_reshape", expr_views, false},
    {"tosajit_expr_transpose", expr_views, false},
    {"tosajit_expr_slice", expr_views, false},
    {"tosajit_expr_reverse", expr_views, false},
    {"tosajit_expr_tile", expr_views, false},
    {"tosajit_expr_concat", expr_views, false},
    {"tosajit_expr_pad", expr_views, false},
    {"tosajit_expr_result", expr_result, false},
    {"tosajit_expr_type", expr_type, false},
    {"tosajit_expr_name", expr_name, false},
    {"tosajit_expr_operands", expr_operands, false},
    {"tosajit_expr_parse", expr_parse, false},
    {"tosajit_expr_print", expr_print, false},
    {"tosajit_expr_reductions", expr_reductions, false},
    {"tosajit_expr_verify", expr_verify, false},
    {"tosajit_partition", partition, false},
    {"tosajit_verify", verify, false},
    {"tosajit_infer_shape", infer_shape, false},
    {"tosajit_verify_result", verify_result, false},
    {"tosajit_engine_create", engine_create, false},
    {"tosajit_engine_destroy", engine_create, false},
    {"tosajit_engine_stats", engine_stats, false},
    {"tosajit_compile_expr", compile_expr, false},
    {"tosajit_compile_many", compile_many, false},
    {"tosajit_compile", compile, false},
    {"tosajit_kernel_retain", kernel_retain, false},
    {"tosajit_kernel_release", kernel_retain, false},
    {"tosajit_kernel_wait", kernel_wait, false},
    {"tosajit_kernel_is_native", kernel_is_native, false},
    {"tosajit_run", run, false},
    {"tosajit_run_parallel", run_parallel, false},
    {"tosajit_run_interpreted", run_interpreted, false},
    {"tosajit_bind", run_bound, false},
    {"tosajit_bound_run", run_bound, false},
    {"tosajit_bound_release", run_bound, false},
    {"tosajit_kernel_result_dims", kernel_result_dims, false},
    {"tosajit_kernel_results", kernel_results, false},
    {"tosajit_kernel_operand_count", kernel_operand_count, false},
    {"tosajit_kernel_result_count", kernel_result_count, false},
    {"tosajit_kernel_operand_type", kernel_operand_type, false},
    {"tosajit_kernel_operand_name", kernel_operand_name, false},
    {"tosajit_kernel_result_name", kernel_result_name, false},
    {"tosajit_kernel_result_type", kernel_result_type, false},
    {"tosajit_kernel_part_count", kernel_part_count, false},
    {"tosajit_kernel_raw", kernel_raw, false},
    {"tosajit_kernel_describe", kernel_describe, false},
    {"tosajit_kernel_save", kernel_save, false},
    {"tosajit_kernel_load", kernel_load, false},
    {"tosajit_kernel_save_file", kernel_save_file, true},
    {"tosajit_kernel_load_file", kernel_load_file, true},
    {"tosajit_aot_kernel", aot_kernel, false},
    {"tosajit_aot_run", aot_run, false},
    {"tosajit_compile_object", compile_object, false},
    {"tosajit_compile_image", compile_image, false},
    {"tosajit_compile_with_image", compile_with_image, false},
    {"tosajit_print", print, false},
    {"tosajit_text_release", print, false},
    {"tosajit_explain", explain, false},
    {"tosajit_quiesce", quiesce, false},
};
const bool state_calls_end_without_memory = false;
const size_t state_call_count = sizeof state_calls / sizeof *state_calls;
