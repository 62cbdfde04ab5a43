/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Large expressions: thousands of operations, for which code is generated in another way, against
 * the interpreter; the time that they take; the limit of nodes. A day has a quarter of the engines
 * of each, and of those that would take minutes; TOSAJIT_THIN=1 has all. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)

/* Of this thread on a processor: whoever else wants one does not count. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef enum shape { CHAIN, DOUBLING, LADDER, WIDE, SHAPES } shape;
static const char *const shape_names[SHAPES] = {"chain", "doubling", "ladder", "wide"};

/* `ops` adds: one after the other; each of the one before with itself, which is a tree of 2^ops
 * leaves; each of the two before; or of many inputs. */
static tosajit_status build(shape s, int ops, tosajit_expr **expr) {
    tosajit_tensor_type type = test_type(TOSAJIT_I32, "?");
    tosajit_value inputs[40], last, before;
    tosajit_status status = tosajit_expr_create(NULL, expr);
    for (int k = 0; !status && k < (s == WIDE ? 40 : 1); k++)
        status = tosajit_expr_input(*expr, &type, &inputs[k]);
    last = before = inputs[0];
    for (int k = 0; !status && k < ops; k++) {
        tosajit_value other[SHAPES] = {inputs[0], last, before, inputs[s == WIDE ? k % 40 : 0]},
                      value;
        status = tosajit_expr_op(*expr, TOSAJIT_OP_add, (tosajit_value[]){last, other[s]}, 2, NULL,
                                 NULL, &value);
        before = last;
        last = value;
    }
    return status ? status : tosajit_expr_result(*expr, last);
}

/* `count` residual connections of i8 in a chain: sums, each of four ops, for which code looks for
 * affine pairs before it counts what it emits. */
static tosajit_expr *build_residuals(int count) {
    static const int32_t multipliers[3] = {1 << 30, 1573741824, 1373741824};
    static const int8_t shifts[3] = {11, 12, 49};
    const int32_t wide_zero = 0;
    const int8_t zero = 0;
    const tosajit_tensor_type i8 = test_type(TOSAJIT_I8, "?"), i32 = test_type(TOSAJIT_I32, "?"),
                              one_i8 = test_type(TOSAJIT_I8, "1"),
                              one_i32 = test_type(TOSAJIT_I32, "1");
    const tosajit_attributes scale = {.scale32 = true, .rounding_mode = TOSAJIT_SINGLE_ROUND};
    tosajit_value x[2], m[3], s[3], zeros[2], wide[2], sum;
    tosajit_expr *expr;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_constant(expr, &one_i8, &zero, &zeros[0]));
    CHECK(tosajit_expr_constant(expr, &one_i32, &wide_zero, &zeros[1]));
    for (int k = 0; k < 2; k++) CHECK(tosajit_expr_input(expr, &i8, &x[k]));
    for (int k = 0; k < 3; k++) {
        CHECK(tosajit_expr_constant(expr, &one_i32, &multipliers[k], &m[k]));
        CHECK(tosajit_expr_constant(expr, &one_i8, &shifts[k], &s[k]));
    }
    for (int n = 0; n < count; n++) {
        for (int k = 0; k < 2; k++)
            CHECK(tosajit_expr_op(expr, TOSAJIT_OP_rescale,
                                  (tosajit_value[]){x[k], m[k], s[k], zeros[0], zeros[1]}, 5,
                                  &scale, &i32, &wide[k]));
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, wide, 2, NULL, NULL, &sum));
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_rescale,
                              (tosajit_value[]){sum, m[2], s[2], zeros[1], zeros[0]}, 5, &scale,
                              &i8, &x[0]));
    }
    CHECK(tosajit_expr_result(expr, x[0]));
    return expr;
}

static tosajit_status compile_built(tosajit_engine *engine, shape s, int ops, double *took) {
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    double begin = seconds();
    tosajit_status status = build(s, ops, &expr);
    if (!status) status = tosajit_compile_expr(engine, expr, &kernel);
    *took = seconds() - begin;
    tosajit_expr_destroy(expr);
    tosajit_kernel_release(kernel);
    return status;
}

/* `ops` of many kinds, each of two of the twelve values before it or of an input; the clamp keeps
 * them finite. */
