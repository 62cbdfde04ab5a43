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

/* `target`: what code is made for; without a level, none is. */
typedef void plan_printer(const plan *p, const tosajit_expr *program, nest_target target,
                          FILE *out);

plan_printer plan_print;      /* in MLIR's vocabulary: plan_print.c */
plan_printer nest_print;      /* the loop nests that the target's code has: nest_print.c */
plan_printer plan_print_json; /* an object of JSON, without a line's end: plan_json.c */

#endif
