/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of TOSAJIT_FAST where the target looks values of f32 up in registers, 32 of them
 * (AVX-512) or 8 (AVX2): what remains of the operand is so small that short polynomials do. Each
 * lane's result is its own, whatever the loop, but 8 and 32 entries differ in their last bits. */
#include <string.h>

#include "jit/math/emitters.h"
#include "jit/math/f32.h"
#include "jit/math/fast.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"
#include "jit/math/pieces.h"

enum { MOST_ENTRIES = 32 };

/* e^x = 2^(n / steps) e^-c e^(c + r) with abs(r) <= ln 2 / (2 steps): the first two are an entry of
 * the table and an exponent, the last is 1 + rest. The offset c is such that all entries are f32 to
 * a quarter of their last place, and rest is never negative. */
typedef struct exp_table {
    unsigned shift; /* steps are 2^shift */
    const double *entries, *rest;
    unsigned rest_count;
} exp_table;

static const exp_table eighths = {3, fast_exp_eighths, fast_exp_eighths_rest,
                                  COUNT(fast_exp_eighths_rest)},
                       sixteenths = {4, fast_exp_sixteenths, fast_exp_sixteenths_rest,
                                     COUNT(fast_exp_sixteenths_rest)};

typedef struct exp_parts {
    const exp_table *table;
    LLVMValueRef entry, n; /* bits of i32; the entry lacks what the low bits of n add to it */
    LLVMValueRef rest;
} exp_parts;

/* The entries lack j in the bits to which n is shifted, so that one addition makes 2^(n/steps). */
static LLVMValueRef exp_entry(const lane *l, const exp_table *t, LLVMValueRef n) {
    float entries[MOST_ENTRIES];
    for (unsigned k = 0; k < MOST_ENTRIES; k++) {
        const unsigned j = k & ((1U << t->shift) - 1);
        uint32_t bits;
        entries[k] = (float)t->entries[j];
        memcpy(&bits, &entries[k], sizeof bits);
        bits -= j << (23 - t->shift);
        memcpy(&entries[k], &bits, sizeof bits);
    }
    return bits_of(l, lane_entry(l, entries, n));
}

/* c0 + c1 r + ..., where r lacks n low, which is so small that its first power will do. */
static LLVMValueRef exp_rest(const lane *l, const exp_table *t, LLVMValueRef r, LLVMValueRef n,
                             double low) {
    const double *c = t->rest;
    LLVMValueRef first = lane_fma(l, n, constant(l, low * c[1]), constant(l, c[0]));
    return lane_fma(l, polynomial(l, c + 1, t->rest_count - 1, r), r, first);
}

/* x steps / ln 2 as a whole number in the low bits, from which its float is a subtraction away. */
static LLVMValueRef exp_shifted(const lane *l, LLVMValueRef x, double steps) {
    return lane_fma(l, x, constant(l, 0x1.715476p0 * steps), lane_f32(l, f32_shift));
}

static const exp_table *table_of(const lane *l) {
    return lane_entries(l) == MOST_ENTRIES ? &sixteenths : &eighths;
}

/* abs(x) < 200, where a loop has nothing else: r takes two steps, and constants stay in registers.
 */
static exp_parts exp_alone(const lane *l, LLVMValueRef x) {
    const exp_table *t = table_of(l);
    const double steps = 1U << t->shift;
    LLVMValueRef shifted = exp_shifted(l, x, steps), bits = bits_of(l, shifted),
                 n = lane_fsub(l, shifted, lane_f32(l, f32_shift));
    LLVMValueRef r = lane_fma(l, n, constant(l, -f32_ln2[0] / steps), x);
    r = lane_fma(l, n, constant(l, -f32_ln2[1] / steps), r);
    return (exp_parts){t, exp_entry(l, t, bits), bits, polynomial(l, t->rest, t->rest_count, r)};
}

/* abs(x) < 200, in a longer computation: r waits for one step less. */
static exp_parts exp_by_table(const lane *l, LLVMValueRef x) {
    const exp_table *t = table_of(l);
    const double steps = 1U << t->shift, ln2 = f32_ln2[0] + f32_ln2[1], high = (double)(float)ln2;
    LLVMValueRef shifted = exp_shifted(l, x, steps), bits = bits_of(l, shifted),
                 n = lane_fsub(l, shifted, lane_f32(l, f32_shift)),
                 r = lane_fma(l, n, constant(l, -high / steps), x);
    return (exp_parts){t, exp_entry(l, t, bits), bits, exp_rest(l, t, r, n, (high - ln2) / steps)};
}

/* 2^(n/steps) e^-c where it is a normal number. */
static LLVMValueRef exp_scale(const lane *l, exp_parts e) {
    return float_of(l,
                    lane_add(l, e.entry, lane_shl(l, e.n, lane_int(l, 32, 23 - e.table->shift))));
}

