/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of arithmetic, comparison and selection. Float results are rounded once, by the
 * instruction itself. */
#include <llvm/Config/llvm-config.h>
#include <math.h>

#include "jit/math/divisor.h"
#include "jit/math/emitters.h"
#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

static bool is_float(const emit_op *op) { return type_is_float(op->operand); }
static bool is_unsigned(const emit_op *op) { return type_is_unsigned(op->operand); }
/* Types narrower than f32 come as bits where bits are all that is needed. */
static bool is_bits(const lane *l, LLVMValueRef x) {
    return LLVMTypeOf(x) != lane_f32_type(l) && LLVMTypeOf(x) != lane_f64_type(l);
}

LLVMValueRef emit_identity(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)l, (void)op, x[0];
}

LLVMValueRef emit_abs(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (is_float(op) && is_bits(l, x[0]))
        return lane_and(l, x[0], lane_int_like(x[0], type_max((int)lane_bits(x[0]))));
    if (is_float(op)) return lane_fabs(l, x[0]);
    if (is_unsigned(op)) return x[0];
    LLVMValueRef zero = lane_int_like(x[0], 0);
    return lane_select(l, lane_icmp(l, LLVMIntSLT, x[0], zero), lane_sub(l, zero, x[0]), x[0]);
}

LLVMValueRef emit_add(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return is_float(op) ? lane_fadd(l, x[0], x[1]) : lane_add(l, x[0], x[1]);
}

LLVMValueRef emit_sub(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return is_float(op) ? lane_fsub(l, x[0], x[1]) : lane_sub(l, x[0], x[1]);
}

/* floor(a*b / 2^s + 1/2), where all lanes have the same s. All that depends on s alone is computed
 * once, outside of loops, and a shift by one number is an instruction on every CPU. An arithmetic
 * one of 64 bits is not, so the shift is logical. That is enough up to 32, since 32 bits of its
 * result remain, and at 63, where the sum is never negative, and reaches 2^63. Between them 2^62
 * makes the sum positive; what that adds to the result is subtracted again. */
static LLVMValueRef scaled_product(const lane *l, LLVMValueRef a, LLVMValueRef b,
                                   LLVMValueRef shift) {
    lane one = *l;
    one.count = 1;
    LLVMTypeRef wide = lane_int_type(l, 64), narrow = lane_int_type(&one, 32);
    LLVMValueRef half =
        lane_lshr(&one, lane_shl(&one, lane_int(&one, 64, 1), shift), lane_int(&one, 64, 1));
    LLVMValueRef is_between =
        lane_icmp(&one, LLVMIntULT, lane_sub(&one, shift, lane_int(&one, 64, 33)),
                  lane_int(&one, 64, 63 - 33));
    LLVMValueRef bias =
        lane_select(&one, is_between, lane_int(&one, 64, INT64_C(1) << 62), lane_int(&one, 64, 0));
    LLVMValueRef excess = lane_trunc(&one, lane_lshr(&one, bias, shift), narrow);
    LLVMValueRef product = lane_mul(l, lane_sext(l, a, wide), lane_sext(l, b, wide));
    LLVMValueRef sum = lane_add(l, product, lane_splat(l, lane_add(&one, half, bias)));
    LLVMValueRef shifted = lane_lshr(l, sum, lane_splat(l, shift));
    return lane_sub(l, lane_trunc(l, shifted, lane_int_type(l, 32)), lane_splat(l, excess));
}

/* The shift of all lanes, an i64 of at most 63 whatever the operand's bits: it has one element. */
static LLVMValueRef product_shift(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    lane one = *l;
    one.count = 1;
    LLVMValueRef most = lane_int(&one, 64, 63);
    if (op->operand_count == 2) return lane_int(&one, 64, op->attributes->shift);
    const bool is_vector = LLVMGetTypeKind(LLVMTypeOf(x[2])) == LLVMVectorTypeKind;
    LLVMValueRef first = x[2];
    if (is_vector) first = LLVMBuildExtractElement(l->builder, first, lane_int(&one, 32, 0), "");
    LLVMValueRef shift = lane_zext(&one, first, lane_int_type(&one, 64));
    return lane_select(&one, lane_icmp(&one, LLVMIntULT, shift, most), shift, most);
}

static bool is_known_zero(LLVMValueRef value) {
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == 0;
}

