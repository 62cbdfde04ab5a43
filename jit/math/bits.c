/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of bitwise, logical and shift ops, and of the one that steps along the bits of numbers.
 */
#include "jit/math/emitters.h"
#include "runtime/base/types.h"

LLVMValueRef emit_bitwise_not(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_not(l, x[0]);
}
LLVMValueRef emit_bitwise_and(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_and(l, x[0], x[1]);
}
LLVMValueRef emit_bitwise_or(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_or(l, x[0], x[1]);
}
LLVMValueRef emit_bitwise_xor(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_xor(l, x[0], x[1]);
}

/* A bool is already canonical: loading compared its byte with zero. */
LLVMValueRef emit_logical_not(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_not(l, x[0]);
}
LLVMValueRef emit_logical_and(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_and(l, x[0], x[1]);
}
LLVMValueRef emit_logical_or(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_or(l, x[0], x[1]);
}
LLVMValueRef emit_logical_xor(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op, lane_xor(l, x[0], x[1]);
}

LLVMValueRef emit_clz(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    (void)op;
    /* The second operand says that 0 is no poison. */
    LLVMTypeRef type = LLVMTypeOf(x[0]);
    unsigned id = LLVMLookupIntrinsicID("llvm.ctlz", sizeof "llvm.ctlz" - 1);
    LLVMValueRef operands[2] = {x[0], LLVMConstInt(LLVMInt1TypeInContext(l->context), 0, 0)};
    return LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, &type, 1),
                          LLVMGetIntrinsicDeclaration(l->module, id, &type, 1), operands, 2, "");
}

/* Shifts. An amount beyond the width makes the shift poison, and a select that does not choose it
 * stops the poison. Where the instruction set already shifts to 0, LLVM folds the pair into one
 * instruction. Amounts are read as unsigned. */

static LLVMValueRef in_range(const lane *l, LLVMValueRef amount) {
    return lane_icmp(l, LLVMIntULT, amount, lane_int_like(amount, lane_bits(amount)));
}

LLVMValueRef emit_logical_left_shift(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op,
           lane_select(l, in_range(l, x[1]), lane_shl(l, x[0], x[1]), lane_int_like(x[0], 0));
}

LLVMValueRef emit_logical_right_shift(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return (void)op,
           lane_select(l, in_range(l, x[1]), lane_lshr(l, x[0], x[1]), lane_int_like(x[0], 0));
}

/* Rounding adds bit b - 1 of a, the first that is shifted out; there is none for b = 0. An unsigned
 * number has no sign to shift in. */
LLVMValueRef emit_arithmetic_right_shift(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const bool is_unsigned = type_is_unsigned(op->operand);
    LLVMValueRef last = lane_int_like(x[1], lane_bits(x[1]) - 1);
    if (!op->attributes->round && is_unsigned) return emit_logical_right_shift(l, op, x);
    if (!op->attributes->round)
        return lane_ashr(l, x[0], lane_intrinsic(l, "llvm.umin", (LLVMValueRef[]){x[1], last}, 2));
    LLVMValueRef zero = lane_int_like(x[0], 0), one = lane_int_like(x[0], 1);
    LLVMValueRef bit = lane_and(l, lane_lshr(l, x[0], lane_sub(l, x[1], one)), one);
    LLVMValueRef carry = lane_select(l, lane_icmp(l, LLVMIntEQ, x[1], zero), zero, bit);
    LLVMValueRef shifted = (is_unsigned ? lane_lshr : lane_ashr)(l, x[0], x[1]);
    return lane_select(l, in_range(l, x[1]), lane_add(l, shifted, carry), zero);
}

/* Reductions: what was reduced so far with the next element. */

LLVMValueRef emit_reduce_all(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return emit_logical_and(l, op, x);
}
LLVMValueRef emit_reduce_any(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    return emit_logical_or(l, op, x);
}

/* The bits of a type's infinity, and of one of its NaN. */
typedef struct float_bits {
    int64_t infinity, nan;
} float_bits;

static float_bits float_bits_of(tosajit_type type, unsigned bits) {
    static const unsigned fractions[] = {
        [TOSAJIT_F16] = 10, [TOSAJIT_BF16] = 7, [TOSAJIT_F32] = 23, [TOSAJIT_F64] = 52};
    const unsigned fraction = fractions[type];
    const int64_t infinity = type_max((int)bits) >> fraction << fraction;
    return (float_bits){infinity, infinity | INT64_C(1) << (fraction - 1)};
}

/* A size, which is the bits without the sign, grows where b is larger and on the same side of 0. */
static LLVMValueRef step_toward(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef size_a,
                                LLVMValueRef size_b) {
    LLVMValueRef zero = lane_int_like(a, 0), one = lane_int_like(a, 1),
                 same_side = lane_icmp(l, LLVMIntSGE, lane_xor(l, a, b), zero),
                 away = lane_and(l, same_side, lane_icmp(l, LLVMIntSGT, size_b, size_a));
    LLVMValueRef moved = lane_add(l, a, lane_select(l, away, one, lane_int_like(a, -1))),
                 least = lane_or(l, lane_xor(l, b, size_b), one);
    return lane_select(l, lane_icmp(l, LLVMIntEQ, size_a, zero), least, moved);
}

LLVMValueRef emit_nextafter(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const unsigned bits = (unsigned)tosajit_type_size(op->operand) * 8;
    const float_bits f = float_bits_of(op->operand, bits);
    LLVMTypeRef type = lane_int_type(l, bits);
    LLVMValueRef a = lane_bitcast(l, x[0], type), b = lane_bitcast(l, x[1], type),
                 infinity = lane_int_like(a, f.infinity),
                 sizes = lane_int_like(a, type_max((int)bits)), size_a = lane_and(l, a, sizes),
                 size_b = lane_and(l, b, sizes);
    LLVMValueRef both_zero =
        lane_icmp(l, LLVMIntEQ, lane_or(l, size_a, size_b), lane_int_like(a, 0));
    LLVMValueRef equal = lane_or(l, lane_icmp(l, LLVMIntEQ, a, b), both_zero),
                 nan = lane_or(l, lane_icmp(l, LLVMIntSGT, size_a, infinity),
                               lane_icmp(l, LLVMIntSGT, size_b, infinity));
    LLVMValueRef moved = lane_select(l, equal, b, step_toward(l, a, b, size_a, size_b));
    return lane_bitcast(l, lane_select(l, nan, lane_int_like(a, f.nan), moved), LLVMTypeOf(x[0]));
}
