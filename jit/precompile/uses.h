/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uses: every legal use of every op, pairs of light ones, and the expression that is compiled for
 * either. */
#ifndef TOSAJIT_JIT_PRECOMPILE_USES_H
#define TOSAJIT_JIT_PRECOMPILE_USES_H

#include "runtime/precompiled/rows.h"

/* Call with every use that rows_of may give, and every pair; the first failure ends it. */
tosajit_status uses_each(tosajit_status (*take)(void *context, const rows_code *code),
                         void *context);

/* The row as an expression: operands of open sizes, then parameters. */
tosajit_status uses_expression(const rows_code *code, tosajit_expr **expr);

#endif
