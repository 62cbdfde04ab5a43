/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Emitters of table and rescale, the ops of quantised networks. */
#include "jit/math/emitters.h"
#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

/* The function is one of signed bytes: unsigned ones have the other upper bit. */
static LLVMValueRef affine_of_byte(const lane *l, const emit_op *op, LLVMValueRef x) {
    LLVMValueRef turn = lane_int(l, 8, TABLE_TURN);
    const bool turned = type_is_unsigned(op->operand), loaded = !turned && LLVMIsALoadInst(x);
    if (turned) x = lane_xor(l, x, turn);
    LLVMValueRef found = lane_affine_table(l, op->line, x, loaded);
    return type_is_unsigned(op->result) ? lane_xor(l, found, turn) : found;
}

/* A byte: an entry. i16: between two entries, in 32 bits. Indices of all operands are inside the
 * table.
 */
LLVMValueRef emit_table(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMTypeRef i32 = lane_int_type(l, 32), i64 = lane_int_type(l, 64);
    if (op->line && l->count > 1) return affine_of_byte(l, op, x[0]);
    if (op->loaded && l->count > 1) return lane_table_lookup(l, op->loaded, x[0]);
    if (op_maps_bytes(op->op, op->operand, op->result))
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

/* operand - input_zp in i32. */
static LLVMValueRef centred(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    bool is_unsigned = op->attributes->input_unsigned;
    LLVMValueRef value = extend(l, x[0], is_unsigned, 32);
    if (op->operand == TOSAJIT_I8 || is_unsigned)
        value = lane_sub(l, value, extend(l, x[1 + PARAMETER_INPUT_ZP], is_unsigned, 32));
    return value;
}

/* The same in i64. In i32 first, so that the multiplication is seen to be one of 32-bit factors. */
static LLVMValueRef centred_wide(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    if (op->operand == TOSAJIT_I48) {
        /* Bits above 48 in memory are whatever they are. */
        LLVMValueRef unused = lane_int(l, 64, 16);
        return lane_ashr(l, lane_shl(l, x[0], unused), unused);
    }
    return lane_sext(l, centred(l, op, x), lane_int_type(l, 64));
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

/* Of any operands, in 64 bits. */
static LLVMValueRef scale_wide(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    LLVMTypeRef i64 = lane_int_type(l, 64), i32 = lane_int_type(l, 32);
    LLVMValueRef value = centred_wide(l, op, x), shift = lane_zext(l, x[1 + PARAMETER_SHIFT], i64);
    shift = lane_intrinsic(l, "llvm.umin", (LLVMValueRef[]){shift, lane_int(l, 64, 63)}, 2);
    LLVMValueRef product = lane_mul(l, value, lane_sext(l, x[1 + PARAMETER_MULTIPLIER], i64));
    LLVMValueRef scaled = lane_ashr(l, lane_add(l, product, rounding(l, op, value, shift)), shift);
    return lane_trunc(l, lane_clip(l, scaled, INT32_MIN, INT32_MAX), i32);
}

/* Narrower ways, all in lanes of 32 bits, for operands of which enough is known. `base` is how many
 * of the product's bits are gone already: they hold neither the result nor the bit that rounds it.
 *
 *     value and product          base   instructions of the product
 *     a product within 32 bits      0   one product
 *     a value within 16 bits       16   the multiplier's halves: two products of 32 bits
 *     any                          32   the upper halves of products of 64 bits
 */

/* floor(value / 2^(shift - 1)), where `base` bits are gone: twice the result, with a bit that
 * rounds it. */
static LLVMValueRef shift_twice(const lane *l, const rescale_ranges *r, const LLVMValueRef *x,
                                LLVMValueRef value, int base) {
    (void)r;
    LLVMValueRef shift = lane_zext(l, x[1 + PARAMETER_SHIFT], lane_int_type(l, 32));
    return lane_ashr(l, value, lane_sub(l, shift, lane_int(l, 32, base + 1)));
}

/* floor(value / 2^shift + 1/2). A shift that is the same in every lane and call takes an
 * instruction less: what is added is a constant then. */
static LLVMValueRef shift_rounded(const lane *l, const rescale_ranges *r, const LLVMValueRef *x,
                                  LLVMValueRef value, int base) {
    LLVMValueRef one = lane_int(l, 32, 1);
    if (r->shift.low == r->shift.high) {
        const int64_t shift = r->shift.low - base;
        LLVMValueRef half = lane_int(l, 32, INT64_C(1) << (shift - 1));
        return lane_ashr(l, lane_add(l, value, half), lane_int(l, 32, shift));
    }
    return lane_ashr(l, lane_add(l, shift_twice(l, r, x, value, base), one), one);
}

/* One of these two. Results of 8 bits with different shifts are rounded as 16 bits, which are half
 * as many vectors. */
typedef LLVMValueRef shifter(const lane *l, const rescale_ranges *r, const LLVMValueRef *x,
                             LLVMValueRef value, int base);

static bool rounds_twice(const emit_op *op, const rescale_ranges *r) {
    return op->attributes->rounding_mode == TOSAJIT_DOUBLE_ROUND && r->shift.high > 31;
}

/* Products of 32 bits at most, with what rounds them. */
static bool is_small(const emit_op *op, const rescale_ranges *r) {
    enum { MOST = 1 << 30, LAST_SHIFT = 30 };
    const int64_t value = r->value.high > -r->value.low ? r->value.high : -r->value.low;
    return r->shift.low > 0 && r->shift.high <= LAST_SHIFT && r->multiplier.low >= 0 &&
           value <= -(int64_t)INT32_MIN && value * r->multiplier.high <= MOST &&
           !rounds_twice(op, r);
}

/* A value and the halves of its multiplier, m = 2^16 h + g with g >= 0, make two products of 32
 * bits. A shift of 17 or more needs of the lower product only its carry. For a shift of up to 16
 * the upper product is moved to its place. */
enum { HALF_BITS = 16, LAST_HALF_SHIFT = 46 };
static bool is_halved(const emit_op *op, const rescale_ranges *r) {
    if (!range_within(r->value, INT16_MIN, INT16_MAX) || r->shift.low == 0) return false;
    if (r->shift.high <= HALF_BITS) return range_within(r->scaled, INT32_MIN, INT32_MAX);
    return r->shift.low > HALF_BITS && r->shift.high <= LAST_HALF_SHIFT &&
           (!rounds_twice(op, r) || r->shift.low > 31);
}

static LLVMValueRef scale_halved(const lane *l, const emit_op *op, const rescale_ranges *r,
                                 const LLVMValueRef *x, LLVMValueRef value, LLVMValueRef multiplier,
                                 shifter *shift) {
    LLVMValueRef bits = lane_int(l, 32, HALF_BITS), last = lane_int(l, 32, 31);
    LLVMValueRef upper = lane_mul(l, value, lane_ashr(l, multiplier, bits)),
                 lower = lane_mul(l, value, lane_and(l, multiplier, lane_int(l, 32, UINT16_MAX)));
    if (r->shift.high <= HALF_BITS) {
        LLVMValueRef amount = lane_zext(l, x[1 + PARAMETER_SHIFT], lane_int_type(l, 32));
        return lane_add(l, lane_shl(l, upper, lane_sub(l, bits, amount)),
                        shift_rounded(l, r, x, lower, 0));
    }
    LLVMValueRef sum = lane_add(l, upper, lane_ashr(l, lower, bits));
    if (rounds_twice(op, r)) {
        LLVMValueRef sign = lane_shl(l, lane_lshr(l, value, last), lane_int(l, 32, 15));
        sum = lane_add(l, sum, lane_sub(l, lane_int(l, 32, 1 << 14), sign));
    }
    return shift(l, r, x, sum, HALF_BITS);
}

/* The upper half of a product of 64 bits is enough from a shift of 33 on. So for smaller shifts the
 * value is shifted left before, by `left` bits. Where it may not have so many to spare it is
 * limited first; the result has to be at its own limit then. */
enum { FIRST_UPPER_SHIFT = 33 };
static int64_t missing_shift(const rescale_ranges *r) {
    return r->shift.low < FIRST_UPPER_SHIFT ? FIRST_UPPER_SHIFT - r->shift.low : 0;
}

static bool has_bits_to_spare(const rescale_ranges *r, int64_t left) {
    return range_within(r->value, INT32_MIN >> left, INT32_MAX >> left);
}

/* True if the result is at its limit wherever the value is at one of those that `left` leaves, or
 * beyond. */
static bool saturates(const emit_op *op, const rescale_ranges *r, int64_t left) {
    enum { MOST = 1 << 17 }; /* more than any result of 16 bits less its zero point */
    if (op->result == TOSAJIT_I32) return false;
    return (((INT32_MAX >> left) * r->multiplier.low) >> r->shift.high) > MOST;
}

static bool is_upper(const emit_op *op, const rescale_ranges *r) {
    enum { LAST_SHIFT = 62, MOST_LEFT = 30 };
    const int64_t left = missing_shift(r);
    if (left > MOST_LEFT || r->shift.high + left > LAST_SHIFT) return false;
    if (!range_within(r->value, INT32_MIN, INT32_MAX)) return false;
    return left == 0 ||
           (!rounds_twice(op, r) && (has_bits_to_spare(r, left) || saturates(op, r, left)));
}

/* The carry of 2^30, with the value's sign added to a product, into its upper half. */
static LLVMValueRef carry(const lane *l, LLVMValueRef value, LLVMValueRef multiplier) {
    LLVMValueRef lower = lane_mul(l, value, multiplier), two = lane_int(l, 32, 2);
    LLVMValueRef sign = lane_or(l, lane_ashr(l, value, lane_int(l, 32, 31)), lane_int(l, 32, 1));
    /* The upper two bits: 3 carries for positive values, 0 borrows for negative ones. */
    LLVMValueRef bits = lane_lshr(l, lower, lane_int(l, 32, 30));
    return lane_ashr(l, lane_add(l, bits, sign), two);
}

static LLVMValueRef scale_upper(const lane *l, const emit_op *op, const rescale_ranges *r,
                                const LLVMValueRef *x, LLVMValueRef value, LLVMValueRef multiplier,
                                shifter *shift) {
    const int64_t left = missing_shift(r);
    if (left > 0 && !has_bits_to_spare(r, left))
        value = lane_clip(l, value, INT32_MIN >> left, INT32_MAX >> left);
    if (left > 0) value = lane_shl(l, value, lane_int(l, 32, left));
    LLVMValueRef upper = lane_mul_upper(l, value, multiplier);
    if (rounds_twice(op, r)) upper = lane_add(l, upper, carry(l, value, multiplier));
    return shift(l, r, x, upper, (int)(32 - left));
}

/* Limited to 32 bits. Sets whether it is twice the result, with a bit that rounds it. */
static LLVMValueRef scale(const lane *l, const emit_op *op, const rescale_ranges *r,
                          const LLVMValueRef *x, bool *twice) {
    const bool narrow =
        op->operand != TOSAJIT_I48; /* whose lanes have 64 bits, whatever is known */
    const bool small = narrow && is_small(op, r), halved = narrow && !small && is_halved(op, r);
    *twice = false;
    if (!small && !halved && !(narrow && is_upper(op, r))) return scale_wide(l, op, x);
    LLVMValueRef value = centred(l, op, x),
                 multiplier = lane_sext(l, x[1 + PARAMETER_MULTIPLIER], lane_int_type(l, 32));
    *twice = op->result == TOSAJIT_I8 && r->shift.low < r->shift.high &&
             !(halved && r->shift.high <= HALF_BITS);
    shifter *shift = *twice ? shift_twice : shift_rounded;
    if (small) return shift(l, r, x, lane_mul(l, value, multiplier), 0);
    return (halved ? scale_halved : scale_upper)(l, op, r, x, value, multiplier, shift);
}

/* value + output_zp, limited to 8 bits. Of twice the value, rounding and the zero point are one
 * addition. What 16 bits cut off is beyond any limit of 8, whatever the zero point. */
static LLVMValueRef limit_8(const lane *l, const emit_op *op, const LLVMValueRef *x,
                            LLVMValueRef value, bool twice) {
    const bool is_unsigned = op->attributes->output_unsigned;
    LLVMValueRef one = lane_int(l, 16, 1),
                 addend = extend(l, x[1 + PARAMETER_OUTPUT_ZP], is_unsigned, 16);
    if (twice) addend = lane_add(l, lane_shl(l, addend, one), one);
    return lane_to_bytes(l, &(byte_end){addend, twice, is_unsigned}, value);
}

/* value + output_zp, limited to 16 bits. */
static LLVMValueRef limit_16(const lane *l, const emit_op *op, const rescale_ranges *r,
                             const LLVMValueRef *x, LLVMValueRef value) {
    enum { ENOUGH = 1 << 30 }; /* beyond all limits and zero points, and far from 2^31 */
    const bool is_unsigned = op->attributes->output_unsigned;
    if (!range_within(r->scaled, -ENOUGH, ENOUGH)) value = lane_clip(l, value, -ENOUGH, ENOUGH);
    if (is_unsigned)
        value = lane_add(l, value, extend(l, x[1 + PARAMETER_OUTPUT_ZP], is_unsigned, 32));
    value = is_unsigned ? lane_clip(l, value, 0, UINT16_MAX)
                        : lane_clip(l, value, INT16_MIN, INT16_MAX);
    return lane_trunc(l, value, lane_element_type(l, op->result));
}

LLVMValueRef emit_rescale(const lane *l, const emit_op *op, const LLVMValueRef *x) {
    const rescale_ranges r =
        find_rescale_ranges(op->operand, op->result, op->attributes, op->ranges);
    bool twice;
    LLVMValueRef value = scale(l, op, &r, x, &twice);
    if (op->result == TOSAJIT_I32) return value;
    return op->result == TOSAJIT_I8 ? limit_8(l, op, x, value, twice)
                                    : limit_16(l, op, &r, x, value);
}
