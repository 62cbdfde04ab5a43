/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maxima and minima of many elements. `maximum` of two is five instructions on x86, one waiting for
 * the other, because a NaN wins and +0 is above -0. Of many elements it is enough to keep
 *
 *     the greatest number     one instruction, which leaves a NaN alone, and a zero of any sign
 *     the greatest magnitude  two instructions on bits, in whose order NaN is above all numbers
 *     signs                   one instruction: whether all had one, of a minimum whether any had
 *
 * The result takes its sign from the signs, even if it is a zero. No order matters, so a loop
 * keeps as few vectors as it likes. */
#include "jit/emit/extremes.h"

enum { NUMBER, MAGNITUDE, SIGNS };

static LLVMValueRef bits_of(const lane *l, LLVMValueRef x) {
    return lane_bitcast(l, x, lane_int_type(l, 32));
}

static LLVMValueRef real_of(const lane *l, int64_t bits) {
    return LLVMConstBitCast(lane_int(l, 32, bits), LLVMTypeOf(lane_f32(l, 0)));
}

/* Of a maximum -infinity is neutral, which has a sign, as all elements are to have. */
void extreme_begin(const lane *l, LLVMValueRef neutral, LLVMValueRef *kept) {
    kept[NUMBER] = kept[SIGNS] = neutral;
    kept[MAGNITUDE] = real_of(l, 0);
}

void extreme_add(const lane *l, bool greatest, LLVMValueRef x, LLVMValueRef *kept) {
    LLVMValueRef wins = lane_fcmp(l, greatest ? LLVMRealOGT : LLVMRealOLT, x, kept[NUMBER]);
    LLVMValueRef magnitudes[2] = {bits_of(l, kept[MAGNITUDE]),
                                  lane_and(l, bits_of(l, x), lane_int(l, 32, INT32_MAX))};
    LLVMValueRef signs = (greatest ? lane_and : lane_or)(l, bits_of(l, kept[SIGNS]), bits_of(l, x));
    kept[NUMBER] = lane_select(l, wins, x, kept[NUMBER]);
    kept[MAGNITUDE] = lane_bitcast(l, lane_intrinsic(l, "llvm.smax", magnitudes, 2), LLVMTypeOf(x));
    kept[SIGNS] = lane_bitcast(l, signs, LLVMTypeOf(x));
}

LLVMValueRef extreme_value(const lane *l, const LLVMValueRef *kept) {
    LLVMValueRef sign = lane_int(l, 32, INT32_MIN), rest = lane_int(l, 32, INT32_MAX);
    LLVMValueRef number = lane_and(l, bits_of(l, kept[NUMBER]), rest),
                 signs = lane_and(l, bits_of(l, kept[SIGNS]), sign);
    LLVMValueRef value = lane_bitcast(l, lane_or(l, number, signs), LLVMTypeOf(kept[NUMBER]));
    LLVMValueRef is_nan = lane_fcmp(l, LLVMRealUNO, kept[MAGNITUDE], kept[MAGNITUDE]);
    return lane_select(l, is_nan, real_of(l, 0x7fc00000), value);
}
