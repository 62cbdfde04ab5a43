/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a graph as it was, and its messages as they are. Out: the messages without some. */
#include "tools/onnx/unread.h"

static int32_t uses_of(const onnx_graph *g, const char *name) {
    const int32_t value = onnx_graph_find(g, onnx_text(name));
    return value < 0 || g->values[value].argument ? -1 : g->values[value].uses;
}

static bool is_unread(const onnx_graph *before, const onnx_graph *now, const char *name) {
    return uses_of(before, name) > 0 && uses_of(now, name) == 0;
}

bool onnx_drop_unread(const onnx_graph *before, onnx_error *error) {
    Onnx__GraphProto *proto = before->proto;
    onnx_graph now;
    size_t kept = 0;
    if (!onnx_graph_open(&now, proto, before->outer, before->opset, before->memory, error))
        return false;
    for (size_t k = 0; k < proto->n_initializer; k++)
        if (!is_unread(before, &now, proto->initializer[k]->name))
            proto->initializer[kept++] = proto->initializer[k];
    proto->n_initializer = kept;
    kept = 0;
    for (size_t k = 0; k < proto->n_node; k++) {
        const onnx_node *node = &now.nodes[k];
        const bool constant = onnx_is(node, "Constant") && node->output_count == 1;
        if (!constant || !is_unread(before, &now, node->proto->output[0]))
            proto->node[kept++] = proto->node[k];
    }
    proto->n_node = kept;
    return true;
}
