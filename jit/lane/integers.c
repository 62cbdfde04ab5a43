/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Between floating-point numbers and integers: to the nearest i32, i64 and u64, saturated; to whole
 * numbers; from i64. x86 converts vectors, but gives the least integer for every number beyond the
 * type, and below AVX-512 it converts none to i64. LLVM's own conversions leave such numbers open,
 * and take one lane after the other. */
#include "jit/lane/lane.h"

/* Conversions of the widest vectors, rounding as the environment has it, to nearest even: f32 to
 * i32; f32 and f64 to i64 and to u64, or null. */
typedef struct conversion {
    unsigned bytes;
    const char *to_i32, *to_i64, *f64_to_i64, *to_u64, *f64_to_u64;
} conversion;

static const conversion conversions[] = {
    {64, "llvm.x86.avx512.mask.cvtps2dq.512", "llvm.x86.avx512.mask.cvtps2qq.512",
     "llvm.x86.avx512.mask.cvtpd2qq.512", "llvm.x86.avx512.mask.cvtps2uqq.512",
     "llvm.x86.avx512.mask.cvtpd2uqq.512"},
    {32, "llvm.x86.avx.cvt.ps2dq.256", NULL, NULL, NULL, NULL},
    {16, "llvm.x86.sse2.cvtps2dq", NULL, NULL, NULL, NULL},
};

static const conversion *find_conversion(const lane *l) {
    const conversion *how = conversions;
    while (how->bytes > l->target->level->vector_bytes) how++;
    return how;
}

static LLVMValueRef is_number(const lane *l, LLVMValueRef x) {
    return lane_fcmp(l, LLVMRealORD, x, x);
}

/* Numbers beyond the largest integer have become the least one: turn these into the largest. */
static LLVMValueRef turn_largest(const lane *l, LLVMValueRef x, LLVMValueRef number) {
    const unsigned bits = lane_bits(number);
    LLVMValueRef beyond =
        lane_fcmp(l, LLVMRealOGE, x, lane_real_like(x, bits == 32 ? 0x1p31 : 0x1p63));
    if (l->target->level->mask_bytes == 1) /* masks are no vectors, and moves take them */
        return lane_select(l, beyond, lane_int(l, bits, bits == 32 ? INT32_MAX : INT64_MAX),
                           number);
    return lane_xor(l, number, lane_sext(l, beyond, lane_int_type(l, bits)));
}

/* An instruction, and the bits of its results. */
typedef struct rounding {
    const char *name;
    unsigned bits;
    bool plain;
} rounding;

/* One whole vector. Conversions with masks are also told to round as the environment has it: 4. */
static LLVMValueRef call(const lane *l, const rounding *how, LLVMValueRef x) {
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(x));
    LLVMTypeRef number = LLVMIntTypeInContext(l->context, how->bits);
    LLVMValueRef operands[4] = {x, LLVMConstNull(LLVMVectorType(number, count)),
                                LLVMConstAllOnes(LLVMIntTypeInContext(l->context, count)),
                                LLVMConstInt(LLVMInt32TypeInContext(l->context), 4, 0)};
    return lane_call(l, how->name, operands, l->target->level->mask_bytes == 1 ? 4 : 1);
}

LLVMValueRef lane_round_vector(const lane *l, LLVMValueRef x) {
    return call(l, &(rounding){find_conversion(l)->to_i32, 32, true}, x);
}

static LLVMValueRef convert_part(const lane *l, const void *context, const LLVMValueRef *x) {
    const rounding *how = context;
    LLVMValueRef number = call(l, how, x[0]);
    if (how->plain) return number;
    /* First of all, because that is a mask of the conversion where there are masks. */
    number = lane_select(l, is_number(l, x[0]), number, lane_int_like(number, 0));
    return turn_largest(l, x[0], number);
}