LLVMValueRef emit_mul(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (is_float(op)) return lane_fmul(l, x[0], x[1]);
    if (op->operand == TOSAJIT_I32) {
        LLVMValueRef shift = product_shift(l, op, x);
        if (!is_known_zero(shift)) return scaled_product(l, x[0], x[1], shift);
    }
    if (lane_bits(x[0]) == 64) return lane_mul_i64(l, x[0], x[1]);
    if (op->operand == op->result) return lane_mul(l, x[0], x[1]);
    LLVMTypeRef wide = lane_element_type(l, op->result);
    return lane_mul(l, lane_sext(l, x[0], wide), lane_sext(l, x[1], wide));
}

/* By the instruction, whose divisor is made harmless first; operands and result are i64 in the bits
 * of f64. */
static LLVMValueRef divide_far(const lane *l, const LLVMValueRef *x) {
    LLVMTypeRef i64 = lane_int_type(l, 64);
    LLVMValueRef a = lane_bitcast(l, x[0], i64), b = lane_bitcast(l, x[1], i64),
                 zero = lane_int(l, 64, 0), one = lane_int(l, 64, 1);
    LLVMValueRef negates = lane_icmp(l, LLVMIntEQ, b, lane_int(l, 64, -1)),
                 is_zero = lane_icmp(l, LLVMIntEQ, b, zero),
                 harmless = lane_select(l, lane_or(l, is_zero, negates), one, b),
                 quotient = LLVMBuildSDiv(l->builder, a, harmless, "");
    quotient = lane_select(l, negates, lane_sub(l, zero, a), quotient);
    return lane_bitcast(l, lane_select(l, is_zero, zero, quotient), lane_f64_type(l));
}

static LLVMValueRef divide_far_unsigned(const lane *l, const LLVMValueRef *x) {
    LLVMTypeRef i64 = lane_int_type(l, 64);
    LLVMValueRef a = lane_bitcast(l, x[0], i64), b = lane_bitcast(l, x[1], i64),
                 zero = lane_int(l, 64, 0), is_zero = lane_icmp(l, LLVMIntEQ, b, zero),
                 harmless = lane_select(l, is_zero, lane_int(l, 64, 1), b),
                 quotient = LLVMBuildUDiv(l->builder, a, harmless, "");
    return lane_bitcast(l, lane_select(l, is_zero, zero, quotient), lane_f64_type(l));
}

/* Integers of 64 bits that f64 divides: those from -lowest on, of at most 52 bits. Added to the
 * bits of a number beyond them all, one is in that number's lowest bits. */
typedef struct near_numbers {
    int64_t lowest, bits;
    double beyond;
    lane_scalar_function far; /* of the others */
} near_numbers;

static const near_numbers near_numbers_of[2] = {
    {INT64_C(1) << 51,
     INT64_C(0x4338000000000000),
     0x1.8p52,
     {"tosajit_divide_far", divide_far, 2, true}},
    {0,
     INT64_C(0x4330000000000000),
     0x1p52,
     {"tosajit_divide_far_unsigned", divide_far_unsigned, 2, true}}};

static LLVMValueRef near_to_f64(const lane *l, const near_numbers *n, LLVMValueRef x) {
    LLVMValueRef bits = lane_add(l, x, lane_int(l, 64, n->bits));
    return lane_fsub(l, lane_bitcast(l, bits, lane_f64_type(l)), lane_f64(l, n->beyond));
}
static LLVMValueRef near_to_integer(const lane *l, const near_numbers *n, LLVMValueRef x) {
    LLVMValueRef sum = lane_fadd(l, x, lane_f64(l, n->beyond));
    return lane_sub(l, lane_bitcast(l, sum, lane_int_type(l, 64)), lane_int(l, 64, n->bits));
}

/* No instruction divides vectors of 64 bits. Where operands have at most 51 bits and a sign, or 52
 * without one, their quotient as f64, truncated, is exact: a quotient that is no integer is at
 * least 1 / b away from the next integer, and its rounding error is less. Other operands are
 * divided one after the other. */
