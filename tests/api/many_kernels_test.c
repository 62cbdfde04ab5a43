/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many kernels alive at once: what one costs in memory and in mappings, of which a process has
 * 65,530 by default. Each kernel is another expression and has constants in its code. The default
 * run has some hundred, or an n-th of them by TOSAJIT_THIN=<n>; an argument says how many there
 * are. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/process.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

enum {
    DEFAULT_COUNT = 500,
    WARM_UP = 100,
    FEW = 200,
    SOME_MAPPINGS = 16,
    SOME_KIB = 4096,
    LARGEST_KIB = 60, /* beside the pages of its code, whose size is the machine's */
    LIST = 16,
    ONE_BY_ONE = 1000
};
static size_t kernel_count;
static tosajit_kernel **kernels;

typedef struct usage {
    size_t mappings, executable, heap;
    double resident_kib;
} usage;

static usage usage_now(void) {
    return (usage){process_mappings(), process_executable(), process_heap(),
                   (double)process_resident() / 1024};
}

/* r = (i8)(x + c): the constant tells the kernels apart, and a conversion has masks among its
 * constants. */
static tosajit_expr *build(size_t number) {
    tosajit_expr *expr;
    tosajit_value x, c, sum, narrow;
    const tosajit_tensor_type vector = tosajit_ranked(TOSAJIT_I32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    const tosajit_tensor_type one = tosajit_ranked(TOSAJIT_I32, 1, (int64_t[]){1});
    const tosajit_tensor_type result = tosajit_ranked(TOSAJIT_I8, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    const int32_t value = (int32_t)number;
    assert_int_equal(tosajit_expr_create(NULL, &expr), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_input(expr, &vector, &x), TOSAJIT_OK);
    assert_int_equal(tosajit_expr_constant(expr, &one, &value, &c), TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, c}, 2, NULL, NULL, &sum),
        TOSAJIT_OK);
    assert_int_equal(
        tosajit_expr_op(expr, TOSAJIT_OP_cast, (tosajit_value[]){sum}, 1, NULL, &result, &narrow),
        TOSAJIT_OK);
    assert_int_equal(tosajit_expr_result(expr, narrow), TOSAJIT_OK);
    return expr;
}

/* In lists, which takes half the time; the first ones one by one. */
static void make_range(tosajit_engine *engine, size_t from, size_t to) {
    tosajit_expr *exprs[LIST];
    for (size_t k = from, count; k < to; k += count) {
        count = k < ONE_BY_ONE ? 1 : to - k < LIST ? to - k : LIST;
        for (size_t i = 0; i < count; i++) exprs[i] = build(k + i);
        if (tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, count, kernels + k,
                                 NULL))
            fail_msg("kernel %zu: %s", k, tosajit_last_error());
        for (size_t i = 0; i < count; i++) tosajit_expr_destroy(exprs[i]);
        assert_true(tosajit_kernel_is_native(kernels[k]));
    }
}

static void check(const tosajit_kernel *kernel, size_t number) {
    int32_t x[5] = {0, 1, 127, -1, 1000000};
    int8_t r[5];
    const int64_t dims[1] = {5};
    tosajit_tensor operand = tosajit_dense(TOSAJIT_I32, x, 1, dims),
                   result = tosajit_dense(TOSAJIT_I8, r, 1, dims);
    assert_int_equal(tosajit_run(kernel, &operand, 1, &result, 1), TOSAJIT_OK);
    for (int k = 0; k < 5; k++)
        assert_int_equal((uint8_t)r[k], (uint8_t)((uint32_t)x[k] + (uint32_t)number));
}

static void release_range(size_t from, size_t to) {
    for (size_t k = from; k < to; k++) tosajit_kernel_release(kernels[k]);
}

/* Figures that can be judged. An emulator places mappings with gaps, so that each kernel has one of
 * its own, and keeps its translations. The sanitizer surrounds every block with memory of its own,
 * keeps what is freed, and maps memory between the kernels. */
