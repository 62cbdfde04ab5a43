/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source of what is joined: the graph optimisations of ONNX Runtime for CPUs. If too few operators
 * are joined here, a convolution loses its activation, and the activation then costs a pass over
 * memory. */
#include "tools/onnx/cost.h"

#include <string.h>

#include "tools/onnx/lowering/rows.h"
#include "tools/onnx/lowering/views.h"

static bool is_one_of(const onnx_node *node, const char *const *ops) {
    for (; *ops; ops++)
        if (onnx_is(node, *ops)) return true;
    return false;
}

bool onnx_is_optimized(const onnx_graph *g) {
    for (int32_t k = 0; k < g->node_count; k++)
        if (strncmp(onnx_text(g->nodes[k].proto->domain), "com.microsoft", 13) == 0) return true;
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Chains behind convolutions and products */

/* The only node that reads the only result of a node, or -1. Nodes stand in order, and what reads
 * a result mostly stands near. */
static int32_t only_reader(const onnx_graph *g, const int32_t *readers, int32_t node) {
    const onnx_node *n = &g->nodes[node];
    if (n->output_count < 1 || n->outputs[0] < 0) return -1;
    const onnx_value *value = &g->values[n->outputs[0]];
    return value->uses == 1 && !value->result ? readers[n->outputs[0]] : -1;
}

static bool has_constant(const onnx_graph *g, const onnx_node *node) {
    for (int32_t k = 0; k < node->input_count; k++)
        if (onnx_input(g, node, k) && onnx_input(g, node, k)->constant) return true;
    return false;
}

static const char *const activations[] = {"Relu",        "LeakyRelu", "Sigmoid", "Tanh",
                                          "HardSigmoid", "Clip",      NULL};
static const char *const convolutions[] = {"Conv", "com.microsoft.FusedConv", NULL};
static const char *const products[] = {"MatMul", "Gemm", NULL};
static const char *const affine[] = {"Mul", "Add", "BatchNormalization", NULL};
static const char *const sums[] = {"Add", "Sum", NULL};
static const char *const bias[] = {"Add", NULL};

/* True if an activation joins a convolution or product. Clip does with constant limits alone. */
static bool is_activation(const onnx_graph *g, const onnx_node *node) {
    if (!is_one_of(node, activations)) return false;
    for (int32_t k = 1; k < node->input_count; k++)
        if (onnx_input(g, node, k) && !onnx_input(g, node, k)->constant) return false;
    return true;
}

static void mark_chain(const onnx_graph *g, const int32_t *readers, int32_t owner,
                       int32_t *owners) {
    bool convolution = is_one_of(&g->nodes[owner], convolutions);
    bool takes_activation = !onnx_is(&g->nodes[owner], "MatMul"); /* with a bias it is a Gemm */
    int32_t at = only_reader(g, readers, owner);
    while (at >= 0 && is_one_of(&g->nodes[at], convolution ? affine : bias) &&
           has_constant(g, &g->nodes[at])) {
        owners[at] = owner;
        takes_activation = true;
        at = only_reader(g, readers, at);
    }
    if (at >= 0 && convolution && is_one_of(&g->nodes[at], sums)) {
        owners[at] = owner;
        at = only_reader(g, readers, at);
    }
    if (at >= 0 && takes_activation && is_activation(g, &g->nodes[at])) owners[at] = owner;
}

/* ---------------------------------------------------------------------------------------------
 * LayerNormalization written out: d = x - mean(x); d / sqrt(mean(d * d) + e) * scale + bias */

static const char *const squares[] = {"Pow", "Mul", NULL};
static const char *const scaled[] = {"Mul", "Add", NULL};

static int32_t producer_of(const onnx_graph *g, int32_t node, int32_t operand) {
    const onnx_value *value = node >= 0 ? onnx_input(g, &g->nodes[node], operand) : NULL;
    return value ? value->producer : -1;
}

/* From the mean of the squares on: Add, Sqrt, Div, Mul, Add. */
static void mark_normalisation(const onnx_graph *g, const int32_t *readers, int32_t mean,
                               int32_t *owners) {
    int32_t square = producer_of(g, mean, 0), difference = producer_of(g, square, 0);
    if (square < 0 || difference < 0 || !is_one_of(&g->nodes[square], squares)) return;
    int32_t centre = producer_of(g, difference, 1);
    if (!onnx_is(&g->nodes[difference], "Sub") || centre < 0) return;
    if (!onnx_is(&g->nodes[centre], "ReduceMean")) return;
    int32_t sum = only_reader(g, readers, mean), root = sum < 0 ? -1 : only_reader(g, readers, sum);
    int32_t quotient = root < 0 ? -1 : only_reader(g, readers, root);
    if (quotient < 0 || !onnx_is(&g->nodes[root], "Sqrt")) return;
    owners[mean] = owners[centre] = mean;
    owners[square] = owners[difference] = owners[sum] = owners[root] = owners[quotient] = mean;
    for (int32_t at = only_reader(g, readers, quotient);
         at >= 0 && is_one_of(&g->nodes[at], scaled) && has_constant(g, &g->nodes[at]);
         at = only_reader(g, readers, at))
        owners[at] = mean;
}

/* ---------------------------------------------------------------------------------------------
 * Quantized models: an operator that is not elementwise stands between DequantizeLinear and
 * QuantizeLinear, and the engine computes the three as one operator of integers */

static bool is_elementwise(const onnx_node *node) {
    const onnx_form *form = onnx_form_of(node);
    return form && onnx_form_is_elementwise(form);
}

static void mark_dequantized(const onnx_graph *g, int32_t node, int32_t *owners) {
    for (int32_t k = 0; k < g->nodes[node].input_count; k++) {
        int32_t producer = producer_of(g, node, k);
        if (producer >= 0 && onnx_is(&g->nodes[producer], "DequantizeLinear"))
            owners[producer] = owners[node] = node;
    }
}

static void mark_quantized(const onnx_graph *g, int32_t node, int32_t *owners) {
    int32_t producer = producer_of(g, node, 0);
    if (producer < 0) return;
    if (owners[producer] >= 0)
        owners[node] = owners[producer];
    else if (!is_elementwise(&g->nodes[producer]))
        owners[node] = producer;
}

/* ---------------------------------------------------------------------------------------------
 * All nodes */

void onnx_mark_fused(const onnx_graph *g, int32_t *owners, int32_t *readers) {
    for (int32_t k = 0; k < g->node_count; k++) {
        owners[k] = -1;
        for (int32_t r = 0; r < g->nodes[k].read_count; r++) readers[g->nodes[k].reads[r]] = k;
    }
    if (onnx_is_optimized(g)) return;
    for (int32_t k = 0; k < g->node_count; k++) {
        if (is_one_of(&g->nodes[k], convolutions) || is_one_of(&g->nodes[k], products))
            mark_chain(g, readers, k, owners);
        if (onnx_is(&g->nodes[k], "ReduceMean")) mark_normalisation(g, readers, k, owners);
        if (!is_elementwise(&g->nodes[k])) mark_dequantized(g, k, owners);
        if (onnx_is(&g->nodes[k], "QuantizeLinear") && !g->nodes[k].table)
            mark_quantized(g, k, owners);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Prices. Measured beside ONNX Runtime 1.32 on one thread, on 256 rows of 768 f32: an operator of
 * which the engine takes at least 1.4 times as long as a region pays alone. */

static const struct price {
    const char *op;
    int8_t exact, fast; /* operations that it counts as; 0: the engine is faster at it */
} prices[] = {
    {"Log", 2, 2},
    {"Sin", 2, 2},
    {"Cos", 2, 2},
    {"Pow", 1, 2},
    {"Elu", 2, 2},
    {"Selu", 2, 2},
    {"Sign", 2, 2},
    {"Softplus", 2, 2},
    {"PRelu", 2, 2},
    {"Erf", 1, 2},
    {"Gelu", 1, 2},
    {"com.microsoft.Gelu", 1, 2},
    {"com.microsoft.BiasGelu", 1, 2},
    {"com.microsoft.FastGelu", 1, 2},
    {"com.microsoft.QuickGelu", 1, 2},
    {"Softmax", 0, 1},
    {"LogSoftmax", 0, 1},
    {"ReduceSum", 2, 2},
    {"ReduceMean", 2, 2},
    {"ReduceProd", 2, 2},
    {"ReduceL1", 2, 2},
    {"ReduceL2", 2, 2},
    {"ReduceSumSquare", 2, 2},
    {"InstanceNormalization", 2, 2},
    {"GlobalAveragePool", 2, 2},
    {"GlobalMaxPool", 2, 2},
    {"ReduceLogSum", 2, 2},
    {"ReduceLogSumExp", 2, 2},
    {"LayerNormalization", 2, 2},
    {"SimplifiedLayerNormalization", 2, 2},
    {"RMSNormalization", 2, 2},
    {"Transpose", 2, 2},
    {"Split", 1, 1},
    {"Slice", 1, 1},
    {"Concat", 1, 1},
};

/* The engine takes 1.6 to 5 times as long for shorter rows, for rows along several axes, and across
 * rows. A call of rows has 0.6 us more to begin with than a call of the engine's; in that time the
 * engine computes so many elements; beside other operators the nodes that are saved are more. */
enum { LEAST_ROW = 32, LEAST_ELEMENTS = 2048, ODD = 2 };

/* As many as there are, most likely: calls are of one example, and of many rows. */
static bool is_small(const onnx_type *type) {
    enum { MANY = LEAST_ELEMENTS };
    int64_t count = 1;
    for (int32_t d = 0; d < type->rank && count < LEAST_ELEMENTS; d++)
        count *= type->dims[d] >= 0 ? (type->dims[d] < MANY ? type->dims[d] : MANY)
                 : d == 0           ? 1
                                    : MANY;
    return count < LEAST_ELEMENTS;
}

/* True if an operator combines other elements than those of one long row. */
static bool has_odd_rows(const onnx_graph *g, const onnx_node *node, bool *across) {
    onnx_axes axes;
    if (!onnx_rows_axes(g, node, &axes) || axes.count == 0) return false;
    const int64_t last = onnx_input(g, node, 0)->type.dims[axes.rank - 1];
    *across = !axes.has[axes.rank - 1];
    return *across || axes.count > 1 || (last >= 0 && last < LEAST_ROW);
}

static int32_t price_of(const onnx_node *node, bool fast) {
    for (size_t k = 0; k < sizeof prices / sizeof *prices && !node->table; k++)
        if (onnx_is(node, prices[k].op)) return fast ? prices[k].fast : prices[k].exact;
    return onnx_form_weight(onnx_form_of(node));
}

/* Across rows the engine goes through memory in steps, whatever it computes. */
static int32_t weight_of(const onnx_graph *g, const onnx_node *node, bool fast) {
    const int32_t price = price_of(node, fast);
    bool across = false;
    const bool odd = has_odd_rows(g, node, &across) && (price > 0 || across);
    return odd && price < ODD ? ODD : price;
}

static bool is_reordering(const onnx_node *node) {
    const Onnx__AttributeProto *last = onnx_attribute(node->proto, "channels_last");
    return (!last || last->i == 0) && (onnx_is(node, "com.microsoft.nchwc.ReorderInput") ||
                                       onnx_is(node, "com.microsoft.nchwc.ReorderOutput"));
}

/* Mark what a node reads and gives, if some of it is marked. True if that is new. */
static bool spread(const onnx_graph *g, const onnx_node *node, bool *images) {
    const onnx_form *form = onnx_form_of(node);
    const bool reorders = is_reordering(node);
    bool any = reorders, all = true;
    if (!reorders && !(form && onnx_form_is_elementwise(form)) &&
        onnx_rows_block_axes(g, node) == ONNX_NO_AXES)
        return false;
    for (int pass = 0; pass < 2 && (pass == 0 || any); pass++)
        for (int32_t k = -1; k < node->input_count; k++) {
            const int32_t value = k < 0 ? node->outputs[0] : node->inputs[k];
            if (value < 0 || g->values[value].type.rank != 4 || g->values[value].constant) continue;
            any = any || images[value];
            all = all && images[value];
            if (pass) images[value] = true;
        }
    return any && !all;
}

bool onnx_mark_images(const onnx_graph *g, bool *images) {
    bool any = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t k = 0; k < g->node_count; k++)
            if (g->nodes[k].output_count > 0) changed |= spread(g, &g->nodes[k], images);
        for (int32_t k = g->node_count; changed && k-- > 0;)
            if (g->nodes[k].output_count > 0) spread(g, &g->nodes[k], images);
        any = any || changed;
    }
    return any;
}

/* True if all that reads a value reads it as the index of a scatter: then it need not be written.
 */
static bool is_index_alone(const onnx_graph *g, int32_t value) {
    int32_t reads = 0;
    for (int32_t k = 0; k < g->node_count; k++) {
        const onnx_node *node = &g->nodes[k];
        reads += onnx_views_scatters(node) && node->input_count > 1 && node->inputs[1] == value;
    }
    return reads == g->values[value].uses;
}

const char onnx_but_in_blocks[] = "the engine keeps images in blocks";

static bool is_image(const int32_t *values, int32_t count, const bool *images) {
    for (int32_t k = 0; k < count; k++)
        if (values[k] >= 0 && images[values[k]]) return true;
    return false;
}

/* Short runs are moved element by element. A Transpose the engine may yet bring elsewhere, or join
 * with a product, unless it has tried. */
static const char *leave_view(const onnx_graph *g, const onnx_node *node, bool settled,
                              const bool *images) {
    enum { LEAST_RUN = 16 };
    if (is_image(node->inputs, node->input_count, images) ||
        is_image(node->outputs, node->output_count, images))
        return onnx_but_in_blocks;
    if (onnx_is(node, "Expand"))
        return is_index_alone(g, node->outputs[0]) ? NULL : "it repeats what is read as a whole";
    if (onnx_views_gathers(node)) /* the engine calls a function for each index */
        return is_small(&g->values[node->outputs[0]].type) ? "of few elements the engine is faster"
                                                           : NULL;
    if (onnx_is(node, "Transpose") && !settled) return "the engine may move it";
    return onnx_views_run(g, node) < LEAST_RUN ? "of short runs the engine is faster" : NULL;
}

const char *onnx_left_to_engine(const onnx_graph *g, const onnx_node *node, bool fast, bool settled,
                                const bool *images) {
    const onnx_form *form = onnx_form_of(node);
    onnx_axes axes;
    if (onnx_form_is_view(form)) return leave_view(g, node, settled, images);
    if (onnx_form_is_scatter(form) && is_small(&onnx_input(g, node, 2)->type))
        return "of few elements the engine is faster";
    if (!onnx_form_is_rows(form) || !onnx_rows_axes(g, node, &axes) || axes.count == 0) return NULL;
    const onnx_type *type = &onnx_input(g, node, 0)->type;
    if (images[node->inputs[0]] && axes.count > 1 && axes.has[axes.rank - 1])
        return onnx_but_in_blocks;
    if (is_small(type) || !axes.has[axes.rank - 1]) return NULL;
    if (!settled && (onnx_is(node, "GlobalAveragePool") || onnx_is(node, "GlobalMaxPool")))
        return "the engine may compute it in blocks of channels";
    return weight_of(g, node, fast) > 0 ? NULL : "with exact functions the engine is faster";
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

static int64_t bytes_of(const onnx_type *type) {
    int64_t count = onnx_elements(type), bytes;
    if (count < 0) return -1;
    return __builtin_mul_overflow(count, onnx_element_bytes(type->element), &bytes) ? -1 : bytes;
}

static void include(onnx_cost *cost, const onnx_type *type) {
    int64_t bytes = bytes_of(type);
    const tosajit_type element = onnx_element(type->element);
    cost->shape = cost->shape && type->rank <= 1 && element != TOSAJIT_F32 && element != TOSAJIT_I8;
    if (bytes < 0 || cost->largest < 0)
        cost->largest = -1;
    else if (bytes > cost->largest)
        cost->largest = bytes;
}

static bool is_among(int32_t value, const int32_t *list, int32_t count) {
    for (int32_t k = 0; k < count; k++)
        if (list[k] == value) return true;
    return false;
}

/* A value within the region is neither written nor read again. */
static void save(onnx_cost *cost, const onnx_graph *g, const onnx_region *r,
                 const onnx_node *node) {
    for (int32_t k = -1; k < node->input_count; k++) {
        int32_t value = k < 0 ? node->outputs[0] : node->inputs[k];
        int64_t bytes = value < 0 ? -1 : bytes_of(&g->values[value].type);
        bool kept = value < 0 || is_among(value, r->inputs, r->input_count) ||
                    g->values[value].constant ||
                    (k < 0 && is_among(value, r->outputs, r->output_count));
        if (bytes > 0 && !kept && __builtin_add_overflow(cost->saved, bytes, &cost->saved))
            cost->saved = INT64_MAX;
    }
}

onnx_cost onnx_region_cost(const onnx_graph *g, const onnx_region *r, bool fast) {
    onnx_cost cost = {.shape = true};
    for (int32_t k = 0; k < r->input_count; k++) include(&cost, &g->values[r->inputs[k]].type);
    for (int32_t k = 0; k < r->output_count; k++) include(&cost, &g->values[r->outputs[k]].type);
    for (int32_t k = 0; k < r->count; k++) {
        const onnx_node *node = &g->nodes[r->nodes[k]];
        const int32_t weight = weight_of(g, node, fast);
        cost.weight += weight;
        cost.nodes += weight > 0 || !onnx_form_is_view(onnx_form_of(node));
        cost.few = cost.few || (onnx_form_is_rows(onnx_form_of(node)) && node->input_count > 0 &&
                                is_small(&onnx_input(g, node, 0)->type));
        cost.computes = cost.computes || weight > 0;
        cost.table = cost.table || node->table;
        save(&cost, g, r, node);
    }
    return cost;
}

static const char *const blocked[] = {"Add",  "Mul",       "Sum",         "Relu", "Sigmoid",
                                      "Tanh", "LeakyRelu", "HardSigmoid", NULL};

/* Images of the same sizes: no constants, and no gate, which is a point for each channel. */
static bool stays_in_blocks(const onnx_graph *g, const onnx_node *node) {
    bool same = !onnx_is(node, "Mul");
    for (int32_t k = 0; k < 2 && !same && node->input_count == 2; k++) {
        const onnx_value *factor = onnx_input(g, node, k);
        const onnx_node *from =
            factor && factor->producer >= 0 ? &g->nodes[factor->producer] : NULL;
        same = from && from->input_count > 0 && from->inputs[0] == node->inputs[1 - k];
    }
    return same && is_one_of(node, blocked) && !has_constant(g, node);
}

bool onnx_will_be_in_blocks(const onnx_graph *g, const onnx_region *r) {
    bool image = false;
    for (int32_t k = 0; k < r->count; k++)
        if (!stays_in_blocks(g, &g->nodes[r->nodes[k]])) return false;
    for (int32_t k = 0; k < r->input_count; k++) {
        const onnx_value *value = &g->values[r->inputs[k]];
        image = image || (value->type.rank == 4 && value->producer >= 0 &&
                          onnx_is(&g->nodes[value->producer], "Conv"));
    }
    return image;
}
