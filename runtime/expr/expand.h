/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views that are made of others, before those are lowered.
 *
 *     tile(x : 3x5, [2, 1])    reshape to 1x3x5, repeat to 2x3x5, reshape to 6x5
 *
 * What repeats is a size of 1 then, which has a stride of 0. */
#ifndef TOSAJIT_RUNTIME_EXPR_EXPAND_H
#define TOSAJIT_RUNTIME_EXPR_EXPAND_H

#include "runtime/expr/expr.h"

/* Whether an op is a tile of a size other than 1, which operand 0 has. */
bool expand_repeats(const tosajit_tensor_type *type, tosajit_op op, const tosajit_attributes *a);
/* The same of x, a value of another expression. SHAPE_MISMATCH where two such sizes are dynamic,
 * LIMIT_EXCEEDED, and what building gives. */
tosajit_status expand_tile(tosajit_expr *expr, const tosajit_attributes *attributes,
                           tosajit_value x, tosajit_value *value);

#endif
