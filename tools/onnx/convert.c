/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A graph is divided, then its list of nodes is written anew: each region is one node, in an order
 * in which every value is given before it is read. Graphs within nodes are models of their own. */
#include "tools/onnx/convert.h"

#include <string.h>

#include "tools/onnx/choose.h"
#include "tools/onnx/forms/fold.h"
#include "tools/onnx/forms/shapes.h"

typedef struct converter {
    onnx_model *model;
    const onnx_options *options;
    onnx_report *report;
    onnx_error *error;
    tosajit_engine *engine;
    int64_t opset;
} converter;

static bool no_memory(const converter *c) {
    return onnx_refuse(c->error, "out of memory, of which a model of this size gets %zu bytes",
                       c->model->memory.limit);
}

/* ---------------------------------------------------------------------------------------------
 * A region as a node */

static Onnx__AttributeProto *text_attribute(arena *memory, char *name, const char *text) {
    Onnx__AttributeProto *a = arena_take(memory, sizeof *a);
    if (!a) return NULL;
    onnx__attribute_proto__init(a);
    a->name = name;
    a->has_type = 1;
    a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
    a->has_s = 1;
    a->s.len = strlen(text);
    a->s.data = (uint8_t *)arena_text(memory, text, a->s.len);
    return a->s.data ? a : NULL;
}

static char **names_of(const onnx_graph *g, const int32_t *values, int32_t count, arena *memory) {
    char **names = arena_array(memory, (size_t)count + 1, sizeof *names);
    for (int32_t k = 0; names && k < count; k++) names[k] = (char *)g->values[values[k]].name;
    return names;
}

static Onnx__NodeProto *region_node(const converter *c, const onnx_graph *g,
                                    const onnx_choice *choice) {
    static char expression[] = "expression", accuracy[] = "accuracy", domain[] = "tosajit",
                op_type[] = "Region";
    arena *memory = &c->model->memory;
    const onnx_region *r = &choice->region;
    Onnx__NodeProto *node = arena_take(memory, sizeof *node);
    Onnx__AttributeProto **attributes = arena_array(memory, 2, sizeof *attributes);
    if (!node || !attributes) return NULL;
    onnx__node_proto__init(node);
    node->domain = domain;
    node->op_type = op_type;
    node->name = arena_print(memory, "tosajit/region_%zu", c->report->taken_count);
    node->n_input = (size_t)r->input_count;
    node->n_output = (size_t)r->output_count;
    node->input = names_of(g, r->inputs, r->input_count, memory);
    node->output = names_of(g, r->outputs, r->output_count, memory);
    node->attribute = attributes;
    attributes[node->n_attribute++] = text_attribute(memory, expression, choice->text);
    if (c->options->fast)
        attributes[node->n_attribute++] = text_attribute(memory, accuracy, "fast");
    bool whole = node->name && node->input && node->output && attributes[0] &&
                 attributes[node->n_attribute - 1];
    return whole ? node : NULL;
}

/* ---------------------------------------------------------------------------------------------
 * The order of nodes: a node is number k, region r is number node_count + r. */

typedef struct schedule {
    const onnx_graph *g;
    const onnx_choices *choices;
    int32_t *stack, *next; /* next: per number, the operand to go to; -1: it is in the order */
    int32_t *order, count;
} schedule;

static int32_t operand_of(const schedule *s, int32_t number, int32_t k) {
    int32_t nodes = s->g->node_count;
    if (number < nodes)
        return k < s->g->nodes[number].read_count ? s->g->nodes[number].reads[k] : -1;
    const onnx_region *r = &s->choices->list[number - nodes].region;
    return k < r->input_count ? r->inputs[k] : -1;
}

/* Who gives a value: a node, or the region that it is in; -1: nobody. */
static int32_t giver(const schedule *s, int32_t value) {
    int32_t node = s->g->values[value].producer;
    if (node < 0 || s->choices->owners[node] < 0 || s->choices->again[node]) return node;
    return s->g->node_count + s->choices->owners[node];
}

/* What a number needs first, then itself. */
static void place(schedule *s, int32_t number) {
    int32_t depth = 0;
    if (s->next[number] < 0) return;
    s->stack[depth++] = number;
    while (depth > 0) {
        int32_t top = s->stack[depth - 1];
        int32_t value = s->next[top] < 0 ? -1 : operand_of(s, top, s->next[top]);
        if (value < 0) {
            if (s->next[top] >= 0) s->order[s->count++] = top;
            s->next[top] = -1;
            depth--;
            continue;
        }
        s->next[top]++;
        int32_t need = giver(s, value);
        /* Convex regions have no circles; a number is on the stack once. */
        if (need >= 0 && s->next[need] == 0) s->stack[depth++] = need;
    }
}

