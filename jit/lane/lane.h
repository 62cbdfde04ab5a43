/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lanes: the vocabulary in which ops are emitted. A lane context is an IR builder with a lane
 * count. Every value is a vector of that many lanes, or a scalar where the count is 1. So one
 * emitter serves the wide loop, the narrow loop and the tail. No emitter knows an instruction set.
 * No fast-math flag is ever set: bits must not depend on the optimiser. */
#ifndef TOSAJIT_JIT_LANE_LANE_H
#define TOSAJIT_JIT_LANE_LANE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "jit/facts/affine_pair.h"
#include "jit/facts/affine_table.h"
#include "jit/target/target.h"
#include "tosajit/tosajit.h"

typedef struct lane {
    LLVMContextRef context; /* all borrowed from the kernel that is being emitted */
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    const target *target;
    unsigned count;   /* lanes per value; 1: scalars */
    bool evens_first; /* bf16 is widened and narrowed as lane_in_any_order says */
} lane;

/* Types of this lane count. A bool is the i1 of comparisons, not the byte in memory. */
LLVMTypeRef lane_vector(const lane *l, LLVMTypeRef element);
LLVMTypeRef lane_bool_type(const lane *l);
LLVMTypeRef lane_int_type(const lane *l, unsigned bits);
LLVMTypeRef lane_f32_type(const lane *l);
LLVMTypeRef lane_f64_type(const lane *l);
/* The form in which values of an element type pass from op to op: i1 as bool, f32 and f64 as float
 * and double, all others as integers of their size. For floating point these integers are the bits
 * in memory. */
LLVMTypeRef lane_element_type(const lane *l, tosajit_type element);
/* Bits of an integer value's element. */
unsigned lane_bits(LLVMValueRef value);

/* The same constant in every lane. */
LLVMValueRef lane_int(const lane *l, unsigned bits, int64_t value);
LLVMValueRef lane_f32(const lane *l, float value);
LLVMValueRef lane_f64(const lane *l, double value);
/* A constant of another value's type: integer, or float rounded to it. */
LLVMValueRef lane_int_like(LLVMValueRef like, int64_t value);
LLVMValueRef lane_real_like(LLVMValueRef like, double value);
/* A scalar in every lane. */
LLVMValueRef lane_splat(const lane *l, LLVMValueRef scalar);

