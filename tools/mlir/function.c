/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a function that was read owns. */
#include "tools/mlir/function.h"

#include <stdlib.h>
#include <string.h>

bool mlir_function_reserve(mlir_function *function) {
    if (function->step_count < function->step_capacity) return true;
    size_t larger = function->step_capacity ? 2 * function->step_capacity : 16;
    mlir_step *steps = realloc(function->steps, larger * sizeof *steps);
    if (!steps) return false;
    function->steps = steps;
    function->step_capacity = larger;
    return true;
}

void mlir_function_release(mlir_function *function) {
    tosajit_expr_destroy(function->expr);
    for (size_t k = 0; k < function->step_count; k++) free(function->steps[k].data);
    free(function->steps);
    memset(function, 0, sizeof *function);
}
