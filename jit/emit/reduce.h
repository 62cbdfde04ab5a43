/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions, for the loops that reduce. Tensor t is a result of the part. */
#ifndef TOSAJIT_JIT_EMIT_REDUCE_H
#define TOSAJIT_JIT_EMIT_REDUCE_H

#include "jit/emit/part.h"

bool is_reduction(const part_emitter *e, int32_t t);
/* One whose elements are combined: not a count, which is known. */
bool is_combined(const part_emitter *e, int32_t t);
const expr_node *reduction_node(const part_emitter *e, int32_t t);
/* Of a maximum or minimum. */
bool reduction_is_maximum(const part_emitter *e, int32_t t);
/* Vectors of a step that hold all partial results of a row; row_emitter has them as its groups.
 * And the values that are handed on for them. */
unsigned reduction_groups(const part_emitter *e);
unsigned reduction_values(const row_emitter *r);
/* Both in the accumulator's type. */
LLVMValueRef emit_neutral(const part_emitter *e, unsigned lanes, int32_t t);
LLVMValueRef emit_combined(const part_emitter *e, unsigned lanes, int32_t t, LLVMValueRef a,
                           LLVMValueRef b);
/* Store a value of the accumulator's type, rounded to the reduction's; of a count it is not asked
 * for. */
void store_reduction(const row_emitter *r, int32_t t, unsigned lanes, LLVMValueRef value,
                     LLVMValueRef address, LLVMValueRef mask);

/* Partial results: what they begin with, and what is left to do behind the last step of a segment.
 */
void begin_partials(row_emitter *r, unsigned lanes);
void end_partials(row_emitter *r);

/* Partial results that a loop hands on. */
typedef struct handed {
    LLVMValueRef phis[TOSAJIT_MAX_TENSORS][REDUCE_PARTIALS];
} handed;
/* At the head of a loop: they come from the block before it. */
void enter_partials(row_emitter *r, LLVMBasicBlockRef before, handed *h);
/* From this block they come to the head again, or to where two ways meet. */
void hand_partials(const row_emitter *r, const handed *h);
void keep_partials(const row_emitter *r, handed *h);
/* Where two ways meet: here from `first`, where they were `kept`, or from `second` as they are. */
void join_partials(row_emitter *r, const handed *kept, LLVMBasicBlockRef first,
                   LLVMBasicBlockRef second);

/* All partial results of a row, combined by halves until so many lanes are left. After `steps`
 * steps their first vector must be in front again. */
void turn_partials(row_emitter *r, LLVMValueRef steps);
LLVMValueRef fold_partials(row_emitter *r, int32_t t, unsigned least);
LLVMValueRef fold_lanes(const part_emitter *e, int32_t t, LLVMValueRef all, unsigned least);
/* Memory for the lanes of rows that are folded together, in the function's first block. */
void emit_fold_memory(part_emitter *e);
/* Of as many rows as are folded together, each of as many lanes, one value for each row. */
LLVMValueRef fold_together(const part_emitter *e, int32_t t, const LLVMValueRef *rows);

/* Memory for strips in the function's frame, once for all variants: in its first block. */
void emit_strip_memory(part_emitter *e);
/* Rows that are reduced, by strips (nest.h). What is returned is the first column that is left. */
LLVMValueRef emit_strips(row_emitter *r, const LLVMValueRef *pointers);

#endif
