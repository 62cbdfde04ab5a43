/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of sizes: what is known of the sizes of an expression before a call. So `?x64` as `?x8x8`
 * is known to leave the first dimension alone. */
#ifndef TOSAJIT_RUNTIME_EXPR_VIEW_NAMES_H
#define TOSAJIT_RUNTIME_EXPR_VIEW_NAMES_H

#include "runtime/expr/views.h"

/* Find the sizes of a node, behind those of its operands, and the names that are new.
 * OUT_OF_MEMORY, LIMIT_EXCEEDED. */
tosajit_status names_of_node(expr_views *views, tosajit_value value);

/* Divide the dimensions of a reshape into groups, as small as is known that they can be. */
void names_group(const expr_views *views, tosajit_value value, view_step *step);

/* The sizes that a step has before it and behind it. */
const view_sizes *view_before(const expr_views *views, const view_step *step);
const view_sizes *view_behind(const expr_views *views, const view_step *step);

/* The sizes of a tensor behind a step; VIEW_UNKNOWN is a dynamic size without a name. */
enum { VIEW_UNKNOWN = INT32_MIN };
tosajit_status names_through(const expr_views *views, const view_step *step, view_sizes *own);

/* Where a step leaves the axis of a reduction, whole and in its order; -1: nowhere. */
int64_t names_follow(const expr_views *views, const view_step *step, int64_t axis);

/* The kind of run that the dimensions of a chain are, for a tensor of these sizes. Bit a of `cut`:
 * the tensor is a part of another tensor, and shorter along dimension a. */
typedef enum view_run {
    RUN_DENSE, /* of a dense tensor they are */
    RUN_APART, /* they are not, as a transpose, slice or reversal lies before it */
    RUN_NEVER, /* a tile repeats some, and some not */
} view_run;
view_run names_run(const expr_views *views, view_sizes own, uint32_t cut, view_chain chain);

/* Dimensions of a group: in..in_end become out..out_end; a step backwards has them exchanged. */
typedef struct view_span {
    int32_t in, in_end, out, out_end;
} view_span;
view_span view_group_span(const view_step *step, int32_t group);

#endif
