/* The C API as a host program meets it: life and death of objects, errors, memory, in-place runs, raw entries, looking inside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fenv.h>
#include <malloc.h>
#include <pthread.h>

#include "tests/account.h"
#include "tests/support.h"
#include "tosajit/tosajit.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)
#define DYN TOSAJIT_DYNAMIC
static int64_t *dims(int64_t a, int64_t b) {
    static int64_t ring[16][2];
    static int at;
    int64_t *d = ring[at++ % 16];
    d[0] = a, d[1] = b;
    return d;
}
static tosajit_tensor_type f32(int64_t a, int64_t b) { return tosajit_ranked(TOSAJIT_F32, 2, dims(a, b)); }
static tosajit_tensor tensor(float *data, int64_t a, int64_t b) { return tosajit_dense(TOSAJIT_F32, data, 2, dims(a, b)); }

static tosajit_engine *engine_of(tosajit_backend backend, const tosajit_allocator *allocator) {
    tosajit_engine_options options = {.size = sizeof options, .backend = backend, .allocator = allocator, .uncached = 1};
    tosajit_engine *engine = NULL;
    CHECK(tosajit_engine_create(&options, &engine));
    return engine;
}

static tosajit_kernel *add_kernel(tosajit_engine *engine) {
    tosajit_tensor_type types[2] = {f32(DYN, DYN), f32(DYN, DYN)};
    tosajit_kernel *kernel = NULL;
    CHECK(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel));
    return kernel;
}

static void assert_error(tosajit_status status, tosajit_status expected, const char *words) {
    assert_int_equal(status, expected);
    if (!strstr(tosajit_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", tosajit_last_error(), words);
}

/* r = a + b for 4x3 and 1x3. */
static void assert_adds(const tosajit_kernel *kernel) {
    float a[12], b[3] = {100, 200, 300}, r[12] = {0};
    for (int k = 0; k < 12; k++) a[k] = (float)k;
    tosajit_tensor operands[2] = {tensor(a, 4, 3), tensor(b, 1, 3)}, result = tensor(r, 4, 3);
    CHECK(tosajit_run(kernel, operands, 2, &result, 1));
    for (int k = 0; k < 12; k++) assert_true(r[k] == a[k] + b[k % 3]);
}

static void kernels_outlive_their_engine(void **state) {
    (void)state;
    for (int backend = TOSAJIT_BACKEND_AUTO; backend <= TOSAJIT_BACKEND_BACKGROUND; backend++) {
        tosajit_engine *engine = engine_of((tosajit_backend)backend, NULL);
        tosajit_kernel *kernel = add_kernel(engine);
        tosajit_kernel_retain(kernel);
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
        assert_adds(kernel);
        tosajit_kernel_release(kernel);
    }
    tosajit_engine_destroy(NULL);
    tosajit_kernel_release(NULL);
    tosajit_expr_destroy(NULL);
}

static void background_becomes_native(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_BACKGROUND, NULL);
    tosajit_kernel *kernels[8];
    for (int k = 0; k < 8; k++) kernels[k] = add_kernel(engine);
    for (int k = 0; k < 8; k++) assert_adds(kernels[k]);
    tosajit_kernel_release(kernels[7]); /* nobody waits for it */
    for (int k = 0; k < 7; k++) {
        CHECK(tosajit_kernel_wait(kernels[k]));
        assert_true(tosajit_kernel_is_native(kernels[k]));
        assert_adds(kernels[k]);
        tosajit_kernel_release(kernels[k]);
    }
    tosajit_engine_destroy(engine);
}

