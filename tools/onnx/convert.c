/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A graph is divided, then its list of nodes is written anew: each region is one node, and every
 * value is given before it is read. Graphs within nodes are models of their own. */
#include "tools/onnx/convert.h"

#include <stdlib.h>
#include <string.h>

#include "tools/onnx/choose.h"
#include "tools/onnx/lowering/fold.h"
#include "tools/onnx/lowering/shapes.h"
#include "tools/onnx/images.h"
#include "tools/onnx/settle.h"
#include "tools/onnx/tables.h"
#include "tools/onnx/unread.h"

static char own_domain[] = "tosajit";

typedef struct converter {
    onnx_model *model;
    const onnx_options *options;
    onnx_report *report;
    onnx_error *error;
    tosajit_engine *engine;
    onnx_names *names;
    int64_t opset;
    size_t *images; /* so many names have been given to them */
} converter;

static bool no_memory(const converter *c) {
    return onnx_refuse(c->error, "out of memory, of which a model of this size gets %zu bytes",
                       c->model->memory.limit);
}

/* ---------------------------------------------------------------------------------------------
 * The graph */

static size_t count_reorderings(const Onnx__GraphProto *graph) {
    size_t count = 0;
    for (size_t k = 0; k < graph->n_node; k++) {
        const char *op = onnx_text(graph->node[k]->op_type);
        count += strcmp(op, "ReorderInput") == 0 || strcmp(op, "ReorderOutput") == 0;
    }
    return count;
}

/* Regions stand in the report as they stand in the graph. */
static bool report_regions(const converter *c, const onnx_choices *choices) {
    for (int32_t k = 0; k < choices->count; k++) {
        const onnx_choice *choice = &choices->list[k];
        onnx_taken *taken = &c->report->taken[choice->number - c->report->first];
        *taken = (onnx_taken){
            arena_print(&c->model->memory, "tosajit/region_%zu", choice->number),
            choice->text,
            choice->region.count,
            choice->region.input_count,
            choice->region.output_count,
            choice->cost.saved,
        };
        c->report->inside += (size_t)choice->region.count;
        if (!taken->name) return false;
    }
    c->report->taken_count += (size_t)choices->count;
    return true;
}

static void report_nodes(const converter *c, const onnx_graph *g, const onnx_choices *choices) {
    for (int32_t k = 0; k < g->node_count; k++) {
        const onnx_node *node = &g->nodes[k];
        const char *why = choices->why[k];
        c->report->inside += node->gone;
        if (why)
            c->report->left[c->report->left_count++] =
                (onnx_left){onnx_node_name(node), onnx_text(node->proto->op_type), why};
        c->report->other += !why && choices->owners[k] < 0 && !node->gone;
    }
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

/* A graph with its types. Known lists are constants there. */
static bool open_settled(const converter *c, Onnx__GraphProto *proto, const onnx_graph *outer,
                         onnx_graph *g) {
    arena *memory = &c->model->memory;
    bool any = false;
    if (!onnx_graph_open(g, proto, outer, c->opset, memory, c->error)) return false;
    onnx_shapes_infer(g);
    if (!onnx_settle(g, c->names, &any, c->error)) return false;
    if (!any) return true;
    if (!onnx_graph_open(g, proto, outer, c->opset, memory, c->error)) return false;
    onnx_shapes_infer(g);
    return true;
}

static bool convert_graph(const converter *c, Onnx__GraphProto *proto, const onnx_graph *outer) {
    const Onnx__GraphProto before = *proto;
    onnx_graph g;
    onnx_choices choices;
    arena *memory = &c->model->memory;
    if (!open_settled(c, proto, outer, &g)) return false;
    if (!onnx_fold(&g, memory) || !onnx_tables(&g, c->engine)) return no_memory(c);
    if (!onnx_choose(&g, c->options, c->engine, memory, &choices)) return no_memory(c);
    if (!convert_within(c, &g)) return false;
    report_nodes(c, &g, &choices);
    c->report->reorderings += count_reorderings(proto);
    if (!onnx_add_images(&g, c->options, &choices, c->images, c->report, c->error)) return false;
    if (choices.count == 0) *proto = before;
    bool fine = choices.count == 0 || onnx_rewrite(&g, &choices, c->options->accuracy, c->names);
    if (fine && !onnx_drop_unread(&g, c->error)) return false;
    c->report->reorderings_left += count_reorderings(proto);
    return (fine && report_regions(c, &choices)) || no_memory(c);
}

/* ---------------------------------------------------------------------------------------------
 * The model */

/* New numbers begin behind the taken ones. */
static void count_name(const char *name, const char *prefix, size_t *next) {
    const size_t length = strlen(prefix);
    if (strncmp(onnx_text(name), prefix, length) != 0) return;
    unsigned long long number = strtoull(name + length, NULL, 10);
    if (number >= *next && number < SIZE_MAX / 2) *next = (size_t)number + 1;
}

/* A model that was converted before has names of ours. */
static void count_names(const Onnx__NodeProto *node, onnx_names *names) {
    count_name(node->name, "tosajit/region_", &names->regions);
    for (size_t k = 0; k < node->n_input; k++)
        count_name(node->input[k], "tosajit/value_", &names->values);
    for (size_t k = 0; k < node->n_output; k++)
        count_name(node->output[k], "tosajit/value_", &names->values);
}

static void count_nodes(const Onnx__GraphProto *graph, onnx_report *report, onnx_names *names) {
    report->nodes += graph->n_node;
    for (size_t n = 0; n < graph->n_node; n++) {
        report->had += strcmp(onnx_text(graph->node[n]->domain), own_domain) == 0;
        count_names(graph->node[n], names);
        for (size_t a = 0; a < graph->node[n]->n_attribute; a++) {
            const Onnx__AttributeProto *attribute = graph->node[n]->attribute[a];
            if (attribute->g) count_nodes(attribute->g, report, names);
            for (size_t k = 0; k < attribute->n_graphs; k++)
                count_nodes(attribute->graphs[k], report, names);
        }
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
    Onnx__ModelProto *proto = model->proto;
    for (size_t k = 0; k < proto->n_opset_import; k++)
        if (strcmp(onnx_text(proto->opset_import[k]->domain), own_domain) == 0) return true;
    Onnx__OperatorSetIdProto **list =
        arena_array(&model->memory, proto->n_opset_import + 1, sizeof *list);
    Onnx__OperatorSetIdProto *own = arena_take(&model->memory, sizeof *own);
    if (!list || !own) return false;
    if (proto->n_opset_import)
        memcpy(list, proto->opset_import, proto->n_opset_import * sizeof *list);
    onnx__operator_set_id_proto__init(own);
    own->domain = own_domain;
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
    onnx_names names = {0, 0};
    size_t images = 0;
    converter c = {model, options, report, error, NULL, &names, opset_of(model->proto), &images};
    memset(report, 0, sizeof *report);
    count_nodes(model->proto->graph, report, &names);
    report->first = names.regions;
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
