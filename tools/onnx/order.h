/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which order nodes and regions stand. In: a graph and its regions; out: an order in which every
 * value is given before it is read. */
#ifndef TOSAJIT_TOOLS_ONNX_ORDER_H
#define TOSAJIT_TOOLS_ONNX_ORDER_H

#include "tools/onnx/share.h"

typedef struct onnx_order {
    int32_t *list, count; /* a node is number k, region r is number node_count + r */
} onnx_order;

/* False if out of memory. */
bool onnx_order_make(onnx_order *o, const onnx_graph *g, const onnx_choices *choices);

#endif
