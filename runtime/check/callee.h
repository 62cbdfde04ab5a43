/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callee: what a call is checked against and interpreted by, of a kernel. */
#ifndef TOSAJIT_RUNTIME_CHECK_CALLEE_H
#define TOSAJIT_RUNTIME_CHECK_CALLEE_H

#include "runtime/expr/views.h"
#include "runtime/plan/plan.h"

typedef struct callee {
    const tosajit_expr *program;
    const plan *plan;
    const expr_views *views; /* null: its tensors are seen as they are */
    int32_t tensor_count;    /* operands and non-splat constants */
    bool any_strides;        /* they need not be multiples of the element size */
} callee;

#endif
