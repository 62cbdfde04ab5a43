/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operators of ONNX that move elements and compute nothing: slices, parts, transpositions, other
 * sizes, and one tensor behind the other. In a region they are other strides; what an index takes
 * is gathered. */
#ifndef TOSAJIT_TOOLS_ONNX_LOWERING_VIEWS_H
#define TOSAJIT_TOOLS_ONNX_LOWERING_VIEWS_H

#include "tools/onnx/lowering/forms.h"

/* Append the text. A Split is a statement for each part. False: s->why says why there is none. */
bool onnx_views_text(onnx_site *s, byte_writer *text);
/* An operand that lists axes, bounds or sizes: it is no data, and no operand of a text. */
bool onnx_views_is_list(const onnx_node *node, int32_t operand);
/* True if operand 1 is an index into operand 0. */
bool onnx_views_gathers(const onnx_node *node);
/* True if a node puts elements where operand 1 says, or combines them with what is there. */
bool onnx_views_scatters(const onnx_node *node);
/* Append the text of such a node. False: s->why says why there is none. */
bool onnx_scatter_text(onnx_site *s, byte_writer *text);
/* The shortest run of elements that a view moves together; -1: it is not known. */
int64_t onnx_views_run(const onnx_graph *g, const onnx_node *node);
/* True if a node transposes the last dimension, as far as is known. */
bool onnx_views_turns(const onnx_graph *g, const onnx_node *node);

/* Along one axis a slice takes every `step`th element of [begin, end). */
typedef struct onnx_range {
    int64_t begin, end, step;
} onnx_range;

/* The ranges of a Slice along all axes of its operand. False: s->why says what is not known. */
bool onnx_views_slice(onnx_site *s, onnx_range *ranges);
/* Where part k of a Split begins and ends. */
bool onnx_views_part(onnx_site *s, int32_t k, onnx_range *range);
/* An axis, which may count from the end; -1 where there is none of that number. */
int32_t onnx_views_axis(const onnx_node *node, int64_t otherwise, int32_t rank);

#endif
