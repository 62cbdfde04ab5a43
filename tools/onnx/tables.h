/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of quantized data, element by element. In: a graph with types; out: the same graph. A
 * group of nodes that maps one tensor of 8 bits to 8 bits is one look-up there. */
#ifndef TOSAJIT_TOOLS_ONNX_TABLES_H
#define TOSAJIT_TOOLS_ONNX_TABLES_H

#include "tools/onnx/lowering/region.h"

/* Nodes get new operands, and others are gone; messages stay as they are. The engine interprets.
 * False if out of memory. */
bool onnx_tables(onnx_graph *g, tosajit_engine *engine);

#endif
