/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Buffers: the memory that all contenders of all cases share, so that a difference between two of
 * them is not one of pages. In: a kind and a position. Out: filled memory that lives until
 * buffers_release. */
#ifndef TOSAJIT_BENCH_BUFFERS_H
#define TOSAJIT_BENCH_BUFFERS_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

enum {
    BUFFER_OPERANDS = 3,               /* per element type */
    BUFFER_MAX_F32 = 16 * 1024 * 1024, /* elements of an f32 buffer */
    BUFFER_MAX_OTHER = 1024 * 1024,    /* elements of the others */
    BUFFER_RESULTS = 4,                /* as large as an f32 operand, any type */
    BUFFER_LARGE = 64 * 1024 * 1024,   /* elements of the large ones */
    BUFFER_LARGES = 3,
};

/* Operand `index` of that type: f32 in [-4, 4), i8 over its range, i32 in [0, 31], i1 0 or 1, f16
 * and bf16 between 1/8 and 2, of both signs. Null: out of memory. */
void *buffer_operand(tosajit_type type, int index);
/* f32 in (0, 4], as many as the others have. Null: out of memory. */
void *buffer_positive(void);
/* i32 of 20 bits, as sums of products of bytes. Null: out of memory. */
void *buffer_sums(void);
/* Memory for results and intermediate values. */
void *buffer_result(int index);
/* f32, beyond every cache: 0 and 1 are filled like operands, 2 is for results. Null: out of memory.
 */
void *buffer_large(int index);
void buffers_release(void);

/* True if results agree: integers exactly, f32 within `tolerance`, relative beyond 1 and absolute
 * below. */
bool buffer_agrees(tosajit_type type, const void *a, const void *b, int64_t count,
                   double tolerance);

#endif
