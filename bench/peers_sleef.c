/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Peers from SLEEF's vector functions of 1.0 ulp, called without its dispatcher. In: whole vectors.
 * Out: whole vectors. Where the build has not found SLEEF, there are none. */
#include "bench/peers.h"

#include <stddef.h>

#if defined(TOSAJIT_BENCH_SLEEF) && defined(__AVX512F__)
#include <immintrin.h>
#include <sleef.h>
#define HAS_SLEEF 1
#define LANES 16
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define FUNCTION(name) Sleef_##name##f16_u10avx512f
#elif defined(TOSAJIT_BENCH_SLEEF) && defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#include <sleef.h>
#define HAS_SLEEF 1
#define LANES 8
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define FUNCTION(name) Sleef_##name##f8_u10avx2
#elif defined(TOSAJIT_BENCH_SLEEF) && defined(__ARM_NEON)
#include <arm_neon.h>
#include <sleef.h>
#define HAS_SLEEF 1
#define LANES 4
#define LOAD vld1q_f32
#define STORE vst1q_f32
#define FUNCTION(name) Sleef_##name##f4_u10advsimd
#endif

#if defined(HAS_SLEEF)
#define SLEEF_PEER(name, ...)                                                                      \
    static void sleef_##name(void *const *operands, void *result, int64_t rows, int64_t cols) {    \
        const float *a = operands[0], *b = operands[1];                                            \
        float *r = result;                                                                         \
        for (int64_t k = 0; k < rows * cols; k += LANES)                                           \
            STORE(r + k, FUNCTION(name)(__VA_ARGS__));                                             \
        (void)b;                                                                                   \
    }

SLEEF_PEER(exp, LOAD(a + k))
SLEEF_PEER(log, LOAD(a + k))
SLEEF_PEER(tanh, LOAD(a + k))
SLEEF_PEER(erf, LOAD(a + k))
SLEEF_PEER(sin, LOAD(a + k))
SLEEF_PEER(cos, LOAD(a + k))
SLEEF_PEER(pow, LOAD(a + k), LOAD(b + k))

/* Vectors add and multiply like numbers here, an extension of the compilers that have these
 * vectors. */
#define SLEEF_CHAIN(name, expression)                                                              \
    static void chain_##name(void *const *operands, void *result, int64_t rows, int64_t cols) {    \
        const float *a = operands[0];                                                              \
        float *r = result;                                                                         \
        for (int64_t k = 0; k < rows * cols; k += LANES) {                                         \
            __typeof__(LOAD(a)) x = LOAD(a + k);                                                   \
            STORE(r + k, expression);                                                              \
        }                                                                                          \
    }                                                                                              \
    peer *const peer_sleef_##name = chain_##name;

SLEEF_CHAIN(silu, x / (1.0f + FUNCTION(exp)(-x)))
SLEEF_CHAIN(gelu, 0.5f * x * (1.0f + FUNCTION(tanh)(0.7978845608f * (x + 0.044715f * x * x * x))))
SLEEF_CHAIN(gelu_erf, 0.5f * x * (1.0f + FUNCTION(erf)(x * 0.7071067812f)))

peer *peer_sleef(tosajit_op op) {
    static peer *const peers[TOSAJIT_OP_COUNT] = {
        [TOSAJIT_OP_exp] = sleef_exp, [TOSAJIT_OP_log] = sleef_log, [TOSAJIT_OP_tanh] = sleef_tanh,
        [TOSAJIT_OP_erf] = sleef_erf, [TOSAJIT_OP_sin] = sleef_sin, [TOSAJIT_OP_cos] = sleef_cos,
        [TOSAJIT_OP_pow] = sleef_pow,
    };
    return peers[op];
}
#else
peer *const peer_sleef_silu = NULL, *const peer_sleef_gelu = NULL,
            *const peer_sleef_gelu_erf = NULL;

peer *peer_sleef(tosajit_op op) {
    (void)op;
    return NULL;
}
#endif