static tosajit_status build_mixed(int ops, tosajit_expr **expr) {
    enum { NEAR = 12 };
    static const tosajit_op kinds[] = {TOSAJIT_OP_add, TOSAJIT_OP_mul,     TOSAJIT_OP_maximum,
                                       TOSAJIT_OP_sub, TOSAJIT_OP_minimum, TOSAJIT_OP_abs};
    const tosajit_attributes bounds = {.min_val = {.f = -3}, .max_val = {.f = 2.5}};
    tosajit_tensor_type type = test_type(TOSAJIT_F32, "?");
    tosajit_value *values = malloc((size_t)(ops + 2) * sizeof *values);
    tosajit_status status = values ? tosajit_expr_create(NULL, expr) : TOSAJIT_OUT_OF_MEMORY;
    for (int k = 0; !status && k < 2; k++) status = tosajit_expr_input(*expr, &type, &values[k]);
    for (int k = 2; !status && k < ops + 2; k++) {
        const tosajit_op op = k % 97 == 0  ? TOSAJIT_OP_tanh
                              : k % 3 == 0 ? TOSAJIT_OP_clamp
                                           : kinds[(unsigned)k * 7919u / 16 % 6];
        const int near = k < NEAR ? k : NEAR,
                  other = k % 4 == 0 ? k / 4 % 2
                                     : k - 1 - (int)((unsigned)k * 2654435761u >> 20) % near;
        const tosajit_value operands[2] = {values[k - 1], values[other]};
        status = tosajit_expr_op(*expr, op, operands, (size_t)tosajit_op_arity(op),
                                 op == TOSAJIT_OP_clamp ? &bounds : NULL, NULL, &values[k]);
    }
    if (!status) status = tosajit_expr_result(*expr, values[ops + 1]);
    free(values);
    return status;
}

/* `ops` in a chain: y = exp(x - y), half of them exp. */
static tosajit_status build_chain(int ops, tosajit_expr **expr) {
    const tosajit_tensor_type type = test_type(TOSAJIT_F32, "?");
    tosajit_value x = 0, y;
    tosajit_status status = tosajit_expr_create(NULL, expr);
    if (!status) status = tosajit_expr_input(*expr, &type, &x);
    y = x;
    for (int k = 0; !status && k < ops / 2; k++) {
        status = tosajit_expr_op(*expr, TOSAJIT_OP_sub, (tosajit_value[]){x, y}, 2, NULL, NULL, &y);
        if (!status) status = tosajit_expr_op(*expr, TOSAJIT_OP_exp, &y, 1, NULL, NULL, &y);
    }
    return status ? status : tosajit_expr_result(*expr, y);
}

/* `ops` differences, of which the first half is kept until the second takes it, last value first.
 */
static tosajit_status build_kept(int ops, tosajit_expr **expr) {
    const tosajit_tensor_type type = test_type(TOSAJIT_I32, "?");
    tosajit_value *values = malloc((size_t)(ops + 1) * sizeof *values), x = 0;
    tosajit_status status = values ? tosajit_expr_create(NULL, expr) : TOSAJIT_OUT_OF_MEMORY;
    if (!status) status = tosajit_expr_input(*expr, &type, &values[0]);
    if (!status) status = tosajit_expr_input(*expr, &type, &x);
    for (int k = 1; !status && k <= ops; k++) {
        const tosajit_value other = k <= ops / 2 ? x : values[ops - k];
        status = tosajit_expr_op(*expr, TOSAJIT_OP_sub, (tosajit_value[]){values[k - 1], other}, 2,
                                 NULL, NULL, &values[k]);
    }
    if (!status) status = tosajit_expr_result(*expr, values[ops]);
    free(values);
    return status;
}

/* Too large for code of their own on some CPU, or on all. */
static const struct {
    const char *name;
    tosajit_status (*build)(int ops, tosajit_expr **expr);
    int ops;
    tosajit_backend precompiled; /* who answers where nothing is compiled */
} large[] = {
    {"of many kinds", build_mixed, 2500, TOSAJIT_BACKEND_PRECOMPILED},
    {"in a chain", build_chain, 1400, TOSAJIT_BACKEND_PRECOMPILED},
    {"in a longer chain", build_chain, 5000, TOSAJIT_BACKEND_PRECOMPILED},
    {"kept", build_kept, 1100, TOSAJIT_BACKEND_PRECOMPILED},
    {"kept, more than tiles have room for", build_kept, 14000, TOSAJIT_BACKEND_INTERPRET},
};
enum { LARGE = sizeof large / sizeof *large, COUNT = 133, STANDARD_THINNING = 4 };