/* e^x for all x. */
static LLVMValueRef exp_far(const lane *l, LLVMValueRef x) {
    exp_parts e = exp_alone(l, limit(l, x, -105.0, 89.0));
    LLVMValueRef magic = bits_of(l, lane_f32(l, f32_shift)),
                 shift = lane_int(l, 32, e.table->shift),
                 n = lane_ashr(l, lane_sub(l, e.n, magic), shift);
    e.n = lane_and(l, e.n, lane_int(l, 32, (1 << e.table->shift) - 1));
    LLVMValueRef scale = exp_scale(l, e);
    return scale_far(l, (scaled){lane_fma(l, scale, e.rest, scale), lane_add(l, n, magic)});
}

LLVMValueRef fast_exp_rare(const lane *l, LLVMValueRef x, LLVMValueRef rare, LLVMValueRef usual,
                           LLVMValueRef (*far)(const lane *l, LLVMValueRef x)) {
    LLVMValueRef lowest = constant(l, -104.0), zero = constant(l, 0.0);
    lane_cold cold = lane_cold_begin(l, rare);
    LLVMValueRef most = lane_select(l, lane_fcmp(l, LLVMRealOLT, x, lowest), zero, usual),
                 others = lane_and(l, rare, lane_fcmp(l, LLVMRealUGE, x, lowest));
    lane_cold colder = lane_cold_begin(l, others);
    LLVMValueRef corrected = lane_select(l, others, far(l, x), most);
    lane_cold_end(l, &colder);
    LLVMValueRef result = lane_cold_merge(l, &colder, most, corrected);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, usual, result);
}

LLVMValueRef exp_looked_up(const lane *l, LLVMValueRef x) {
    exp_parts e = exp_alone(l, x);
    LLVMValueRef scale = exp_scale(l, e), result = lane_fma(l, scale, e.rest, scale);
    LLVMValueRef rare = lane_fcmp(l, LLVMRealUGE, lane_fabs(l, x), constant(l, 87.2));
    return fast_exp_rare(l, x, rare, result, exp_far);
}

/* 1 / (1 + E) for E = e^-x, which is scale (1 + rest). 1 + E is sum + low, where sum is an f32 near
 * it. What the quotient y of their sum lacks is y (1 - y sum - y low). */
static LLVMValueRef sigmoid_near(const lane *l, LLVMValueRef x) {
    exp_parts e = exp_by_table(l, lane_fneg(l, x));
    LLVMValueRef one = constant(l, 1.0), scale = exp_scale(l, e), sum = lane_fadd(l, scale, one);
    LLVMValueRef is_large = lane_fcmp(l, LLVMRealOGT, scale, one),
                 is_small = lane_fcmp(l, LLVMRealOLT, scale, one),
                 larger = lane_select(l, is_large, scale, one),
                 smaller = lane_select(l, is_small, scale, one);
    LLVMValueRef lost = lane_fsub(l, smaller, lane_fsub(l, sum, larger)),
                 low = lane_fma(l, scale, e.rest, lost),
                 y = lane_fdiv(l, one, lane_fadd(l, sum, low)), minus_y = lane_fneg(l, y);
    LLVMValueRef left = lane_fma(l, minus_y, low, lane_fma(l, minus_y, sum, one));
    return lane_fma(l, y, left, y);
}

/* Beyond 87 it is 1, and below -87, where results are nearly subnormal, e^x. */
LLVMValueRef sigmoid_looked_up(const lane *l, LLVMValueRef x) {
    LLVMValueRef result = sigmoid_near(l, x);
    LLVMValueRef far = lane_fcmp(l, LLVMRealOGT, lane_fabs(l, x), constant(l, 87.0));
    lane_cold cold = lane_cold_begin(l, far);
    LLVMValueRef negative = lane_icmp(l, LLVMIntSLT, bits_of(l, x), lane_int(l, 32, 0)),
                 limits = lane_select(l, negative, exp_far(l, x), constant(l, 1.0));
    LLVMValueRef corrected = lane_select(l, far, limits, result);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, result, corrected);
}

/* The entries have the half in them, and a constant that keeps what is rounded of e^2r below 2, so
 * that it is rounded less. */
LLVMValueRef tanh_divisor_looked_up(const lane *l, LLVMValueRef a) {
    static const exp_table t = {3, fast_tanh_eighths, fast_tanh_eighths_powers,
                                COUNT(fast_tanh_eighths_powers)};
    LLVMValueRef shifted = exp_shifted(l, a, 16.0), bits = bits_of(l, shifted),
                 n = lane_fsub(l, shifted, lane_f32(l, f32_shift)),
                 r = lane_fma(l, n, constant(l, -0x1.62e43p-5), a);
    exp_parts e = {&t, exp_entry(l, &t, bits), bits, polynomial(l, t.rest, t.rest_count, r)};
    return lane_fma(l, e.rest, exp_scale(l, e), constant(l, 0.5));
}

enum { TURN = 16 }; /* steps */

/* The sine of n steps and so many quarters of a turn, or what its f32 lacks; of eight entries,
 * which are half a turn, maybe of the opposite sign. */
