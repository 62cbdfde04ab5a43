/* Outlining: a function of TOSA operations is divided into what the library computes and the rest. In: a func.func in a module. Out: the
 * same function, in which each region of elementwise ops is a call of a function of its own. */
#ifndef TOSAJIT_TOOLS_MLIR_OUTLINE_H
#define TOSAJIT_TOOLS_MLIR_OUTLINE_H

#include <mlir-c/IR.h>

#include "tools/mlir/report.h"

typedef struct mlir_outline_count {
    int regions, inside, outside; /* regions, ops that went into them, ops that were left; constants and the return not counted */
} mlir_outline_count;

/* Regions become @NAME_region_0, ... behind the function, NAME being the function's, each of which mlir_build accepts. They are maximal: no
 * two that are connected could be one. Ops keep their meaning, not their order. False after a finding. */
bool mlir_outline(MlirOperation function, mlir_report *report, mlir_outline_count *count);

#endif
