/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An application with a kernel that was compiled ahead of time. It links the kernel's object and
 * libtosajit-runtime: no compiler, no LLVM.
 *
 *     tosajit compile examples/gelu_bias.mlir -o gelu.o --header gelu.h --targets v2,v3,v4
 *     cc -I. examples/aot/app.c gelu.o $(pkg-config --cflags --libs tosajit-runtime) -lm -o app &&
 * ./app
 *
 * It checks the kernel's results against the C library, and what a wrong call gives. */
#include <math.h>
#include <stdio.h>
#include <tosajit/inspect.h>

#include "gelu.h"

enum { ROWS = 5, COLS = 37 };

int main(void) {
    static float x[ROWS][COLS], bias[1][COLS], result[ROWS][COLS];
    const int64_t dims[2] = {ROWS, COLS}, bias_dims[2] = {1, COLS}, wrong[2] = {1, COLS + 1};
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) x[r][c] = (float)(r - 2) + (float)c / 16;
    for (int c = 0; c < COLS; c++) bias[0][c] = (float)c / 64 - 1;

    if (gelu_gelu_bias(x[0], dims, bias[0], bias_dims, result[0], dims)) {
        printf("%s\n", tosajit_last_error());
        return 1;
    }
    double largest = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) {
            double y = (double)x[r][c] + (double)bias[0][c],
                   expected = y / 2 * (1 + erf(y / sqrt(2)));
            double error = fabs((double)result[r][c] - expected);
            if (error > largest) largest = error;
        }
    if (gelu_gelu_bias(x[0], dims, bias[0], wrong, result[0], dims) != TOSAJIT_SHAPE_MISMATCH)
        return 1;
    tosajit_kernel *kernel;
    if (tosajit_aot_kernel(&gelu_gelu_bias_aot, &kernel)) return 1;
    printf("gelu of %dx%d elements, native: %d, largest error %.2g\n", ROWS, COLS,
           tosajit_kernel_is_native(kernel), largest);
    /* Values up to 6, a few roundings of f32. */
    return !(largest < 1e-5 && tosajit_kernel_is_native(kernel));
}
