/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names become numbers once. A node reads, too, the values of this graph that a graph within the
 * node reads. */
#include "tools/onnx/model/graph.h"

#include <limits.h>
#include <string.h>

#include "runtime/base/bytes.h"

/* ---------------------------------------------------------------------------------------------
 * Values by name */

static int32_t *slot_of(const onnx_graph *g, const char *name) {
    size_t at = (size_t)bytes_hash(name, strlen(name)) & (g->slot_count - 1);
    while (g->slots[at] && strcmp(g->values[g->slots[at] - 1].name, name) != 0)
        at = (at + 1) & (g->slot_count - 1);
    return &g->slots[at];
}

int32_t onnx_graph_find(const onnx_graph *g, const char *name) { return *slot_of(g, name) - 1; }

/* The value of a name, which may be new. */
static int32_t value_of(onnx_graph *g, const char *name) {
    int32_t *slot = slot_of(g, name);
    if (*slot == 0) {
        g->values[g->value_count] =
            (onnx_value){.name = name, .type = {.rank = -1}, .producer = -1, .declared = -1};
        *slot = ++g->value_count;
    }
    return *slot - 1;
}

/* ---------------------------------------------------------------------------------------------
 * Graphs within nodes */

typedef void visit(void *context, const char *name);

static void visit_names(const Onnx__GraphProto *graph, visit *each, void *context);

static void visit_node(const Onnx__NodeProto *node, visit *each, void *context) {
    for (size_t a = 0; a < node->n_attribute; a++) {
        const Onnx__AttributeProto *attribute = node->attribute[a];
        if (attribute->g) visit_names(attribute->g, each, context);
        for (size_t k = 0; k < attribute->n_graphs; k++)
            visit_names(attribute->graphs[k], each, context);
    }
}

/* Every name that a graph reads; names of its own values are among them. */
static void visit_names(const Onnx__GraphProto *graph, visit *each, void *context) {
    for (size_t n = 0; n < graph->n_node; n++) {
        for (size_t k = 0; k < graph->node[n]->n_input; k++)
            each(context, onnx_text(graph->node[n]->input[k]));
        visit_node(graph->node[n], each, context);
    }
    for (size_t k = 0; k < graph->n_output; k++) each(context, onnx_text(graph->output[k]->name));
}

static void count_name(void *context, const char *name) {
    (void)name;
    ++*(size_t *)context;
}

typedef struct reading {
    const onnx_graph *g;
    onnx_node *node;
} reading;

static void add_read(void *context, const char *name) {
    reading *r = context;
    int32_t value = onnx_graph_find(r->g, name);
    if (*name && value >= 0) r->node->reads[r->node->read_count++] = value;
}

/* ---------------------------------------------------------------------------------------------
 * Types and constants that are declared */

static onnx_type declared_type(const Onnx__ValueInfoProto *info) {
    onnx_type type = {.rank = -1};
    if (!info->type || info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) return type;
    const Onnx__TypeProto__Tensor *tensor = info->type->tensor_type;
    type.element = tensor->has_elem_type ? tensor->elem_type : 0;
    if (!tensor->shape || tensor->shape->n_dim > TOSAJIT_MAX_RANK) return type;
    type.rank = (int32_t)tensor->shape->n_dim;
    for (int32_t d = 0; d < type.rank; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = tensor->shape->dim[d];
        bool sized = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
                     dim->dim_value >= 0;
        type.dims[d] = sized ? dim->dim_value : TOSAJIT_DYNAMIC;
    }
    return type;
}

static void declare(onnx_graph *g, Onnx__ValueInfoProto **infos, size_t count) {
    for (size_t k = 0; k < count; k++) {
        int32_t value = onnx_graph_find(g, onnx_text(infos[k]->name));
        if (value < 0) continue;
        g->values[value].type = declared_type(infos[k]);
        if (infos == g->proto->value_info) g->values[value].declared = (int32_t)k;
    }
}

/* Initialisers, and nodes of operator Constant. For an input an initialiser is but a default: a
 * call may give other elements, and other sizes where these are not declared. */
