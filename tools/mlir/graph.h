/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ops of a block, and what depends on what. In: a block of a function; out: its ops by number,
 * but for the last one, which follows all others. */
#ifndef TOSAJIT_TOOLS_MLIR_GRAPH_H
#define TOSAJIT_TOOLS_MLIR_GRAPH_H

#include <mlir-c/IR.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/mlir/pointer_map.h"

typedef struct graph {
    MlirOperation *ops;
    bool *in_order; /* may have effects, so that it stays behind others of this kind */
    int32_t count;
    pointer_map index;          /* from op to number */
    int32_t *producers, *first; /* of op k: producers[first[k]] to producers[first[k + 1] - 1] */
    int32_t *followers, *first_follower; /* who must stand behind op k, in the same way */
    int32_t early; /* an op that reads what it gives itself or a later one gives, or -1: text and
                      bytecode may say that */
} graph;

/* False if out of memory; in either case graph_release. */
bool graph_open(graph *g, MlirBlock block);
void graph_release(graph *g);

/* The number of an op, or -1. */
int32_t graph_find(const graph *g, MlirOperation op);
/* The number of the op that has this value as a result, or -1: another block's, or an argument. */
int32_t graph_producer(const graph *g, MlirValue value);
bool graph_is_called(MlirOperation op, const char *name);

#endif
