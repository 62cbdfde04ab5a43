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
/* True if it takes the dimensions away that it reduces. */
bool onnx_rows_squeezes(const onnx_node *node);
/* An operand that lists axes: it is no data, and no operand of a text. */
bool onnx_rows_is_list(const onnx_node *node, int32_t operand);

#endif
