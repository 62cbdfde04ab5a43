/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of a function that was read. The expression bounds its inputs and results. */
#include "tools/tosa/function.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"

tosajit_status tosa_function_input(tosa_function *function, const tosajit_tensor_type *type,
                                   tosajit_value *value) {
    tosajit_status status = tosajit_expr_input(function->expr, type, value);
    if (!status) function->inputs[function->input_count++] = *value;
    return status;
}

tosajit_status tosa_function_result(tosa_function *function, tosajit_value value) {
    tosajit_status status = tosajit_expr_result(function->expr, value);
    if (!status) function->results[function->result_count++] = value;
    return status;
}

tosajit_status tosa_function_append(tosa_function *function, const tosa_step *step) {
    if (function->step_count == function->step_capacity) {
        size_t larger = function->step_capacity ? 2 * function->step_capacity : 16;
        tosa_step *steps = realloc(function->steps, larger * sizeof *steps);
        if (!steps) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory");
        function->steps = steps;
        function->step_capacity = larger;
    }
    function->steps[function->step_count++] = *step;
    return TOSAJIT_OK;
}

void tosa_function_release(tosa_function *function) {
    tosajit_expr_destroy(function->expr);
    for (size_t k = 0; k < function->step_count; k++) {
        free(function->steps[k].data);
        free(function->steps[k].numbers);
    }
    free(function->steps);
    memset(function, 0, sizeof *function);
}

const char *tosa_bare_error(void) {
    const char *message = tosajit_last_error();
    if (*message != '%') return message;
    const char *rest = message + 1;
    while (isdigit((unsigned char)*rest)) rest++;
    return strncmp(rest, " = ", 3) == 0 ? rest + 3 : message;
}
