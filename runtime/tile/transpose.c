/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Transpose: elements of four bytes by squares of four in registers, all else by loops. Squares of
 * 16, with AVX-512, take 0.6 of a copy's time, but no call takes less for them. Into every second
 * word AVX-512 stores eight at once: a sum of 128x128 f32 into such columns takes 0.52 of the time.
 */
#include "runtime/tile/transpose.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/features.h"

/* Four words, anywhere in memory: SSE's or NEON's registers. */
typedef uint32_t words __attribute__((vector_size(16), aligned(1), may_alias));

/* The words of two registers, one after the other, that these numbers name. */
#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (words){__VA_ARGS__})
#endif

/* Write words to every second place; a mask keeps what lies between. How many are done. */
#if defined(__x86_64__)
#include <immintrin.h>
__attribute__((target("avx512f"))) static int64_t write_every_second(char *to, const char *from,
                                                                     int64_t count) {
    const __mmask16 seconds = 0x5555;
    int64_t k = 0;
    for (; k + 8 <= count; k += 8)
        _mm512_mask_storeu_epi32(
            to + 8 * k, seconds,
            _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(from + 4 * k))));
    return k;
}
#else
static int64_t write_every_second(char *to, const char *from, int64_t count) {
    return (void)to, (void)from, (void)count, 0;
}
#endif

/* Elements of four bytes. The last of every second have no memory behind them. */
static void copy_words(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                       int64_t count) {
    const bool reads = to_stride == 4 && from_stride == 8,
               writes = to_stride == 8 && from_stride == 4 && features_permuted_bytes() == 64;
    int64_t k = writes ? write_every_second(to, from, count) : 0;
    for (; reads && k + 4 < count; k += 4) {
        const words *const pairs = (const words *)(const void *)(from + 8 * k);
        *(words *)(void *)(to + 4 * k) = SHUFFLE(pairs[0], pairs[1], 0, 2, 4, 6);
    }
    for (; k < count; k++) memcpy(to + k * to_stride, from + k * from_stride, 4);
}

/* `count` elements, each `to_stride` and `from_stride` bytes after the one before. */
static void copy_line(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                      int64_t count, uint8_t size) {
    int64_t k = 0;
    switch (size) { /* a constant size makes each copy one load and one store */
    case 1:
        for (; k < count; k++) to[k * to_stride] = from[k * from_stride];
        break;
    case 2:
        for (; k < count; k++) memcpy(to + k * to_stride, from + k * from_stride, 2);
        break;
    case 4: copy_words(to, to_stride, from, from_stride, count); break;
    default:
        for (; k < count; k++) memcpy(to + k * to_stride, from + k * from_stride, 8);
        break;
    }
}

/* One square: four lines of from, `from_stride` bytes apart, become four columns. */
static inline void copy_square(char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    words a[4], b[4];
    for (int k = 0; k < 4; k++) a[k] = *(const words *)(const void *)(from + k * from_stride);
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 2; k++) {
            b[2 * k] = SHUFFLE(a[k], a[k + 2], 0, 4, 1, 5);
            b[2 * k + 1] = SHUFFLE(a[k], a[k + 2], 2, 6, 3, 7);
        }
        memcpy(a, b, sizeof a);
    }
    for (int k = 0; k < 4; k++) *(words *)(void *)(to + k * to_stride) = a[k];
}

/* Rows and columns that are a multiple of four, of four bytes each; from's rows and to's columns
 * are contiguous. */
static void copy_squares(const transpose_side *to, const transpose_side *from, int64_t rows,
                         int64_t cols) {
    for (int64_t c = 0; c < cols; c += 4) {
        const char *source = from->data + c * from->column;
        char *target = to->data + 4 * c;
        for (int64_t r = 0; r < rows; r += 4, source += 16, target += 4 * to->row)
            copy_square(target, to->row, source, from->column);
    }
}

static transpose_side at(const transpose_side *side, int64_t row, int64_t column) {
    return (transpose_side){side->data + row * side->row + column * side->column, side->row,
                            side->column};
}

static transpose_side turned(const transpose_side *side) {
    return (transpose_side){side->data, side->column, side->row};
}

/* Line by line along the rows. */
static void copy_lines(const transpose_side *to, const transpose_side *from, int64_t rows,
                       int64_t cols, uint8_t size) {
    for (int64_t c = 0; c < cols; c++)
        copy_line(to->data + c * to->column, to->row, from->data + c * from->column, from->row,
                  rows, size);
}

/* Squares as far as there are, then lines. */
static void copy_block(const transpose_side *to, const transpose_side *from, int64_t rows,
                       int64_t cols, uint8_t size) {
    const int64_t fours = size == 4 && from->row == 4 && to->column == 4 ? ~(int64_t)3 : 0,
                  whole_rows = rows & fours, whole_cols = cols & fours;
    if (fours) copy_squares(to, from, whole_rows, whole_cols);
    if (whole_rows == rows && whole_cols == cols) return;
    const transpose_side to_right = at(to, 0, whole_cols), from_right = at(from, 0, whole_cols);
    const transpose_side to_below = at(to, whole_rows, 0), from_below = at(from, whole_rows, 0);
    copy_lines(&to_right, &from_right, rows, cols - whole_cols, size);
    if (rows == whole_rows || whole_cols == 0) return;
    const transpose_side below[2] = {turned(&to_below), turned(&from_below)};
    copy_lines(&below[0], &below[1], whole_cols, rows - whole_rows, size); /* the longer way */
}

/* Along rows where they are contiguous on one side, or longer; else along columns. */
void transpose_copy(const transpose_side *to, const transpose_side *from, int64_t rows,
                    int64_t cols, uint8_t size) {
    const bool scatters = from->column == size && to->row == size;
    if (!scatters && (rows >= cols || (rows >= 4 && from->row == size))) {
        copy_block(to, from, rows, cols, size);
        return;
    }
    const transpose_side turned_to = turned(to), turned_from = turned(from);
    copy_block(&turned_to, &turned_from, cols, rows, size);
}
