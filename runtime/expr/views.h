/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views: reshape, transpose, slice, reverse and tile compute nothing, they say where elements are.
 * In: an expression with views. Out: an expression without, which computes the same of other
 * operands, and the views through which each of its operands and results is seen in the call's own
 * tensors.
 *
 *     r = transpose(x[1:] * 2) + y        k = x' * 2 + y', where
 *                                         x' is x through the slice,
 *                                         y' is y through the transpose, backwards,
 *                                         r  is k's result, seen through the transpose
 *
 * So plan, code and calls know strides and nothing of views. A view moves in one of two directions:
 *
 *     outward   to the results: the value stays as it is computed, and everything it meets on the
 *               way is seen backwards through the view. Slices and tiles have no way back.
 *     inward    to the operands, through elementwise ops, which a view does not mind. A reduction
 *               minds if its axis is joined with another dimension, or becomes or stops being the
 *               last one: that is another order of combination (reduce.h).
 *
 * A view belongs to the innermost dimensions, as broadcasting does: an operand of fewer dimensions,
 * or with a size of 1 where the view's own operand has more, repeats before and behind the view. */
#ifndef TOSAJIT_RUNTIME_EXPR_VIEWS_H
#define TOSAJIT_RUNTIME_EXPR_VIEWS_H

#include "runtime/expr/pieces.h"

/* Sizes before a call: a static one is itself, a dynamic one a negative name. Sizes of one name are
 * equal in every call. */
typedef struct view_sizes {
    int32_t rank;
    int64_t sizes[TOSAJIT_MAX_RANK];
} view_sizes;

/* The meaning of name -1 - k, or a condition, found in order when called. */
typedef enum size_kind {
    SIZE_INPUT,     /* the input's size `dim` */
    SIZE_BROADCAST, /* of a and b, which fit */
    SIZE_RANGE,     /* of the slice of a, which has the range */
    SIZE_REPEATED,  /* a times the multiple, which is 1 unless a is */
    SIZE_REST,      /* what a reshape leaves for `dim` */
    SIZE_PRODUCT,   /* none: a reshape has as many elements as its operand */
    SIZE_PIECE,     /* none: a, of an operand beside a piece, is the piece's, b */
    SIZE_DECLARED,  /* b, and so must a be: a type says it */
} size_kind;
typedef struct view_name {
    size_kind kind;
    int32_t dim;
    tosajit_value node; /* of the source, which has it */
    int64_t a, b;
} view_name;
enum { VIEW_MOST_NAMES = 1024, VIEW_MOST_STEPS = 64 /* of a chain */ };

/* Dimensions in[in_end of the group before ..] that a reshape makes dimensions out[..] of. */
typedef struct view_group {
    uint8_t in_end, out_end;
} view_group;

/* A view of the source, forwards or backwards. */
typedef struct view_step {
    tosajit_value view;
    bool backwards;
    uint8_t group_count; /* of a reshape */
    view_group groups[TOSAJIT_MAX_RANK];
} view_step;

/* Steps, one after the other. */
typedef struct view_chain {
    int32_t first, count;
} view_chain;

/* A tensor of the program without views: which of the source's it is, and how that is seen. */
typedef struct view_tensor {
    tosajit_value value; /* an input or constant; of a result: the result's */
    view_chain chain;
} view_tensor;

struct expr_views {
    tosajit_allocator allocator;
    tosajit_expr *caller; /* compacted: what the caller knows */
    tosajit_expr *source; /* the same, or another one, whose results are pieces of the caller's */
    result_pieces pieces; /* which results of the source are the caller's */
    view_sizes *sizes;    /* of each node of the source */
    view_name *names;
    size_t name_count, name_capacity;
    view_step *steps;
    size_t step_count, step_capacity;
    int32_t operand_count;
    view_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
};

/* The program becomes the caller's, of views that begin with it. OUT_OF_MEMORY. */
tosajit_status views_begin(program_made *made);

/* SHAPE_MISMATCH for what no strides can say, with the reason; LIMIT_EXCEEDED, OUT_OF_MEMORY, and
 * what building gives. */
tosajit_status views_lower(program_made *made, bool *changed);
void views_destroy(expr_views *views);

#endif
