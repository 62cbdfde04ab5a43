/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operators of ONNX that combine the elements of whole rows: reductions, softmax, normalisations.
 * In: a node; out: its text, in the notation of forms.c. */
#ifndef TOSAJIT_TOOLS_ONNX_LOWERING_ROWS_H
#define TOSAJIT_TOOLS_ONNX_LOWERING_ROWS_H

#include "tools/onnx/lowering/forms.h"

enum { ONNX_ROWS_TEXT = 320 };

/* False: s->why says why there is no text. */
bool onnx_rows_text(onnx_site *s, char text[ONNX_ROWS_TEXT]);
/* Along what a node reduces. */
typedef struct onnx_axes {
    bool has[TOSAJIT_MAX_RANK];
    int32_t count, rank;
} onnx_axes;

/* False: it reduces nothing, or nobody knows along what. */
bool onnx_rows_axes(const onnx_graph *g, const onnx_node *node, onnx_axes *axes);
/* Along what a node reduces where images [N, C, H, W] are in blocks [N, C / block, H, W, block]. */
typedef enum onnx_block_axes {
    ONNX_NO_AXES,  /* there it cannot be said */
    ONNX_PIXELS,   /* H and W, which are the same dimensions in blocks */
    ONNX_CHANNELS, /* the blocks, and the channels of each */
} onnx_block_axes;
onnx_block_axes onnx_rows_block_axes(const onnx_graph *g, const onnx_node *node);
/* True if it takes the dimensions away that it reduces. */
bool onnx_rows_squeezes(const onnx_node *node);
/* An operand that lists axes: it is no data, and no operand of a text. */
bool onnx_rows_is_list(const onnx_node *node, int32_t operand);

#endif
