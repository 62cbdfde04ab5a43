/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Peers of bench/rows.py: the loops that a programmer writes, compiled by it with
 * -O3 -march=native -ffast-math. They pass over a row as often as they must, and add in any order.
 * A tensor is a x n x b; n is the row. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* -DBF16 makes the loops of bf16: sums are of f32, and each result is rounded once. */
#ifdef BF16
typedef uint16_t element;

static float value(element x) {
    const uint32_t bits = (uint32_t)x << 16;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static element rounded(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (element)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

enum { LONGEST = 1 << 17 };
static float row[LONGEST];

/* Where a row of f32 is kept until it is rounded. */
static inline float *kept(element *y) {
    (void)y;
    return row;
}
#else
typedef float element;

static float value(element x) { return x; }
static element rounded(float v) { return v; }
static inline float *kept(element *y) { return y; }
#endif

typedef struct sizes {
    long a, n, b;
} sizes;

static float greatest(const element *x, long n) {
    float m = -INFINITY;
    for (long k = 0; k < n; k++) m = value(x[k]) > m ? value(x[k]) : m;
    return m;
}

static float total(const element *x, long n) {
    float s = 0;
    for (long k = 0; k < n; k++) s += value(x[k]);
    return s;
}

/* y = exp(x - its greatest element), and the sum of that. */
static float exponentials(const element *x, float *restrict y, long n) {
    const float m = greatest(x, n);
    float s = 0;
    for (long k = 0; k < n; k++) {
        y[k] = expf(value(x[k]) - m);
        s += y[k];
    }
    return s;
}

void softmax(const element *const *in, element *out, sizes z) {
    for (long r = 0; r < z.a; r++) {
        element *y = out + r * z.n;
        float *e = kept(y), by = 1 / exponentials(in[0] + r * z.n, e, z.n);
        for (long k = 0; k < z.n; k++) y[k] = rounded(e[k] * by);
    }
}

/* The sum of squares about the mean. */
static float squares(const element *x, float mean, long n) {
    float v = 0;
    for (long k = 0; k < n; k++) v += (value(x[k]) - mean) * (value(x[k]) - mean);
    return v;
}

static float spread(const element *x, float mean, long n) {
    return 1 / sqrtf(squares(x, mean, n) / (float)n + 1e-5f);
}

void layer_norm(const element *const *in, element *restrict out, sizes z) {
    for (long r = 0; r < z.a; r++) {
        const element *x = in[0] + r * z.n;
        const float m = total(x, z.n) / (float)z.n, scale = spread(x, m, z.n);
        for (long k = 0; k < z.n; k++)
            out[r * z.n + k] =
                rounded((value(x[k]) - m) * scale * value(in[1][k]) + value(in[2][k]));
    }
}

void rms_norm(const element *const *in, element *restrict out, sizes z) {
    for (long r = 0; r < z.a; r++) {
        const element *x = in[0] + r * z.n;
        const float scale = spread(x, 0, z.n);
        for (long k = 0; k < z.n; k++)
            out[r * z.n + k] = rounded(value(x[k]) * scale * value(in[1][k]));
    }
}

void add_rms_norm(const element *const *in, element *restrict out, sizes z) {
    for (long r = 0; r < z.a; r++) {
        const element *x = in[0] + r * z.n, *more = in[1] + r * z.n;
        element *restrict y = out + r * z.n;
        for (long k = 0; k < z.n; k++) y[k] = rounded(value(x[k]) + value(more[k]));
        const float scale = spread(y, 0, z.n);
        for (long k = 0; k < z.n; k++) y[k] = rounded(value(y[k]) * scale * value(in[2][k]));
    }
}

void var(const element *const *in, element *restrict out, sizes z) {
    for (long r = 0; r < z.a; r++) {
        const element *x = in[0] + r * z.n;
        out[r] = rounded(squares(x, total(x, z.n) / (float)z.n, z.n) / (float)z.n);
    }
}

#ifdef BF16
void sum(const element *const *in, element *restrict out, sizes z) {
    for (long r = 0; r < z.a; r++) out[r] = rounded(total(in[0] + r * z.n, z.n));
}

void mean(const element *const *in, element *restrict out, sizes z) {
    for (long r = 0; r < z.a; r++) out[r] = rounded(total(in[0] + r * z.n, z.n) / (float)z.n);
}

void max(const element *const *in, element *restrict out, sizes z) {
    for (long r = 0; r < z.a; r++) out[r] = rounded(greatest(in[0] + r * z.n, z.n));
}
#else
void log_softmax(const float *const *in, float *out, sizes z) {
    for (long r = 0; r < z.a; r++) {
        const float *x = in[0] + r * z.n;
        const float m = greatest(x, z.n);
        float s = 0;
        for (long k = 0; k < z.n; k++) s += expf(x[k] - m);
        const float less = m + logf(s);
        for (long k = 0; k < z.n; k++) out[r * z.n + k] = x[k] - less;
    }
}

/* b rows have a mask of their own. */
void masked_softmax(const float *const *in, float *restrict out, sizes z) {
    for (long r = 0; r < z.a * z.b; r++) {
        const float *x = in[0] + r * z.n, *mask = in[1] + r % z.b * z.n;
        float *restrict y = out + r * z.n;
        for (long k = 0; k < z.n; k++) y[k] = x[k] * 0.125f + mask[k];
        const float m = greatest(y, z.n);
        float s = 0;
        for (long k = 0; k < z.n; k++) {
            y[k] = expf(y[k] - m);
            s += y[k];
        }
        for (long k = 0; k < z.n; k++) y[k] *= 1 / s;
    }
}

static void sum_rows(const float *const *in, float *restrict y, long r, long n) {
    const float *x = in[0] + r * n, *more = in[1] + r * n;
    for (long k = 0; k < n; k++) y[k] = x[k] + more[k];
}

void add_layer_norm(const float *const *in, float *out, sizes z) {
    for (long r = 0; r < z.a; r++) {
        float *y = out + r * z.n;
        sum_rows(in, y, r, z.n);
        const float mean = total(y, z.n) / (float)z.n, scale = spread(y, mean, z.n);
        for (long k = 0; k < z.n; k++) y[k] = (y[k] - mean) * scale * in[2][k] + in[3][k];
    }
}

/* Rows of four channels; b groups have weights of their own. */
void group_norm_silu(const float *const *in, float *restrict out, sizes z) {
    for (long r = 0; r < z.a * z.b; r++) {
        const float *x = in[0] + r * z.n, mean = total(x, z.n) / (float)z.n,
                    scale = spread(x, mean, z.n);
        for (long c = 0; c < 4; c++) {
            const float w = in[1][r % z.b * 4 + c], b = in[2][r % z.b * 4 + c];
            for (long k = c * (z.n / 4); k < (c + 1) * (z.n / 4); k++) {
                const float h = (x[k] - mean) * scale * w + b;
                out[r * z.n + k] = h / (1 + expf(-h));
            }
        }
    }
}

/* b positions have a cosine and a sine of their own. */
void rope(const float *const *in, float *restrict out, sizes z) {
    const long half = z.n / 2;
    for (long r = 0; r < z.a * z.b; r++) {
        const float *x = in[0] + r * z.n, *c = in[1] + r % z.b * z.n, *s = in[2] + r % z.b * z.n;
        float *restrict y = out + r * z.n;
        for (long k = 0; k < half; k++) {
            y[k] = x[k] * c[k] - x[k + half] * s[k];
            y[k + half] = x[k + half] * c[k + half] + x[k] * s[k + half];
        }
    }
}

static void sums(const float *x, float *restrict y, sizes z) {
    for (long i = 0; i < z.a; i++) {
        if (z.b == 1) {
            y[i] = total(x + i * z.n, z.n);
            continue;
        }
        memset(y + i * z.b, 0, (size_t)z.b * sizeof *y);
        for (long r = 0; r < z.n; r++)
            for (long k = 0; k < z.b; k++) y[i * z.b + k] += x[(i * z.n + r) * z.b + k];
    }
}

void sum(const float *const *in, float *out, sizes z) { sums(in[0], out, z); }

void mean(const float *const *in, float *out, sizes z) {
    sums(in[0], out, z);
    for (long k = 0; k < z.a * z.b; k++) out[k] /= (float)z.n;
}

void max(const float *const *in, float *out, sizes z) {
    for (long i = 0; i < z.a; i++) {
        if (z.b == 1) {
            out[i] = greatest(in[0] + i * z.n, z.n);
            continue;
        }
        float *restrict y = out + i * z.b;
        for (long k = 0; k < z.b; k++) y[k] = -INFINITY;
        for (long r = 0; r < z.n; r++)
            for (long k = 0; k < z.b; k++) {
                const float v = in[0][(i * z.n + r) * z.b + k];
                y[k] = v > y[k] ? v : y[k];
            }
    }
}

static int first_greatest(const float *x, long n) {
    int at = 0;
    for (long k = 1; k < n; k++) at = x[k] > x[at] ? (int)k : at;
    return at;
}

/* Positions, as int. */
void argmax(const float *const *in, float *out, sizes z) {
    int *restrict y = (int *)out;
    for (long i = 0; i < z.a; i++) {
        if (z.b == 1) {
            y[i] = first_greatest(in[0] + i * z.n, z.n);
            continue;
        }
        const float *x = in[0] + i * z.n * z.b;
        memset(y + i * z.b, 0, (size_t)z.b * sizeof *y);
        for (long r = 1; r < z.n; r++)
            for (long k = 0; k < z.b; k++) {
                int *at = &y[i * z.b + k];
                *at = x[r * z.b + k] > x[*at * z.b + k] ? (int)r : *at;
            }
    }
}
#endif

/* Nothing but reading: eight vectors of 32 bytes a step, as many loads as a core has under way. */
void read_all(const element *const *in, float *out, sizes z) {
    typedef int vector __attribute__((vector_size(32)));
    const char *p = (const char *)in[0], *end = p + (size_t)(z.a * z.n * z.b) * sizeof(element);
    vector all[8] = {{0}};
    for (; end - p >= (ptrdiff_t)sizeof all; p += sizeof all)
        for (int k = 0; k < 8; k++) {
            vector v;
            memcpy(&v, p + 32 * k, sizeof v);
            all[k] |= v;
        }
    for (int k = 1; k < 8; k++) all[0] |= all[k];
    memcpy(out, &all[0], sizeof *out);
}
