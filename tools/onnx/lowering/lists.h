/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of axes and sizes: attributes in older opsets, operands in later opsets. */
#ifndef TOSAJIT_TOOLS_ONNX_LOWERING_LISTS_H
#define TOSAJIT_TOOLS_ONNX_LOWERING_LISTS_H

#include "tools/onnx/model/graph.h"

/* Element k of a list. The list is an attribute, a constant operand, or computed from known sizes.
 * Beyond 2^62 it is that. */
bool onnx_list_at(const onnx_graph *g, const onnx_node *node, const char *name, int32_t operand,
                  size_t k, int64_t *value);
/* How many elements it has: 0 where there is no list, -1 where nothing is known of them. */
int64_t onnx_list_count(const onnx_graph *g, const onnx_node *node, const char *name,
                        int32_t operand);
/* Where a slice begins or ends along a size. */
int64_t onnx_bound(int64_t at, int64_t size);

#endif
