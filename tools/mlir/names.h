/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of values. MLIR's parser forgets them, and the library numbers values in its own way. In: a
 * text of the library about a function; out: the same with the file's names, or else with the names
 * that MLIR prints. */
#ifndef TOSAJIT_TOOLS_MLIR_NAMES_H
#define TOSAJIT_TOOLS_MLIR_NAMES_H

#include <mlir-c/IR.h>

#include "tools/mlir/report.h"
#include "tools/tosa/function.h"

/* Replace "%arg1" and "%7 = tosa.add" in text, which the library wrote about `built`, made of
 * `function`. To be freed; null if out of memory. */
char *mlir_rename(const mlir_report *source, MlirOperation function, const tosa_function *built,
                  const char *text);

#endif
