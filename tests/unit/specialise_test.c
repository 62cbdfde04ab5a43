/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Specialise: what an engine makes of a kernel for sizes that are known, asked for as runs ask.
 * Its bits are the dynamic kernel's; failing, waiting, threads, and the lives of both.
 * TOSAJIT_CASES=<n> makes so many random programs. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/run/kernel.h"
#include "tests/support/account.h"
#include "tests/support/random_program.h"
#include "tests/support/scratch.h"
#include "tests/support/support.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)

enum { MOST = 8, ROWS = 19, COLUMNS = 37 };

typedef _Atomic(tosajit_kernel *) kernel_place;

static tosajit_engine *engine_with(tosajit_engine_options options) {
    options.size = sizeof options;
    options.specialise = 1;
    tosajit_engine *engine;
    CHECK(tosajit_engine_create(&options, &engine));
    return engine;
}

static tosajit_engine *usual_engine(void) {
    return engine_with((tosajit_engine_options){.backend = TOSAJIT_BACKEND_NATIVE});
}

static tosajit_kernel *compile(tosajit_engine *engine, const char *text,
                               const tosajit_parse_options *options) {
    tosajit_expr *expr;
    tosajit_kernel *kernel;
    if (tosajit_expr_parse(text, strlen(text), options, &expr))
        fail_msg("%s", tosajit_last_error());
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    return kernel;
}

static tosajit_kernel *compile_add(tosajit_engine *engine) {
    return compile(engine, "x + y : f32[?,?], f32[?,?]", NULL);
}

static tosajit_tensor_type matrix(int64_t rows, int64_t columns) {
    return tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){rows, columns});
}

static bool begin(tosajit_kernel *kernel, const tosajit_tensor_type *operands,
                  kernel_place *place) {
    return kernel->owner->specialise(kernel, operands, place);
}

static bool begin_add(tosajit_kernel *kernel, int64_t rows, kernel_place *place) {
    const tosajit_tensor_type types[2] = {matrix(rows, COLUMNS), matrix(1, COLUMNS)};
    return begin(kernel, types, place);
}

static void empty(kernel_place *place) { tosajit_kernel_release(atomic_exchange(place, NULL)); }

static tosajit_stats stats_of(tosajit_engine *engine) {
    tosajit_stats stats = {.size = sizeof stats};
    CHECK(tosajit_engine_stats(engine, &stats));
    return stats;
}

/* ---------------------------------------------------------------------------------------------
 * Bits */

/* Tensors of a call, and their memory. */
typedef struct call {
    size_t operand_count, result_count;
    tosajit_tensor operands[MOST], results[MOST];
    int64_t dims[2 * MOST][TOSAJIT_MAX_RANK];
} call;

static size_t elements_of(const tosajit_tensor *t) {
    size_t elements = 1;
    for (int32_t d = 0; d < t->rank; d++) elements *= (size_t)t->dims[d];
    return elements;
}

static void give_memory(tosajit_tensor *t, test_random *random) {
    const size_t bytes = tosajit_type_size(t->element), count = elements_of(t);
    char *data = calloc(count, bytes);
    for (size_t k = 0; random && k < count; k++)
        test_random_element(random, t->element, data + k * bytes);
    t->data = data;
}

/* Sizes of operands as text, "19x37 1x37". */
static void make_call(const tosajit_kernel *kernel, const char *sizes, call *c) {
    test_random random = test_random_start(7);
    char shapes[128], *rest = shapes;
    snprintf(shapes, sizeof shapes, "%s", sizes);
    c->operand_count = tosajit_kernel_operand_count(kernel);
    c->result_count = tosajit_kernel_result_count(kernel);
    for (size_t k = 0; k < c->operand_count; k++) {
        const char *shape = strtok_r(NULL, " ", &rest);
        const int32_t rank = test_dims(shape ? shape : "", c->dims[k]);
        c->operands[k] =
            tosajit_dense(tosajit_kernel_operand_type(kernel, k).element, NULL, rank, c->dims[k]);
        give_memory(&c->operands[k], &random);
    }
    CHECK(tosajit_kernel_results(kernel, c->operands, c->operand_count, c->results, c->result_count,
                                 c->dims + MOST));
    for (size_t r = 0; r < c->result_count; r++) give_memory(&c->results[r], NULL);
}

