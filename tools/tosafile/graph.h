/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A block of a file as a graph. In: operators that name tensors; out: both by number, in an order
 * in which each operator stands behind what it reads. Value k is tensor k, or a shape behind the
 * tensors. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_GRAPH_H
#define TOSAJIT_TOOLS_TOSAFILE_GRAPH_H

#include "tools/tosa/graph.h"
#include "tools/tosafile/flatbuffer.h"

typedef struct file_graph {
    tosa_graph graph;     /* its source is this */
    const uint8_t *bytes; /* the file's */
    size_t size;
    flat_block block;
    const char *shown; /* its name, fit to be shown */
    int32_t *order;    /* per operation of the graph: the operator's number */
} file_graph;

/* False with the reason in why, "out of memory" among others; in either case file_graph_release.
 * What bytes hold is sound, and stays, as shown and g do. */
bool file_graph_open(file_graph *g, const tosa_reader *reader, const uint8_t *bytes, size_t size,
                     flat_block block, const char *shown, char why[TOSA_WHY]);
void file_graph_release(file_graph *g);

/* The operator that an operation of the graph is. */
flat_operator file_graph_operator(const file_graph *g, int32_t op);
/* True if a value is a constant shape of as many numbers as it says. */
bool file_graph_constant_shape(const file_graph *g, int32_t value, flat_shape *shape);

#endif
