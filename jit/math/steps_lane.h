/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words in which runtime/functions/steps.h is written, as lanes of f64, or of f32
 * where STEPS_OF_F32 is defined. */
#ifndef TOSAJIT_JIT_MATH_STEPS_LANE_H
#define TOSAJIT_JIT_MATH_STEPS_LANE_H

#include <math.h>
#include <string.h>

#include "jit/lane/lane.h"

typedef LLVMValueRef real, word, mask;
typedef lane_vector_function rare_function;

#ifdef STEPS_OF_F32
enum { STEPS_BITS = 32 };
static inline real number(const lane *l, double value) { return lane_f32(l, (float)value); }
static inline LLVMTypeRef real_type(const lane *l) { return lane_f32_type(l); }
#else
enum { STEPS_BITS = 64 };
static inline real number(const lane *l, double value) { return lane_f64(l, value); }
static inline LLVMTypeRef real_type(const lane *l) { return lane_f64_type(l); }
#endif
/* LLVM has one object for equal constants. */
static inline bool is_known(const lane *l, real a) { return (void)l, LLVMIsConstant(a); }
static inline bool is_number(const lane *l, real a, double n) { return a == number(l, n); }
static inline real add(const lane *l, real a, real b) { return lane_fadd(l, a, b); }
static inline real sub(const lane *l, real a, real b) { return lane_fsub(l, a, b); }
static inline real mul(const lane *l, real a, real b) { return lane_fmul(l, a, b); }
static inline real divide(const lane *l, real a, real b) { return lane_fdiv(l, a, b); }
static inline real muladd(const lane *l, real a, real b, real c) { return lane_fma(l, a, b, c); }
static inline real negative(const lane *l, real a) { return lane_fneg(l, a); }
static inline real size_of(const lane *l, real a) { return lane_fabs(l, a); }
static inline real square_root(const lane *l, real a) { return lane_sqrt(l, a); }
static inline real with_sign(const lane *l, real a, real sign) {
    return lane_intrinsic(l, "llvm.copysign", (LLVMValueRef[]){a, sign}, 2);
}

static inline mask less(const lane *l, real a, real b) { return lane_fcmp(l, LLVMRealOLT, a, b); }
static inline mask equal(const lane *l, real a, real b) { return lane_fcmp(l, LLVMRealOEQ, a, b); }
static inline mask unordered(const lane *l, real a, real b) {
    return lane_fcmp(l, LLVMRealUNO, a, b);
}
static inline mask both(const lane *l, mask a, mask b) { return lane_and(l, a, b); }
static inline mask either(const lane *l, mask a, mask b) { return lane_or(l, a, b); }
static inline mask not_so(const lane *l, mask a) { return lane_not(l, a); }
static inline real pick(const lane *l, mask m, real a, real b) { return lane_select(l, m, a, b); }

static inline word bits_of(const lane *l, real a) {
    return lane_bitcast(l, a, lane_int_type(l, STEPS_BITS));
}
static inline real from_bits(const lane *l, word bits) {
    return lane_bitcast(l, bits, real_type(l));
}
static inline word bits_constant(const lane *l, int64_t value) {
    return lane_int(l, STEPS_BITS, value);
}
static inline word bits_sum(const lane *l, word a, word b) { return lane_add(l, a, b); }
static inline word bits_difference(const lane *l, word a, word b) { return lane_sub(l, a, b); }
static inline word bits_and(const lane *l, word a, word b) { return lane_and(l, a, b); }
static inline word bits_or(const lane *l, word a, word b) { return lane_or(l, a, b); }
static inline word bits_xor(const lane *l, word a, word b) { return lane_xor(l, a, b); }
static inline word bits_left(const lane *l, word a, int by) {
    return lane_shl(l, a, lane_int(l, STEPS_BITS, by));
}
static inline word bits_right(const lane *l, word a, int by) {
    return lane_lshr(l, a, lane_int(l, STEPS_BITS, by));
}
static inline word bits_down(const lane *l, word a, int by) {
    return lane_ashr(l, a, lane_int(l, STEPS_BITS, by));
}
static inline mask bits_less(const lane *l, word a, word b) {
    return lane_icmp(l, LLVMIntSLT, a, b);
}
static inline real number_of(const lane *l, word a) { return lane_sitofp(l, a, real_type(l)); }
static inline mask has_bit_0(const lane *l, word a) {
    return lane_icmp(l, LLVMIntNE, lane_and(l, a, lane_int(l, STEPS_BITS, 1)),
                     lane_int(l, STEPS_BITS, 0));
}

