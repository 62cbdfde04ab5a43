/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function that was read: the expression, and the steps it was made from, so that they can be run
 * one by one. */
#ifndef TOSAJIT_TOOLS_MLIR_FUNCTION_H
#define TOSAJIT_TOOLS_MLIR_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "tosajit/tosajit.h"

/* One value of the expression: an op on earlier values, or a constant. */
typedef struct mlir_step {
    tosajit_value value;
    tosajit_op op; /* TOSAJIT_OP_COUNT: a constant */
    size_t operand_count;
    tosajit_value operands[TOSAJIT_MAX_OPERANDS]; /* parameters behind the data */
    tosajit_attributes attributes;
    tosajit_tensor_type type; /* declared */
    void *data;               /* of a constant; owned by the function */
    void *origin;             /* the MLIR operation, owned by its file */
} mlir_step;

typedef struct mlir_function {
    tosajit_expr *expr;
    mlir_step *steps;
    size_t step_count, step_capacity;
    size_t input_count, result_count;
    tosajit_value inputs[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
} mlir_function;

/* Make room for one more step. False if out of memory. */
bool mlir_function_reserve(mlir_function *function);
void mlir_function_release(mlir_function *function);

#endif
