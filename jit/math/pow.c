/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitter of pow on f32, with the special values of C99 Annex F. abs(x)^y = 2^(y log2 abs(x)) in
 * f64, rounded once. Results too close to a midpoint of two f32 are computed again, to about 2^-90,
 * by cold code. It finds the midpoints themselves, too, such as 1.13671875^3. For types narrower
 * than f32 the logarithm is a sum of two doubles instead. Only operations with one defined result
 * are used. */
#include <math.h>

#include "jit/math/emitters.h"
#include "jit/math/special_values.h"
#include "jit/math/coefficients.h"

/* An unevaluated sum of two doubles, low below half a unit of high. */
typedef struct pair {
    LLVMValueRef high, low;
} pair;

/* a + b for abs(a) >= abs(b), or a = 0. */
static pair quick_sum(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef sum = lane_fadd(l, a, b);
    return (pair){sum, lane_fadd(l, lane_fsub(l, a, sum), b)};
}

/* a + b in any order. */
static pair sum(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef high = lane_fadd(l, a, b), b_part = lane_fsub(l, high, a),
                 a_part = lane_fsub(l, high, b_part);
    return (pair){high, lane_fadd(l, lane_fsub(l, a, a_part), lane_fsub(l, b, b_part))};
}

/* a b to 2^-103. */
static pair pair_product(const lane *l, pair a, pair b) {
    LLVMValueRef high = lane_fmul(l, a.high, b.high),
                 error = lane_fma(l, a.high, b.high, lane_fneg(l, high));
    return quick_sum(l, high, lane_fma(l, a.high, b.low, lane_fma(l, a.low, b.high, error)));
}

/* c + a, where a is the smaller. */
static pair pair_add(const lane *l, pair c, pair a) {
    pair heads = quick_sum(l, c.high, a.high);
    return quick_sum(l, heads.high, lane_fadd(l, heads.low, lane_fadd(l, a.low, c.low)));
}

/* Coefficients in memory, under this name. */
typedef struct pair_table {
    const double *pairs; /* high and low in turn */
    unsigned count;
    const char *name;
} pair_table;

static pair coefficient(const lane *l, const pair_table *c, LLVMValueRef k) {
    LLVMValueRef high = lane_add(l, k, k), low = lane_add(l, high, lane_int(l, 64, 1));
    return (pair){lane_lookup(l, c->pairs, 2 * c->count, high, c->name),
                  lane_lookup(l, c->pairs, 2 * c->count, low, c->name)};
}

/* Sum of c[i] x^i, of scalars, in a loop: it is run so seldom that only its length counts. */
static pair pair_polynomial(const lane *l, const pair_table *c, pair x) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
    LLVMValueRef parent = LLVMGetBasicBlockParent(before), first = lane_int(l, 64, c->count - 1),
                 zero = lane_f64(l, 0.0);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(l->context, parent, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(l->context, parent, "");
    LLVMBuildBr(l->builder, loop);
    LLVMPositionBuilderAtEnd(l->builder, loop);
    LLVMValueRef k = LLVMBuildPhi(l->builder, LLVMTypeOf(first), "");
    pair sum = {LLVMBuildPhi(l->builder, LLVMTypeOf(zero), ""),
                LLVMBuildPhi(l->builder, LLVMTypeOf(zero), "")};
    pair next = pair_add(l, coefficient(l, c, k), pair_product(l, sum, x));
    LLVMValueRef less = lane_sub(l, k, lane_int(l, 64, 1));
    LLVMBasicBlockRef from[2] = {before, loop};
    LLVMAddIncoming(k, (LLVMValueRef[]){first, less}, from, 2);
    LLVMAddIncoming(sum.high, (LLVMValueRef[]){zero, next.high}, from, 2);
    LLVMAddIncoming(sum.low, (LLVMValueRef[]){zero, next.low}, from, 2);
    LLVMBuildCondBr(l->builder, lane_icmp(l, LLVMIntEQ, k, lane_int(l, 64, 0)), done, loop);
    LLVMPositionBuilderAtEnd(l->builder, done);
    return next;
}

