/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Transpose: elements of four bytes by squares of 16 in registers where there is AVX-512, by
 * squares of four with SSE, all else by loops.
 */
#include "runtime/run/transpose.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/features.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_WIDE 1
#define WIDE __attribute__((target("avx512f"))) static
#else
#define HAS_WIDE 0
#endif

static bool is_wide(void) {
#if HAS_WIDE
    return features_permuted_bytes() == 64;
#else
    return false;
#endif
}

#if HAS_WIDE
WIDE int64_t copy_every_second_wide(char *to, const char *from, int64_t count) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    int64_t k = 0;
    for (; k + 16 < count; k += 16) {
        const __m512 low = _mm512_loadu_ps(from + 8 * k), high = _mm512_loadu_ps(from + 8 * k + 64);
        _mm512_storeu_ps(to + 4 * k, _mm512_permutex2var_ps(low, even, high));
    }
    return k;
}

/* The same backwards; a mask keeps what lies between. */
WIDE int64_t spread_every_second_wide(char *to, const char *from, int64_t count) {
    const __m512i low = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
                  high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    int64_t k = 0;
    for (; k + 16 <= count; k += 16) {
        const __m512 lanes = _mm512_loadu_ps(from + 4 * k);
        _mm512_mask_storeu_ps(to + 8 * k, 0x5555, _mm512_permutexvar_ps(low, lanes));
        _mm512_mask_storeu_ps(to + 8 * k + 64, 0x5555, _mm512_permutexvar_ps(high, lanes));
    }
    return k;
}

/* 16 lines of from become 16 columns: pairs of lines, then fours, then quarters of registers change
 * places. */
