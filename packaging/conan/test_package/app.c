/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that uses the package: a text, computed once. */
#include <stdio.h>
#include <tosajit/tosajit.h>

int main(void) {
    const char text[] = "y = x + b : f32[?], f32[1]";
    const int64_t three[1] = {3}, one[1] = {1};
    float x[3] = {1, 2, 3}, b[1] = {10}, y[3] = {0};
    tosajit_expr *expr = NULL;
    tosajit_engine *engine = NULL;
    tosajit_kernel *kernel = NULL;
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, x, 1, three),
                                        tosajit_dense(TOSAJIT_F32, b, 1, one)},
                         result = tosajit_dense(TOSAJIT_F32, y, 1, three);
    if (tosajit_expr_parse(text, sizeof text - 1, NULL, &expr) ||
        tosajit_engine_create(NULL, &engine) || tosajit_compile_expr(engine, expr, &kernel) ||
        tosajit_run(kernel, operands, 2, &result, 1)) {
        puts(tosajit_last_error());
        return 1;
    }
    printf("%g %g %g\n", (double)y[0], (double)y[1], (double)y[2]);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    tosajit_expr_destroy(expr);
    return y[2] == 13 ? 0 : 1;
}
