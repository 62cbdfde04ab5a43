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

/* True if somebody has read what a node gives, and nobody does. */
static bool is_idle(const onnx_graph *before, const onnx_graph *now, const onnx_node *node) {
    bool any = false;
    for (int32_t k = 0; k < node->output_count; k++) {
        if (node->outputs[k] < 0) continue;
        if (now->values[node->outputs[k]].uses > 0) return false;
        any = any || is_unread(before, now, now->values[node->outputs[k]].name);
    }
    return any;
}

bool onnx_drop_unread(const onnx_graph *before, onnx_error *error) {
    Onnx__GraphProto *proto = before->proto;
    onnx_graph now;
    size_t kept = 0;
    if (!onnx_graph_open(&now, proto, before->outer, before->opset, before->memory, error))
        return false;
    for (int32_t n = now.node_count; n-- > 0;) {
        onnx_node *node = &now.nodes[n];
        node->gone = is_idle(before, &now, node);
        for (int32_t k = 0; k < node->read_count && node->gone; k++)
            now.values[node->reads[k]].uses--;
    }
    for (size_t k = 0; k < proto->n_node; k++)
        if (!now.nodes[k].gone) proto->node[kept++] = proto->node[k];
    proto->n_node = kept;
    kept = 0;
    for (size_t k = 0; k < proto->n_initializer; k++)
        if (!is_unread(before, &now, proto->initializer[k]->name))
            proto->initializer[kept++] = proto->initializer[k];
    proto->n_initializer = kept;
    return true;
}
