/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function that was read: the expression, and the steps that made it, so that each step can be
 * run alone. */
#ifndef TOSAJIT_TOOLS_TOSA_FUNCTION_H
#define TOSAJIT_TOOLS_TOSA_FUNCTION_H

#include <stddef.h>

#include "tosajit/tosajit.h"

/* One value of the expression: an op on earlier values, or a constant. */
typedef struct tosa_step {
    tosajit_value value;
    tosajit_op op; /* TOSAJIT_OP_COUNT: a constant */
    size_t operand_count;
    tosajit_value operands[TOSAJIT_MAX_OPERANDS]; /* parameters behind the data */
    tosajit_attributes attributes;
    tosajit_tensor_type type; /* declared */
    void *data;               /* of a constant; owned by the function */
    int64_t *numbers;         /* of a view, or null; owned by the function */
    int32_t number;           /* of the operation that it was made from, in its block */
} tosa_step;

typedef struct tosa_function {
    tosajit_expr *expr;
    tosa_step *steps;
    size_t step_count, step_capacity;
    size_t input_count, result_count;
    tosajit_value inputs[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
} tosa_function;

/* The next input, and the next result: as tosajit_expr_input and tosajit_expr_result. */
tosajit_status tosa_function_input(tosa_function *function, const tosajit_tensor_type *type,
                                   tosajit_value *value);
tosajit_status tosa_function_result(tosa_function *function, tosajit_value value);
/* Add the step, whose value the expression has. OUT_OF_MEMORY. */
tosajit_status tosa_function_append(tosa_function *function, const tosa_step *step);
void tosa_function_release(tosa_function *function);

/* The library's last error without the number of the value in front ("%3 = tosa.add: ..."): the
 * place says which op it is. */
const char *tosa_bare_error(void);

#endif
