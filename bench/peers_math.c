/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Peers with functions of the C library. The build adds -ffast-math to this file, without which
 * compilers call them one element at a time. */
#include <math.h>

#include "bench/peers.h"

#define MATH_PEER(name, expression)                                                                \
    void name(void *const *operands, void *result, int64_t rows, int64_t cols) {                   \
        const float *restrict a = operands[0];                                                     \
        const float *restrict b = operands[1];                                                     \
        float *restrict r = result;                                                                \
        int64_t count = rows * cols;                                                               \
        for (int64_t k = 0; k < count; k++) {                                                      \
            float x = a[k];                                                                        \
            r[k] = (expression);                                                                   \
        }                                                                                          \
        (void)b;                                                                                   \
    }

MATH_PEER(peer_exp, expf(x))
MATH_PEER(peer_log, logf(x))
MATH_PEER(peer_cos, cosf(x))
MATH_PEER(peer_pow, powf(x, b[k]))
MATH_PEER(peer_sin, sinf(x))
MATH_PEER(peer_tanh, tanhf(x))
MATH_PEER(peer_erf, erff(x))
MATH_PEER(peer_sigmoid, 1.0f / (1.0f + expf(-x)))
MATH_PEER(peer_rsqrt, 1.0f / sqrtf(x))
MATH_PEER(peer_reciprocal, 1.0f / x)
MATH_PEER(peer_gelu, 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))))
MATH_PEER(peer_gelu_erf, 0.5f * x * (1.0f + erff(x * 0.7071067812f)))
MATH_PEER(peer_silu, x / (1.0f + expf(-x)))