/* a * factor + c, where the product is exact. */
static LLVMValueRef product_and(const lane *l, LLVMValueRef a, double factor, LLVMValueRef c) {
    LLVMValueRef by = lane_f64(l, factor);
    return l->target->has_fma ? lane_fma(l, a, by, c) : lane_fadd(l, lane_fmul(l, a, by), c);
}

static LLVMValueRef limit(const lane *l, LLVMValueRef x) {
    LLVMValueRef low = lane_real_like(x, -0x1p63), high = lane_real_like(x, 0x1p63);
    x = lane_select(l, is_number(l, x), x, lane_real_like(x, 0.0));
    x = lane_select(l, lane_fcmp(l, LLVMRealOLT, x, low), low, x);
    return lane_select(l, lane_fcmp(l, LLVMRealOGT, x, high), high, x);
}

/* The nearest multiple of 2^32, and what is left, each rounded by adding 1.5 * 2^52: that leaves
 * the integer in the lowest bits of the sum. The bits of 1.5 * 2^52 itself, of which only the
 * upper half is not 0, are taken from the multiple. */
static LLVMValueRef halves_to_i64(const lane *l, LLVMValueRef x) {
    const int64_t upper_bits = 0x43380000;
    LLVMTypeRef i64 = lane_int_type(l, 64);
    LLVMValueRef magic = lane_f64(l, 0x1.8p52),
                 upper_magic = lane_f64(l, 0x1.8p52 - (double)upper_bits);
    x = limit(l, x);
    if (LLVMTypeOf(x) != lane_f64_type(l)) x = lane_fpext(l, x);
    LLVMValueRef sum = product_and(l, x, 0x1p-32, upper_magic);
    LLVMValueRef upper = lane_fsub(l, sum, upper_magic);
    LLVMValueRef rest = lane_fadd(l, product_and(l, upper, -0x1p32, x), magic);
    LLVMValueRef shifted = lane_shl(l, lane_bitcast(l, sum, i64), lane_int(l, 64, 32));
    return turn_largest(l, x, lane_add(l, shifted, lane_bitcast(l, rest, i64)));
}

static LLVMValueRef convert(const lane *l, LLVMValueRef x, unsigned bits, bool is_unsigned) {
    const char *name = is_unsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat";
    LLVMValueRef rounded = lane_intrinsic(l, "llvm.roundeven", &x, 1);
    LLVMTypeRef types[2] = {lane_int_type(l, bits), LLVMTypeOf(x)};
    unsigned id = LLVMLookupIntrinsicID(name, sizeof "llvm.fptosi.sat" - 1);
    return LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, types, 2),
                          LLVMGetIntrinsicDeclaration(l->module, id, types, 2), &rounded, 1, "");
}

LLVMValueRef lane_round_to_int(const lane *l, LLVMValueRef x, unsigned bits, bool plain) {
    if (l->target->level->machine != MACHINE_X86_64 || l->count == 1)
        return convert(l, x, bits, false);
    const conversion *how = find_conversion(l);
    const char *to_i64 = LLVMTypeOf(x) == lane_f64_type(l) ? how->f64_to_i64 : how->to_i64;
    if (bits == 64 && !to_i64) return halves_to_i64(l, x);
    const rounding r = {bits == 32 ? how->to_i32 : to_i64, bits, plain};
    return lane_in_parts(l, how->bytes * 8 / bits, convert_part, &r, &x, 1);
}

/* A number that is none, or is below 0, becomes 0 first, for the instruction makes the greatest
 * integer of all that has none. Without it numbers from 2^63 on are converted without 2^63, which
 * takes nothing of them. */
