/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plans for people. In: a plan and its program. Out: text or a drawing, on a stream whose failures
 * are the caller's to see. */
#ifndef TOSAJIT_JIT_SHOW_PLAN_PRINT_H
#define TOSAJIT_JIT_SHOW_PLAN_PRINT_H

#include <stdio.h>

#include "runtime/plan/plan.h"

/* In MLIR's vocabulary: plan_print.c. */
void plan_print(const plan *p, const tosajit_expr *program, FILE *out);
/* As an SVG document: plan_svg.c. */
void plan_print_svg(const plan *p, const tosajit_expr *program, FILE *out);

#endif
