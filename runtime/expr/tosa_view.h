/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views in TOSA's own words. In: a view with its list of numbers; out: the shapes that TOSA has as
 * operands in its place, or that it has no word for this view. */
#ifndef TOSAJIT_RUNTIME_EXPR_TOSA_VIEW_H
#define TOSAJIT_RUNTIME_EXPR_TOSA_VIEW_H

#include "runtime/expr/expr.h"

typedef struct tosa_view {
    bool has; /* TOSA has a word for it */
    int shape_count;
    size_t counts[2]; /* of the numbers of each shape */
    int64_t shapes[2][2 * TOSAJIT_MAX_RANK];
} tosa_view;

tosa_view tosa_view_of(const tosajit_expr *expr, const expr_node *node);

#endif
