/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Peers: plain loops over restrict pointers. The build compiles this file with -O3 for the machine
 * that it runs on, and without errno and traps, so that rounding and selecting become instructions.
 */
#include "bench/peers.h"

#include <math.h>
#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

static inline float bound(float x, float low, float high) {
    return x < low ? low : x > high ? high : x;
}

/* A loop over all elements, which a[k], b[k] and c[k] are. */
#define FLAT_PEER(name, A, B, C, R, expression)                                                    \
    void name(void *const *operands, void *result, int64_t rows, int64_t cols) {                   \
        const A *restrict a = operands[0];                                                         \
        const B *restrict b = operands[1];                                                         \
        const C *restrict c = operands[2];                                                         \
        R *restrict r = result;                                                                    \
        int64_t count = rows * cols;                                                               \
        for (int64_t k = 0; k < count; k++) r[k] = (expression);                                   \
        (void)b, (void)c;                                                                          \
    }

FLAT_PEER(peer_add_same, float, float, float, float, a[k] + b[k])
FLAT_PEER(peer_add_scalar, float, float, float, float, a[k] + *b)
FLAT_PEER(peer_maximum, float, float, float, float, a[k] > b[k] ? a[k] : b[k])
FLAT_PEER(peer_maximum_scalar, float, float, float, float, a[k] > *b ? a[k] : *b)
FLAT_PEER(peer_mul_same, float, float, float, float, a[k] * b[k])
FLAT_PEER(peer_mul_scalar, float, float, float, float, a[k] * *b)
FLAT_PEER(peer_select, uint8_t, float, float, float, a[k] ? b[k] : c[k])
FLAT_PEER(peer_cast_i8_f32, int8_t, float, float, float, (float)a[k])
FLAT_PEER(peer_cast_f32_i8, float, float, float, int8_t,
          (int8_t)bound(rintf(a[k]), -128.0f, 127.0f))
FLAT_PEER(peer_shift_right, int32_t, int32_t, int32_t, int32_t, a[k] >> (b[k] & 31))
FLAT_PEER(peer_shift_right_logical, uint32_t, uint32_t, uint32_t, uint32_t, a[k] >> (b[k] & 31))
FLAT_PEER(peer_shift_left, uint32_t, uint32_t, uint32_t, uint32_t, a[k] << (b[k] & 31))
FLAT_PEER(peer_maximum_i8, int8_t, int8_t, int8_t, int8_t, a[k] > b[k] ? a[k] : b[k])
FLAT_PEER(peer_mul_shift, int32_t, int32_t, int32_t, int32_t,
          (int32_t)(((int64_t)a[k] * b[k] + (INT64_C(1) << (PEER_MUL_SHIFT - 1))) >>
                    PEER_MUL_SHIFT))

FLAT_PEER(peer_clamp_i8, int8_t, int8_t, int8_t, int8_t,
          (int8_t)(a[k]<PEER_CLAMP_LOW ? PEER_CLAMP_LOW : a[k]> PEER_CLAMP_HIGH ? PEER_CLAMP_HIGH
                                                                                : a[k]))

