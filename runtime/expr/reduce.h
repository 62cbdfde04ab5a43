/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reductions: the order in which the elements along an axis are combined. It is part of the result:
 * the same operands give the same bits on every CPU, with any number of threads, in any form.
 *
 *     segment   the axis is cut into segments; each has a value of its own, and these values
 *               are combined one after the other
 *     partial   a segment's element i belongs to partial result i modulo `partials`; each combines
 *               its elements one after the other. Halves of them are combined until one is left:
 *               0 with 16, 1 with 17, ...; then 0 with 8, ...
 *
 *     axis          partials   elements of a segment
 *     the last one  32         4096                  lanes lie along the axis
 *     any other     1          128                   lanes lie beside each other
 *
 * Of dimensions that are reduced together, the elements are numbered in row-major order, as those
 * of one dimension.
 *
 * So 128 elements follow each other at most, then 5 halves, then the segments. What a partial
 * result or a segment begins with is the neutral element, which changes nothing: -0 of a sum, for
 * instance, since +0 would make +0 of -0. f16 and bf16 are combined in f32, and rounded once. */
#ifndef TOSAJIT_RUNTIME_EXPR_REDUCE_H
#define TOSAJIT_RUNTIME_EXPR_REDUCE_H

#include "runtime/expr/convert.h"
#include "runtime/expr/expr.h"

enum {
    REDUCE_RUN = 128, /* elements of a partial result, at most */
    REDUCE_PARTIALS = 32,
    REDUCE_SEGMENT = REDUCE_RUN * REDUCE_PARTIALS,
};

/* True if a node is a reduction. */
bool node_reduces(const expr_node *node);

/* The last dimension that it reduces. */
static inline int32_t reduce_last(const expr_node *node) {
    return (int32_t)node->attributes.axis + node->attributes.joined;
}

/* True if that is the last one of all. */
static inline bool reduce_is_inner(const expr_node *node) {
    return reduce_last(node) == node->type.rank - 1;
}

/* True if it reduces this dimension. */
static inline bool reduce_has_axis(const expr_node *node, int32_t d) {
    return d >= node->attributes.axis && d <= reduce_last(node);
}

/* True if it gives where the first greatest or least element is, and not an element. */
bool reduce_is_position(const expr_node *node);

/* The type of what it reduces, which of a position is not its own. */
tosajit_type reduce_element(const tosajit_expr *expr, const expr_node *node);

/* True if any order of the elements gives the same bits. */
bool reduce_is_unordered(const expr_node *node);

/* True if a value repeats along some of the dimensions first to last, but not along all: then no
 * stride joins them. Only lasting facts count: an operand has fewer dimensions, or they were
 * reduced. So the answer is the same whatever sizes are known. For a value of more than 256 others
 * it is yes. */
bool reduce_straddles(const tosajit_expr *expr, tosajit_value value, int64_t first, int64_t last);

/* The type in which elements are combined. */
static inline tosajit_type reduce_accumulator(tosajit_type element) {
    return element == TOSAJIT_F16 || element == TOSAJIT_BF16 ? TOSAJIT_F32 : element;
}

/* The value that changes nothing when it is combined with an element of this type, of the
 * accumulator's. Of a position it is what no element loses against. */
cell reduce_neutral(const expr_node *node, tosajit_type element);

/* The reduction of no element at all: the neutral element, but +0 for a sum, and the largest number
 * for a position. */
cell reduce_empty(const expr_node *node);

#endif
