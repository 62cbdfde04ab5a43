/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region on blocks takes its images where a ReorderOutput has them from, and gives its results
 * where a ReorderInput would. A ReorderOutput stays for those who read an image as the model has
 * it. Where a region needs the five sizes of blocks, its text reshapes its operands, which moves
 * nothing. */
#include "tools/onnx/rewrite.h"

#include <string.h>

#include "tools/onnx/layout.h"
#include "tools/onnx/message.h"
#include "tools/onnx/order.h"
#include "tools/onnx/transpose.h"
#include "tools/onnx/upsample.h"

static const char blocks_domain[] = "com.microsoft.nchwc";

/* Messages of a kind. The list grows. */
typedef struct list {
    void **items;
    size_t count, capacity;
} list;

typedef struct writing {
    onnx_graph *g;
    onnx_choices *all;
    arena *memory;
    onnx_names *names;
    list nodes, constants, types;
    const char **blocked; /* per value: its name in blocks, once it is there */
    const char **split;   /* per constant: its name with a number for each channel of blocks */
    bool *written;        /* per node: ahead of its place */
    tosajit_accuracy accuracy;
    bool failed;
} writing;

/* Null: out of memory. */
static void push(writing *w, list *l, void *item) {
    if (item && l->count == l->capacity) {
        size_t capacity = l->capacity * 2 + 16;
        void **items = arena_array(w->memory, capacity, sizeof *items);
        if (items && l->count) memcpy(items, l->items, l->count * sizeof *items);
        l->items = items;
        l->capacity = capacity;
    }
    w->failed = w->failed || !item || !l->items;
    if (!w->failed) l->items[l->count++] = item;
}

static const char *new_name(writing *w) {
    char *name = arena_print(w->memory, "tosajit/value_%zu", w->names->values++);
    w->failed = w->failed || !name;
    return name ? name : "";
}

/* A node with an operand and a result. */
static Onnx__NodeProto *add_node(writing *w, const char *domain, const char *op, const char *from,
                                 const char *to) {
    Onnx__NodeProto *node = message_node(w->memory, domain, op, 1, 1);
    push(w, &w->nodes, node);
    if (w->failed) return NULL;
    node->input[0] = (char *)from;
    node->output[0] = (char *)to;
    return node;
}

static Onnx__TensorProto *add_constant(writing *w, const onnx_type *type) {
    Onnx__TensorProto *tensor = message_tensor(w->memory, new_name(w), type);
    push(w, &w->constants, tensor);
    return w->failed ? NULL : tensor;
}

static void add_type(writing *w, const char *name, const onnx_type *type) {
    push(w, &w->types, message_value(w->memory, name, type));
}

/* ---------------------------------------------------------------------------------------------
 * Images in blocks */

/* A value in blocks, which it may have to be brought into. */
static const char *in_blocks(writing *w, int32_t value) {
    int32_t output = onnx_layout_output(w->g, value), input = w->all->layout.inputs[value];
    if (w->blocked[value]) return w->blocked[value];
    if (output >= 0) {
        w->blocked[value] = w->g->nodes[output].proto->input[0];
    } else if (input >= 0) {
        w->blocked[value] = w->g->nodes[input].proto->output[0];
        if (!w->written[input]) push(w, &w->nodes, w->g->nodes[input].proto);
        w->written[input] = true;
    } else {
        w->blocked[value] = new_name(w);
        add_node(w, blocks_domain, "ReorderInput", w->g->values[value].name, w->blocked[value]);
    }
    return w->blocked[value];
}

static int64_t blocks_of(const writing *w, int64_t channels) {
    return onnx_layout_round(&w->all->layout, channels) / w->all->layout.block;
}

/* A number for each channel, and 0 for padding. */
static const char *split_constant(writing *w, int32_t value) {
    const int64_t block = w->all->layout.block;
    const onnx_value *v = &w->g->values[value];
    const int64_t channels = onnx_elements(&v->type);
    const onnx_type type = {v->type.element, 4, {blocks_of(w, channels), 1, 1, block}};
    if (w->split[value]) return w->split[value];
    Onnx__TensorProto *tensor = add_constant(w, &type);
    for (int64_t k = 0; k < channels && tensor; k++) {
        double number = 0;
        onnx_constant_at(v->constant, (size_t)k, &number);
        tensor->float_data[k] = (float)number;
    }
    if (tensor) w->split[value] = tensor->name;
    return w->split[value];
}

/* Which channels there are. */
static const char *mask(writing *w, int64_t channels) {
    const int64_t block = w->all->layout.block;
    const onnx_type type = {
        ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, 4, {blocks_of(w, channels), 1, 1, block}};
    Onnx__TensorProto *tensor = add_constant(w, &type);
    for (int64_t k = 0; k < channels && tensor; k++) tensor->int32_data[k] = 1;
    return tensor ? tensor->name : "";
}

