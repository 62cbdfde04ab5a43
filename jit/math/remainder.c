/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of remainders, which are exact, and of what else looks at signs and fractions. Narrow
 * types are computed in f64, where one multiply-add usually has the remainder. */
#include <math.h>

#include "jit/math/emitters.h"
#include "jit/math/special_values.h"
#include "runtime/base/types.h"

/* bits of a scalar. */
static LLVMValueRef bits_of(const lane *l, LLVMValueRef x) {
    return lane_bitcast(l, x, lane_int_type(l, 64));
}

/* size = mantissa 2^(exponent - 1075), exponent from 1 on. */
typedef struct parts {
    LLVMValueRef mantissa, exponent;
} parts;

static parts parts_of(const lane *l, LLVMValueRef bits) {
    const int64_t hidden = INT64_C(1) << 52;
    LLVMValueRef biased = lane_lshr(l, bits, lane_int(l, 64, 52)), zero = lane_int(l, 64, 0),
                 subnormal = lane_icmp(l, LLVMIntEQ, biased, zero),
                 fraction = lane_and(l, bits, lane_int(l, 64, hidden - 1));
    return (parts){lane_or(l, fraction, lane_select(l, subnormal, zero, lane_int(l, 64, hidden))),
                   lane_select(l, subnormal, lane_int(l, 64, 1), biased)};
}

/* rest 2^left modulo divisor, eleven bits at a time. */
static LLVMValueRef long_remainder(const lane *l, LLVMValueRef rest, LLVMValueRef left,
                                   LLVMValueRef divisor) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
    LLVMValueRef parent = LLVMGetBasicBlockParent(before), zero = lane_int(l, 64, 0);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(l->context, parent, ""),
                      done = LLVMAppendBasicBlockInContext(l->context, parent, ""),
                      from[2] = {before, loop};
    LLVMBuildBr(l->builder, loop);
    LLVMPositionBuilderAtEnd(l->builder, loop);
    LLVMValueRef r = LLVMBuildPhi(l->builder, LLVMTypeOf(rest), ""),
                 n = LLVMBuildPhi(l->builder, LLVMTypeOf(left), ""), step = lane_clip(l, n, 0, 11);
    LLVMValueRef next = LLVMBuildURem(l->builder, lane_shl(l, r, step), divisor, ""),
                 fewer = lane_sub(l, n, step);
    LLVMAddIncoming(r, (LLVMValueRef[]){rest, next}, from, 2);
    LLVMAddIncoming(n, (LLVMValueRef[]){left, fewer}, from, 2);
    LLVMBuildCondBr(l->builder, lane_icmp(l, LLVMIntSGT, fewer, zero), loop, done);
    LLVMPositionBuilderAtEnd(l->builder, done);
    return next;
}

static LLVMValueRef power_of_2(const lane *l, LLVMValueRef n) {
    LLVMValueRef biased = lane_add(l, n, lane_int(l, 64, 1023));
    return lane_bitcast(l, lane_shl(l, biased, lane_int(l, 64, 52)), lane_f64_type(l));
}

/* abs(a) modulo abs(b), by division of integers; NaN where there is none. A mantissa as bits is the
 * subnormal number that it counts. */
static LLVMValueRef remainder_far(const lane *l, const LLVMValueRef *x) {
    LLVMValueRef a = lane_fabs(l, x[0]), b = lane_fabs(l, x[1]), one = lane_int(l, 64, 1);
    parts dividend = parts_of(l, bits_of(l, a)), divisor = parts_of(l, bits_of(l, b));
    LLVMValueRef at_least_1 =
        lane_intrinsic(l, "llvm.umax", (LLVMValueRef[]){divisor.mantissa, one}, 2);
    LLVMValueRef rest = LLVMBuildURem(l->builder, dividend.mantissa, at_least_1, "");
    rest = long_remainder(l, rest, lane_sub(l, dividend.exponent, divisor.exponent), at_least_1);
    LLVMValueRef power = lane_sub(l, divisor.exponent, one), half = lane_lshr(l, power, one);
    LLVMValueRef value = lane_fmul(l, lane_bitcast(l, rest, lane_f64_type(l)), power_of_2(l, half));
    value = lane_fmul(l, value, power_of_2(l, lane_sub(l, power, half)));
    LLVMValueRef infinity = lane_f64(l, (double)INFINITY);
    LLVMValueRef legal = lane_and(l, lane_fcmp(l, LLVMRealOLT, a, infinity),
                                  lane_fcmp(l, LLVMRealOGT, b, lane_f64(l, 0.0)));
    return lane_select(l, legal, value, lane_f64(l, (double)NAN));
}

/* q = a / b, cut off, is the quotient, or one more where a / b was rounded up to an integer. Either
 * way a - q b is exact. Cold code has quotients from 2^52 on, and operands for which an emulated
 * multiply-add is not exact. */
static LLVMValueRef remainder_of_sizes(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    static const lane_scalar_function far = {"tosajit_fmod_far", remainder_far, 2, true};
    LLVMValueRef quotient = lane_fdiv(l, a, b), q = lane_intrinsic(l, "llvm.trunc", &quotient, 1),
                 rest = lane_fma(l, lane_fneg(l, q), b, a);
    LLVMValueRef below = lane_fcmp(l, LLVMRealOLT, rest, lane_f64(l, 0.0));
    rest = lane_select(l, below, lane_fadd(l, rest, b), rest);
    LLVMValueRef less = lane_fcmp(l, LLVMRealOLT, a, b),
                 near = lane_fcmp(l, LLVMRealOLT, a, lane_fmul(l, b, lane_f64(l, 0x1p52))),
                 large = lane_fcmp(l, LLVMRealOGE, a, lane_f64(l, 0x1p-900));
    LLVMValueRef usual = lane_select(l, less, a, rest),
                 rare = lane_not(l, lane_or(l, less, lane_and(l, near, large)));
    lane_cold cold = lane_cold_begin(l, rare);
    LLVMValueRef value = lane_select(l, rare, lane_each(l, &far, (LLVMValueRef[]){a, b}), usual);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, usual, value);
}