/* log2 m = (2 / ln 2) s + s^3 P(s^2), s = (m - 1) / (m + 1) with its error. Good to 2^-59. */
static pair log2_m(const lane *l, split x) {
    LLVMValueRef inverse = lane_fdiv(l, lane_f64(l, 1.0), x.above),
                 s = lane_fmul(l, x.below, inverse), z = lane_fmul(l, s, s);
    LLVMValueRef s_low = lane_fmul(l, lane_fma(l, lane_fneg(l, s), x.above, x.below), inverse);
    LLVMValueRef scale = lane_f64(l, two_over_ln2_parts[0]), lead = lane_fmul(l, s, scale);
    LLVMValueRef low = lane_fma(l, s, scale, lane_fneg(l, lead));
    low = lane_fma(l, s, lane_f64(l, two_over_ln2_parts[1]), low);
    low = lane_fma(l, s_low, scale, low);
    low = lane_fma(l, lane_fmul(l, z, s),
                   lane_polynomial(l, log2_coefficients, COUNT(log2_coefficients), z), low);
    return quick_sum(l, lead, low);
}

static const pair_table atanh_table = {atanh_double_float[0], COUNT(atanh_double_float),
                                       "atanh_double_float"};
static const pair_table exp2_table = {exp2_pairs[0], COUNT(exp2_pairs), "exp2_pairs"};

/* The same from its series, to 2^-95. */
static pair log2_m_precise(const lane *l, split x) {
    LLVMValueRef s_high = lane_fdiv(l, x.below, x.above);
    pair s = {s_high, lane_fdiv(l, lane_fma(l, lane_fneg(l, s_high), x.above, x.below), x.above)};
    pair scale = {lane_f64(l, two_over_ln2_parts[0]), lane_f64(l, two_over_ln2_parts[1])};
    pair series = pair_polynomial(l, &atanh_table, pair_product(l, s, s));
    return pair_product(l, scale, pair_product(l, s, series));
}

/* y log2 x = n + r: n in the low bits of `shifted`, k y and the larger part of the product entering
 * exactly. */
typedef struct exponent {
    LLVMValueRef total, shifted;
    pair r;
} exponent;

static exponent multiply(const lane *l, LLVMValueRef y, LLVMValueRef k, pair log2_m) {
    LLVMValueRef total = lane_fmul(l, y, lane_fadd(l, k, log2_m.high)),
                 shift = lane_f64(l, 0x1.8p52);
    LLVMValueRef shifted = lane_fadd(l, total, shift), n = lane_fsub(l, shifted, shift);
    LLVMValueRef product = lane_fmul(l, y, log2_m.high);
    LLVMValueRef low =
        lane_fma(l, y, log2_m.low, lane_fma(l, y, log2_m.high, lane_fneg(l, product)));
    pair r = sum(l, lane_fma(l, y, k, lane_fneg(l, n)), product);
    return (exponent){total, shifted, {r.high, lane_fadd(l, r.low, low)}};
}

/* value 2^n, for a value and a result that are not subnormal. */
static LLVMValueRef times_power_of_2(const lane *l, LLVMValueRef value, LLVMValueRef shifted) {
    LLVMTypeRef i64 = lane_int_type(l, 64);
    LLVMValueRef exponent_bits = lane_shl(l, lane_bitcast(l, shifted, i64), lane_int(l, 64, 52));
    return lane_bitcast(l, lane_add(l, lane_bitcast(l, value, i64), exponent_bits),
                        lane_f64_type(l));
}

