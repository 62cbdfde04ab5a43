/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library makes such tables itself where it knows all numbers. Made here, one kernel serves all
 * tables of a model, and precompiled ops look up, too. */
#include "tools/onnx/tables.h"

#include <string.h>

enum { ENTRIES = 256, MOST_NODES = 32 };

typedef struct chain {
    onnx_graph *g;
    int32_t source;                   /* the value that all depends on; -1: none so far */
    int32_t nodes[MOST_NODES], count; /* in order, the last one gives 8 bits */
} chain;

static bool is_byte(const onnx_value *value) {
    return onnx_element(value->type.element) == TOSAJIT_I8;
}

/* True if a value depends on the source alone, by nodes that are elementwise. */
static bool trace(chain *c, int32_t value, int32_t depth);

static bool trace_node(chain *c, int32_t at, int32_t depth) {
    const onnx_node *node = &c->g->nodes[at];
    const onnx_form *form = onnx_form_of(node);
    for (int32_t k = 0; k < c->count; k++)
        if (c->nodes[k] == at) return true;
    if (!form || !onnx_form_is_elementwise(form) || node->output_count != 1 || node->outputs[0] < 0)
        return false;
    for (int32_t k = 0; k < node->input_count; k++)
        if (node->inputs[k] >= 0 && !trace(c, node->inputs[k], depth + 1)) return false;
    if (c->count == MOST_NODES) return false;
    c->nodes[c->count++] = at;
    return true;
}

static bool trace(chain *c, int32_t value, int32_t depth) {
    const onnx_value *v = &c->g->values[value];
    const bool table = v->producer >= 0 && c->g->nodes[v->producer].table;
    if (v->constant) return v->fresh ? onnx_elements(&v->type) != 0 : onnx_elements(&v->type) == 1;
    if (is_byte(v) && !table) {
        if (c->source < 0) c->source = value;
        return c->source == value;
    }
    return v->producer >= 0 && depth < MOST_NODES && trace_node(c, v->producer, depth);
}

/* The operands that a text of the chain has: the source, and tables. */
static bool set_operand(const chain *c, int32_t value, int8_t *all, tosajit_tensor *operand) {
    static const int64_t sizes[] = {ENTRIES};
    const Onnx__TensorProto *constant = c->g->values[value].constant;
    if (constant && (!constant->has_raw_data || constant->raw_data.len != ENTRIES)) return false;
    void *data = constant ? (void *)constant->raw_data.data : all;
    *operand = tosajit_dense(TOSAJIT_I8, data, 1, sizes);
    return true;
}

static bool run(const chain *c, const onnx_region *r, const char *text, tosajit_engine *engine,
                int8_t *entries) {
    const int64_t sizes[] = {ENTRIES};
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS],
        result = tosajit_dense(TOSAJIT_I8, entries, 1, sizes);
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    int8_t all[ENTRIES];
    bool fine = true;
    for (int k = 0; k < ENTRIES; k++) all[k] = (int8_t)(k + INT8_MIN);
    for (int32_t k = 0; k < r->input_count; k++)
        fine = fine && set_operand(c, r->inputs[k], all, &operands[k]);
    fine = fine && !tosajit_expr_parse(text, strlen(text), NULL, &expr) &&
           !tosajit_compile_expr(engine, expr, &kernel) &&
           !tosajit_run(kernel, operands, (size_t)r->input_count, &result, 1);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    return fine;
}

/* Results of the chain for each of its source's 256 values; false where no text says it. */
static bool evaluate(const chain *c, const onnx_writer *w, int8_t *entries, bool *enough) {
    int32_t inputs[TOSAJIT_MAX_TENSORS];
    const int32_t output = c->g->nodes[c->nodes[c->count - 1]].outputs[0];
    onnx_region r = {.nodes = c->nodes,
                     .count = c->count,
                     .outputs = &output,
                     .output_count = 1,
                     .inputs = inputs};
    onnx_type *source = &c->g->values[c->source].type, *result = &c->g->values[output].type;
    const onnx_type before = *source, after = *result;
    *source = (onnx_type){before.element, 1, {ENTRIES}};
    result->rank = -1;
    const char *text = onnx_region_text(w, &r, enough);
    *source = before;
    *result = after;
    return text && run(c, &r, text, w->engine, entries);
}