/* Run the kernel, or as the interpreter would, on what its operands may be. */
static void run_large(const tosajit_kernel *kernel, bool interpreted, uint32_t *result) {
    static float numbers[2][COUNT];
    static int32_t integers[2][COUNT];
    const int64_t dims[1] = {COUNT};
    const tosajit_type type = tosajit_kernel_result_type(kernel, 0).element;
    tosajit_tensor operands[2];
    for (int i = 0; i < COUNT; i++) {
        numbers[0][i] = (float)(i % 17) * 0.37f - 3, numbers[1][i] = (float)(i % 29) * 0.21f - 2;
        integers[0][i] = i * 7919 - 400000, integers[1][i] = i * i * 31 - 9;
    }
    for (int k = 0; k < 2; k++)
        operands[k] =
            tosajit_dense(type, type == TOSAJIT_F32 ? (void *)numbers[k] : integers[k], 1, dims);
    const tosajit_tensor tensor = tosajit_dense(type, result, 1, dims);
    memset(result, 0xa5, COUNT * sizeof *result);
    CHECK((interpreted ? tosajit_run_interpreted : tosajit_run)(
        kernel, operands, tosajit_kernel_operand_count(kernel), &tensor, 1));
}

static const char *const who[] = {[TOSAJIT_BACKEND_NATIVE] = "native code",
                                  [TOSAJIT_BACKEND_INTERPRET] = "the interpreter",
                                  [TOSAJIT_BACKEND_PRECOMPILED] = "precompiled ops"};

static tosajit_backend backend_of(const tosajit_kernel *kernel) {
    tosajit_kernel_info info = {.size = sizeof info};
    CHECK(tosajit_kernel_describe(kernel, &info));
    return info.backend;
}

/* An image of the kernel is one of the same program, whether it has code or not. */
static void check_saved(const tosajit_kernel *kernel, const uint32_t *expected) {
    uint32_t result[COUNT];
    size_t size;
    tosajit_kernel *loaded;
    CHECK(tosajit_kernel_save(kernel, NULL, 0, &size));
    void *image = malloc(size);
    CHECK(tosajit_kernel_save(kernel, image, size, &size));
    for (int k = 0; k < 2; k++) {
        const tosajit_load_options options = {
            .size = sizeof options, .backend = k ? TOSAJIT_BACKEND_NATIVE : TOSAJIT_BACKEND_AUTO};
        CHECK(tosajit_kernel_load(image, size, &options, &loaded));
        assert_int_equal(backend_of(loaded), backend_of(kernel));
        run_large(loaded, false, result);
        assert_memory_equal(result, expected, sizeof result);
        tosajit_kernel_release(loaded);
    }
    free(image);
}

/* Compiled by the engine, and computed. */
static void check_large(tosajit_engine *engine, const char *name, size_t which,
                        const tosajit_expr *expr) {
    uint32_t results[2][COUNT];
    tosajit_kernel *kernel;
    size_t different = 0;
    const double begin = seconds();
    const tosajit_status status = tosajit_compile_expr(engine, expr, &kernel);
    if (status)
        fail_msg("%s: %d %s: %s", name, large[which].ops, large[which].name, tosajit_last_error());
    CHECK(tosajit_kernel_wait(kernel));
    print_message("  %s by %s, after %.2f s\n", name, who[backend_of(kernel)], seconds() - begin);
    if (!tosajit_kernel_is_native(kernel) && strcmp(name, "interpreter") != 0)
        assert_int_equal(backend_of(kernel), large[which].precompiled);
    for (int k = 0; k < 2; k++) run_large(kernel, k, results[k]);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    for (int i = 0; i < COUNT; i++) different += results[0][i] != results[0][0];
    assert_true(different > COUNT / 2);
    /* The others may lack code for other reasons. */
    if (strcmp(name, "interpreter") != 0 && strncmp(name, "precompiled", 11) != 0)
        check_saved(kernel, results[1]);
    tosajit_kernel_release(kernel);
}