static void declare_constants(onnx_graph *g) {
    for (size_t k = 0; k < g->proto->n_initializer; k++) {
        Onnx__TensorProto *tensor = g->proto->initializer[k];
        onnx_value *value = &g->values[value_of(g, onnx_text(tensor->name))];
        if (value->argument) continue;
        value->type = onnx_constant_type(tensor);
        value->constant = tensor;
    }
    for (int32_t k = 0; k < g->node_count; k++) {
        const onnx_node *node = &g->nodes[k];
        const Onnx__AttributeProto *tensor = onnx_attribute(node->proto, "value");
        if (!onnx_is(node, "Constant") || !tensor || !tensor->t || node->output_count != 1)
            continue;
        onnx_value *value = &g->values[node->outputs[0]];
        value->constant = tensor->t;
        value->type = onnx_constant_type(tensor->t);
    }
}

/* The facts about a name that this graph does not give, from a graph around it. */
static void take_over(onnx_graph *g) {
    for (int32_t k = 0; k < g->value_count; k++) {
        onnx_value *value = &g->values[k];
        bool own = value->producer >= 0 || value->argument || value->constant;
        for (const onnx_graph *o = g->outer; o && !own; o = o->outer) {
            int32_t found = onnx_graph_find(o, value->name);
            if (found < 0) continue;
            value->type = o->values[found].type;
            value->constant = o->values[found].constant;
            own = true;
        }
    }
}

/* ---------------------------------------------------------------------------------------------
 * The graph */

static size_t name_count(const Onnx__GraphProto *proto) {
    size_t count = proto->n_input + proto->n_output + proto->n_initializer;
    for (size_t k = 0; k < proto->n_node; k++)
        count += proto->node[k]->n_input + proto->node[k]->n_output;
    return count;
}

/* Constants that folding and tables may add: QuantizeLinear, QLinearMul and BatchNormalization have
 * some. */
static size_t constant_count(const Onnx__GraphProto *proto) {
    enum { LINEAR = 5, NORMALIZATION = 2 };
    size_t count = 0;
    for (size_t k = 0; k < proto->n_node; k++) {
        const char *op = onnx_text(proto->node[k]->op_type);
        count += strstr(op, "Linear") ? LINEAR : strstr(op, "Normalization") ? NORMALIZATION : 0;
    }
    return count;
}

static bool make_tables(onnx_graph *g, arena *memory) {
    size_t names = name_count(g->proto) + 1;
    size_t capacity = names + constant_count(g->proto);
    if (capacity > INT_MAX / 4) return false;
    for (g->slot_count = 16; g->slot_count < 2 * capacity;) g->slot_count *= 2;
    g->value_capacity = (int32_t)capacity;
    g->values = arena_array(memory, capacity, sizeof *g->values);
    g->slots = arena_array(memory, g->slot_count, sizeof *g->slots);
    g->nodes = arena_array(memory, g->proto->n_node + 1, sizeof *g->nodes);
    return g->values && g->slots && g->nodes;
}

static int32_t *values_of(onnx_graph *g, char **names, size_t count, arena *memory) {
    int32_t *list = arena_array(memory, count + 1, sizeof *list);
    for (size_t k = 0; list && k < count; k++)
        list[k] = onnx_text(names[k])[0] ? value_of(g, names[k]) : -1;
    return list;
}

static bool add_node(onnx_graph *g, Onnx__NodeProto *proto, arena *memory, onnx_error *error) {
    int32_t at = g->node_count++;
    onnx_node *node = &g->nodes[at];
    *node = (onnx_node){.proto = proto,
                        .inputs = values_of(g, proto->input, proto->n_input, memory),
                        .outputs = values_of(g, proto->output, proto->n_output, memory),
                        .input_count = (int32_t)proto->n_input,
                        .output_count = (int32_t)proto->n_output};
    if (!node->inputs || !node->outputs) return onnx_refuse(error, "out of memory");
    for (int32_t k = 0; k < node->output_count; k++) {
        if (node->outputs[k] < 0) continue;
        onnx_value *value = &g->values[node->outputs[k]];
        if (value->producer >= 0)
            return onnx_refuse(error, "node %d (%s) gives %s, and so does node %d (%s)", at,
                               onnx_node_name(node), value->name, value->producer,
                               onnx_node_name(&g->nodes[value->producer]));
        value->producer = at;
    }
    return true;
}

