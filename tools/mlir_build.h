/* From a function to an expression. In: a func.func of TOSA elementwise ops; out: a tosajit_expr with the same inputs and
 * results, every op verified by the library. */
#ifndef TOSAJIT_TOOLS_MLIR_BUILD_H
#define TOSAJIT_TOOLS_MLIR_BUILD_H

#include <mlir-c/IR.h>

#include "tools/mlir_function.h"
#include "tools/mlir_report.h"

/* False after a finding has been reported; then built holds nothing. */
bool mlir_build(MlirOperation function, int strict, const mlir_report *report, mlir_function *built);

#endif
