/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Transpose: copies rows and columns between two places, by their strides in bytes. One of them may
 * have its rows close together, as a transposed matrix has, and the other, a buffer, its columns.
 */
#ifndef TOSAJIT_RUNTIME_TILE_TRANSPOSE_H
#define TOSAJIT_RUNTIME_TILE_TRANSPOSE_H

#include <stdint.h>

/* Element (r, c) lies at data + r * row + c * column. */
typedef struct transpose_side {
    char *data;
    int64_t row, column;
} transpose_side;

/* Copy rows x cols elements of 1, 2, 4 or 8 bytes. Quick where one side's rows and the other's
 * columns are contiguous. */
void transpose_copy(const transpose_side *to, const transpose_side *from, int64_t rows,
                    int64_t cols, uint8_t size);

#endif