static void free_call(call *c) {
    for (size_t k = 0; k < c->operand_count; k++) free(c->operands[k].data);
    for (size_t r = 0; r < c->result_count; r++) free(c->results[r].data);
}

static void types_of(const call *c, tosajit_tensor_type *types) {
    for (size_t k = 0; k < c->operand_count; k++)
        types[k] = tosajit_ranked(c->operands[k].element, c->operands[k].rank, c->operands[k].dims);
}

/* Its results are what both kernels give. */
static void assert_same_bits(const tosajit_kernel *dynamic, const tosajit_kernel *special,
                             call *c) {
    CHECK(tosajit_run(dynamic, c->operands, c->operand_count, c->results, c->result_count));
    call other = *c;
    for (size_t r = 0; r < c->result_count; r++) give_memory(&other.results[r], NULL);
    CHECK(tosajit_run(special, c->operands, c->operand_count, other.results, c->result_count));
    for (size_t r = 0; r < c->result_count; r++) {
        const size_t size = tosajit_type_size(c->results[r].element);
        const char *a = c->results[r].data, *b = other.results[r].data;
        for (size_t k = 0; k < elements_of(&c->results[r]); k++)
            assert_true(test_same(c->results[r].element,
                                  test_bits(c->results[r].element, a + k * size),
                                  test_bits(c->results[r].element, b + k * size), 0));
        free(other.results[r].data);
    }
}

static bool is_static(tosajit_tensor_type type) {
    for (int32_t d = 0; d < type.rank; d++)
        if (type.dims[d] == TOSAJIT_DYNAMIC) return false;
    return type.rank >= 0;
}

static void assert_static(const tosajit_kernel *kernel) {
    assert_false(kernel->specialises);
    for (size_t k = 0; k < tosajit_kernel_operand_count(kernel); k++)
        assert_true(is_static(tosajit_kernel_operand_type(kernel, k)));
    for (size_t r = 0; r < tosajit_kernel_result_count(kernel); r++)
        assert_true(is_static(tosajit_kernel_result_type(kernel, r)));
}

/* Programs of all kinds, and sizes for a call. */
static const struct {
    const char *text, *sizes;
    bool strict;
} programs[] = {
    {"x + y : f32[?,?], f32[?,?]", "19x37 19x37", true},
    {"x + y : f32[?,?], f32[?,?]", "19x37 1x37", true},
    {"x + y : f32[?,?], f32[?,?]", "1x37 19x1", false},
    {"x + y : f32[?,?], f32[37]", "19x37 37", false},
    {"((x - m) * r) * g + b : f32[?,?], f32[?,?], f32[?,?], f32[?,?], f32[?,?]",
     "19x37 19x1 19x1 1x37 1x37", false},
    {"y = exp(x) * 2; z = x > y; y; z : f32[?,37]", "19x37", false},
    {"y = x + 1; z = w * w; y; z : f32[?], f32[?,?]", "37 19x37", false}, /* two parts */
    {"i8(sigmoid(f32(x) * 0.25) * 100) : i8[?,?]", "19x37", false},       /* a table */
    {"f8E4M3FN(exp(f32(x))) : f8E4M3FN[?,?]", "19x37", false},
    {"(1.0 - f32(m)) * -1e9 + x : i1[?,1,?], f32[?,?,?]", "3x1x37 3x19x37", false},
    {"pow(x, 3) + [1,2,3] : f32[?,3]", "19x3", false},
    {"rescale(x, m, s, zi, zo, to=i8, scale32=true, rounding_mode=SINGLE_ROUND, per_channel=true)"
     " : i32[?,?], i32[3], i8[3], i32[1], i8[1]",
     "19x3 3 3 1 1", false},
    {"where(c, x, y) : i1[?], i16[?], i16[?]", "37 1 37", false},
    {"bf16(x) * y : f32[?,?], bf16[?,?]", "19x37 19x37", false},
};