static inline float from_bf16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static inline uint16_t to_bf16(float value) { /* of no NaN */
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
FLAT_PEER(peer_mul_bf16, uint16_t, uint16_t, uint16_t, uint16_t,
          to_bf16(from_bf16(a[k]) * from_bf16(b[k])))

FLAT_PEER(peer_abs, float, float, float, float, fabsf(a[k]))
FLAT_PEER(peer_clamp, float, float, float, float, bound(a[k], 0.0f, 6.0f))
FLAT_PEER(peer_and_same, uint8_t, uint8_t, uint8_t, uint8_t, a[k] && b[k])
FLAT_PEER(peer_xor_i16_same, int16_t, int16_t, int16_t, int16_t, (int16_t)(a[k] ^ b[k]))

/* A loop over rows of one type, with x an element of a and y one of b. */
#define ROW_PEER_OF(name, T, of_b, expression)                                                     \
    void name(void *const *operands, void *result, int64_t rows, int64_t cols) {                   \
        const T *restrict a = operands[0];                                                         \
        const T *restrict b = operands[1];                                                         \
        T *restrict r = result;                                                                    \
        for (int64_t row = 0; row < rows; row++)                                                   \
            for (int64_t k = 0; k < cols; k++) {                                                   \
                const T x = a[row * cols + k], y = b[of_b];                                        \
                r[row * cols + k] = (T)(expression);                                               \
            }                                                                                      \
    }

ROW_PEER_OF(peer_and_row, uint8_t, k, x &&y)
ROW_PEER_OF(peer_and_column, uint8_t, row, x &&y)
ROW_PEER_OF(peer_xor_i16_row, int16_t, k, x ^ y)
ROW_PEER_OF(peer_xor_i16_column, int16_t, row, x ^ y)
ROW_PEER_OF(peer_mul_bf16_row, uint16_t, k, to_bf16(from_bf16(x) * from_bf16(y)))
ROW_PEER_OF(peer_mul_bf16_column, uint16_t, row, to_bf16(from_bf16(x) * from_bf16(y)))

void peer_add_in_place(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *restrict b = operands[1];
    float *restrict r = result;
    for (int64_t k = 0; k < rows * cols; k++) r[k] += b[k];
}

/* The chain of ops that bench/workloads.c calls ten_ops. */
static inline float ten_ops(float x, float y) {
    float s = x + y, d = x - y, p = s * d, q = p + x, m = q > y ? q : y, n = m < 2.0f ? m : 2.0f,
          a = fabsf(n), t = a * y, u = t - s;
    return u * 0.5f;
}
FLAT_PEER(peer_ten_ops, float, float, float, float, ten_ops(a[k], b[k]))

/* The same with rows: y is an element of the row operand b. */
#define ROW_PEER(name, expression)                                                                 \
    void name(void *const *operands, void *result, int64_t rows, int64_t cols) {                   \
        const float *restrict a = operands[0];                                                     \
        const float *restrict b = operands[1];                                                     \
        float *restrict r = result;                                                                \
        for (int64_t row = 0; row < rows; row++)                                                   \
            for (int64_t k = 0; k < cols; k++) r[row * cols + k] = (expression);                   \
    }

ROW_PEER(peer_add_row, a[row * cols + k] + b[k])
ROW_PEER(peer_add_column, a[row * cols + k] + b[row])
ROW_PEER(peer_add_outer, a[row] + b[k])
ROW_PEER(peer_mul_row, a[row * cols + k] * b[k])
ROW_PEER(peer_mul_column, a[row * cols + k] * b[row])
ROW_PEER(peer_mul_outer, a[row] * b[k])
ROW_PEER(peer_maximum_row, a[row * cols + k] > b[k] ? a[row * cols + k] : b[k])
ROW_PEER(peer_maximum_column, a[row * cols + k] > b[row] ? a[row * cols + k] : b[row])
ROW_PEER(peer_maximum_outer, a[row] > b[k] ? a[row] : b[k])
ROW_PEER(peer_bias_clamp, bound(a[row * cols + k] + b[k], 0.0f, 6.0f))

/* The sum of products that a[k] is, with its bias, back to i8. */
void peer_requantise(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const int32_t *restrict a = operands[0], *restrict bias = operands[1];
    int8_t *restrict r = result;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < cols; k++) {
            int64_t product = (int64_t)(a[row * cols + k] + bias[k]) * PEER_MULTIPLIER;
            int32_t scaled = (int32_t)((product + (INT64_C(1) << (PEER_REQUANTISE_SHIFT - 1))) >>
                                       PEER_REQUANTISE_SHIFT);
            r[row * cols + k] = (int8_t)(scaled < INT8_MIN   ? INT8_MIN
                                         : scaled > INT8_MAX ? INT8_MAX
                                                             : scaled);
        }
}

/* With mean and factor of each row, scale and shift of each column. */
void peer_layer_norm_tail(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *restrict a = operands[0], *restrict mean = operands[1],
                          *restrict factor = operands[2];
    const float *restrict scale = operands[3], *restrict shift = operands[4];
    float *restrict r = result;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < cols; k++)
            r[row * cols + k] = (a[row * cols + k] - mean[row]) * factor[row] * scale[k] + shift[k];
}

#if defined(__AVX512F__)
/* For sizes that are a multiple of 16, and a result at a multiple of 64 bytes. */
static void add_streaming(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *a = operands[0], *b = operands[1];
    float *r = result;
    for (int64_t k = 0; k + 15 < rows * cols; k += 16)
        _mm512_stream_ps(r + k, _mm512_add_ps(_mm512_loadu_ps(a + k), _mm512_loadu_ps(b + k)));
    _mm_sfence();
}
peer *const peer_add_streaming = add_streaming;
#else
peer *const peer_add_streaming = NULL;
#endif

#if defined(__AVX512F__)
/* For a multiple of 16 elements. */
void peer_add_f16(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const uint16_t *a = operands[0], *b = operands[1];
    uint16_t *r = result;
    for (int64_t k = 0; k + 15 < rows * cols; k += 16) {
        __m512 x = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(a + k)));
        __m512 y = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(b + k)));
        _mm256_storeu_si256((__m256i *)(r + k),
                            _mm512_cvtps_ph(_mm512_add_ps(x, y), _MM_FROUND_TO_NEAREST_INT));
    }
}
#else
FLAT_PEER(peer_add_f16, _Float16, _Float16, _Float16, _Float16, a[k] + b[k])
#endif

/* Views. */

void peer_abs_transposed(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *restrict a = operands[0];
    float *restrict r = result;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < cols; k++) r[row * cols + k] = fabsf(a[k * rows + row]);
}

void peer_add_transposed(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *restrict a = operands[0], *restrict b = operands[1];
    float *restrict r = result;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < cols; k++)
            r[row * cols + k] = a[k * rows + row] + b[row * cols + k];
}