static void interpreting_starts_no_compiler(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_INTERPRET, NULL);
    tosajit_kernel *kernel = add_kernel(engine);
    assert_false(tosajit_kernel_is_native(kernel));
    assert_adds(kernel);
    CHECK(tosajit_kernel_wait(kernel));
    tosajit_raw raw = {.size = sizeof raw};
    assert_error(tosajit_kernel_raw(kernel, 0, &raw), TOSAJIT_NOT_EXECUTABLE, "interpreted");
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void bad_arguments_are_named(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO, NULL), *none = NULL;
    tosajit_engine_options options = {.size = 0};
    assert_error(tosajit_engine_create(&options, &none), TOSAJIT_INVALID_ARGUMENT, "sizeof(tosajit_engine_options)");
    tosajit_expr_options expr_options = {.strict = 1};
    tosajit_expr *expr = NULL;
    assert_error(tosajit_expr_create(&expr_options, &expr), TOSAJIT_INVALID_ARGUMENT, "sizeof(tosajit_expr_options)");
    account nothing = {0};
    const tosajit_allocator half = {.allocate = account_allocator(&nothing).allocate};
    options = (tosajit_engine_options){.size = sizeof options, .allocator = &half};
    assert_error(tosajit_engine_create(&options, &none), TOSAJIT_INVALID_ARGUMENT, "release hook");
    options = (tosajit_engine_options){.size = sizeof options, .cpu = "pentium"};
    assert_error(tosajit_engine_create(&options, &none), TOSAJIT_INVALID_ARGUMENT, "\"pentium\"");
    options = (tosajit_engine_options){.size = sizeof options, .backend = (tosajit_backend)77};
    assert_error(tosajit_engine_create(&options, &none), TOSAJIT_INVALID_ARGUMENT, "77");
    assert_null(none);

    tosajit_kernel *kernel = NULL;
    tosajit_tensor_type types[4] = {f32(2, 3), f32(2, 4), f32(1, 1), f32(1, 1)};
    assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel), TOSAJIT_SHAPE_MISMATCH, "dimension 1");
    assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 4, NULL, NULL, &kernel), TOSAJIT_INVALID_ARGUMENT, "2");
    assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 1, NULL, NULL, &kernel), TOSAJIT_INVALID_ARGUMENT, "2");
    assert_error(tosajit_compile(engine, (tosajit_op)999, types, 2, NULL, NULL, &kernel), TOSAJIT_INVALID_ARGUMENT, "999");
    assert_error(tosajit_compile(engine, TOSAJIT_OP_bitwise_and, types, 1, NULL, NULL, &kernel), TOSAJIT_INVALID_ARGUMENT, "bitwise_and");
    types[1] = types[0];
    assert_error(tosajit_compile(engine, TOSAJIT_OP_bitwise_and, types, 2, NULL, NULL, &kernel), TOSAJIT_TYPE_MISMATCH, "f32");
    types[1].rank = TOSAJIT_UNRANKED;
    assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel), TOSAJIT_UNRANKED_SHAPE, "rank");
    types[1].rank = 17;
    assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel), TOSAJIT_LIMIT_EXCEEDED, "17");
    types[1] = f32(INT64_C(1) << 40, INT64_C(1) << 40);
    assert_error(tosajit_compile(engine, TOSAJIT_OP_abs, &types[1], 1, NULL, NULL, &kernel), TOSAJIT_OVERFLOW, "2^63 - 1 bytes");
    types[2] = f32(INT64_C(1) << 40, 1), types[3] = f32(1, INT64_C(1) << 40);
    assert_error(tosajit_compile(engine, TOSAJIT_OP_add, &types[2], 2, NULL, NULL, &kernel), TOSAJIT_OVERFLOW, "2^63 - 1 bytes");
    types[1] = f32(DYN, DYN);
    assert_error(tosajit_compile(engine, TOSAJIT_OP_add, &types[2], 2, NULL, &types[1], &kernel), TOSAJIT_OVERFLOW, "2^63 - 1 bytes");
    types[1] = f32(2, 0);
    assert_error(tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel), TOSAJIT_SHAPE_MISMATCH, "0");
    tosajit_attributes attributes = {.shift = 3};
    types[1] = types[0];
    assert_error(tosajit_compile(engine, TOSAJIT_OP_mul, types, 2, &attributes, NULL, &kernel), TOSAJIT_BAD_ATTRIBUTE, "shift");
    assert_error(tosajit_compile(NULL, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel), TOSAJIT_INVALID_ARGUMENT, "null");
    assert_null(kernel);
    tosajit_engine_destroy(engine);
}

