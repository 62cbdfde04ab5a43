/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit-bench-functions: functions of f64 beside SLEEF's of 1.0 ulp (erfc: 1.5, hypot: 0.5) and
 * glibc's libmvec. In: nothing. Out: a row of Markdown for each function and level, nanoseconds an
 * element of 4096 in the cache. They take turns, and the least time of each counts. */
#define _POSIX_C_SOURCE 200809L
#include <immintrin.h>
#include <sleef.h>
#include <stdio.h>
#include <time.h>

#include "tosajit/inspect.h"

enum { COUNT = 4096, TURNS = 25, CALLS = 20, LEVELS = 2 };

typedef void peer(const double *x, const double *y, double *r);

/* A loop over vectors of a level. */
#define LOOP_V3(name, ...)                                                                         \
    static void name(const double *x, const double *y, double *r) {                                \
        for (int k = 0; k < COUNT; k += 4) _mm256_storeu_pd(r + k, __VA_ARGS__);                   \
        (void)x, (void)y;                                                                          \
    }
#define LOOP_V4(name, ...)                                                                         \
    static void name(const double *x, const double *y, double *r) {                                \
        for (int k = 0; k < COUNT; k += 8) _mm512_storeu_pd(r + k, __VA_ARGS__);                   \
        (void)x, (void)y;                                                                          \
    }
