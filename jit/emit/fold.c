/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Folds: a row's partial results become one value, by halves, of one row or of as many rows
 * together as a vector has lanes.
 *
 *     one row   0 1 2 3 -> 0 with 2, 1 with 3 -> one value     each half leaves half the lanes idle
 *     two rows  a0 a1, b0 b1 -> a0 with a1, b0 with b1         the halves of both fill a vector
 *
 * What is combined with what is the same, and so are the bits. */
#include <string.h>

#include "jit/emit/reduce.h"
#include "runtime/base/types.h"

/* After `steps` steps the partial results 0.. lie `steps` vectors, modulo the groups, before their
 * place. Turn the vectors by one, by two, by four, as the bits of the rest say. */
void turn_partials(row_emitter *r, LLVMValueRef steps) {
    const part_emitter *e = r->part;
    const unsigned groups = r->groups;
    const lane one = lane_of(e, 1);
    LLVMValueRef missing = LLVMBuildNeg(e->k.builder, steps, "");
    for (unsigned by = 1; by < groups; by *= 2) {
        LLVMValueRef bit = LLVMBuildAnd(e->k.builder, missing, int64_constant(e, by), "");
        LLVMValueRef turns = lane_icmp(&one, LLVMIntNE, bit, int64_constant(e, 0));
        for (int32_t t = first_reduction(e); t < tensor_count(e); t = next_reduction(e, t)) {
            if (reduce_is_position(reduction_node(e, t))) continue; /* in any order */
            LLVMValueRef old[REDUCE_PARTIALS];
            memcpy(old, r->partials[t], groups * sizeof *old);
            for (unsigned g = 0; g < groups; g++)
                r->partials[t][g] =
                    LLVMBuildSelect(e->k.builder, turns, old[(g + by) % groups], old[g], "");
        }
    }
}

LLVMValueRef fold_partials(row_emitter *r, int32_t t, unsigned least) {
    const part_emitter *e = r->part;
    LLVMValueRef *partials = r->partials[t];
    const unsigned lanes = e->nest.levels[0].lanes;
    if (reduce_is_position(reduction_node(e, t))) return partials[0];
    for (unsigned half = r->groups / 2; half > 0; half /= 2)
        for (unsigned g = 0; g < half; g++)
            partials[g] = emit_combined(e, lanes, t, partials[g], partials[g + half]);
    return fold_lanes(e, t, partials[0], least);
}

LLVMValueRef fold_lanes(const part_emitter *e, int32_t t, LLVMValueRef all, unsigned least) {
    const bool one = LLVMGetTypeKind(LLVMTypeOf(all)) != LLVMVectorTypeKind;
    unsigned lanes = one ? 1 : LLVMGetVectorSize(LLVMTypeOf(all));
    while (lanes > least) {
        const lane whole = lane_of(e, lanes);
        LLVMValueRef low, high;
        lanes /= 2;
        if (lanes > 1) {
            low = lane_pick(&whole, all, all, 0, lanes);
            high = lane_pick(&whole, all, all, lanes, lanes);
        } else {
            LLVMTypeRef i32 = LLVMInt32TypeInContext(e->k.context);
            low = LLVMBuildExtractElement(e->k.builder, all, LLVMConstInt(i32, 0, 0), "");
            high = LLVMBuildExtractElement(e->k.builder, all, LLVMConstInt(i32, 1, 0), "");
        }
        all = emit_combined(e, lanes, t, low, high);
    }
    return all;
}

/* ---------------------------------------------------------------------------------------------
 * Rows together */

enum { BLOCK_BYTES = 16 /* within which x86 moves lanes at no cost */ };

/* Partial results of some rows, side by side: `width` of each. */
typedef struct bundle {
    LLVMValueRef value;
    unsigned width;
    uint8_t rows[NEST_MOST_TOGETHER]; /* whose partial result each lane is */
} bundle;

/* Of the lanes of a and b, those of the low half of each row's, or of the high half. Lanes stay in
 * their block of 16 bytes where a row's are no more. */
static LLVMValueRef pick_half(const part_emitter *e, int32_t t, const bundle *a, const bundle *b,
                              bool high, uint8_t *rows) {
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(a->value)), half = a->width / 2;
    const tosajit_type type = reduce_accumulator(reduction_node(e, t)->type.element);
    const unsigned bytes = (unsigned)tosajit_type_size(type), all = BLOCK_BYTES / bytes;
    const unsigned block = a->width >= all || all > lanes ? lanes : all;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->k.context);
    LLVMValueRef numbers[NEST_MOST_TOGETHER];
    for (unsigned k = 0; k < lanes; k++) {
        const unsigned within = k % block, of_b = within >= block / 2,
                       place = within - of_b * (block / 2),
                       from = k - within + place / half * a->width + place % half + high * half;
        numbers[k] = LLVMConstInt(i32, of_b * lanes + from, 0);
        rows[k] = (of_b ? b : a)->rows[from];
    }
    return LLVMBuildShuffleVector(e->k.builder, a->value, b->value, LLVMConstVector(numbers, lanes),
                                  "");
}

static bundle fold_halves(const part_emitter *e, int32_t t, const bundle *a, const bundle *b) {
    bundle both = {.width = a->width / 2};
    LLVMValueRef low = pick_half(e, t, a, b, false, both.rows),
                 high = pick_half(e, t, a, b, true, both.rows);
    both.value = emit_combined(e, LLVMGetVectorSize(LLVMTypeOf(low)), t, low, high);
    return both;
}

/* Rows `first`, ...; what is begun early is folded early, so that few are in registers. */
static bundle fold_some(const part_emitter *e, int32_t t, const LLVMValueRef *rows, unsigned first,
                        unsigned count) {
    if (count > 1) {
        const bundle a = fold_some(e, t, rows, first, count / 2),
                     b = fold_some(e, t, rows, first + count / 2, count / 2);
        return fold_halves(e, t, &a, &b);
    }
    bundle one = {.value = rows[first], .width = LLVMGetVectorSize(LLVMTypeOf(rows[first]))};
    memset(one.rows, (int)first, sizeof one.rows);
    return one;
}

LLVMValueRef fold_together(const part_emitter *e, int32_t t, const LLVMValueRef *rows) {
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(rows[0]));
    const bundle all = fold_some(e, t, rows, 0, lanes);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->k.context);
    LLVMValueRef numbers[NEST_MOST_TOGETHER];
    for (unsigned k = 0; k < lanes; k++) numbers[all.rows[k]] = LLVMConstInt(i32, k, 0);
    return LLVMBuildShuffleVector(e->k.builder, all.value, all.value,
                                  LLVMConstVector(numbers, lanes), "");
}
