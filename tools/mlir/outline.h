/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outlining: a function of TOSA operations is divided into what the library computes and the rest.
 * In: a func.func in a module. Out: the same function, in which each region of elementwise ops is a
 * call of a function of its own. */
#ifndef TOSAJIT_TOOLS_MLIR_OUTLINE_H
#define TOSAJIT_TOOLS_MLIR_OUTLINE_H

#include <mlir-c/IR.h>

#include "tools/mlir/pointer_map.h"
#include "tools/mlir/report.h"
#include "tools/tosa/epilogue.h"
#include "tosajit/mlir.h"

/* The names that ops of a block have as symbols. False if out of memory; in either case released
 * with pointer_map_release. */
bool mlir_outline_names(MlirBlock block, pointer_map *names);

/* Regions become @NAME_region_0, ... behind the function, NAME being the function's and the number
 * one that is not among the names, which are added to. mlir_build accepts each. They are maximal:
 * no two that are connected could be one. Ops keep their meaning, not their order. Epilogues are
 * added to their list, which may be null. False after a finding. */
bool mlir_outline(MlirOperation function, pointer_map *names, mlir_report *report,
                  tosajit_mlir_outlined *count, tosa_epilogues *epilogues);

#endif