static void bad_calls_write_nothing(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = add_kernel(engine);
    float a[12] = {1}, r[12];
    memset(r, 0x55, sizeof r);
    tosajit_tensor x = tensor(a, 4, 3), y = tensor(a, 3, 3), out = tensor(r, 4, 3), small = tensor(r, 4, 2);
    tosajit_tensor i32 = tosajit_dense(TOSAJIT_I32, a, 2, dims(4, 3)), flat = tosajit_dense(TOSAJIT_F32, a, 1, dims(12, 0));
    tosajit_tensor null = tensor(NULL, 4, 3), negative = tensor(a, -4, 3);
    tosajit_tensor huge = tensor(a, INT64_C(1) << 40, INT64_C(1) << 40), one = tensor(a, 1, 1);
    struct {
        tosajit_tensor a, b, r;
        tosajit_status status;
        const char *words;
    } rows[] = {
        {x, y, out, TOSAJIT_SHAPE_MISMATCH, "operand 1 dimension 0: size 3 does not broadcast with 4"},
        {x, x, small, TOSAJIT_SHAPE_MISMATCH, "result 0 dimension 1"},
        {x, i32, out, TOSAJIT_TYPE_MISMATCH, "operand 1"},
        {flat, x, out, TOSAJIT_SHAPE_MISMATCH, "rank 1"},
        {null, x, out, TOSAJIT_INVALID_ARGUMENT, "operand 0: data is a null pointer"},
        {x, x, null, TOSAJIT_INVALID_ARGUMENT, "result 0: data is a null pointer"},
        {x, negative, out, TOSAJIT_SHAPE_MISMATCH, "-4"},
        {huge, one, out, TOSAJIT_OVERFLOW, "operand 0"},
        {one, x, tensor(a, 4, 3), TOSAJIT_OVERLAP, "operand 0 share memory"}, /* a broadcast operand at the result's base */
        {x, tensor(a + 1, 1, 1), tensor(a, 4, 3), TOSAJIT_OVERLAP, "operand 1 share memory"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        tosajit_tensor operands[2] = {rows[k].a, rows[k].b};
        assert_error(tosajit_run(kernel, operands, 2, &rows[k].r, 1), rows[k].status, rows[k].words);
    }
    tosajit_tensor operands[2] = {x, x};
    assert_error(tosajit_run(kernel, operands, 1, &out, 1), TOSAJIT_INVALID_ARGUMENT, "2 operands");
    assert_error(tosajit_run(kernel, operands, 2, &out, 0), TOSAJIT_INVALID_ARGUMENT, "1 results");
    for (size_t k = 0; k < sizeof r; k++) assert_int_equal(((unsigned char *)r)[k], 0x55);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void exactly_in_place_is_fine(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = add_kernel(engine);
    float a[100], b[100];
    for (int k = 0; k < 100; k++) a[k] = (float)k, b[k] = 1000;
    tosajit_tensor operands[2] = {tensor(a, 10, 10), tensor(b, 10, 10)};
    CHECK(tosajit_run(kernel, operands, 2, &operands[0], 1));
    CHECK(tosajit_run(kernel, operands, 2, &operands[1], 1)); /* b = (a + b) + b, of the a just written */
    for (int k = 0; k < 100; k++) assert_true(a[k] == (float)k + 1000 && b[k] == (float)k + 2000);
    /* The even and the odd columns of one matrix share no byte. */
    int64_t strides[2] = {40, 8};
    tosajit_tensor even = tensor(a, 10, 5), odd = tensor(a + 1, 10, 5);
    even.strides = odd.strides = strides;
    CHECK(tosajit_run(kernel, (tosajit_tensor[]){even, even}, 2, &odd, 1));
    for (int k = 0; k < 100; k += 2) assert_true(a[k + 1] == 2 * a[k]);
    /* Nor do its left and right halves. */
    const int64_t halves[2] = {40, 4}, moved[2] = {40, -4};
    tosajit_tensor left = tensor(a, 10, 5), right = tensor(a + 5, 10, 5), touching = tensor(a + 4, 10, 5), mirrored = tensor(a + 9, 10, 5);
    left.strides = right.strides = touching.strides = halves;
    mirrored.strides = moved;
    CHECK(tosajit_run(kernel, (tosajit_tensor[]){left, left}, 2, &right, 1));
    for (int k = 0; k < 50; k++) assert_true(a[k / 5 * 10 + 5 + k % 5] == 2 * a[k / 5 * 10 + k % 5]);
    assert_error(tosajit_run(kernel, (tosajit_tensor[]){left, left}, 2, &touching, 1), TOSAJIT_OVERLAP, "share memory");
    CHECK(tosajit_run(kernel, (tosajit_tensor[]){left, left}, 2, &mirrored, 1));
    for (int k = 0; k < 50; k++) assert_true(a[k / 5 * 10 + 9 - k % 5] == 2 * a[k / 5 * 10 + k % 5]);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void empty_tensors_need_no_memory(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = add_kernel(engine);
    float b[3] = {0};
    tosajit_tensor operands[2] = {tensor(NULL, 0, 3), tensor(b, 1, 3)}, result = tensor(NULL, 0, 3), wrong = tensor(b, 1, 3);
    CHECK(tosajit_run(kernel, operands, 2, &result, 1));
    assert_error(tosajit_run(kernel, operands, 2, &wrong, 1), TOSAJIT_SHAPE_MISMATCH, "the given size is 1, but the operands give 0");
    operands[1] = tensor(b, 2, 3);
    assert_error(tosajit_run(kernel, operands, 2, &result, 1), TOSAJIT_SHAPE_MISMATCH, "2");
    int32_t rank = -1;
    int64_t sizes[TOSAJIT_MAX_RANK];
    operands[1] = tensor(NULL, 1, 1);
    CHECK(tosajit_kernel_result_dims(kernel, operands, 2, 0, &rank, sizes));
    assert_int_equal(rank, 2);
    assert_true(sizes[0] == 0 && sizes[1] == 3);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Two results of one iteration space, a third of another. */
static void several_results_of_several_spaces(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_expr *expr;
    tosajit_value x, row, sum, product, negated;
    tosajit_tensor_type type = f32(DYN, 3), row_type = f32(1, 3);
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_input(expr, &row_type, &row));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_negate, &row, 1, NULL, NULL, &negated));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, negated}, 2, NULL, NULL, &sum));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){sum, sum}, 2, NULL, NULL, &product));
    CHECK(tosajit_expr_result(expr, product));
    CHECK(tosajit_expr_result(expr, negated));
    CHECK(tosajit_expr_result(expr, sum));
    tosajit_kernel *kernel;
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    assert_int_equal(tosajit_kernel_part_count(kernel), 2);
    float a[6] = {1, 2, 3, 4, 5, 6}, b[3] = {1, 2, 4}, p[6], n[3], s[6];
    tosajit_tensor operands[2] = {tensor(a, 2, 3), tensor(b, 1, 3)};
    tosajit_tensor results[3] = {tensor(p, 2, 3), tensor(n, 1, 3), tensor(s, 2, 3)};
    CHECK(tosajit_run(kernel, operands, 2, results, 3));
    for (int k = 0; k < 6; k++) assert_true(s[k] == a[k] - b[k % 3] && p[k] == s[k] * s[k] && n[k % 3] == -b[k % 3]);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void raw_entries_compute(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, NULL);
    tosajit_kernel *kernel = add_kernel(engine);
    tosajit_raw raw = {.size = sizeof raw};
    CHECK(tosajit_kernel_raw(kernel, 0, &raw));
    assert_int_equal(raw.operand_count, 2);
    assert_int_equal(raw.result_count, 1);
    float a[2][50], b[2] = {10, 20}, r[2][50];
    for (int k = 0; k < 100; k++) a[k / 50][k % 50] = (float)k;
    void *pointers[3] = {a, b, r};
    int64_t strides[6] = {200, 4, 4, 0, 200, 4}; /* b is a splat per row */
    bool known = false;
    for (int32_t v = 0; v < raw.variant_count; v++) known |= ((raw.variants[v].splat | raw.variants[v].either) & 3) == 2;
    assert_true(known);
    raw.entry(pointers, strides, 1, 2, 50);
    for (int k = 0; k < 100; k++) assert_true(r[k / 50][k % 50] == (float)k + b[k / 50]);
    tosajit_kernel_info info = {.size = sizeof info};
    CHECK(tosajit_kernel_describe(kernel, &info));
    assert_true(info.code_bytes > 0 && info.codegen_ms > 0);
    assert_error(tosajit_kernel_raw(kernel, 1, &raw), TOSAJIT_INVALID_ARGUMENT, "part");
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Two planes of three rows of four columns; the operand's rows are one row, which every plane has anew. */
static void raw_entries_walk_planes(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, NULL);
    tosajit_kernel *kernel, *flat = add_kernel(engine);
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 3, (int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
    CHECK(tosajit_compile(engine, TOSAJIT_OP_add, (tosajit_tensor_type[]){type, type}, 2, NULL, NULL, &kernel));
    tosajit_raw raw = {.size = sizeof raw};
    CHECK(tosajit_kernel_raw(flat, 0, &raw));
    assert_false(raw.has_planes);
    CHECK(tosajit_kernel_raw(kernel, 0, &raw));
    assert_true(raw.has_planes);
    float a[2][4], b[2][3][4], r[2][3][4];
    for (int k = 0; k < 24; k++) b[k / 12][k / 4 % 3][k % 4] = (float)(100 * k), a[k / 12][k % 4] = (float)(k / 12 * 4 + k % 4);
    void *pointers[3] = {a, b, r};
    const int64_t strides[9] = {0, 4, 16, 4, 16, 4, /* from plane to plane, behind the last row: */ 16, 0, 0};
    raw.entry(pointers, strides, 2, 3, 4);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 12; k++) assert_true(r[p][k / 4][k % 4] == a[p][k % 4] + b[p][k / 4][k % 4]);
    tosajit_kernel_release(kernel);
    tosajit_kernel_release(flat);
    tosajit_engine_destroy(engine);
}

