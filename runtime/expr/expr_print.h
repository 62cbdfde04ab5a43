/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions as functions in MLIR's TOSA dialect. */
#ifndef TOSAJIT_RUNTIME_EXPR_EXPR_PRINT_H
#define TOSAJIT_RUNTIME_EXPR_EXPR_PRINT_H

#include <stdio.h>

#include "runtime/expr/expr.h"

/* Write the expression, which has a result, as a function of that name; the name needs no quotes.
 * One line has no newline at its end and no apostrophe in it, so a shell takes it between two.
 * False if out of memory; other failures are the stream's. */
bool expr_print(const tosajit_expr *expr, const char *name, bool one_line, FILE *out);

#endif
