/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a graph to an expression. In: the graph of a function, or some of its operations; out: a
 * tosajit_expr, every op verified by the library. */
#ifndef TOSAJIT_TOOLS_TOSA_BUILD_H
#define TOSAJIT_TOOLS_TOSA_BUILD_H

#include "tools/tosa/graph.h"

/* A part of a graph: operations, each behind its operands, and the numbers of the values that come
 * from elsewhere and of the wanted values. */
typedef struct tosa_part {
    tosa_numbers ops, inputs, outputs; /* ops.at null: the first ops.count of the graph */
    tosajit_value *values; /* TOSA_UNDEFINED for each value, before and after; null: made for it */
} tosa_part;

enum { TOSA_UNDEFINED = -2 };

/* The whole graph with its inputs and outputs. False after an error has been reported; then built
 * holds nothing. options may be null. */
bool tosa_build(const tosa_graph *g, const tosajit_expr_options *options, tosa_report *report,
                tosa_function *built);
/* The same for a part. */
bool tosa_build_part(const tosa_graph *g, const tosa_part *part,
                     const tosajit_expr_options *options, tosa_report *report,
                     tosa_function *built);

#endif
