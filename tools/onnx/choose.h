/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of the nodes that become regions. In: a graph with types; out: regions as texts, and
 * for every node that stays the reason. */
#ifndef TOSAJIT_TOOLS_ONNX_CHOOSE_H
#define TOSAJIT_TOOLS_ONNX_CHOOSE_H

#include "tools/onnx/convert.h"
#include "tools/onnx/share.h"

/* False if out of memory. */
bool onnx_choose(const onnx_graph *g, const onnx_options *options, tosajit_engine *engine,
                 arena *memory, onnx_choices *choices);

#endif
