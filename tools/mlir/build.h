/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a function to an expression. In: a func.func of TOSA elementwise ops; out: a tosajit_expr
 * with the same inputs and results, every op verified by the library. */
#ifndef TOSAJIT_TOOLS_MLIR_BUILD_H
#define TOSAJIT_TOOLS_MLIR_BUILD_H

#include <mlir-c/IR.h>

#include "tools/tosa/function.h"
#include "tools/mlir/report.h"

/* False after an error has been reported; then built holds nothing. options may be null. */
bool mlir_build(MlirOperation function, const tosajit_expr_options *options, mlir_report *report,
                tosa_function *built);

#endif
