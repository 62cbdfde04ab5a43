/* Peers: plain loops over restrict pointers. The build compiles this file with -O3 for the machine that it runs on, and without
 * errno and traps, so that rounding and selecting become instructions. */
#include "bench/peers.h"

#include <math.h>
#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

static inline float bound(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

/* A loop over all elements, which a[k], b[k] and c[k] are. */
#define FLAT_PEER(name, A, B, C, R, expression)                                                                                            \
    void name(void *const *operands, void *result, int64_t rows, int64_t cols) {                                                           \
        const A *restrict a = operands[0];                                                                                                 \
        const B *restrict b = operands[1];                                                                                                 \
        const C *restrict c = operands[2];                                                                                                 \
        R *restrict r = result;                                                                                                            \
        int64_t count = rows * cols;                                                                                                       \
        for (int64_t k = 0; k < count; k++) r[k] = (expression);                                                                           \
        (void)b, (void)c;                                                                                                                  \
    }

FLAT_PEER(peer_add_same, float, float, float, float, a[k] + b[k])
FLAT_PEER(peer_add_scalar, float, float, float, float, a[k] + *b)
FLAT_PEER(peer_maximum, float, float, float, float, a[k] > b[k] ? a[k] : b[k])
FLAT_PEER(peer_maximum_scalar, float, float, float, float, a[k] > *b ? a[k] : *b)
FLAT_PEER(peer_mul_same, float, float, float, float, a[k] * b[k])
FLAT_PEER(peer_mul_scalar, float, float, float, float, a[k] * *b)
FLAT_PEER(peer_select, uint8_t, float, float, float, a[k] ? b[k] : c[k])
FLAT_PEER(peer_cast_i8_f32, int8_t, float, float, float, (float)a[k])
FLAT_PEER(peer_cast_f32_i8, float, float, float, int8_t, (int8_t)bound(rintf(a[k]), -128.0f, 127.0f))
FLAT_PEER(peer_shift_right, int32_t, int32_t, int32_t, int32_t, a[k] >> (b[k] & 31))
FLAT_PEER(peer_mul_shift, int32_t, int32_t, int32_t, int32_t,
          (int32_t)(((int64_t)a[k] * b[k] + (INT64_C(1) << (PEER_MUL_SHIFT - 1))) >> PEER_MUL_SHIFT))

/* The chain of ops that bench/workloads.c calls ten_ops. */
static inline float ten_ops(float x, float y) {
    float s = x + y, d = x - y, p = s * d, q = p + x, m = q > y ? q : y, n = m < 2.0f ? m : 2.0f, a = fabsf(n), t = a * y, u = t - s;
    return u * 0.5f;
}
FLAT_PEER(peer_ten_ops, float, float, float, float, ten_ops(a[k], b[k]))

/* The same with rows: y is an element of the row operand b. */
#define ROW_PEER(name, expression)                                                                                                         \
    void name(void *const *operands, void *result, int64_t rows, int64_t cols) {                                                           \
        const float *restrict a = operands[0];                                                                                             \
        const float *restrict b = operands[1];                                                                                             \
        float *restrict r = result;                                                                                                        \
        for (int64_t row = 0; row < rows; row++)                                                                                           \
            for (int64_t k = 0; k < cols; k++) r[row * cols + k] = (expression);                                                           \
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
            int32_t scaled = (int32_t)((product + (INT64_C(1) << (PEER_REQUANTISE_SHIFT - 1))) >> PEER_REQUANTISE_SHIFT);
            r[row * cols + k] = (int8_t)(scaled < INT8_MIN ? INT8_MIN : scaled > INT8_MAX ? INT8_MAX : scaled);
        }
}

/* With mean and factor of each row, scale and shift of each column. */
void peer_layer_norm_tail(void *const *operands, void *result, int64_t rows, int64_t cols) {
    const float *restrict a = operands[0], *restrict mean = operands[1], *restrict factor = operands[2];
    const float *restrict scale = operands[3], *restrict shift = operands[4];
    float *restrict r = result;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < cols; k++) r[row * cols + k] = (a[row * cols + k] - mean[row]) * factor[row] * scale[k] + shift[k];
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

void peer_empty(void *const *pointers, const int64_t *strides, int64_t rows, int64_t cols) {
    (void)pointers, (void)strides, (void)rows, (void)cols;
}
