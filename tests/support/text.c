/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/text.h"

#include <stdio.h>

#include "tests/support/cmocka.h"

tosajit_expr *test_parse(const char *types, const char *text) {
    char whole[8000];
    tosajit_expr *expr = NULL;
    const int length = snprintf(whole, sizeof whole, "%s%s", types, text);
    assert_in_range(length, 0, sizeof whole - 1);
    if (tosajit_expr_parse(whole, (size_t)length, NULL, &expr))
        fail_msg("%s: %s", whole, tosajit_last_error());
    return expr;
}

tosajit_kernel *test_compile(tosajit_engine *engine, const tosajit_expr *expr) {
    tosajit_kernel *kernel = NULL;
    if (tosajit_compile_expr(engine, expr, &kernel)) fail_msg("%s", tosajit_last_error());
    return kernel;
}
