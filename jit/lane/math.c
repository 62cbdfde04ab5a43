/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of functions: polynomials, and tables of doubles in memory or in registers. Above
 * the vocabulary of lane.c, since it needs multiply-adds and gathers. */
#include "jit/lane/lane.h"

#include <string.h>

/* The coefficients first, first + step, ... below `end`, at least one, by Horner's rule in `x`. */
static LLVMValueRef horner(const lane *l, const double *c, unsigned first, unsigned step,
                           unsigned end, LLVMValueRef x) {
    unsigned last = first + (end - 1 - first) / step * step;
    LLVMValueRef sum = lane_f64(l, c[last]);
    for (unsigned k = last; k > first; k -= step)
        sum = lane_fma(l, sum, x, lane_f64(l, c[k - step]));
    return sum;
}

/* Short ones as two chains, of even and odd powers. Long ones in groups of four, which leave less
 * to wait for. */
LLVMValueRef lane_polynomial(const lane *l, const double *c, unsigned count, LLVMValueRef x) {
    LLVMValueRef square = lane_fmul(l, x, x);
    if (count <= 16)
        return lane_fma(l, horner(l, c, 1, 2, count, square), x, horner(l, c, 0, 2, count, square));
    LLVMValueRef fourth = lane_fmul(l, square, square);
    unsigned first = (count - 1) / 4 * 4;
    LLVMValueRef sum = horner(l, c, first, 1, count, x);
    for (; first > 0; first -= 4)
        sum = lane_fma(l, sum, fourth, horner(l, c, first - 4, 1, first, x));
    return sum;
}

/* The table as a private constant of the module; made once per name. */
static LLVMValueRef table_constant(const lane *l, const double *table, unsigned count,
                                   const char *name) {
    LLVMValueRef global = LLVMGetNamedGlobal(l->module, name);
    if (global) return global;
    enum { MAX_TABLE = 1024 };
    LLVMValueRef values[MAX_TABLE];
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(l->context);
    for (unsigned k = 0; k < count; k++) values[k] = LLVMConstReal(f64, table[k]);
    global = LLVMAddGlobal(l->module, LLVMArrayType2(f64, count), name);
    LLVMSetInitializer(global, LLVMConstArray2(f64, values, count));
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetAlignment(global, 64);
    return global;
}

LLVMValueRef lane_lookup(const lane *l, const double *table, unsigned count, LLVMValueRef index,
                         const char *name) {
    LLVMValueRef base = table_constant(l, table, count, name);
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(l->context);
    LLVMValueRef address = LLVMBuildGEP2(l->builder, f64, base, &index, 1, "");
    if (l->count == 1) return LLVMBuildLoad2(l->builder, f64, address, "");
    LLVMValueRef operands[3] = {address, LLVMConstAllOnes(lane_bool_type(l)),
                                LLVMGetPoison(lane_f64_type(l))};
    return lane_masked_call(l, "llvm.masked.gather", lane_f64_type(l), operands, 3, 0,
                            sizeof(double));
}

bool lane_has_lookup(const lane *l) { return l->target->level->permute && l->count % 8 == 0; }

unsigned lane_rsqrt_bits(const lane *l) { return l->target->level->rsqrt_bits; }

static LLVMValueRef rsqrt_part(const lane *l, const void *name, const LLVMValueRef *x) {
    LLVMValueRef all = LLVMConstAllOnes(LLVMInt16TypeInContext(l->context));
    const bool masks = l->target->level->mask_bytes == 1;
    return lane_call(l, name, (LLVMValueRef[]){x[0], LLVMConstNull(LLVMTypeOf(x[0])), all},
                     masks ? 3 : 1);
}

LLVMValueRef lane_rsqrt_estimate(const lane *l, LLVMValueRef x) {
    const bool masks = l->target->level->mask_bytes == 1;
    return lane_in_parts(l, l->target->level->vector_bytes / 4, rsqrt_part,
                         masks ? "llvm.x86.avx512.rsqrt14.ps.512" : "llvm.x86.avx.rsqrt.ps.256", &x,
                         1);
}

unsigned lane_entries(const lane *l) { return l->target->level->entries; }

/* `count` entries from there on. */
static LLVMValueRef entries_of(const lane *l, const float *table, unsigned count) {
    enum { LANES = 16 };
    LLVMTypeRef f32 = LLVMFloatTypeInContext(l->context);
    LLVMValueRef entries[LANES];
    for (unsigned k = 0; k < count; k++) entries[k] = LLVMConstReal(f32, (double)table[k]);
    return LLVMConstVector(entries, count);
}