static void views_show_what_is_compiled(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, NULL);
    tosajit_expr *expr;
    tosajit_value x, y, sum;
    tosajit_tensor_type type = f32(DYN, DYN), row = f32(1, DYN);
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_input(expr, &row, &y));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, y}, 2, NULL, NULL, &sum));
    char *text = NULL;
    assert_error(tosajit_print(engine, expr, TOSAJIT_VIEW_PLAN, &text), TOSAJIT_INVALID_ARGUMENT, "no result");
    CHECK(tosajit_expr_result(expr, sum));
    const char *words[][3] = {{"affine_map<(d0, d1)[s1] -> (0, d1 * s1)>", "scf.if tensor.dim %arg1, 1 == 1", "loop 0"},
                              {"define void @tosajit_add_f32", "fadd <", "target triple"},
                              {"vaddps", "ret", "tosajit_add_f32"}};
    for (int view = TOSAJIT_VIEW_PLAN; view <= TOSAJIT_VIEW_ASM; view++) {
        CHECK(tosajit_print(engine, expr, (tosajit_view)view, &text));
#if !defined(__x86_64__)
        if (view == TOSAJIT_VIEW_ASM) words[view][0] = "fadd";
#endif
        for (int k = 0; k < 3; k++)
            if (!strstr(text, words[view][k])) fail_msg("view %d has no \"%s\":\n%s", view, words[view][k], text);
        tosajit_text_release(text);
    }
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
}

