/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constants that only the texts of regions use, and nodes that only computed known sizes: nothing
 * reads them in the graph any more. */
#ifndef TOSAJIT_TOOLS_ONNX_UNREAD_H
#define TOSAJIT_TOOLS_ONNX_UNREAD_H

#include "tools/onnx/model/graph.h"

/* Take initialisers and nodes out of a rewritten graph if their values were read before and are
 * read no more. The engine warns of each, whenever it loads the model. False after an error. */
bool onnx_drop_unread(const onnx_graph *before, onnx_error *error);

#endif
