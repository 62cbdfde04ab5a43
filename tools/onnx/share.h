/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions that differ in nothing but constants. In: the regions of a graph; out: the same with one
 * text for all that are alike, in which these constants are operands. */
#ifndef TOSAJIT_TOOLS_ONNX_SHARE_H
#define TOSAJIT_TOOLS_ONNX_SHARE_H

#include "tools/onnx/cost.h"

typedef struct onnx_choice {
    onnx_region region; /* nodes, inputs and outputs are the arena's */
    onnx_cost cost;
    const char *text; /* the expression */
    char *image;      /* the constant with its code; null: none */
} onnx_choice;

typedef struct onnx_choices {
    onnx_choice *list;
    int32_t count;
    int32_t *owners;  /* per node: the choice that has it, or -1 */
    bool *again;      /* per node: it stays, too, because it is cheaper than its wider result */
    const char **why; /* per node: why it stays; null: it is in a choice, or not elementwise */
} onnx_choices;

/* False if out of memory. */
bool onnx_share(const onnx_writer *w, onnx_choices *all);

#endif
