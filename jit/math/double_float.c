/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of exp and sigmoid in double-float. */
#include "jit/math/double_float.h"

#include <math.h>

#include "jit/math/emitters.h"
#include "jit/math/f32.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"

bool has_double_float(const lane *l) { return l->target->has_fma && lane_entries(l) != 0; }

LLVMValueRef decide(const lane *l, LLVMValueRef value, LLVMValueRef in_doubt,
                    const lane_vector_function *wide, LLVMValueRef x) {
    lane_cold cold = lane_cold_begin(l, in_doubt);
    LLVMValueRef decided = lane_apart(l, wide, &x);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, value, decided);
}

enum { MOST_STEPS = 32 };

/* The table for e^x = 2^(n/count) e^r. A pair is off by at most `error`, as a part of itself. One
 * that is made less by so much may stand for numbers up to `reach` above it. */
typedef struct exp_table {
    unsigned shift; /* count is 2^shift */
    const float *steps, *lows;
    const double *tail;
    unsigned tail_count;
    double error, reach;
} exp_table;

static const exp_table eighths = {3,         exp_steps_8, exp_lows_8, exp_tail_8, COUNT(exp_tail_8),
                                  0x1.8p-38, 0x1.9p-36},
                       many = {5,           exp_steps_32,       exp_lows_32,
                               exp_tail_32, COUNT(exp_tail_32), 0x1.2p-36,
                               0x1.1p-34};

static const exp_table *table_of(const lane *l) {
    return lane_entries(l) == MOST_STEPS ? &many : &eighths;
}

/* high + low. */
typedef struct pair {
    LLVMValueRef high, low;
} pair;

/* e^r - 1 for r = first + second; the second is below 2^-17. Only small numbers are rounded. With
 * the table of 32 entries r^2/2 is small, too; with 8 `near` includes it, and `lost` its rounding
 * error. */
static pair exp_less_one(const lane *l, const exp_table *t, LLVMValueRef first,
                         LLVMValueRef second) {
    LLVMValueRef r = lane_fadd(l, first, second), square = lane_fmul(l, r, r),
                 tail = polynomial(l, t->tail, t->tail_count, r), half = constant(l, 0.5);
    if (t == &many) return (pair){first, lane_fma(l, square, lane_fma(l, tail, r, half), second)};
    LLVMValueRef half_r = lane_fmul(l, half, first), near = lane_fma(l, half_r, first, first),
                 lost = lane_fma(l, half_r, first, lane_fsub(l, first, near)),
                 others = lane_fma(l, square, tail, second);
    return (pair){near, lane_fma(l, r, others, lane_fadd(l, second, lost))};
}

/* e^x = 2^k p, where `exponent` is 2^k as what it adds to the bits of an f32. The pair is more by
 * `bias` of itself: in the table that is free. */
static pair exp_pair(const lane *l, LLVMValueRef x, double bias, LLVMValueRef *exponent) {
    const exp_table *t = table_of(l);
    const unsigned count = 1U << t->shift;
    float lows[MOST_STEPS];
    for (unsigned j = 0; j < count; j++) lows[j] = (float)(t->lows[j] + bias);
    LLVMValueRef magic = lane_f32(l, f32_shift),
                 shifted = lane_fma(l, x, constant(l, 0x1.715476p0 * count), magic);
    LLVMValueRef minus_n = lane_fsub(l, magic, shifted), n = bits_of(l, shifted);
    LLVMValueRef first = lane_fma(l, minus_n, constant(l, exp_ln2_parts[0] / count), x),
                 second = lane_fma(l, minus_n, constant(l, exp_ln2_parts[1] / count),
                                   lane_entry(l, lows, n));
    pair e = exp_less_one(l, t, first, second);
    LLVMValueRef step = lane_entry(l, t->steps, n), high = lane_fma(l, step, e.high, step),
                 part = lane_fsub(l, high, step),
                 lost = lane_fma(l, step, e.high, lane_fneg(l, part));
    *exponent =
        lane_and(l, lane_shl(l, n, lane_int(l, 32, 23 - t->shift)), lane_int(l, 32, -(1 << 23)));
    return (pair){high, lane_fma(l, step, e.low, lost)};
}

