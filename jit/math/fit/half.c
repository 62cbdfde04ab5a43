/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Moves coefficients of jit/math/half.c by units of their last place until no operand is wrong.
 *     cc -O2 -march=native -ffp-contract=off jit/math/fit/half.c -o half -lmpfr -lgmp -lm
 *     half FUNCTION f16|bf16 fused|unfused SEED COEFFICIENT...
 * In: where to start; for tanh the quotient's numerator, four, and then its denominator. Out: the
 * coefficients found, and the operands that they still get wrong. Evaluates as the emitters do. */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, OPERANDS = 65536, TRIES = 20000, NEAR_TRIES = 300 };

typedef struct series {
    int count;
    float c[MOST];
} series;

static bool is_f16, fused;
static float operands[OPERANDS];
static uint16_t expected[OPERANDS];
static int operand_count, hard[OPERANDS], hard_count;

static uint32_t bits_of(float x) {
    uint32_t bits;
    return memcpy(&bits, &x, 4), bits;
}
static float float_of(uint32_t bits) {
    float x;
    return memcpy(&x, &bits, 4), x;
}
static float multiply_add(float a, float b, float c) { return fused ? fmaf(a, b, c) : a * b + c; }
static float limited(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

static float evaluate(const float *c, int count, float x) {
    float sum = c[count - 1];
    for (int k = count - 2; k >= 0; k--) sum = multiply_add(sum, x, c[k]);
    return sum;
}

static float subtract(float x, float n, const float *parts, int count) {
    for (int k = 0; k < count; k++) x = multiply_add(n, -parts[k], x);
    return x;
}

static float power(const series *s, float x) {
    const float whole[] = {0x1.62e43p-1f}, parts[] = {0x1.62e4p-1f, 0x1.7f7d1cp-20f};
    float shifted = multiply_add(x, 0x1.715476p0f, 0x1.8p23f), n = shifted - 0x1.8p23f;
    float r = fused ? subtract(x, n, whole, 1) : subtract(x, n, parts, 2);
    return float_of(bits_of(evaluate(s->c, s->count, r)) + (bits_of(shifted) << 23));
}

static float exponential(const series *s, float x) {
    if (is_f16) return power(s, limited(x, -20, 12));
    float root = power(s, limited(x, -100, 90) * 0.5f);
    return root * root;
}

static float sigmoid(const series *s, float x) {
    if (is_f16 && fabsf(x) < 0x1p-6f) return multiply_add(x, 0.25f - 0x1p-15f, 0.5f);
    if (is_f16) return 1 / (1 + power(s, -limited(x, -20, 20)));
    float root = power(s, limited(x, -100, 20) * 0.5f);
    return root * root / multiply_add(root, root, 1);
}

static float hyperbolic(const series *s, float x) {
    float end = is_f16 ? 4.6f : 3.55f, a = limited(x, -end, end), u = a * a;
    return a * evaluate(s->c, 4, u) / evaluate(s->c + 4, s->count - 4, u);
}

static float error_function(const series *s, float x) {
    float end = is_f16 ? 2.64f : 2.2f, a = limited(x, -end, end);
    return a * evaluate(s->c, s->count, multiply_add(a, a, is_f16 ? -3.48f : -2.42f));
}

static float logarithm(const series *s, float x) {
    const float whole[] = {-0x1.62e43p-1f}, parts[] = {-0x1.7f7d1cp-20f, -0x1.62e4p-1f};
    bool subnormal = x < 0x1p-126f;
    uint32_t bits = bits_of(subnormal ? x * 0x1p23f : x), offset = bits - 0x3f3504f3;
    float f = float_of(bits - (offset & 0xff800000)) - 1,
          k = (float)(((int32_t)offset >> 23) - (subnormal ? 23 : 0)),
          sum = f * evaluate(s->c, s->count, f);
    return fused ? subtract(sum, k, whole, 1) : subtract(sum, k, parts, 2);
}

static float sine_of(const series *s, float x, float phase) {
    const float exact[] = {0x1.921fb6p1f, -0x1.777a5cp-24f},
                parts[] = {0x1.92p1f, 0x1.fap-11f, 0x1.54p-19f, 0x1.10b46p-29f};
    float turns = 0x1.45f306p-2f, magic = 0x1.8p23f;
    float shifted =
        phase != 0 ? multiply_add(x, turns, phase) + magic : multiply_add(x, turns, magic);
    float n = shifted - magic - phase;
    float r = fused ? subtract(x, n, exact, 2) : subtract(x, n, parts, 4), z = r * r;
    float value = multiply_add(z * r, evaluate(s->c, s->count, z), r);
    return float_of(bits_of(value) ^ bits_of(shifted) << 31);
}

static float sine(const series *s, float x) { return copysignf(1, x) * sine_of(s, fabsf(x), 0); }
static float cosine(const series *s, float x) { return sine_of(s, fabsf(x), 0.5f); }

static int mpfr_sigmoid(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_neg(r, x, mode);
    mpfr_exp(r, r, mode);
    mpfr_add_ui(r, r, 1, mode);
    return mpfr_ui_div(r, 1, r, mode);
}

typedef struct function {
    const char *name;
    float (*value)(const series *s, float x);
    int (*exact)(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode);
    float above, most; /* of the operands that do not take other ways */
} function;

static const function functions[] = {
    {"exp", exponential, mpfr_exp, -INFINITY, INFINITY},
    {"log", logarithm, mpfr_log, 0, 0x1.fffffep127f},
    {"tanh", hyperbolic, mpfr_tanh, -INFINITY, INFINITY},
    {"sigmoid", sigmoid, mpfr_sigmoid, -INFINITY, INFINITY},
    {"erf", error_function, mpfr_erf, -INFINITY, INFINITY},
    {"sin", sine, mpfr_sin, -0x1.000002p16f, 0x1p16f},
    {"cos", cosine, mpfr_cos, -0x1.000002p16f, 0x1p16f},
};

static uint16_t narrow(float x) {
    uint16_t bits;
    _Float16 half = (_Float16)x;
    if (is_f16) return memcpy(&bits, &half, 2), bits;
    return (uint16_t)((bits_of(x) + 0x7fff + (bits_of(x) >> 16 & 1)) >> 16);
}

static float widen(uint16_t bits) {
    _Float16 half;
    if (is_f16) return memcpy(&half, &bits, 2), (float)half;
    return float_of((uint32_t)bits << 16);
}

/* The exact value to f32, to odd where that loses something, which leaves the last rounding to
 * `narrow`. */
static float nearly(const mpfr_t value) {
    float down = mpfr_get_flt(value, MPFR_RNDZ);
    bool exact = mpfr_cmp_d(value, (double)down) == 0;
    return exact || isinf(down) ? down : float_of(bits_of(down) | 1);
}

static void set_operands(const function *f) {
    mpfr_t x, value;
    mpfr_inits2(160, x, value, (mpfr_ptr)NULL);
    for (uint32_t k = 0; k < OPERANDS; k++) {
        float operand = widen((uint16_t)k);
        if (!(operand > f->above || (isinf(f->above) && isinf(operand))) || operand > f->most)
            continue;
        mpfr_set_flt(x, operand, MPFR_RNDN);
        f->exact(value, x, MPFR_RNDN);
        operands[operand_count] = operand;
        expected[operand_count++] = narrow(nearly(value));
    }
    mpfr_clears(x, value, (mpfr_ptr)NULL);
}

static bool is_wrong(const function *f, const series *s, int k) {
    return narrow(f->value(s, operands[k])) != expected[k];
}

static void add_hard(const function *f, const series *s, bool *known) {
    for (int k = 0; k < operand_count; k++)
        if (!known[k] && is_wrong(f, s, k)) known[k] = true, hard[hard_count++] = k;
}

static int count_wrong(const function *f, const series *s, int most) {
    int wrong = 0;
    for (int h = 0; h < hard_count && wrong <= most; h++) wrong += is_wrong(f, s, hard[h]);
    return wrong;
}

static series moved(series s, int coefficients, int units) {
    for (int k = 0; k < coefficients; k++) {
        float *c = &s.c[rand() % s.count];
        *c = float_of(bits_of(*c) + (uint32_t)(rand() % (2 * units + 1) - units));
    }
    return s;
}

/* Goes on from the best so far, and from equally good ones, on the operands that any coefficients
 * near the first ones get wrong. */
static series search(const function *f, series best) {
    static bool known[OPERANDS];
    add_hard(f, &best, known);
    for (int k = 0; k < NEAR_TRIES; k++) {
        series near = moved(best, best.count, 4);
        add_hard(f, &near, known);
    }
    int least = count_wrong(f, &best, hard_count);
    for (int k = 0; k < TRIES && least > 0; k++) {
        series next = moved(best, 1 + rand() % 3, 1 << rand() % 8);
        int wrong = count_wrong(f, &next, least);
        if (wrong > least) continue;
        add_hard(f, &next, known);
        wrong = count_wrong(f, &next, least);
        if (wrong <= least) best = next, least = wrong;
    }
    return best;
}

int main(int argc, char **argv) {
    const function *f = NULL;
    for (size_t k = 0; k < sizeof functions / sizeof *functions && argc > 5; k++)
        if (strcmp(functions[k].name, argv[1]) == 0) f = &functions[k];
    if (!f || argc - 5 > MOST) return fputs("half: see the head of its source\n", stderr), 2;
    is_f16 = strcmp(argv[2], "f16") == 0;
    fused = strcmp(argv[3], "fused") == 0;
    srand((unsigned)atoi(argv[4]));
    series s = {.count = argc - 5};
    for (int k = 0; k < s.count; k++) s.c[k] = strtof(argv[5 + k], NULL);
    set_operands(f);
    s = search(f, s);
    for (int k = 0; k < s.count; k++) printf("%af\n", (double)s.c[k]);
    for (int k = 0; k < operand_count; k++)
        if (is_wrong(f, &s, k)) printf("wrong: %a\n", (double)operands[k]);
    return 0;
}
