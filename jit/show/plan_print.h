/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plans for people and programs. In: a plan and its program. Out: text or JSON, on a stream whose
 * failures are the caller's to see. */
#ifndef TOSAJIT_JIT_SHOW_PLAN_PRINT_H
#define TOSAJIT_JIT_SHOW_PLAN_PRINT_H

#include <stdio.h>

#include "jit/schedule/nest.h"
#include "runtime/plan/plan.h"

/* How plans call an operand: as messages do. A table that the library made of several ops has the
 * number of its op, and no name of its own. So it is "looked up by %y = tosa.table". */
typedef struct leaf_name {
    char text[sizeof(value_name) + 16];
} leaf_name;
leaf_name plan_leaf_name(const tosajit_expr *program, const plan_leaf *leaf);

/* In MLIR's vocabulary: plan_print.c. */
void plan_print(const plan *p, const tosajit_expr *program, FILE *out);
/* The loop nests that code for a target has: nest_print.c. */
void nest_print(FILE *out, const plan *p, const tosajit_expr *program, nest_target target);
/* As an object of JSON, without a line's end: plan_json.c. */
void plan_print_json(const plan *p, const tosajit_expr *program, FILE *out);

#endif
