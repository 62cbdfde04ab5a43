/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/transpose.h"

/* The order that gives a value, where a Transpose gives it: size d was that of order[d]. */
static const Onnx__AttributeProto *order_of(const onnx_graph *g, int32_t value) {
    const onnx_value *v = &g->values[value];
    const onnx_node *node = v->producer < 0 ? NULL : &g->nodes[v->producer];
    if (!node || !onnx_is(node, "Transpose") || node->input_count != 1 || node->inputs[0] < 0)
        return NULL;
    const Onnx__AttributeProto *order = onnx_attribute(node->proto, "perm");
    bool named[TOSAJIT_MAX_RANK] = {false};
    if (!order || (int64_t)order->n_ints != v->type.rank) return NULL;
    for (size_t d = 0; d < order->n_ints; d++) {
        int64_t from = order->ints[d];
        if (from < 0 || from >= v->type.rank || named[from]) return NULL;
        named[from] = true;
    }
    return order;
}

static bool is_same(const Onnx__AttributeProto *a, const Onnx__AttributeProto *b) {
    if (a->n_ints != b->n_ints) return false;
    for (size_t d = 0; d < a->n_ints; d++) /* a scalar's order is a null pointer */
        if (a->ints[d] != b->ints[d]) return false;
    return true;
}

/* True if nobody but the region reads a value. */
static bool is_own(const onnx_graph *g, const onnx_choices *all, int32_t owner, int32_t value) {
    const onnx_region *r = &all->list[owner].region;
    int32_t uses = 0;
    for (int32_t k = 0; k < r->count; k++) {
        const onnx_node *node = &g->nodes[r->nodes[k]];
        if (all->again[r->nodes[k]]) return false;
        for (int32_t o = 0; o < node->read_count; o++) uses += node->reads[o] == value;
    }
    return uses == g->values[value].uses;
}

/* The order of all its operands but numbers, if there are more of them than results; else null. */
static const Onnx__AttributeProto *common_order(const onnx_graph *g, const onnx_choices *all,
                                                int32_t owner) {
    const onnx_region *r = &all->list[owner].region;
    const Onnx__AttributeProto *order = NULL;
    int32_t count = 0;
    if (r->view != ONNX_AS_DECLARED) return NULL;
    for (int32_t k = 0; k < r->input_count; k++) {
        const onnx_value *value = &g->values[r->inputs[k]];
        if (value->constant && onnx_elements(&value->type) == 1) continue;
        const Onnx__AttributeProto *own = order_of(g, r->inputs[k]);
        if (!own || (order && !is_same(order, own)) || !is_own(g, all, owner, r->inputs[k]))
            return NULL;
        order = own;
        count++;
    }
    for (int32_t k = 0; k < r->output_count && order; k++)
        if ((int64_t)order->n_ints != g->values[r->outputs[k]].type.rank) return NULL;
    return count > r->output_count ? order : NULL;
}

const char *onnx_transpose_source(const onnx_graph *g, int32_t value) {
    return g->nodes[g->values[value].producer].proto->input[0];
}

bool onnx_transpose_choose(const onnx_writer *w, onnx_choices *all) {
    for (int32_t k = 0; k < all->count; k++) {
        onnx_choice *choice = &all->list[k];
        onnx_region r = choice->region;
        bool enough = true;
        r.order = common_order(w->g, all, k);
        if (!r.order) continue;
        r.view = ONNX_TRANSPOSED;
        const char *text = onnx_region_text(w, &r, &enough);
        if (!enough) return false;
        if (!text) continue;
        choice->region = r;
        choice->text = text;
        for (int32_t i = 0; i < r.input_count; i++)
            if (!w->g->values[r.inputs[i]].constant)
                all->gone[w->g->values[r.inputs[i]].producer] = true;
    }
    return true;
}
