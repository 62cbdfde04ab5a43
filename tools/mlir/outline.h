/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outlining a function of MLIR. In: a func.func in a module. Out: the same function, in which each
 * region of elementwise ops is a call of a function of its own. */
#ifndef TOSAJIT_TOOLS_MLIR_OUTLINE_H
#define TOSAJIT_TOOLS_MLIR_OUTLINE_H

#include "tools/mlir/graph.h"
#include "tools/tosa/epilogue.h"

/* The names that ops of a block have as symbols. False if out of memory; in either case released
 * with pointer_map_release. */
bool mlir_outline_names(MlirBlock block, pointer_map *names);

/* As tosa_outline: regions become functions behind this function. Their names are new, and are
 * added to the list of names. mlir_build accepts each. False after a finding. */
bool mlir_outline(MlirOperation function, pointer_map *names, mlir_report *report,
                  tosajit_mlir_outlined *count, tosa_epilogues *epilogues);

#endif
