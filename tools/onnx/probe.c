/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/probe.h"

#include <string.h>

#include "tools/onnx/message.h"

static const onnx_type one = {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 4, {1, 1, 1, 1}};

/* A list of one message, null if there is none. */
static void *list_of(arena *memory, void *item) {
    void **list = item ? arena_take(memory, sizeof *list) : NULL;
    if (list) *list = item;
    return list;
}

static bool make_graph(arena *memory, Onnx__GraphProto *graph) {
    Onnx__NodeProto *node = message_node(memory, "", "Conv", 2, 1);
    onnx__graph_proto__init(graph);
    graph->name = arena_text(memory, "probe", 5);
    graph->n_node = graph->n_input = graph->n_output = graph->n_initializer = 1;
    graph->node = list_of(memory, node);
    graph->input = list_of(memory, message_value(memory, "x", &one));
    graph->output = list_of(memory, message_value(memory, "y", &one));
    graph->initializer = list_of(memory, message_tensor(memory, "w", &one));
    bool whole = graph->name && graph->node && graph->input && graph->output && graph->initializer;
    if (!whole) return false;
    node->input[0] = graph->input[0]->name;
    node->input[1] = graph->initializer[0]->name;
    node->output[0] = graph->output[0]->name;
    return true;
}

static bool make_model(onnx_model *model) {
    enum { IR_VERSION = 7, OPSET = 11 };
    arena *memory = &model->memory;
    Onnx__GraphProto *graph = arena_take(memory, sizeof *graph);
    Onnx__OperatorSetIdProto *opset = arena_take(memory, sizeof *opset);
    model->proto = arena_take(memory, sizeof *model->proto);
    if (!graph || !opset || !model->proto || !make_graph(memory, graph)) return false;
    onnx__model_proto__init(model->proto);
    onnx__operator_set_id_proto__init(opset);
    opset->has_version = model->proto->has_ir_version = 1;
    opset->version = OPSET;
    model->proto->ir_version = IR_VERSION;
    model->proto->graph = graph;
    model->proto->n_opset_import = 1;
    model->proto->opset_import = list_of(memory, opset);
    return model->proto->opset_import;
}

bool onnx_probe_write(const char *path, onnx_error *error) {
    onnx_model model = {.memory = {.limit = 1 << 20}};
    bool fine = make_model(&model) ? onnx_model_write(&model, path, error)
                                   : onnx_refuse(error, "out of memory");
    onnx_model_release(&model);
    return fine;
}

bool onnx_probe_read(const char *path, int64_t *block, onnx_error *error) {
    onnx_model model;
    *block = 0;
    bool fine = onnx_model_open(&model, path, error);
    for (size_t k = 0; fine && k < model.proto->graph->n_node; k++) {
        const Onnx__NodeProto *node = model.proto->graph->node[k];
        if (strcmp(onnx_text(node->domain), "com.microsoft.nchwc") != 0) continue;
        for (size_t i = 0; i < model.proto->graph->n_initializer; i++)
            if (model.proto->graph->initializer[i]->n_dims == 4)
                *block = model.proto->graph->initializer[i]->dims[0];
    }
    onnx_model_release(&model);
    return fine;
}
