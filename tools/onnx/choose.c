/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/choose.h"

#include <string.h>

#include "tools/onnx/layout.h"
#include "tools/onnx/lowering/rows.h"
#include "tools/onnx/lowering/views.h"
#include "tools/onnx/transpose.h"
#include "tosajit/graph.h"

enum { MOST_OPS = 300 }; /* a text has a thousand statements at most */

typedef struct chooser {
    const onnx_graph *g;
    const onnx_options *options;
    arena *memory;
    onnx_choices *choices;
    onnx_writer writer;
    bool optimized;    /* the graph, by the engine */
    bool *split;       /* per node: its region was none with it, so it stays alone */
    bool *blocked;     /* per node: it pays on blocks of channels alone */
    bool *images;      /* per value: the engine has it in blocks, or might */
    int32_t *patience; /* the number of views that may yet be looked for singly */
} chooser;

/* ---------------------------------------------------------------------------------------------
 * Nodes */

static const char constant_alone[] = "all operands are constant";

/* The engine computes it once, and then what reads nothing else. */
static bool all_constant(const chooser *c, const onnx_node *node) {
    for (int32_t k = 0; k < node->input_count; k++) {
        const onnx_value *value = onnx_input(c->g, node, k);
        const bool folded =
            value && value->producer >= 0 && c->choices->why[value->producer] == constant_alone;
        if (value && !value->constant && !folded) return false;
    }
    return true;
}

/* Why a node stays; null: it may be in a region. */
static const char *refuse_alone(const chooser *c, int32_t at, bool *memory) {
    const onnx_node *node = &c->g->nodes[at];
    int32_t inputs[TOSAJIT_MAX_TENSORS], output = node->output_count > 0 ? node->outputs[0] : -1;
    onnx_region alone = {
        .nodes = &at, .count = 1, .outputs = &output, .output_count = 1, .inputs = inputs};
    *memory = true;
    if (all_constant(c, node)) return constant_alone;
    if (output >= 0 && c->g->values[output].uses == 0) return "nobody reads its result";
    if (onnx_region_text(&c->writer, &alone, memory) || !*memory) return NULL;
    const char *why = arena_text(c->memory, alone.why, strlen(alone.why));
    *memory = why;
    return why;
}