static bool make_order(const onnx_graph *g, const onnx_choices *choices, arena *memory,
                       schedule *s) {
    size_t numbers = (size_t)g->node_count + (size_t)choices->count + 1;
    *s = (schedule){g,
                    choices,
                    arena_array(memory, numbers, sizeof(int32_t)),
                    arena_array(memory, numbers, sizeof(int32_t)),
                    arena_array(memory, numbers, sizeof(int32_t)),
                    0};
    if (!s->stack || !s->next || !s->order) return false;
    for (int32_t k = 0; k < g->node_count; k++) {
        if (choices->owners[k] < 0 || choices->again[k]) place(s, k);
        if (choices->owners[k] >= 0) place(s, g->node_count + choices->owners[k]);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The graph */

/* Constants that folding made, and that a region reads. */
static bool add_constants(const converter *c, onnx_graph *g, const onnx_choices *choices) {
    size_t most = g->proto->n_initializer + (size_t)g->node_count * 2;
    Onnx__TensorProto **list = arena_array(&c->model->memory, most + 1, sizeof *list);
    if (!list) return false;
    if (g->proto->n_initializer)
        memcpy(list, g->proto->initializer, g->proto->n_initializer * sizeof *list);
    g->proto->initializer = list;
    for (int32_t k = 0; k < choices->count; k++) {
        const onnx_region *r = &choices->list[k].region;
        for (int32_t i = 0; i < r->input_count; i++) {
            onnx_value *value = &g->values[r->inputs[i]];
            if (value->fresh) list[g->proto->n_initializer++] = value->fresh;
            value->fresh = NULL;
        }
    }
    return true;
}

static Onnx__TensorShapeProto *make_shape(const onnx_type *type, arena *memory) {
    Onnx__TensorShapeProto *shape = arena_take(memory, sizeof *shape);
    if (!shape) return NULL;
    onnx__tensor_shape_proto__init(shape);
    shape->n_dim = (size_t)type->rank;
    shape->dim = arena_array(memory, shape->n_dim + 1, sizeof *shape->dim);
    for (size_t d = 0; shape->dim && d < shape->n_dim; d++) {
        Onnx__TensorShapeProto__Dimension *dim = arena_take(memory, sizeof *dim);
        if (!dim) return NULL;
        onnx__tensor_shape_proto__dimension__init(dim);
        if (type->dims[d] >= 0) {
            dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            dim->dim_value = type->dims[d];
        }
        shape->dim[d] = dim;
    }
    return shape->dim ? shape : NULL;
}

static Onnx__ValueInfoProto *make_info(const onnx_value *value, arena *memory) {
    Onnx__ValueInfoProto *info = arena_take(memory, sizeof *info);
    Onnx__TypeProto *type = arena_take(memory, sizeof *type);
    Onnx__TypeProto__Tensor *tensor = arena_take(memory, sizeof *tensor);
    if (!info || !type || !tensor) return NULL;
    onnx__value_info_proto__init(info);
    onnx__type_proto__init(type);
    onnx__type_proto__tensor__init(tensor);
    tensor->has_elem_type = 1;
    tensor->elem_type = value->type.element;
    tensor->shape = make_shape(&value->type, memory);
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    info->name = (char *)value->name;
    info->type = type;
    return tensor->shape ? info : NULL;
}

static bool is_declared(const Onnx__GraphProto *graph, const onnx_value *value) {
    for (size_t k = 0; k < graph->n_value_info; k++)
        if (strcmp(onnx_text(graph->value_info[k]->name), value->name) == 0) return true;
    return value->result;
}

/* The engine does not know what a region gives, so the model says it. */
static bool add_types(const converter *c, onnx_graph *g, const onnx_choices *choices) {
    arena *memory = &c->model->memory;
    const Onnx__GraphProto before = *g->proto;
    Onnx__ValueInfoProto **list =
        arena_array(memory, before.n_value_info + (size_t)g->node_count + 1, sizeof *list);
    if (!list) return false;
    if (before.n_value_info) memcpy(list, before.value_info, before.n_value_info * sizeof *list);
    g->proto->value_info = list;
    for (int32_t k = 0; k < choices->count; k++) {
        const onnx_region *r = &choices->list[k].region;
        for (int32_t o = 0; o < r->output_count; o++) {
            const onnx_value *value = &g->values[r->outputs[o]];
            if (is_declared(&before, value)) continue;
            Onnx__ValueInfoProto *info = make_info(value, memory);
            if (!info) return false;
            list[g->proto->n_value_info++] = info;
        }
    }
    return true;
}

static void report_region(const converter *c, const onnx_choice *choice, const char *name) {
    c->report->taken[c->report->taken_count++] = (onnx_taken){name,
                                                              choice->text,
                                                              choice->region.count,
                                                              choice->region.input_count,
                                                              choice->region.output_count,
                                                              choice->cost.saved};
    c->report->inside += (size_t)choice->region.count;
}

static void report_nodes(const converter *c, const onnx_graph *g, const onnx_choices *choices) {
    for (int32_t k = 0; k < g->node_count; k++) {
        const onnx_node *node = &g->nodes[k];
        const char *why = choices->why[k];
        if (why)
            c->report->left[c->report->left_count++] =
                (onnx_left){onnx_node_name(node), onnx_text(node->proto->op_type), why};
        c->report->other += !why && choices->owners[k] < 0;
    }
}

static bool rewrite(const converter *c, onnx_graph *g, const onnx_choices *choices) {
    schedule s;
    arena *memory = &c->model->memory;
    if (!make_order(g, choices, memory, &s) || !add_constants(c, g, choices) ||
        !add_types(c, g, choices))
        return false;
    Onnx__NodeProto **nodes = arena_array(memory, (size_t)s.count + 1, sizeof *nodes);
    if (!nodes) return false;
    for (int32_t k = 0; k < s.count; k++) {
        int32_t number = s.order[k];
        const onnx_choice *choice =
            number < g->node_count ? NULL : &choices->list[number - g->node_count];
        nodes[k] = choice ? region_node(c, g, choice) : g->nodes[number].proto;
        if (!nodes[k]) return false;
        if (choice) report_region(c, choice, nodes[k]->name);
    }
    g->proto->node = nodes;
    g->proto->n_node = (size_t)s.count;
    return true;
}

static bool convert_graph(const converter *c, Onnx__GraphProto *proto, const onnx_graph *outer);

static bool convert_within(const converter *c, const onnx_graph *g) {
    for (int32_t n = 0; n < g->node_count; n++) {
        const Onnx__NodeProto *node = g->nodes[n].proto;
        for (size_t a = 0; a < node->n_attribute; a++) {
            const Onnx__AttributeProto *attribute = node->attribute[a];
            if (attribute->g && !convert_graph(c, attribute->g, g)) return false;
            for (size_t k = 0; k < attribute->n_graphs; k++)
                if (!convert_graph(c, attribute->graphs[k], g)) return false;
        }
    }
    return true;
}

static bool convert_graph(const converter *c, Onnx__GraphProto *proto, const onnx_graph *outer) {
    onnx_graph g;
    onnx_choices choices;
    arena *memory = &c->model->memory;
    if (!onnx_graph_open(&g, proto, outer, c->opset, memory, c->error)) return false;
    onnx_shapes_infer(&g);
    if (!onnx_fold(&g, memory)) return no_memory(c);
    if (!onnx_choose(&g, c->options, c->engine, memory, &choices)) return no_memory(c);
    if (!convert_within(c, &g)) return false;
    report_nodes(c, &g, &choices);
    return (choices.count == 0 || rewrite(c, &g, &choices)) || no_memory(c);
}

/* ---------------------------------------------------------------------------------------------
 * The model */

static void count_nodes(const Onnx__GraphProto *graph, size_t *count) {
    *count += graph->n_node;
    for (size_t n = 0; n < graph->n_node; n++)
        for (size_t a = 0; a < graph->node[n]->n_attribute; a++) {
            const Onnx__AttributeProto *attribute = graph->node[n]->attribute[a];
            if (attribute->g) count_nodes(attribute->g, count);
            for (size_t k = 0; k < attribute->n_graphs; k++)
                count_nodes(attribute->graphs[k], count);
        }
}

static int64_t opset_of(const Onnx__ModelProto *model) {
    int64_t version = 1;
    for (size_t k = 0; k < model->n_opset_import; k++) {
        const char *domain = onnx_text(model->opset_import[k]->domain);
        if (!*domain || strcmp(domain, "ai.onnx") == 0) version = model->opset_import[k]->version;
    }
    return version;
}

/* The domain of regions, unless the model has it already. */
static bool import_domain(onnx_model *model) {
    static char domain[] = "tosajit";
    Onnx__ModelProto *proto = model->proto;
    for (size_t k = 0; k < proto->n_opset_import; k++)
        if (strcmp(onnx_text(proto->opset_import[k]->domain), domain) == 0) return true;
    Onnx__OperatorSetIdProto **list =
        arena_array(&model->memory, proto->n_opset_import + 1, sizeof *list);
    Onnx__OperatorSetIdProto *own = arena_take(&model->memory, sizeof *own);
    if (!list || !own) return false;
    if (proto->n_opset_import)
        memcpy(list, proto->opset_import, proto->n_opset_import * sizeof *list);
    onnx__operator_set_id_proto__init(own);
    own->domain = domain;
    own->has_version = 1;
    own->version = 1;
    list[proto->n_opset_import++] = own;
    proto->opset_import = list;
    return true;
}

bool onnx_convert(onnx_model *model, const onnx_options *options, onnx_report *report,
                  onnx_error *error) {
    const tosajit_engine_options settings = {.size = sizeof settings,
                                             .backend = TOSAJIT_BACKEND_INTERPRET};
    converter c = {model, options, report, error, NULL, opset_of(model->proto)};
    memset(report, 0, sizeof *report);
    count_nodes(model->proto->graph, &report->nodes);
    report->taken = arena_array(&model->memory, report->nodes + 1, sizeof *report->taken);
    report->left = arena_array(&model->memory, report->nodes + 1, sizeof *report->left);
    if (!report->taken || !report->left) return no_memory(&c);
    if (tosajit_engine_create(&settings, &c.engine))
        return onnx_refuse(error, "%s", tosajit_last_error());
    bool fine = convert_graph(&c, model->proto->graph, NULL);
    tosajit_engine_destroy(c.engine);
    if (fine && report->taken_count > 0 && !import_domain(model)) return no_memory(&c);
    return fine;
}