/* Where a function of abs(x) >= far is constant, as of numbers that mask: its values below and
 * above.
 */
typedef struct saturation {
    float far, low, high, below, above;
} saturation;

/* The value, where it is known, else `wide` of x. */
static LLVMValueRef saturate(const lane *l, LLVMValueRef value, LLVMValueRef in_doubt,
                             const saturation *s, const lane_vector_function *wide,
                             LLVMValueRef x) {
    lane_cold cold = lane_cold_begin(l, in_doubt);
    LLVMValueRef is_below = lane_fcmp(l, LLVMRealOLT, x, constant(l, s->low)),
                 is_above = lane_fcmp(l, LLVMRealOGT, x, constant(l, s->high)),
                 known = lane_select(l, is_below, constant(l, s->below),
                                     lane_select(l, is_above, constant(l, s->above), value)),
                 open = lane_and(l, in_doubt, lane_not(l, lane_or(l, is_below, is_above)));
    LLVMValueRef decided = decide(l, known, open, wide, x);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, value, decided);
}

/* True if the pair's exponents were beyond those of normal numbers, or x is NaN. */
static LLVMValueRef is_far(const lane *l, const saturation *s, LLVMValueRef x) {
    return lane_fcmp(l, LLVMRealUGE, lane_fabs(l, x), constant(l, s->far));
}

/* The exponent comes last, lest what is small beside the result be subnormal. */
LLVMValueRef exp_by_double_float(const lane *l, const lane_vector_function *wide, LLVMValueRef x) {
    static const saturation ends = {87.0f, -104.0f, 89.0f, 0.0f, INFINITY};
    const exp_table *t = table_of(l);
    LLVMValueRef exponent;
    pair p = exp_pair(l, x, -t->error, &exponent);
    LLVMValueRef lower = lane_fadd(l, p.high, p.low),
                 upper = lane_fadd(l, p.high, lane_fadd(l, p.low, constant(l, t->reach))),
                 in_doubt = lane_fcmp(l, LLVMRealUNE, lower, upper),
                 value = float_of(l, lane_add(l, bits_of(l, lower), exponent));
    return saturate(l, value, lane_or(l, is_far(l, &ends, x), in_doubt), &ends, wide, x);
}

/* 1 + p 2^k. */
static pair add_one(const lane *l, pair p, LLVMValueRef exponent) {
    LLVMValueRef one = constant(l, 1.0),
                 scale = float_of(l, lane_add(l, exponent, bits_of(l, one))),
                 power = lane_fmul(l, p.high, scale), sum = lane_fadd(l, power, one),
                 part = lane_fsub(l, sum, one);
    LLVMValueRef lost =
        lane_fadd(l, lane_fsub(l, one, lane_fsub(l, sum, part)), lane_fsub(l, power, part));
    return (pair){sum, lane_fma(l, p.low, scale, lost)};
}

/* 1 / (1 + e^-x): the sum is a pair again, whose low part is no unit of the other. So its
 * reciprocal is q (1 + d + d^2), d being what is left of 1, subnormal where q is below 2^-111. */
LLVMValueRef sigmoid_by_double_float(const lane *l, const lane_vector_function *wide,
                                     LLVMValueRef x) {
    static const saturation ends = {76.0f, -104.0f, 20.0f, 0.0f, 1.0f};
    const double error = table_of(l)->error;
    LLVMValueRef exponent;
    pair p = exp_pair(l, lane_fneg(l, x), error, &exponent), sum = add_one(l, p, exponent);
    LLVMValueRef one = constant(l, 1.0), q = lane_fdiv(l, one, sum.high), minus_q = lane_fneg(l, q),
                 d = lane_fma(l, minus_q, sum.low, lane_fma(l, minus_q, sum.high, one)),
                 part = lane_fma(l, d, d, d),
                 more = lane_fadd(l, part, constant(l, 2.0 * error + 0x1p-41)),
                 lower = lane_fma(l, q, lane_fsub(l, part, constant(l, 0x1p-41)), q),
                 upper = lane_fma(l, q, more, q),
                 in_doubt = lane_fcmp(l, LLVMRealUNE, lower, upper);
    return saturate(l, lower, lane_or(l, is_far(l, &ends, x), in_doubt), &ends, wide, x);
}
