/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of runtime/functions/single.h, computed as numbers: at most 1 ulp from libm's
 * double, and to the bit what every engine computes where TOSAJIT_FAST asks for them. In: every
 * 100003rd operand, or every TOSAJIT_STRIDE-th; 1 makes it all. Of every TOSAJIT_THIN-th batch of
 * 8192 the steps and all engines are compared, of the others the machine's own code has the
 * distance. Out: the largest distance of each. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define STEPS_OF_F32
#include "runtime/functions/scalar.h"

#include "runtime/functions/single.h"
#include "tests/support/functions.h"
#include "tosajit/inspect.h"

enum { BATCH = 8192, STRIDE = 100003 };

/* `most`: beyond it the function of f64 is rounded, and there is nothing to compare. */
typedef struct subject {
    tosajit_op op;
    float (*steps)(const lane *l, const float *x);
    double (*exact)(double x);
    float most;
} subject;

static const subject subjects[] = {
#define SUBJECT(name, most)                                                                        \
    { TOSAJIT_OP_##name, f32_function_##name, name, most }
    SUBJECT(exp2, INFINITY),  SUBJECT(expm1, INFINITY), SUBJECT(log1p, INFINITY),
    SUBJECT(log2, INFINITY),  SUBJECT(log10, INFINITY), SUBJECT(sinh, INFINITY),
    SUBJECT(cosh, INFINITY),  SUBJECT(tan, 0x1p16f),    SUBJECT(asin, INFINITY),
    SUBJECT(acos, INFINITY),  SUBJECT(atan, INFINITY),  SUBJECT(asinh, INFINITY),
    SUBJECT(acosh, INFINITY), SUBJECT(atanh, INFINITY), SUBJECT(cbrt, INFINITY)};

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

/* 0 is the interpreter, which is exact. */
static void check_engines(const subject *s, tosajit_kernel *const *kernels, float *x,
                          size_t count) {
    static float r[BATCH];
    for (size_t e = 1; e < test_engine_count; e++) {
        test_run_function(kernels[e], TOSAJIT_F32, x, x, r, (int64_t)count);
        for (size_t k = 0; k < count; k++) {
            const float expected = s->steps(NULL, &x[k]);
            if (test_bits_of(r[k]) != test_bits_of(expected) && !isnan(expected))
                fail_msg("%s: %s(%a) is %a, and by its steps %a", test_engines[e].name,
                         tosajit_op_name(s->op), (double)x[k], (double)r[k], (double)expected);
        }
    }
}

static void steps_are_within_one_ulp_and_what_engines_compute(void **state) {
    (void)state;
    static float x[BATCH], r[BATCH];
    const uint64_t stride = test_setting("TOSAJIT_STRIDE", STRIDE), all = UINT64_C(1) << 32,
                   thin = test_thinning();
    for (size_t n = 0; n < sizeof subjects / sizeof *subjects; n++) {
        const subject *s = &subjects[n];
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        double largest = 0;
        float at = 0;
        test_function_kernels(test_engines, test_engine_count, s->op, TOSAJIT_F32, kernels);
        for (uint64_t bits = 7 * n % stride, batch = 0; bits < all; batch++) {
            size_t count = 0;
            for (; count < BATCH && bits < all; bits += stride) {
                const float value = test_float_of((uint32_t)bits);
                if (!(fabsf(value) > s->most)) x[count++] = value;
            }
            test_run_function(kernels[1], TOSAJIT_F32, x, x, r, (int64_t)count);
            check_distances(s, x, r, count, &largest, &at);
            if (batch % thin == 0) check_engines(s, kernels, x, count);
        }
        test_release_kernels(kernels, test_engine_count);
        printf("| %s f32 | %.4f | `0x%08" PRIx32 "` |\n", tosajit_op_name(s->op), largest,
               test_bits_of(at));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_within_one_ulp_and_what_engines_compute)};
    return cmocka_run_group_tests(tests, test_setup_fast, test_teardown);
}
