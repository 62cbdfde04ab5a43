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
 * Lanes of a row are in no order. When they are folded, the best element is found first, and then
 * the first of the lanes that have it. */
#include "jit/emit/positions.h"

#include <math.h>

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

/* True if x is better than what was kept before. */
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

LLVMValueRef position_place(const lane *l, LLVMValueRef pair) {
    return as_i32(l, part_of(l, pair, PLACE));
}

/* ---------------------------------------------------------------------------------------------
 * Folds */

static LLVMValueRef lane_numbers(const lane *l, unsigned bits) {
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, bits);
    LLVMValueRef numbers[LANE_MAX_MASK];
    for (unsigned k = 0; k < l->count; k++) numbers[k] = LLVMConstInt(type, k, 0);
    return l->count > 1 ? LLVMConstVector(numbers, l->count) : numbers[0];
}

/* Several vectors of lanes as one, with the positions of each. */
static LLVMValueRef join_groups(const lane *l, position_op op, const LLVMValueRef *pairs,
                                unsigned groups) {
    LLVMValueRef elements[REDUCE_PARTIALS], places[REDUCE_PARTIALS];
    for (unsigned g = 0; g < groups; g++) {
        elements[g] = part_of(l, pairs[g], ELEMENT);
        places[g] = lane_add(l, part_of(l, pairs[g], PLACE), lane_numbers(l, place_bits(op)));
    }
    return pair_of(l, lane_concat(l, elements, groups), lane_concat(l, places, groups));
}

/* Of lanes the best one, by halves, if none is NaN. */
static LLVMValueRef best_of(const lane *l, position_op op, LLVMValueRef x) {
    for (lane half = *l; half.count > 1;) {
        const lane whole = half;
        LLVMValueRef a, b;
        half.count /= 2;
        if (half.count > 1) {
            a = lane_pick(&whole, x, x, 0, half.count);
            b = lane_pick(&whole, x, x, half.count, half.count);
        } else {
            LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
            a = LLVMBuildExtractElement(l->builder, x, LLVMConstInt(i32, 0, 0), "");
            b = LLVMBuildExtractElement(l->builder, x, LLVMConstInt(i32, 1, 0), "");
        }
        LLVMValueRef is_better = type_is_float(op.type)
                                     ? lane_fcmp(l, op.greatest ? LLVMRealOGT : LLVMRealOLT, a, b)
                                     : wins(l, op, a, b);
        x = lane_select(l, is_better, a, b);
    }
    return x;
}

static LLVMValueRef in_lanes(const lane *l, LLVMValueRef scalar) {
    return l->count > 1 ? lane_splat(l, scalar) : scalar;
}

static LLVMValueRef any_of(const lane *l, LLVMValueRef lanes) {
    return l->count > 1 ? lane_intrinsic(l, "llvm.vector.reduce.or", &lanes, 1) : lanes;
}

/* The best element, and the lanes that have it. */
static LLVMValueRef find_best(const lane *l, position_op op, LLVMValueRef x, LLVMValueRef *lanes) {
    LLVMValueRef best, of_lanes = x, nan;
    if (!type_is_float(op.type)) {
        best = best_of(l, op, x);
        *lanes = lane_icmp(l, LLVMIntEQ, x, in_lanes(l, best));
        return best;
    }
    nan = lane_fcmp(l, LLVMRealUNO, x, x);
    const double least = op.greatest ? -INFINITY : INFINITY;
    if (!op.nan_wins) of_lanes = lane_select(l, nan, lane_real_like(x, least), x);
    best = best_of(l, op, of_lanes);
    LLVMValueRef no_number = lane_real_like(best, NAN);
    if (op.nan_wins) best = lane_select(l, any_of(l, nan), no_number, best);
    *lanes = lane_fcmp(l, LLVMRealOEQ, x, in_lanes(l, best));
    if (op.nan_wins) *lanes = lane_or(l, *lanes, nan);
    return op.nan_wins ? best : lane_select(l, any_of(l, *lanes), best, no_number);
}

/* The first of some lanes' places; 0 where there is none, as all lanes are NaN. */
static LLVMValueRef first_of(const lane *l, LLVMValueRef lanes, LLVMValueRef places) {
    LLVMValueRef chosen = lane_select(l, lanes, places, lane_int_like(places, INT32_MAX));
    LLVMValueRef first =
        l->count > 1 ? lane_intrinsic(l, "llvm.vector.reduce.smin", &chosen, 1) : chosen;
    return lane_select(l, lane_icmp(l, LLVMIntEQ, first, lane_int_like(first, INT32_MAX)),
                       lane_int_like(first, 0), first);
}

LLVMValueRef position_fold(const lane *l, position_op op, const LLVMValueRef *pairs,
                           unsigned groups) {
    const LLVMValueRef pair = join_groups(l, op, pairs, groups);
    lane all = *l, one = *l;
    all.count *= groups, one.count = 1;
    LLVMValueRef lanes, best = find_best(&all, op, part_of(l, pair, ELEMENT), &lanes),
                        place = first_of(&all, lanes, as_i32(&all, part_of(l, pair, PLACE)));
    return pair_of(&one, best,
                   place_bits(op) == 32 ? place : lane_zext(&one, place, lane_int_type(&one, 64)));
}

/* Bits of lanes, the first one the lowest. */
static LLVMValueRef bits_of(const lane *l, LLVMValueRef lanes) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef bits =
        LLVMBuildBitCast(l->builder, lanes, LLVMIntTypeInContext(l->context, l->count), "");
    return l->count < 64 ? LLVMBuildZExt(l->builder, bits, i64, "") : bits;
}

/* The lanes that are wanted, as bits; of f32 those that are NaN, if any is, or have the best
 * number.
 */
static LLVMValueRef wanted_bits(const lane *l, position_op op, LLVMValueRef x) {
    const lane one = {l->context, l->module, l->builder, l->target, 1, false};
    LLVMValueRef lanes;
    if (!type_is_float(op.type) || !op.nan_wins) {
        find_best(l, op, x, &lanes);
        return bits_of(l, lanes);
    }
    LLVMValueRef nan = bits_of(l, lane_fcmp(l, LLVMRealUNO, x, x)), best = best_of(l, op, x),
                 equal = bits_of(l, lane_fcmp(l, LLVMRealOEQ, x, in_lanes(l, best))),
                 is_number = lane_icmp(&one, LLVMIntEQ, nan, lane_int_like(nan, 0));
    return lane_select(&one, is_number, equal, nan);
}

LLVMValueRef position_find(const lane *l, position_op op, LLVMValueRef elements) {
    LLVMTypeRef i1 = LLVMInt1TypeInContext(l->context), i32 = LLVMInt32TypeInContext(l->context);
    const lane one = {l->context, l->module, l->builder, l->target, 1, false};
    LLVMValueRef bits = wanted_bits(l, op, elements), zero = lane_int_like(bits, 0),
                 first = lane_intrinsic(&one, "llvm.cttz",
                                        (LLVMValueRef[]){bits, LLVMConstInt(i1, 0, 0)}, 2);
    first = lane_select(&one, lane_icmp(&one, LLVMIntEQ, bits, zero), zero, first);
    return lane_trunc(&one, first, i32);
}
