/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Peers: what a programmer would write by hand in C, compiled for this machine only. In: operands.
 * Out: a result of rows x cols. */
#ifndef TOSAJIT_BENCH_PEERS_H
#define TOSAJIT_BENCH_PEERS_H

#include <stdint.h>

#include "tosajit/tosajit.h"

typedef void peer(void *const *operands, void *result, int64_t rows, int64_t cols);

/* f32 addition; the second operand has the same shape, one element, one row, one column. */
peer peer_add_same, peer_add_scalar, peer_add_row, peer_add_column;
/* A column plus a row. */
peer peer_add_outer;
/* The first of these with stores that bypass the caches; null where the compiler's target has no
 * such 512-bit stores. */
extern peer *const peer_add_streaming;

/* As many bytes moved by the C library as an addition of this form reads and writes. */
peer peer_copy_same, peer_copy_other;
/* f32: without its sign; between 0 and 6. */
peer peer_abs, peer_clamp;

/* Of bool, 16-bit integers and bf16, with an operand of the same shape, a row, a column. */
peer peer_and_same, peer_and_row, peer_and_column;
peer peer_xor_i16_same, peer_xor_i16_row, peer_xor_i16_column;
peer peer_mul_bf16_row, peer_mul_bf16_column;

/* f32 multiplication and maximum, likewise. */
peer peer_mul_same, peer_mul_scalar, peer_mul_row, peer_mul_column, peer_mul_outer;
peer peer_maximum, peer_maximum_scalar, peer_maximum_row, peer_maximum_column, peer_maximum_outer;

/* Writes every element: as many bytes as an operation on small operands has to move. */
peer peer_fill;

/* bf16: rounded to even, in integers. */
peer peer_add_f16, peer_mul_bf16, peer_clamp_i8, peer_maximum_i8;

peer peer_select, peer_cast_f32_i8, peer_cast_i8_f32, peer_mul_shift, peer_shift_right,
    peer_bias_clamp, peer_ten_ops;
peer peer_shift_right_logical, peer_shift_left;
peer peer_requantise, peer_layer_norm_tail;

/* With the compiler's fast mathematics, which calls vector functions of the C library where there
 * are any. */
peer peer_exp, peer_log, peer_sin, peer_cos, peer_pow, peer_tanh, peer_erf, peer_sigmoid, peer_gelu,
    peer_gelu_erf, peer_silu;
peer peer_rsqrt, peer_reciprocal;

/* The op by SLEEF, at most 1 ulp off, in the widest vectors of this machine; for a multiple of 16
 * elements. Null: SLEEF is absent or has no such function. */
peer *peer_sleef(tosajit_op op);

/* Chains around its functions, likewise; null without it. */
extern peer *const peer_sleef_silu, *const peer_sleef_gelu, *const peer_sleef_gelu_erf;

/* In place: the result is the first operand. */
peer peer_add_in_place;

/* Views, as bench/shape_cases.c has them: what a plain loop makes of them, and a hand. The result
 * has rows x cols. */
peer peer_abs_transposed, peer_add_transposed, peer_abs_second, peer_add_wide;
/* In blocks of 16 by 16 (without AVX-512: of plain loops): a copy of the transposed operand; its
 * sum with a dense one. */
peer peer_copy_transposed_blocked, peer_add_transposed_blocked;
/* A copy of every second column; a copy of rows of a wider matrix, with half of it again, as many
 * bytes as a sum. */
peer peer_copy_second, peer_copy_wide;

enum { PEER_CLAMP_LOW = -100, PEER_CLAMP_HIGH = 90 };
enum { PEER_MUL_SHIFT = 20, PEER_MULTIPLIER = 1518500250, PEER_REQUANTISE_SHIFT = 31 };

/* Does nothing, out of the compiler's sight: the cost of a call. */
void peer_empty(const void *context, void *const *pointers, const int64_t *strides, int64_t planes,
                int64_t rows, int64_t cols);

#endif