static LLVMValueRef divide_wide(const lane *l, const near_numbers *n, LLVMValueRef a,
                                LLVMValueRef b) {
    LLVMTypeRef f64 = lane_f64_type(l), i64 = lane_int_type(l, 64);
    LLVMValueRef limit = lane_int(l, 64, n->lowest), zero = lane_int(l, 64, 0),
                 is_zero = lane_icmp(l, LLVMIntEQ, b, zero);
    LLVMValueRef beyond =
        lane_lshr(l, lane_or(l, lane_add(l, a, limit), lane_add(l, b, limit)), lane_int(l, 64, 52));
    LLVMValueRef rare = lane_icmp(l, LLVMIntNE, beyond, zero),
                 divisor = lane_select(l, is_zero, lane_int(l, 64, 1), b),
                 quotient = lane_fdiv(l, near_to_f64(l, n, a), near_to_f64(l, n, divisor)),
                 whole = near_to_integer(l, n, lane_intrinsic(l, "llvm.trunc", &quotient, 1)),
                 usual = lane_select(l, is_zero, zero, whole);
    lane_cold cold = lane_cold_begin(l, rare);
    LLVMValueRef all[] = {lane_bitcast(l, a, f64), lane_bitcast(l, b, f64)},
                 value = lane_bitcast(l, lane_each(l, &n->far, all), i64);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, usual, value);
}

/* The quotient of two unsigned integers. As that of two f64 it is exact when truncated; up to 16
 * bits two f32 are enough, for the reason below. Adding 2^52 (2^23) leaves it in the sum's lowest
 * bits. */
static LLVMValueRef divide_unsigned(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    const bool wide = lane_bits(a) > 16;
    LLVMTypeRef real = wide ? lane_f64_type(l) : lane_f32_type(l);
    LLVMValueRef zero = lane_int_like(a, 0), is_zero = lane_icmp(l, LLVMIntEQ, b, zero);
    LLVMValueRef divisor = lane_uitofp(l, lane_select(l, is_zero, lane_int_like(b, 1), b), real);
    LLVMValueRef quotient = lane_fdiv(l, lane_uitofp(l, a, real), divisor);
    LLVMValueRef whole = lane_intrinsic(l, "llvm.trunc", &quotient, 1);
    LLVMValueRef sum = lane_fadd(l, whole, lane_real_like(whole, wide ? 0x1p52 : 0x1p23));
    LLVMValueRef bits = lane_bitcast(l, sum, lane_int_type(l, wide ? 64 : 32));
    return lane_select(l, is_zero, zero, lane_trunc(l, bits, LLVMTypeOf(a)));
}

/* The same of up to 16 bits as f32; min / -1 has no more bits than i32. */
static LLVMValueRef divide_narrow(const lane *l, LLVMValueRef a, LLVMValueRef b) {
    LLVMTypeRef f32 = lane_f32_type(l);
    LLVMValueRef zero = lane_int_like(a, 0), is_zero = lane_icmp(l, LLVMIntEQ, b, zero);
    LLVMValueRef divisor = lane_sitofp(l, lane_select(l, is_zero, lane_int_like(b, 1), b), f32);
    LLVMValueRef quotient = lane_fdiv(l, lane_sitofp(l, a, f32), divisor);
    LLVMValueRef integer = LLVMBuildFPToSI(l->builder, quotient, lane_int_type(l, 32), "");
    return lane_select(l, is_zero, zero, lane_trunc(l, integer, LLVMTypeOf(a)));
}

/* A vector sdiv becomes scalar divisions, which trap. The quotient of two i32 as doubles,
 * truncated, is exact: a quotient that is no integer is at least 2^-31 away from the next integer,
 * far more than the rounding error. */
LLVMValueRef emit_intdiv(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (lane_bits(x[0]) == 64) {
        LLVMValueRef known = lane_divide_by(l, is_unsigned(op), x[0], x[1]);
        return known ? known : divide_wide(l, &near_numbers_of[is_unsigned(op)], x[0], x[1]);
    }
    if (is_unsigned(op)) return divide_unsigned(l, x[0], x[1]);
    if (lane_bits(x[0]) <= 16) return divide_narrow(l, x[0], x[1]);
    LLVMTypeRef real = lane_f64_type(l), i32 = lane_int_type(l, 32);
    LLVMValueRef zero = lane_int_like(x[0], 0), is_zero = lane_icmp(l, LLVMIntEQ, x[1], zero);
    LLVMValueRef divisor = lane_select(l, is_zero, lane_int_like(x[1], 1), x[1]);
    LLVMValueRef quotient = lane_fdiv(l, lane_sitofp(l, x[0], real), lane_sitofp(l, divisor, real));
    /* min / -1 = 2^31 is the one quotient outside i32. */
    LLVMValueRef fits = lane_fcmp(l, LLVMRealOLT, quotient, lane_f64(l, 2147483648.0));
    LLVMValueRef safe = lane_select(l, fits, quotient, lane_f64(l, -2147483648.0));
    LLVMValueRef integer = LLVMBuildFPToSI(l->builder, safe, i32, "");
    return lane_select(l, is_zero, zero, integer);
}

