/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The peer of the pattern sweep: a loop nest over four dimensions, with an inner loop for each way
 * in which its operands move. */
#include "bench/sweep.h"

/* MOVES_A, MOVES_B: 1 or 0 elements per column. Constants, so that the inner loop is made of plain
 * vector loads. */
#define NEST(name, MOVES_A, OP, MOVES_B)                                                           \
    static void name(const sweep_nest *n, const float *restrict a, const float *restrict b,        \
                     float *restrict r) {                                                          \
        const int64_t *size = n->sizes, *sa = n->strides[0], *sb = n->strides[1];                  \
        for (int64_t i = 0; i < size[0]; i++)                                                      \
            for (int64_t j = 0; j < size[1]; j++)                                                  \
                for (int64_t k = 0; k < size[2]; k++) {                                            \
                    const float *x = a + i * sa[0] + j * sa[1] + k * sa[2],                        \
                                *y = b + i * sb[0] + j * sb[1] + k * sb[2];                        \
                    for (int64_t l = 0; l < size[3]; l++) r[l] = x[MOVES_A * l] OP y[MOVES_B * l]; \
                    r += size[3];                                                                  \
                }                                                                                  \
    }

NEST(add_both, 1, +, 1)
NEST(add_a, 1, +, 0)
NEST(add_b, 0, +, 1)
NEST(add_none, 0, +, 0)
NEST(mul_both, 1, *, 1)
NEST(mul_a, 1, *, 0)
NEST(mul_b, 0, *, 1)
NEST(mul_none, 0, *, 0)

typedef void nest_loop(const sweep_nest *, const float *restrict, const float *restrict,
                       float *restrict);

void sweep_loop(const sweep_nest *nest, const float *a, const float *b, float *result) {
    static nest_loop *const nests[2][2] = {{add_none, add_b}, {add_a, add_both}};
    nests[nest->strides[0][3] != 0][nest->strides[1][3] != 0](nest, a, b, result);
}

void sweep_loop_mul(const sweep_nest *nest, const float *a, const float *b, float *result) {
    static nest_loop *const nests[2][2] = {{mul_none, mul_b}, {mul_a, mul_both}};
    nests[nest->strides[0][3] != 0][nest->strides[1][3] != 0](nest, a, b, result);
}
