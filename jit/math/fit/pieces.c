/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fits the pieces of tanh and erf in jit/math/fast_table.c: not part of the build. Of each piece a
 * centre c, near its middle and such that f(c) is an f32 to 2^-34, and a polynomial by Lawson's
 * weighted least squares: f(c + d) = f(c) + d (c1 + c2 d + ...), c1 less 1 in the first piece,
 * whose centre is 0. Pieces of one width have its multiples as centres; it is such that all of
 * these are f32 as nearly as can be.
 *
 *     cc -O2 jit/math/fit/pieces.c -lm -o pieces && ./pieces > jit/math/pieces.h */
#include <math.h>
#include <stdio.h>

enum { POINTS = 400, MOST_DEGREE = 7, ROUNDS = 60, MOST_ENTRIES = 32 };

/* Pieces `first` to `last`, each at its number modulo `entries`; piece k ends where k + 1 begins,
 * the last one at `end`, from where on the function rounds to 1. Without edges they are of one
 * width, about multiples of it, the first of which is 0. */
typedef struct pieces {
    const char *name, *about;
    long double (*f)(long double), (*edge)(int k);
    int first, last, entries, degree;
    float end;
} pieces;

/* The least width of which `last` pieces and a half reach the end, or a little more, in so few bits
 * that no difference between an operand and a centre is rounded. */
static float find_width(const pieces *all) {
    enum { TRIES = 1 << 18, UNIT = 1 << 23 };
    const float least = ceilf(all->end / ((float)all->last + 0.5F) * UNIT) / UNIT;
    float best = least;
    long double fewest = 1;
    for (int k = 0; k < TRIES; k++) {
        const float width = least + (float)k / UNIT;
        long double most = 0;
        for (int piece = 1; piece <= all->last; piece++) {
            const long double value = all->f((long double)width * piece);
            most = fmaxl(most, fabsl((long double)(float)value - value));
        }
        if (most < fewest) fewest = most, best = width;
    }
    return best;
}

/* What is fitted at a point d = scale t beside the centre, in parts of tanh: `wanted` as a sum of
 * the basis. */
typedef struct point {
    long double basis[MOST_DEGREE], wanted, weight, error;
} point;

static point points[POINTS];

/* The centre whose value an f32 hits best, of the tenth behind the middle. */
static float find_centre(const pieces *all, long double low, long double high) {
    float best = (float)((low + high) / 2);
    long double least = 1;
    for (int k = 0; k < 4000; k++) {
        const float try = (float)((low + high) / 2 + (high - low) * k / 40000);
        const long double value = all->f((long double)try);
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
static void solve(int n, long double a[MOST_DEGREE][MOST_DEGREE], long double *b) {
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

static void place_points(const pieces *all, float centre, long double low, long double high,
                         long double scale, int n, int step) {
    const long double pi = acosl(-1), top = (long double)(float)all->f((long double)centre);
    for (int p = 0; p < POINTS; p++) {
        const long double x = (low + high) / 2 - (high - low) / 2 * cosl(pi * (p + 0.5L) / POINTS),
                          t = (x - (long double)centre) / scale, y = all->f(x);
        points[p].weight = 1;
        points[p].wanted = (y - top) / y;
        for (int i = 0; i < n; i++) points[p].basis[i] = powl(t, 1 + i * step) / y;
    }
}

/* One round of least squares, whose errors make the weights of the next. Gives the largest. */
static long double improve(int n, long double *c) {
    long double a[MOST_DEGREE][MOST_DEGREE] = {{0}}, worst = 0;
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

/* Powers d^1 .. d^degree, or of the first piece, an odd function, only the odd ones. Gives the
 * largest error in parts of the value. */
static long double fit(const pieces *all, float centre, long double low, long double high,
                       float *coefficients) {
    const int step = centre == 0.0F ? 2 : 1, n = (all->degree + step - 1) / step;
    const long double scale = fmaxl(high - (long double)centre, (long double)centre - low);
    long double c[MOST_DEGREE], worst = 0;
    place_points(all, centre, low, high, scale, n, step);
    for (int round = 0; round < ROUNDS; round++) worst = improve(n, c);
    for (int i = 0; i < n; i++) {
        const long double unit = centre == 0.0F && i == 0 ? 1 : 0;
        coefficients[i * step] = (float)(c[i] / powl(scale, 1 + i * step) - unit);
    }
    return worst;
}

static void print_table(const pieces *all, const char *what, const float *values) {
    printf("static const float %s_%s[] = {", all->name, what);
    for (int k = 0; k < all->entries; k++)
        printf("%s%af%s", k % 4 ? " " : "\n    ", (double)values[k],
               k + 1 < all->entries ? "," : "");
    printf("};\n\n");
}

static long double edge_of(const pieces *all, float width, int k) {
    return all->edge ? all->edge(k) : (k - 0.5L) * (long double)width;
}

/* The tables centre, or the width, value, c1, c2, ... */
static void print_pieces(const pieces *all) {
    float table[2 + MOST_DEGREE][MOST_ENTRIES] = {{0}};
    long double worst = 0;
    const float width = all->edge ? 0 : find_width(all);
    for (int k = all->first; k <= all->last; k++) {
        const long double low = k == all->first ? 1e-6L : edge_of(all, width, k),
                          high =
                              k == all->last ? (long double)all->end : edge_of(all, width, k + 1);
        const float centre = k == all->first ? 0
                             : all->edge     ? find_centre(all, low, high)
                                             : width * (float)k;
        float c[MOST_DEGREE] = {0};
        const long double error = fit(all, centre, low, high, c);
        if (error > worst) worst = error;
        table[0][k % all->entries] = centre;
        table[1][k % all->entries] = (float)all->f((long double)centre);
        for (int i = 0; i < all->degree; i++) table[2 + i][k % all->entries] = c[i];
    }
    printf("/* %s Relative error 2^%.1Lf. */\n", all->about, log2l(worst));
    if (all->edge)
        print_table(all, "centre", table[0]);
    else
        printf("static const float %s_width = %aF;\n\n", all->name, (double)width);
    print_table(all, "value", table[1]);
    for (int i = 0; i < all->degree; i++) {
        char name[3] = {'c', (char)('1' + i), 0};
        print_table(all, name, table[2 + i]);
    }
}

static long double quarter_octave(int k) { return ldexpl(1 + (k & 3) / 4.0L, (k >> 2) - 127); }

int main(void) {
    static const pieces all[] = {
        {"tanh_piece", "tanh by quarter octaves.", tanhl, quarter_octave, 495, 520, 32, 5,
         0x1.233334p3F},
        {"erf_piece", "erf by quarter octaves.", erfl, quarter_octave, 495, 515, 32, 5, 3.93F},
        {"erf_eighth", "erf by pieces of one width.", erfl, NULL, 0, 7, 8, 7, 3.93F}};
    printf("/* SPDX-FileCopyrightText: 2026 The tosajit developers */\n"
           "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */\n"
           "/* Functions in pieces for TOSAJIT_FAST: f(c + d) = f(c) + d (c1 + c2 d + ...) where\n"
           " * exponent and two bits of fraction of abs(x) are k, at index k modulo the count; or "
           "at k\n"
           " * where c is k times the width.\n"
           " * The first piece has a centre of 0, c1 less 1, and no even powers. Generated by\n"
           " * jit/math/fit/pieces.c: do not edit. */\n"
           "#ifndef TOSAJIT_JIT_MATH_PIECES_H\n#define TOSAJIT_JIT_MATH_PIECES_H\n\n");
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++) print_pieces(&all[k]);
    printf("#endif\n");
    return 0;
}
