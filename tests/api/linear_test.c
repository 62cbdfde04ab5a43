/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every public call takes at most linear time in what it is given, but for a logarithm: sixteen
 * times as much input, at most 100 times the processor time. Quadratic work would take 256 times as
 * long; between lies what caches do that hold the smaller input and not the larger. What is bounded
 * by a small constant (dimensions, tensors, contracts) does not grow here; nor does native code,
 * which is bounded in instructions (large_test). */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)

enum { TIMES = 16, AT_MOST = 100, TURNS = 8, ROWS = 2, COLS = 3, NODES = 60000 };

/* Of this thread on a processor: whoever else wants one does not count. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---------------------------------------------------------------------------------------------
 * Expressions of so many nodes */

typedef void builder(tosajit_expr *expr, size_t nodes);

static tosajit_value input(tosajit_expr *expr, const char *shape) {
    tosajit_tensor_type type = test_type(TOSAJIT_I32, shape);
    tosajit_value value;
    CHECK(tosajit_expr_input(expr, &type, &value));
    return value;
}

static tosajit_value add(tosajit_expr *expr, tosajit_value a, tosajit_value b,
                         const tosajit_tensor_type *result) {
    tosajit_value value;
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){a, b}, 2, NULL, result, &value));
    return value;
}

static tosajit_value constant(tosajit_expr *expr, int32_t number) {
    tosajit_tensor_type type = test_type(TOSAJIT_I32, "1x1");
    tosajit_value value;
    CHECK(tosajit_expr_constant(expr, &type, &number, &value));
    return value;
}

static void chain(tosajit_expr *expr, size_t nodes) {
    tosajit_value x = input(expr, "?x?"), y = x;
    for (size_t k = 1; k < nodes; k++) y = add(expr, y, x, NULL);
    CHECK(tosajit_expr_result(expr, y));
}

/* Each declares another size, which every call must then be checked for. */
static void declared(tosajit_expr *expr, size_t nodes) {
    tosajit_value x = input(expr, "?x?x?x?x?x?"), y = x;
    for (size_t k = 1; k < nodes; k++) {
        const int64_t size = (int64_t)k + 1;
        tosajit_tensor_type type = tosajit_ranked(
            TOSAJIT_I32, 6, (int64_t[]){size, size, size, 1, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
        y = add(expr, x, x, &type);
    }
    CHECK(tosajit_expr_result(expr, y));
}

/* Every sum is of other inputs, so that every check is about other sizes. */
static void subsets(tosajit_expr *expr, size_t nodes) {
    enum { INPUTS = 40 };
    const tosajit_tensor_type type =
        tosajit_ranked(TOSAJIT_I32, 2, (int64_t[]){ROWS, TOSAJIT_DYNAMIC});
    tosajit_value x[INPUTS], y[INPUTS], all;
    for (int k = 0; k < INPUTS; k++) y[k] = x[k] = input(expr, "?x?");
    all = x[0];
    for (size_t k = 2 * INPUTS; k + 2 < nodes; k += 2) {
        const size_t a = k * 7919 / 2 % INPUTS, b = k * 104729 / 16 % INPUTS;
        y[a] = add(expr, k % 7 ? y[a] : x[a], x[b], k % 3 ? NULL : &type);
        all = add(expr, all, y[a], NULL);
    }
    CHECK(tosajit_expr_result(expr, all));
}

/* Half of them constants, which leave an addition in the code. */
static void constants(tosajit_expr *expr, size_t nodes) {
    tosajit_value x = input(expr, "?x?"), y = constant(expr, 1);
    for (size_t k = 0; k + 3 < nodes; k += 2) y = add(expr, y, constant(expr, (int32_t)k), NULL);
    CHECK(tosajit_expr_result(expr, add(expr, x, y, NULL)));
}

/* As many results as there may be, each of another space and of all nodes. */
static void parts(tosajit_expr *expr, size_t nodes) {
    enum { PARTS = 31 };
    tosajit_value x = input(expr, "?x?"), y = x;
    for (size_t k = 1; k + 2 * PARTS < nodes; k++) y = add(expr, y, x, NULL);
    for (int k = 0; k < PARTS; k++)
        CHECK(tosajit_expr_result(expr, add(expr, y, input(expr, "?x?"), NULL)));
}

/* Bytes, of which two ops each depend on one value alone: too few for a table. */
static void light_bytes(tosajit_expr *expr, size_t nodes) {
    const tosajit_tensor_type type =
        tosajit_ranked(TOSAJIT_I8, 2, (int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
    tosajit_value x, y;
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_input(expr, &type, &y));
    for (size_t k = 2; k < nodes; k++)
        CHECK(tosajit_expr_op(expr, k % 3 ? TOSAJIT_OP_bitwise_not : TOSAJIT_OP_bitwise_xor,
                              (tosajit_value[]){y, x}, k % 3 ? 1 : 2, NULL, NULL, &y));
    CHECK(tosajit_expr_result(expr, y));
}

/* Parts of two ops on one i1, each of which would be a select. */
static void truths(tosajit_expr *expr, size_t nodes) {
    const int64_t dims[2] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    const tosajit_tensor_type truth = tosajit_ranked(TOSAJIT_I1, 2, dims),
                              number = tosajit_ranked(TOSAJIT_F32, 2, dims);
    tosajit_value x, y, z;
    CHECK(tosajit_expr_input(expr, &truth, &x));
    CHECK(tosajit_expr_input(expr, &number, &y));
    for (size_t k = 2; k + 3 <= nodes; k += 3) {
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_cast, &x, 1, NULL, &number, &z));
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_negate, &z, 1, NULL, NULL, &z));
        CHECK(
            tosajit_expr_op(expr, TOSAJIT_OP_maximum, (tosajit_value[]){y, z}, 2, NULL, NULL, &y));
    }
    CHECK(tosajit_expr_result(expr, y));
}

