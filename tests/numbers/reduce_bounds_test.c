/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How far sums, softmax, layer norm and RMSNorm are from what they are in exact arithmetic: within
 * the bounds that docs/semantics.md states for sums, and what follows from them for the others. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/numbers/exhaustive.h"
#include "tests/support/cmocka.h"
#include "tests/support/functions.h"
#include "tests/support/support.h"
#include "tests/support/text.h"

enum { MOST = 40000, LINES = 3 };

static unsigned char x[MOST * 8], y[MOST * 8];

/* Half a unit in the last place of 1. */
static const long double half_f32 = 0x1p-24L;

static long double number_at(tosajit_type type, const unsigned char *data, int64_t k) {
    return exhaustive_decode(type, exhaustive_load(data, (size_t)k, exhaustive_size(type)));
}

/* The text on each engine. */
static void make_kernels(const char *text, tosajit_kernel **kernels) {
    tosajit_expr *expr = test_parse("", text);
    for (size_t e = 0; e < test_engine_count; e++)
        kernels[e] = test_compile(test_engines[e].engine, expr);
    tosajit_expr_destroy(expr);
}

static void run(const tosajit_kernel *kernel, tosajit_type type, const int64_t *from,
                const int64_t *to) {
    const tosajit_tensor operand = tosajit_dense(type, x, 2, from),
                         result = tosajit_dense(type, y, 2, to);
    if (tosajit_run(kernel, &operand, 1, &result, 1)) fail_msg("%s", tosajit_last_error());
}

/* ---------------------------------------------------------------------------------------------
 * Sums. Every element takes part in so many additions, each of which rounds once. */

static int64_t pieces(int64_t n, int64_t of) { return (n + of - 1) / of; }

static int64_t additions(int64_t n, bool last_axis) {
    const int64_t most = last_axis ? 128 + 5 + pieces(n, 4096) - 1 : 128 + pieces(n, 128) - 1;
    return n - 1 < most ? n - 1 : most;
}

/* Of a type that is summed in itself: the relative error of one addition. Narrower ones are summed
 * in f32. */
static long double half_of(tosajit_type type) { return type == TOSAJIT_F64 ? 0x1p-53L : half_f32; }

/* The most that rounding the sum to a narrower type adds. */
static long double last_rounding(tosajit_type type, long double sum) {
    if (type == TOSAJIT_F16) return fabsl(sum) * 0x1p-11L + 0x1p-25L;
    return type == TOSAJIT_BF16 ? fabsl(sum) * 0x1p-8L : 0;
}

/* A line of elements from 1/32 to 32, whose last places are 2^-57 at least: the multiples of 2^-17
 * have an exact sum in 64 bits, and so has what is left of them. */
static long double exact_sum(tosajit_type type, int64_t first, int64_t step, int64_t n,
                             long double *sizes) {
    long double coarse = 0, fine = 0;
    *sizes = 0;
    for (int64_t k = 0; k < n; k++) {
        const long double number = number_at(type, x, first + k * step),
                          multiple = rintl(number * 0x1p17L) * 0x1p-17L;
        coarse += multiple, fine += number - multiple;
        *sizes += fabsl(number);
    }
    return coarse + fine;
}

static void check_sums(const tosajit_kernel *kernel, const char *engine, tosajit_type type,
                       int64_t n, int axis, long double *worst) {
    const int64_t from[2] = {axis ? LINES : n, axis ? n : LINES},
                  to[2] = {axis ? LINES : 1, axis ? 1 : LINES};
    run(kernel, type, from, to);
    for (int64_t line = 0; line < LINES; line++) {
        long double sizes;
        const long double sum =
            exact_sum(type, axis ? line * n : line, axis ? 1 : LINES, n, &sizes);
        const long double grown = (long double)additions(n, axis == 1) * half_of(type),
                          summed = sizes * grown / (1 - grown),
                          bound = summed + last_rounding(type, fabsl(sum) + summed),
                          error = fabsl(number_at(type, y, line) - sum);
        if (!(error <= bound))
            fail_msg("sums of %s along %d on %s: n %" PRId64 ": error %Lg, bound %Lg",
                     tosajit_type_name(type), axis, engine, n, error, bound);
        if (error / bound > *worst) *worst = error / bound;
    }
}