/* x^y in f64 to 2^-51 for finite x > 0 and any y: infinity above 2^199, 0 below 2^-199. */
static LLVMValueRef power(const lane *l, LLVMValueRef x, LLVMValueRef y) {
    split p = split_f64(l, x);
    exponent e = multiply(l, y, p.k, log2_m(l, p));
    LLVMValueRef r = lane_fadd(l, e.r.high, e.r.low);
    LLVMValueRef value = lane_fma(
        l, r, lane_polynomial(l, exp2_coefficients, COUNT(exp2_coefficients), r), lane_f64(l, 1.0));
    LLVMValueRef under = lane_fcmp(l, LLVMRealOLT, e.total, lane_f64(l, -199.0));
    LLVMValueRef over = lane_fcmp(l, LLVMRealOGT, e.total, lane_f64(l, 199.0));
    LLVMValueRef bounded =
        lane_select(l, over, lane_f64(l, (double)INFINITY), times_power_of_2(l, value, e.shifted));
    return lane_select(l, under, lane_f64(l, 0.0), bounded);
}

/* Rounding to odd. An even double with the exact value beside it becomes its odd neighbour on that
 * side, so it is no midpoint of two f32 any more. A rest that is only error leaves the midpoint,
 * which then rounds to even. */
static LLVMValueRef pair_to_odd(const lane *l, pair value) {
    LLVMTypeRef i64 = lane_int_type(l, 64);
    LLVMValueRef bits = lane_bitcast(l, value.high, i64), one = lane_int(l, 64, 1),
                 zero = lane_f64(l, 0.0);
    LLVMValueRef even = lane_icmp(l, LLVMIntEQ, lane_and(l, bits, one), lane_int(l, 64, 0));
    LLVMValueRef certain = lane_fcmp(l, LLVMRealOGT, lane_fabs(l, value.low),
                                     lane_fmul(l, value.high, lane_f64(l, 0x1p-84)));
    LLVMValueRef above = lane_fcmp(l, LLVMRealOGT, value.low, zero);
    LLVMValueRef step = lane_select(l, above, one, lane_int(l, 64, -1));
    LLVMValueRef moved = lane_select(l, lane_and(l, even, certain), lane_add(l, bits, step), bits);
    return lane_bitcast(l, moved, lane_f64_type(l));
}

/* x^y as a double that rounds to f32 correctly. 2^r = (2^(r/16))^16, which shortens the series. */
static LLVMValueRef power_precise(const lane *l, LLVMValueRef x, LLVMValueRef y) {
    split p = split_f64(l, x);
    exponent e = multiply(l, y, p.k, log2_m_precise(l, p));
    LLVMValueRef sixteenth = lane_f64(l, 0x1p-4);
    pair r = quick_sum(l, lane_fmul(l, e.r.high, sixteenth), lane_fmul(l, e.r.low, sixteenth));
    pair value = pair_polynomial(l, &exp2_table, r);
    for (int k = 0; k < 4; k++) value = pair_product(l, value, value);
    return times_power_of_2(l, pair_to_odd(l, value), e.shifted);
}

static LLVMValueRef power_cold(const lane *scalar, const LLVMValueRef *x) {
    return lane_fptrunc(scalar,
                        power_precise(scalar, lane_fpext(scalar, x[0]), lane_fpext(scalar, x[1])));
}

static const lane_scalar_function power_function = {"tosajit_power_precise", power_cold, 2, false};

/* 2^t to 2^-45, abs(t) <= 200. */
static LLVMValueRef exp2_short(const lane *l, LLVMValueRef t) {
    LLVMValueRef shift = lane_f64(l, 0x1.8p52);
    if (lane_has_lookup(l)) {
        LLVMValueRef shifted = lane_fma(l, t, lane_f64(l, 8.0), shift),
                     n = lane_fsub(l, shifted, shift);
        LLVMValueRef r = lane_fma(l, n, lane_f64(l, -0.125), t),
                     scale = exp2_of_eighths(l, lane_bitcast(l, shifted, lane_int_type(l, 64)));
        LLVMValueRef p =
            lane_polynomial(l, eighth_exp2_coefficients, COUNT(eighth_exp2_coefficients), r);
        return lane_fma(l, lane_fmul(l, scale, r), p, scale);
    }
    LLVMValueRef shifted = lane_fadd(l, t, shift),
                 r = lane_fsub(l, t, lane_fsub(l, shifted, shift));
    LLVMValueRef p = lane_polynomial(l, short_exp2_coefficients, COUNT(short_exp2_coefficients), r);
    return times_power_of_2(l, lane_fma(l, r, p, lane_f64(l, 1.0)), shifted);
}