static LLVMValueRef with_sign(const lane *l, LLVMValueRef size, LLVMValueRef sign) {
    return lane_intrinsic(l, "llvm.copysign", (LLVMValueRef[]){size, sign}, 2);
}

/* Operands as f64, and the remainder of their sizes. */
typedef struct division {
    LLVMValueRef a, b, rest;
} division;

static division divide(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const bool wide = op->operand == TOSAJIT_F64;
    LLVMValueRef a = wide ? x[0] : lane_fpext(l, x[0]), b = wide ? x[1] : lane_fpext(l, x[1]);
    return (division){a, b, remainder_of_sizes(l, lane_fabs(l, a), lane_fabs(l, b))};
}

static division divide_with_sign(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    division d = divide(l, op, x);
    d.rest = with_sign(l, d.rest, d.a);
    return d;
}

/* Of integers: the quotient toward zero, what it leaves, and whether the quotient toward minus
 * infinity is one less. Where the divisor is 0 all are 0. */
typedef struct integers {
    LLVMValueRef quotient, rest, across;
} integers;

static integers divide_integers(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef zero = lane_int_like(x[0], 0), quotient = emit_intdiv(l, op, x),
                 product = (lane_bits(x[0]) == 64 ? lane_mul_i64 : lane_mul)(l, quotient, x[1]),
                 rest = lane_select(l, lane_icmp(l, LLVMIntEQ, x[1], zero), zero,
                                    lane_sub(l, x[0], product));
    LLVMValueRef signs = lane_icmp(l, LLVMIntSLT, lane_xor(l, rest, x[1]), zero);
    return (integers){quotient, rest, lane_and(l, signs, lane_icmp(l, LLVMIntNE, rest, zero))};
}

/* Unsigned ones are never across. */
static LLVMValueRef add_across(const lane *l, const emit_op *op, const integers *d,
                               LLVMValueRef value, LLVMValueRef more) {
    if (type_is_unsigned(op->operand)) return value;
    return lane_select(l, d->across, lane_add(l, value, more), value);
}

/* A remainder of narrower numbers is a number of their type. It gets its sign there: LLVM rounds
 * the sign's number to f16 by a function where that is an f64. */
LLVMValueRef emit_fmod(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (!type_is_float(op->operand)) return divide_integers(l, op, x).rest;
    LLVMValueRef rest = divide(l, op, x).rest;
    return with_sign(l, op->operand == TOSAJIT_F64 ? rest : lane_fptrunc(l, rest), x[0]);
}

/* True if the remainder is not 0, and has another sign than the divisor. */
static LLVMValueRef is_across(const lane *l, division d) {
    LLVMValueRef zero = lane_f64(l, 0.0), below = lane_fcmp(l, LLVMRealOLT, d.rest, zero),
                 divisor_below = lane_fcmp(l, LLVMRealOLT, d.b, zero);
    return lane_and(l, lane_fcmp(l, LLVMRealUNE, d.rest, zero), lane_xor(l, below, divisor_below));
}

LLVMValueRef emit_remainder(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (!type_is_float(op->operand)) {
        const integers whole = divide_integers(l, op, x);
        return add_across(l, op, &whole, whole.rest, x[1]);
    }
    division d = divide_with_sign(l, op, x);
    LLVMValueRef zero = lane_f64(l, 0.0), is_zero = lane_fcmp(l, LLVMRealOEQ, d.rest, zero),
                 value = lane_select(l, is_across(l, d), lane_fadd(l, d.rest, d.b), d.rest);
    return lane_select(l, is_zero, with_sign(l, zero, d.b), value);
}

/* (a - rest) / b is next to an integer. Where it is 0 it has the sign of a / b. */
LLVMValueRef emit_floor_divide(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (!type_is_float(op->operand)) {
        const integers whole = divide_integers(l, op, x);
        return add_across(l, op, &whole, whole.quotient, lane_int_like(x[0], -1));
    }
    division d = divide_with_sign(l, op, x);
    LLVMValueRef zero = lane_f64(l, 0.0), one = lane_f64(l, 1.0), plain = lane_fdiv(l, d.a, d.b),
                 quotient = lane_fdiv(l, lane_fsub(l, d.a, d.rest), d.b);
    quotient = lane_select(l, is_across(l, d), lane_fsub(l, quotient, one), quotient);
    LLVMValueRef whole = lane_intrinsic(l, "llvm.floor", &quotient, 1),
                 over = lane_fcmp(l, LLVMRealOGT, lane_fsub(l, quotient, whole), lane_f64(l, 0.5));
    whole = lane_select(l, over, lane_fadd(l, whole, one), whole);
    whole =
        lane_select(l, lane_fcmp(l, LLVMRealOEQ, quotient, zero), with_sign(l, zero, plain), whole);
    return lane_select(l, lane_fcmp(l, LLVMRealOEQ, d.b, zero), plain, whole);
}

LLVMValueRef emit_trunc(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef operand = x[0];
    return lane_whole(l, LANE_TO_ZERO, op->operand, operand);
}

LLVMValueRef emit_copysign(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, with_sign(l, x[0], x[1]);
}
