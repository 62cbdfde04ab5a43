/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Soak: kernels compiled, run and released again and again, with memory that stays flat, and what
 * an engine says of its memory against what the system says. TOSAJIT_CYCLES=<n> lengthens it;
 * TOSAJIT_THIN=<n> makes it an n-th as long, for emulators. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/process.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)
enum {
    WARM_UP = 320,
    STANDARD_CYCLES = 800,
    SAMPLES = 50,
    LIST = 16,
    ONE_BY_ONE = 5 /* every so many lists */,
    SHOWN = 2
};

static tosajit_stats stats_of(tosajit_engine *engine) {
    tosajit_stats stats = {.size = sizeof stats};
    CHECK(tosajit_engine_stats(engine, &stats));
    return stats;
}

static tosajit_engine *engine_of(size_t max_bytes) {
    tosajit_engine_options options = {.size = sizeof options, .max_bytes = max_bytes};
    tosajit_engine *engine = NULL;
    CHECK(tosajit_engine_create(&options, &engine));
    return engine;
}

/* x + constant, or, every third time, clamp and multiply: different code, and different sizes of
 * it. */
static tosajit_expr *build(uint64_t number) {
    tosajit_tensor_type type = test_type(TOSAJIT_F32, number % 2 ? "?x?" : "?x8"),
                        one = test_type(TOSAJIT_F32, "1x1");
    const float constant = (float)(number % 1000003);
    const tosajit_attributes clamp = {.min_val = {.f = -1e9}, .max_val = {.f = (double)constant}};
    tosajit_expr *expr;
    tosajit_value x, c, value;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_constant(expr, &one, &constant, &c));
    CHECK(tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, c}, 2, NULL, NULL, &value));
    if (number % 3 == 0)
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_clamp, &value, 1, &clamp, NULL, &value));
    if (number % 3 == 0)
        CHECK(tosajit_expr_op(expr, TOSAJIT_OP_mul, (tosajit_value[]){value, x}, 2, NULL, NULL,
                              &value));
    CHECK(tosajit_expr_result(expr, value));
    return expr;
}

static tosajit_status compile(tosajit_engine *engine, uint64_t number, tosajit_kernel **kernel) {
    tosajit_expr *expr = build(number);
    tosajit_status status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    return status;
}

static void run(const tosajit_kernel *kernel, uint64_t number) {
    float x[16], r[16], constant = (float)(number % 1000003);
    const int64_t dims[2] = {2, 8};
    for (int k = 0; k < 16; k++) x[k] = (float)k;
    tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, x, 2, dims),
                   result = tosajit_dense(TOSAJIT_F32, r, 2, dims);
    CHECK(tosajit_run(kernel, &operand, 1, &result, 1));
    for (int k = 0; k < 16; k++) {
        float sum = x[k] + constant;
        assert_true(r[k] == (number % 3 ? sum : (sum > constant ? constant : sum) * x[k]));
    }
}

static void cycle(tosajit_engine *engine, uint64_t number) {
    tosajit_kernel *kernel;
    CHECK(compile(engine, number, &kernel));
    run(kernel, number);
    tosajit_kernel_release(kernel);
}

/* The same for LIST kernels, which are compiled as a list: in half the time. Returns the next
 * number. */
static uint64_t cycle_list(tosajit_engine *engine, uint64_t number) {
    tosajit_expr *exprs[LIST];
    tosajit_kernel *kernels[LIST];
    for (uint64_t k = 0; k < LIST; k++) exprs[k] = build(number + k);
    CHECK(tosajit_compile_many(engine, (const tosajit_expr *const *)exprs, LIST, kernels, NULL));
    for (uint64_t k = 0; k < LIST; k++) {
        tosajit_expr_destroy(exprs[k]);
        run(kernels[k], number + k);
        tosajit_kernel_release(kernels[k]);
    }
    return number + LIST;
}

static uint64_t cycles_until(tosajit_engine *engine, uint64_t done, uint64_t end) {
    while (done < end)
        if (done / LIST % ONE_BY_ONE)
            done = cycle_list(engine, done);
        else
            cycle(engine, done++);
    return done;
}

/* The slope of a line through the samples, by least squares. */
static double slope(const double *x, const double *y, int count) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = count;
    for (int k = 0; k < count; k++) sx += x[k], sy += y[k], sxx += x[k] * x[k], sxy += x[k] * y[k];
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* Bytes that are not given back: blocks of malloc's, and code. */
static double held_bytes(void) { return (double)(process_heap() + process_executable()); }

