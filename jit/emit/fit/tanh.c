/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fits the pieces of tanh in jit/emit/fast.c: not part of the build. Four pieces an octave from 1/8
 * on, and one below. Of each a centre c, near its middle and such that tanh c is an f32 to 2^-34,
 * and a polynomial by Lawson's weighted least squares: tanh(c + d) = tanh c + d (c1 + c2 d + ...),
 * c1 less 1 in the first piece.
 *
 *     cc -O2 jit/emit/fit/tanh.c -lm -o tanh && ./tanh > jit/emit/tanh_pieces.h */
#include <math.h>
#include <stdio.h>

enum { POINTS = 400, DEGREE = 5, ROUNDS = 60, FIRST = 495, LAST = 520, ENTRIES = 32 };

/* Where the emitter limits operands: from there on tanh rounds to 1. */
static const float end = 0x1.233334p3F;

/* What is fitted at a point d = scale t beside the centre, in parts of tanh: `wanted` as a sum of
 * the basis. */
typedef struct point {
    long double basis[DEGREE], wanted, weight, error;
} point;

static point points[POINTS];

/* The centre whose value an f32 hits best, of those behind the middle. */
static float find_centre(float middle) {
    float best = middle, try = middle;
    long double least = 1;
    for (int k = 0; k < 4000; k++, try = nextafterf(try, 100)) {
        const long double value = tanhl((long double)try);
        const long double off = fabsl((long double)(float)value - value);
        if (off < least) least = off, best = try;
    }
    return best;
}

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
    const long double pi = acosl(-1), top = (long double)(float)tanhl((long double)centre);
    for (int p = 0; p < POINTS; p++) {
        const long double x = (low + high) / 2 - (high - low) / 2 * cosl(pi * (p + 0.5L) / POINTS),
                          t = (x - (long double)centre) / scale, y = tanhl(x);
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

/* Powers d^1 .. d^DEGREE, or of the first piece, an odd function, only the odd ones. Gives the
 * largest error in parts of the value. */
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

static void print_table(const char *name, const float *values) {
    printf("static const float tanh_piece_%s[] = {", name);
    for (int k = 0; k < ENTRIES; k++)
        printf("%s%af%s", k % 4 ? " " : "\n    ", (double)values[k], k + 1 < ENTRIES ? "," : "");
    printf("};\n\n");
}

static void print_header(float table[2 + DEGREE][ENTRIES], long double worst) {
    static const char *const names[] = {"centre", "value", "c1", "c2", "c3", "c4", "c5"};
    printf("/* SPDX-FileCopyrightText: 2026 The tosajit developers */\n"
           "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */\n"
           "/* Pieces of tanh for TOSAJIT_FAST: tanh(c + d) = tanh c + d (c1 + c2 d + ...) where\n"
           " * exponent and two bits of fraction of abs(x) are k, at index k modulo 32. Relative\n"
           " * error 2^%.1Lf. Generated by jit/emit/fit/tanh.c: do not edit. */\n",
           log2l(worst));
    printf("#ifndef TOSAJIT_JIT_EMIT_TANH_PIECES_H\n#define TOSAJIT_JIT_EMIT_TANH_PIECES_H\n\n"
           "/* Below 1/8, with a centre of 0, c1 less 1, and no even powers. */\n"
           "enum { TANH_FIRST_PIECE = %d };\n\n",
           FIRST);
    for (int i = 0; i < 2 + DEGREE; i++) print_table(names[i], table[i]);
    printf("#endif\n");
}

static long double edge(int k) { return ldexpl(1 + (k & 3) / 4.0L, (k >> 2) - 127); }

int main(void) {
    static float table[2 + DEGREE][ENTRIES];
    long double worst = 0;
    for (int k = FIRST; k <= LAST; k++) {
        const long double low = k == FIRST ? 1e-6L : edge(k),
                          high = k == LAST ? (long double)end : edge(k + 1);
        const float centre = k == FIRST  ? 0
                             : k == LAST ? end
                                         : find_centre((float)((low + high) / 2));
        float c[DEGREE] = {0};
        const long double error = fit(centre, low, high, c);
        if (error > worst) worst = error;
        table[0][k % ENTRIES] = centre;
        table[1][k % ENTRIES] = (float)tanhl((long double)centre);
        for (int i = 0; i < DEGREE; i++) table[2 + i][k % ENTRIES] = c[i];
    }
    print_header(table, worst);
    return 0;
}
