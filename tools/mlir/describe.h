/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What MLIR parsed and did not verify, in plain C. In: an operation; out: its description as one of
 * TOSA, without operands and result type, which take the function that it is in. And of a function
 * what tosajit_expr_print writes in attributes of ours. */
#ifndef TOSAJIT_TOOLS_MLIR_DESCRIBE_H
#define TOSAJIT_TOOLS_MLIR_DESCRIBE_H

#include <mlir-c/IR.h>

#include "tools/tosa/op.h"

/* Names have escapes, so that no two operations have the same. */
void mlir_describe(MlirOperation op, tosa_op *description);
/* Whether an operation is tosa.const_shape, which gives a constant shape. */
bool mlir_is_shape(MlirOperation op);

/* tosajit.accuracy = "fast" or "exact": false for anything else. */
bool mlir_describe_accuracy(MlirOperation function, tosajit_accuracy *accuracy);

/* tosajit.contract = [[dimension, smallest, largest, multiple], ...] of an argument: how many there
 * are, -1 for anything else; and each, false for anything but four numbers. */
intptr_t mlir_contract_count(MlirOperation function, intptr_t argument);
bool mlir_describe_contract(MlirOperation function, intptr_t argument, intptr_t index,
                            int32_t *dimension, tosajit_contract *contract);

#endif
