/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Planes of bytes. In: two vectors of bytes. Out: IR. On x86 bytes are paired and multiplied in
 * pairs, which takes 28 instructions for a vector of 8-bit results. Pairing and packing stay within
 * 128 bits, so that one undoes the order of the other:
 *
 *     x0 y0 x1 y1 ...                  bytes in pairs
 *     x0 * outer, y0 * outer, ...      pmaddubsw with a factor of 0, twice; in pairs again
 *     x0 * m + y0 * m, ...             pmaddwd with inner, 32 bits
 *
 * Other machines multiply and add in 32 bits. */
#include <elf.h>

#include "jit/lane/lane.h"

enum { ROW = 16, MOST_BYTES = 64, MOST_PARTS = 16 };

/* Instructions for so many bytes. */
typedef struct pairing {
    unsigned bytes;
    const char *multiply_bytes, *multiply_words, *pack_words, *pack_bytes;
} pairing;

static const pairing pairings[] = {
    {64, "llvm.x86.avx512.pmaddubs.w.512", "llvm.x86.avx512.pmaddw.d.512",
     "llvm.x86.avx512.packssdw.512", "llvm.x86.avx512.packsswb.512"},
    {32, "llvm.x86.avx2.pmadd.ub.sw", "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx2.packssdw",
     "llvm.x86.avx2.packsswb"},
    {16, "llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.sse2.pmadd.wd", "llvm.x86.sse2.packssdw.128",
     "llvm.x86.sse2.packsswb.128"},
};

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
static LLVMValueRef quarter(const lane *l, const pairing *how, const byte_plane *p, LLVMValueRef x,
                            LLVMValueRef y, bool upper) {
    LLVMValueRef inner = in_turns(l, 16, how->bytes / 2, p->inner[0], p->inner[1]);
    LLVMValueRef sum =
        lane_call(l, how->multiply_words, (LLVMValueRef[]){interleave(l, x, y, upper), inner}, 2);
    sum = lane_add(l, sum, lane_int_like(sum, p->addend));
    return lane_ashr(l, sum, lane_int_like(sum, p->shift));
}

/* Of half the pairs, in 16 bits. */
static LLVMValueRef half(const lane *l, const pairing *how, const byte_plane *p, LLVMValueRef x,
                         LLVMValueRef y, bool upper) {
    LLVMValueRef pairs = interleave(l, x, y, upper), quarters[2];
    LLVMValueRef products[2] = {in_turns(l, 8, how->bytes, p->outer[0], 0),
                                in_turns(l, 8, how->bytes, 0, p->outer[1])};
    for (int k = 0; k < 2; k++)
        products[k] = lane_call(l, how->multiply_bytes, (LLVMValueRef[]){products[k], pairs}, 2);
    for (int k = 0; k < 2; k++) quarters[k] = quarter(l, how, p, products[0], products[1], k == 1);
    return lane_call(l, how->pack_words, quarters, 2);
}

static LLVMValueRef in_pairs(const lane *l, const pairing *how, const byte_plane *p, LLVMValueRef x,
                             LLVMValueRef y) {
    LLVMValueRef halves[2] = {half(l, how, p, x, y, false), half(l, how, p, x, y, true)};
    return lane_call(l, how->pack_bytes, halves, 2);
}

/* In vectors of the widest such instructions that the lanes fill, or parts of the narrowest. */
static LLVMValueRef plane_of_pairs(const lane *l, const byte_plane *p, LLVMValueRef x,
                                   LLVMValueRef y) {
    const pairing *how = pairings;
    LLVMValueRef parts[MOST_PARTS];
    while (how->bytes > ROW &&
           (how->bytes > l->count || how->bytes > l->target->level->vector_bytes))
        how++;
    const unsigned count = l->count > how->bytes ? l->count / how->bytes : 1;
    for (unsigned k = 0; k < count; k++)
        parts[k] = in_pairs(l, how, p, lane_pick(l, x, x, k * how->bytes, how->bytes),
                            lane_pick(l, y, y, k * how->bytes, how->bytes));
    LLVMValueRef whole = lane_concat(l, parts, count);
    return l->count < how->bytes ? lane_pick(l, whole, whole, 0, l->count) : whole;
}

static LLVMValueRef plane_of_products(const lane *l, const byte_plane *p, LLVMValueRef x,
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

LLVMValueRef lane_byte_plane(const lane *l, const byte_plane *p, LLVMValueRef x, LLVMValueRef y) {
    const bool is_x86 = l->target->level->machine == EM_X86_64;
    LLVMValueRef value = (is_x86 && l->count > 1 ? plane_of_pairs : plane_of_products)(l, p, x, y);
    return lane_clip(l, value, p->low, p->high);
}
