/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function of MLIR as a graph. In: its block; out: operations and values by number. Values are
 * the block's arguments, then what operations give, in order. */
#ifndef TOSAJIT_TOOLS_MLIR_GRAPH_H
#define TOSAJIT_TOOLS_MLIR_GRAPH_H

#include "tools/mlir/pointer_map.h"
#include "tools/mlir/report.h"
#include "tools/tosa/graph.h"

typedef struct mlir_graph {
    tosa_graph graph; /* its source is this */
    mlir_report *report;
    MlirOperation function;
    MlirOperation *ops; /* per operation, then the last one of the block, which may be null */
    MlirValue *values;  /* per value */
    bool numbered;      /* of names.c: the file has no names, or not all of them */
    pointer_map index;  /* from values to numbers */
} mlir_graph;

/* The last operation is not among the graph's if it ends the block: its operands are the outputs.
 * False if out of memory; in either case mlir_graph_release. g stays where it is. */
bool mlir_graph_open(mlir_graph *g, MlirOperation function, mlir_report *report,
                     const tosa_reader *reader);
void mlir_graph_release(mlir_graph *g);

/* The first block of a function. */
MlirBlock mlir_block_of(MlirOperation function);
bool mlir_is_called(MlirOperation op, const char *name);
/* True if an operation is tosa.const_shape, which gives a constant shape. */
bool mlir_is_shape(MlirOperation op);

#endif
