/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/forms/fold.h"

#include <math.h>
#include <string.h>

enum { SCALE = 1, BIAS, MEAN, VARIANCE, OPERANDS };

/* Constants of one list of f32 that are in the model. */
static bool foldable(const onnx_graph *g, const onnx_node *node) {
    const Onnx__AttributeProto *training = onnx_attribute(node->proto, "training_mode");
    const onnx_value *x = onnx_input(g, node, 0), *scale = onnx_input(g, node, SCALE);
    bool whole = node->input_count == OPERANDS && node->output_count > 0;
    if (!onnx_is(node, "BatchNormalization") || !whole) return false;
    if (!x || x->type.rank < 2 || g->opset < 7 || (training && training->i != 0)) return false;
    for (int32_t k = SCALE; k < OPERANDS; k++) {
        const onnx_value *v = onnx_input(g, node, k);
        double last;
        bool fine = v && scale && v->constant && v->type.rank == 1 && v->type.dims[0] > 0 &&
                    v->type.element == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT &&
                    v->type.dims[0] == scale->type.dims[0] &&
                    onnx_constant_at(v->constant, (size_t)v->type.dims[0] - 1, &last);
        if (!fine) return false;
    }
    return true;
}

/* A constant of count numbers along the second of rank dimensions; null if out of memory. */
static Onnx__TensorProto *make_tensor(arena *memory, const char *of, const char *what, size_t count,
                                      int32_t rank) {
    Onnx__TensorProto *tensor = arena_take(memory, sizeof *tensor);
    if (!tensor) return NULL;
    onnx__tensor_proto__init(tensor);
    tensor->has_data_type = 1;
    tensor->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    tensor->name = arena_print(memory, "tosajit/%s/%s", of, what);
    tensor->n_dims = (size_t)rank - 1;
    tensor->dims = arena_array(memory, tensor->n_dims, sizeof *tensor->dims);
    tensor->n_float_data = count;
    tensor->float_data = arena_array(memory, count, sizeof *tensor->float_data);
    if (!tensor->name || !tensor->dims || !tensor->float_data) return NULL;
    for (size_t d = 0; d < tensor->n_dims; d++) tensor->dims[d] = d == 0 ? (int64_t)count : 1;
    return tensor;
}

static double at(const onnx_graph *g, const onnx_node *node, int32_t operand, size_t k) {
    double value = 0;
    onnx_constant_at(onnx_input(g, node, operand)->constant, k, &value);
    return value;
}

static int32_t add_value(onnx_graph *g, Onnx__TensorProto *tensor) {
    g->values[g->value_count] = (onnx_value){.name = tensor->name,
                                             .type = onnx_constant_type(tensor),
                                             .producer = -1,
                                             .constant = tensor,
                                             .fresh = tensor};
    return g->value_count++;
}

static bool fold(onnx_graph *g, onnx_node *node, arena *memory) {
    const Onnx__AttributeProto *given = onnx_attribute(node->proto, "epsilon");
    double epsilon = given && given->has_f ? (double)given->f : 1e-5;
    const onnx_value *x = onnx_input(g, node, 0);
    size_t count = (size_t)onnx_input(g, node, SCALE)->type.dims[0];
    const char *of = onnx_text(node->proto->output[0]);
    Onnx__TensorProto *a = make_tensor(memory, of, "scale", count, x->type.rank);
    Onnx__TensorProto *b = make_tensor(memory, of, "bias", count, x->type.rank);
    int32_t *inputs = arena_array(memory, 3, sizeof *inputs);
    if (!a || !b || !inputs) return false;
    for (size_t k = 0; k < count; k++) {
        double scale = at(g, node, SCALE, k) / sqrt(at(g, node, VARIANCE, k) + epsilon);
        a->float_data[k] = (float)scale;
        b->float_data[k] = (float)(at(g, node, BIAS, k) - at(g, node, MEAN, k) * scale);
    }
    inputs[0] = node->inputs[0];
    inputs[1] = add_value(g, a);
    inputs[2] = add_value(g, b);
    node->inputs = inputs;
    node->input_count = 3;
    return true;
}

bool onnx_fold(onnx_graph *g, arena *memory) {
    for (int32_t k = 0; k < g->node_count; k++)
        if (foldable(g, &g->nodes[k]) && !fold(g, &g->nodes[k], memory)) return false;
    return true;
}