/* The caller's thread flushes subnormals, rounds upward and traps on overflow; results must not know. */
static void the_callers_environment_is_put_aside(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_AUTO, NULL);
    tosajit_kernel *kernel = add_kernel(engine);
    float tiny = 1e-40f, huge = 3e38f, a[4] = {tiny, 1.0f, huge, tiny}, b[4] = {tiny, 1e-10f, huge, 0}, r[4];
    tosajit_tensor operands[2] = {tensor(a, 1, 4), tensor(b, 1, 4)}, result = tensor(r, 1, 4);
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
    tosajit_engine_options options = {.size = sizeof options, .backend = backend, .allocator = allocator};
    tosajit_expr_options expr_options = {.size = sizeof expr_options, .allocator = allocator};
    tosajit_engine *engine = NULL;
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_value x = 0, c = 0, value = 0;
    tosajit_tensor_type type = f32(DYN, 3), row = f32(1, 3);
    const float data[3] = {1, 2, 3};
    float a[6] = {0}, r[6];
    tosajit_tensor operand = tensor(a, 2, 3), result = tensor(r, 2, 3);
    tosajit_status status = tosajit_engine_create(&options, &engine);
    if (!status) status = tosajit_expr_create(&expr_options, &expr);
    if (!status) status = tosajit_expr_input(expr, &type, &x);
    if (!status) status = tosajit_expr_constant(expr, &row, data, &c);
    value = x;
    for (int k = 0; !status && k < 600; k++)
        status = tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){value, c}, 2, NULL, NULL, &value);
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
    (void)state;
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
        if (status) assert_error(status, TOSAJIT_OUT_OF_MEMORY, "memory");
        survived += status == TOSAJIT_OK;
        assert_int_equal(a.live, 0);
    }
    assert_true(survived < total / 2);
}

