/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Positions of maxima and minima. Each lane keeps the best element so far, and where it was:
 *
 *     rows       where its step began, to which the lane's number is added at the end
 *     columns    the row
 *
 * A later element must be better, so of equals the first one stays, -0 equals +0, and two
 * comparisons and two selections do. A lane begins with what no element loses against, at position
 * 0: if nothing is better, all elements are that, and the first one is the result.
 *
 * Lanes of a row are in no order. Each becomes a key, whose upper half is an integer in the order
 * of elements, and whose lower half is greater where the position is less. The greatest key is then
 * one instruction for two lanes, and tells which is wanted. */
#include "jit/emit/positions.h"

#include <string.h>

#include "runtime/base/types.h"
#include "runtime/expr/reduce.h"

enum { ELEMENT, PLACE };

position_op position_op_of(const tosajit_expr *program, const expr_node *node) {
    return (position_op){node->op == TOSAJIT_OP_argmax,
                         node->attributes.nan_mode == TOSAJIT_NAN_PROPAGATE,
                         reduce_accumulator(reduce_element(program, node))};
}

/* Elements and numbers beside each other in registers. */
static unsigned place_bits(position_op op) { return tosajit_type_size(op.type) == 8 ? 64 : 32; }

static LLVMValueRef pair_of(const lane *l, LLVMValueRef element, LLVMValueRef place) {
    LLVMTypeRef parts[] = {LLVMTypeOf(element), LLVMTypeOf(place)};
    LLVMValueRef pair = LLVMGetPoison(LLVMStructTypeInContext(l->context, parts, 2, 0));
    pair = LLVMBuildInsertValue(l->builder, pair, element, ELEMENT, "");
    return LLVMBuildInsertValue(l->builder, pair, place, PLACE, "");
}

static LLVMValueRef part_of(const lane *l, LLVMValueRef pair, unsigned part) {
    return LLVMBuildExtractValue(l->builder, pair, part, "");
}

LLVMValueRef position_begin(const lane *l, position_op op, LLVMValueRef element) {
    return pair_of(l, element, lane_int(l, place_bits(op), 0));
}

LLVMValueRef position_element(const lane *l, LLVMValueRef pair) {
    return part_of(l, pair, ELEMENT);
}

/* Whether x is better than what was kept before. */
static LLVMValueRef wins(const lane *l, position_op op, LLVMValueRef x, LLVMValueRef kept) {
    static const LLVMIntPredicate of_integers[2][2] = {{LLVMIntSLT, LLVMIntSGT},
                                                       {LLVMIntULT, LLVMIntUGT}};
    if (!type_is_float(op.type))
        return lane_icmp(l, of_integers[type_is_unsigned(op.type)][op.greatest], x, kept);
    LLVMValueRef number = op.nan_wins ? kept : x;
    return lane_and(l, lane_fcmp(l, LLVMRealORD, number, number),
                    lane_fcmp(l, op.greatest ? LLVMRealUGT : LLVMRealULT, x, kept));
}

static LLVMValueRef better(const lane *l, position_op op, LLVMValueRef pair, LLVMValueRef element,
                           LLVMValueRef place) {
    LLVMValueRef kept = part_of(l, pair, ELEMENT), is_better = wins(l, op, element, kept);
    return pair_of(l, lane_select(l, is_better, element, kept),
                   lane_select(l, is_better, place, part_of(l, pair, PLACE)));
}

LLVMValueRef position_add(const lane *l, position_op op, LLVMValueRef pair, LLVMValueRef element,
                          LLVMValueRef first, unsigned offset) {
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, place_bits(op));
    LLVMValueRef place = LLVMBuildTruncOrBitCast(l->builder, first, type, "");
    place = LLVMBuildAdd(l->builder, place, LLVMConstInt(type, offset, 0), "");
    return better(l, op, pair, element, l->count > 1 ? lane_splat(l, place) : place);
}

