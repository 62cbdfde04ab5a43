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
/* Vectors of a step that hold all partial results, and the values that are handed on for them. */
unsigned reduction_groups(const part_emitter *e);
unsigned reduction_values(const part_emitter *e);
/* Both in the accumulator's type. */
LLVMValueRef emit_neutral(const part_emitter *e, unsigned lanes, int32_t t);
LLVMValueRef emit_combined(const part_emitter *e, unsigned lanes, int32_t t, LLVMValueRef a,
                           LLVMValueRef b);

#endif