/* Eight entries, and the same again. */
static LLVMValueRef permuted_twice(const lane *l, const float *table, LLVMValueRef index) {
    float entries[16];
    for (unsigned k = 0; k < 16; k++) entries[k] = table[k % 8];
    return lane_call(l, "llvm.x86.avx512.permvar.sf.512",
                     (LLVMValueRef[]){entries_of(l, entries, 16), index}, 2);
}

static LLVMValueRef entry_part(const lane *l, const void *table, const LLVMValueRef *x) {
    const float *t = table;
    return lane_call(l, "llvm.x86.avx512.vpermi2var.ps.512",
                     (LLVMValueRef[]){entries_of(l, t, 16), x[0], entries_of(l, t + 16, 16)}, 3);
}

/* Half of a table, or all of it, by the bytes of four indices: their low bits times four, and which
 * byte of an entry. */
static LLVMValueRef shuffled(const lane *l, const float *table, LLVMValueRef index) {
    LLVMTypeRef bytes = LLVMVectorType(LLVMInt8TypeInContext(l->context), 16);
    LLVMValueRef low = lane_and(l, index, lane_int(l, 32, 7)),
                 four = lane_mul(l, low, lane_int(l, 32, 0x04040404));
    LLVMValueRef at = lane_bitcast(l, lane_add(l, four, lane_int(l, 32, 0x03020100)), bytes),
                 half[2];
    for (int k = 0; k < 2; k++) half[k] = lane_bitcast(l, entries_of(l, table + 4 * k, 4), bytes);
    if (l->target->level->byte_tables) {
        unsigned id =
            LLVMLookupIntrinsicID("llvm.aarch64.neon.tbl2", sizeof "llvm.aarch64.neon.tbl2" - 1);
        LLVMValueRef found =
            LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, &bytes, 1),
                           LLVMGetIntrinsicDeclaration(l->module, id, &bytes, 1),
                           (LLVMValueRef[]){half[0], half[1], at}, 3, "");
        return lane_bitcast(l, found, lane_f32_type(l));
    }
    for (int k = 0; k < 2; k++)
        half[k] = lane_bitcast(
            l, lane_call(l, "llvm.x86.ssse3.pshuf.b.128", (LLVMValueRef[]){half[k], at}, 2),
            lane_f32_type(l));
    LLVMValueRef upper = lane_icmp(l, LLVMIntUGT, low, lane_int(l, 32, 3));
    return lane_select(l, upper, half[1], half[0]);
}

static LLVMValueRef entry_of_8_part(const lane *l, const void *table, const LLVMValueRef *x) {
    const float *t = table;
    switch (l->target->level->vector_bytes) {
    case 64: return permuted_twice(l, t, x[0]);
    case 32:
        return lane_call(l, "llvm.x86.avx2.permps", (LLVMValueRef[]){entries_of(l, t, 8), x[0]}, 2);
    default: return shuffled(l, t, x[0]);
    }
}

LLVMValueRef lane_entry_of_8(const lane *l, const float *table, LLVMValueRef index) {
    return lane_in_parts(l, l->target->level->vector_bytes / 4, entry_of_8_part, table, &index, 1);
}

LLVMValueRef lane_entry(const lane *l, const float *table, LLVMValueRef index) {
    if (lane_entries(l) == 8) return lane_entry_of_8(l, table, index);
    return lane_in_parts(l, l->target->level->vector_bytes / 4, entry_part, table, &index, 1);
}

LLVMValueRef lane_lookup_8(const lane *l, const uint64_t *table, LLVMValueRef index) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef entries[8], parts[8], poison = LLVMGetPoison(LLVMTypeOf(index));
    for (unsigned k = 0; k < 8; k++) entries[k] = LLVMConstInt(i64, table[k], 0);
    unsigned id = LLVMLookupIntrinsicID("llvm.x86.avx512.permvar.di.512",
                                        sizeof "llvm.x86.avx512.permvar.di.512" - 1);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->module, id, NULL, 0),
                 values = LLVMConstVector(entries, 8);
    unsigned count = l->count / 8;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef operands[2] = {values, lane_pick(l, index, poison, 8 * k, 8)};
        parts[k] = LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, NULL, 0),
                                  function, operands, 2, "");
    }
    return lane_concat(l, parts, count);
}