LLVMValueRef position_later(const lane *l, position_op op, LLVMValueRef pair, LLVMValueRef later) {
    return better(l, op, pair, part_of(l, later, ELEMENT), part_of(l, later, PLACE));
}

static LLVMValueRef as_i32(const lane *l, LLVMValueRef place) {
    LLVMTypeRef type = lane_int_type(l, 32);
    return LLVMTypeOf(place) == type ? place : lane_trunc(l, place, type);
}

LLVMValueRef position_of_pair(const lane *l, LLVMValueRef pair) {
    return as_i32(l, part_of(l, pair, PLACE));
}

/* ---------------------------------------------------------------------------------------------
 * Keys */

/* An integer that is greater where the bits of a number are those of a greater one. */
static LLVMValueRef ordered_bits(const lane *l, position_op op, LLVMValueRef x) {
    const unsigned bits = op.type == TOSAJIT_F64 ? 64 : 32;
    LLVMValueRef zero = lane_real_like(x, 0), positive = lane_fadd(l, x, zero); /* -0 is +0 */
    LLVMValueRef own = lane_bitcast(l, positive, lane_int_type(l, bits)),
                 sign = lane_ashr(l, own, lane_int(l, bits, bits - 1)),
                 rest = lane_lshr(l, sign, lane_int(l, bits, 1));
    return lane_xor(l, own, rest);
}

/* The same of elements, where it is greater for better ones. */
static LLVMValueRef ordered(const lane *l, position_op op, LLVMValueRef x) {
    const unsigned bits = place_bits(op);
    LLVMTypeRef type = lane_int_type(l, bits);
    LLVMValueRef key, nan = lane_int(l, bits, bits == 64 ? INT64_MAX : INT32_MAX);
    if (type_is_float(op.type))
        key = ordered_bits(l, op, x);
    else if (tosajit_type_size(op.type) * 8 == bits)
        key = type_is_unsigned(op.type) ? lane_xor(l, x, lane_not(l, nan)) : x;
    else
        key = (type_is_unsigned(op.type) ? lane_zext : lane_sext)(l, x, type);
    if (!op.greatest) key = lane_not(l, key);
    if (!type_is_float(op.type)) return key;
    return lane_select(l, lane_fcmp(l, LLVMRealUNO, x, x), op.nan_wins ? nan : lane_not(l, nan),
                       key);
}

static LLVMValueRef lane_numbers(const lane *l, unsigned bits) {
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, bits);
    LLVMValueRef numbers[LANE_MAX_MASK];
    for (unsigned k = 0; k < l->count; k++) numbers[k] = LLVMConstInt(type, k, 0);
    return l->count > 1 ? LLVMConstVector(numbers, l->count) : numbers[0];
}

LLVMValueRef position_key(const lane *l, position_op op, LLVMValueRef pair) {
    const unsigned bits = place_bits(op);
    LLVMTypeRef type = lane_int_type(l, 2 * bits);
    LLVMValueRef place = lane_add(l, part_of(l, pair, PLACE), lane_numbers(l, bits)),
                 upper = lane_zext(l, ordered(l, op, part_of(l, pair, ELEMENT)), type),
                 lower = lane_zext(l, lane_not(l, place), type);
    return lane_or(l, lane_shl(l, upper, lane_int_like(upper, bits)), lower);
}

unsigned position_key_bytes(position_op op) { return 2 * place_bits(op) / 8; }

LLVMValueRef position_least_key(const lane *l, position_op op) {
    const unsigned bits = place_bits(op);
    LLVMValueRef least = lane_int(l, bits, bits == 64 ? INT64_MIN : INT32_MIN);
    LLVMTypeRef type = lane_int_type(l, 2 * bits);
    LLVMValueRef upper = lane_zext(l, least, type);
    return lane_shl(l, upper, lane_int_like(upper, bits));
}

LLVMValueRef position_of_key(const lane *l, LLVMValueRef key) {
    return lane_not(l, as_i32(l, key));
}