/* ONNX asks for an order in which a value is given before it is read. */
static bool check_order(const onnx_graph *g, int32_t at, onnx_error *error) {
    const onnx_node *node = &g->nodes[at];
    for (int32_t k = 0; k < node->read_count; k++) {
        const onnx_value *value = &g->values[node->reads[k]];
        if (value->producer >= at)
            return onnx_refuse(error, "node %d (%s) reads %s, which node %d (%s) gives later", at,
                               onnx_node_name(node), value->name, value->producer,
                               onnx_node_name(&g->nodes[value->producer]));
    }
    return true;
}

static bool add_reads(onnx_graph *g, onnx_node *node, arena *memory) {
    size_t within = 0;
    visit_node(node->proto, count_name, &within);
    node->reads = arena_array(memory, (size_t)node->input_count + within + 1, sizeof *node->reads);
    if (!node->reads) return false;
    for (int32_t k = 0; k < node->input_count; k++)
        if (node->inputs[k] >= 0) node->reads[node->read_count++] = node->inputs[k];
    visit_node(node->proto, add_read, &(reading){g, node});
    for (int32_t k = 0; k < node->read_count; k++) g->values[node->reads[k]].uses++;
    return true;
}

bool onnx_graph_open(onnx_graph *g, Onnx__GraphProto *proto, const onnx_graph *outer, int64_t opset,
                     arena *memory, onnx_error *error) {
    *g = (onnx_graph){.proto = proto, .outer = outer, .memory = memory, .opset = opset};
    if (!make_tables(g, memory)) return onnx_refuse(error, "out of memory");
    for (size_t k = 0; k < proto->n_input; k++)
        g->values[value_of(g, onnx_text(proto->input[k]->name))].argument = true;
    for (size_t k = 0; k < proto->n_node; k++)
        if (!add_node(g, proto->node[k], memory, error)) return false;
    for (size_t k = 0; k < proto->n_output; k++) {
        onnx_value *value = &g->values[value_of(g, onnx_text(proto->output[k]->name))];
        value->uses += !value->result;
        value->result = true;
    }
    declare(g, proto->input, proto->n_input);
    declare(g, proto->output, proto->n_output);
    declare(g, proto->value_info, proto->n_value_info);
    declare_constants(g);
    take_over(g);
    for (int32_t k = 0; k < g->node_count; k++) {
        if (!add_reads(g, &g->nodes[k], memory)) return onnx_refuse(error, "out of memory");
        if (!check_order(g, k, error)) return false;
    }
    return true;
}

int32_t onnx_graph_constant(onnx_graph *g, Onnx__TensorProto *tensor) {
    g->values[g->value_count] = (onnx_value){.name = tensor->name,
                                             .type = onnx_constant_type(tensor),
                                             .producer = -1,
                                             .constant = tensor,
                                             .fresh = tensor,
                                             .declared = -1};
    return g->value_count++;
}

const onnx_value *onnx_input(const onnx_graph *g, const onnx_node *node, int32_t k) {
    return k < node->input_count && node->inputs[k] >= 0 ? &g->values[node->inputs[k]] : NULL;
}

bool onnx_is(const onnx_node *node, const char *op) {
    const char *domain = onnx_text(node->proto->domain), *dot = strrchr(op, '.');
    size_t length = dot ? (size_t)(dot - op) : 0;
    if (strcmp(onnx_text(node->proto->op_type), dot ? dot + 1 : op) != 0) return false;
    if (!dot) return !*domain || strcmp(domain, "ai.onnx") == 0;
    return strlen(domain) == length && memcmp(domain, op, length) == 0;
}

const char *onnx_node_name(const onnx_node *node) {
    const char *name = onnx_text(node->proto->name);
    return *name ? name : onnx_text(node->proto->op_type);
}