/* A caller that was compiled with a header whose structs were shorter. */
static void older_option_structs_are_taken(void **state) {
    (void)state;
    struct {
        size_t size;
        const tosajit_allocator *allocator;
    } options = {sizeof options, NULL};
    tosajit_engine *engine;
    CHECK(tosajit_engine_create((const tosajit_engine_options *)(const void *)&options, &engine));
    tosajit_kernel *kernel = add_kernel(engine);
    struct {
        size_t size, code_bytes, beyond;
    } info = {.size = 2 * sizeof(size_t), .beyond = 77};
    CHECK(tosajit_kernel_describe(kernel, (tosajit_kernel_info *)(void *)&info));
    assert_true(info.code_bytes > 0 && info.beyond == 77);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* The largest frames: strided operands of a kernel, and the interpreter. */
static void *run_on_small_stack(void *argument) {
    tosajit_kernel **kernels = argument;
    static float x[1000], r[1000];
    const int64_t strides[2] = {4, 40};
    tosajit_tensor operands[2] = {tensor(x, 10, 100), tensor(x, 1, 1)}, result = tensor(r, 10, 100);
    operands[0].strides = strides;
    for (int k = 0; k < 2; k++)
        if (tosajit_run(kernels[k], operands, 2, &result, 1)) return argument;
    return NULL;
}

static void runs_need_128_kib_of_stack(void **state) {
    (void)state;
    tosajit_engine *native = engine_of(TOSAJIT_BACKEND_NATIVE, NULL), *interpreter = engine_of(TOSAJIT_BACKEND_INTERPRET, NULL);
    tosajit_kernel *kernels[2] = {add_kernel(native), add_kernel(interpreter)};
    pthread_attr_t attributes;
    pthread_t thread;
    void *failed;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_on_small_stack, kernels), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    pthread_attr_destroy(&attributes);
    for (int k = 0; k < 2; k++) tosajit_kernel_release(kernels[k]);
    tosajit_engine_destroy(native);
    tosajit_engine_destroy(interpreter);
}

/* `live` values of which all are used again at the end, or a chain of long ops. */
static tosajit_status compile_large(tosajit_engine *engine, tosajit_op op, int count, bool live) {
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){DYN});
    static tosajit_value values[8192];
    tosajit_expr *expr;
    tosajit_kernel *kernel = NULL;
    tosajit_value value;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &value));
    for (int k = 0; k < count; k++) {
        if (live) CHECK(tosajit_expr_op(expr, op, (tosajit_value[]){value, value}, 2, NULL, NULL, &value));
        if (!live) CHECK(tosajit_expr_op(expr, op, &value, 1, NULL, NULL, &value));
        values[k] = value;
    }
    for (int k = count - 1; live && k >= 0; k--)
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){values[k], value}, 2, NULL, NULL, &value));
    CHECK(tosajit_expr_result(expr, value));
    tosajit_status status = tosajit_compile_expr(engine, expr, &kernel);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    return status;
}

static void expressions_too_large_for_a_kernel_are_refused(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, NULL);
    assert_error(compile_large(engine, TOSAJIT_OP_mul, 3000, true), TOSAJIT_LIMIT_EXCEEDED, "too many values at once");
    assert_error(compile_large(engine, TOSAJIT_OP_sin, 5000, false), TOSAJIT_LIMIT_EXCEEDED, "instructions");
    CHECK(compile_large(engine, TOSAJIT_OP_negate, 5000, false));
    tosajit_engine_destroy(engine);
}