WIDE void copy_wide_square(char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    __m512 a[16], b[16];
    for (int k = 0; k < 16; k++) a[k] = _mm512_loadu_ps(from + k * from_stride);
    for (int k = 0; k < 16; k += 2) {
        b[k] = _mm512_unpacklo_ps(a[k], a[k + 1]);
        b[k + 1] = _mm512_unpackhi_ps(a[k], a[k + 1]);
    }
    for (int k = 0; k < 16; k += 4)
        for (int half = 0; half < 2; half++) {
            const __m512d low = _mm512_castps_pd(b[k + half]),
                          high = _mm512_castps_pd(b[k + half + 2]);
            a[k + 2 * half] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            a[k + 2 * half + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    for (int k = 0; k < 4; k++) {
        const __m512 even = _mm512_shuffle_f32x4(a[k], a[k + 4], 0x88),
                     odd = _mm512_shuffle_f32x4(a[k], a[k + 4], 0xdd);
        const __m512 even2 = _mm512_shuffle_f32x4(a[k + 8], a[k + 12], 0x88),
                     odd2 = _mm512_shuffle_f32x4(a[k + 8], a[k + 12], 0xdd);
        b[k] = _mm512_shuffle_f32x4(even, even2, 0x88);
        b[k + 4] = _mm512_shuffle_f32x4(odd, odd2, 0x88);
        b[k + 8] = _mm512_shuffle_f32x4(even, even2, 0xdd);
        b[k + 12] = _mm512_shuffle_f32x4(odd, odd2, 0xdd);
    }
    for (int k = 0; k < 16; k++) _mm512_storeu_ps(to + k * to_stride, b[k]);
}
#else
static int64_t copy_every_second_wide(char *to, const char *from, int64_t count) {
    return (void)to, (void)from, (void)count, 0;
}
static int64_t spread_every_second_wide(char *to, const char *from, int64_t count) {
    return (void)to, (void)from, (void)count, 0;
}
static void copy_wide_square(char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    (void)to, (void)to_stride, (void)from, (void)from_stride;
}
#endif

/* A line of every second element of four bytes; how many are done. The last ones have no memory
 * behind them. */
static int64_t copy_every_second(char *to, const char *from, int64_t count) {
    int64_t k = is_wide() ? copy_every_second_wide(to, from, count) : 0;
#if defined(__SSE2__)
    for (; k + 4 < count; k += 4) {
        const __m128 low = _mm_loadu_ps((const float *)(const void *)(from + 8 * k));
        const __m128 high = _mm_loadu_ps((const float *)(const void *)(from + 8 * k + 16));
        _mm_storeu_ps((float *)(void *)(to + 4 * k),
                      _mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
    }
#else
    (void)to, (void)from, (void)count;
#endif
    return k;
}

void transpose_line(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                    int64_t count, uint8_t size) {
    int64_t k = 0;
    switch (size) { /* a constant size makes each copy one load and one store */
    case 1:
        for (; k < count; k++) to[k * to_stride] = from[k * from_stride];
        break;
    case 2:
        for (; k < count; k++) memcpy(to + k * to_stride, from + k * from_stride, 2);
        break;
    case 4:
        if (to_stride == 4 && from_stride == 8) k = copy_every_second(to, from, count);
        for (; k < count; k++) memcpy(to + k * to_stride, from + k * from_stride, 4);
        break;
    default:
        for (; k < count; k++) memcpy(to + k * to_stride, from + k * from_stride, 8);
        break;
    }
}

#if defined(__SSE2__)
/* One square: four lines of from, `stride` bytes apart, become four columns. */
static inline void copy_square(char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    __m128 a = _mm_loadu_ps((const float *)(const void *)from);
    __m128 b = _mm_loadu_ps((const float *)(const void *)(from + from_stride));
    __m128 c = _mm_loadu_ps((const float *)(const void *)(from + 2 * from_stride));
    __m128 d = _mm_loadu_ps((const float *)(const void *)(from + 3 * from_stride));
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps((float *)(void *)to, a);
    _mm_storeu_ps((float *)(void *)(to + to_stride), b);
    _mm_storeu_ps((float *)(void *)(to + 2 * to_stride), c);
    _mm_storeu_ps((float *)(void *)(to + 3 * to_stride), d);
}
#else
static inline void copy_square(char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    for (int64_t r = 0; r < 4; r++)
        for (int64_t c = 0; c < 4; c++)
            memcpy(to + r * to_stride + 4 * c, from + 4 * r + c * from_stride, 4);
}
#endif

/* Rows and columns that are a multiple of four, of four bytes each; from's rows and to's columns
 * are contiguous. */
static void copy_squares(const transpose_side *to, const transpose_side *from, int64_t rows,
                         int64_t cols) {
    const int64_t to_stride = to->row, from_stride = from->column;
    const bool wide = rows % 16 == 0 && cols % 16 == 0 && is_wide();
    for (int64_t c = 0; wide && c < cols; c += 16)
        for (int64_t r = 0; r < rows; r += 16)
            copy_wide_square(to->data + 4 * c + r * to_stride, to_stride,
                             from->data + 4 * r + c * from_stride, from_stride);
    for (int64_t c = 0; !wide && c < cols; c += 4) {
        const char *source = from->data + c * from_stride;
        char *target = to->data + 4 * c;
        for (int64_t r = 0; r < rows; r += 4, source += 16, target += 4 * to_stride)
            copy_square(target, to_stride, source, from_stride);
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
    const bool spreads = size == 4 && to->row == 8 && from->row == 4 && is_wide();
    for (int64_t c = 0; c < cols; c++) {
        char *target = to->data + c * to->column;
        const char *source = from->data + c * from->column;
        const int64_t done = spreads ? spread_every_second_wide(target, source, rows) : 0;
        transpose_line(target + done * to->row, to->row, source + done * from->row, from->row,
                       rows - done, size);
    }
}

/* Squares as far as there are, then lines. */
static void copy_block(const transpose_side *to, const transpose_side *from, int64_t rows,
                       int64_t cols, uint8_t size) {
    int64_t whole_rows = 0, whole_cols = 0;
    if (size == 4 && from->row == 4 && to->column == 4) {
        whole_rows = rows & ~(int64_t)3;
        whole_cols = cols & ~(int64_t)3;
        copy_squares(to, from, whole_rows, whole_cols);
        if (whole_rows == rows && whole_cols == cols) return;
    }
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