static void memory_stays_flat(void **state) {
    const uint64_t cycles = test_setting("TOSAJIT_CYCLES", STANDARD_CYCLES / test_thinning()),
                   warm_up = WARM_UP / test_thinning();
    uint64_t done = 0;
    double x[SAMPLES], y[SAMPLES];
    tosajit_engine *engine = engine_of(0);
    done = cycles_until(engine, done, warm_up);
    const double held = held_bytes();
    for (int sample = 0; sample < SAMPLES; sample++) {
        done = cycles_until(engine, done, warm_up + cycles * (uint64_t)(sample + 1) / SAMPLES);
        x[sample] = (double)done;
        y[sample] = (double)process_resident();
        if (cycles > STANDARD_CYCLES && sample % SHOWN == SHOWN - 1) {
            print_message("after %llu cycles: %.1f bytes per cycle\n", (unsigned long long)done,
                          slope(x, y, sample + 1));
            fflush(stdout); /* a run of many minutes may be interrupted */
        }
    }
    double bytes = slope(x, y, SAMPLES), grown = (y[SAMPLES - 1] - y[0]) / 1024;
    const double held_more = held_bytes() - held;
    tosajit_stats stats = stats_of(engine);
    print_message("%llu cycles: %.1f bytes of resident memory per cycle, %.0f KiB from the first "
                  "sample to the last; %.0f more bytes are held\n",
                  (unsigned long long)cycles, bytes, grown, held_more);
    assert_int_equal(stats.kernels, 0);
    assert_int_equal(stats.code_bytes, 0);
    assert_int_equal(stats.compilations, done);
    /* A byte per cycle is less than the smallest block that could be lost; tables of LLVM's may be
     * larger by a little. */
    assert_true(held_more < 8192 + (double)cycles);
    /* An allocator may keep memory while it settles: 1 MiB, or 16 bytes per cycle where that
     * is more. */
    if (test_is_emulated())
        print_message(
            "*** NOT TESTED: resident memory, in which the emulator keeps its translations\n");
    else
        assert_true(grown < 1024 || bytes < 16);
    tosajit_engine_destroy(engine);
}

static void statistics_agree_with_the_system(void **state) {
    enum { KERNELS = 500 };
    static tosajit_kernel *kernels[KERNELS];
    const uint64_t count = KERNELS / test_thinning();
    tosajit_engine *engine = engine_of(0);
    for (uint64_t k = 0; k < WARM_UP / test_thinning(); k++) cycle(engine, k);
    malloc_trim(0);
    size_t code = process_executable(), heap = process_heap();
    tosajit_stats before = stats_of(engine);
    for (uint64_t k = 0; k < count; k++) CHECK(compile(engine, k, &kernels[k]));
    tosajit_stats stats = stats_of(engine);
    double code_grown = (double)(process_executable() - code),
           heap_grown = (double)(process_heap() - heap);
    double code_said = (double)(stats.code_bytes - before.code_bytes),
           heap_said = (double)(stats.structure_bytes - before.structure_bytes);
    print_message("%zu kernels: code %.0f KiB, the system says %.0f KiB; structures %.0f KiB, the "
                  "heap has grown by %.0f KiB\n",
                  stats.kernels, code_said / 1024, code_grown / 1024, heap_said / 1024,
                  heap_grown / 1024);
    assert_int_equal(stats.kernels, count);
    assert_true(code_said > 0.95 * code_grown && code_said < 1.05 * code_grown);
    assert_true(heap_said > 0.95 * heap_grown && heap_said < 1.05 * heap_grown);
    for (uint64_t k = 0; k < count; k++) tosajit_kernel_release(kernels[k]);
    tosajit_engine_destroy(engine);
}

/* The cap holds for what lives, and what is released makes room. */
static void max_bytes_is_never_passed(void **state) {
    enum { KERNELS = 200, CAP = 1 << 20 };
    static tosajit_kernel *kernels[KERNELS];
    tosajit_engine *engine = engine_of(CAP);
    int made = 0, refused = 0;
    for (uint64_t k = 0; k < KERNELS; k++) {
        tosajit_kernel *kernel = NULL;
        tosajit_status status = compile(engine, k, &kernel);
        if (status) {
            assert_int_equal(status, TOSAJIT_LIMIT_EXCEEDED);
            assert_non_null(strstr(tosajit_last_error(), "max_bytes is 1048576"));
            assert_null(kernel);
            refused++;
            tosajit_kernel_release(kernels[--made]); /* the newest: the others still run */
            kernels[made] = NULL;
        } else {
            kernels[made++] = kernel;
            run(kernel, k);
        }
        tosajit_stats stats = stats_of(engine);
        assert_true(stats.code_bytes + stats.structure_bytes <= CAP);
        assert_int_equal(stats.kernels, made);
    }
    print_message("%d kernels within %d KiB, %d refusals\n", made, CAP >> 10, refused);
    assert_true(made > 5 && refused > 5);
    /* Where only a kernel's own code was too much, code of single ops stands in. */
    assert_int_equal(stats_of(engine).refused - stats_of(engine).precompiled, refused);
    for (int k = 0; k < made; k++) tosajit_kernel_release(kernels[k]);
    tosajit_engine_destroy(engine);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(statistics_agree_with_the_system),
                    TEST(max_bytes_is_never_passed), TEST(memory_stays_flat));
}
