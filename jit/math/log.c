/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitter of log on f32, in two ways with the same bits. One computes in f64, as exp.c does. The
 * other uses double-floats, of which a register holds twice as many lanes. It is taken where a
 * register holds tables of eight (AVX2), and takes two thirds of the time. With AVX-512 it took a
 * quarter longer to compile, and from 0.7 to 1.15 of the time. */
#include <math.h>

#include "jit/math/emitters.h"
#include "jit/math/f32.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"
#include "jit/math/double_float.h"

split split_f64(const lane *l, LLVMValueRef x) {
    const int64_t lowest = 0x3fe6a09e667f3bcd, one_bits = 0x3ff0000000000000,
                  fraction = 0x000fffffffffffff;
    LLVMTypeRef f64 = lane_f64_type(l);
    LLVMValueRef offset =
        lane_add(l, lane_bitcast(l, x, lane_int_type(l, 64)), lane_int(l, 64, one_bits - lowest));
    LLVMValueRef m_bits =
        lane_add(l, lane_and(l, offset, lane_int(l, 64, fraction)), lane_int(l, 64, lowest));
    /* The biased exponent below the bits of 2^52 is the double 2^52 + 1023 + k; 64-bit conversions
     * are slow before AVX-512. */
    LLVMValueRef k_bits =
        lane_or(l, lane_lshr(l, offset, lane_int(l, 64, 52)), lane_int(l, 64, 0x4330000000000000));
    LLVMValueRef k = lane_fsub(l, lane_bitcast(l, k_bits, f64), lane_f64(l, 0x1p52 + 1023));
    LLVMValueRef m = lane_bitcast(l, m_bits, f64), one = lane_f64(l, 1.0);
    return (split){k, lane_fsub(l, m, one), lane_fadd(l, m, one)};
}

/* f = m - 1, s = f / (m + 1), ln m = f - s (f - s^2 P(s^2)): the leading term is exact. */
static LLVMValueRef log_f64(const lane *l, LLVMValueRef x) {
    split parts = split_f64(l, x);
    LLVMValueRef f = parts.below, s = lane_fdiv(l, f, parts.above), z = lane_fmul(l, s, s);
    LLVMValueRef p = lane_polynomial(l, log_coefficients, COUNT(log_coefficients), z);
    LLVMValueRef rest = lane_fma(l, z, p, lane_fneg(l, f));
    return lane_fma(l, s, rest, lane_fma(l, parts.k, lane_f64(l, ln2_parts[0]), f));
}

/* The inputs on which f64 is not enough. */
static const double hard_logs[][2] = {{0x1.bacb4ap+25, 0x1.1e0696p+4},
                                      {0x1.b121a6p+76, 0x1.a9a3f2p+5},
                                      {0x1.6351d8p+95, 0x1.08b512p+6}};

LLVMValueRef log_special_values(const lane *l, LLVMValueRef x, LLVMValueRef result) {
    LLVMValueRef zero = lane_real_like(x, 0.0), infinity = lane_real_like(x, (double)INFINITY);
    LLVMValueRef finite = lane_fcmp(l, LLVMRealOLT, x, infinity);
    /* +inf and NaN are their own logarithms. */
    LLVMValueRef large = lane_select(l, finite, result, x);
    LLVMValueRef pole = lane_fcmp(l, LLVMRealOEQ, x, zero),
                 positive = lane_fcmp(l, LLVMRealUGT, x, zero);
    return lane_select(
        l, positive, large,
        lane_select(l, pole, lane_fneg(l, infinity), lane_real_like(x, (double)NAN)));
}

/* Everything but positive numbers below infinity. */
static LLVMValueRef is_special(const lane *l, LLVMValueRef x) {
    LLVMValueRef before_zero = lane_sub(l, bits_of(l, x), lane_int(l, 32, 1));
    return lane_icmp(l, LLVMIntUGE, before_zero, lane_int(l, 32, 0x7f7fffff));
}

static LLVMValueRef log_wide(const lane *l, const LLVMValueRef *operands) {
    const LLVMValueRef x = operands[0];
    LLVMValueRef result = lane_fptrunc(l, log_f64(l, lane_fpext(l, x)));
    LLVMValueRef rare = is_special(l, x);
    for (unsigned k = 0; k < COUNT(hard_logs); k++)
        rare = lane_or(l, rare, lane_fcmp(l, LLVMRealOEQ, x, lane_real_like(x, hard_logs[k][0])));
    lane_cold cold = lane_cold_begin(l, rare);
    LLVMValueRef corrected = result;
    for (unsigned k = 0; k < COUNT(hard_logs); k++)
        corrected = lane_except(l, x, hard_logs[k][0], hard_logs[k][1], corrected);
    corrected = log_special_values(l, x, corrected);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, result, corrected);
}