/* A result on blocks is there. Those who read it as the model has it get it so. */
static const char *give(writing *w, int32_t value) {
    int32_t input = w->all->layout.inputs[value];
    w->blocked[value] = input >= 0 ? w->g->nodes[input].proto->output[0] : new_name(w);
    return w->blocked[value];
}

static void give_plain(writing *w, int32_t value) {
    if (!w->all->layout.plain[value]) return;
    Onnx__NodeProto *node =
        add_node(w, blocks_domain, "ReorderOutput", w->blocked[value], w->g->values[value].name);
    if (node)
        w->failed =
            !message_add_number(w->memory, node, "channels", w->all->layout.channels[value]);
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

static const char *operand(writing *w, const onnx_region *r, int32_t value) {
    const onnx_value *v = &w->g->values[value];
    bool number = v->constant && onnx_elements(&v->type) == 1;
    if (r->view == ONNX_AS_DECLARED || number) {
        if (v->fresh) push(w, &w->constants, v->fresh);
        w->g->values[value].fresh = NULL;
        return v->name;
    }
    if (r->view == ONNX_TRANSPOSED) return onnx_transpose_source(w->g, value);
    if (v->constant) return split_constant(w, value);
    return in_blocks(w, value);
}

static const Onnx__TensorShapeProto *declared_shape(const Onnx__ValueInfoProto *info) {
    const Onnx__TypeProto *type = info->type;
    bool tensor = type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    return tensor ? type->tensor_type->shape : NULL;
}

/* The model's declaration of a value, with the sizes that its nodes tell besides: they may no
 * longer be there. Symbols of sizes stay. */
static void declare(writing *w, const onnx_value *value) {
    const int32_t k = value->declared;
    if (value->type.rank < 0) return;
    if (k < 0) {
        if (!value->result) add_type(w, value->name, &value->type);
        return;
    }
    Onnx__ValueInfoProto *info = message_value(w->memory, value->name, &value->type);
    w->failed = w->failed || !info;
    if (w->failed) return;
    const Onnx__TensorShapeProto *old = declared_shape(w->g->proto->value_info[k]);
    Onnx__TensorShapeProto *shape = info->type->tensor_type->shape;
    for (size_t d = 0; old && old->n_dim == shape->n_dim && d < shape->n_dim; d++)
        if (value->type.dims[d] < 0) shape->dim[d] = old->dim[d];
    w->types.items[k] = info;
}

/* The engine does not know what a region gives, so the model says it. */
static const char *result(writing *w, const onnx_region *r, int32_t value) {
    const int64_t any = TOSAJIT_DYNAMIC;
    const onnx_value *v = &w->g->values[value];
    onnx_type type = {v->type.element, 4, {any, any, any, any}};
    if (r->view == ONNX_AS_DECLARED) {
        declare(w, v);
        return v->name;
    }
    if (r->view == ONNX_TRANSPOSED) type = onnx_region_type(r, &v->type);
    const char *name = r->view == ONNX_TRANSPOSED ? new_name(w) : give(w, value);
    add_type(w, name, &type);
    return name;
}

static void transpose(writing *w, const char *from, const char *to,
                      const Onnx__AttributeProto *order) {
    Onnx__NodeProto *node = add_node(w, "", "Transpose", from, to);
    if (node) node->attribute[node->n_attribute++] = (Onnx__AttributeProto *)(uintptr_t)order;
}

static void finish_result(writing *w, const onnx_region *r, int32_t value, const char *name) {
    if (r->view == ONNX_AS_DECLARED) return;
    if (r->view == ONNX_TRANSPOSED) {
        transpose(w, name, w->g->values[value].name, r->order);
        return;
    }
    give_plain(w, value);
}

/* The expression, and what it does not say: which results are unsigned. */
static bool add_attributes(const writing *w, const onnx_choice *choice, Onnx__NodeProto *node) {
    static const char *const words[] = {"exact", "reproducible", "contracted"};
    const onnx_region *r = &choice->region;
    int64_t types[TOSAJIT_MAX_TENSORS];
    for (int32_t k = 0; k < r->output_count; k++)
        types[k] = w->g->values[r->outputs[k]].type.element;
    return message_add_text(w->memory, node, "expression", choice->text) &&
           message_add_numbers(w->memory, node, "types", types, (size_t)r->output_count) &&
           (w->accuracy == TOSAJIT_EXACT ||
            message_add_text(w->memory, node, "accuracy", words[w->accuracy]));
}

/* The operator says how many outputs there are at least. */
static Onnx__NodeProto *region_node(const writing *w, int32_t inputs, int32_t outputs) {
    static const char *const names[] = {"Region",  "Region2", "Region3", "Region4",
                                        "Region5", "Region6", "Region7", "Region8"};
    const int32_t last = sizeof names / sizeof *names;
    return message_node(w->memory, "tosajit", names[(outputs < last ? outputs : last) - 1], inputs,
                        outputs);
}

static void add_region(writing *w, onnx_choice *choice) {
    const onnx_region *r = &choice->region;
    const int32_t operands = r->input_count + r->masked;
    Onnx__NodeProto *node = region_node(w, operands + (choice->image != NULL), r->output_count);
    if (!node) {
        w->failed = true;
        return;
    }
    choice->number = w->names->regions++;
    node->name = arena_print(w->memory, "tosajit/region_%zu", choice->number);
    for (int32_t k = 0; k < r->input_count; k++)
        node->input[k] = (char *)operand(w, r, r->inputs[k]);
    if (r->masked)
        node->input[r->input_count] = (char *)mask(w, w->all->layout.channels[r->outputs[0]]);
    if (choice->image) node->input[operands] = choice->image;
    push(w, &w->nodes, node);
    for (int32_t k = 0; k < r->output_count; k++)
        node->output[k] = (char *)result(w, r, r->outputs[k]);
    for (int32_t k = 0; k < r->output_count; k++)
        finish_result(w, r, r->outputs[k], node->output[k]);
    w->failed = w->failed || !node->name || !add_attributes(w, choice, node);
}

/* ---------------------------------------------------------------------------------------------
 * The graph */

/* A pooling or a Resize on blocks. */
static void add_on_blocks(writing *w, const onnx_node *node) {
    int64_t factors[ONNX_UPSAMPLE_RANK];
    const char *from = in_blocks(w, node->inputs[0]), *to = give(w, node->outputs[0]);
    Onnx__NodeProto *made =
        onnx_upsample_read(w->g, node, factors)
            ? onnx_upsample_node(w->memory, factors)
            : message_node(w->memory, blocks_domain, node->proto->op_type, 1, 1);
    push(w, &w->nodes, made);
    if (w->failed) return;
    made->name = node->proto->name;
    made->input[0] = (char *)from;
    made->output[0] = (char *)to;
    give_plain(w, node->outputs[0]);
}

static void add_other(writing *w, int32_t at) {
    const onnx_layout *l = &w->all->layout;
    const onnx_node *node = &w->g->nodes[at];
    int32_t first = node->output_count > 0 ? node->outputs[0] : -1;
    int32_t from = node->input_count > 0 ? node->inputs[0] : -1;
    bool blocks = l->divisor > 0 && first >= 0;
    bool output = blocks && onnx_layout_output(w->g, first) == at;
    bool input = blocks && from >= 0 && l->inputs[from] == at;
    if (w->all->gone[at]) return;
    if (output ? !l->plain[first] : input && (l->given[from] || w->written[at])) return;
    if (blocks && !output && l->given[first])
        add_on_blocks(w, node);
    else
        push(w, &w->nodes, node->proto);
    w->written[at] = true;
}

static bool begin(writing *w) {
    const Onnx__GraphProto *graph = w->g->proto;
    size_t values = (size_t)w->g->value_count + 1;
    w->blocked = arena_array(w->memory, values, sizeof *w->blocked);
    w->split = arena_array(w->memory, values, sizeof *w->split);
    w->written = arena_array(w->memory, (size_t)w->g->node_count + 1, sizeof *w->written);
    for (size_t k = 0; k < graph->n_initializer; k++) push(w, &w->constants, graph->initializer[k]);
    for (size_t k = 0; k < graph->n_value_info; k++) push(w, &w->types, graph->value_info[k]);
    return w->blocked && w->split && w->written && !w->failed;
}

static void finish(const writing *w) {
    Onnx__GraphProto *graph = w->g->proto;
    graph->node = (Onnx__NodeProto **)w->nodes.items;
    graph->n_node = w->nodes.count;
    graph->initializer = (Onnx__TensorProto **)w->constants.items;
    graph->n_initializer = w->constants.count;
    graph->value_info = (Onnx__ValueInfoProto **)w->types.items;
    graph->n_value_info = w->types.count;
}

bool onnx_rewrite(onnx_graph *g, onnx_choices *choices, tosajit_accuracy accuracy,
                  onnx_names *names) {
    writing w = {.g = g, .all = choices, .memory = g->memory, .names = names, .accuracy = accuracy};
    onnx_order order;
    if (!onnx_order_make(&order, g, choices) || !begin(&w)) return false;
    for (int32_t k = 0; k < order.count && !w.failed; k++) {
        int32_t number = order.list[k];
        if (number < g->node_count)
            add_other(&w, number);
        else
            add_region(&w, &choices->list[number - g->node_count]);
    }
    if (!w.failed) finish(&w);
    return !w.failed;
}
