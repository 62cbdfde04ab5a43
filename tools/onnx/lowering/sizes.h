/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sizes that a model computes. Exporters write bounds of slices and sizes of reshapes as arithmetic
 * on shapes, of which much is known before a call. In: a node whose operands' types and sizes are
 * known; out: the sizes that its results share with another value, and the elements of integer
 * lists. */
#ifndef TOSAJIT_TOOLS_ONNX_LOWERING_SIZES_H
#define TOSAJIT_TOOLS_ONNX_LOWERING_SIZES_H

#include "tools/onnx/model/graph.h"

/* Behind the types of what the node gives. Without memory less is known. */
void onnx_sizes_infer(onnx_graph *g, const onnx_node *node);

/* A size of a value: a number, or the size that it always equals; at least its own. */
onnx_size onnx_size_of(const onnx_graph *g, int32_t value, int32_t d);
/* Element k of an operand that lists integers. */
onnx_size onnx_size_at(const onnx_graph *g, const onnx_node *node, int32_t operand, size_t k);
/* True if both are the same size, which only a call knows. */
bool onnx_size_is(onnx_size a, onnx_size b);

#endif