/* x^y in f64 for finite x > 0 and any y, limited to 2^-200..2^200. The logarithm is good to
 * 2^-51.4. Its error and the product's rounding are at most 2^-44.2 of an exponent of 150, the
 * largest in f32: 2^-43.8 in all. */
static LLVMValueRef power_short(const lane *l, LLVMValueRef x, LLVMValueRef y) {
    split p = split_f64(l, x);
    LLVMValueRef s = lane_fdiv(l, p.below, p.above);
    LLVMValueRef q = lane_polynomial(l, short_log2_coefficients, COUNT(short_log2_coefficients),
                                     lane_fmul(l, s, s));
    return exp2_short(l, limit(l, lane_fmul(l, y, lane_fma(l, s, q, p.k)), -200.0, 200.0));
}

/* x^y rounded to f32 correctly. Where an error of 2^-43 could change the rounding, of one result in
 * 2^18, the cold code decides. */
static LLVMValueRef power_rounded(const lane *l, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef value = power_short(l, lane_fpext(l, x), lane_fpext(l, y));
    LLVMValueRef lower = lane_fptrunc(l, lane_fmul(l, value, lane_f64(l, 1.0 - 0x1p-43)));
    LLVMValueRef upper = lane_fptrunc(l, lane_fmul(l, value, lane_f64(l, 1.0 + 0x1p-43)));
    LLVMValueRef open = lane_fcmp(l, LLVMRealONE, lower, upper);
    lane_cold cold = lane_cold_begin(l, open);
    LLVMValueRef decided =
        lane_select(l, open, lane_each(l, &power_function, (LLVMValueRef[]){x, y}), lower);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, lower, decided);
}

/* Powers that lie on a midpoint of a narrower type are f32 values; the error of f64 must not move
 * them off it. */
LLVMValueRef power_for_narrow(const lane *l, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef value = power(l, lane_fpext(l, x), lane_fpext(l, y)),
                 nearest = lane_fpext(l, lane_fptrunc(l, value));
    LLVMValueRef distance = lane_fabs(l, lane_fsub(l, value, nearest));
    LLVMValueRef is_exact =
        lane_fcmp(l, LLVMRealOLE, distance, lane_fmul(l, value, lane_f64(l, 0x1p-49)));
    return lane_round(l, TOSAJIT_F16, lane_select(l, is_exact, nearest, value));
}

/* Infinity counts as an integer, and floats of 2^24 and above as even ones. */
static LLVMValueRef is_integer(const lane *l, LLVMValueRef y) {
    return lane_fcmp(l, LLVMRealOEQ, lane_intrinsic(l, "llvm.floor", &y, 1), y);
}

