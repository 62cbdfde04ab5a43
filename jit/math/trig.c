/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of sin and cos on f32. Both are (-1)^n sin(r) with x = n pi + r, where n is an integer
 * for sin and an odd multiple of 1/2 for cos. Evaluated in f64, rounded once; vectors that hold
 * huge arguments take a branch with an exact reduction. */
#include "jit/math/emitters.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"

/* Adding this rounds to an integer and leaves its parity in the lowest bit. */
static const double shift = 0x1.8p52;

/* Half a turn is 1. */
typedef struct reduction {
    LLVMValueRef r;      /* f64, abs(r) <= pi / 2 */
    LLVMValueRef parity; /* i64, its lowest bit is that of n rounded up to an integer */
} reduction;

/* Two parts of pi and FMA: exact enough below 2^28, where the first step loses nothing. `phase` is
 * 1/2 for cos. */
static reduction reduce_small(const lane *l, LLVMValueRef x, double phase) {
    LLVMValueRef turns = lane_f64(l, 0x1.45f306dc9c883p-2), magic = lane_f64(l, shift);
    LLVMValueRef shifted = lane_fma(l, x, turns, magic);
    if (phase != 0.0) shifted = lane_fadd(l, lane_fma(l, x, turns, lane_f64(l, phase)), magic);
    LLVMValueRef n = lane_fsub(l, shifted, magic);
    if (phase != 0.0) n = lane_fsub(l, n, lane_f64(l, phase));
    LLVMValueRef r = lane_fma(l, n, lane_f64(l, -pi_parts[0]), x);
    return (reduction){lane_fma(l, n, lane_f64(l, -pi_parts[1]), r),
                       lane_bitcast(l, shifted, lane_int_type(l, 64))};
}

/* a + b = sum + error exactly. */
static LLVMValueRef two_sum(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *error) {
    LLVMValueRef sum = lane_fadd(l, a, b), b_part = lane_fsub(l, sum, a),
                 a_part = lane_fsub(l, sum, b_part);
    *error = lane_fadd(l, lane_fsub(l, a, a_part), lane_fsub(l, b, b_part));
    return sum;
}

/* v minus the nearest even integer, exact for abs(v) < 2^51. */
static LLVMValueRef modulo_2(const lane *l, LLVMValueRef v) {
    LLVMValueRef magic = lane_f64(l, shift);
    LLVMValueRef halves = lane_fsub(l, lane_fma(l, v, lane_f64(l, 0.5), magic), magic);
    return lane_fma(l, halves, lane_f64(l, -2.0), v);
}

/* Payne and Hanek: x / pi modulo 2 from the few digits of 1/pi that matter. x = m 2^e with 24-bit
 * m; its product with a 24-bit digit is exact in f64. Digits before the first make even integers;
 * six leave an error below 2^-96, against abs(r) > 2^-30. */
static reduction reduce_large(const lane *l, LLVMValueRef narrow, double phase) {
    LLVMTypeRef i32 = lane_int_type(l, 32);
    LLVMValueRef exponent = lane_and(
        l, lane_lshr(l, lane_bitcast(l, narrow, i32), lane_int(l, 32, 23)), lane_int(l, 32, 255));
    /* first = floor((e - 1) / 24) = (exponent - 151) / 24, at least 0; by 2731 / 2^16, equal up to
     * 255 - 151. */
    LLVMValueRef from_151 =
        lane_intrinsic(l, "llvm.smax", (LLVMValueRef[]){exponent, lane_int(l, 32, 151)}, 2);
    LLVMValueRef product =
        lane_mul(l, lane_sub(l, from_151, lane_int(l, 32, 151)), lane_int(l, 32, 2731));
    LLVMValueRef first = lane_lshr(l, product, lane_int(l, 32, 16));
    enum { DIGITS = 6 };
    LLVMValueRef x = lane_fpext(l, narrow), v[DIGITS];
    for (int k = 0; k < DIGITS; k++) {
        LLVMValueRef index = lane_add(l, first, lane_int(l, 32, k));
        v[k] = lane_fmul(l, x,
                         lane_lookup(l, inverse_pi_digits, COUNT(inverse_pi_digits), index,
                                     "inverse_pi_digits"));
    }
    LLVMValueRef error, second_error, magic = lane_f64(l, shift);
    /* Exact: a multiple of 2^-47. */
    LLVMValueRef leading = lane_fadd(l, modulo_2(l, v[0]), modulo_2(l, v[1]));
    LLVMValueRef sum = two_sum(l, lane_fadd(l, leading, lane_f64(l, phase)), v[2], &error);
    LLVMValueRef shifted = lane_fadd(l, sum, magic);
    LLVMValueRef fraction =
        two_sum(l, lane_fsub(l, sum, lane_fsub(l, shifted, magic)), v[3], &second_error);
    LLVMValueRef low = lane_fadd(l, lane_fadd(l, error, second_error), lane_fadd(l, v[4], v[5]));
    LLVMValueRef low_r = lane_fma(l, fraction, lane_f64(l, pi_parts[1]),
                                  lane_fmul(l, low, lane_f64(l, pi_parts[0])));
    return (reduction){lane_fma(l, fraction, lane_f64(l, pi_parts[0]), low_r),
                       lane_bitcast(l, shifted, lane_int_type(l, 64))};
}

