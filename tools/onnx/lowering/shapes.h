/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types of the values of a graph. In: those that the model declares; out: those that follow
 * from the operators, as far as it matters for what is elementwise: often the rank alone. */
#ifndef TOSAJIT_TOOLS_ONNX_LOWERING_SHAPES_H
#define TOSAJIT_TOOLS_ONNX_LOWERING_SHAPES_H

#include "tools/onnx/model/graph.h"

/* A declared type counts before an inferred one; its unknown sizes are filled in. */
void onnx_shapes_infer(onnx_graph *g);

#endif
