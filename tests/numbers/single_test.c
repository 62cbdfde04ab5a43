/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of runtime/functions/single.h and single_tosa.h, computed as numbers: at most 1 ulp
 * from libm's double, and to the bit what every engine computes where TOSAJIT_REPRODUCIBLE asks for
 * them. In: every 100003rd operand, or every TOSAJIT_STRIDE-th; 1 makes it all. Of every
 * TOSAJIT_THIN-th batch of 8192 the steps and all engines are compared, of the others the machine's
 * own code has the distance. Names of ops choose among the functions. Out: the largest distance of
 * each, and a digest of all results. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/support/cmocka.h"

#define STEPS_OF_F32
#include "runtime/functions/scalar.h"

#include "runtime/functions/single.h"
#include "runtime/functions/single_tosa.h"
#include "tests/support/functions.h"
#include "tests/support/golden.h"
#include "tosajit/inspect.h"

enum { BATCH = 8192, STRIDE = 100003 };

/* Where an operand is rare, the exact tier's result is wanted, and not the steps'. */
typedef struct subject {
    tosajit_op op;
    float (*steps)(const lane *l, const float *x);
    bool (*rare)(const lane *l, const float *x);
    double (*exact)(double x);
} subject;

static bool never(const lane *l, const float *x) { return (void)l, (void)x, false; }
static double sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static double rsqrt(double x) { return 1 / sqrt(x); }

static const subject subjects[] = {
#define F32_TOSA(name) {TOSAJIT_OP_##name, f32_function_##name, never, name},
#define F32_TOSA_BUT(name, rare) {TOSAJIT_OP_##name, f32_function_##name, rare, name},
#define F32_FUNCTION(name) F32_TOSA(name)
#define F32_FUNCTION_BUT(name, rare) F32_TOSA_BUT(name, rare)
#define F32_OF_TWO_BUT(name, rare) /* fast_test has these */
#include "runtime/functions/single_list.h"
};

/* The names that the command gave; none are all. */
static char **wanted;
static int wanted_count;
static bool is_wanted(tosajit_op op) {
    for (int k = 0; k < wanted_count; k++)
        if (strcmp(wanted[k], tosajit_op_name(op)) == 0) return true;
    return wanted_count == 0;
}

/* In units of the last place of f32 at the exact value; infinity stands for 2^128. */
static double distance(float actual, double exact) {
    int exponent;
    const double failed = (double)INFINITY;
    if (isnan(exact) || isnan(actual)) return isnan(exact) && isnan(actual) ? 0 : failed;
    if (isinf(exact) || exact == 0 || !signbit(exact) != !signbit(actual))
        return (double)actual == exact && !signbit(exact) == !signbit(actual) ? 0 : failed;
    if (isinf(actual)) return fabs(exact) >= 0x1.fffffep127 ? 0 : failed;
    frexp(exact, &exponent);
    return ldexp(fabs((double)actual - exact), 24 - (exponent < -125 ? -125 : exponent));
}

static void check_distances(const subject *s, const float *x, const float *r, size_t count,
                            double *largest, float *at) {
    for (size_t k = 0; k < count; k++) {
        const double d = distance(r[k], s->exact((double)x[k]));
        if (d > *largest) *largest = d, *at = x[k];
        if (d > 1)
            fail_msg("%s(%a) is %a, %g ulp from %a", tosajit_op_name(s->op), (double)x[k],
                     (double)r[k], d, s->exact((double)x[k]));
    }
}

static void check_engines(const subject *s, tosajit_kernel *const *kernels, float *x,
                          size_t count) {
    static float r[BATCH];
    for (size_t e = 0; e < test_engine_count; e++) {
        test_run_function(kernels[e], TOSAJIT_F32, x, x, r, (int64_t)count);
        for (size_t k = 0; k < count; k++) {
            if (s->rare(NULL, &x[k])) continue;
            const float expected = s->steps(NULL, &x[k]);
            if (test_bits_of(r[k]) != test_bits_of(expected) && !isnan(expected))
                fail_msg("%s: %s(%a) is %a, and by its steps %a", test_engines[e].name,
                         tosajit_op_name(s->op), (double)x[k], (double)r[k], (double)expected);
        }
    }
}

static void steps_are_within_one_ulp_and_what_engines_compute(void **state) {
    static float x[BATCH], r[BATCH];
    const uint64_t stride = test_setting("TOSAJIT_STRIDE", STRIDE), all = UINT64_C(1) << 32,
                   thin = test_thinning();
    for (size_t n = 0; n < sizeof subjects / sizeof *subjects; n++) {
        const subject *s = &subjects[n];
        if (!is_wanted(s->op)) continue;
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        double largest = 0;
        float at = 0;
        uint64_t digest = GOLDEN_START;
        test_function_kernels(test_engines, test_engine_count, s->op, TOSAJIT_F32, kernels);
        for (uint64_t bits = 7 * n % stride, batch = 0; bits < all; batch++) {
            size_t count = 0;
            for (; count < BATCH && bits < all; bits += stride)
                x[count++] = test_float_of((uint32_t)bits);
            test_run_function(kernels[1], TOSAJIT_F32, x, x, r, (int64_t)count);
            check_distances(s, x, r, count, &largest, &at);
            for (size_t k = 0; k < count; k++) /* NaN has many forms */
                if (isnan(r[k])) r[k] = (float)NAN;
            digest = golden_hash(digest, r, count * sizeof *r);
            if (batch % thin == 0) check_engines(s, kernels, x, count);
        }
        test_release_kernels(kernels, test_engine_count);
        printf("| %s | %.4f | `0x%08" PRIx32 "` | `%016" PRIx64 "` |\n", tosajit_op_name(s->op),
               largest, test_bits_of(at), digest);
    }
}

int main(int argc, char **argv) {
    wanted = argv + 1, wanted_count = argc - 1;
    return TEST_RUN(test_setup_fast, test_teardown,
                    TEST(steps_are_within_one_ulp_and_what_engines_compute));
}