static const struct {
    const char *name;
    builder *build;
    bool runs; /* there are operands that fulfil every check */
} families[] = {{"chain", chain, true},     {"declared sizes", declared, false},
                {"subsets", subsets, true}, {"constants", constants, true},
                {"parts", parts, true},     {"light bytes", light_bytes, false},
                {"truths", truths, false}};
enum { FAMILIES = sizeof families / sizeof *families };

/* ---------------------------------------------------------------------------------------------
 * Calls on them */

typedef struct subject {
    size_t size;
    tosajit_engine *engine;
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    void *bytes; /* an image, or data */
    size_t byte_count;
    const tosajit_expr **exprs; /* a list of `size` */
} subject;

static builder *family; /* of the expression that make_subject builds */

static tosajit_engine *engine_of(tosajit_backend backend) {
    tosajit_engine_options options = {.size = sizeof options, .backend = backend};
    tosajit_engine *engine;
    CHECK(tosajit_engine_create(&options, &engine));
    return engine;
}

static tosajit_expr *new_expr(void) {
    tosajit_expr *expr;
    CHECK(tosajit_expr_create(NULL, &expr));
    return expr;
}

static subject kernel_of(size_t nodes) {
    subject s = {.size = nodes, .engine = engine_of(TOSAJIT_BACKEND_INTERPRET), .expr = new_expr()};
    family(s.expr, nodes);
    CHECK(tosajit_compile_expr(s.engine, s.expr, &s.kernel));
    return s;
}

static void drop(subject *s) {
    for (size_t k = 0; s->exprs && k < s->size; k++)
        tosajit_expr_destroy((tosajit_expr *)(uintptr_t)s->exprs[k]);
    free(s->bytes);
    free(s->exprs);
    tosajit_kernel_release(s->kernel);
    tosajit_expr_destroy(s->expr);
    tosajit_engine_destroy(s->engine);
}

static void call_build(subject *s) {
    tosajit_expr *expr = new_expr();
    family(expr, s->size);
    tosajit_expr_destroy(expr);
}

static void call_verify(subject *s) { CHECK(tosajit_expr_verify(s->expr)); }

static void call_expr_print(subject *s) {
    char *text;
    CHECK(tosajit_expr_print(s->expr, NULL, &text));
    tosajit_text_release(text);
}

static void print(subject *s, tosajit_view view) {
    char *text;
    CHECK(tosajit_print(s->engine, s->expr, view, &text));
    tosajit_text_release(text);
}
static void call_print_plan(subject *s) { print(s, TOSAJIT_VIEW_PLAN); }
static void call_print_json(subject *s) { print(s, TOSAJIT_VIEW_JSON); }

