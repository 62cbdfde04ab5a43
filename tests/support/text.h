/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Most tests are about what a kernel computes, not about making it. So an expression or a kernel
 * that cannot be made fails the test, with the library's message. For tests with cmocka. */
#ifndef TOSAJIT_TESTS_SUPPORT_TEXT_H
#define TOSAJIT_TESTS_SUPPORT_TEXT_H

#include "tosajit/tosajit.h"

/* The expression of `types` and the `text` behind them. `types` may be empty, or end in a new line.
 * The caller owns what both return. */
tosajit_expr *test_parse(const char *types, const char *text);
tosajit_kernel *test_compile(tosajit_engine *engine, const tosajit_expr *expr);

#endif