/* Kernels that still wait when the engine goes stay interpreted, and say so. */
static void a_destroyed_engine_compiles_no_more(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_BACKGROUND, NULL);
    tosajit_kernel *kernels[64];
    for (int k = 0; k < 64; k++) kernels[k] = add_kernel(engine);
    tosajit_engine_destroy(engine);
    int interpreted = 0;
    for (int k = 0; k < 64; k++) {
        tosajit_status status = tosajit_kernel_wait(kernels[k]);
        assert_true(status == TOSAJIT_OK || status == TOSAJIT_NOT_EXECUTABLE);
        assert_int_equal(status == TOSAJIT_OK, tosajit_kernel_is_native(kernels[k]) != 0);
        interpreted += status != TOSAJIT_OK;
        assert_adds(kernels[k]);
        tosajit_kernel_release(kernels[k]);
    }
    assert_true(interpreted > 0);
}

static tosajit_kernel *compile_constant(tosajit_engine *engine, float constant, int strict) {
    tosajit_expr_options options = {.size = sizeof options, .strict = strict};
    tosajit_tensor_type type = f32(DYN, 3), row = f32(1, 3);
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

/* a + b of ?x? with a promise about the columns of both. */
static tosajit_kernel *compile_contract(tosajit_engine *engine, const tosajit_contract *contract, char **plan) {
    tosajit_tensor_type type = f32(DYN, DYN);
    tosajit_expr *expr;
    tosajit_value values[2], sum;
    tosajit_kernel *kernel = NULL;
    CHECK(tosajit_expr_create(NULL, &expr));
    for (int k = 0; k < 2; k++) {
        CHECK(tosajit_expr_input(expr, &type, &values[k]));
        if (contract) CHECK(tosajit_expr_contract(expr, values[k], 1, contract));
    }
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, values, 2, NULL, NULL, &sum));
    CHECK(tosajit_expr_result(expr, sum));
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    CHECK(tosajit_print(engine, expr, TOSAJIT_VIEW_PLAN, plan));
    tosajit_expr_destroy(expr);
    return kernel;
}

static void contracts_are_checked_and_used(void **state) {
    (void)state;
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, NULL);
    const tosajit_contract contract = {.smallest = 16, .largest = 320, .multiple = 16};
    char *free_plan, *plan;
    tosajit_kernel *unbound = compile_contract(engine, NULL, &free_plan), *bound = compile_contract(engine, &contract, &plan);
    assert_non_null(strstr(free_plan, "loop 2"));
    assert_null(strstr(plan, "loop 1"));
    assert_null(strstr(plan, "tensor.dim %arg0, 1"));
    assert_non_null(strstr(plan, "columns: a multiple of 16"));
    tosajit_kernel_info info[2] = {{.size = sizeof *info}, {.size = sizeof *info}};
    CHECK(tosajit_kernel_describe(unbound, &info[0]));
    CHECK(tosajit_kernel_describe(bound, &info[1]));
    assert_true(info[1].code_bytes < info[0].code_bytes / 2);
    tosajit_raw raw = {.size = sizeof raw};
    CHECK(tosajit_kernel_raw(bound, 0, &raw));
    assert_int_equal(raw.cols_multiple, 16);

    static float a[5 * 320], b[5 * 320], r[5 * 320], expected[5 * 320];
    for (int k = 0; k < 5 * 320; k++) a[k] = (float)k, b[k] = 1.0f / (float)(k + 1);
    for (int64_t cols = 16; cols <= 320; cols += 16)
        for (int64_t rows = 1; rows <= 5; rows += 4)
            for (int strided = 0; strided < 2; strided++) {
                const int64_t strides[2] = {4, 4 * rows};
                tosajit_tensor operands[2] = {tensor(a, rows, cols), tensor(b, 1, cols)}, result = tensor(expected, rows, cols);
                if (strided) operands[0].strides = strides;
                CHECK(tosajit_run(unbound, operands, 2, &result, 1));
                result.data = r;
                CHECK(tosajit_run(bound, operands, 2, &result, 1));
                assert_memory_equal(r, expected, (size_t)(rows * cols) * sizeof *r);
            }
    const int64_t wrong[] = {0, 1, 15, 17, 336};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        tosajit_tensor x = tensor(a, 1, wrong[k]), result = tensor(r, 1, wrong[k]);
        assert_error(tosajit_run(bound, (tosajit_tensor[]){x, x}, 2, &result, 1), TOSAJIT_SHAPE_MISMATCH, "against the contract");
    }
    const tosajit_contract impossible = {.smallest = 17, .largest = 31, .multiple = 16};
    tosajit_expr *expr;
    tosajit_value x;
    tosajit_tensor_type type = f32(4, DYN);
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    assert_error(tosajit_expr_contract(expr, x, 1, &impossible), TOSAJIT_INVALID_ARGUMENT, "no multiple of 16 is in 17..31");
    assert_error(tosajit_expr_contract(expr, x, 0, &contract), TOSAJIT_INVALID_ARGUMENT, "no dynamic dimension 0");
    assert_error(tosajit_expr_contract(expr, 7, 0, &contract), TOSAJIT_INVALID_ARGUMENT, "7 is not an input");
    tosajit_expr_destroy(expr);
    tosajit_text_release(free_plan);
    tosajit_text_release(plan);
    tosajit_kernel_release(unbound);
    tosajit_kernel_release(bound);
    tosajit_engine_destroy(engine);
}