static void compile_by(tosajit_engine *engine, const tosajit_expr *expr) {
    tosajit_kernel *kernel;
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_kernel_release(kernel);
}
static void call_compile_again(subject *s) { compile_by(s->engine, s->expr); }

static void compile_anew(tosajit_backend backend, const tosajit_expr *expr) {
    tosajit_engine *engine = engine_of(backend);
    compile_by(engine, expr);
    tosajit_engine_destroy(engine);
}
static void call_compile(subject *s) { compile_anew(TOSAJIT_BACKEND_INTERPRET, s->expr); }
static void call_compile_native(subject *s) { compile_anew(TOSAJIT_BACKEND_NATIVE, s->expr); }

typedef struct call_tensors {
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    size_t operand_count, result_count;
} call_tensors;

static void tensors_of(const tosajit_kernel *kernel, call_tensors *t) {
    static const int64_t sizes[TOSAJIT_MAX_RANK] = {ROWS, COLS, 1, 1, 1, 1};
    static int32_t data[2][TOSAJIT_MAX_TENSORS][ROWS * COLS];
    t->operand_count = tosajit_kernel_operand_count(kernel);
    t->result_count = tosajit_kernel_result_count(kernel);
    for (size_t k = 0; k < t->operand_count; k++)
        t->operands[k] = tosajit_dense(TOSAJIT_I32, data[0][k],
                                       tosajit_kernel_operand_type(kernel, k).rank, sizes);
    for (size_t k = 0; k < t->result_count; k++)
        t->results[k] = tosajit_dense(TOSAJIT_I32, data[1][k],
                                      tosajit_kernel_result_type(kernel, k).rank, sizes);
}

static void call_run(subject *s) {
    call_tensors t;
    tensors_of(s->kernel, &t);
    CHECK(tosajit_run(s->kernel, t.operands, t.operand_count, t.results, t.result_count));
}

static void call_run_refused(subject *s) {
    call_tensors t;
    tensors_of(s->kernel, &t);
    const int64_t other[TOSAJIT_MAX_RANK] = {ROWS, COLS + 1, 1, 1, 1, 1};
    t.results[t.result_count - 1].dims = other;
    assert_int_equal(tosajit_run(s->kernel, t.operands, t.operand_count, t.results, t.result_count),
                     TOSAJIT_SHAPE_MISMATCH);
}

static void call_result_dims(subject *s) {
    call_tensors t;
    int64_t dims[TOSAJIT_MAX_RANK];
    tensors_of(s->kernel, &t);
    CHECK(tosajit_kernel_result_dims(s->kernel, t.operands, t.operand_count, 0, NULL, dims));
}

static void call_explain(subject *s) {
    call_tensors t;
    char *text;
    tensors_of(s->kernel, &t);
    CHECK(tosajit_explain(s->kernel, t.operands, t.operand_count, t.results, t.result_count, NULL,
                          &text));
    tosajit_text_release(text);
}

static void call_stats(subject *s) {
    tosajit_stats stats = {.size = sizeof stats};
    CHECK(tosajit_engine_stats(s->engine, &stats));
}

typedef struct call {
    const char *name;
    void (*call)(subject *s);
} call;

/* The least time of several turns, so that what the machine does besides is left out; no more turns
 * than the answer takes. */
static void measure(const char *what, const call *c, subject *s) {
    enum { FEW = 3 };
    const double too_short = 1e-3; /* a clock's tick and a page fault would be seen */
    double least[2] = {1e9, 1e9};
    for (int turn = 0; turn < TURNS && (turn < FEW || least[1] > (double)AT_MOST * least[0]);
         turn++)
        for (int k = 0; k < 2; k++) {
            double start = seconds();
            c->call(&s[k]);
            double took = seconds() - start;
            if (took < least[k]) least[k] = took;
        }
    const double times = least[1] / least[0];
    print_message("%-16s %-20s %8zu: %9.3f ms, %5.1f times as long as %zu\n", what, c->name,
                  s[1].size, least[1] * 1e3, times, s[0].size);
    if (least[1] > too_short && times > (double)AT_MOST)
        fail_msg("%s of %s: %d times the input takes %.1f times as long", c->name, what, (int)TIMES,
                 times);
}

