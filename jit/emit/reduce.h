/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions, for the loops that reduce. Tensor t is a result of the part. */
#ifndef TOSAJIT_JIT_EMIT_REDUCE_H
#define TOSAJIT_JIT_EMIT_REDUCE_H

#include "jit/emit/part.h"

/* The reductions of a part, one after the other; behind the last comes tensor_count. */
int32_t next_reduction(const part_emitter *e, int32_t t);
static inline int32_t first_reduction(const part_emitter *e) {
    return next_reduction(e, e->part->leaf_count - 1);
}
static inline bool is_reduction(const part_emitter *e, int32_t t) {
    return t >= e->part->leaf_count && has_bit(e->part->reductions, t - e->part->leaf_count);
}
/* One whose elements are combined: not a count, which is known. */
bool is_combined(const part_emitter *e, int32_t t);
const expr_node *reduction_node(const part_emitter *e, int32_t t);

/* Both in the accumulator's type; of a position they are pairs (positions.h), of which b's is the
 * later one. */
LLVMValueRef emit_neutral(const part_emitter *e, unsigned lanes, int32_t t);
LLVMValueRef emit_combined(const part_emitter *e, unsigned lanes, int32_t t, LLVMValueRef a,
                           LLVMValueRef b);
/* Store a value of the accumulator's type, rounded to the reduction's; of a count it is not asked
 * for. */
void store_reduction(const row_emitter *r, int32_t t, unsigned lanes, LLVMValueRef value,
                     LLVMValueRef address, LLVMValueRef mask);

/* A row of one step, as elements: where the best one is. */
LLVMValueRef find_position(const row_emitter *r, int32_t t);
/* Partial results: what they begin with, and what is left to do behind the last step of a segment.
 */
void begin_partials(row_emitter *r, unsigned lanes);
void end_partials(row_emitter *r);

/* All partial results of a row, combined by halves until so many lanes are left; of a position,
 * which end_partials has folded, one. After `steps` steps their first vector must be in front
 * again. */
void turn_partials(row_emitter *r, LLVMValueRef steps);
LLVMValueRef fold_partials(row_emitter *r, int32_t t, unsigned least);
LLVMValueRef fold_lanes(const part_emitter *e, int32_t t, LLVMValueRef all, unsigned least);
/* Of as many rows as each has lanes, one value for each row. */
LLVMValueRef fold_together(const part_emitter *e, int32_t t, const LLVMValueRef *rows);

/* Where the loops of a reduction stand, which follow each other (nest.h). */
typedef struct reduced_state {
    row_state rows;            /* where rows are folded: those that are left */
    const LLVMValueRef *begin; /* where columns are: the pointers of the first row */
    LLVMValueRef column;       /* the first that is left */
    LLVMBasicBlockRef done;    /* behind all loops; null: nothing branches there */
} reduced_state;
typedef void reduced_loop(row_emitter *r, reduced_state *s);
reduced_loop emit_brief_rows, emit_found_rows, emit_reduced_rows;      /* reduced_rows.c */
reduced_loop emit_narrow_columns, emit_reduced_columns, emit_few_rows; /* reduced_columns.c */
reduced_loop emit_strips;                                              /* strips.c */

#endif