static void run_has_the_same_bits(tosajit_engine *engine, tosajit_accuracy accuracy) {
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        const tosajit_parse_options options = {
            .size = sizeof options, .strict = programs[p].strict, .accuracy = accuracy};
        tosajit_kernel *kernel = compile(engine, programs[p].text, &options);
        tosajit_tensor_type types[MOST];
        kernel_place place = NULL;
        call c;
        CHECK(tosajit_kernel_wait(kernel));
        assert_true(kernel->specialises);
        make_call(kernel, programs[p].sizes, &c);
        types_of(&c, types);
        assert_true(begin(kernel, types, &place));
        CHECK(tosajit_kernel_wait(kernel));
        if (!place) fail_msg("%s for %s was not specialised", programs[p].text, programs[p].sizes);
        assert_static(place);
        assert_true(tosajit_kernel_is_native(place));
        assert_same_bits(kernel, place, &c);
        free_call(&c);
        tosajit_kernel_release(kernel);
        empty(&place);
    }
}

static void special_kernels_have_the_same_bits(void **state) {
    static const tosajit_engine_options engines[] = {
        {.backend = TOSAJIT_BACKEND_AUTO},
        {.backend = TOSAJIT_BACKEND_NATIVE, .threads = 2},
        {.backend = TOSAJIT_BACKEND_BACKGROUND},
        {.backend = TOSAJIT_BACKEND_NATIVE, .uncached = 1, .cpu = "x86-64-v2"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        account memory = {0};
        const tosajit_allocator allocator = account_allocator(&memory);
        tosajit_engine_options options = engines[k];
        options.allocator = &allocator;
#if !defined(__x86_64__)
        options.cpu = NULL;
#endif
        tosajit_engine *engine = engine_with(options);
        run_has_the_same_bits(engine, TOSAJIT_EXACT);
        assert_int_equal(stats_of(engine).specialised, sizeof programs / sizeof *programs);
        tosajit_engine_destroy(engine); /* its thread may just be letting go of a kernel */
        assert_int_equal(memory.live, 0);
    }
}

static void fast_ones_too(void **state) {
    (void)state;
    tosajit_engine *engine = usual_engine();
    run_has_the_same_bits(engine, TOSAJIT_FAST);
    tosajit_engine_destroy(engine);
}

/* Operands as the program has them, of these sizes; false if one is 0, which types cannot be. */
static bool set_operands(const program *p, const program_shape *inputs, call *c) {
    bool positive = true;
    *c = (call){.operand_count = (size_t)p->input_count, .result_count = (size_t)p->result_count};
    for (size_t k = 0; k < c->operand_count; k++) {
        memcpy(c->dims[k], inputs[k].dims, sizeof c->dims[k]);
        c->operands[k] =
            tosajit_dense(p->nodes[p->inputs[k]].type.element, NULL, inputs[k].rank, c->dims[k]);
        positive &= elements_of(&c->operands[k]) > 0;
    }
    return positive;
}

static void fill_operands(const program *p, test_random *random, call *c) {
    for (size_t k = 0; k < c->operand_count; k++) {
        tosajit_tensor *t = &c->operands[k];
        give_memory(t, NULL);
        for (size_t e = 0; e < elements_of(t); e++)
            program_fill(&p->nodes[p->inputs[k]], random, true,
                         (unsigned char *)t->data + e * tosajit_type_size(t->element));
    }
}

/* Whether there is a kernel for sizes, and that it has the same bits. */
static bool specialise_random(const program *p, test_random *random, tosajit_kernel *kernel) {
    program_shape inputs[PROGRAM_MAX_INPUTS], shapes[PROGRAM_MAX_NODES];
    tosajit_tensor_type types[MOST];
    kernel_place place = NULL;
    call c;
    program_random_dims(p, random, inputs);
    const bool fits = program_shapes(p, inputs, shapes),
               expected = set_operands(p, inputs, &c) && fits;
    types_of(&c, types);
    assert_true(begin(kernel, types, &place));
    CHECK(tosajit_kernel_wait(kernel));
    assert_int_equal(place != NULL, expected);
    if (!expected) return false;
    assert_static(place);
    fill_operands(p, random, &c);
    CHECK(tosajit_kernel_results(kernel, c.operands, c.operand_count, c.results, c.result_count,
                                 c.dims + MOST));
    for (size_t r = 0; r < c.result_count; r++) give_memory(&c.results[r], NULL);
    assert_same_bits(kernel, place, &c);
    free_call(&c);
    empty(&place);
    return true;
}

static void random_programs_too(void **state) {
    const uint64_t cases = test_setting("TOSAJIT_CASES", 150);
    (void)state;
    tosajit_engine *engine = usual_engine();
    uint64_t made = 0, refused = 0;
    for (uint64_t seed = 1; seed <= cases; seed++) {
        test_random random = test_random_start(seed);
        program p;
        tosajit_expr *expr = NULL;
        tosajit_kernel *kernel = NULL;
        assert_true(program_random(&random, 1 + (int)(seed % 6), &p));
        if (program_build(&p, &expr) == TOSAJIT_OK &&
            tosajit_compile_expr(engine, expr, &kernel) == TOSAJIT_OK && kernel->specialises)
            *(specialise_random(&p, &random, kernel) ? &made : &refused) += 1;
        tosajit_kernel_release(kernel);
        tosajit_expr_destroy(expr);
        program_free(&p);
    }
    print_message("%d programs were specialised, and %d for no sizes\n", (int)made, (int)refused);
    assert_true(made > cases / 4 && refused > 0);
    tosajit_engine_destroy(engine);
}

/* What the program promises holds for the sizes of a call, so nothing of it is left. */
static void promises_are_kept_by_the_sizes(void **state) {
    (void)state;
    tosajit_engine *engine = usual_engine();
    const tosajit_contract even = {.smallest = 2, .multiple = 2};
    const tosajit_tensor_type any = matrix(TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC),
                              declared = matrix(6, TOSAJIT_DYNAMIC);
    tosajit_expr *expr;
    tosajit_value x, y, sum;
    tosajit_kernel *kernel;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &any, &x));
    CHECK(tosajit_expr_input(expr, &any, &y));
    CHECK(tosajit_expr_contract(expr, x, 0, &even));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, y}, 2, NULL, &declared, &sum));
    CHECK(tosajit_expr_result(expr, sum));
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    tosajit_expr_destroy(expr);
    kernel_place place = NULL, none = NULL;
    call c;
    make_call(kernel, "6x37 1x37", &c);
    const tosajit_tensor_type types[2] = {matrix(6, COLUMNS), matrix(1, COLUMNS)};
    const tosajit_tensor_type others[2] = {matrix(8, COLUMNS), matrix(1, COLUMNS)};
    assert_true(begin(kernel, types, &place));
    assert_true(begin(kernel, others, &none)); /* not 6 rows, as declared */
    CHECK(tosajit_kernel_wait(kernel));
    assert_non_null(place);
    assert_null(none);
    assert_static(place);
    assert_same_bits(kernel, place, &c);
    free_call(&c);
    empty(&place);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

