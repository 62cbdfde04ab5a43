/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions that differ in nothing but constants. In: the regions of a graph; out: the same regions.
 * Those that are alike have one text, with these constants as operands. */
#ifndef TOSAJIT_TOOLS_ONNX_SHARE_H
#define TOSAJIT_TOOLS_ONNX_SHARE_H

#include "tools/onnx/cost.h"

typedef struct onnx_choice {
    onnx_region region; /* nodes, inputs and outputs are the arena's */
    onnx_cost cost;
    const char *text; /* the expression */
    const char *why;  /* why it does not pay by itself; null: it does */
    size_t number;    /* in the model, once it is a node */
    char *image;      /* the constant with its code; null: none */
} onnx_choice;

/* Where channels are in blocks; see layout.h. */
typedef struct onnx_layout {
    int64_t block;     /* channels of a block; 0: there are no blocks, or their size is not known */
    int64_t divisor;   /* as many channels are whole blocks; 0: there are no blocks */
    int64_t *channels; /* per value: the model's own; 0: it is no image, or they are not known */
    int32_t *inputs;   /* per value: the ReorderInput that brings it into blocks, or -1 */
    bool *given;       /* per value: what gives it has it in blocks */
    bool *plain;       /* per value: somebody reads it as the model has it */
} onnx_layout;

typedef struct onnx_choices {
    onnx_choice *list;
    int32_t count;
    int32_t *owners;  /* per node: the choice that has it, or -1 */
    bool *again;      /* per node: it stays, too, because it is cheaper than its wider result */
    bool *gone;       /* per node: nobody needs it any more */
    const char **why; /* per node: why it stays; null: it is in a choice, or not elementwise */
    onnx_layout layout;
} onnx_choices;

/* False if out of memory. */
bool onnx_share(const onnx_writer *w, onnx_choices *all);

#endif
