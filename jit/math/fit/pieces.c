/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fits the pieces of erf in runtime/functions/single_tosa.h: not part of the build. Their centres
 * are multiples of a width, the first of which is 0, such that the values there are f32 as nearly
 * as can be. Of each piece a polynomial by Lawson's weighted least squares:
 * erf(c + d) = erf(c) + d (c1 + c2 d + ...), c1 less 1 in the first one.
 *
 *     cc -O2 jit/math/fit/pieces.c -lm -o pieces && ./pieces > runtime/functions/pieces.h */
#include <math.h>
#include <stdio.h>

enum { POINTS = 400, DEGREE = 7, ROUNDS = 60, PIECES = 8 };

/* From where on erf rounds to 1. */
static const float end = 3.93F;

/* The least width of which seven and a half pieces reach the end. It has so few bits that no
 * difference between an operand and a centre is rounded. */
static float find_width(void) {
    enum { TRIES = 1 << 18, UNIT = 1 << 23, LAST = PIECES - 1 };
    const float least = ceilf(end / ((float)LAST + 0.5F) * UNIT) / UNIT;
    float best = least;
    long double fewest = 1;
    for (int k = 0; k < TRIES; k++) {
        const float width = least + (float)k / UNIT;
        long double most = 0;
        for (int piece = 1; piece <= LAST; piece++) {
            const long double value = erfl((long double)width * piece);
            most = fmaxl(most, fabsl((long double)(float)value - value));
        }
        if (most < fewest) fewest = most, best = width;
    }
    return best;
}

/* A point d = scale t beside the centre, in parts of erf: `wanted` is fitted as a sum of the
 * basis. */
typedef struct point {
    long double basis[DEGREE], wanted, weight, error;
} point;

static point points[POINTS];

static void swap(long double *a, long double *b) {
    const long double t = *a;
    *a = *b, *b = t;
}

/* Solves a x = b of n unknowns; x takes the place of b. */
static void solve(int n, long double a[DEGREE][DEGREE], long double *b) {
    for (int i = 0; i < n; i++) {
        int pivot = i;
        for (int k = i; k < n; k++)
            if (fabsl(a[k][i]) > fabsl(a[pivot][i])) pivot = k;
        for (int j = 0; j < n; j++) swap(&a[i][j], &a[pivot][j]);
        swap(&b[i], &b[pivot]);
        for (int k = i + 1; k < n; k++) {
            const long double f = a[k][i] / a[i][i];
            for (int j = i; j < n; j++) a[k][j] -= f * a[i][j];
            b[k] -= f * b[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

static void place_points(float centre, long double low, long double high, long double scale, int n,
                         int step) {
    const long double pi = acosl(-1), top = (long double)(float)erfl((long double)centre);
    for (int p = 0; p < POINTS; p++) {
        const long double x = (low + high) / 2 - (high - low) / 2 * cosl(pi * (p + 0.5L) / POINTS),
                          t = (x - (long double)centre) / scale, y = erfl(x);
        points[p].weight = 1;
        points[p].wanted = (y - top) / y;
        for (int i = 0; i < n; i++) points[p].basis[i] = powl(t, 1 + i * step) / y;
    }
}

/* One round of least squares, whose errors make the weights of the next. Gives the largest. */
static long double improve(int n, long double *c) {
    long double a[DEGREE][DEGREE] = {{0}}, worst = 0;
    for (int i = 0; i < n; i++) c[i] = 0;
    for (const point *p = points; p < points + POINTS; p++)
        for (int i = 0; i < n; i++) {
            c[i] += p->weight * p->basis[i] * p->wanted;
            for (int j = 0; j < n; j++) a[i][j] += p->weight * p->basis[i] * p->basis[j];
        }
    solve(n, a, c);
    for (point *p = points; p < points + POINTS; p++) {
        p->error = -p->wanted;
        for (int i = 0; i < n; i++) p->error += c[i] * p->basis[i];
        p->error = fabsl(p->error);
        if (p->error > worst) worst = p->error;
    }
    for (point *p = points; p < points + POINTS; p++) p->weight *= p->error / worst + 1e-6L;
    return worst;
}

/* Powers d^1 .. d^7, or of the first piece, an odd function, only the odd ones. Gives the largest
 * error in parts of the value. */
static long double fit(float centre, long double low, long double high, float *coefficients) {
    const int step = centre == 0.0F ? 2 : 1, n = (DEGREE + step - 1) / step;
    const long double scale = fmaxl(high - (long double)centre, (long double)centre - low);
    long double c[DEGREE], worst = 0;
    place_points(centre, low, high, scale, n, step);
    for (int round = 0; round < ROUNDS; round++) worst = improve(n, c);
    for (int i = 0; i < n; i++) {
        const long double unit = centre == 0.0F && i == 0 ? 1 : 0;
        coefficients[i * step] = (float)(c[i] / powl(scale, 1 + i * step) - unit);
    }
    return worst;
}

static void print_tables(float width, long double worst, float values[][PIECES]) {
    printf("/* SPDX-FileCopyrightText: 2026 The tosajit developers */\n"
           "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */\n"
           "/* erf in eight pieces of one width: erf(c + d) = erf(c) + d (c1 + c2 d + ...), c a\n"
           " * multiple of the width. A row of the table has erf(c), the next ones c1, c2, ... of "
           "all\n"
           " * pieces. The first piece has a centre of 0, c1 less 1, and no even powers. Generated "
           "by\n"
           " * jit/math/fit/pieces.c: do not edit. */\n"
           "#ifndef TOSAJIT_RUNTIME_FUNCTIONS_PIECES_H\n"
           "#define TOSAJIT_RUNTIME_FUNCTIONS_PIECES_H\n\n");
    printf("/* Relative error 2^%.1Lf. */\n", log2l(worst));
    printf("static const double f32_erf_piece_width = %a;\n", (double)width);
    printf("static const double f32_erf_pieces[][8] = {\n");
    for (int row = 0; row <= DEGREE; row++) {
        for (int k = 0; k < PIECES; k++)
            printf("%s%a%s",
                   k == 0  ? "    {"
                   : k % 4 ? " "
                           : "\n     ",
                   (double)values[row][k], k + 1 < PIECES ? "," : "");
        printf("},\n");
    }
    printf("};\n\n#endif\n");
}

int main(void) {
    float values[1 + DEGREE][PIECES] = {{0}};
    long double worst = 0;
    const float width = find_width();
    for (int k = 0; k < PIECES; k++) {
        const long double low = k == 0 ? 1e-6L : (k - 0.5L) * (long double)width,
                          high =
                              k + 1 == PIECES ? (long double)end : (k + 0.5L) * (long double)width;
        float c[DEGREE] = {0};
        worst = fmaxl(worst, fit(width * (float)k, low, high, c));
        values[0][k] = (float)erfl((long double)(width * (float)k));
        for (int i = 0; i < DEGREE; i++) values[1 + i][k] = c[i];
    }
    print_tables(width, worst, values);
    return 0;
}
