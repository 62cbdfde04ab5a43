/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Concatenations: tensors in pieces. In: an expression with concat. Out: one without, whose results
 * are pieces of those of the first: it computes each piece for itself, as views of other operands
 * where these are whole.
 *
 *     r = concat(a, b) * c        r[:na] = a * c[:na]        r[na:] = b * c[na:]
 *
 * If c has a dynamic size there, it is na + nb in each call, never 1: a slice repeats nothing. */
#ifndef TOSAJIT_RUNTIME_EXPR_PIECES_H
#define TOSAJIT_RUNTIME_EXPR_PIECES_H

#include "runtime/expr/expr.h"

/* Whose piece a result is, and along which dimension; pieces of one result follow each other. */
typedef struct result_piece {
    int32_t result, axis; /* axis -1: the whole */
} result_piece;

bool expr_has_pieces(const tosajit_expr *expr);

/* pieces receives one of each result, [TOSAJIT_MAX_TENSORS]. SHAPE_MISMATCH for what is not the
 * same of each piece, such as a sum along them; LIMIT_EXCEEDED, OUT_OF_MEMORY. The expression is
 * the caller's. */
tosajit_status pieces_split(const tosajit_expr *expr, const tosajit_allocator *allocator,
                            tosajit_expr **split, result_piece *pieces);

#endif