/* One image for all CPUs of this machine's architecture: code for some, for the others none. */
static void check_image(size_t which, const tosajit_expr *expr) {
#if defined(__aarch64__)
    static const char *const cpus[] = {"aarch64"};
#else
    static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
#endif
    enum { CPUS = sizeof cpus / sizeof *cpus };
    tosajit_engine *engines[CPUS];
    tosajit_kernel *kernel;
    uint32_t results[2][COUNT];
    char *image;
    size_t size;
    for (size_t k = 0; k < CPUS; k++) {
        const tosajit_engine_options options = {
            .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = cpus[k]};
        CHECK(tosajit_engine_create(&options, &engines[k]));
    }
    CHECK(tosajit_compile_image(engines, CPUS, expr, &image, &size));
    CHECK(tosajit_kernel_load(image, size, NULL, &kernel));
    print_message("  an image by %s\n", who[backend_of(kernel)]);
    if (!tosajit_kernel_is_native(kernel))
        assert_int_equal(backend_of(kernel), large[which].precompiled);
    for (int k = 0; k < 2; k++) run_large(kernel, k, results[k]);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    tosajit_kernel_release(kernel);
    tosajit_text_release(image);
    for (size_t k = 0; k < CPUS; k++) tosajit_engine_destroy(engines[k]);
}

static tosajit_engine *engine_of(tosajit_backend backend);

/* The limits of length and of values that are kept depend on the CPU: on AVX-512 an
 * operation is fewer instructions, and a vector more bytes of the stack. What comes of it does not.
 */
static void large_expressions_compute_the_same_on_every_cpu(void **state) {
    test_engine engines[TEST_MAX_ENGINES];
    const size_t count = test_engines_open(engines, TOSAJIT_EXACT);
    tosajit_engine *background = engine_of(TOSAJIT_BACKEND_BACKGROUND);
    assert_true(count > 0);
    for (size_t k = 0; k < LARGE; k++) {
        tosajit_expr *expr;
        CHECK(large[k].build(large[k].ops, &expr));
        print_message("%d %s:\n", large[k].ops, large[k].name);
        for (size_t e = 0; e < count; e++)
            if (test_is_drawn(k + e, STANDARD_THINNING))
                check_large(engines[e].engine, engines[e].name, k, expr);
        if (test_is_drawn(k, STANDARD_THINNING)) check_large(background, "background", k, expr);
        if (test_is_drawn(k + 1, STANDARD_THINNING)) check_image(k, expr);
        tosajit_expr_destroy(expr);
    }
    tosajit_engine_destroy(background);
    test_engines_close(engines, count);
}

static tosajit_engine *engine_of(tosajit_backend backend) {
    tosajit_engine_options options = {.size = sizeof options, .backend = backend};
    tosajit_engine *engine;
    CHECK(tosajit_engine_create(&options, &engine));
    return engine;
}

/* TOSAJIT_OPS=<n> makes them smaller, for emulators. */
static void large_expressions_take_linear_time(void **state) {
    enum { OPS = 10000, OTHERS = 6 /* times as many, where nothing is compiled */ };
    static const struct {
        const char *name;
        tosajit_backend backend;
        int times;
    } kinds[] = {{"native", TOSAJIT_BACKEND_AUTO, 1},
                 {"interpreted", TOSAJIT_BACKEND_INTERPRET, OTHERS},
                 {"precompiled", TOSAJIT_BACKEND_PRECOMPILED, OTHERS}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        tosajit_engine *engine = engine_of(kinds[kind].backend);
        const int ops = (int)test_setting("TOSAJIT_OPS", OPS) * kinds[kind].times;
        for (shape s = CHAIN; s < SHAPES; s = (shape)(s + 1)) {
            double small, whole;
            compile_built(engine, s, ops / 4, &small);
            tosajit_status status = compile_built(engine, s, ops, &whole);
            CHECK(status);
            print_message("%s of %d adds, %s: %.0f ms, a quarter of it %.0f ms: %s\n",
                          shape_names[s], ops, kinds[kind].name, whole * 1e3, small * 1e3,
                          tosajit_status_name(status));
            if (whole > 4 * 4 * small + 0.5)
                fail_msg("four times the ops take %.1f times as long", whole / small);
        }
        tosajit_engine_destroy(engine);
    }
}

/* `nodes` ops in a chain, of which `results` are each the sum with another input: parts that all
 * emit the whole chain, in several loops. */
typedef struct bomb {
    tosajit_op op;
    tosajit_type element;
    bool constant; /* the chain is of constants alone, of which nothing is left in the code */
    int nodes, results;
} bomb;