/* The sum of the zero points in 16 bits; null where it is 0. Only those of i8 count. */
static LLVMValueRef zero_points(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    int64_t sum = op->attributes->input_zp + op->attributes->output_zp;
    LLVMTypeRef i16 = lane_int_type(l, 16);
    if (op->operand != TOSAJIT_I8) return NULL;
    if (op->operand_count == 3)
        return lane_add(l, lane_sext(l, x[1], i16), lane_sext(l, x[2], i16));
    return sum ? lane_int(l, 16, sum) : NULL;
}

/* Saturating output_zp - (x - input_zp): in 16 bits for i8, which hold every intermediate value;
 * for wider types, whose zero points are 0, only the smallest value has no negative. */
LLVMValueRef emit_negate(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (is_float(op) && is_bits(l, x[0]))
        return lane_xor(l, x[0], lane_int_like(x[0], type_min((int)lane_bits(x[0]))));
    if (is_float(op)) return lane_fneg(l, x[0]);
    if (is_unsigned(op)) return lane_sub(l, lane_int_like(x[0], 0), x[0]);
    LLVMValueRef sum = zero_points(l, op, x);
    if (!sum)
        return lane_intrinsic(l, "llvm.ssub.sat", (LLVMValueRef[]){lane_int_like(x[0], 0), x[0]},
                              2);
    LLVMValueRef difference = lane_sub(l, sum, lane_sext(l, x[0], lane_int_type(l, 16)));
    return lane_trunc(l, lane_clip(l, difference, INT8_MIN, INT8_MAX), lane_int_type(l, 8));
}

LLVMValueRef emit_ceil(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef operand = x[0];
    return lane_whole(l, LANE_UP, op->operand, operand);
}

LLVMValueRef emit_floor(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef operand = x[0];
    return lane_whole(l, LANE_DOWN, op->operand, operand);
}

LLVMValueRef emit_roundeven(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef operand = x[0];
    return lane_whole(l, LANE_TO_EVEN, op->operand, operand);
}

/* Of f16 and bf16 in f32, which rounds so far behind their last bit that rounding once more gives
 * what rounding once would have. */
LLVMValueRef emit_sqrt(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_sqrt(l, x[0]);
}

/* 1 / b where b is the same power of two in every lane and in every call, and the inverse is a
 * normal number; else null. A product with it is the quotient. */
static LLVMValueRef exact_inverse(LLVMValueRef b) {
    const bool is_vector = LLVMGetTypeKind(LLVMTypeOf(b)) == LLVMVectorTypeKind;
    LLVMValueRef first = is_vector ? LLVMGetAggregateElement(b, 0) : b;
    LLVMBool lost;
    int exponent;
    if (!LLVMIsConstant(b) || !first || !LLVMIsAConstantFP(first)) return NULL;
    const double divisor = LLVMConstRealGetDouble(first, &lost);
    const double fraction = frexp(divisor, &exponent);
    if (fabs(fraction) != 0.5 || exponent < -120 || exponent > 120) return NULL;
    return lane_real_like(b, 1 / divisor);
}

LLVMValueRef emit_divide(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMValueRef inverse = exact_inverse(x[1]);
    return (void)op, inverse ? lane_fmul(l, x[0], inverse) : lane_fdiv(l, x[0], x[1]);
}

/* LLVM would fold the widening of f16 into the op, and then, where there is no such instruction for
 * f16, take the vector apart. */
static LLVMValueRef kept_wide(const lane *l, const emit_op *op, LLVMValueRef x) {
    bool folds = op->operand == TOSAJIT_F16 && l->target->level->extremes == CPU_EXTREMES_NATIVE &&
                 !l->target->has_f16_arithmetic;
    return folds ? lane_intrinsic(l, "llvm.arithmetic.fence", &x, 1) : x;
}

