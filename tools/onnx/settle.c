/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/settle.h"

#include <string.h>

#include "tools/onnx/lowering/sizes.h"
#include "tools/onnx/lowering/views.h"
#include "tools/onnx/message.h"
#include "tools/onnx/unread.h"

static bool all_numbers(const onnx_value *v, int64_t *list) {
    for (int32_t k = 0; k < v->list_count; k++) {
        list[k] = v->list[k].number;
        if (v->list[k].of != ONNX_NUMBER) return false;
    }
    return true;
}

/* Of a Reshape, where 0 is the operand's own size. If nothing is known of a single size, it is the
 * rest that the other sizes leave. There is no rest if one of the sizes is 0. */
static bool reshape_list(const onnx_graph *g, const onnx_node *node, int64_t *list) {
    const Onnx__AttributeProto *zero = onnx_attribute(node->proto, "allowzero");
    const onnx_value *from = onnx_input(g, node, 0), *v = onnx_input(g, node, 1);
    int32_t open = 0;
    bool zeros = false, left = false;
    if (!onnx_is(node, "Reshape") || !from || (zero && zero->i != 0)) return false;
    for (int32_t d = 0; d < v->list_count; d++) {
        const bool number = v->list[d].of == ONNX_NUMBER,
                   same = d < from->type.rank &&
                          onnx_size_is(v->list[d], onnx_size_of(g, node->inputs[0], d));
        list[d] = number ? v->list[d].number : same ? 0 : -1;
        open += list[d] == -1;
        zeros = zeros || list[d] == 0;
        left = left || (!number && !same);
    }
    return open <= 1 && !(left && zeros);
}

/* A constant in place of an operand, if it is a list of which all is known. */
static Onnx__TensorProto *settled(const onnx_graph *g, const onnx_node *node, int32_t operand,
                                  const onnx_names *names, bool *memory) {
    const onnx_value *v = onnx_input(g, node, operand);
    int64_t list[TOSAJIT_MAX_RANK];
    if (!v || !v->list || v->type.element != ONNX__TENSOR_PROTO__DATA_TYPE__INT64) return NULL;
    if (!all_numbers(v, list) && (operand != 1 || !reshape_list(g, node, list))) return NULL;
    const onnx_type type = {v->type.element, v->type.rank, {v->list_count}};
    const char *name = arena_print(g->memory, "tosajit/value_%zu", names->values);
    Onnx__TensorProto *tensor = name ? message_tensor(g->memory, name, &type) : NULL;
    *memory = tensor != NULL;
    if (tensor) memcpy(tensor->int64_data, list, (size_t)v->list_count * sizeof *list);
    return tensor;
}

/* The message of a node, which is copied before it changes: another one may not. */
static Onnx__NodeProto *copy_node(arena *memory, const Onnx__NodeProto *from) {
    Onnx__NodeProto *node = arena_take(memory, sizeof *node);
    char **input = arena_array(memory, from->n_input + 1, sizeof *input);
    if (!node || !input) return NULL;
    *node = *from;
    memcpy(input, from->input, from->n_input * sizeof *input);
    node->input = input;
    return node;
}

typedef struct settling {
    const onnx_graph *g;
    onnx_names *names;
    Onnx__NodeProto **nodes;
    Onnx__TensorProto **constants;
    size_t constant_count;
} settling;

static bool settle_node(settling *s, int32_t at) {
    const onnx_node *node = &s->g->nodes[at];
    bool memory = true;
    s->nodes[at] = node->proto;
    for (int32_t k = 1; k < node->input_count && onnx_views_is_list(node, k); k++) {
        Onnx__TensorProto *constant = settled(s->g, node, k, s->names, &memory);
        if (!memory) return false;
        if (!constant) continue;
        if (s->nodes[at] == node->proto) s->nodes[at] = copy_node(s->g->memory, node->proto);
        if (!s->nodes[at]) return false;
        s->names->values++;
        s->nodes[at]->input[k] = constant->name;
        s->constants[s->constant_count++] = constant;
    }
    return true;
}

/* At most so many constants are new. */
static size_t list_count(const onnx_graph *g) {
    size_t count = 0;
    for (int32_t n = 0; n < g->node_count; n++)
        for (int32_t k = 1; k < g->nodes[n].input_count; k++)
            count += onnx_views_is_list(&g->nodes[n], k);
    return count;
}

bool onnx_settle(const onnx_graph *g, onnx_names *names, bool *any, onnx_error *error) {
    Onnx__GraphProto *proto = g->proto;
    const size_t old = proto->n_initializer, nodes = (size_t)g->node_count;
    settling s = {.g = g, .names = names, .constant_count = old};
    s.nodes = arena_array(g->memory, nodes + 1, sizeof *s.nodes);
    s.constants = arena_array(g->memory, old + list_count(g) + 1, sizeof *s.constants);
    if (!s.nodes || !s.constants) return onnx_refuse(error, "out of memory");
    if (old) memcpy(s.constants, proto->initializer, old * sizeof *s.constants);
    for (int32_t k = 0; k < g->node_count; k++)
        if (!settle_node(&s, k)) return onnx_refuse(error, "out of memory");
    *any = s.constant_count > old;
    if (!*any) return true;
    proto->node = s.nodes;
    proto->initializer = s.constants;
    proto->n_initializer = s.constant_count;
    return onnx_drop_unread(g, error);
}