#define X3 _mm256_loadu_pd(x + k)
#define Y3 _mm256_loadu_pd(y + k)
#define X4 _mm512_loadu_pd(x + k)
#define Y4 _mm512_loadu_pd(y + k)
#define ONE(name, ulp)                                                                             \
    __m256d _ZGVdN4v_##name(__m256d);                                                              \
    __m512d _ZGVeN8v_##name(__m512d);                                                              \
    LOOP_V3(sleef_v3_##name, Sleef_##name##d4_##ulp##avx2(X3))                                     \
    LOOP_V4(sleef_v4_##name, Sleef_##name##d8_##ulp##avx512f(X4))                                  \
    LOOP_V3(libmvec_v3_##name, _ZGVdN4v_##name(X3))                                                \
    LOOP_V4(libmvec_v4_##name, _ZGVeN8v_##name(X4))
#define TWO(name, ulp)                                                                             \
    __m256d _ZGVdN4vv_##name(__m256d, __m256d);                                                    \
    __m512d _ZGVeN8vv_##name(__m512d, __m512d);                                                    \
    LOOP_V3(sleef_v3_##name, Sleef_##name##d4_##ulp##avx2(X3, Y3))                                 \
    LOOP_V4(sleef_v4_##name, Sleef_##name##d8_##ulp##avx512f(X4, Y4))                              \
    LOOP_V3(libmvec_v3_##name, _ZGVdN4vv_##name(X3, Y3))                                           \
    LOOP_V4(libmvec_v4_##name, _ZGVeN8vv_##name(X4, Y4))

/* clang-format off */
ONE(exp, u10)
ONE(log, u10)
ONE(sin, u10)
ONE(cos, u10)
ONE(tanh, u10)
ONE(erf, u10)
ONE(exp2, u10)
ONE(expm1, u10)
ONE(log1p, u10)
ONE(log2, u10)
ONE(log10, u10)
ONE(sinh, u10)
ONE(cosh, u10)
ONE(tan, u10)
ONE(asin, u10)
ONE(acos, u10)
ONE(atan, u10)
ONE(asinh, u10)
ONE(acosh, u10)
ONE(atanh, u10)
ONE(cbrt, u10)
ONE(erfc, u15)
TWO(pow, u10)
TWO(atan2, u10)
TWO(hypot, u05)

/* clang-format on */

/* Operands are even between low and high, of either operand. */
static const struct {
    tosajit_op op;
    double low, high;
    peer *peers[LEVELS][2];
} rows[] = {
/* clang-format off */
#define ROW(name, low, high)                                                                       \
    {TOSAJIT_OP_##name,                                                                            \
     low,                                                                                          \
     high,                                                                                         \
     {{sleef_v3_##name, libmvec_v3_##name}, {sleef_v4_##name, libmvec_v4_##name}}},
        ROW(exp, -20.0, 20.0)
    ROW(log, 0.001, 100.0)
    ROW(sin, -10.0, 10.0)
    ROW(cos, -10.0, 10.0)
    ROW(tanh, -3.0, 3.0)
    ROW(erf, -3.0, 3.0)
    ROW(exp2, -20.0, 20.0)
    ROW(expm1, -5.0, 5.0)
    ROW(log1p, 0.0, 100.0)
    ROW(log2, 0.001, 100.0)
    ROW(log10, 0.001, 100.0)
    ROW(sinh, -5.0, 5.0)
    ROW(cosh, -5.0, 5.0)
    ROW(tan, -10.0, 10.0)
    ROW(asin, -0.99, 0.99)
    ROW(acos, -0.99, 0.99)
    ROW(atan, -5.0, 5.0)
    ROW(asinh, -5.0, 5.0)
    ROW(acosh, 1.0, 10.0)
    ROW(atanh, -0.99, 0.99)
    ROW(cbrt, -10.0, 10.0)
    ROW(erfc, -3.0, 5.0)
    ROW(pow, 0.1, 10.0)
    ROW(atan2, -5.0, 5.0)
    ROW(hypot, -5.0, 5.0)
    /* clang-format on */
};

static double x[COUNT], y[COUNT], r[COUNT];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static tosajit_kernel *compile(tosajit_op op, const char *cpu) {
    const tosajit_engine_options options = {.size = sizeof options, .cpu = cpu};
    const int64_t any[1] = {TOSAJIT_DYNAMIC};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F64, 1, any);
    tosajit_engine *engine = NULL;
    tosajit_kernel *kernel = NULL;
    if (tosajit_engine_create(&options, &engine) ||
        tosajit_compile(engine, op, (tosajit_tensor_type[]){type, type},
                        (size_t)tosajit_op_arity(op), NULL, NULL, &kernel))
        fprintf(stderr, "%s on %s: %s\n", tosajit_op_name(op), cpu, tosajit_last_error());
    return kernel; /* which keeps its engine until the end */
}

static void run(const tosajit_kernel *kernel, int arity) {
    const int64_t dims[1] = {COUNT};
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F64, x, 1, dims),
                                        tosajit_dense(TOSAJIT_F64, y, 1, dims)},
                         result = tosajit_dense(TOSAJIT_F64, r, 1, dims);
    if (tosajit_run(kernel, operands, (size_t)arity, &result, 1))
        fprintf(stderr, "%s\n", tosajit_last_error());
}

static void measure(size_t n, int level) {
    static const char *const cpus[LEVELS] = {"x86-64-v3", "x86-64-v4"};
    const tosajit_op op = rows[n].op;
    tosajit_kernel *kernel = compile(op, cpus[level]);
    double best[3] = {1e99, 1e99, 1e99};
    for (int turn = 0; kernel && turn < TURNS; turn++)
        for (int who = 0; who < 3; who++) {
            const double begin = now();
            for (int k = 0; k < CALLS; k++)
                if (who)
                    rows[n].peers[level][who - 1](x, y, r);
                else
                    run(kernel, tosajit_op_arity(op));
            const double each = (now() - begin) / (double)(COUNT * CALLS);
            if (each < best[who]) best[who] = each;
        }
    printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", tosajit_op_name(op), cpus[level],
           best[0], best[1], best[2], best[0] / best[1], best[0] / best[2]);
    tosajit_kernel_release(kernel);
}

int main(void) {
    printf("| function | level | ns | SLEEF | libmvec | of SLEEF | of libmvec |\n"
           "|---|---|--:|--:|--:|--:|--:|\n");
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        for (int k = 0; k < COUNT; k++) {
            const double part = ((unsigned)k * 2654435761u % COUNT) / (double)COUNT,
                         other = ((unsigned)k * 40503u % COUNT) / (double)COUNT;
            x[k] = rows[n].low + (rows[n].high - rows[n].low) * part;
            y[k] = rows[n].low + (rows[n].high - rows[n].low) * other;
        }
        for (int level = 0; level < LEVELS; level++) measure(n, level);
    }
    return 0;
}
