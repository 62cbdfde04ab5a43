/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of exp, tanh, sigmoid, erf, reciprocal and rsqrt on f32. Operands are widened to f64,
 * the function is evaluated there to about 2^-52 and rounded once, which makes overflow, subnormal
 * results and their rounding come out by themselves. Only operations with one defined result are
 * used, so bits do not depend on lane count or instruction set. */
#include <math.h>
#include <string.h>

#include "jit/math/emitters.h"
#include "jit/math/f32.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"
#include "jit/math/double_float.h"

LLVMValueRef limit(const lane *l, LLVMValueRef x, double low, double high) {
    LLVMValueRef lowest = lane_real_like(x, low), highest = lane_real_like(x, high);
    LLVMValueRef raised = lane_select(l, lane_fcmp(l, LLVMRealOLT, x, lowest), lowest, x);
    return lane_select(l, lane_fcmp(l, LLVMRealOGT, raised, highest), highest, raised);
}

/* x = n ln 2 + r with n the nearest integer. */
typedef struct exp_reduction {
    LLVMValueRef exponent; /* n in the exponent bits of an f64, as i64 */
    LLVMValueRef r;        /* abs(r) <= 0.3467 */
} exp_reduction;

/* Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits. The second part of ln 2
 * keeps r exact to 2^-60. */
static exp_reduction reduce_exp(const lane *l, LLVMValueRef x) {
    LLVMValueRef shift = lane_f64(l, 0x1.8p52), log2_e = lane_f64(l, 0x1.71547652b82fep0);
    LLVMValueRef shifted = lane_fma(l, x, log2_e, shift), n = lane_fsub(l, shifted, shift);
    LLVMValueRef r = lane_fma(l, n, lane_f64(l, -ln2_parts[0]), x);
    LLVMValueRef bits = lane_bitcast(l, shifted, lane_int_type(l, 64));
    return (exp_reduction){lane_shl(l, bits, lane_int(l, 64, 52)),
                           lane_fma(l, n, lane_f64(l, -ln2_parts[1]), r)};
}

/* x = (n / 8) ln 2 + r, e^x = scale (1 + tail): a table of 2^(j/8) spares the polynomial four
 * steps. */
typedef struct exp_parts {
    LLVMValueRef bits; /* n in the low bits of an i64 */
    LLVMValueRef scale, tail;
} exp_parts;

/* The entries lack j in the bits to which n is shifted, so that one addition makes 2^(n/8). */
LLVMValueRef exp2_of_eighths(const lane *l, LLVMValueRef n) {
    uint64_t table[COUNT(exp_eighths)];
    for (unsigned j = 0; j < COUNT(exp_eighths); j++) {
        memcpy(&table[j], &exp_eighths[j], sizeof table[j]);
        table[j] -= (uint64_t)j << 49;
    }
    LLVMValueRef power =
        lane_add(l, lane_lookup_8(l, table, n), lane_shl(l, n, lane_int(l, 64, 49)));
    return lane_bitcast(l, power, lane_f64_type(l));
}

static exp_parts exp_by_table(const lane *l, LLVMValueRef x) {
    LLVMTypeRef i64 = lane_int_type(l, 64);
    LLVMValueRef shift = lane_f64(l, 0x1.8p52),
                 shifted = lane_fma(l, x, lane_f64(l, 0x1.71547652b82fep3), shift);
    LLVMValueRef n = lane_fsub(l, shifted, shift), bits = lane_bitcast(l, shifted, i64);
    LLVMValueRef r = lane_fma(l, n, lane_f64(l, -ln2_parts[0] / 8), x);
    r = lane_fma(l, n, lane_f64(l, -ln2_parts[1] / 8), r);
    LLVMValueRef scale = exp2_of_eighths(l, bits),
                 q = lane_polynomial(l, exp_short_coefficients, COUNT(exp_short_coefficients), r);
    LLVMValueRef tail = lane_fma(l, lane_fmul(l, r, r), q, r);
    return (exp_parts){bits, scale, tail};
}

/* e^x in f64, abs(x) < 700. NaN stays NaN: one that was widened from f32 has zero low bits, so its
 * exponent is kept. */
