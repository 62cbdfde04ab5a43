/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/lowering/fold.h"

#include <math.h>
#include <string.h>

enum { SCALE = 1, BIAS, MEAN, VARIANCE, OPERANDS };
enum { ZERO = 2 }; /* of QuantizeLinear and DequantizeLinear */

/* Constants of one list of f32 that are in the model. */
static bool foldable(const onnx_graph *g, const onnx_node *node) {
    const Onnx__AttributeProto *training = onnx_attribute(node->proto, "training_mode");
    const onnx_value *x = onnx_input(g, node, 0), *scale = onnx_input(g, node, SCALE);
    if (!onnx_is(node, "BatchNormalization") || node->input_count != OPERANDS) return false;
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

/* A constant of count numbers along the first of rank dimensions; null if out of memory. */
static Onnx__TensorProto *make_tensor(arena *memory, const char *of, const char *what, size_t count,
                                      int32_t rank) {
    Onnx__TensorProto *tensor = arena_take(memory, sizeof *tensor);
    if (!tensor) return NULL;
    onnx__tensor_proto__init(tensor);
    tensor->has_data_type = 1;
    tensor->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    tensor->name = arena_print(memory, "tosajit/%s/%s", of, what);
    tensor->n_dims = (size_t)rank;
    tensor->dims = arena_array(memory, tensor->n_dims + 1, sizeof *tensor->dims);
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

/* The node reads its first operand and new constants; the second of these may be null. */
static bool replace(onnx_graph *g, onnx_node *node, arena *memory, Onnx__TensorProto *a,
                    Onnx__TensorProto *b) {
    int32_t *inputs = arena_array(memory, 3, sizeof *inputs);
    if (!inputs) return false;
    inputs[0] = node->inputs[0];
    inputs[1] = onnx_graph_constant(g, a);
    if (b) inputs[2] = onnx_graph_constant(g, b);
    node->inputs = inputs;
    node->input_count = b ? 3 : 2;
    return true;
}

static bool fold(onnx_graph *g, onnx_node *node, arena *memory) {
    const Onnx__AttributeProto *given = onnx_attribute(node->proto, "epsilon");
    double epsilon = given && given->has_f ? (double)given->f : 1e-5;
    const onnx_value *x = onnx_input(g, node, 0);
    size_t count = (size_t)onnx_input(g, node, SCALE)->type.dims[0];
    const char *of = onnx_text(node->proto->output[0]);
    Onnx__TensorProto *a = make_tensor(memory, of, "scale", count, x->type.rank - 1);
    Onnx__TensorProto *b = make_tensor(memory, of, "bias", count, x->type.rank - 1);
    if (!a || !b) return false;
    for (size_t k = 0; k < count; k++) {
        double scale = at(g, node, SCALE, k) / sqrt(at(g, node, VARIANCE, k) + epsilon);
        a->float_data[k] = (float)scale;
        b->float_data[k] = (float)(at(g, node, BIAS, k) - at(g, node, MEAN, k) * scale);
    }
    return replace(g, node, memory, a, b);
}

/* Scale and bias of a list of f32 that are in the model: one for each channel. */
static bool is_instance(const onnx_graph *g, const onnx_node *node) {
    const onnx_value *x = onnx_input(g, node, 0);
    if (!onnx_is(node, "InstanceNormalization") || node->input_count != MEAN) return false;
    if (!x || x->type.rank < 3) return false;
    for (int32_t k = SCALE; k < MEAN; k++) {
        const onnx_value *v = onnx_input(g, node, k);
        double last;
        bool fine = v && v->constant && v->type.rank == 1 && v->type.dims[0] > 0 &&
                    v->type.dims[0] == onnx_input(g, node, SCALE)->type.dims[0] &&
                    v->type.element == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT &&
                    onnx_constant_at(v->constant, (size_t)v->type.dims[0] - 1, &last);
        if (!fine) return false;
    }
    return true;
}

static bool fold_instance(onnx_graph *g, onnx_node *node, arena *memory) {
    const int32_t rank = onnx_input(g, node, 0)->type.rank - 1;
    const size_t count = (size_t)onnx_input(g, node, SCALE)->type.dims[0];
    const char *of = onnx_text(node->proto->output[0]);
    Onnx__TensorProto *a = make_tensor(memory, of, "scale", count, rank);
    Onnx__TensorProto *b = make_tensor(memory, of, "bias", count, rank);
    if (!a || !b) return false;
    for (size_t k = 0; k < count; k++) {
        a->float_data[k] = (float)at(g, node, SCALE, k);
        b->float_data[k] = (float)at(g, node, BIAS, k);
    }
    return replace(g, node, memory, a, b);
}

/* ---------------------------------------------------------------------------------------------
 * Scales and zero points */

static int64_t integer_of(const onnx_node *node, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = onnx_attribute(node->proto, name);
    return a && a->has_i ? a->i : otherwise;
}

/* The rank of a scale along the axis, 0 for a single scale; -1 where it is no such scale. */
static int32_t scale_rank(const onnx_graph *g, const onnx_node *node) {
    const onnx_value *x = onnx_input(g, node, 0), *scale = onnx_input(g, node, SCALE);
    if (onnx_elements(&scale->type) == 1 && scale->type.rank <= 1) return 0;
    int64_t axis = integer_of(node, "axis", 1);
    if (axis < 0) axis += x->type.rank;
    return scale->type.rank == 1 && axis >= 0 && axis < x->type.rank ? x->type.rank - (int32_t)axis
                                                                     : -1;
}

/* The type that a zero point must have: the data's type, or the type that an attribute names. */
static int64_t integers_of(const onnx_graph *g, const onnx_node *node) {
    if (onnx_is(node, "DequantizeLinear")) return onnx_input(g, node, 0)->type.element;
    const int64_t named = integer_of(node, "output_dtype", 0);
    return named ? named : onnx_input(g, node, ZERO)->type.element;
}

/* With a scale of f32 and a fitting zero point that are in the model, for all elements or along an
 * axis. */
static bool is_quantising(const onnx_graph *g, const onnx_node *node) {
    if (!onnx_is(node, "QuantizeLinear") && !onnx_is(node, "DequantizeLinear")) return false;
    const onnx_value *x = onnx_input(g, node, 0), *scale = onnx_input(g, node, SCALE),
                     *zero = onnx_input(g, node, ZERO);
    if (!x || x->constant || !scale || !scale->constant || (zero && !zero->constant)) return false;
    if (scale->type.element != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT) return false;
    if (integer_of(node, "block_size", 0) != 0 || integer_of(node, "precision", 1) > 1)
        return false;
    if (zero && zero->type.element != integers_of(g, node)) return false;
    const int64_t count = onnx_elements(&scale->type);
    double last;
    bool fine = count > 0 && scale_rank(g, node) >= 0 &&
                onnx_constant_at(scale->constant, (size_t)count - 1, &last);
    return fine && (!zero || (onnx_elements(&zero->type) == count &&
                              onnx_constant_at(zero->constant, (size_t)count - 1, &last)));
}

/* Both as f32: it has every zero point exactly. Broadcasting then finds the axis. */
static bool fold_scale(onnx_graph *g, onnx_node *node, arena *memory) {
    const char *of = onnx_text(node->proto->output[0]);
    const int32_t rank = scale_rank(g, node);
    const size_t count = (size_t)onnx_elements(&onnx_input(g, node, SCALE)->type);
    const bool has_zero = onnx_input(g, node, ZERO);
    Onnx__TensorProto *scale = make_tensor(memory, of, "scale", count, rank),
                      *zero = make_tensor(memory, of, "zero", count, rank);
    bool any = false;
    if (!scale || !zero) return false;
    for (size_t k = 0; k < count; k++) {
        scale->float_data[k] = (float)at(g, node, SCALE, k);
        zero->float_data[k] = has_zero ? (float)at(g, node, ZERO, k) : 0;
        any = any || zero->float_data[k] != 0;
    }
    return replace(g, node, memory, scale, any ? zero : NULL);
}

/* ---------------------------------------------------------------------------------------------
 * Operators of quantized data. Scales that meet are the same number, as in the engine. */

enum { NUMBERS = 4 };

typedef float number_set[NUMBERS];
/* The numbers of a text in forms.c, of scales and zero points in the order of the operands. */
typedef int32_t combine(const float *scales, const float *zeros, number_set numbers);

static int32_t of_function(const float *scales, const float *zeros, number_set numbers) {
    for (int k = 0; k < 2; k++) {
        numbers[2 * k] = scales[k];
        numbers[2 * k + 1] = zeros[k];
    }
    return 4;
}

static int32_t of_product(const float *scales, const float *zeros, number_set numbers) {
    numbers[0] = zeros[0];
    numbers[1] = zeros[1];
    numbers[2] = scales[0] * scales[1] / scales[2];
    numbers[3] = zeros[2];
    return 4;
}

static int32_t of_sum(const float *scales, const float *zeros, number_set numbers) {
    numbers[0] = scales[0] / scales[2];
    numbers[1] = scales[1] / scales[2];
    numbers[2] = zeros[2] - (numbers[0] * zeros[0] + numbers[1] * zeros[1]);
    return 3;
}

static const struct linear {
    const char *op;
    combine *combine;
    int32_t pairs;    /* of scales and zero points */
    int32_t at[3];    /* where a scale stands; its zero point is behind it */
    int32_t data, by; /* operands that are data, so far apart */
} linears[] = {
    {"com.microsoft.QLinearSigmoid", of_function, 2, {1, 3}, 1, 0},
    {"com.microsoft.QLinearLeakyRelu", of_function, 2, {1, 3}, 1, 0},
    {"com.microsoft.QLinearMul", of_product, 3, {1, 4, 6}, 2, 3},
    {"com.microsoft.QLinearAdd", of_sum, 3, {1, 4, 6}, 2, 3},
};

/* One number of a constant; without an operand it is 0. */
static bool single(const onnx_graph *g, const onnx_node *node, int32_t operand, float *number) {
    const onnx_value *value = onnx_input(g, node, operand);
    double found = 0;
    if (value && (!value->constant || onnx_elements(&value->type) != 1 ||
                  !onnx_constant_at(value->constant, 0, &found)))
        return false;
    *number = (float)found;
    return true;
}

static bool fold_numbers(onnx_graph *g, onnx_node *node, arena *memory, const struct linear *l,
                         const number_set numbers, int32_t count) {
    static const char *const names[NUMBERS] = {"first", "second", "third", "fourth"};
    int32_t *inputs = arena_array(memory, (size_t)(l->data + count), sizeof *inputs);
    if (!inputs) return false;
    for (int32_t k = 0; k < l->data; k++) inputs[k] = node->inputs[k * l->by];
    for (int32_t k = 0; k < count; k++) {
        Onnx__TensorProto *tensor =
            make_tensor(memory, onnx_text(node->proto->output[0]), names[k], 1, 0);
        if (!tensor) return false;
        tensor->float_data[0] = numbers[k];
        inputs[l->data + k] = onnx_graph_constant(g, tensor);
    }
    node->inputs = inputs;
    node->input_count = l->data + count;
    return true;
}

static bool fold_linear(onnx_graph *g, onnx_node *node, arena *memory) {
    const struct linear *l = NULL;
    float scales[3], zeros[3];
    number_set numbers;
    for (size_t k = 0; k < sizeof linears / sizeof *linears && !l; k++)
        if (onnx_is(node, linears[k].op)) l = &linears[k];
    for (int32_t k = 0; l && k < l->data; k++) {
        const onnx_value *data = onnx_input(g, node, k * l->by);
        if (!data || data->constant) return true;
    }
    for (int32_t k = 0; l && k < l->pairs; k++)
        if (!onnx_input(g, node, l->at[k]) || !single(g, node, l->at[k], &scales[k]) ||
            !single(g, node, l->at[k] + 1, &zeros[k]))
            return true;
    if (!l) return true;
    return fold_numbers(g, node, memory, l, numbers, l->combine(scales, zeros, numbers));
}

bool onnx_fold(onnx_graph *g, arena *memory) {
    for (int32_t k = 0; k < g->node_count; k++) {
        onnx_node *node = &g->nodes[k];
        if (node->output_count < 1) continue; /* constants are called after what it gives */
        if (foldable(g, node) && !fold(g, node, memory)) return false;
        if (is_instance(g, node) && !fold_instance(g, node, memory)) return false;
        if (is_quantising(g, node) && !fold_scale(g, node, memory)) return false;
        if (!fold_linear(g, node, memory)) return false;
    }
    return true;
}
