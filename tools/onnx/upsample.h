/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Resize by whole factors, in which each pixel is written several times. The engine has it on
 * blocks of channels as `Upsample`. In: a node; out: its factors, and the node on blocks. */
#ifndef TOSAJIT_TOOLS_ONNX_UPSAMPLE_H
#define TOSAJIT_TOOLS_ONNX_UPSAMPLE_H

#include "tools/onnx/model/graph.h"

enum { ONNX_UPSAMPLE_RANK = 4 }; /* of images */

/* True if a node is such a Resize of an image, whatever its element. If so, its factors: 1, 1, then
 * those of height and width. */
bool onnx_upsample_read(const onnx_graph *g, const onnx_node *node,
                        int64_t factors[ONNX_UPSAMPLE_RANK]);

/* The node on blocks, without names. Null if out of memory. */
Onnx__NodeProto *onnx_upsample_node(arena *memory, const int64_t factors[ONNX_UPSAMPLE_RANK]);

#endif
