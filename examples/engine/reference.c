/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Token by token, and image by image. */
#include "reference.h"

#include <math.h>

enum { WIDTH = 16, HIDDEN = 40, SIDE = 6, CHANNELS = 8, EXPANDED = 16 };

static void mlp_token(const float *x, const float *w1, const float *b1, const float *w2,
                      const float *b2, const float *gamma, const float *beta, double *r) {
    double hidden[HIDDEN], sum[WIDTH], mean = 0, variance = 0;
    for (int j = 0; j < HIDDEN; j++) {
        double h = (double)b1[j];
        for (int i = 0; i < WIDTH; i++) h += (double)x[i] * (double)w1[i * HIDDEN + j];
        hidden[j] = h / (1 + exp(-h));
    }
    for (int j = 0; j < WIDTH; j++) {
        sum[j] = (double)x[j] + (double)b2[j];
        for (int i = 0; i < HIDDEN; i++) sum[j] += hidden[i] * (double)w2[i * WIDTH + j];
        mean += sum[j] / (double)WIDTH;
    }
    for (int j = 0; j < WIDTH; j++) variance += (sum[j] - mean) * (sum[j] - mean) / (double)WIDTH;
    for (int j = 0; j < WIDTH; j++)
        r[j] = (sum[j] - mean) / sqrt(variance + 1e-5) * (double)gamma[j] + (double)beta[j];
}

void reference_mlp(int64_t tokens, const float *x, const float *w1, const float *b1,
                   const float *w2, const float *b2, const float *gamma, const float *beta,
                   double *r) {
    for (int64_t k = 0; k < tokens; k++)
        mlp_token(x + k * WIDTH, w1, b1, w2, b2, gamma, beta, r + k * WIDTH);
}

/* nearest(value * multiplier / 2^shift), halves upward. */
static int64_t scale(int64_t value, int64_t multiplier, int shift) {
    int64_t scaled = value * multiplier + (INT64_C(1) << (shift - 1)), divisor = INT64_C(1)
                                                                                 << shift;
    /* Toward minus infinity. */
    return scaled >= 0 ? scaled / divisor : -((-scaled + divisor - 1) / divisor);
}

static int64_t limit(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

static void mobile_image(const int8_t *x, const int8_t *we, const int32_t *be, const int8_t *wd,
                         const int32_t *bd, const int8_t *wp, const int32_t *bp, int8_t *r) {
    static const int64_t multipliers[CHANNELS] = {1073741824, 1288490189, 2147483647, 1610612736,
                                                  1200000000, 1500000000, 1800000000, 2000000000};
    static const int shifts[CHANNELS] = {37, 38, 39, 37, 38, 39, 37, 38};
    int64_t expanded[SIDE][SIDE][EXPANDED], filtered[EXPANDED];
    for (int p = 0; p < SIDE * SIDE; p++)
        for (int c = 0; c < EXPANDED; c++) {
            int64_t sum = be[c];
            for (int i = 0; i < CHANNELS; i++)
                sum += (x[p * CHANNELS + i] + 3) * we[c * CHANNELS + i];
            expanded[p / SIDE][p % SIDE][c] = limit(scale(sum, 1073741824, 37) - 128, -128, 100);
        }
    for (int p = 0; p < SIDE * SIDE; p++) {
        for (int c = 0; c < EXPANDED; c++) {
            int64_t sum = bd[c];
            for (int i = 0; i < 9; i++) {
                int row = p / SIDE + i / 3 - 1, column = p % SIDE + i % 3 - 1;
                if (row >= 0 && row < SIDE && column >= 0 && column < SIDE)
                    sum += (expanded[row][column][c] + 128) * wd[i * EXPANDED + c];
            }
            filtered[c] = limit(scale(sum, 1073741824, 37) - 128, -128, 100);
        }
        for (int c = 0; c < CHANNELS; c++) {
            int64_t sum = bp[c];
            for (int i = 0; i < EXPANDED; i++) sum += (filtered[i] + 128) * wp[c * EXPANDED + i];
            int64_t projected = limit(scale(sum, multipliers[c], shifts[c]) + 5, -128, 127);
            /* 1.5 and 1, 10 bits up. */
            int64_t both = (projected - 5) * 1536 + (x[p * CHANNELS + c] + 3) * 1024;
            r[p * CHANNELS + c] = (int8_t)limit(scale(both, 1, 11) - 3, -128, 127);
        }
    }
}

void reference_mobile(int64_t images, const int8_t *x, const int8_t *we, const int32_t *be,
                      const int8_t *wd, const int32_t *bd, const int8_t *wp, const int32_t *bp,
                      int8_t *r) {
    const int64_t size = SIDE * SIDE * CHANNELS;
    for (int64_t k = 0; k < images; k++)
        mobile_image(x + k * size, we, be, wd, bd, wp, bp, r + k * size);
}