/* Which nodes may be members. False if out of memory. */
static bool classify(const chooser *c, const int32_t *fused, bool *members) {
    const bool blocks = onnx_mark_images(c->g, c->images);
    const bool settled = c->optimized || c->options->fused || c->options->block > 0;
    for (int32_t k = 0; k < c->g->node_count; k++) {
        bool memory = true;
        const char **why = &c->choices->why[k];
        c->choices->gone[k] = c->g->nodes[k].gone;
        if (c->g->nodes[k].gone || !onnx_form_of(&c->g->nodes[k])) continue;
        if (fused[k] >= 0 && !c->options->fused) {
            *why = arena_print(c->memory, "the engine computes it within %s",
                               onnx_text(c->g->nodes[fused[k]].proto->op_type));
            memory = *why;
        } else {
            *why = refuse_alone(c, k, &memory);
            if (!*why && (blocks || c->options->least_ops > 0))
                *why =
                    onnx_left_to_engine(c->g, &c->g->nodes[k],
                                        c->options->accuracy != TOSAJIT_EXACT, settled, c->images);
        }
        if (!memory) return false;
        c->blocked[k] = *why == onnx_but_in_blocks &&
                        onnx_form_is_rows(onnx_form_of(&c->g->nodes[k])) &&
                        onnx_rows_block_axes(c->g, &c->g->nodes[k]) != ONNX_NO_AXES;
        if (c->blocked[k]) *why = NULL;
        members[k] = !*why;
        if (*why != constant_alone && onnx_form_is_view(onnx_form_of(&c->g->nodes[k]))) *why = NULL;
        if (c->options->progress)
            c->options->progress(c->options->context, (size_t)k, (size_t)c->g->node_count);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The graph as numbers */

typedef struct tables {
    int32_t *operands, *first_operand, *producers;
    uint8_t *members, *kept;
} tables;

static bool make_tables(const chooser *c, tables *t) {
    const onnx_graph *g = c->g;
    size_t nodes = (size_t)g->node_count + 1, values = (size_t)g->value_count + 1, reads = 1;
    for (int32_t k = 0; k < g->node_count; k++)
        reads += (size_t)(g->nodes[k].read_count + g->nodes[k].input_count);
    t->operands = arena_array(c->memory, reads, sizeof(int32_t));
    t->first_operand = arena_array(c->memory, nodes, sizeof(int32_t));
    t->producers = arena_array(c->memory, values, sizeof(int32_t));
    t->members = arena_array(c->memory, nodes, 1);
    t->kept = arena_array(c->memory, values, 1);
    return t->operands && t->first_operand && t->producers && t->members && t->kept;
}

/* A value is kept if it has more uses than nodes; left is per value, and zero. */
static void fill_tables(const chooser *c, const bool *members, int32_t *left, tables *t) {
    const onnx_graph *g = c->g;
    int32_t at = 0;
    for (int32_t k = 0; k < g->node_count; k++) {
        const onnx_node *node = &g->nodes[k];
        t->first_operand[k] = at;
        t->members[k] = members[k];
        for (int32_t o = 0; members[k] && o < node->input_count; o++)
            if (node->inputs[o] >= 0 && !onnx_region_is_number(g, node, o))
                t->operands[at++] = node->inputs[o];
        for (int32_t o = 0; !members[k] && o < node->read_count; o++)
            t->operands[at++] = node->reads[o];
    }
    t->first_operand[g->node_count] = at;
    for (int32_t k = 0; k < at; k++) left[t->operands[k]]--;
    for (int32_t k = 0; k < g->value_count; k++) {
        t->producers[k] = g->values[k].producer;
        left[k] += g->values[k].uses;
        t->kept[k] = left[k] > 0;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

/* Nodes that can become a single node, in order. */
typedef struct group {
    const int32_t *regions; /* per node: the first one of its region */
    int32_t *nodes;
    int32_t count;
} group;

static bool has_node(const group *o, int32_t node) {
    return node >= 0 && o->regions[node] == o->nodes[0];
}

/* How often nodes of the region read a value. */
static int32_t inner_uses(const chooser *c, const group *o, int32_t value) {
    int32_t uses = 0;
    for (int32_t k = 0; k < o->count; k++) {
        const onnx_node *node = &c->g->nodes[o->nodes[k]];
        for (int32_t i = 0; i < node->input_count; i++) uses += node->inputs[i] == value;
    }
    return uses;
}

/* A cast to a wider type of something that is there in any case. */
static bool is_widened(const chooser *c, const group *o, int32_t value) {
    const onnx_node *node = &c->g->nodes[c->g->values[value].producer];
    if (!onnx_is(node, "Cast")) return false;
    const int32_t source = node->inputs[0];
    const bool there = !has_node(o, c->g->values[source].producer) ||
                       inner_uses(c, o, source) < c->g->values[source].uses;
    return there && onnx_element_bytes(c->g->values[value].type.element) >
                        onnx_element_bytes(c->g->values[source].type.element);
}

/* Take a node out of a region. */
static void drop(onnx_region *r, int32_t *nodes, int32_t node) {
    int32_t kept = 0;
    for (int32_t k = 0; k < r->count; k++)
        if (nodes[k] != node) nodes[kept++] = nodes[k];
    r->count = kept;
}

/* The number of the nodes' results; results that nobody reads count. */
static size_t result_count(const chooser *c, const group *o) {
    size_t count = 0;
    for (int32_t k = 0; k < o->count; k++) count += (size_t)c->g->nodes[o->nodes[k]].output_count;
    return count;
}

/* Results of a region that others read. A cast to a wider type at the edge is not given out as a
 * second and wider result of the same data: the engine makes it from the narrow one. */
static bool set_outputs(const chooser *c, const group *o, onnx_region *r) {
    int32_t *outputs = arena_array(c->memory, result_count(c, o) + 1, sizeof *outputs), count = 0;
    if (!outputs) return false;
    for (int32_t k = 0; k < o->count; k++) {
        const onnx_node *node = &c->g->nodes[o->nodes[k]];
        for (int32_t i = 0; i < node->output_count; i++) {
            const int32_t value = onnx_form_gives(node, i) ? node->outputs[i] : -1;
            if (value >= 0 && inner_uses(c, o, value) < c->g->values[value].uses)
                outputs[count++] = value;
        }
    }
    for (int32_t k = 0; k < count; k++) {
        const int32_t value = outputs[k], producer = c->g->values[value].producer;
        if (count == 1 || !is_widened(c, o, value)) {
            outputs[r->output_count++] = value;
        } else if (inner_uses(c, o, value) > 0) {
            c->choices->again[producer] = true;
        } else {
            c->choices->why[producer] = "it only widens what is there";
            drop(r, o->nodes, producer);
        }
    }
    r->outputs = outputs;
    return true;
}

/* Why a region does not pay; null: it does. It may drop reorderings besides its own operators. */
static const char *refuse_cost(const onnx_options *o, const onnx_cost *cost, int32_t dropped,
                               arena *memory) {
    if (cost->table) return NULL;
    if (cost->shape) return "it computes sizes";
    const bool nothing = !cost->computes && o->least_ops > 0;
    if (nothing || cost->weight + dropped < o->least_ops)
        return nothing ? "it computes nothing"
                       : arena_print(memory, "a region of %d %s does not pay", cost->weight,
                                     cost->weight == 1 ? "operator" : "operators");
    /* A call of a node takes 1.35 us, and that of a region 0.5 us more, however small tensors are.
     */
    if (cost->nodes > 1) return NULL;
    if (cost->few && o->least_ops > 0) return "of few elements the engine is faster";
    if (cost->largest >= 0 && cost->largest < o->least_bytes)
        return arena_print(memory, "one operator of small tensors does not pay");
    return NULL;
}

/* A view that stays is a matter of course. */
static void set_owner(const chooser *c, const onnx_region *r, int32_t owner, const char *why) {
    onnx_choices *all = c->choices;
    for (int32_t k = 0; k < r->count; k++) {
        const bool view = onnx_form_is_view(onnx_form_of(&c->g->nodes[r->nodes[k]]));
        all->owners[r->nodes[k]] = owner;
        all->why[r->nodes[k]] = view ? NULL : why;
        if (why) all->again[r->nodes[k]] = false;
    }
}

static bool add_region(const chooser *c, const group *o);

/* True if an index says what a node takes, or where it puts what. */
static bool has_index(const chooser *c, int32_t node) {
    return onnx_views_gathers(&c->g->nodes[node]) || onnx_views_scatters(&c->g->nodes[node]);
}

/* Take what has an index out of a region. False if there is none. */
static bool part_gathers(const chooser *c, const onnx_region *r) {
    bool any = false;
    for (int32_t k = 0; k < r->count; k++)
        if (has_index(c, r->nodes[k])) any = c->split[r->nodes[k]] = true;
    return any;
}

/* Without what takes dimensions away or moves elements there may be a region. Gathers combine with
 * the fewest operators, so they are the first to go. */
static void part(const chooser *c, const onnx_region *r) {
    const bool gathers = r->culprit >= 0 && has_index(c, r->culprit);
    if (!gathers && part_gathers(c, r)) return;
    if (r->culprit >= 0 && (*c->patience)-- > 0) {
        c->split[r->culprit] = true;
        return;
    }
    for (int32_t k = 0; k < r->count; k++) {
        const onnx_node *node = &c->g->nodes[r->nodes[k]];
        if (onnx_rows_squeezes(node) || onnx_form_is_view(onnx_form_of(node)))
            c->split[r->nodes[k]] = true;
    }
}

/* Where a region is refused, each of its tables becomes a region. */
static bool add_tables(const chooser *c, const group *o) {
    for (int32_t k = 0; k < o->count && o->count > 1; k++) {
        const group alone = {o->regions, o->nodes + k, 1};
        if (c->g->nodes[o->nodes[k]].table && !add_region(c, &alone)) return false;
    }
    return true;
}

static bool add_region(const chooser *c, const group *o) {
    enum { MOST_DROPPED = 2 };
    onnx_choices *all = c->choices;
    onnx_choice *choice = &all->list[all->count];
    bool memory = true;
    *choice = (onnx_choice){.region = {.nodes = o->nodes, .count = o->count}};
    choice->region.inputs = arena_array(c->memory, TOSAJIT_MAX_TENSORS, sizeof(int32_t));
    if (!choice->region.inputs || !set_outputs(c, o, &choice->region)) return false;
    choice->text = onnx_region_text(&c->writer, &choice->region, &memory);
    const char *why = NULL;
    if (!choice->text) {
        why = arena_text(c->memory, choice->region.why, strlen(choice->region.why));
        memory = memory && why;
        part(c, &choice->region);
    }
    if (choice->text)
        choice->cost =
            onnx_region_cost(c->g, &choice->region, c->options->accuracy != TOSAJIT_EXACT);
    if (choice->text) why = refuse_cost(c->options, &choice->cost, MOST_DROPPED, c->memory);
    if (choice->text) choice->why = refuse_cost(c->options, &choice->cost, 0, c->memory);
    if (!why && c->options->least_ops > 0 && !c->options->fused && !c->optimized &&
        onnx_will_be_in_blocks(c->g, &choice->region))
        why = "the engine computes it in blocks of channels";
    set_owner(c, &choice->region, why ? -1 : all->count, why);
    if (!why) all->count++;
    return memory && (!why || add_tables(c, o));
}

/* Regions that would only pay without a reordering, and got rid of none. */
static void drop_regions(const chooser *c) {
    onnx_choices *all = c->choices;
    int32_t kept = 0;
    for (int32_t k = 0; k < all->count; k++) {
        const onnx_choice *choice = &all->list[k];
        bool stays = choice->why && choice->region.view == ONNX_AS_DECLARED;
        set_owner(c, &choice->region, stays ? -1 : kept, stays ? choice->why : NULL);
        if (!stays) all->list[kept++] = *choice;
    }
    all->count = kept;
}

/* The nodes of all regions, one region behind the other. Per first node, sizes says how many there
 * are, and ends where they end; both are zero. */
static void list_regions(const int32_t *regions, int32_t count, int32_t *sizes, int32_t *ends,
                         int32_t *list) {
    int32_t at = 0;
    for (int32_t k = 0; k < count; k++)
        if (regions[k] >= 0) sizes[regions[k]]++;
    for (int32_t k = 0; k < count; k++) {
        ends[k] = at;
        at += sizes[k];
    }
    for (int32_t k = 0; k < count; k++)
        if (regions[k] >= 0) list[ends[regions[k]]++] = k;
}

static bool add_regions(const chooser *c, const int32_t *regions) {
    const int32_t count = c->g->node_count;
    int32_t *tables[3];
    for (int k = 0; k < 3; k++) {
        tables[k] = arena_array(c->memory, (size_t)count + 1, sizeof *tables[k]);
        if (!tables[k]) return false;
    }
    int32_t *sizes = tables[0], *ends = tables[1], *list = tables[2];
    list_regions(regions, count, sizes, ends, list);
    for (int32_t k = 0; k < count; k++) {
        const group o = {regions, list + ends[k] - sizes[k], sizes[k]};
        if (regions[k] == k && !add_region(c, &o)) return false;
    }
    return true;
}

static void begin_again(const chooser *c, const bool *members) {
    for (int32_t k = 0; k < c->g->node_count; k++) {
        c->choices->owners[k] = -1;
        c->choices->again[k] = false;
        if (members[k]) c->choices->why[k] = NULL;
    }
    c->choices->count = 0;
}

/* A node that takes dimensions away or moves elements may be the reason why a region is refused.
 * Then it is a region alone, beside regions without it. */
static bool split(const chooser *c, bool *members) {
    bool any = false;
    for (int32_t k = 0; k < c->g->node_count; k++) {
        if (!members[k]) continue;
        any = any || c->split[k];
        members[k] = !c->split[k];
    }
    if (any) begin_again(c, members);
    return any;
}

/* An operator that pays on blocks alone is a region alone where its region is not on blocks: the
 * others may yet be on blocks without it. */
static void part_plain(const chooser *c, const bool *members) {
    for (int32_t k = 0; k < c->g->node_count; k++) {
        const int32_t owner = c->choices->owners[k];
        const onnx_region *r = owner < 0 ? NULL : &c->choices->list[owner].region;
        if (r && members[k] && c->blocked[k] && r->view != ONNX_BLOCKS && r->count > 1)
            c->split[k] = true;
    }
}

static bool divide(const chooser *c, bool *members) {
    const size_t nodes = (size_t)c->g->node_count + 1;
    tables t;
    int32_t *regions = arena_array(c->memory, nodes, sizeof *regions);
    int32_t *left = arena_array(c->memory, (size_t)c->g->value_count + 1, sizeof *left);
    if (!make_tables(c, &t) || !regions || !left) return false;
    memset(left, 0, ((size_t)c->g->value_count + 1) * sizeof *left);
    fill_tables(c, members, left, &t);
    const tosajit_graph graph = {.size = sizeof graph,
                                 .op_count = c->g->node_count,
                                 .value_count = c->g->value_count,
                                 .members = t.members,
                                 .operands = t.operands,
                                 .first_operand = t.first_operand,
                                 .producers = t.producers,
                                 .kept = t.kept,
                                 .most_ops = MOST_OPS};
    if (tosajit_partition(&graph, regions)) return false;
    for (int32_t k = 0; k < c->g->node_count; k++)
        if (c->split[k]) regions[k] = k;
    if (!add_regions(c, regions)) return false;
    if (split(c, members)) return divide(c, members);
    if (!onnx_layout_choose(&c->writer, c->options->block, c->choices)) return false;
    part_plain(c, members);
    if (split(c, members)) return divide(c, members);
    drop_regions(c);
    return onnx_transpose_choose(&c->writer, c->choices) && onnx_share(&c->writer, c->choices);
}

bool onnx_choose(const onnx_graph *g, const onnx_options *options, tosajit_engine *engine,
                 arena *memory, onnx_choices *choices) {
    size_t nodes = (size_t)g->node_count + 1, values = (size_t)g->value_count + 1;
    int32_t *labels = arena_array(memory, values, sizeof *labels);
    int32_t patience = 100;
    const chooser c = {g,
                       options,
                       memory,
                       choices,
                       {g, engine, memory, labels},
                       onnx_is_optimized(g),
                       arena_array(memory, nodes, sizeof *c.split),
                       arena_array(memory, nodes, sizeof *c.blocked),
                       arena_array(memory, values, sizeof *c.images),
                       &patience};
    int32_t *fused = arena_array(memory, nodes, sizeof *fused);
    bool *members = arena_array(memory, nodes, sizeof *members);
    *choices = (onnx_choices){.list = arena_array(memory, nodes, sizeof *choices->list),
                              .owners = arena_array(memory, nodes, sizeof *choices->owners),
                              .again = arena_array(memory, nodes, sizeof *choices->again),
                              .gone = arena_array(memory, nodes, sizeof *choices->gone),
                              .why = arena_array(memory, nodes, sizeof *choices->why)};
    if (!fused || !members || !labels || !c.split || !c.blocked || !c.images || !choices->list ||
        !choices->owners || !choices->again || !choices->gone || !choices->why)
        return false;
    for (int32_t k = 0; k < g->node_count; k++) choices->owners[k] = -1;
    onnx_mark_fused(g, fused, labels);
    memset(labels, 0, values * sizeof *labels);
    return classify(&c, fused, members) && divide(&c, members);
}