static void sums_are_as_exact_as_stated(void **state) {
    static const tosajit_type types[] = {TOSAJIT_F16, TOSAJIT_BF16, TOSAJIT_F32, TOSAJIT_F64};
    static const int64_t sizes[] = {1, 2, 31, 33, 128, 129, 1000, 4096, 4097, 3 * 4096 + 5};
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 1));
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int axis = 0; axis < 2; axis++) {
            long double worst = 0;
            char text[80];
            tosajit_kernel *kernels[TEST_MAX_ENGINES];
            snprintf(text, sizeof text, "reduce_sum(x, axis=%d) : %s[?,?]", axis,
                     tosajit_type_name(types[t]));
            make_kernels(text, kernels);
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                for (int64_t i = 0; i < LINES * sizes[k]; i++)
                    test_random_everyday(&random, types[t],
                                         x + (size_t)i * tosajit_type_size(types[t]));
                for (size_t e = 0; e < test_engine_count; e++)
                    check_sums(kernels[e], test_engines[e].name, types[t], sizes[k], axis, &worst);
            }
            test_release_kernels(kernels, test_engine_count);
            print_message("  %s, axis %d: at most %.3Lf of the bound\n",
                          tosajit_type_name(types[t]), axis, worst);
        }
}

/* All of one sign and near the ends of their binades, one after the other: what sums lose most by.
 * One addition after the other would be beyond the bound by far. */
static void long_sums_keep_their_bound(void **state) {
    const int64_t n = MOST / 2, from[2] = {1, n}, to[2] = {1, 1};
    const float element = 0x1.555556p-4f;
    float got, one_by_one = 0;
    for (int64_t k = 0; k < n; k++) {
        memcpy(x + (size_t)k * sizeof element, &element, sizeof element);
        one_by_one += element;
    }
    const long double sum = (long double)element * (long double)n,
                      bound = sum * (long double)additions(n, true) * half_f32;
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    make_kernels("reduce_sum(x, axis=-1) : f32[?,?]", kernels);
    for (size_t e = 0; e < test_engine_count; e++) {
        run(kernels[e], TOSAJIT_F32, from, to);
        memcpy(&got, y, sizeof got);
        if (!(fabsl(got - sum) <= bound))
            fail_msg("%s: error %Lg, bound %Lg", test_engines[e].name, fabsl(got - sum), bound);
    }
    test_release_kernels(kernels, test_engine_count);
    assert_true(fabsl(one_by_one - sum) > bound);
}

/* ---------------------------------------------------------------------------------------------
 * Softmax, layer norm, RMSNorm of f32. Units are half_f32; what products of two of them would add,
 * the factor below allows for. */

static const long double second_order = 1.01L;
static const float epsilon = 0x1p-17f;

typedef struct row {
    int64_t n;
    long double x[MOST], additions;
} row;
static row given;

/* e^(x - m): the difference is rounded, and changes the result by as much as it is; then two
 * roundings, of exp and of the quotient, and those of the sum. */
static void softmax(const row *r, long double *exact, long double *bound) {
    long double most = r->x[0], sum = 0;
    for (int64_t k = 1; k < r->n; k++) most = fmaxl(most, r->x[k]);
    long double widest = 0;
    for (int64_t k = 0; k < r->n; k++) {
        exact[k] = expl(r->x[k] - most), sum += exact[k];
        widest = fmaxl(widest, most - r->x[k]);
    }
    for (int64_t k = 0; k < r->n; k++) {
        exact[k] /= sum;
        bound[k] = exact[k] * (2 * widest + r->additions + 3) + 0x1p-125L;
    }
}