enum { LONG_ROWS = 640, LONG_COLUMNS = 100, LONG = LONG_ROWS * LONG_COLUMNS, MOST_CALLS = 100000 };

/* A sum with a row of these many rows, apart or in place; it must be right. */
static void run_sum(const tosajit_kernel *kernel, int64_t rows, bool in_place, float *memory) {
    float *x = memory, *y = memory + LONG, *sum = in_place ? x : y + LONG_COLUMNS;
    const int64_t dims[2] = {rows, LONG_COLUMNS}, row[2] = {1, LONG_COLUMNS};
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, x, 2, dims),
                                        tosajit_dense(TOSAJIT_F32, y, 2, row)},
                         result = tosajit_dense(TOSAJIT_F32, sum, 2, dims);
    for (int64_t k = 0; k < rows * LONG_COLUMNS; k++) x[k] = (float)(k % 1000);
    for (int64_t k = 0; k < LONG_COLUMNS; k++) y[k] = (float)(k + 1);
    CHECK(tosajit_run(kernel, operands, 2, &result, 1));
    for (int64_t k = 0; k < rows * LONG_COLUMNS; k++)
        if (sum[k] != (float)(k % 1000) + (float)(k % LONG_COLUMNS + 1))
            fail_msg("element %d of %d rows is %g", (int)k, (int)rows, (double)sum[k]);
}

