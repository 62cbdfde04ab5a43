/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which nodes of a graph become which regions. In: a graph with types; out: regions as texts, and
 * for every node that stays the reason. */
#ifndef TOSAJIT_TOOLS_ONNX_CHOOSE_H
#define TOSAJIT_TOOLS_ONNX_CHOOSE_H

#include "tools/onnx/convert.h"
#include "tools/onnx/cost.h"

typedef struct onnx_choice {
    onnx_region region; /* nodes, inputs and outputs are the arena's */
    onnx_cost cost;
    const char *text; /* the expression */
} onnx_choice;

typedef struct onnx_choices {
    onnx_choice *list;
    int32_t count;
    int32_t *owners;  /* per node: the choice that has it, or -1 */
    bool *again;      /* per node: it stays, too, because it is cheaper than its wider result */
    const char **why; /* per node: why it stays; null: it is in a choice, or not elementwise */
} onnx_choices;

/* False if out of memory. */
bool onnx_choose(const onnx_graph *g, const onnx_options *options, tosajit_engine *engine,
                 arena *memory, onnx_choices *choices);

#endif
