/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constants that stand in the texts of regions alone, and nodes that computed sizes which are
 * known: nothing reads them in the graph any more. */
#ifndef TOSAJIT_TOOLS_ONNX_UNREAD_H
#define TOSAJIT_TOOLS_ONNX_UNREAD_H

#include "tools/onnx/model/graph.h"

/* Take initialisers and nodes out of a graph that was rewritten, where a node has read what they
 * give before and nothing does now. The engine warns of each, whenever it loads the model. False
 * after an error. */
bool onnx_drop_unread(const onnx_graph *before, onnx_error *error);

#endif