/* Three cosines of huge arguments lie nearer to a midpoint of two f32 than f64 tells; this moves r
 * to the right side. */
static LLVMValueRef nudge_cosines(const lane *l, LLVMValueRef size, LLVMValueRef r) {
    static const double cases[][2] = {{0x1.3170fp63, 1.0 - 0x1p-48},
                                      {0x1.2b9622p67, 1.0 + 0x1p-48},
                                      {0x1.119ae6p115, 1.0 - 0x1p-48}};
    LLVMValueRef factor = lane_f64(l, 1.0);
    for (unsigned k = 0; k < COUNT(cases); k++)
        factor = lane_except(l, size, cases[k][0], cases[k][1], factor);
    return lane_fmul(l, r, factor);
}

/* r with the sign that its sine gets. */
static LLVMValueRef signed_r(const lane *l, reduction d) {
    LLVMTypeRef i64 = lane_int_type(l, 64);
    LLVMValueRef sign = lane_shl(l, d.parity, lane_int(l, 64, 63));
    return lane_bitcast(l, lane_xor(l, lane_bitcast(l, d.r, i64), sign), lane_f64_type(l));
}

static LLVMValueRef sine_large(const lane *scalar, const LLVMValueRef *x) {
    return signed_r(scalar, reduce_large(scalar, x[0], 0.0));
}

static LLVMValueRef cosine_large(const lane *scalar, const LLVMValueRef *x) {
    reduction d = reduce_large(scalar, x[0], 0.5);
    d.r = nudge_cosines(scalar, lane_fabs(scalar, x[0]), d.r);
    return signed_r(scalar, d);
}

static const lane_scalar_function sine_function = {"tosajit_sine_large", sine_large, 1, true};
static const lane_scalar_function cosine_function = {"tosajit_cosine_large", cosine_large, 1, true};

/* The small reduction, replaced in lanes of 2^28 and above by cold code. NaN counts as small;
 * infinity makes inf - inf there. */
static LLVMValueRef reduce(const lane *l, LLVMValueRef x, double phase) {
    LLVMValueRef small = signed_r(l, reduce_small(l, lane_fpext(l, x), phase));
    LLVMValueRef huge = lane_fcmp(l, LLVMRealOGE, lane_fabs(l, x), lane_real_like(x, 0x1p28));
    lane_cold cold = lane_cold_begin(l, huge);
    LLVMValueRef large = lane_select(
        l, huge, lane_each(l, phase == 0.0 ? &sine_function : &cosine_function, &x), small);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, small, large);
}

/* sin r, rounded on the way to that type. */
static LLVMValueRef sine_of(const lane *l, tosajit_type type, LLVMValueRef r) {
    LLVMValueRef square = lane_fmul(l, r, r);
    LLVMValueRef p = lane_polynomial(l, sin_coefficients, COUNT(sin_coefficients), square);
    return lane_round(l, type, lane_fma(l, lane_fmul(l, square, r), p, r));
}

static LLVMValueRef sine(const lane *l, const emit_op *op, LLVMValueRef x, double phase) {
    return sine_of(l, op->result, reduce(l, x, phase));
}

static LLVMValueRef far_sine_body(const lane *scalar, const LLVMValueRef *x) {
    return sine_of(scalar, TOSAJIT_BF16, sine_large(scalar, x));
}

static LLVMValueRef far_cosine_body(const lane *scalar, const LLVMValueRef *x) {
    return sine_of(scalar, TOSAJIT_BF16, cosine_large(scalar, x));
}

LLVMValueRef far_sine(const lane *l, LLVMValueRef x, bool is_cosine) {
    static const lane_scalar_function functions[] = {
        {"tosajit_far_sine", far_sine_body, 1, false},
        {"tosajit_far_cosine", far_cosine_body, 1, false}};
    return lane_each(l, &functions[is_cosine], &x);
}

/* The sums above turn -0 into +0. */
LLVMValueRef emit_sin(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef result = sine(l, op, x[0], 0.0),
                 is_zero = lane_fcmp(l, LLVMRealOEQ, x[0], lane_real_like(x[0], 0.0));
    result = lane_except(l, x[0], 0x1.33333p13, -0x1.63f4bap-2, result);
    result = lane_except(l, x[0], -0x1.33333p13, 0x1.63f4bap-2, result);
    return lane_select(l, is_zero, x[0], result);
}

LLVMValueRef emit_cos(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return sine(l, op, x[0], 0.5);
}