/* C99, F.9.4.4, of x, y and their power as far as that is not special. */
static LLVMValueRef power_special(const lane *l, const LLVMValueRef *operands) {
    const LLVMValueRef x = operands[0], y = operands[1];
    LLVMValueRef magnitude = operands[2], zero = lane_real_like(x, 0.0),
                 one = lane_real_like(x, 1.0), infinity = lane_real_like(x, (double)INFINITY);
    LLVMValueRef size = lane_fabs(l, x), x_zero = lane_fcmp(l, LLVMRealOEQ, x, zero);
    LLVMValueRef x_infinite = lane_fcmp(l, LLVMRealOEQ, size, infinity);
    /* The size of the result: powers of 0 and infinity are 0 or infinity, those of 1 are 1. */
    LLVMValueRef grows = lane_xor(l, lane_fcmp(l, LLVMRealOLT, y, zero), x_infinite);
    LLVMValueRef of_limit = lane_select(l, grows, infinity, zero);
    magnitude = lane_select(l, lane_or(l, x_zero, x_infinite), of_limit, magnitude);
    magnitude = lane_select(l, lane_fcmp(l, LLVMRealOEQ, size, one), one, magnitude);
    /* The sign: that of x where y is odd. */
    LLVMValueRef integer = is_integer(l, y), half = lane_fmul(l, y, lane_real_like(y, 0.5));
    LLVMValueRef odd = lane_and(l, integer, lane_not(l, is_integer(l, half)));
    LLVMValueRef sign_source = lane_select(l, odd, x, one);
    LLVMValueRef result =
        lane_intrinsic(l, "llvm.copysign", (LLVMValueRef[]){magnitude, sign_source}, 2);
    /* Without a value: NaN operands, and roots of finite negative numbers. */
    LLVMValueRef negative = lane_fcmp(l, LLVMRealOLT, x, zero);
    LLVMValueRef root =
        lane_and(l, lane_and(l, negative, lane_not(l, integer)), lane_not(l, x_infinite));
    LLVMValueRef invalid = lane_or(l, root, lane_fcmp(l, LLVMRealUNO, x, y));
    result = lane_select(l, invalid, lane_real_like(x, (double)NAN), result);
    /* x^0 and 1^y are 1 even of NaN. */
    LLVMValueRef trivial =
        lane_or(l, lane_fcmp(l, LLVMRealOEQ, y, zero), lane_fcmp(l, LLVMRealOEQ, x, one));
    return lane_select(l, trivial, one, result);
}

LLVMValueRef power_special_values(const lane *l, LLVMValueRef x, LLVMValueRef y,
                                  LLVMValueRef magnitude) {
    static const lane_vector_function special = {"tosajit_pow_special", power_special, 3};
    return lane_apart(l, &special, (LLVMValueRef[]){x, y, magnitude});
}

/* Without specials: x positive and finite, y finite. */
LLVMValueRef power_has_specials(const lane *l, LLVMValueRef x, LLVMValueRef y) {
    LLVMTypeRef i32 = lane_int_type(l, 32);
    LLVMValueRef before_zero = lane_sub(l, lane_bitcast(l, x, i32), lane_int(l, 32, 1));
    LLVMValueRef special_x = lane_icmp(l, LLVMIntUGE, before_zero, lane_int(l, 32, 0x7f7fffff));
    LLVMValueRef special_y = lane_not(
        l, lane_fcmp(l, LLVMRealOLT, lane_fabs(l, y), lane_real_like(y, (double)INFINITY)));
    return lane_or(l, special_x, special_y);
}

/* LLVM has one object for equal constants. The powers of -0 and -inf are those of +0 and inf. */
LLVMValueRef power_as_root(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const bool root = x[1] == lane_f32(l, 0.5f), inverse = x[1] == lane_f32(l, -0.5f);
    if (op->result != TOSAJIT_F32 || !(root || inverse)) return NULL;
    LLVMValueRef lowest = lane_fcmp(l, LLVMRealOEQ, x[0], lane_f32(l, -INFINITY)),
                 positive = lane_select(l, lowest, lane_f32(l, INFINITY),
                                        lane_fadd(l, x[0], lane_f32(l, 0.0f)));
    return root ? lane_sqrt(l, positive) : emit_rsqrt(l, op, &positive);
}

LLVMValueRef emit_pow(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef as_root = power_as_root(l, op, x);
    if (as_root) return as_root;
    LLVMValueRef size = lane_fabs(l, x[0]);
    LLVMValueRef magnitude =
        op->result == TOSAJIT_F32 ? power_rounded(l, size, x[1]) : power_for_narrow(l, size, x[1]);
    lane_cold cold = lane_cold_begin(l, power_has_specials(l, x[0], x[1]));
    LLVMValueRef special = power_special_values(l, x[0], x[1], magnitude);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, magnitude, special);
}
