/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emitter of cast. To integer: nearest even, saturating, NaN gives 0. Between integers: low
 * bits, or extension. To a narrower floating-point type: rounded afterwards, once. */
#include <llvm/Config/llvm-config.h>

#include "jit/math/emitters.h"
#include "runtime/base/types.h"

/* True if no number, or none that is not below, needs the limit. */
static bool is_above(const emit_op *op, double low) { return op->reals[0].low >= low; }
static bool is_below(const emit_op *op, double high) { return op->reals[0].high <= high; }

/* Limited before, so that plain conversions serve: llvm.fptosi.sat to less than 32 bits is done
 * lane by lane. To 32 bits from f64 alone. */
static LLVMValueRef float_to_narrow_int(const lane *l, const emit_op *op, LLVMValueRef x) {
    const int width = type_width(op->result);
    const double least = (double)type_min(width), greatest = (double)type_max(width);
    LLVMValueRef low = lane_real_like(x, least), high = lane_real_like(x, greatest);
    if (op->reals[0].may_be_nan)
        x = lane_select(l, lane_fcmp(l, LLVMRealORD, x, x), x, lane_real_like(x, 0.0));
    if (!is_above(op, least)) x = lane_select(l, lane_fcmp(l, LLVMRealOLT, x, low), low, x);
    if (!is_below(op, greatest)) x = lane_select(l, lane_fcmp(l, LLVMRealOGT, x, high), high, x);
    /* Adding 1.5 * 2^23 (2^52) rounds to an integer and leaves its lowest 16 (32) bits in those of
     * the sum. */
    bool wide = LLVMTypeOf(x) == lane_f64_type(l);
    LLVMValueRef sum = lane_fadd(l, x, lane_real_like(x, wide ? 0x1.8p52 : 0x1.8p23));
    return lane_trunc(l, lane_bitcast(l, sum, lane_int_type(l, wide ? 64 : 32)),
                      lane_element_type(l, op->result));
}

/* Limited from below first, by the comparison that is false of NaN: so NaN becomes 0, in one
 * instruction of x86. Other machines have an instruction that LLVM takes for it, and which keeps a
 * signalling NaN. 32 bits go through f64, which holds them all and 2^52 above them. */
static LLVMValueRef float_to_unsigned(const lane *l, const emit_op *op, LLVMValueRef x) {
    const double greatest = (double)type_greatest(op->result);
    const bool number = !op->reals[0].may_be_nan;
    if (type_width(op->result) == 32 && LLVMTypeOf(x) == lane_f32_type(l)) x = lane_fpext(l, x);
    const bool wide = LLVMTypeOf(x) == lane_f64_type(l);
    LLVMValueRef zero = lane_real_like(x, 0.0), high = lane_real_like(x, greatest);
    if (l->target->level->machine != MACHINE_X86_64 && !number)
        x = lane_select(l, lane_fcmp(l, LLVMRealORD, x, x), x, zero);
    if (!number || !is_above(op, 0))
        x = lane_select(l, lane_fcmp(l, LLVMRealOGT, x, zero), x, zero);
    if (!is_below(op, greatest)) x = lane_select(l, lane_fcmp(l, LLVMRealOLT, x, high), x, high);
    LLVMValueRef sum = lane_fadd(l, x, lane_real_like(x, wide ? 0x1p52 : 0x1p23));
    return lane_trunc(l, lane_bitcast(l, sum, lane_int_type(l, wide ? 64 : 32)),
                      lane_element_type(l, op->result));
}