static Onnx__TensorProto *make_tensor(arena *memory, const char *of, const int8_t *entries) {
    Onnx__TensorProto *tensor = arena_take(memory, sizeof *tensor);
    uint8_t *bytes = arena_take(memory, ENTRIES);
    if (!tensor || !bytes) return NULL;
    onnx__tensor_proto__init(tensor);
    tensor->has_data_type = tensor->has_raw_data = 1;
    tensor->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
    tensor->name = arena_print(memory, "tosajit/%s/table", of);
    tensor->n_dims = 1;
    tensor->dims = arena_array(memory, 1, sizeof *tensor->dims);
    if (!tensor->name || !tensor->dims) return NULL;
    tensor->dims[0] = ENTRIES;
    tensor->raw_data.data = memcpy(bytes, entries, ENTRIES);
    tensor->raw_data.len = ENTRIES;
    return tensor;
}

/* Nodes of the chain that nobody else reads are not needed any more. */
static void drop_unread(const chain *c) {
    for (int32_t k = c->count - 2; k >= 0; k--) {
        onnx_node *node = &c->g->nodes[c->nodes[k]];
        if (c->g->values[node->outputs[0]].uses > 0) continue;
        node->gone = true;
        for (int32_t i = 0; i < node->read_count; i++) c->g->values[node->reads[i]].uses--;
        node->read_count = node->input_count = 0;
    }
}

/* The last node looks up. False if out of memory. */
static bool replace(const chain *c, const onnx_writer *w, const int8_t *entries) {
    onnx_node *node = &c->g->nodes[c->nodes[c->count - 1]];
    const onnx_node before = *node;
    int32_t *inputs = arena_array(w->memory, 2, sizeof *inputs), room[TOSAJIT_MAX_TENSORS];
    int32_t *reads = arena_array(w->memory, 1, sizeof *reads);
    Onnx__TensorProto *tensor = make_tensor(w->memory, onnx_text(node->proto->output[0]), entries);
    if (!inputs || !reads || !tensor) return false;
    reads[0] = inputs[0] = c->source;
    inputs[1] = onnx_graph_constant(c->g, tensor);
    node->inputs = inputs;
    node->input_count = 2;
    node->reads = reads;
    node->read_count = 1;
    node->table = true;
    bool enough = true;
    onnx_region alone = {.nodes = &c->nodes[c->count - 1],
                         .count = 1,
                         .outputs = node->outputs,
                         .output_count = 1,
                         .inputs = room};
    if (!onnx_region_text(w, &alone, &enough)) {
        *node = before;
        return enough;
    }
    for (int32_t k = 0; k < before.read_count; k++) c->g->values[before.reads[k]].uses--;
    c->g->values[c->source].uses++;
    drop_unread(c);
    return true;
}

/* An operator alone is no table if it only moves bits. */
static bool pays(const chain *c) {
    int32_t weight = 0;
    for (int32_t k = 0; k < c->count; k++)
        weight += onnx_form_weight(onnx_form_of(&c->g->nodes[c->nodes[k]]));
    return weight > 1;
}

bool onnx_tables(onnx_graph *g, tosajit_engine *engine) {
    const size_t room = (size_t)g->value_capacity + 1;
    int32_t *labels = NULL;
    int8_t entries[ENTRIES];
    for (int32_t k = 0; k < g->node_count; k++) {
        chain c = {.g = g, .source = -1};
        const onnx_node *node = &g->nodes[k];
        bool enough = true;
        if (node->output_count != 1 || node->outputs[0] < 0 || node->input_count < 1) continue;
        if (g->values[node->outputs[0]].uses == 0) continue; /* it stays, and reads what it reads */
        const onnx_value *last = onnx_input(g, node, node->input_count - 1);
        if (!is_byte(&g->values[node->outputs[0]]) || !last || !last->fresh) continue;
        if (!trace_node(&c, k, 0) || c.source < 0 || !pays(&c)) continue;
        if (!labels) labels = arena_array(g->memory, room, sizeof *labels);
        const onnx_writer w = {g, engine, g->memory, labels};
        if (!labels) return false;
        if (evaluate(&c, &w, entries, &enough) && !replace(&c, &w, entries)) return false;
        if (!enough) return false;
    }
    return true;
}