/* z = (x - mean) / s. The mean is off by `off`, which the difference and s take over. */
static void layer_norm(const row *r, long double *exact, long double *bound) {
    long double mean = 0, sizes = 0, variance = 0;
    for (int64_t k = 0; k < r->n; k++) mean += r->x[k], sizes += fabsl(r->x[k]);
    mean /= (long double)r->n, sizes /= (long double)r->n;
    for (int64_t k = 0; k < r->n; k++) variance += powl(r->x[k] - mean, 2) / (long double)r->n;
    const long double s = sqrtl(variance + epsilon), off = (r->additions + 1) * sizes / s;
    for (int64_t k = 0; k < r->n; k++) {
        exact[k] = (r->x[k] - mean) / s;
        bound[k] = off + fabsl(exact[k]) * ((r->additions + 6) / 2 + off + 3);
    }
}

static void rms_norm(const row *r, long double *exact, long double *bound) {
    long double squares = 0;
    for (int64_t k = 0; k < r->n; k++) squares += r->x[k] * r->x[k] / (long double)r->n;
    const long double s = sqrtl(squares + epsilon);
    for (int64_t k = 0; k < r->n; k++) {
        exact[k] = r->x[k] / s;
        bound[k] = fabsl(exact[k]) * ((r->additions + 3) / 2 + 2);
    }
}

static const struct {
    const char *name, *text;
    void (*exact)(const row *r, long double *exact, long double *bound);
} functions[] = {
    {"softmax", "m = reduce_max(x, axis=-1); e = exp(x - m); e / reduce_sum(e, axis=-1) : f32[?,?]",
     softmax},
    {"layer norm",
     "n = reduce_count(x, axis=-1); d = x - reduce_sum(x, axis=-1) / n;"
     "d * rsqrt(reduce_sum(d * d, axis=-1) / n + 0.00000762939453125) : f32[?,?]",
     layer_norm},
    {"RMSNorm",
     "x * rsqrt(reduce_sum(x * x, axis=-1) / reduce_count(x, axis=-1) + 0.00000762939453125) "
     ": f32[?,?]",
     rms_norm},
};

static void check_function(const tosajit_kernel *kernel, const char *engine, size_t which,
                           int64_t n, long double *worst) {
    static long double exact[MOST], bound[MOST];
    const int64_t dims[2] = {LINES, n};
    run(kernel, TOSAJIT_F32, dims, dims);
    for (int64_t line = 0; line < LINES; line++) {
        given.n = n;
        given.additions = (long double)additions(n, true);
        for (int64_t k = 0; k < n; k++) given.x[k] = number_at(TOSAJIT_F32, x, line * n + k);
        functions[which].exact(&given, exact, bound);
        for (int64_t k = 0; k < n; k++) {
            const long double error = fabsl(number_at(TOSAJIT_F32, y, line * n + k) - exact[k]),
                              most = bound[k] * half_f32 * second_order;
            if (!(error <= most))
                fail_msg("%s on %s, n %" PRId64 ", element %" PRId64 ": error %Lg, bound %Lg",
                         functions[which].name, engine, n, k, error, most);
            if (error / most > *worst) *worst = error / most;
        }
    }
}

static void what_is_made_of_sums_is_as_exact_as_it_follows(void **state) {
    static const int64_t sizes[] = {2, 3, 17, 64, 100, 768, 1000, 4097, 3 * 4096 + 5};
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", 2));
    for (size_t which = 0; which < sizeof functions / sizeof *functions; which++) {
        long double worst = 0;
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        make_kernels(functions[which].text, kernels);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (int64_t i = 0; i < LINES * sizes[k]; i++)
                test_random_everyday(&random, TOSAJIT_F32, x + (size_t)i * sizeof(float));
            for (size_t e = 0; e < test_engine_count; e++)
                check_function(kernels[e], test_engines[e].name, which, sizes[k], &worst);
        }
        test_release_kernels(kernels, test_engine_count);
        print_message("  %s: at most %.3Lf of the bound\n", functions[which].name, worst);
    }
}

int main(void) {
    return TEST_RUN(test_setup_exact, test_teardown, TEST(sums_are_as_exact_as_stated),
                    TEST(long_sums_keep_their_bound),
                    TEST(what_is_made_of_sums_is_as_exact_as_it_follows));
}
