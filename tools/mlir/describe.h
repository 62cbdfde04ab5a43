/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An operation of MLIR as an operation of TOSA. In: what MLIR parsed and did not verify; out: its
 * description without operands and result type, which take the function that it is in. */
#ifndef TOSAJIT_TOOLS_MLIR_DESCRIBE_H
#define TOSAJIT_TOOLS_MLIR_DESCRIBE_H

#include <mlir-c/IR.h>

#include "tools/tosa/op.h"

/* Names have escapes, so that no two operations have the same. */
void mlir_describe(MlirOperation op, tosa_op *description);

#endif
