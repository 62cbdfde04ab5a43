/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/dot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/onnx/model/graph.h"

typedef struct drawing {
    onnx_model *model;
    const onnx_report *report;
    FILE *to;
    onnx_error *error;
    int graphs; /* so far */
} drawing;

static void put_quoted(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', to);
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, to);
    }
    fputc('"', to);
}

/* The region that a node is, or null. */
static const onnx_taken *taken_of(const drawing *d, const onnx_node *node) {
    static const char prefix[] = "tosajit/region_";
    const char *name = onnx_text(node->proto->name);
    if (!onnx_is(node, "tosajit.Region") || strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    size_t number = strtoul(name + sizeof prefix - 1, NULL, 10);
    const size_t first = d->report->first;
    return number >= first && number - first < d->report->taken_count
               ? &d->report->taken[number - first]
               : NULL;
}

static void put_node(const drawing *d, int graph, int32_t at, const onnx_node *node) {
    const onnx_taken *taken = taken_of(d, node);
    fprintf(d->to, "  n%d_%d [", graph, (int)at);
    if (taken)
        fprintf(d->to, "style=filled, fillcolor=lightblue, label=\"%d operator%s\", tooltip=",
                (int)taken->nodes, taken->nodes == 1 ? "" : "s");
    else
        fprintf(d->to, "label=");
    put_quoted(d->to, taken ? taken->text : onnx_text(node->proto->op_type));
    fprintf(d->to, "]\n");
}

/* A graph within a node is a frame beside the node that has it. */
static bool put_graph(drawing *d, Onnx__GraphProto *proto, const onnx_graph *outer, int64_t opset) {
    onnx_graph g;
    const int own = d->graphs++;
    if (!onnx_graph_open(&g, proto, outer, opset, &d->model->memory, d->error)) return false;
    fprintf(d->to, "subgraph cluster_%d {\n  label=", own);
    put_quoted(d->to, onnx_text(proto->name));
    fputc('\n', d->to);
    for (int32_t n = 0; n < g.node_count; n++) {
        put_node(d, own, n, &g.nodes[n]);
        for (int32_t k = 0; k < g.nodes[n].read_count; k++) {
            int32_t producer = g.values[g.nodes[n].reads[k]].producer;
            if (producer >= 0) fprintf(d->to, "  n%d_%d -> n%d_%d\n", own, producer, own, n);
        }
    }
    fprintf(d->to, "}\n");
    bool fine = true;
    for (int32_t n = 0; n < g.node_count && fine; n++) {
        const Onnx__NodeProto *node = g.nodes[n].proto;
        for (size_t a = 0; a < node->n_attribute && fine; a++) {
            const Onnx__AttributeProto *attribute = node->attribute[a];
            if (attribute->g) fine = put_graph(d, attribute->g, &g, opset);
            for (size_t k = 0; k < attribute->n_graphs && fine; k++)
                fine = put_graph(d, attribute->graphs[k], &g, opset);
        }
    }
    return fine;
}

bool onnx_dot_print(onnx_model *model, const onnx_report *report, FILE *to, onnx_error *error) {
    drawing d = {model, report, to, error, 0};
    fprintf(to, "digraph {\nnode [shape=box, fontname=sans]\n");
    bool fine = put_graph(&d, model->proto->graph, NULL, 1);
    fprintf(to, "}\n");
    return fine;
}