/* How many calls it takes until the engine has made its n-th kernel for sizes that came often. */
static int calls_until(tosajit_engine *engine, tosajit_kernel *kernel, size_t n, int64_t rows,
                       bool in_place, float *memory) {
    int calls = 0;
    for (; calls < MOST_CALLS && stats_of(engine).specialised < n; calls++) {
        run_sum(kernel, rows, in_place, memory);
        CHECK(tosajit_kernel_wait(kernel));
    }
    assert_int_equal(stats_of(engine).specialised, n);
    return calls;
}

static void sizes_that_come_often_get_a_kernel(void **state) {
    (void)state;
    float *memory = malloc((2 * LONG + LONG_COLUMNS) * sizeof *memory);
    assert_non_null(memory);
    tosajit_engine *engine = usual_engine();
    tosajit_kernel *kernel = compile_add(engine);
    assert_true(calls_until(engine, kernel, 1, LONG_ROWS, false, memory) > 1);
    run_sum(kernel, LONG_ROWS, false, memory);
    calls_until(engine, kernel, 1, LONG_ROWS, true, memory); /* the same sizes: in place, now */
    run_sum(kernel, LONG_ROWS, true, memory);
    calls_until(engine, kernel, 2, LONG_ROWS / 2, true, memory);
    run_sum(kernel, LONG_ROWS / 2, true, memory);
    for (int k = 0; k < MOST_CALLS; k++) run_sum(kernel, 2, false, memory); /* too small */
    CHECK(tosajit_kernel_wait(kernel));
    assert_int_equal(stats_of(engine).specialised, 2);
    tosajit_kernel_release(kernel);
    assert_int_equal(stats_of(engine).kernels, 0);
    tosajit_engine_destroy(engine);
    free(memory);
}

/* A bound call's sizes are the kernel's business, and so is what is made for them. */
static void bound_calls_get_it_too(void **state) {
    (void)state;
    float *memory = calloc(3 * LONG, sizeof *memory);
    assert_non_null(memory);
    tosajit_engine *engine = usual_engine();
    tosajit_kernel *kernel = compile_add(engine);
    const int64_t dims[2] = {LONG_ROWS, LONG_COLUMNS};
    const tosajit_tensor dense = tosajit_dense(TOSAJIT_F32, NULL, 2, dims),
                         operands[2] = {dense, dense};
    tosajit_bound *bound;
    CHECK(tosajit_bind(kernel, operands, 2, &dense, 1, &bound));
    int calls = 0;
    for (; calls < MOST_CALLS && stats_of(engine).specialised == 0; calls++) {
        CHECK(tosajit_bound_run(bound, (void *[]){memory, memory + LONG, memory + 2 * LONG}));
        CHECK(tosajit_kernel_wait(kernel));
    }
    assert_true(calls > 1 && calls < MOST_CALLS);
    for (int k = 0; k < LONG; k++) memory[k] = (float)k;
    CHECK(tosajit_bound_run(bound, (void *[]){memory, memory, memory + 2 * LONG}));
    for (int k = 0; k < LONG; k++) assert_true(memory[2 * LONG + k] == 2 * (float)k);
    tosajit_bound_release(bound);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    free(memory);
}

/* Released amid what its calls have begun. */
static void calls_do_not_hold_a_kernel(void **state) {
    (void)state;
    float *memory = malloc((2 * LONG + LONG_COLUMNS) * sizeof *memory);
    assert_non_null(memory);
    for (int rounds = 0; rounds < 5; rounds++) {
        tosajit_engine *engine = usual_engine();
        tosajit_kernel *kernel = compile_add(engine);
        const int calls = calls_until(engine, kernel, 1, LONG_ROWS, false, memory);
        for (int k = 0; k < calls; k++) run_sum(kernel, LONG_ROWS - 1, false, memory);
        if (rounds & 1) tosajit_engine_destroy(engine);
        tosajit_kernel_release(kernel);
        if (!(rounds & 1)) tosajit_engine_destroy(engine);
    }
    free(memory);
}

/* ---------------------------------------------------------------------------------------------
 * Who is asked */