typedef enum judged { EVERYTHING, WHAT_IS_ASKED_FOR, NOTHING } judged;
#if defined(__SANITIZE_ADDRESS__)
static judged what_is_judged(void) { return NOTHING; }
#else
static judged what_is_judged(void) { return test_is_emulated() ? WHAT_IS_ASKED_FOR : EVERYTHING; }
#endif

static void say_what_is_not(judged what) {
    if (what == WHAT_IS_ASKED_FOR)
        print_message(
            "*** NOT TESTED: resident memory and shared mappings; the emulator adds its own\n");
    if (what == NOTHING)
        print_message("*** NOT TESTED: memory and mappings of a kernel; the address sanitizer adds "
                      "its own\n");
}

static void check_growth(judged what, const usage *before, const usage *now,
                         const tosajit_stats *stats) {
    const size_t more = now->mappings - before->mappings,
                 code = now->executable - before->executable;
    if (what == NOTHING) return;
    assert_int_equal(code, stats->code_bytes);
    assert_true(more <= SOME_MAPPINGS + (what == EVERYTHING ? kernel_count / 50 : kernel_count));
    if (what == EVERYTHING)
        assert_true(now->resident_kib - before->resident_kib <=
                    (double)(LARGEST_KIB * kernel_count + stats->code_bytes / 1024));
}

static void check_rest(judged what, const usage *before, const usage *most, const usage *now) {
    if (what == NOTHING) return;
    assert_int_equal(now->executable, before->executable);
    assert_true(now->mappings <= before->mappings + SOME_MAPPINGS);
    assert_true(now->heap <= before->heap + (most->heap - before->heap) / 10);
    if (what != EVERYTHING) return;
    const double grown = most->resident_kib - before->resident_kib,
                 left = now->resident_kib - before->resident_kib;
    assert_true(left <= (double)SOME_KIB + grown / 10);
}

static void any_number_can_live(void **state) {
    const judged what = what_is_judged();
    const size_t warm_up = WARM_UP / test_thinning();
    tosajit_engine *engine;
    kernels = malloc((kernel_count > warm_up ? kernel_count : warm_up) * sizeof *kernels);
    assert_non_null(kernels);
    assert_int_equal(tosajit_engine_create(NULL, &engine), TOSAJIT_OK);
    say_what_is_not(what);
    /* Memory that LLVM allocates once and keeps is not the kernels'. */
    make_range(engine, 0, warm_up);
    release_range(0, warm_up);
    const usage before = usage_now();
    make_range(engine, 0, kernel_count);
    const usage most = usage_now();
    tosajit_stats stats = {.size = sizeof stats};
    assert_int_equal(tosajit_engine_stats(engine, &stats), TOSAJIT_OK);
    print_message("%zu kernels: %zu more mappings, %.1f KiB each; the engine counts %.1f of code "
                  "and %.1f of structures\n",
                  kernel_count, most.mappings - before.mappings,
                  (most.resident_kib - before.resident_kib) / (double)kernel_count,
                  (double)stats.code_bytes / 1024 / (double)kernel_count,
                  (double)stats.structure_bytes / 1024 / (double)kernel_count);
    fflush(stdout); /* releasing takes its time */
    assert_int_equal(stats.kernels, kernel_count);
    check_growth(what, &before, &most, &stats);
    for (size_t k = 0; k < kernel_count; k += 1 + kernel_count / FEW) check(kernels[k], k);
    release_range(0, kernel_count);
    malloc_trim(0); /* what is free is given back; what stays is in use */
    const usage after = usage_now();
    print_message("released: %.0f KiB and %ld mappings left, %ld bytes of blocks\n",
                  after.resident_kib - before.resident_kib,
                  (long)(after.mappings - before.mappings), (long)(after.heap - before.heap));
    check_rest(what, &before, &most, &after);
    assert_int_equal(tosajit_engine_stats(engine, &stats), TOSAJIT_OK);
    assert_int_equal(stats.kernels, 0);
    tosajit_engine_destroy(engine);
    free(kernels);
}

int main(int argc, char **argv) {
    kernel_count = argc > 1 ? strtoul(argv[1], NULL, 10) : DEFAULT_COUNT / test_thinning();
    return TEST_RUN(NULL, NULL, TEST(any_number_can_live));
}
