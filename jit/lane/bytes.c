/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes that are computed in wider lanes. In: vectors. Out: IR. Instructions of x86 that pair and
 * pack elements stay within each 128 bits of a vector. Four vectors that were packed to one so lack
 * but a permutation to be in order. Where bytes were paired before, they are in order again:
 *
 *     x0 y0 x1 y1 ...                  bytes in pairs
 *     x0 * outer, y0 * outer, ...      pmaddubsw with a factor of 0, twice; in pairs again
 *     x0 * m + y0 * m, ...             pmaddwd with inner, 32 bits
 *
 * That takes 28 instructions for a vector of bytes. Other machines multiply and add in 32
 * bits, and lanes that are no whole vector are left to LLVM. */

#include "jit/lane/lane.h"

enum { ROW = 16, MOST_BYTES = 64, MOST_PARTS = 16 };

/* Instructions for so many bytes. */
typedef struct pairing {
    unsigned bytes;
    const char *multiply_bytes, *multiply_words, *pack_words, *pack_bytes, *pack_unsigned;
} pairing;

static const pairing pairings[] = {
    {64, "llvm.x86.avx512.pmaddubs.w.512", "llvm.x86.avx512.pmaddw.d.512",
     "llvm.x86.avx512.packssdw.512", "llvm.x86.avx512.packsswb.512",
     "llvm.x86.avx512.packuswb.512"},
    {32, "llvm.x86.avx2.pmadd.ub.sw", "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx2.packssdw",
     "llvm.x86.avx2.packsswb", "llvm.x86.avx2.packuswb"},
    {16, "llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.sse2.pmadd.wd", "llvm.x86.sse2.packssdw.128",
     "llvm.x86.sse2.packsswb.128", "llvm.x86.sse2.packuswb.128"},
};

static bool is_x86(const lane *l) { return l->target->level->machine == MACHINE_X86_64; }

/* The widest that the lanes fill; or the narrowest. */
static const pairing *find_pairing(const lane *l) {
    const pairing *how = pairings;
    while (how->bytes > ROW &&
           (how->bytes > l->count || how->bytes > l->target->level->vector_bytes))
        how++;
    return how;
}

/* Elements of a and b in turns, from the lower or upper half of every 16 bytes. */
static LLVMValueRef interleave(const lane *l, LLVMValueRef a, LLVMValueRef b, bool upper) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMValueRef numbers[MOST_BYTES];
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(a)), row = ROW * 8 / lane_bits(a);
    for (unsigned k = 0; k < count; k++) {
        const unsigned from = k / row * row + k % row / 2 + (upper ? row / 2 : 0);
        numbers[k] = LLVMConstInt(i32, from + (k % 2 ? count : 0), 0);
    }
    return LLVMBuildShuffleVector(l->builder, a, b, LLVMConstVector(numbers, count), "");
}

/* Two constants in turns. */
static LLVMValueRef in_turns(const lane *l, unsigned bits, unsigned count, int even, int odd) {
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, bits);
    LLVMValueRef numbers[MOST_BYTES];
    for (unsigned k = 0; k < count; k++)
        numbers[k] = LLVMConstInt(type, (unsigned long long)(k % 2 ? odd : even), 1);
    return LLVMConstVector(numbers, count);
}

/* Of a quarter of the pairs, in 32 bits. */
static LLVMValueRef quarter(const lane *l, const pairing *how, const affine_pair *p, LLVMValueRef x,
                            LLVMValueRef y, bool upper) {
    LLVMValueRef inner = in_turns(l, 16, how->bytes / 2, p->inner[0], p->inner[1]);
    LLVMValueRef sum =
        lane_call(l, how->multiply_words, (LLVMValueRef[]){interleave(l, x, y, upper), inner}, 2);
    sum = lane_add(l, sum, lane_int_like(sum, p->addend));
    return lane_ashr(l, sum, lane_int_like(sum, p->shift));
}

/* Of half the pairs, in 16 bits. */
static LLVMValueRef half(const lane *l, const pairing *how, const affine_pair *p, LLVMValueRef x,
                         LLVMValueRef y, bool upper) {
    LLVMValueRef pairs = interleave(l, x, y, upper), quarters[2];
    LLVMValueRef products[2] = {in_turns(l, 8, how->bytes, p->outer[0], 0),
                                in_turns(l, 8, how->bytes, 0, p->outer[1])};
    for (int k = 0; k < 2; k++)
        products[k] = lane_call(l, how->multiply_bytes, (LLVMValueRef[]){products[k], pairs}, 2);
    for (int k = 0; k < 2; k++) quarters[k] = quarter(l, how, p, products[0], products[1], k == 1);
    return lane_call(l, how->pack_words, quarters, 2);
}