static LLVMValueRef sine_entry(const lane *l, LLVMValueRef n, unsigned quarters,
                               const double *table) {
    float entries[MOST_ENTRIES];
    for (unsigned k = 0; k < MOST_ENTRIES; k++)
        entries[k] = (float)table[(k + quarters * TURN / 4) % TURN];
    return lane_entry(l, entries, n);
}

/* With S and C from tables it is S cos r + C sin r: S + (S (cos r - 1) + C r + C (sin r - r)), the
 * largest last. */
LLVMValueRef sine_looked_up(const lane *l, LLVMValueRef x, unsigned quarters) {
    turns t = reduce_turns(l, x, TURN);
    LLVMValueRef slope = sine_entry(l, t.n, quarters + 1, fast_sines),
                 value = sine_entry(l, t.n, quarters, fast_sines),
                 low = sine_entry(l, t.n, quarters, fast_sine_lows), z = lane_fmul(l, t.r, t.r);
    LLVMValueRef s = polynomial(l, fast_sin_short_coefficients, COUNT(fast_sin_short_coefficients),
                                z),
                 c = polynomial(l, fast_cos_short_coefficients, COUNT(fast_cos_short_coefficients),
                                z);
    LLVMValueRef rest = lane_fma(l, value, lane_fmul(l, z, c), low);
    rest = lane_fma(l, slope, lane_fma(l, lane_fmul(l, z, t.r), s, t.low), rest);
    LLVMValueRef sum = lane_fadd(l, value, lane_fma(l, slope, t.r, rest));
    if (lane_entries(l) >= TURN) return sum;
    LLVMValueRef turned =
        lane_and(l, lane_shl(l, t.n, lane_int(l, 32, 28)), lane_int(l, 32, INT32_MIN));
    return float_of(l, lane_xor(l, bits_of(l, sum), turned));
}

/* A function in pieces: f(c + d) = f(c) + d P(d). In the first one, where c and f(c) are 0, the sum
 * is d + d (P(d) - 1), which loses nothing next to 0; there d is larger than f(c), elsewhere
 * smaller. */
typedef struct pieces {
    const float *centre, *value, *c[7];
    unsigned degree;
} pieces;

#define FIVE(name) name##_c1, name##_c2, name##_c3, name##_c4, name##_c5
static const pieces tanh_pieces = {tanh_piece_centre, tanh_piece_value, {FIVE(tanh_piece)}, 5},
                    erf_pieces = {erf_piece_centre, erf_piece_value, {FIVE(erf_piece)}, 5},
                    erf_eighths = {NULL,
                                   erf_eighth_value,
                                   {FIVE(erf_eighth), erf_eighth_c6, erf_eighth_c7},
                                   7};

/* Of the piece at an index, d beside its centre. */
static LLVMValueRef evaluate(const lane *l, const pieces *p, LLVMValueRef index, LLVMValueRef d) {
    LLVMValueRef value = lane_entry(l, p->value, index),
                 sum = lane_entry(l, p->c[p->degree - 1], index);
    for (unsigned k = p->degree - 1; k-- > 0;)
        sum = lane_fma(l, sum, d, lane_entry(l, p->c[k], index));
    return lane_fma(l, sum, d, lane_select(l, lane_fcmp(l, LLVMRealOGT, d, value), d, value));
}

/* Exponent and two bits of fraction. */
static LLVMValueRef quarter_octave(const lane *l, LLVMValueRef x) {
    return lane_lshr(l, bits_of(l, x), lane_int(l, 32, 21));
}

/* Four pieces an octave from 1/8 on. */
static LLVMValueRef by_octaves(const lane *l, const pieces *p, LLVMValueRef a) {
    LLVMValueRef first = lane_int(l, 32, 495), k = quarter_octave(l, a);
    LLVMValueRef index = lane_intrinsic(l, "llvm.smax", (LLVMValueRef[]){k, first}, 2);
    return evaluate(l, p, index, lane_fsub(l, a, lane_entry(l, p->centre, index)));
}

LLVMValueRef tanh_looked_up(const lane *l, LLVMValueRef a) {
    return by_octaves(l, &tanh_pieces, a);
}

/* Of eight pieces a register less is looked up: their centres are multiples of a width, so short
 * that the difference from them is exact. The multiple is in the low bits of `shifted`. */
LLVMValueRef erf_looked_up(const lane *l, LLVMValueRef a) {
    if (lane_entries(l) == MOST_ENTRIES) return by_octaves(l, &erf_pieces, a);
    LLVMValueRef magic = lane_f32(l, f32_shift),
                 shifted = lane_fma(l, a, constant(l, 1.0 / (double)erf_eighth_width), magic);
    LLVMValueRef d =
        lane_fma(l, lane_fsub(l, shifted, magic), constant(l, -(double)erf_eighth_width), a);
    return evaluate(l, &erf_eighths, bits_of(l, shifted), d);
}
