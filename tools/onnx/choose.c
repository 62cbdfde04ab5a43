/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/choose.h"

#include <string.h>

#include "tools/onnx/share.h"
#include "tools/partition/partition.h"

enum {
    MOST_OPS = 300, /* a text has a thousand statements at most */
    MOST_TENSORS = TOSAJIT_MAX_TENSORS,
};

typedef struct chooser {
    const onnx_graph *g;
    const onnx_options *options;
    arena *memory;
    onnx_choices *choices;
    onnx_writer writer;
} chooser;

/* ---------------------------------------------------------------------------------------------
 * Nodes */

static bool all_constant(const onnx_graph *g, const onnx_node *node) {
    for (int32_t k = 0; k < node->input_count; k++)
        if (onnx_input(g, node, k) && !onnx_input(g, node, k)->constant) return false;
    return true;
}

/* Why a node stays; null: it may be in a region. */
static const char *refuse_alone(const chooser *c, int32_t at, bool *memory) {
    const onnx_node *node = &c->g->nodes[at];
    int32_t inputs[TOSAJIT_MAX_TENSORS], output = node->output_count > 0 ? node->outputs[0] : -1;
    onnx_region alone = {
        .nodes = &at, .count = 1, .outputs = &output, .output_count = 1, .inputs = inputs};
    *memory = true;
    if (all_constant(c->g, node)) return "all operands are constant";
    if (output >= 0 && c->g->values[output].uses == 0) return "nobody reads its result";
    if (onnx_region_text(&c->writer, &alone, memory) || !*memory) return NULL;
    const char *why = arena_text(c->memory, alone.why, strlen(alone.why));
    *memory = why;
    return why;
}

