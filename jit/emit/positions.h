/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of argmax and argmin: a pair of an element and its position, as one value of LLVM's. */
#ifndef TOSAJIT_JIT_EMIT_POSITIONS_H
#define TOSAJIT_JIT_EMIT_POSITIONS_H

#include "jit/lane/lane.h"
#include "runtime/expr/expr.h"

typedef struct position_op {
    bool greatest, nan_wins;
    tosajit_type type; /* of elements, as they are compared */
} position_op;
position_op position_op_of(const tosajit_expr *program, const expr_node *node);

/* A pair of an element that is there already, and position 0. */
LLVMValueRef position_begin(const lane *l, position_op op, LLVMValueRef element);
LLVMValueRef position_element(const lane *l, LLVMValueRef pair);
/* Elements at position `first` + offset, of several lanes the same: those that are better. */
LLVMValueRef position_add(const lane *l, position_op op, LLVMValueRef pair, LLVMValueRef element,
                          LLVMValueRef first, unsigned offset);
/* Of two pairs the better one; the second one's positions are larger. */
LLVMValueRef position_later(const lane *l, position_op op, LLVMValueRef pair, LLVMValueRef later);
/* The position to be stored, an i32. */
LLVMValueRef position_place(const lane *l, LLVMValueRef pair);

/* Of groups of lanes, whose positions count from those of the lanes, a pair of the best one. */
LLVMValueRef position_fold(const lane *l, position_op op, const LLVMValueRef *pairs,
                           unsigned groups);
/* Of elements of lanes where the best one is. */
LLVMValueRef position_find(const lane *l, position_op op, LLVMValueRef elements);

#endif
