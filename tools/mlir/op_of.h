/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which op of the library an operation of MLIR is. In: an operation; out: its row of the op table.
 */
#ifndef TOSAJIT_TOOLS_MLIR_OP_OF_H
#define TOSAJIT_TOOLS_MLIR_OP_OF_H

#include <mlir-c/IR.h>

#include "tosajit/tosajit.h"

/* By the name: tosa.add. Extensions of TOSA are written as TOSA wants it, for instance
 *
 *     tosa.custom %x {operator_name = "sqrt", domain_name = "tosajit", implementation_attrs = ""}
 *
 * TOSAJIT_OP_COUNT: no elementwise op. */
tosajit_op mlir_op_of(MlirOperation op);

#endif
