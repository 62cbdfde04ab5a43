/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/message.h"

#include <string.h>

enum { MOST_ATTRIBUTES = 3 };

Onnx__NodeProto *message_node(arena *memory, const char *domain, const char *op, int32_t inputs,
                              int32_t outputs) {
    Onnx__NodeProto *node = arena_take(memory, sizeof *node);
    if (!node) return NULL;
    onnx__node_proto__init(node);
    node->domain = arena_text(memory, domain, strlen(domain));
    node->op_type = arena_text(memory, op, strlen(op));
    node->n_input = (size_t)inputs;
    node->n_output = (size_t)outputs;
    node->input = arena_array(memory, node->n_input + 1, sizeof *node->input);
    node->output = arena_array(memory, node->n_output + 1, sizeof *node->output);
    node->attribute = arena_array(memory, MOST_ATTRIBUTES, sizeof *node->attribute);
    bool whole = node->domain && node->op_type && node->input && node->output && node->attribute;
    return whole ? node : NULL;
}

static Onnx__AttributeProto *add_attribute(arena *memory, Onnx__NodeProto *node, const char *name) {
    Onnx__AttributeProto *a = arena_take(memory, sizeof *a);
    if (!a) return NULL;
    onnx__attribute_proto__init(a);
    a->name = arena_text(memory, name, strlen(name));
    a->has_type = 1;
    node->attribute[node->n_attribute++] = a;
    return a->name ? a : NULL;
}

bool message_add_text(arena *memory, Onnx__NodeProto *node, const char *name, const char *text) {
    Onnx__AttributeProto *a = add_attribute(memory, node, name);
    if (!a) return false;
    a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
    a->has_s = 1;
    a->s.len = strlen(text);
    a->s.data = (uint8_t *)arena_text(memory, text, a->s.len);
    return a->s.data;
}

bool message_add_number(arena *memory, Onnx__NodeProto *node, const char *name, int64_t number) {
    Onnx__AttributeProto *a = add_attribute(memory, node, name);
    if (!a) return false;
    a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    a->has_i = 1;
    a->i = number;
    return true;
}

bool message_add_numbers(arena *memory, Onnx__NodeProto *node, const char *name,
                         const int64_t *numbers, size_t count) {
    Onnx__AttributeProto *a = add_attribute(memory, node, name);
    if (!a) return false;
    a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
    a->n_ints = count;
    a->ints = arena_array(memory, count, sizeof *a->ints);
    if (a->ints) memcpy(a->ints, numbers, count * sizeof *numbers);
    return a->ints;
}

static bool add_elements(arena *memory, Onnx__TensorProto *tensor, size_t count) {
    switch (tensor->data_type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
        tensor->n_float_data = count;
        tensor->float_data = arena_array(memory, count, sizeof *tensor->float_data);
        return tensor->float_data;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
        tensor->n_int64_data = count;
        tensor->int64_data = arena_array(memory, count, sizeof *tensor->int64_data);
        return tensor->int64_data;
    default:
        tensor->n_int32_data = count;
        tensor->int32_data = arena_array(memory, count, sizeof *tensor->int32_data);
        return tensor->int32_data;
    }
}

Onnx__TensorProto *message_tensor(arena *memory, const char *name, const onnx_type *type) {
    Onnx__TensorProto *tensor = arena_take(memory, sizeof *tensor);
    if (!tensor) return NULL;
    onnx__tensor_proto__init(tensor);
    tensor->name = (char *)name;
    tensor->has_data_type = 1;
    tensor->data_type = type->element;
    tensor->n_dims = (size_t)type->rank;
    tensor->dims = arena_array(memory, tensor->n_dims + 1, sizeof *tensor->dims);
    if (!tensor->dims || !add_elements(memory, tensor, (size_t)onnx_elements(type))) return NULL;
    memcpy(tensor->dims, type->dims, tensor->n_dims * sizeof *tensor->dims);
    return tensor;
}

static Onnx__TensorShapeProto *make_shape(arena *memory, const onnx_type *type) {
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

Onnx__ValueInfoProto *message_value(arena *memory, const char *name, const onnx_type *type) {
    Onnx__ValueInfoProto *info = arena_take(memory, sizeof *info);
    Onnx__TypeProto *message = arena_take(memory, sizeof *message);
    Onnx__TypeProto__Tensor *tensor = arena_take(memory, sizeof *tensor);
    if (!info || !message || !tensor) return NULL;
    onnx__value_info_proto__init(info);
    onnx__type_proto__init(message);
    onnx__type_proto__tensor__init(tensor);
    tensor->has_elem_type = 1;
    tensor->elem_type = type->element;
    tensor->shape = make_shape(memory, type);
    message->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    message->tensor_type = tensor;
    info->name = (char *)name;
    info->type = message;
    return tensor->shape ? info : NULL;
}
