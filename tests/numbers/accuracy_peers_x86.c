/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SLEEF, libmvec and code that MLIR generated, for 8 lanes of AVX2. Built with PEERS_SLEEF,
 * PEERS_LIBMVEC and PEERS_MLIR set to 1 where the build found them. What a library does not have is
 * composed as a user would: sigmoid from its exponential function. */
#include <immintrin.h>
#if PEERS_SLEEF
#include <sleef.h>
#endif

#include "tests/numbers/accuracy_peers.h"

const char peers_missing[] =
    ""
#if !PEERS_SLEEF
    "SLEEF is not compared: sleef.h or libsleef was not found.\n"
#endif
#if !PEERS_LIBMVEC
    "libmvec is not compared: the library was not found.\n"
#endif
#if !PEERS_MLIR
    "MLIR is not compared: mlir-opt, mlir-translate or clang of LLVM 22 was not found.\n"
#endif
    ;

#define UNARY(name, expression)                                                                    \
    static void name(const float *x, const float *y, float *r, size_t count) {                     \
        (void)y;                                                                                   \
        for (size_t k = 0; k < count; k += 8) {                                                    \
            __m256 v = _mm256_loadu_ps(x + k);                                                     \
            _mm256_storeu_ps(r + k, expression);                                                   \
        }                                                                                          \
    }
#define BINARY(name, function)                                                                     \
    static void name(const float *x, const float *y, float *r, size_t count) {                     \
        for (size_t k = 0; k < count; k += 8)                                                      \
            _mm256_storeu_ps(r + k, function(_mm256_loadu_ps(x + k), _mm256_loadu_ps(y + k)));     \
    }
#define SIGMOID(exponential)                                                                       \
    _mm256_div_ps(                                                                                 \
        _mm256_set1_ps(1),                                                                         \
        _mm256_add_ps(_mm256_set1_ps(1), exponential(_mm256_xor_ps(v, _mm256_set1_ps(-0.0f)))))

#if PEERS_SLEEF
UNARY(sleef_cos, Sleef_cosf8_u10avx2(v))
UNARY(sleef_erf, Sleef_erff8_u10avx2(v))
UNARY(sleef_exp, Sleef_expf8_u10avx2(v))
UNARY(sleef_log, Sleef_logf8_u10avx2(v))
UNARY(sleef_sigmoid, SIGMOID(Sleef_expf8_u10avx2))
UNARY(sleef_sin, Sleef_sinf8_u10avx2(v))
UNARY(sleef_tanh, Sleef_tanhf8_u10avx2(v))
BINARY(sleef_pow, Sleef_powf8_u10avx2)
#endif

#if PEERS_LIBMVEC
/* NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's. */
__m256 _ZGVdN8v_cosf(__m256);
__m256 _ZGVdN8v_erff(__m256);
__m256 _ZGVdN8v_expf(__m256);
__m256 _ZGVdN8v_logf(__m256);
__m256 _ZGVdN8v_sinf(__m256);
__m256 _ZGVdN8v_tanhf(__m256);
__m256 _ZGVdN8vv_powf(__m256, __m256);
/* NOLINTEND(bugprone-reserved-identifier) */
UNARY(libmvec_cos, _ZGVdN8v_cosf(v))
UNARY(libmvec_erf, _ZGVdN8v_erff(v))
UNARY(libmvec_exp, _ZGVdN8v_expf(v))
UNARY(libmvec_log, _ZGVdN8v_logf(v))
UNARY(libmvec_sigmoid, SIGMOID(_ZGVdN8v_expf))
UNARY(libmvec_sin, _ZGVdN8v_sinf(v))
UNARY(libmvec_tanh, _ZGVdN8v_tanhf(v))
BINARY(libmvec_pow, _ZGVdN8vv_powf)
#endif

#if PEERS_MLIR
enum { MLIR_COUNT = 4096 }; /* elements of the functions in accuracy_peers.mlir */
void mlir_cos(const float *, float *);
void mlir_erf(const float *, float *);
void mlir_exp(const float *, float *);
void mlir_log(const float *, float *);
void mlir_rsqrt(const float *, float *);
void mlir_sigmoid(const float *, float *);
void mlir_sin(const float *, float *);
void mlir_tanh(const float *, float *);
void mlir_pow(const float *, const float *, float *);

#define GENERATED(name)                                                                            \
    static void run_##name(const float *x, const float *y, float *r, size_t count) {               \
        (void)y;                                                                                   \
        for (size_t k = 0; k + MLIR_COUNT <= count; k += MLIR_COUNT) name(x + k, r + k);           \
    }
GENERATED(mlir_cos)
GENERATED(mlir_erf)
GENERATED(mlir_exp)
GENERATED(mlir_log)
GENERATED(mlir_rsqrt)
GENERATED(mlir_sigmoid)
GENERATED(mlir_sin)
GENERATED(mlir_tanh)
static void run_mlir_pow(const float *x, const float *y, float *r, size_t count) {
    for (size_t k = 0; k + MLIR_COUNT <= count; k += MLIR_COUNT) mlir_pow(x + k, y + k, r + k);
}
#endif

const peer x86_peers[] = {
#if PEERS_SLEEF
    {"SLEEF u10", TOSAJIT_OP_cos, sleef_cos},
    {"SLEEF u10", TOSAJIT_OP_erf, sleef_erf},
    {"SLEEF u10", TOSAJIT_OP_exp, sleef_exp},
    {"SLEEF u10", TOSAJIT_OP_log, sleef_log},
    {"SLEEF u10", TOSAJIT_OP_sigmoid, sleef_sigmoid},
    {"SLEEF u10", TOSAJIT_OP_sin, sleef_sin},
    {"SLEEF u10", TOSAJIT_OP_tanh, sleef_tanh},
    {"SLEEF u10", TOSAJIT_OP_pow, sleef_pow},
#endif
#if PEERS_LIBMVEC
    {"libmvec", TOSAJIT_OP_cos, libmvec_cos},
    {"libmvec", TOSAJIT_OP_erf, libmvec_erf},
    {"libmvec", TOSAJIT_OP_exp, libmvec_exp},
    {"libmvec", TOSAJIT_OP_log, libmvec_log},
    {"libmvec", TOSAJIT_OP_sigmoid, libmvec_sigmoid},
    {"libmvec", TOSAJIT_OP_sin, libmvec_sin},
    {"libmvec", TOSAJIT_OP_tanh, libmvec_tanh},
    {"libmvec", TOSAJIT_OP_pow, libmvec_pow},
#endif
#if PEERS_MLIR
    {"MLIR polynomial", TOSAJIT_OP_cos, run_mlir_cos},
    {"MLIR polynomial", TOSAJIT_OP_erf, run_mlir_erf},
    {"MLIR polynomial", TOSAJIT_OP_exp, run_mlir_exp},
    {"MLIR polynomial", TOSAJIT_OP_log, run_mlir_log},
    {"MLIR polynomial", TOSAJIT_OP_rsqrt, run_mlir_rsqrt},
    {"MLIR polynomial", TOSAJIT_OP_sigmoid, run_mlir_sigmoid},
    {"MLIR polynomial", TOSAJIT_OP_sin, run_mlir_sin},
    {"MLIR polynomial", TOSAJIT_OP_tanh, run_mlir_tanh},
    {"MLIR polynomial", TOSAJIT_OP_pow, run_mlir_pow},
#endif
    {NULL, TOSAJIT_OP_COUNT, NULL},
};