static tosajit_expr *build_bomb(const bomb *b) {
    const float number = 1.25f;
    tosajit_tensor_type one = test_type(b->element, "1x1"), any = test_type(b->element, "?x?");
    tosajit_expr *expr;
    tosajit_value x, y, sum;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(b->constant ? tosajit_expr_constant(expr, &one, &number, &x)
                      : tosajit_expr_input(expr, &any, &x));
    y = x;
    for (int k = 0; k < b->nodes; k++)
        CHECK(tosajit_expr_op(expr, b->op, (tosajit_value[]){y, x}, (size_t)tosajit_op_arity(b->op),
                              NULL, NULL, &y));
    for (int k = 0; k < b->results; k++) {
        CHECK(tosajit_expr_input(expr, &any, &x));
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, y}, 2, NULL, NULL, &sum));
        CHECK(tosajit_expr_result(expr, sum));
    }
    return expr;
}

/* Each of them would be millions of instructions, or folded as often; they are counted while they
 * are emitted. A compilation near the bound takes some seconds. */
static void no_expression_takes_minutes(void **state) {
    static const bomb bombs[] = {
        {TOSAJIT_OP_pow, TOSAJIT_F32, false, 60000, 1},
        {TOSAJIT_OP_pow, TOSAJIT_F32, false, 1000, 31},
        {TOSAJIT_OP_pow, TOSAJIT_F32, true, 60000, 31},
        {TOSAJIT_OP_add, TOSAJIT_F32, false, 65000, 31},
        {TOSAJIT_OP_add, TOSAJIT_F32, true, 65000, 31},
        {TOSAJIT_OP_identity, TOSAJIT_F32, false, 65000, 31},
        {TOSAJIT_OP_add, TOSAJIT_BF16, false, 65000, 31},
        {TOSAJIT_OP_intdiv, TOSAJIT_I64, false, 65000, 31},
        {TOSAJIT_OP_erf, TOSAJIT_F32, false, 350, 1}, /* short enough, but for the stack */
    };
    const double most = 12; /* on a busy core and under sanitizers; 0.1 to 0.5, and 2.5 the last */
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO);
    for (size_t k = 0; k < sizeof bombs / sizeof *bombs; k++) {
        const bomb *b = &bombs[k];
        if (!test_is_drawn(k, STANDARD_THINNING)) continue;
        tosajit_expr *expr = build_bomb(b);
        tosajit_kernel *kernel = NULL;
        double begin = seconds();
        tosajit_status status = tosajit_compile_expr(engine, expr, &kernel);
        double took = seconds() - begin;
        print_message("%d %s%s in %d parts: %.2f s\n", b->nodes, tosajit_op_name(b->op),
                      b->constant ? " of constants" : "", b->results, took);
        CHECK(status);
        assert_true(took < most);
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
    }
    tosajit_engine_destroy(engine);
}

/* Each larger than what is compiled, so that what is measured is looked for and counted. */
static void looking_for_planes_takes_linear_time(void **state) {
    enum { FEW = 1000, TIMES = 16 };
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE);
    double took[2];
    for (int k = 0; k < 2; k++) {
        tosajit_expr *expr = build_residuals(k ? TIMES * FEW : FEW);
        tosajit_kernel *kernel;
        const double begin = seconds();
        const tosajit_status status = tosajit_compile_expr(engine, expr, &kernel);
        took[k] = seconds() - begin;
        CHECK(status);
        assert_int_equal(backend_of(kernel), TOSAJIT_BACKEND_PRECOMPILED);
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
    }
    print_message("%d residual connections: %.0f ms, %d times as many: %.0f ms\n", FEW,
                  took[0] * 1e3, TIMES, took[1] * 1e3);
    if (took[1] > TIMES / 2 * took[0]) /* 2, as searches are bounded; 17 without */
        fail_msg("%d times the sums take %.1f times as long", TIMES, took[1] / took[0]);
    tosajit_engine_destroy(engine);
}

static void more_nodes_than_the_limit_are_refused(void **state) {
    double took;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_INTERPRET);
    assert_int_equal(compile_built(engine, CHAIN, TOSAJIT_MAX_NODES, &took),
                     TOSAJIT_LIMIT_EXCEEDED);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(large_expressions_compute_the_same_on_every_cpu),
                    TEST(large_expressions_take_linear_time), TEST(no_expression_takes_minutes),
                    TEST(looking_for_planes_takes_linear_time),
                    TEST(more_nodes_than_the_limit_are_refused));
}