static void it_is_asked_for_and_only_of_native_code(void **state) {
    (void)state;
    const tosajit_engine_options without = {.size = sizeof without};
    tosajit_engine *engine;
    CHECK(tosajit_engine_create(&without, &engine));
    tosajit_kernel *kernel = compile_add(engine);
    kernel_place place = NULL;
    assert_false(kernel->specialises);
    assert_false(begin_add(kernel, ROWS, &place)); /* the engine has no thread */
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    static const tosajit_backend others[] = {TOSAJIT_BACKEND_INTERPRET,
                                             TOSAJIT_BACKEND_PRECOMPILED};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        engine = engine_with((tosajit_engine_options){.backend = others[k]});
        kernel = compile_add(engine);
        assert_false(kernel->specialises);
        assert_false(begin_add(kernel, ROWS, &place));
        CHECK(tosajit_kernel_wait(kernel));
        tosajit_kernel_release(kernel);
        tosajit_engine_destroy(engine);
    }
    engine = usual_engine();
    kernel = compile(engine, "x + y : f32[19,37], f32[1,37]", NULL);
    assert_false(kernel->specialises);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    assert_null(place);
}

static tosajit_expr *add_expr(void) {
    static const char text[] = "x + y : f32[?,?], f32[?,?]";
    tosajit_expr *expr;
    CHECK(tosajit_expr_parse(text, sizeof text - 1, NULL, &expr));
    return expr;
}

static void assert_specialises(tosajit_kernel *kernel) {
    kernel_place place = NULL;
    assert_true(kernel->specialises);
    assert_true(begin_add(kernel, ROWS, &place));
    CHECK(tosajit_kernel_wait(kernel));
    assert_non_null(place);
    empty(&place);
}

/* In a list, with an image, from a directory; but not an image alone, which has no engine. */
static void whatever_way_a_kernel_came(void **state) {
    char image[1 << 14];
    const tosajit_engine_options options = {.backend = TOSAJIT_BACKEND_NATIVE,
                                            .cache_directory = scratch};
    (void)state;
    tosajit_engine *engine = engine_with(options);
    tosajit_expr *expr = add_expr();
    tosajit_kernel *kernel, *loaded;
    size_t size;
    CHECK(tosajit_compile_many(engine, (const tosajit_expr *const[]){expr}, 1, &kernel, NULL));
    assert_specialises(kernel);
    CHECK(tosajit_kernel_save(kernel, image, sizeof image, &size));
    assert_int_equal(stats_of(engine).restored, 0);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);

    engine = engine_with(options);
    CHECK(tosajit_compile_with_image(engine, expr, image, size, &kernel, NULL));
    assert_specialises(kernel);
    assert_int_equal(stats_of(engine).compilations, 0);
    assert_int_equal(stats_of(engine).restored, 2); /* both are in the directory */
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    tosajit_expr_destroy(expr);

    CHECK(tosajit_kernel_load(image, size, NULL, &loaded));
    assert_false(loaded->specialises);
    assert_null(loaded->owner->specialise);
    tosajit_kernel_release(loaded);
}

/* The engine has the kernel of an equal expression already, and whoever asks later finds it. */
static void it_is_the_engines_kernel_of_these_types(void **state) {
    (void)state;
    tosajit_engine *engine = usual_engine();
    tosajit_kernel *kernel = compile_add(engine),
                   *twin = compile(engine, "x + y : f32[19,37], f32[1,37]", NULL);
    kernel_place place = NULL, again = NULL;
    assert_true(begin_add(kernel, ROWS, &place));
    assert_true(begin_add(kernel, ROWS + 1, &again));
    CHECK(tosajit_kernel_wait(kernel));
    assert_ptr_equal(place, twin);
    tosajit_kernel_release(twin);
    twin = compile(engine, "x + y : f32[20,37], f32[1,37]", NULL);
    assert_ptr_equal(again, twin);
    assert_int_equal(stats_of(engine).compilations, 3);
    assert_string_equal(tosajit_kernel_operand_name(place, 1), "y");
    tosajit_kernel_release(twin);
    tosajit_kernel_release(kernel);
    empty(&place);
    empty(&again);
    tosajit_engine_destroy(engine);
}

/* ---------------------------------------------------------------------------------------------
 * Failing */

