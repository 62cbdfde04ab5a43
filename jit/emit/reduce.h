/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions, for the loops that reduce. Tensor t is a result of the part. */
#ifndef TOSAJIT_JIT_EMIT_REDUCE_H
#define TOSAJIT_JIT_EMIT_REDUCE_H

#include "jit/emit/part.h"

bool is_reduction(const part_emitter *e, int32_t t);
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
/* Store a value of the accumulator's type, rounded to the reduction's. */
void store_reduction(const row_emitter *r, int32_t t, unsigned lanes, LLVMValueRef value,
                     LLVMValueRef address, LLVMValueRef mask);
/* Memory for strips in the function's frame, once for all variants: in its first block. */
void emit_strip_memory(part_emitter *e);
/* Rows that are reduced, by strips (nest.h). What is returned is the first column that is left. */
LLVMValueRef emit_strips(row_emitter *r, const LLVMValueRef *pointers);

#endif