LLVMValueRef lane_round_to_u64(const lane *l, LLVMValueRef x) {
    if (l->target->level->machine != MACHINE_X86_64 || l->count == 1)
        return convert(l, x, 64, true);
    const conversion *how = find_conversion(l);
    const char *to_u64 = LLVMTypeOf(x) == lane_f64_type(l) ? how->f64_to_u64 : how->to_u64;
    LLVMValueRef zero = lane_real_like(x, 0.0), half = lane_real_like(x, 0x1p63);
    x = lane_select(l, lane_fcmp(l, LLVMRealOGT, x, zero), x, zero);
    const rounding r = {to_u64, 64, true};
    if (to_u64) return lane_in_parts(l, how->bytes * 8 / 64, convert_part, &r, &x, 1);
    LLVMValueRef upper = lane_fcmp(l, LLVMRealOGE, x, half),
                 rest = lane_select(l, upper, lane_fsub(l, x, half), x),
                 more = lane_select(l, upper, lane_int(l, 64, INT64_MIN), lane_int(l, 64, 0));
    return lane_xor(l, lane_round_to_int(l, rest, 64, false), more);
}

/* Instructions that round f32 to whole numbers. */
static LLVMValueRef whole_part(const lane *l, const void *context, const LLVMValueRef *x) {
    const char *names[] = {"llvm.x86.sse41.round.ps", "llvm.x86.avx.round.ps.256",
                           "llvm.x86.avx512.mask.rndscale.ps.512"};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    const int *way = context;
    LLVMValueRef operands[5] = {x[0], LLVMConstInt(i32, (unsigned)*way, 0), x[0],
                                LLVMConstAllOnes(LLVMInt16TypeInContext(l->context)),
                                LLVMConstInt(i32, 4, 0)};
    return lane_call(l, names[l->count / 8], operands, l->count == 16 ? 5 : 2);
}

LLVMValueRef lane_whole(const lane *l, lane_way way, tosajit_type element, LLVMValueRef x) {
    static const struct {
        const char *name;
        int immediate; /* of the instructions: the way, without an exception where inexact */
    } ways[] = {[LANE_TO_EVEN] = {"llvm.roundeven", 8},
                [LANE_DOWN] = {"llvm.floor", 9},
                [LANE_UP] = {"llvm.ceil", 10},
                [LANE_TO_ZERO] = {"llvm.trunc", 11}};
    const bool hides = element == TOSAJIT_F16 && l->target->has_f16 && l->count > 1 &&
                       !l->target->has_f16_arithmetic && /* which rounds vectors */
                       l->target->level->machine == MACHINE_X86_64;
    if (!hides) return lane_intrinsic(l, ways[way].name, &x, 1);
    return lane_in_parts(l, l->target->level->vector_bytes / 4, whole_part, &ways[way].immediate,
                         &x, 1);
}

/* The halves as the lowest bits of 2^84 and of 2^52, which then are taken away again: only the last
 * sum is rounded. A sign is moved to the range of unsigned numbers by 2^63. AVX-512 has an
 * instruction; two lanes take longer so than one after the other. */
LLVMValueRef lane_i64_to_f64(const lane *l, LLVMValueRef x, bool is_unsigned) {
    const int64_t low_bits = INT64_C(0x4330000000000000), high_bits = INT64_C(0x4530000000000000),
                  sign = is_unsigned ? 0 : INT64_C(0x80000000);
    LLVMTypeRef f64 = lane_f64_type(l);
    if (l->target->level->machine != MACHINE_X86_64 || l->target->level->vector_bytes != 32 ||
        l->count == 1)
        return is_unsigned ? lane_uitofp(l, x, f64) : lane_sitofp(l, x, f64);
    LLVMValueRef upper =
        lane_xor(l, lane_lshr(l, x, lane_int(l, 64, 32)), lane_int(l, 64, high_bits | sign));
    LLVMValueRef lower =
        lane_or(l, lane_and(l, x, lane_int(l, 64, INT64_C(0xffffffff))), lane_int(l, 64, low_bits));
    const double taken = 0x1p84 + 0x1p52 + (is_unsigned ? 0 : 0x1p63);
    LLVMValueRef rest = lane_fsub(l, lane_bitcast(l, upper, f64), lane_f64(l, taken));
    return lane_fadd(l, rest, lane_bitcast(l, lower, f64));
}