/* maximumNumber and minimumNumber: a number wins over a NaN. */
static LLVMValueRef extreme_number(const lane *l, LLVMValueRef a, LLVMValueRef b, int larger) {
#if LLVM_VERSION_MAJOR < 20 /* which has no intrinsic for it */
    LLVMValueRef of_numbers = (larger ? lane_maximum : lane_minimum)(l, a, b);
    LLVMValueRef or_first = lane_select(l, lane_fcmp(l, LLVMRealUNO, b, b), a, of_numbers);
    return lane_select(l, lane_fcmp(l, LLVMRealUNO, a, a), b, or_first);
#else
    return lane_intrinsic(l, larger ? "llvm.maximumnum" : "llvm.minimumnum", (LLVMValueRef[]){a, b},
                          2);
#endif
}

/* Extremes: IEEE 754-2019 maximum/minimum where NaN wins, maximumNumber/minimumNumber where numbers
 * do; both put -0 below +0. */
static LLVMValueRef extreme(const lane *l, const emit_op *op, LLVMValueRef a, LLVMValueRef b,
                            int larger) {
    static const char *const of_integers[2][2] = {{"llvm.smin", "llvm.smax"},
                                                  {"llvm.umin", "llvm.umax"}};
    if (!is_float(op))
        return lane_intrinsic(l, of_integers[is_unsigned(op)][larger], (LLVMValueRef[]){a, b}, 2);
    a = kept_wide(l, op, a);
    if (op->attributes->nan_mode == TOSAJIT_NAN_IGNORE) return extreme_number(l, a, b, larger);
    return (larger ? lane_maximum : lane_minimum)(l, a, b);
}

LLVMValueRef emit_maximum(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return extreme(l, op, x[0], x[1], 1);
}
LLVMValueRef emit_minimum(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return extreme(l, op, x[0], x[1], 0);
}

/* Code that is made before the limits are known has them as operands. */
LLVMValueRef emit_clamp(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const tosajit_attributes *a = op->attributes;
    LLVMValueRef low =
        is_float(op) ? lane_real_like(x[0], a->min_val.f) : lane_int_like(x[0], a->min_val.i);
    LLVMValueRef high =
        is_float(op) ? lane_real_like(x[0], a->max_val.f) : lane_int_like(x[0], a->max_val.i);
    if (op->operand_count > 1) low = x[1], high = x[2];
    return extreme(l, op, extreme(l, op, x[0], low, 1), high, 0);
}

/* Comparisons are false when an operand is NaN. */
static LLVMValueRef compare(const lane *l, const emit_op *op, const LLVMValueRef *x,
                            LLVMRealPredicate real, LLVMIntPredicate integer) {
    return is_float(op) ? lane_fcmp(l, real, x[0], x[1]) : lane_icmp(l, integer, x[0], x[1]);
}

LLVMValueRef emit_equal(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return compare(l, op, x, LLVMRealOEQ, LLVMIntEQ);
}
LLVMValueRef emit_greater(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return compare(l, op, x, LLVMRealOGT, is_unsigned(op) ? LLVMIntUGT : LLVMIntSGT);
}
LLVMValueRef emit_greater_equal(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return compare(l, op, x, LLVMRealOGE, is_unsigned(op) ? LLVMIntUGE : LLVMIntSGE);
}

LLVMValueRef emit_select(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_select(l, x[0], x[1], x[2]);
}

/* Reductions: what was reduced so far with the next element. */

LLVMValueRef emit_reduce_max(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return emit_maximum(l, op, x);
}
LLVMValueRef emit_reduce_min(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return emit_minimum(l, op, x);
}
LLVMValueRef emit_reduce_product(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (is_float(op)) return lane_fmul(l, x[0], x[1]);
    return (lane_bits(x[0]) == 64 ? lane_mul_i64 : lane_mul)(l, x[0], x[1]);
}
LLVMValueRef emit_reduce_sum(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return emit_add(l, op, x);
}
/* Parts of a count are combined, too; elements count as 1 before. */
LLVMValueRef emit_reduce_count(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return emit_add(l, op, x);
}

LLVMValueRef emit_fma(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_fma_any(l, x[0], x[1], x[2]);
}
