/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A block of a file as a graph. In: operators that name tensors; out: tensors by number, who gives
 * them, and an order in which each operator stands behind what it reads. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_GRAPH_H
#define TOSAJIT_TOOLS_TOSAFILE_GRAPH_H

#include "tools/tosafile/flatbuffer.h"

typedef struct file_graph file_graph;

/* What a step of a function comes from. */
typedef struct file_place {
    const file_graph *graph;
    int32_t op;
} file_place;

struct file_graph {
    const uint8_t *bytes; /* the file's */
    size_t size;
    flat_block block;
    char *shown;              /* its name, fit to be shown; owned */
    struct name_entry *names; /* of tensors, then of shapes; sorted */
    int32_t *producers;       /* per tensor: the operator that gives it, or -1 */
    int32_t *order;           /* numbers of all operators */
    file_place *places;       /* per operator */
};

enum { GRAPH_PROBLEM = 512 };

/* False with the reason in problem, "out of memory" among others; in either case
 * file_graph_release. What bytes hold is sound, and stays. shown becomes the graph's. */
bool file_graph_open(file_graph *g, const uint8_t *bytes, size_t size, flat_block block,
                     char *shown, char problem[GRAPH_PROBLEM]);
void file_graph_release(file_graph *g);

/* The number of a tensor, which a shape has beyond the tensors' count; -1: there is neither. */
int32_t file_graph_find(const file_graph *g, flat_text name);
/* Whether a number is a tensor's: no shape's, and not -1. */
bool file_graph_is_tensor(const file_graph *g, int32_t value);
/* Whether a number is that of a variable, which outlives a run: operators read and write it in
 * their order, and none gives it. */
bool file_graph_is_variable(const file_graph *g, int32_t value);
/* Whether an operator reads or writes one. */
bool file_graph_uses_variable(const file_graph *g, const flat_operator *op);
/* Whether a number is that of a constant shape. */
bool file_graph_constant_shape(const file_graph *g, int32_t value, flat_shape *shape);
/* The operator that gives a value of this name, or -1. */
int32_t file_graph_producer(const file_graph *g, flat_text name);
flat_operator file_graph_operator(const file_graph *g, int32_t op);

#endif