/* Floating point, IEEE 754, round to nearest even. */
LLVMValueRef lane_fadd(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_fsub(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_fmul(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_fdiv(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_fneg(const lane *l, LLVMValueRef a);
LLVMValueRef lane_fabs(const lane *l, LLVMValueRef a);
LLVMValueRef lane_sqrt(const lane *l, LLVMValueRef a);
/* a * b + c, rounded once. Where there is no such instruction, f64 next to overflow, or with both
 * product and addend below 2^-900, are lane_fma_any's, which takes twice as long there. */
LLVMValueRef lane_fma(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
LLVMValueRef lane_fma_any(const lane *l, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
LLVMValueRef lane_fcmp(const lane *l, LLVMRealPredicate predicate, LLVMValueRef a, LLVMValueRef b);

/* IEEE 754-2019 maximum and minimum: NaN where an operand is NaN; -0 is below +0. */
LLVMValueRef lane_maximum(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_minimum(const lane *l, LLVMValueRef a, LLVMValueRef b);

/* Integers; all wrap. Shift amounts must be below the width. */
LLVMValueRef lane_add(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_sub(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_mul(const lane *l, LLVMValueRef a, LLVMValueRef b);
/* Of factors that fill their 64 bits. */
LLVMValueRef lane_mul_i64(const lane *l, LLVMValueRef a, LLVMValueRef b);
/* The upper 32 bits of the product of two i32. */
LLVMValueRef lane_mul_upper(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_and(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_or(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_xor(const lane *l, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef lane_not(const lane *l, LLVMValueRef a);
LLVMValueRef lane_shl(const lane *l, LLVMValueRef a, LLVMValueRef amount);
LLVMValueRef lane_lshr(const lane *l, LLVMValueRef a, LLVMValueRef amount);
LLVMValueRef lane_ashr(const lane *l, LLVMValueRef a, LLVMValueRef amount);
/* The nearest value in low..high, as signed integers. */
LLVMValueRef lane_clip(const lane *l, LLVMValueRef a, int64_t low, int64_t high);
LLVMValueRef lane_icmp(const lane *l, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b);

/* condition ? a : b, per lane; condition is a bool. */
LLVMValueRef lane_select(const lane *l, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b);

/* Conversions; the target type is given as a type of this lane count. */
LLVMValueRef lane_bitcast(const lane *l, LLVMValueRef a, LLVMTypeRef type);
LLVMValueRef lane_sext(const lane *l, LLVMValueRef a, LLVMTypeRef type);
LLVMValueRef lane_zext(const lane *l, LLVMValueRef a, LLVMTypeRef type);
LLVMValueRef lane_trunc(const lane *l, LLVMValueRef a, LLVMTypeRef type);
LLVMValueRef lane_fpext(const lane *l, LLVMValueRef a);   /* f32 -> f64 */
LLVMValueRef lane_fptrunc(const lane *l, LLVMValueRef a); /* f64 -> f32, round to nearest even */
LLVMValueRef lane_sitofp(const lane *l, LLVMValueRef a, LLVMTypeRef type);
LLVMValueRef lane_uitofp(const lane *l, LLVMValueRef a, LLVMTypeRef type);
/* f32 or f64 to the nearest integer of 32 or 64 bits, to even, saturated; 0 of NaN. Not f64 to 32
 * bits. If `plain`, all are numbers that are below the largest integer. */
LLVMValueRef lane_round_to_int(const lane *l, LLVMValueRef a, unsigned bits, bool plain);
LLVMValueRef lane_round_to_u64(const lane *l, LLVMValueRef a); /* likewise, without a sign */
/* The same of x86's widest vector of f32 to i32, but the least i32 of NaN and of what is beyond. */
LLVMValueRef lane_round_vector(const lane *l, LLVMValueRef a);
LLVMValueRef lane_i64_to_f64(const lane *l, LLVMValueRef a, bool is_unsigned);
/* f32 or f64 to a whole number of its own type. `element` is the type before it was widened: LLVM
 * would round vectors of f16 lane by lane if it saw this. */
typedef enum lane_way { LANE_TO_EVEN, LANE_DOWN, LANE_UP, LANE_TO_ZERO } lane_way;
LLVMValueRef lane_whole(const lane *l, lane_way way, tosajit_type element, LLVMValueRef a);

/* Floating point from the form between ops to the form that ops compute with,
 * f32 or f64, exactly; and back, from f32 or f64, rounded once to nearest even. Beyond the largest
 * value comes infinity, or NaN where there is none. No instruction is used that flushes subnormals
 * or rounds twice. */
LLVMValueRef lane_widen(const lane *l, tosajit_type element, LLVMValueRef a);
LLVMValueRef lane_narrow(const lane *l, tosajit_type element, LLVMValueRef a);

/* The same where `a` is a value of the element type already, or NaN. */
LLVMValueRef lane_narrow_exact(const lane *l, tosajit_type element, LLVMValueRef a);

/* To f16 and bf16: the same from f32 where a NaN among `a` has no bits below those of the
 * element type. Operands that are NaN have none, nor has the NaN that a CPU makes. The first
 * rounds a midpoint of two bf16 to the even one. The others may round it away from zero or to zero
 * instead, which takes three instructions less: for operands where both are right. */
LLVMValueRef lane_narrow_function(const lane *l, tosajit_type element, LLVMValueRef a);
LLVMValueRef lane_narrow_half_away(const lane *l, tosajit_type element, LLVMValueRef a);
LLVMValueRef lane_narrow_half_to_zero(const lane *l, tosajit_type element, LLVMValueRef a);

/* f16 and bf16. */
bool lane_is_half(tosajit_type element);

/* For an op on operands of its result's type. Their lanes in f32 may be in any order, if all
 * operands have the same. Where no CPU of a level has instructions for bf16, the even lanes come
 * first, if they fill a vector. */
lane lane_in_any_order(const lane *l, tosajit_type element);

/* f64 to f32 on the way to a result type. For f32 it rounds to nearest even, for narrower types to
 * odd: the lowest bit then tells of a loss, and lane_narrow gives the bits of a single rounding. */
LLVMValueRef lane_round(const lane *l, tosajit_type result, LLVMValueRef a);

/* table[index modulo 8] in registers; index is i64. Only where lane_has_lookup says so: wide lanes
 * of some targets. */
bool lane_has_lookup(const lane *l);
LLVMValueRef lane_lookup_8(const lane *l, const uint64_t *table, LLVMValueRef index);

/* table[index modulo 8] in registers, of f32; index is i32. Any lane count, so that all loops of a
 * kernel have the same results. */
LLVMValueRef lane_entry_of_8(const lane *l, const float *table, LLVMValueRef index);
/* The same modulo lane_entries, the count that the target looks up by one instruction: 32, 8, or 0
 * where it has none. */
unsigned lane_entries(const lane *l);
LLVMValueRef lane_entry(const lane *l, const float *table, LLVMValueRef index);

/* 1 / sqrt x of f32 with a relative error below 2^-bits, by an instruction whose bits are the CPU's
 * own. Of 0, infinity and NaN it has what they have; of negative numbers NaN; with fewer than 14
 * bits, infinity of subnormals. Only where lane_rsqrt_bits is not 0: on some targets, for any lane
 * count. */
unsigned lane_rsqrt_bits(const lane *l);
LLVMValueRef lane_rsqrt_estimate(const lane *l, LLVMValueRef x);

/* An operation for vectors of `width` lanes, on the lanes of `count` operands: their parts that
 * belong together go through `emit`. */
enum { LANE_MAX_PARTED = 3 };
typedef LLVMValueRef lane_part(const lane *l, const void *context, const LLVMValueRef *parts);
LLVMValueRef lane_in_parts(const lane *l, unsigned width, lane_part *emit, const void *context,
                           const LLVMValueRef *x, unsigned count);

/* A call of an intrinsic that is not overloaded. */
LLVMValueRef lane_call(const lane *l, const char *name, LLVMValueRef *operands, unsigned count);

/* A table of 256 bytes, `stride` bytes apart, in registers; and its entry index + 128 per lane,
 * where index is a signed byte. For lane counts of 2 to 256 that are powers of two. Loading needs a
 * complete entry block of the function. `entries` may spare a part of the table where they are
 * known; else null. */
enum { LANE_TABLE_REGISTERS = 16 };
void lane_table_load(const lane *l, LLVMValueRef table, LLVMValueRef stride, const int8_t *entries,
                     LLVMValueRef *registers);
LLVMValueRef lane_table_lookup(const lane *l, const LLVMValueRef *registers, LLVMValueRef index);
/* The same of an affine table; and whether that is faster. What is loaded, and not computed, is
 * widened on the way. */
bool lane_prefers_affine(const lane *l);
LLVMValueRef lane_affine_table(const lane *l, const affine_table *line, LLVMValueRef index,
                               bool loaded);
/* The end of values of 32 bits that are made bytes: (value + addend) >> shift, limited. The
 * value is limited to 16 bits first, and so is the sum. The addend has 16, the same in each lane.
 */
typedef struct byte_end {
    LLVMValueRef addend;
    int shift;
    bool is_unsigned; /* limited to 0..255 */
} byte_end;
LLVMValueRef lane_to_bytes(const lane *l, const byte_end *end, LLVMValueRef value);
/* f32 to the nearest integer, to even, and that plus the addend limited to 8 bits; 0 of NaN. Only
 * where lanes fill vectors that are packed. The addend is at most 2^14, or at least -2^14. */
typedef struct byte_rounding {
    int addend;
    bool is_unsigned, may_be_nan;
    double high; /* no number is above */
} byte_rounding;
bool lane_packs_bytes(const lane *l);
LLVMValueRef lane_round_to_bytes(const lane *l, const byte_rounding *how, LLVMValueRef x);
/* Of two values of i8 their affine function. */
LLVMValueRef lane_affine_pair(const lane *l, const affine_pair *p, LLVMValueRef x, LLVMValueRef y);

/* Lanes first .. first + count - 1 of vectors a and b, one behind the other; those that neither has
 * are of no value. */
LLVMValueRef lane_pick(const lane *l, LLVMValueRef a, LLVMValueRef b, unsigned first,
                       unsigned count);

/* `count` vectors of the same type, a power of two, as one; overwrites them. */
LLVMValueRef lane_concat(const lane *l, LLVMValueRef *parts, unsigned count);

/* An element of integers at base + index * stride in memory; index is i64, stride in bytes a scalar
 * i64. */
LLVMValueRef lane_gather(const lane *l, unsigned bits, LLVMValueRef base, LLVMValueRef index,
                         LLVMValueRef stride);

/* Lanes in memory. lane_memory_type: integers of their size, and float or double; any byte of an i1
 * but 0 is true. mask says which lanes exist; null: all. lane_mask: the first `left` lanes, left >
 * 0, at most LANE_MAX_MASK lanes; it may have more lanes than the vector. */
enum { LANE_MAX_MASK = CPU_MASK_LANES };
LLVMTypeRef lane_memory_type(const lane *l, tosajit_type element);
/* An element of memory as a value: a bool is one only for ops. */
LLVMValueRef lane_from_memory(const lane *l, tosajit_type element, LLVMValueRef value);
LLVMValueRef lane_mask(const lane *l, LLVMValueRef left);
/* A call of llvm.masked.load, .store or .gather: their operands but the alignment; `pointer` says
 * which of them is the address. */
LLVMValueRef lane_masked_call(const lane *l, const char *name, LLVMTypeRef value,
                              LLVMValueRef *operands, unsigned count, unsigned pointer,
                              unsigned alignment);
LLVMValueRef lane_load(const lane *l, tosajit_type element, LLVMValueRef address,
                       LLVMValueRef mask);
void lane_store(const lane *l, tosajit_type element, LLVMValueRef value, LLVMValueRef address,
                LLVMValueRef mask);

/* Store a whole vector past the caches, to an address that is a multiple of its size; such stores
 * are ordered with others by a fence behind them. Only where the level has one. */
void lane_stream(const lane *l, tosajit_type element, LLVMValueRef value, LLVMValueRef address);
void lane_fence(const lane *l);

/* Bring the cache line of an address into the L2 cache. The address need not be one that may be
 * read. */
void lane_prefetch(const lane *l, LLVMValueRef address);

/* A vector of which memory has 2 * width lanes: the first half lies at one address, the others at
 * another, where they may overlap. Lanes beyond are 0, and are not stored. A width of all lanes is
 * the vector at `last`; one of 1 is a single element there. */
LLVMValueRef lane_load_halves(const lane *l, tosajit_type element, LLVMValueRef first,
                              LLVMValueRef last, unsigned width);
void lane_store_halves(const lane *l, tosajit_type element, LLVMValueRef value, LLVMValueRef first,
                       LLVMValueRef last, unsigned width);

/* An LLVM intrinsic by its base name, "llvm.floor", overloaded on the type of the first operand. */
LLVMValueRef lane_intrinsic(const lane *l, const char *name, LLVMValueRef *operands,
                            unsigned count);

/* `result`, but `value` where x is `input`. For a few inputs the exact result is so near a midpoint
 * of two f32 that the evaluation in f64 lands on the wrong side. */
LLVMValueRef lane_except(const lane *l, LLVMValueRef x, double input, double value,
                         LLVMValueRef result);

/* An attribute without a value, such as "noinline". */
void lane_add_flag(LLVMValueRef function, const char *name);

/* Code for rare lanes: a branch that is taken only if `condition` holds in any lane. Begin leaves
 * the builder in the cold block, end after it. Then each value of the cold block is merged with the
 * value of the way around it. */
typedef struct lane_cold {
    LLVMBasicBlockRef before, last, after; /* last: where the cold code ended */
} lane_cold;
/* That it is taken to its first successor. */
void lane_mark_unlikely(const lane *l, LLVMValueRef branch);
lane_cold lane_cold_begin(const lane *l, LLVMValueRef condition);
void lane_cold_end(const lane *l, lane_cold *cold);
LLVMValueRef lane_cold_merge(const lane *l, const lane_cold *cold, LLVMValueRef usual,
                             LLVMValueRef rare);

/* A function of one or two f32, or f64, made once per module. */
typedef struct lane_scalar_function {
    const char *name; /* of the symbol, which stays inside of the module */
    LLVMValueRef (*body)(const lane *scalar, const LLVMValueRef *x);
    int parameters;
    bool is_double; /* its result; f32 otherwise */
} lane_scalar_function;

/* It on each lane, in a loop: for cold code that would be long in vectors. */
LLVMValueRef lane_each(const lane *l, const lane_scalar_function *function, const LLVMValueRef *x);

/* A function of up to LANE_MAX_PARTED f32, or f64, made once per module for vectors of the target's
 * width. */
typedef struct lane_vector_function {
    const char *name; /* of the symbol, which stays inside of the module */
    LLVMValueRef (*body)(const lane *l, const LLVMValueRef *x);
    unsigned parameters;
} lane_vector_function;

/* It on all lanes, a vector at a time: for cold code that would be long in each loop. */
LLVMValueRef lane_apart(const lane *l, const lane_vector_function *f, const LLVMValueRef *x);
/* The module's own function of that name, which is called and not inlined. If it is new, *inside
 * emits into it, until lane_close_function ends it by a value; else inside->builder is null. */
LLVMValueRef lane_open_function(const lane *l, const char *name, LLVMTypeRef type, lane *inside);
void lane_close_function(lane *inside, LLVMValueRef result);

/* c[0] + c[1] x + ... + c[count - 1] x^(count - 1) in f64, count > 1, in count - 1 fused steps
 * whose order is fixed. */
LLVMValueRef lane_polynomial(const lane *l, const double *c, unsigned count, LLVMValueRef x);

/* table[index] per lane: `count` doubles become a constant of the module; index is a vector of i32
 * or i64 in 0..count-1. */
LLVMValueRef lane_lookup(const lane *l, const double *table, unsigned count, LLVMValueRef index,
                         const char *name);

#endif