static void the_same_expression_is_the_same_kernel(void **state) {
    (void)state;
    for (int backend = TOSAJIT_BACKEND_AUTO; backend <= TOSAJIT_BACKEND_BACKGROUND; backend++) {
        tosajit_engine_options options = {.size = sizeof options, .backend = (tosajit_backend)backend};
        tosajit_engine *engine;
        CHECK(tosajit_engine_create(&options, &engine));
        tosajit_kernel *kernels[] = {compile_constant(engine, 3, 0),
                                     compile_constant(engine, 3, 0),
                                     compile_constant(engine, 4, 0),
                                     compile_constant(engine, 3, 1),
                                     add_kernel(engine),
                                     add_kernel(engine)};
        assert_ptr_equal(kernels[0], kernels[1]);
        assert_ptr_not_equal(kernels[0], kernels[2]);
        assert_ptr_not_equal(kernels[0], kernels[3]);
        assert_ptr_equal(kernels[4], kernels[5]);
        tosajit_kernel_release(kernels[4]);
        assert_adds(kernels[5]);
        enum { MANY = 300 }; /* the table grows */
        tosajit_kernel *many[MANY];
        for (int k = 0; backend == TOSAJIT_BACKEND_INTERPRET && k < MANY; k++) many[k] = compile_constant(engine, (float)k + 10, 0);
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
    (void)state;
    account a = {0};
    tosajit_allocator allocator = account_allocator(&a);
    tosajit_engine *engine = engine_of(TOSAJIT_BACKEND_NATIVE, &allocator);
    tosajit_kernel *kernel = add_kernel(engine);
    assert_adds(kernel);
    size_t count = a.count, heap = mallinfo2().uordblks;
    float x[1000] = {0}, r[1000];
    int64_t strides[2] = {4, 40};
    tosajit_tensor operands[2] = {tensor(x, 10, 100), tensor(x, 1, 1)}, result = tensor(r, 10, 100);
    operands[0].strides = strides; /* transposed: goes through the packing path */
    for (int k = 0; k < 100; k++) CHECK(tosajit_run(kernel, operands, 2, &result, 1));
    assert_int_equal(a.count, count);
    assert_int_equal(mallinfo2().uordblks, heap);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    assert_int_equal(a.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_outlive_their_engine),
        cmocka_unit_test(background_becomes_native),
        cmocka_unit_test(interpreting_starts_no_compiler),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(bad_calls_write_nothing),
        cmocka_unit_test(exactly_in_place_is_fine),
        cmocka_unit_test(empty_tensors_need_no_memory),
        cmocka_unit_test(several_results_of_several_spaces),
        cmocka_unit_test(raw_entries_compute),
        cmocka_unit_test(raw_entries_walk_planes),
        cmocka_unit_test(views_show_what_is_compiled),
        cmocka_unit_test(the_callers_environment_is_put_aside),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(runs_allocate_nothing),
        cmocka_unit_test(contracts_are_checked_and_used),
        cmocka_unit_test(expressions_too_large_for_a_kernel_are_refused),
        cmocka_unit_test(the_same_expression_is_the_same_kernel),
        cmocka_unit_test(older_option_structs_are_taken),
        cmocka_unit_test(runs_need_128_kib_of_stack),
        cmocka_unit_test(a_destroyed_engine_compiles_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
