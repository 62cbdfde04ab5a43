/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reader of MLIR, of what was parsed and not verified. In: a function's graph; out: what
 * tools/tosa asks of an operation, in plain C; and of a function what tosajit_expr_print writes in
 * attributes of ours. */
#ifndef TOSAJIT_TOOLS_MLIR_DESCRIBE_H
#define TOSAJIT_TOOLS_MLIR_DESCRIBE_H

#include <mlir-c/IR.h>

#include "tools/tosa/graph.h"
#include "tosajit/graph.h"

extern const tosa_reader mlir_reader;

/* tosajit.accuracy = "exact", "reproducible" or "contracted", where it is more than was asked for;
 * false for anything else. */
bool mlir_describe_accuracy(MlirOperation function, tosajit_accuracy *accuracy);

/* tosajit.contract = [[dimension, smallest, largest, multiple], ...] of an argument: how many there
 * are, -1 for anything else; and each, false for anything but four numbers. */
intptr_t mlir_contract_count(MlirOperation function, intptr_t argument);
bool mlir_describe_contract(MlirOperation function, intptr_t argument, intptr_t index,
                            int32_t *dimension, tosajit_contract *contract);

#endif
