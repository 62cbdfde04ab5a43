/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bounds of slices and sizes of reshapes that the model computes, though they are known before a
 * call: half of a static size, or two sizes of the operand beside two numbers. In: a graph with its
 * types; out: its messages with constants in their place, and without the nodes that computed them.
 * Then more views can be in regions, and nobody reads a value for its sizes alone. */
#ifndef TOSAJIT_TOOLS_ONNX_SETTLE_H
#define TOSAJIT_TOOLS_ONNX_SETTLE_H

#include "tools/onnx/rewrite.h"

/* The graph is the one before; `any`: the messages differ, so it must be opened again. False after
 * an error. */
bool onnx_settle(const onnx_graph *g, onnx_names *names, bool *any, onnx_error *error);

#endif
