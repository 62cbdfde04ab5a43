/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions and kernels of cmocka's tests that are about what they compute: the test fails, with
 * the library's words, where there is none. */
#ifndef TOSAJIT_TESTS_SUPPORT_TEXT_H
#define TOSAJIT_TESTS_SUPPORT_TEXT_H

#include "tosajit/tosajit.h"

/* The expression of `types`, which may be empty and end in a new line, and of what follows them. */
tosajit_expr *test_parse(const char *types, const char *text);
tosajit_kernel *test_compile(tosajit_engine *engine, const tosajit_expr *expr);

#endif