void peer_abs_second(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *restrict a = operands[0];
    float *restrict r = result;
    for (int64_t k = 0; k < rows * cols; k++) r[k] = fabsf(a[2 * k]);
}

void peer_copy_second(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *restrict a = operands[0];
    float *restrict r = result;
    for (int64_t k = 0; k < rows * cols; k++) r[k] = a[2 * k];
}

void peer_add_wide(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *restrict a = operands[0], *restrict b = operands[1];
    float *restrict r = result;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < cols; k++)
            r[row * cols + k] = a[2 * row * cols + k] + b[row * cols + k];
}

void peer_copy_wide(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *a = operands[0], *b = operands[1];
    float *r = result;
    for (int64_t row = 0; row < rows; row++)
        memcpy(r + row * cols, a + 2 * row * cols, (size_t)cols * sizeof *r);
    memcpy(r, b, (size_t)(rows * cols / 2) * sizeof *r);
}

enum { BLOCK = 16 };

/* r = the block of a that begins at `from`, transposed; and b added where there is one. */
static void plain_block(const float *from, int64_t from_stride, const float *b, float *r,
                        int64_t stride, int64_t height, int64_t width) {
    for (int64_t i = 0; i < height; i++)
        for (int64_t k = 0; k < width; k++)
            r[i * stride + k] = from[k * from_stride + i] + (b ? b[i * stride + k] : 0.0f);
}

#if defined(__AVX512F__)
static void block(const float *from, int64_t from_stride, const float *b, float *r,
                  int64_t stride) {
    __m512 v[BLOCK], t[BLOCK];
    for (int i = 0; i < BLOCK; i++) v[i] = _mm512_loadu_ps(from + i * from_stride);
    for (int i = 0; i < BLOCK; i += 2) {
        t[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < BLOCK; i += 4)
        for (int k = 0; k < 2; k++) {
            __m512d low = _mm512_castps_pd(t[i + k]), high = _mm512_castps_pd(t[i + k + 2]);
            v[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            v[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    for (int k = 0; k < 4; k++) {
        __m512 even = _mm512_shuffle_f32x4(v[k], v[k + 4], 0x88),
               odd = _mm512_shuffle_f32x4(v[k], v[k + 4], 0xdd);
        __m512 even2 = _mm512_shuffle_f32x4(v[k + 8], v[k + 12], 0x88),
               odd2 = _mm512_shuffle_f32x4(v[k + 8], v[k + 12], 0xdd);
        t[k] = _mm512_shuffle_f32x4(even, even2, 0x88);
        t[k + 8] = _mm512_shuffle_f32x4(even, even2, 0xdd);
        t[k + 4] = _mm512_shuffle_f32x4(odd, odd2, 0x88);
        t[k + 12] = _mm512_shuffle_f32x4(odd, odd2, 0xdd);
    }
    for (int i = 0; i < BLOCK; i++)
        _mm512_storeu_ps(r + i * stride,
                         b ? _mm512_add_ps(t[i], _mm512_loadu_ps(b + i * stride)) : t[i]);
}
#else
static void block(const float *from, int64_t from_stride, const float *b, float *r,
                  int64_t stride) {
    plain_block(from, from_stride, b, r, stride, BLOCK, BLOCK);
}
#endif

static void transposed_blocked(const float *a, const float *b, float *r, int64_t rows,
                               int64_t cols) {
    for (int64_t row = 0; row < rows; row += BLOCK)
        for (int64_t k = 0; k < cols; k += BLOCK) {
            int64_t height = rows - row < BLOCK ? rows - row : BLOCK,
                    width = cols - k < BLOCK ? cols - k : BLOCK, at = row * cols + k;
            if (height == BLOCK && width == BLOCK)
                block(a + k * rows + row, rows, b ? b + at : NULL, r + at, cols);
            else
                plain_block(a + k * rows + row, rows, b ? b + at : NULL, r + at, cols, height,
                            width);
        }
}

void peer_copy_transposed_blocked(void *const *operands, void *result, int64_t rows, int64_t cols) {
    transposed_blocked(operands[0], NULL, result, rows, cols);
}

void peer_add_transposed_blocked(void *const *operands, void *result, int64_t rows, int64_t cols) {
    transposed_blocked(operands[0], operands[1], result, rows, cols);
}

void peer_fill(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float value = *(const float *)operands[0];
    float *r = result;
    for (int64_t k = 0; k < rows * cols; k++) r[k] = value;
}

void peer_copy_same(void *const *operands, void *result, int64_t rows, int64_t cols) {
    size_t bytes = (size_t)(rows * cols) * sizeof(float);
    memcpy(result, operands[0], bytes);
    memcpy(result, operands[1], bytes / 2);
}

void peer_copy_other(void *const *operands, void *result, int64_t rows, int64_t cols) {
    memcpy(result, operands[0], (size_t)(rows * cols) * sizeof(float));
}

void peer_empty(const void *context, void *const *pointers, const int64_t *strides, int64_t planes,
                int64_t rows, int64_t cols) {
    (void)context, (void)pointers, (void)strides, (void)planes, (void)rows, (void)cols;
}