static inline real entry_of(const lane *l, const double *table, unsigned count, word index,
                            const char *name) {
    return lane_lookup(l, table, count, index, name);
}

#ifdef STEPS_OF_F32
static inline real entry_of_8(const lane *l, const double *table, word n) {
    float entries[8];
    for (int j = 0; j < 8; j++) entries[j] = (float)table[j];
    return lane_entry_of_8(l, entries, n);
}
/* Entries that lack j in the bits to which n is shifted: so one addition makes the power. */
static inline real power_of_eighths(const lane *l, const double *table, real shifted) {
    float entries[8];
    for (int j = 0; j < 8; j++) {
        uint32_t bits;
        entries[j] = (float)table[j];
        memcpy(&bits, &entries[j], sizeof bits);
        bits -= (uint32_t)j << 20;
        memcpy(&entries[j], &bits, sizeof bits);
    }
    word n = bits_of(l, shifted);
    return from_bits(l,
                     bits_sum(l, bits_of(l, lane_entry_of_8(l, entries, n)), bits_left(l, n, 20)));
}

typedef LLVMValueRef wide;
static inline wide widened(const lane *l, real a) { return lane_fpext(l, a); }
static inline real narrowed(const lane *l, wide a) { return lane_fptrunc(l, a); }
static inline wide wide_number(const lane *l, double value) { return lane_f64(l, value); }
static inline wide wide_sum(const lane *l, wide a, wide b) { return lane_fadd(l, a, b); }
static inline wide wide_difference(const lane *l, wide a, wide b) { return lane_fsub(l, a, b); }
static inline wide wide_product(const lane *l, wide a, wide b) { return lane_fmul(l, a, b); }
static inline wide wide_quotient(const lane *l, wide a, wide b) { return lane_fdiv(l, a, b); }
static inline wide wide_muladd(const lane *l, wide a, wide b, wide c) {
    return lane_fma(l, a, b, c);
}
static inline wide wide_within(const lane *l, wide a, double low, double high) {
    wide lowest = lane_f64(l, low), highest = lane_f64(l, high),
         raised = lane_select(l, lane_fcmp(l, LLVMRealOLT, a, lowest), lowest, a);
    return lane_select(l, lane_fcmp(l, LLVMRealOLT, highest, raised), highest, raised);
}
static inline mask wide_is_within(const lane *l, wide a, double end) {
    return lane_fcmp(l, LLVMRealOLT, lane_fabs(l, a), lane_f64(l, end));
}
static inline word low_word(const lane *l, wide a) {
    return lane_trunc(l, lane_bitcast(l, a, lane_int_type(l, 64)), lane_int_type(l, 32));
}
#endif

static inline real seldom(const lane *l, mask m, real usual,
                          real (*body)(const lane *l, const real *x), const real *x) {
    lane_cold cold = lane_cold_begin(l, m);
    real value = lane_select(l, m, body(l, x), usual);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, usual, value);
}

/* f is a function of the module, which is called. */
static inline real rarely(const lane *l, mask m, real usual, const rare_function *f,
                          const real *x) {
    lane_cold cold = lane_cold_begin(l, m);
    real value = lane_select(l, m, lane_apart(l, f, x), usual);
    lane_cold_end(l, &cold);
    return lane_cold_merge(l, &cold, usual, value);
}

#endif