/* f64 has all of i32, and x86 no instruction that saturates. */
static LLVMValueRef float_to_int(const lane *l, const emit_op *op, LLVMValueRef x) {
    const unsigned width = (unsigned)type_width(op->result);
    const bool wide = LLVMTypeOf(x) == lane_f64_type(l), is_unsigned = type_is_unsigned(op->result);
    const real_range r = op->reals[0];
    if (width == 8 && !wide && lane_packs_bytes(l))
        return lane_round_to_bytes(l, &(byte_rounding){0, is_unsigned, r.may_be_nan, r.high}, x);
    if (is_unsigned && width < 64) return float_to_unsigned(l, op, x);
    if (width < 32 || (width == 32 && wide && l->target->level->machine == MACHINE_X86_64))
        return float_to_narrow_int(l, op, x);
    const double most = width == 32 ? 0x1p30 : 0x1p62;
    if (is_unsigned && (r.may_be_nan || r.low < 0 || r.high > most)) return lane_round_to_u64(l, x);
    return lane_round_to_int(l, x, width, !r.may_be_nan && r.low >= -most && r.high <= most);
}

/* An i64 that f64 cannot hold, cut to its upper 53 bits, the last one set where others are lost.
 * Rounding that once more gives the bits of a single rounding. */
static LLVMValueRef rounded_to_odd(const lane *l, LLVMValueRef x, bool is_unsigned) {
    const int64_t beyond = INT64_C(1) << 53, lost = 2047;
    LLVMValueRef low = lane_and(l, x, lane_int(l, 64, lost)),
                 carry = lane_add(l, low, lane_int(l, 64, lost));
    LLVMValueRef odd = lane_and(l, lane_or(l, x, carry), lane_int(l, 64, ~lost));
    LLVMValueRef distance = is_unsigned ? x : lane_add(l, x, lane_int(l, 64, beyond));
    LLVMValueRef limit = lane_int(l, 64, is_unsigned ? beyond : 2 * beyond);
    return lane_select(l, lane_icmp(l, LLVMIntUGT, distance, limit), odd, x);
}

/* LLVM 19 makes f64 of vectors of i64 on AArch64 before it makes f32, and rounds twice. */
static bool rounds_twice(const emit_op *op) {
    return LLVM_VERSION_MAJOR < 22 && type_width(op->operand) == 64 && op->result == TOSAJIT_F32;
}

/* Through f64 where f32 would round a first time. */
static LLVMValueRef int_to_float(const lane *l, const emit_op *op, LLVMValueRef x,
                                 bool is_unsigned) {
    const bool wide = lane_bits(x) == 64,
               twice = rounds_twice(op) ||
                       (wide && (op->result == TOSAJIT_F16 || op->result == TOSAJIT_BF16));
    if (twice) x = rounded_to_odd(l, x, is_unsigned);
    bool exact = lane_bits(x) <= 16 || (op->result == TOSAJIT_F32 && !twice);
    if (!exact && wide) return lane_i64_to_f64(l, x, is_unsigned);
    LLVMTypeRef type = exact ? lane_f32_type(l) : lane_f64_type(l);
    return is_unsigned ? lane_uitofp(l, x, type) : lane_sitofp(l, x, type);
}

LLVMValueRef emit_cast(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMTypeRef target = lane_element_type(l, op->result);
    if (type_is_float(op->operand)) {
        if (type_is_float(op->result)) return x[0];
        return op->result == TOSAJIT_I1 ? lane_fcmp(l, LLVMRealUNE, x[0], lane_real_like(x[0], 0.0))
                                        : float_to_int(l, op, x[0]);
    }
    bool is_unsigned = op->operand == TOSAJIT_I1 || type_is_unsigned(op->operand) ||
                       op->attributes->input_unsigned;
    if (type_is_float(op->result)) return int_to_float(l, op, x[0], is_unsigned);
    if (op->result == TOSAJIT_I1) return lane_icmp(l, LLVMIntNE, x[0], lane_int_like(x[0], 0));
    if (lane_bits(x[0]) > (unsigned)tosajit_type_size(op->result) * 8)
        return lane_trunc(l, x[0], target);
    return is_unsigned ? lane_zext(l, x[0], target) : lane_sext(l, x[0], target);
}