static LLVMValueRef in_pairs(const lane *l, const pairing *how, const affine_pair *p,
                             LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef halves[2] = {half(l, how, p, x, y, false), half(l, how, p, x, y, true)};
    return lane_call(l, how->pack_bytes, halves, 2);
}

/* In vectors of the widest such instructions that the lanes fill, or parts of the narrowest. */
static LLVMValueRef affine_of_pairs(const lane *l, const affine_pair *p, LLVMValueRef x,
                                    LLVMValueRef y) {
    const pairing *how = find_pairing(l);
    LLVMValueRef parts[MOST_PARTS];
    const unsigned count = l->count > how->bytes ? l->count / how->bytes : 1;
    for (unsigned k = 0; k < count; k++)
        parts[k] = in_pairs(l, how, p, lane_pick(l, x, x, k * how->bytes, how->bytes),
                            lane_pick(l, y, y, k * how->bytes, how->bytes));
    LLVMValueRef whole = lane_concat(l, parts, count);
    return l->count < how->bytes ? lane_pick(l, whole, whole, 0, l->count) : whole;
}

static LLVMValueRef affine_of_products(const lane *l, const affine_pair *p, LLVMValueRef x,
                                       LLVMValueRef y) {
    LLVMTypeRef i8 = lane_int_type(l, 8), i16 = lane_int_type(l, 16), i32 = lane_int_type(l, 32);
    LLVMValueRef bytes[2] = {x, y}, sum = lane_int(l, 32, p->addend);
    for (int k = 0; k < 2; k++) {
        LLVMValueRef outer = lane_mul(l, lane_sext(l, bytes[k], i16), lane_int(l, 16, p->outer[k]));
        sum = lane_add(l, sum, lane_mul(l, lane_sext(l, outer, i32), lane_int(l, 32, p->inner[k])));
    }
    sum = lane_clip(l, lane_ashr(l, sum, lane_int(l, 32, p->shift)), INT16_MIN, INT16_MAX);
    return lane_trunc(l, lane_clip(l, lane_trunc(l, sum, i16), INT8_MIN, INT8_MAX), i8);
}

LLVMValueRef lane_affine_pair(const lane *l, const affine_pair *p, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef value =
        (is_x86(l) && l->count > 1 ? affine_of_pairs : affine_of_products)(l, p, x, y);
    return lane_clip(l, value, p->low, p->high);
}

/* Bytes that packing four vectors has put within 128 bits, in order. */
static LLVMValueRef in_order(const lane *l, LLVMValueRef packed) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context), type = LLVMTypeOf(packed);
    const unsigned rows = LLVMGetVectorSize(type) / ROW, count = rows * 4;
    LLVMValueRef numbers[MOST_BYTES / 4];
    for (unsigned k = 0; k < count; k++) numbers[k] = LLVMConstInt(i32, k % rows * 4 + k / rows, 0);
    packed = LLVMBuildBitCast(l->builder, packed, LLVMVectorType(i32, count), "");
    packed =
        LLVMBuildShuffleVector(l->builder, packed, packed, LLVMConstVector(numbers, count), "");
    return LLVMBuildBitCast(l->builder, packed, type, "");
}

/* In 16 bits. */
static LLVMValueRef add_and_shift(const lane *l, const byte_end *end, LLVMValueRef value,
                                  LLVMValueRef addend) {
    LLVMValueRef sum = lane_intrinsic(l, "llvm.sadd.sat", (LLVMValueRef[]){value, addend}, 2);
    return lane_ashr(l, sum, lane_int_like(sum, end->shift));
}

static LLVMValueRef pack(const lane *l, const pairing *how, const byte_end *end,
                         LLVMValueRef value) {
    LLVMValueRef halves[2], part[2];
    const unsigned quarter = how->bytes / 4;
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned q = 0; q < 2; q++)
            part[q] = lane_pick(l, value, value, (2 * k + q) * quarter, quarter);
        halves[k] = add_and_shift(l, end, lane_call(l, how->pack_words, part, 2),
                                  lane_pick(l, end->addend, end->addend, 0, 2 * quarter));
    }
    return in_order(
        l, lane_call(l, end->is_unsigned ? how->pack_unsigned : how->pack_bytes, halves, 2));
}

static LLVMValueRef narrow(const lane *l, const byte_end *end, LLVMValueRef value) {
    LLVMTypeRef i8 = lane_int_type(l, 8), i16 = lane_int_type(l, 16);
    value = lane_trunc(l, lane_clip(l, value, INT16_MIN, INT16_MAX), i16);
    value = add_and_shift(l, end, value, end->addend);
    return lane_trunc(l,
                      end->is_unsigned ? lane_clip(l, value, 0, UINT8_MAX)
                                       : lane_clip(l, value, INT8_MIN, INT8_MAX),
                      i8);
}