/* Which nodes may be members. False if out of memory. */
static bool classify(const chooser *c, const int32_t *fused, bool *members) {
    for (int32_t k = 0; k < c->g->node_count; k++) {
        bool memory = true;
        const char **why = &c->choices->why[k];
        if (!onnx_form_of(&c->g->nodes[k])) continue;
        if (fused[k] >= 0 && !c->options->fused) {
            *why = arena_print(c->memory, "the engine computes it within %s",
                               onnx_text(c->g->nodes[fused[k]].proto->op_type));
            memory = *why;
        } else {
            *why = refuse_alone(c, k, &memory);
        }
        if (!memory) return false;
        members[k] = !*why;
        if (c->options->progress)
            c->options->progress(c->options->context, (size_t)k, (size_t)c->g->node_count);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The graph as numbers */

typedef struct tables {
    int32_t *operands, *first_operand, *results, *producers, *uses;
} tables;

static bool make_tables(const chooser *c, tables *t) {
    const onnx_graph *g = c->g;
    size_t nodes = (size_t)g->node_count + 1, values = (size_t)g->value_count + 1, reads = 1;
    for (int32_t k = 0; k < g->node_count; k++)
        reads += (size_t)(g->nodes[k].read_count + g->nodes[k].input_count);
    t->operands = arena_array(c->memory, reads, sizeof(int32_t));
    t->first_operand = arena_array(c->memory, nodes, sizeof(int32_t));
    t->results = arena_array(c->memory, nodes, sizeof(int32_t));
    t->producers = arena_array(c->memory, values, sizeof(int32_t));
    t->uses = arena_array(c->memory, values, sizeof(int32_t));
    return t->operands && t->first_operand && t->results && t->producers && t->uses;
}

static void fill_tables(const chooser *c, const bool *members, tables *t) {
    const onnx_graph *g = c->g;
    int32_t at = 0;
    for (int32_t k = 0; k < g->value_count; k++) {
        t->producers[k] = g->values[k].producer;
        t->uses[k] = g->values[k].uses;
    }
    for (int32_t k = 0; k < g->node_count; k++) {
        const onnx_node *node = &g->nodes[k];
        t->first_operand[k] = at;
        t->results[k] = node->output_count > 0 ? node->outputs[0] : -1;
        for (int32_t o = 0; members[k] && o < node->input_count; o++)
            if (node->inputs[o] >= 0 && !onnx_region_is_number(g, node, o))
                t->operands[at++] = node->inputs[o];
        for (int32_t o = 0; !members[k] && o < node->read_count; o++)
            t->operands[at++] = node->reads[o];
    }
    t->first_operand[g->node_count] = at;
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

/* A cast to a wider type, or back from a quantized one, of something that is there in any case. */
static bool is_widened(const chooser *c, const partition_region *from, int32_t value) {
    const onnx_node *node = &c->g->nodes[c->g->values[value].producer];
    if (!onnx_is(node, "Cast") && !onnx_is(node, "DequantizeLinear")) return false;
    int32_t source = node->inputs[0];
    for (int32_t k = 0; k < from->input_count + from->output_count; k++)
        if (from->values[k].value == source)
            return onnx_element_bytes(c->g->values[value].type.element) >
                   onnx_element_bytes(c->g->values[source].type.element);
    return false;
}

/* Take a node out of a region. */
static void drop(onnx_region *r, int32_t *nodes, int32_t node) {
    int32_t kept = 0;
    for (int32_t k = 0; k < r->count; k++)
        if (nodes[k] != node) nodes[kept++] = nodes[k];
    r->count = kept;
}

/* What others read. A cast to a wider type at the edge is not given out as a second and wider
 * result of the same data: the engine makes it from the narrow one. */
static bool set_outputs(const chooser *c, const partition_region *from, int32_t *nodes,
                        onnx_region *r) {
    int32_t *outputs = arena_array(c->memory, (size_t)from->output_count + 1, sizeof *outputs);
    if (!outputs) return false;
    for (int32_t k = 0; k < from->output_count; k++) {
        partition_value output = from->values[from->input_count + k];
        int32_t producer = c->g->values[output.value].producer;
        if (from->output_count == 1 || !is_widened(c, from, output.value)) {
            outputs[r->output_count++] = output.value;
        } else if (output.uses < c->g->values[output.value].uses) {
            c->choices->again[producer] = true;
        } else {
            c->choices->why[producer] = "it only widens what is there";
            drop(r, nodes, producer);
        }
    }
    r->outputs = outputs;
    return true;
}

/* Why a region does not pay; null: it does. */
static const char *refuse_cost(const onnx_options *o, const onnx_cost *cost, arena *memory) {
    if (cost->shape) return "it computes sizes";
    if (cost->weight < o->least_ops)
        return arena_print(memory, "a region of %d %s does not pay", cost->weight,
                           cost->weight == 1 ? "operator" : "operators");
    if (cost->largest >= 0 && cost->largest < o->least_bytes)
        return arena_print(memory, "a region of small tensors does not pay");
    return NULL;
}

static bool add_region(const chooser *c, const partition_region *from, int32_t *nodes) {
    onnx_choices *all = c->choices;
    onnx_choice *choice = &all->list[all->count];
    bool memory = true;
    *choice = (onnx_choice){.region = {.nodes = nodes, .count = from->size}};
    choice->region.inputs = arena_array(c->memory, MOST_TENSORS, sizeof(int32_t));
    if (!choice->region.inputs || !set_outputs(c, from, nodes, &choice->region)) return false;
    choice->text = onnx_region_text(&c->writer, &choice->region, &memory);
    const char *why = choice->text ? NULL : choice->region.why;
    if (choice->text) choice->cost = onnx_region_cost(c->g, &choice->region);
    if (choice->text) why = refuse_cost(c->options, &choice->cost, c->memory);
    for (int32_t k = 0; k < choice->region.count; k++) {
        all->owners[nodes[k]] = why ? -1 : all->count;
        all->why[nodes[k]] = why;
        if (why) all->again[nodes[k]] = false;
    }
    if (!why) all->count++;
    return memory;
}

static bool add_regions(const chooser *c, const partition *p) {
    for (int32_t k = 0; k < c->g->node_count; k++) {
        const partition_region *region = &p->list[k];
        if (!p->g->members[k] || p->heads[k] != k) continue;
        int32_t *nodes = arena_array(c->memory, (size_t)region->size, sizeof *nodes);
        if (!nodes) return false;
        partition_list(p, k, nodes);
        if (!add_region(c, region, nodes)) return false;
    }
    return true;
}

static bool divide(const chooser *c, const bool *members) {
    tables t;
    partition p;
    if (!make_tables(c, &t)) return false;
    fill_tables(c, members, &t);
    const partition_graph graph = {c->g->node_count, c->g->value_count, members,     t.operands,
                                   t.first_operand,  t.results,         t.producers, t.uses,
                                   MOST_OPS,         MOST_TENSORS};
    bool fine =
        partition_open(&p, &graph) && add_regions(c, &p) && onnx_share(&c->writer, c->choices);
    partition_release(&p);
    return fine;
}

bool onnx_choose(const onnx_graph *g, const onnx_options *options, tosajit_engine *engine,
                 arena *memory, onnx_choices *choices) {
    size_t nodes = (size_t)g->node_count + 1, values = (size_t)g->value_count + 1;
    int32_t *labels = arena_array(memory, values, sizeof *labels);
    const chooser c = {g, options, memory, choices, {g, engine, memory, labels}};
    int32_t *fused = arena_array(memory, nodes, sizeof *fused);
    bool *members = arena_array(memory, nodes, sizeof *members);
    *choices = (onnx_choices){.list = arena_array(memory, nodes, sizeof *choices->list),
                              .owners = arena_array(memory, nodes, sizeof *choices->owners),
                              .again = arena_array(memory, nodes, sizeof *choices->again),
                              .why = arena_array(memory, nodes, sizeof *choices->why)};
    if (!fused || !members || !labels || !choices->list || !choices->owners || !choices->again ||
        !choices->why)
        return false;
    for (int32_t k = 0; k < g->node_count; k++) choices->owners[k] = -1;
    onnx_mark_fused(g, fused, labels);
    memset(labels, 0, values * sizeof *labels);
    return classify(&c, fused, members) && divide(&c, members);
}