static void expect_linear(const char *what, subject (*make)(size_t), size_t size, const call *calls,
                          size_t count) {
    subject s[2] = {make(size / TIMES), make(size)};
    for (size_t k = 0; k < count; k++) measure(what, &calls[k], s);
    drop(&s[0]);
    drop(&s[1]);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void calls_are_linear_in_nodes(void **state) {
    static const call calls[] = {
        {"run", call_run},
        {"run, refused", call_run_refused},
        {"kernel_result_dims", call_result_dims},
        {"explain", call_explain},
        {"building", call_build},
        {"expr_verify", call_verify},
        {"expr_print", call_expr_print},
        {"print, plan", call_print_plan},
        {"print, json", call_print_json},
        {"compile_expr", call_compile},
        {"compile_expr, again", call_compile_again},
        {"engine_stats", call_stats},
    };
    enum {
        STANDARD_THINNING = 4,
        RUNS = 4
    }; /* the first of them need operands that fulfil every check */
    for (size_t f = 0; f < FAMILIES; f++) {
        if (!test_is_drawn(f, STANDARD_THINNING)) continue;
        const size_t first = families[f].runs ? 0 : RUNS;
        family = families[f].build;
        expect_linear(families[f].name, kernel_of, NODES, calls + first, COUNT(calls) - first);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Images, constants, lists */

static subject native_of(size_t nodes) {
    subject s = {.size = nodes, .engine = engine_of(TOSAJIT_BACKEND_NATIVE), .expr = new_expr()};
    constants(s.expr, nodes);
    CHECK(tosajit_compile_expr(s.engine, s.expr, &s.kernel));
    CHECK(tosajit_kernel_save(s.kernel, NULL, 0, &s.byte_count));
    s.bytes = malloc(s.byte_count);
    assert_non_null(s.bytes);
    CHECK(tosajit_kernel_save(s.kernel, s.bytes, s.byte_count, &s.byte_count));
    return s;
}

static void call_save(subject *s) {
    CHECK(tosajit_kernel_save(s->kernel, s->bytes, s->byte_count, &s->byte_count));
}

static void call_load(subject *s) {
    tosajit_kernel *kernel;
    CHECK(tosajit_kernel_load(s->bytes, s->byte_count, NULL, &kernel));
    tosajit_kernel_release(kernel);
}

static void call_files(subject *s) {
    char path[] = "/tmp/tosajit-linear-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    tosajit_kernel *kernel;
    CHECK(tosajit_kernel_save_file(s->kernel, path));
    CHECK(tosajit_kernel_load_file(path, NULL, &kernel));
    tosajit_kernel_release(kernel);
    unlink(path);
}

static void call_compile_object(subject *s) {
    const tosajit_function function = {.name = "f", .expr = s->expr};
    char *object;
    size_t size;
    CHECK(tosajit_compile_object(&s->engine, 1, &function, 1, &object, &size));
    tosajit_text_release(object);
}

static void call_compile_image(subject *s) {
    char *image;
    size_t size;
    CHECK(tosajit_compile_image(&s->engine, 1, s->expr, &image, &size));
    tosajit_text_release(image);
}

static void call_compile_with_image(subject *s) {
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE);
    tosajit_kernel *kernel;
    tosajit_status refused;
    CHECK(tosajit_compile_with_image(engine, s->expr, s->bytes, s->byte_count, &kernel, &refused));
    CHECK(refused);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void calls_are_linear_in_what_an_image_holds(void **state) {
    static const call calls[] = {
        {"compile_expr, native", call_compile_native},
        {"compile_object", call_compile_object},
        {"compile_image", call_compile_image},
        {"compile_with_image", call_compile_with_image},
        {"kernel_save", call_save},
        {"kernel_load", call_load},
        {"save_file, load_file", call_files},
    };
    expect_linear("constants", native_of, NODES, calls, COUNT(calls));
}

/* A constant of so many bytes. */
static subject data_of(size_t size) {
    subject s = {.size = size,
                 .engine = engine_of(TOSAJIT_BACKEND_INTERPRET),
                 .expr = new_expr(),
                 .bytes = calloc(size, 1)};
    assert_non_null(s.bytes);
    ((char *)s.bytes)[size - 1] = 1;
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I8, 1, (int64_t[]){(int64_t)size});
    tosajit_value value;
    CHECK(tosajit_expr_constant(s.expr, &type, s.bytes, &value));
    CHECK(tosajit_expr_result(s.expr, value));
    return s;
}

static void call_constant(subject *s) {
    tosajit_expr *expr = new_expr();
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I8, 1, (int64_t[]){(int64_t)s->size});
    tosajit_value value;
    CHECK(tosajit_expr_constant(expr, &type, s->bytes, &value));
    tosajit_expr_destroy(expr);
}

static void calls_are_linear_in_the_bytes_of_constants(void **state) {
    static const call calls[] = {{"expr_constant", call_constant},
                                 {"expr_verify", call_verify},
                                 {"expr_print", call_expr_print},
                                 {"compile_expr", call_compile}};
    expect_linear("bytes", data_of, 8 << 20, calls, COUNT(calls));
}

/* Expressions that differ in a constant. */
static subject list_of(tosajit_backend backend, size_t count) {
    subject s = {
        .size = count, .engine = engine_of(backend), .exprs = malloc(count * sizeof *s.exprs)};
    assert_non_null(s.exprs);
    for (size_t k = 0; k < count; k++) {
        tosajit_expr *expr = new_expr();
        CHECK(tosajit_expr_result(expr,
                                  add(expr, input(expr, "?x?"), constant(expr, (int32_t)k), NULL)));
        s.exprs[k] = expr;
    }
    return s;
}
static subject interpreted_list_of(size_t count) {
    return list_of(TOSAJIT_BACKEND_INTERPRET, count);
}
static subject native_list_of(size_t count) { return list_of(TOSAJIT_BACKEND_NATIVE, count); }

static void call_compile_many(subject *s) {
    tosajit_kernel **kernels = malloc(s->size * sizeof *kernels);
    assert_non_null(kernels);
    CHECK(tosajit_compile_many(s->engine, s->exprs, s->size, kernels, NULL));
    for (size_t k = 0; k < s->size; k++) tosajit_kernel_release(kernels[k]);
    free(kernels);
}

static void call_compile_list_object(subject *s) {
    tosajit_function *functions = malloc(s->size * sizeof *functions);
    char(*names)[32] = malloc(s->size * sizeof *names), *object;
    size_t size;
    assert_true(functions && names);
    for (size_t k = 0; k < s->size; k++) {
        snprintf(names[k], sizeof names[k], "f%zu", k);
        functions[k] = (tosajit_function){.name = names[k], .expr = s->exprs[k]};
    }
    CHECK(tosajit_compile_object(&s->engine, 1, functions, s->size, &object, &size));
    tosajit_text_release(object);
    free(functions);
    free(names);
}

/* None has a result, so that all are refused. */
static subject refused_list_of(size_t count) {
    subject s = {.size = count, .engine = engine_of(TOSAJIT_BACKEND_NATIVE)};
    s.exprs = malloc(count * sizeof *s.exprs);
    assert_non_null(s.exprs);
    for (size_t k = 0; k < count; k++) {
        tosajit_expr *expr = new_expr();
        constant(expr, (int32_t)k);
        s.exprs[k] = expr;
    }
    return s;
}

static void call_compile_many_refused(subject *s) {
    tosajit_kernel **kernels = malloc(s->size * sizeof *kernels);
    assert_non_null(kernels);
    assert_int_equal(tosajit_compile_many(s->engine, s->exprs, s->size, kernels, NULL),
                     TOSAJIT_INVALID_ARGUMENT);
    free(kernels);
}

static void calls_are_linear_in_the_length_of_a_list(void **state) {
    static const call many = {"compile_many", call_compile_many},
                      refused = {"compile_many", call_compile_many_refused},
                      object = {"compile_object", call_compile_list_object};
    expect_linear("list", interpreted_list_of, 32000, &many, 1);
    expect_linear("list, refused", refused_list_of, 64000, &refused, 1);
    expect_linear("list, native", native_list_of, 400, &many, 1);
    expect_linear("list, native", native_list_of, 200, &object, 1);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(calls_are_linear_in_nodes),
                    TEST(calls_are_linear_in_what_an_image_holds),
                    TEST(calls_are_linear_in_the_bytes_of_constants),
                    TEST(calls_are_linear_in_the_length_of_a_list));
}