bool lane_packs_bytes(const lane *l) {
    return is_x86(l) && l->count % l->target->level->vector_bytes == 0;
}

LLVMValueRef lane_to_bytes(const lane *l, const byte_end *end, LLVMValueRef value) {
    LLVMValueRef parts[MOST_PARTS];
    const pairing *how = find_pairing(l);
    if (!lane_packs_bytes(l)) return narrow(l, end, value);
    for (unsigned k = 0; k < l->count / how->bytes; k++)
        parts[k] = pack(l, how, end, lane_pick(l, value, value, k * how->bytes, how->bytes));
    return lane_concat(l, parts, l->count / how->bytes);
}

/* NaN and numbers beyond i32 become the least i32, and the least byte. So numbers are limited from
 * above first, by the comparison that keeps NaN. Where the least byte is not 0, NaN becomes what is
 * 0 with the addend. */
static LLVMValueRef rounded(const lane *l, const byte_rounding *how, LLVMValueRef x) {
    LLVMValueRef high = lane_real_like(x, 0x1p30);
    if (how->may_be_nan && !how->is_unsigned)
        x = lane_select(l, lane_fcmp(l, LLVMRealORD, x, x), x, lane_real_like(x, -how->addend));
    if (!(how->high < 0x1p31)) x = lane_select(l, lane_fcmp(l, LLVMRealOLT, high, x), high, x);
    return lane_round_vector(l, x);
}

LLVMValueRef lane_round_to_bytes(const lane *l, const byte_rounding *how, LLVMValueRef x) {
    LLVMValueRef parts[4 * MOST_PARTS];
    const pairing *p = find_pairing(l);
    const unsigned width = p->bytes / 4, count = l->count / width;
    for (unsigned k = 0; k < count; k++)
        parts[k] = rounded(l, how, lane_pick(l, x, x, k * width, width));
    const byte_end end = {lane_int(l, 16, how->addend), 0, how->is_unsigned};
    return lane_to_bytes(l, &end, lane_concat(l, parts, count));
}

/* The function of bytes that are the upper halves of words. */
static LLVMValueRef line_of_words(const lane *l, const affine_table *line, LLVMValueRef upper) {
    LLVMTypeRef i16 = lane_int_type(l, 16), i32 = lane_int_type(l, 32);
    LLVMValueRef product = lane_mul(l, lane_sext(l, upper, i32), lane_int(l, 32, line->multiplier));
    LLVMValueRef high = lane_trunc(l, lane_lshr(l, product, lane_int(l, 32, 16)), i16);
    LLVMValueRef sum = lane_intrinsic(l, "llvm.sadd.sat",
                                      (LLVMValueRef[]){high, lane_int(l, 16, line->addend)}, 2);
    return lane_ashr(l, sum, lane_int(l, 16, line->shift));
}

/* Pairing bytes with 0 shifts them up, and packing puts them in order again. */
static LLVMValueRef line_of_part(const lane *l, const pairing *how, const affine_table *line,
                                 LLVMValueRef bytes) {
    LLVMValueRef words[2], zero = LLVMConstNull(LLVMTypeOf(bytes));
    lane half = *l;
    half.count = how->bytes / 2;
    for (int k = 0; k < 2; k++)
        words[k] = line_of_words(
            &half, line,
            lane_bitcast(&half, interleave(l, zero, bytes, k == 1), lane_int_type(&half, 16)));
    return lane_call(l, how->pack_bytes, words, 2);
}

LLVMValueRef lane_affine_table(const lane *l, const affine_table *line, LLVMValueRef index,
                               bool loaded) {
    LLVMTypeRef i8 = lane_int_type(l, 8), i16 = lane_int_type(l, 16);
    const pairing *how = find_pairing(l);
    LLVMValueRef parts[MOST_PARTS];
    if (loaded || !is_x86(l) || l->count % how->bytes != 0) {
        LLVMValueRef upper = lane_shl(l, lane_sext(l, index, i16), lane_int(l, 16, 8));
        LLVMValueRef value = lane_clip(l, line_of_words(l, line, upper), INT8_MIN, INT8_MAX);
        return lane_clip(l, lane_trunc(l, value, i8), line->low, line->high);
    }
    const unsigned count = l->count / how->bytes;
    for (unsigned k = 0; k < count; k++)
        parts[k] =
            line_of_part(l, how, line, lane_pick(l, index, index, k * how->bytes, how->bytes));
    return lane_clip(l, lane_concat(l, parts, count), line->low, line->high);
}