static void what_fails_leaves_the_kernel_as_it_is(void **state) {
    (void)state;
    tosajit_engine *engine = usual_engine();
    tosajit_kernel *kernel = compile_add(engine);
    const tosajit_tensor_type bad[][2] = {
        {matrix(3, 4), matrix(5, 4)},
        {matrix(0, 4), matrix(1, 4)},
        {matrix(INT64_MAX / 4, 1), matrix(1, 4)},
        {tosajit_ranked(TOSAJIT_I8, 2, (int64_t[]){3, 4}), matrix(1, 4)},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        kernel_place place = NULL;
        assert_true(begin(kernel, bad[k], &place));
        CHECK(tosajit_kernel_wait(kernel));
        assert_null(place);
    }
    kernel_place place = NULL;
    assert_true(begin_add(kernel, ROWS, &place)); /* what failed before is forgotten */
    CHECK(tosajit_kernel_wait(kernel));
    assert_non_null(place);
    assert_int_equal(stats_of(engine).specialised, 1);
    empty(&place);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void max_bytes_holds(void **state) {
    (void)state;
    tosajit_engine *engine = usual_engine();
    tosajit_kernel *kernel = compile_add(engine);
    const tosajit_stats one = stats_of(engine);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    engine = engine_with((tosajit_engine_options){
        .backend = TOSAJIT_BACKEND_NATIVE,
        .max_bytes = one.code_bytes + one.structure_bytes + one.code_bytes / 2});
    kernel = compile_add(engine);
    kernel_place place = NULL;
    assert_true(begin_add(kernel, ROWS, &place));
    CHECK(tosajit_kernel_wait(kernel));
    assert_null(place);
    assert_int_equal(stats_of(engine).refused, 1);
    assert_int_equal(stats_of(engine).kernels, 1);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Allocation `at` fails, and, if `on`, all that follow. Returns whether it came to that. */
static bool fail_an_allocation(size_t at, bool on) {
    account memory = {0};
    const tosajit_allocator allocator = account_allocator(&memory);
    tosajit_engine *engine = engine_with(
        (tosajit_engine_options){.backend = TOSAJIT_BACKEND_NATIVE, .allocator = &allocator});
    tosajit_kernel *kernel = compile_add(engine);
    kernel_place place = NULL, later = NULL;
    char before[256];
    snprintf(before, sizeof before, "%s", tosajit_last_error());
    const size_t count = memory.count;
    memory.from_then_on = on;
    memory.fail_at = count + at;
    const bool begun = begin_add(kernel, ROWS, &place);
    assert_int_equal(begun, at != 1);
    assert_string_equal(tosajit_last_error(), before);
    CHECK(tosajit_kernel_wait(kernel));
    const bool failed = memory.count >= memory.fail_at;
    assert_true(failed || place); /* a failure may be one that nobody needed */
    memory.fail_at = 0;
    assert_true(begin_add(kernel, ROWS + 1, &later));
    CHECK(tosajit_kernel_wait(kernel));
    assert_non_null(later);
    tosajit_kernel_release(kernel);
    empty(&place);
    empty(&later);
    tosajit_engine_destroy(engine);
    assert_int_equal(memory.live, 0);
    return failed;
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    for (int on = 0; on < 2; on++) {
        size_t at = 1;
        while (fail_an_allocation(at, on)) at++;
        assert_true(at > 5);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Lives */

/* Nobody waits: the queue has the last references of some kernels, the thread of others. The place
 * is a kernel's memory in a program. Here it is one that outlives it. */
static void kernels_are_released_amid_their_jobs(void **state) {
    enum { KERNELS = 24, PLACES = 3 };
    static kernel_place places[KERNELS][PLACES];
    account memory = {0};
    const tosajit_allocator allocator = account_allocator(&memory);
    (void)state;
    for (int held = 0; held < 2; held++) {
        tosajit_engine *engine = engine_with(
            (tosajit_engine_options){.allocator = &allocator, .uncached = 1, .threads = 2});
        tosajit_kernel *kernels[KERNELS];
        for (int k = 0; k < KERNELS; k++) {
            kernels[k] = compile_add(engine);
            for (int p = 0; p <= k % PLACES; p++)
                assert_true(begin_add(kernels[k], ROWS + p, &places[k][p]));
            if (k % 5 == 4) CHECK(tosajit_kernel_wait(kernels[k]));
            if (!held || k % 2) tosajit_kernel_release(kernels[k]);
        }
        tosajit_engine_destroy(engine); /* amid them */
        for (int k = 0; k < KERNELS; k++) {
            kernel_place none = NULL;
            if (!held || k % 2) continue;
            CHECK(tosajit_kernel_wait(kernels[k])); /* it is native, whatever was dropped */
            assert_false(begin_add(kernels[k], 2 * ROWS, &none));
            assert_null(none);
            tosajit_kernel_release(kernels[k]);
        }
        for (int k = 0; k < KERNELS * PLACES; k++) empty(&places[k / PLACES][k % PLACES]);
        assert_int_equal(memory.live, 0);
    }
}

typedef struct asker {
    pthread_t thread;
    tosajit_kernel *kernel;
    kernel_place places[MOST];
    bool begun, same;
} asker;

/* Assertions are the main thread's. */
static void *ask(void *argument) {
    asker *a = argument;
    a->begun = true;
    for (int p = 0; p < MOST; p++) a->begun &= begin_add(a->kernel, ROWS + p, &a->places[p]);
    a->begun &= tosajit_kernel_wait(a->kernel) == TOSAJIT_OK;
    a->same = true;
    for (int p = 0; p < MOST; p++) a->same &= a->places[p] != NULL;
    return NULL;
}

static void threads_get_one_kernel_for_the_same_sizes(void **state) {
    enum { THREADS = 4 };
    (void)state;
    tosajit_engine *engine = usual_engine();
    asker askers[THREADS] = {0};
    tosajit_kernel *kernel = compile_add(engine);
    for (int k = 0; k < THREADS; k++) {
        askers[k].kernel = kernel;
        assert_int_equal(pthread_create(&askers[k].thread, NULL, ask, &askers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(askers[k].thread, NULL);
    for (int k = 0; k < THREADS; k++) {
        assert_true(askers[k].begun);
        assert_true(askers[k].same);
        for (int p = 0; p < MOST; p++) assert_ptr_equal(askers[k].places[p], askers[0].places[p]);
    }
    assert_int_equal(stats_of(engine).compilations, 1 + MOST);
    for (int k = 0; k < THREADS * MOST; k++) empty(&askers[k / MOST].places[k % MOST]);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* Of a child process: it has no such thread, and waits for none. */
static int child(tosajit_kernel *kernel) {
    kernel_place place = NULL;
    const bool begun = begin_add(kernel, 2 * ROWS, &place);
    return begun || place || tosajit_kernel_wait(kernel) ? 1 : 0;
}

static void a_child_process_goes_on_without(void **state) {
    (void)state;
    tosajit_engine *engine = usual_engine();
    tosajit_kernel *kernel = compile_add(engine);
    kernel_place places[MOST] = {NULL};
    for (int p = 0; p < MOST; p++) {
        assert_true(begin_add(kernel, ROWS + p, &places[p]));
        const pid_t process = fork(); /* amid the job, or before it */
        assert_true(process >= 0);
        if (process == 0) _exit(child(kernel));
        int status;
        assert_int_equal(waitpid(process, &status, 0), process);
        assert_int_equal(status, 0);
    }
    CHECK(tosajit_kernel_wait(kernel));
    for (int p = 0; p < MOST; p++) {
        assert_non_null(places[p]);
        empty(&places[p]);
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_kernels_have_the_same_bits),
        cmocka_unit_test(fast_ones_too),
        cmocka_unit_test(random_programs_too),
        cmocka_unit_test(promises_are_kept_by_the_sizes),
        cmocka_unit_test(sizes_that_come_often_get_a_kernel),
        cmocka_unit_test(bound_calls_get_it_too),
        cmocka_unit_test(calls_do_not_hold_a_kernel),
        cmocka_unit_test(it_is_asked_for_and_only_of_native_code),
        cmocka_unit_test_setup_teardown(whatever_way_a_kernel_came, scratch_make, scratch_remove),
        cmocka_unit_test(it_is_the_engines_kernel_of_these_types),
        cmocka_unit_test(what_fails_leaves_the_kernel_as_it_is),
        cmocka_unit_test(max_bytes_holds),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(kernels_are_released_amid_their_jobs),
        cmocka_unit_test(threads_get_one_kernel_for_the_same_sizes),
        cmocka_unit_test(a_child_process_goes_on_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
