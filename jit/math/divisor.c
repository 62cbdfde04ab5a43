/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: integers of 64 bits, and a number. Out: quotients by products, for no instruction divides
 * vectors of 64 bits. */
#include "jit/math/divisor.h"

/* The number that is in all lanes; false: there is none that code may have. */
static bool is_one_number(LLVMValueRef b, uint64_t *number) {
    LLVMTypeRef type = LLVMTypeOf(b);
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (!LLVMIsConstant(b)) return false;
    LLVMValueRef first = is_vector ? LLVMGetAggregateElement(b, 0) : b;
    if (!first || !LLVMIsAConstantInt(first)) return false;
    for (unsigned i = 1; is_vector && i < LLVMGetVectorSize(type); i++)
        if (LLVMGetAggregateElement(b, i) != first) return false;
    *number = LLVMConstIntGetZExtValue(first);
    return true;
}

/* How many bits a number needs that is less than this one, which is not 0. */
static unsigned bits_below(uint64_t number) {
    unsigned bits = 0;
    while (bits < 64 && (UINT64_C(1) << bits) < number) bits++;
    return bits;
}

/* floor(2^64 * (2^bits - divisor) / divisor) + 1, bit by bit: the low 64 bits of 2^(64 + bits) /
 * divisor, rounded up. */
static uint64_t inverse_of(uint64_t divisor, unsigned bits) {
    uint64_t rest = (bits < 64 ? UINT64_C(1) << bits : 0) - divisor, quotient = 0;
    for (int i = 0; i < 64; i++) {
        const bool carries = rest >> 63;
        rest <<= 1;
        quotient <<= 1;
        if (!carries && rest < divisor) continue;
        rest -= divisor;
        quotient |= 1;
    }
    return quotient + 1;
}

/* The upper 64 bits of a product, from four products of halves. None of the sums overflows. */
static LLVMValueRef upper_product(const lane *l, LLVMValueRef a, uint64_t factor) {
    LLVMValueRef half = lane_int(l, 64, 32), mask = lane_int(l, 64, UINT32_MAX),
                 high = lane_int(l, 64, (int64_t)(factor >> 32)),
                 low = lane_int(l, 64, (int64_t)(factor & UINT32_MAX)),
                 a_low = lane_and(l, a, mask), a_high = lane_lshr(l, a, half);
    LLVMValueRef lowest = lane_lshr(l, lane_mul(l, a_low, low), half),
                 first = lane_add(l, lane_mul(l, a_high, low), lowest),
                 second = lane_add(l, lane_mul(l, a_low, high), lane_and(l, first, mask));
    return lane_add(l, lane_add(l, lane_mul(l, a_high, high), lane_lshr(l, first, half)),
                    lane_lshr(l, second, half));
}

/* Granlund and Montgomery, Division by invariant integers using multiplication, figure 4.1: exact
 * for all dividends. */
static LLVMValueRef divide_unsigned_by(const lane *l, LLVMValueRef a, uint64_t divisor) {
    if (divisor == 0) return lane_int(l, 64, 0);
    const unsigned bits = bits_below(divisor);
    if (bits < 64 && divisor == UINT64_C(1) << bits) return lane_lshr(l, a, lane_int(l, 64, bits));
    LLVMValueRef upper = upper_product(l, a, inverse_of(divisor, bits)),
                 rest = lane_lshr(l, lane_sub(l, a, upper), lane_int(l, 64, 1));
    return lane_lshr(l, lane_add(l, upper, rest), lane_int(l, 64, bits - 1));
}

LLVMValueRef lane_divide_by(const lane *l, bool is_unsigned, LLVMValueRef a, LLVMValueRef b) {
    uint64_t divisor;
    if (!is_one_number(b, &divisor)) return NULL;
    if (is_unsigned) return divide_unsigned_by(l, a, divisor);
    const bool is_negative = divisor >> 63;
    /* all bits where a is negative: x ^ sign, minus sign, is -x there */
    LLVMValueRef sign = lane_ashr(l, a, lane_int(l, 64, 63)),
                 size = lane_sub(l, lane_xor(l, a, sign), sign),
                 quotient = divide_unsigned_by(l, size, is_negative ? 0 - divisor : divisor);
    if (is_negative) sign = lane_xor(l, sign, lane_int(l, 64, -1));
    return lane_sub(l, lane_xor(l, quotient, sign), sign);
}