/* ln x is between high + (low - error) and high + (low + error). */
typedef struct bounded {
    LLVMValueRef high, low, error;
} bounded;

/* Of normal numbers x = 2^k m with m around 1, in eight intervals as even as the leading bits of m
 * allow. Each has a c with ln m = ln c + ln(1 + r), r = m / c - 1, and so short a 1/c that r is
 * exact. k ln 2 + ln c is exact but for its small parts, which are added to low; r - r^2/2 is a
 * pair. Next to 1 the logarithm is near r, and the rounding of r^3 matters. */
static bounded log_pair(const lane *l, LLVMValueRef x) {
    LLVMValueRef bits = bits_of(l, x), offset = lane_sub(l, bits, lane_int(l, 32, 0x3f380000)),
                 exponent = lane_and(l, offset, lane_int(l, 32, -0x800000));
    LLVMValueRef m = float_of(l, lane_sub(l, bits, exponent)),
                 k = lane_sitofp(l, lane_ashr(l, offset, lane_int(l, 32, 23)), lane_f32_type(l));
    LLVMValueRef interval = lane_lshr(l, offset, lane_int(l, 32, 20)),
                 r = lane_fma(l, m, lane_entry(l, log_inverses, interval), constant(l, -1.0));
    LLVMValueRef half = lane_fmul(l, r, constant(l, -0.5)),
                 cube = lane_fmul(l, lane_fmul(l, half, r), r),
                 tail = polynomial(l, log_tail, COUNT(log_tail), r);
    LLVMValueRef near = lane_fma(l, half, r, r),
                 near_low = lane_fma(l, half, r, lane_fsub(l, r, near));
    LLVMValueRef far = lane_fma(l, k, constant(l, f32_ln2[0]), lane_entry(l, log_highs, interval)),
                 far_low =
                     lane_fma(l, k, constant(l, f32_ln2[1]), lane_entry(l, log_lows, interval));
    LLVMValueRef high = lane_fadd(l, far, near), low = lane_fadd(l, lane_fsub(l, far, high), near);
    low = lane_fadd(l, lane_fadd(l, low, far_low), lane_fma(l, cube, tail, near_low));
    LLVMValueRef error = lane_fmul(l, lane_fabs(l, high), constant(l, 0x1p-36));
    return (bounded){high, low, lane_fma(l, lane_fabs(l, cube), constant(l, 0x1.8p-23), error)};
}

/* Where an operand is not normal, or a midpoint is between the bounds. Logarithms of negative
 * numbers, zeros and so on are constants, for which f64 need not be asked: a difference, say, has
 * them in every second lane. */
static LLVMValueRef log_rare(const lane *l, const LLVMValueRef *operands) {
    static const lane_vector_function wide = {"tosajit_log_wide", log_wide, 1};
    const LLVMValueRef x = operands[0], lower = operands[1], upper = operands[2];
    LLVMValueRef subnormal = lane_fcmp(l, LLVMRealOLT, x, constant(l, 0x1p-126)),
                 in_doubt = lane_or(l, subnormal, lane_fcmp(l, LLVMRealUNE, lower, upper)),
                 open = lane_and(l, in_doubt, lane_not(l, is_special(l, x)));
    return decide(l, log_special_values(l, x, lower), open, &wide, x);
}

/* Of one vector in a hundred or so of usual numbers a lane is rare: that is a cold call. */
static LLVMValueRef log_by_double_float(const lane *l, const LLVMValueRef *operands) {
    static const lane_vector_function rare = {"tosajit_log_rare", log_rare, 3};
    const LLVMValueRef x = operands[0];
    bounded b = log_pair(l, x);
    LLVMValueRef lower = lane_fadd(l, b.high, lane_fsub(l, b.low, b.error)),
                 upper = lane_fadd(l, b.high, lane_fadd(l, b.low, b.error));
    LLVMValueRef before = lane_sub(l, bits_of(l, x), lane_int(l, 32, 0x00800000)),
                 abnormal = lane_icmp(l, LLVMIntUGE, before, lane_int(l, 32, 0x7f000000));
    LLVMValueRef in_doubt = lane_or(l, abnormal, lane_fcmp(l, LLVMRealUNE, lower, upper));
    lane_cold cold = lane_cold_begin(l, in_doubt);
    LLVMValueRef decided = lane_apart(l, &rare, (LLVMValueRef[]){x, lower, upper});
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, lower, decided);
}

LLVMValueRef emit_log(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const bool by_eight = has_double_float(l) && lane_entries(l) == 8;
    return (void)op, (by_eight ? log_by_double_float : log_wide)(l, x);
}
