/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A module that was read, as the reader and the command see it; others have tosajit/mlir.h. In:
 * MLIR text or bytecode; out: the functions in it, each as an expression with the steps it was made
 * from. */
#ifndef TOSAJIT_TOOLS_MLIR_MODULE_H
#define TOSAJIT_TOOLS_MLIR_MODULE_H

#include <stdint.h>

#include "tools/tosa/epilogue.h"
#include "tools/tosa/file.h"
#include "tosajit/mlir.h"

/* The module as a file of any format; null for null. */
tosa_file *mlir_module_file(tosajit_mlir *module);
/* Divide functions first to end - 1, as tosajit_mlir_outline does, in time that is linear in all of
 * them together. counts has room for each. Epilogues are added to their list, which may be null. */
tosajit_status mlir_module_outline(tosajit_mlir *module, size_t first, size_t end,
                                   tosajit_mlir_outlined *counts, tosa_epilogues *epilogues);
/* A number that no other state of any module has: what was built from this one has its operations
 * while the number is the same. */
uint64_t mlir_module_state(const tosajit_mlir *module);

#endif