static LLVMValueRef exp_f64(const lane *l, LLVMValueRef x) {
    if (lane_has_lookup(l)) {
        exp_parts e = exp_by_table(l, x);
        return lane_fma(l, e.scale, e.tail, e.scale);
    }
    exp_reduction e = reduce_exp(l, x);
    LLVMValueRef q = lane_polynomial(l, exp_coefficients, COUNT(exp_coefficients), e.r);
    LLVMValueRef tail = lane_fma(l, lane_fmul(l, e.r, e.r), q, e.r);
    LLVMValueRef power =
        lane_bitcast(l, lane_fadd(l, tail, lane_f64(l, 1.0)), lane_int_type(l, 64));
    return lane_bitcast(l, lane_add(l, power, e.exponent), lane_f64_type(l));
}

/* e^100 overflows f32 and e^-110 is below half its smallest subnormal. */
static LLVMValueRef exp_wide(const lane *l, const LLVMValueRef *x) {
    return lane_fptrunc(l, exp_f64(l, lane_fpext(l, limit(l, x[0], -110.0, 100.0))));
}

LLVMValueRef emit_exp(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    static const lane_vector_function wide = {"tosajit_exp_wide", exp_wide, 1};
    return (void)op, has_double_float(l) ? exp_by_double_float(l, &wide, x[0]) : exp_wide(l, x);
}

/* 1 / (1 + e^-x). Below 2^-11 the result 1/2 + x/4 - x^3/48 is often so close to a midpoint of two
 * f32 that f64 lands on the midpoint. There a factor a little below 1/4 decides as the cubic term
 * would, and changes nothing else. */
static LLVMValueRef sigmoid_wide(const lane *l, const LLVMValueRef *x) {
    LLVMValueRef one = lane_f64(l, 1.0), wide = lane_fpext(l, limit(l, x[0], -110.0, 100.0));
    LLVMValueRef far = lane_fdiv(l, one, lane_fadd(l, one, exp_f64(l, lane_fneg(l, wide))));
    LLVMValueRef near = lane_fma(l, wide, lane_f64(l, 0.25 * (1.0 - 0x1p-27)), lane_f64(l, 0.5));
    LLVMValueRef small = lane_fcmp(l, LLVMRealOLT, lane_fabs(l, wide), lane_f64(l, 0x1p-11));
    LLVMValueRef result = lane_fptrunc(l, lane_select(l, small, near, far));
    return lane_except(l, x[0], -0x1.250c02p-10, 0x1.ffb6bep-2, result);
}

LLVMValueRef emit_sigmoid(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    static const lane_vector_function wide = {"tosajit_sigmoid_wide", sigmoid_wide, 1};
    return (void)op,
           has_double_float(l) ? sigmoid_by_double_float(l, &wide, x[0]) : sigmoid_wide(l, x);
}

/* e^x - 1 = scale tail + (scale - 1), which does not cancel near 0, where scale is 1. With a table
 * what its entries lack of 2^(j/8) joins the tail. */
static LLVMValueRef expm1_f64(const lane *l, LLVMValueRef x) {
    LLVMValueRef one = lane_f64(l, 1.0);
    if (lane_has_lookup(l)) {
        uint64_t rests[COUNT(exp_eighths_rests)];
        memcpy(rests, exp_eighths_rests, sizeof rests);
        exp_parts e = exp_by_table(l, x);
        LLVMValueRef rest = lane_bitcast(l, lane_lookup_8(l, rests, e.bits), lane_f64_type(l));
        return lane_fma(l, e.scale, lane_fadd(l, e.tail, rest), lane_fsub(l, e.scale, one));
    }
    exp_reduction e = reduce_exp(l, x);
    LLVMValueRef q = lane_polynomial(l, expm1_coefficients, COUNT(expm1_coefficients), e.r);
    LLVMValueRef power = lane_fma(l, lane_fmul(l, e.r, e.r), q, e.r);
    LLVMValueRef scale_bits = lane_add(l, e.exponent, lane_bitcast(l, one, lane_int_type(l, 64)));
    LLVMValueRef scale = lane_bitcast(l, scale_bits, lane_f64_type(l));
    return lane_fma(l, power, scale, lane_fsub(l, scale, one));
}

/* E / (E + 2) with E = e^2x - 1. tanh 10 rounds to 1. */
LLVMValueRef emit_tanh(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef wide = lane_fpext(l, limit(l, x[0], -10.0, 10.0)),
                 expm1 = expm1_f64(l, lane_fadd(l, wide, wide));
    LLVMValueRef result =
        lane_round(l, op->result, lane_fdiv(l, expm1, lane_fadd(l, expm1, lane_f64(l, 2.0))));
    /* The sums above turn -0 into +0. */
    return lane_intrinsic(l, "llvm.copysign", (LLVMValueRef[]){result, x[0]}, 2);
}

