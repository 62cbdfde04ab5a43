/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shapes of views: what reshape, transpose, slice, reverse, tile, concat and pad make of
 * operands'. Sizes may be dynamic; a call finds them out by the ranges alone. */
#ifndef TOSAJIT_RUNTIME_EXPR_VIEW_SHAPE_H
#define TOSAJIT_RUNTIME_EXPR_VIEW_SHAPE_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* The shape of a view of operands, as many as the op has.
 * UNRANKED_SHAPE, BAD_ATTRIBUTE for a list that fits no operand of this rank, SHAPE_MISMATCH for
 * one that does not fit these sizes. */
tosajit_status view_infer(tosajit_op op, const tosajit_tensor_type *operands,
                          const tosajit_attributes *attributes, tosajit_tensor_type *view);

/* A dimension of a slice of n indices, n known. */
typedef struct view_range {
    int64_t begin, count, step;
} view_range;
/* False if it leaves the n indices. */
bool view_find_range(const int64_t numbers[3], int64_t n, view_range *range);

#endif
