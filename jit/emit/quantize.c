/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of table and rescale, the ops of quantised networks. */
#include "jit/emit/emit.h"
#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

/* i8: an entry. i16: between two entries, in 32 bits. Indices of all operands are inside the table.
 */
LLVMValueRef emit_table(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMTypeRef i32 = lane_int_type(l, 32), i64 = lane_int_type(l, 64);
    if (op->loaded && l->count > 1) return lane_table_lookup(l, op->loaded, x[0]);
    if (op->operand == TOSAJIT_I8)
        return lane_gather(l, 8, op->table,
                           lane_add(l, lane_sext(l, x[0], i64), lane_int(l, 64, 128)), op->stride);
    LLVMValueRef wide = lane_sext(l, x[0], i32), fraction = lane_and(l, wide, lane_int(l, 32, 127));
    LLVMValueRef index = lane_sext(
        l, lane_ashr(l, lane_add(l, wide, lane_int(l, 32, 32768)), lane_int(l, 32, 7)), i64);
    LLVMValueRef base = lane_sext(l, lane_gather(l, 16, op->table, index, op->stride), i32);
    LLVMValueRef next = lane_sext(
        l, lane_gather(l, 16, op->table, lane_add(l, index, lane_int(l, 64, 1)), op->stride), i32);
    LLVMValueRef slope = lane_mul(l, lane_sub(l, next, base), fraction);
    return lane_add(l, lane_shl(l, base, lane_int(l, 32, 7)), slope);
}

static LLVMValueRef extend(const lane *l, LLVMValueRef x, bool is_unsigned, unsigned bits) {
    LLVMTypeRef type = lane_int_type(l, bits);
    if (lane_bits(x) == bits) return x;
    return is_unsigned ? lane_zext(l, x, type) : lane_sext(l, x, type);
}

/* operand - input_zp in i64. In i32 first, so that the multiplication is seen to be one of 32-bit
 * factors. */
static LLVMValueRef centred(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    bool is_unsigned = op->attributes->input_unsigned;
    if (op->operand == TOSAJIT_I48) {
        /* Bits above 48 in memory are whatever they are. */
        LLVMValueRef unused = lane_int(l, 64, 16);
        return lane_ashr(l, lane_shl(l, x[0], unused), unused);
    }
    LLVMValueRef value = extend(l, x[0], is_unsigned, 32);
    if (op->operand == TOSAJIT_I8 || is_unsigned)
        value = lane_sub(l, value, extend(l, x[1 + PARAMETER_INPUT_ZP], is_unsigned, 32));
    return lane_sext(l, value, lane_int_type(l, 64));
}

/* 2^(shift - 1), 0 for a shift of 0, and what DOUBLE_ROUND adds. */
static LLVMValueRef rounding(const lane *l, const emit_op *op, LLVMValueRef value,
                             LLVMValueRef shift) {
    LLVMValueRef one = lane_int(l, 64, 1), zero = lane_int(l, 64, 0);
    LLVMValueRef half = lane_lshr(l, lane_shl(l, one, shift), one);
    if (op->attributes->rounding_mode != TOSAJIT_DOUBLE_ROUND) return half;
    LLVMValueRef positive = lane_icmp(l, LLVMIntSGE, value, zero),
                 is_large = lane_icmp(l, LLVMIntUGT, shift, lane_int(l, 64, 31));
    LLVMValueRef extra = lane_select(l, positive, lane_int(l, 64, INT64_C(1) << 30),
                                     lane_int(l, 64, -(INT64_C(1) << 30)));
    return lane_add(l, half, lane_select(l, is_large, extra, zero));
}

LLVMValueRef emit_rescale(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    bool is_unsigned = op->attributes->output_unsigned;
    LLVMTypeRef i64 = lane_int_type(l, 64), i32 = lane_int_type(l, 32);
    LLVMValueRef value = centred(l, op, x), shift = lane_zext(l, x[1 + PARAMETER_SHIFT], i64);
    shift = lane_intrinsic(l, "llvm.umin", (LLVMValueRef[]){shift, lane_int(l, 64, 63)}, 2);
    LLVMValueRef product = lane_mul(l, value, lane_sext(l, x[1 + PARAMETER_MULTIPLIER], i64));
    LLVMValueRef scaled = lane_ashr(l, lane_add(l, product, rounding(l, op, value, shift)), shift);
    LLVMValueRef saturated = lane_trunc(l, lane_clip(l, scaled, INT32_MIN, INT32_MAX), i32);
    if (op->result == TOSAJIT_I32) return saturated;
    int width = type_width(op->result);
    /* The sum cannot wrap to the other end: both summands saturate. */
    if (op->result == TOSAJIT_I8 || is_unsigned)
        saturated = lane_intrinsic(
            l, "llvm.sadd.sat",
            (LLVMValueRef[]){saturated, extend(l, x[1 + PARAMETER_OUTPUT_ZP], is_unsigned, 32)}, 2);
    int64_t low = is_unsigned ? 0 : type_min(width),
            high = is_unsigned ? (INT64_C(1) << width) - 1 : type_max(width);
    return lane_trunc(l, lane_clip(l, saturated, low, high), lane_element_type(l, op->result));
}