/* One even polynomial for the whole range: erf is entire, and beyond 3.93 it rounds to 1 in f32. */
LLVMValueRef emit_erf(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef a = lane_fpext(l, limit(l, x[0], -3.93, 3.93)),
                 u = lane_fma(l, a, a, lane_f64(l, -7.7));
    return lane_round(
        l, op->result,
        lane_fmul(l, a, lane_polynomial(l, erf_coefficients, COUNT(erf_coefficients), u)));
}

LLVMValueRef emit_reciprocal(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_fdiv(l, lane_real_like(x[0], 1.0), x[0]);
}

/* An f32 estimate y, with a relative error e/2 below 2^-22, and one step of third order in f64,
 * which leaves 2^-53. That takes half the time of square root and division in f64. x y is exact,
 * and so is e. Where the step makes a NaN the estimate is the result: infinity of +-0, 0 of
 * infinity, NaN. */
LLVMValueRef rsqrt_wide(const lane *l, LLVMValueRef x) {
    LLVMValueRef estimate = lane_fdiv(l, lane_real_like(x, 1.0), lane_sqrt(l, x)),
                 y = lane_fpext(l, estimate);
    LLVMValueRef root = lane_fmul(l, lane_fpext(l, x), y),
                 e = lane_fma(l, lane_fneg(l, root), y, lane_f64(l, 1.0));
    LLVMValueRef half = lane_fma(l, e, lane_f64(l, 0.375), lane_f64(l, 0.5));
    LLVMValueRef result = lane_fptrunc(l, lane_fma(l, lane_fmul(l, e, y), half, y));
    return lane_select(l, lane_fcmp(l, LLVMRealUNO, result, result), estimate, result);
}

/* y / 2 for numbers whose half is normal: a subtraction may go where multiplications do not. */
static LLVMValueRef half_of(const lane *l, LLVMValueRef y) {
    return float_of(l, lane_sub(l, bits_of(l, y), lane_int(l, 32, 1 << 23)));
}

/* y (1 + e/2) with e = 1 - x y^2: twice as many bits. */
static LLVMValueRef rsqrt_refine(const lane *l, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef minus_root = lane_fneg(l, lane_fmul(l, x, y)),
                 e = lane_fma(l, minus_root, y, lane_f32(l, 1.0f));
    return lane_fma(l, half_of(l, y), e, y);
}

/* In f32: y (1 + e/2 + 3/8 e^2), e = 1 - x y^2 with the rounding error of x y. If y has 14 bits e
 * is below 2^-13. Then rounding e, c = 1/2 + 3/8 e, their product, and the next term move the
 * result by less than 2^-36. If y has 21 bits, from an estimate of 11 and a step, c = 1/2 is enough
 * for less than 2^-41. Where that could change the rounding, in one result of 2000, cold code
 * decides. It decides, too, for zeros, infinities and NaN, which make NaN here. So the result does
 * not depend on the estimate's own bits. */
LLVMValueRef emit_rsqrt(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    (void)op;
    if (!lane_rsqrt_bits(l)) return rsqrt_wide(l, x[0]);
    const bool enough = lane_rsqrt_bits(l) >= 14;
    LLVMValueRef y = lane_rsqrt_estimate(l, x[0]);
    if (!enough) y = rsqrt_refine(l, x[0], y);
    LLVMValueRef root = lane_fmul(l, x[0], y), lost = lane_fma(l, x[0], y, lane_fneg(l, root)),
                 minus_y = lane_fneg(l, y);
    LLVMValueRef e = lane_fma(l, lost, minus_y, lane_fma(l, root, minus_y, lane_f32(l, 1.0f)));
    LLVMValueRef error = lane_f32(l, enough ? 0x1p-36f : 0x1p-40f), factor = y, low, high;
    if (enough) {
        LLVMValueRef c = lane_fma(l, e, lane_f32(l, 0.375f), lane_f32(l, 0.5f));
        low = lane_fma(l, e, c, lane_fneg(l, error)), high = lane_fma(l, e, c, error);
    } else {
        factor = half_of(l, y), low = lane_fsub(l, e, error), high = lane_fadd(l, e, error);
    }
    LLVMValueRef lower = lane_fma(l, factor, low, y), upper = lane_fma(l, factor, high, y);
    lane_cold cold = lane_cold_begin(l, lane_fcmp(l, LLVMRealUNE, lower, upper));
    LLVMValueRef decided = rsqrt_wide(l, x[0]);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, lower, decided);
}
