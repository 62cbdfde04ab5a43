/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every region that could be on blocks begins there; one after the other goes back wherever that
 * takes no more reorderings. A step can only make more regions go back, so the order does not
 * matter. The regions left are the largest set in which each region gains.
 *
 * Source of what is known of the operators and of padding: ONNX Runtime's nchwc_transformer.cc and
 * nchwc_ops.cc. ReorderOutput never reads channels beyond the last one; a Conv does. */
#include "tools/onnx/layout.h"

#include <string.h>

#include "tools/onnx/lowering/rows.h"
#include "tools/onnx/upsample.h"

enum {
    MOST_BLOCK = 1024,     /* channels */
    MOST_CHANNELS = 65536, /* of an image; a constant for each is made */
    LEAST_CHANNELS = 4,    /* ReorderInput takes multiples of these */
    RANK = 4,              /* of images */
    MOST_ROUNDS = 64,
    POINT = 1, /* the cost of a reordering, of which that of a point is next to nothing */
    IMAGE = 64,
};

/* ---------------------------------------------------------------------------------------------
 * What the graph says of blocks */

static int64_t round_up(int64_t channels, int64_t block) {
    return (channels + block - 1) / block * block;
}

static int64_t attribute(const onnx_node *node, const char *name) {
    const Onnx__AttributeProto *a = onnx_attribute(node->proto, name);
    return a && a->has_i ? a->i : 0;
}

static bool is_output(const onnx_node *node) {
    return onnx_is(node, "com.microsoft.nchwc.ReorderOutput") && node->input_count == 1 &&
           node->output_count == 1 && node->inputs[0] >= 0 && node->outputs[0] >= 0 &&
           attribute(node, "channels_last") == 0;
}

static bool is_input(const onnx_node *node) {
    return onnx_is(node, "com.microsoft.nchwc.ReorderInput") && node->input_count == 1 &&
           node->output_count == 1 && node->inputs[0] >= 0 && node->outputs[0] >= 0 &&
           attribute(node, "channels_last") == 0;
}

/* Channels that a convolution gives, with the padding; 0: it is no such convolution. */
static int64_t filters(const onnx_graph *g, int32_t at) {
    const onnx_node *node = at < 0 ? NULL : &g->nodes[at];
    if (!node || !onnx_is(node, "com.microsoft.nchwc.Conv")) return 0;
    const onnx_value *weights = onnx_input(g, node, 1);
    return weights && weights->type.rank == RANK ? weights->type.dims[0] : 0;
}

/* True if a node's channels allow blocks of this size. */
static bool fits(const onnx_graph *g, int32_t at, int64_t block) {
    const onnx_node *node = &g->nodes[at];
    int64_t all = filters(g, is_output(node) ? g->values[node->inputs[0]].producer : at);
    int64_t channels = is_output(node) && all > 0 ? attribute(node, "channels") : all;
    if (all == 0) return true;
    if (channels <= 0 || channels > all || all > INT32_MAX) return false;
    return round_up(channels, block) == all;
}

/* No model says what a block has. It divides the channels of all convolutions, and it rounds the
 * model's own number of channels to theirs: 42 channels that became 48 are blocks of 8 or 16, and
 * 18 that became 32 are blocks of 16 or 32. Who knows it must not contradict. */
static void learn_block(onnx_layout *l, const onnx_graph *g, int64_t known) {
    int32_t possible = 0;
    bool any = false;
    for (int32_t k = 0; k < g->node_count && !any; k++) any = filters(g, k) > 0;
    for (int64_t block = 2; block <= MOST_BLOCK && any; block *= 2) {
        bool fine = known == 0 || known == block;
        for (int32_t k = 0; k < g->node_count && fine; k++) fine = fits(g, k, block);
        if (!fine) continue;
        l->block = possible++ == 0 ? block : 0;
        l->divisor = block;
    }
}

int32_t onnx_layout_output(const onnx_graph *g, int32_t value) {
    int32_t producer = g->values[value].producer;
    return producer >= 0 && is_output(&g->nodes[producer]) ? producer : -1;
}

int64_t onnx_layout_round(const onnx_layout *l, int64_t channels) {
    return l->block > 0 ? round_up(channels, l->block) : channels;
}

/* Global pooling and Resize are what else the engine has on blocks and leaves beside regions. */
static bool is_pooling(const onnx_node *node) {
    bool pooling = onnx_is(node, "GlobalAveragePool") || onnx_is(node, "GlobalMaxPool");
    return pooling && node->input_count == 1 && node->output_count == 1 && node->inputs[0] >= 0 &&
           node->outputs[0] >= 0;
}

static bool is_upsample(const onnx_graph *g, const onnx_node *node,
                        int64_t factors[ONNX_UPSAMPLE_RANK]) {
    return onnx_upsample_read(g, node, factors) && node->output_count == 1 &&
           node->inputs[0] >= 0 && node->outputs[0] >= 0;
}

static bool is_image(const onnx_value *value) {
    return value->type.rank == RANK &&
           value->type.element == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT && !value->constant;
}

/* Channels of images, where they are known; of others 0. */
static void learn_channels(onnx_layout *l, const onnx_graph *g) {
    int64_t factors[ONNX_UPSAMPLE_RANK];
    for (int32_t k = 0; k < g->value_count; k++) {
        const onnx_value *value = &g->values[k];
        l->inputs[k] = -1;
        if (is_image(value) && value->type.dims[1] > 0) l->channels[k] = value->type.dims[1];
    }
    for (int32_t k = 0; k < g->node_count; k++) {
        const onnx_node *node = &g->nodes[k];
        const onnx_form *form = onnx_form_of(node);
        int32_t result = node->output_count > 0 ? node->outputs[0] : -1;
        if (is_input(node) && onnx_layout_output(g, node->inputs[0]) < 0 &&
            l->inputs[node->inputs[0]] < 0)
            l->inputs[node->inputs[0]] = k;
        if (result < 0 || !is_image(&g->values[result])) continue;
        if (is_output(node)) l->channels[result] = attribute(node, "channels");
        const bool first = is_pooling(node) || is_upsample(g, node, factors) ||
                           onnx_rows_block_axes(g, node) == ONNX_PIXELS;
        int32_t alike = first                                    ? 1 /* behind it is no image */
                        : form && onnx_form_is_elementwise(form) ? node->input_count
                                                                 : 0;
        for (int32_t o = 0; o < alike && l->channels[result] == 0; o++)
            if (node->inputs[o] >= 0) l->channels[result] = l->channels[node->inputs[o]];
    }
}

/* ---------------------------------------------------------------------------------------------
 * What could be on blocks */

/* A region, or an operator of the engine's, which may be on blocks. */
typedef struct mover {
    const int32_t *reads, *gives; /* values */
    int32_t read_count, give_count;
    onnx_choice *choice; /* null: the engine's */
    int64_t slower;      /* what it costs if it is not on blocks */
    bool plain;          /* it is not on blocks */
    onnx_region region;  /* what the choice is on blocks */
    const char *text;    /* the same */
} mover;

typedef struct search {
    const onnx_graph *g;
    const onnx_writer *w;
    onnx_choices *all;
    onnx_layout *l;
    mover *movers;
    int32_t count;
    int32_t *plain, *blocked; /* per value: how many read it so */
} search;

static bool is_whole(const onnx_layout *l, int64_t channels) {
    return l->divisor > 0 && channels > 0 && channels % l->divisor == 0;
}

/* A constant with a number for each channel: [C, 1, 1] or [1, C, 1, 1]. */
static bool is_per_channel(const onnx_value *value, int64_t channels) {
    const onnx_type *type = &value->type;
    bool fits = type->rank >= 3 && type->rank <= RANK && onnx_elements(type) == channels;
    double first;
    return fits && type->dims[type->rank - 3] == channels &&
           type->element == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT &&
           onnx_constant_at(value->constant, (size_t)channels - 1, &first);
}

/* True if two images surely have the same sizes. */
static bool is_alike(const onnx_type *a, const onnx_type *b) {
    for (int32_t d = 0; d < RANK; d++)
        if (a->dims[d] < 0 || a->dims[d] != b->dims[d]) return false;
    return true;
}

static bool has_rows(const search *s, const onnx_region *r) {
    for (int32_t k = 0; k < r->count; k++)
        if (onnx_form_is_rows(onnx_form_of(&s->g->nodes[r->nodes[k]]))) return true;
    return false;
}

/* False if channels are reduced that are not known to be the image's. */
static bool knows_rows(const search *s, const onnx_region *r, int64_t channels) {
    for (int32_t k = 0; k < r->count; k++) {
        const onnx_node *node = &s->g->nodes[r->nodes[k]];
        if (onnx_rows_block_axes(s->g, node) == ONNX_CHANNELS &&
            s->l->channels[node->inputs[0]] != channels)
            return false;
    }
    return true;
}

/* How a region could see blocks; ONNX_AS_DECLARED: not at all. Four sizes are enough where no
 * operand is spread over another; then blocks may have any size. */
static onnx_view view_of(const search *s, const onnx_choice *choice, int64_t channels) {
    const onnx_region *r = &choice->region;
    const onnx_type *first = NULL;
    bool flat = is_whole(s->l, channels) && !has_rows(s, r);
    for (int32_t k = 0; k < r->input_count; k++) {
        const onnx_value *value = &s->g->values[r->inputs[k]];
        if (value->constant && onnx_elements(&value->type) == 1) continue;
        if (value->constant ? !is_per_channel(value, channels)
                            : !is_image(value) || s->l->channels[r->inputs[k]] != channels)
            return ONNX_AS_DECLARED;
        flat = flat && !value->constant && (!first || is_alike(first, &value->type));
        first = &value->type;
    }
    bool blocks = s->l->block > 0;
    return flat ? ONNX_FLAT : blocks ? ONNX_BLOCKS : ONNX_AS_DECLARED;
}

/* The channels that all results of a region have; 0: they differ, or are not known. */
static int64_t common_channels(const search *s, const mover *m) {
    int64_t channels = s->l->channels[m->gives[0]];
    for (int32_t k = 0; k < m->give_count; k++)
        if (!is_image(&s->g->values[m->gives[k]]) || s->l->channels[m->gives[k]] != channels)
            return 0;
    bool fine = channels > 0 && channels <= MOST_CHANNELS && channels % LEAST_CHANNELS == 0;
    return fine ? channels : 0;
}

static bool has_again(const search *s, const onnx_region *r) {
    for (int32_t k = 0; k < r->count; k++)
        if (s->all->again[r->nodes[k]]) return true;
    return false;
}

/* False if out of memory. A region that the library refuses on blocks is no mover. */
static bool add_choice(search *s, onnx_choice *choice) {
    const onnx_region *r = &choice->region;
    mover *m = &s->movers[s->count];
    bool enough = true;
    *m = (mover){.reads = r->inputs,
                 .gives = r->outputs,
                 .read_count = r->input_count,
                 .give_count = r->output_count,
                 .choice = choice,
                 .region = *r};
    int64_t channels = common_channels(s, m);
    if (channels == 0 || has_again(s, r) || !knows_rows(s, r, channels)) return true;
    m->region.view = view_of(s, choice, channels);
    m->region.block = (int32_t)s->l->block;
    /* Where the number of blocks is known, no operand may repeat, and a row is computed once. */
    m->region.channels = has_rows(s, r) ? (int32_t)channels : 0;
    m->region.masked = m->region.view == ONNX_BLOCKS && !is_whole(s->l, channels);
    if (m->region.view == ONNX_AS_DECLARED) return true;
    m->text = onnx_region_text(s->w, &m->region, &enough);
    s->count += m->text != NULL;
    return enough;
}

/* A pooling writes no zeros of its own, so its channels have to fill all blocks. */
static void add_pooling(search *s, const onnx_node *node) {
    if (!is_pooling(node) || !is_image(&s->g->values[node->outputs[0]])) return;
    if (!is_whole(s->l, s->l->channels[node->inputs[0]])) return;
    s->movers[s->count++] = (mover){node->inputs, node->outputs, 1, 1, .slower = 0};
}

/* A Resize copies zeros, too. On plain images the engine has a loop for a factor of 2. Others look
 * up every pixel, which took three times as long as Upsample and a reordering. */
static void add_upsample(search *s, const onnx_node *node) {
    int64_t factors[ONNX_UPSAMPLE_RANK];
    if (!is_upsample(s->g, node, factors)) return;
    int64_t channels = s->l->channels[node->inputs[0]];
    if (!is_image(&s->g->values[node->outputs[0]]) || channels <= 0) return;
    if (channels > MOST_CHANNELS || channels % LEAST_CHANNELS != 0) return;
    int64_t slower = factors[2] == 2 && factors[3] == 2 ? 0 : 3 * IMAGE;
    s->movers[s->count++] = (mover){node->inputs, node->outputs, 1, 1, .slower = slower};
}

static bool add_movers(search *s) {
    for (int32_t k = 0; k < s->all->count; k++)
        if (!add_choice(s, &s->all->list[k])) return false;
    for (int32_t k = 0; k < s->g->node_count; k++)
        if (s->all->owners[k] < 0) {
            add_pooling(s, &s->g->nodes[k]);
            add_upsample(s, &s->g->nodes[k]);
        }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The search */

/* Values that move are counted with the others first, as plain. */
static void count_readers(search *s) {
    for (int32_t k = 0; k < s->g->value_count; k++) {
        s->plain[k] = s->g->values[k].result;
        s->blocked[k] = s->l->inputs[k] >= 0;
        s->l->given[k] = onnx_layout_output(s->g, k) >= 0;
    }
    for (int32_t k = 0; k < s->g->node_count; k++) {
        const onnx_node *node = &s->g->nodes[k];
        bool inside = s->all->owners[k] >= 0 && !s->all->again[k];
        bool link = is_input(node) && s->l->inputs[node->inputs[0]] == k;
        for (int32_t o = 0; o < node->read_count && !inside && !link; o++)
            s->plain[node->reads[o]]++;
    }
    for (int32_t k = 0; k < s->all->count; k++) {
        const onnx_region *r = &s->all->list[k].region;
        for (int32_t o = 0; o < r->input_count; o++) s->plain[r->inputs[o]]++;
    }
}

static void move(search *s, mover *m, bool plain) {
    m->plain = plain;
    for (int32_t k = 0; k < m->read_count; k++) {
        s->plain[m->reads[k]] += plain ? 1 : -1;
        s->blocked[m->reads[k]] += plain ? -1 : 1;
    }
    for (int32_t k = 0; k < m->give_count; k++) s->l->given[m->gives[k]] = !plain;
}

/* The cost of a value: nothing, or one reordering. */
static int64_t cost_of(const search *s, int32_t value) {
    const onnx_value *v = &s->g->values[value];
    bool reordered = s->l->given[value] ? s->plain[value] > 0 : s->blocked[value] > 0;
    if (v->constant || !reordered) return 0;
    return v->type.dims[2] == 1 && v->type.dims[3] == 1 ? POINT : IMAGE;
}

static int64_t cost_around(const search *s, const mover *m) {
    int64_t cost = m->plain ? m->slower : 0;
    for (int32_t k = 0; k < m->read_count; k++) cost += cost_of(s, m->reads[k]);
    for (int32_t k = 0; k < m->give_count; k++) cost += cost_of(s, m->gives[k]);
    return cost;
}

static bool improve(search *s, mover *m) {
    if (m->plain) return false;
    int64_t before = cost_around(s, m);
    move(s, m, true);
    if (cost_around(s, m) <= before) return true;
    move(s, m, false);
    return false;
}

/* Forwards and backwards, so that a chain takes two rounds. */
static void settle(search *s) {
    bool changed = true;
    for (int32_t k = 0; k < s->count; k++) move(s, &s->movers[k], false);
    for (int32_t round = 0; round < MOST_ROUNDS && changed; round++) {
        changed = false;
        for (int32_t k = 0; k < s->count; k++)
            changed = improve(s, &s->movers[round % 2 ? s->count - 1 - k : k]) || changed;
    }
}

static void keep(const search *s) {
    for (int32_t k = 0; k < s->count; k++) {
        const mover *m = &s->movers[k];
        if (m->plain || !m->choice) continue;
        m->choice->region = m->region;
        m->choice->text = m->text;
    }
    for (int32_t k = 0; k < s->g->value_count; k++) s->l->plain[k] = s->plain[k] > 0;
}

bool onnx_layout_choose(const onnx_writer *w, int64_t block, onnx_choices *all) {
    size_t values = (size_t)w->g->value_count + 1;
    size_t most = (size_t)w->g->node_count + (size_t)all->count + 1;
    onnx_layout *l = &all->layout;
    *l = (onnx_layout){.channels = arena_array(w->memory, values, sizeof *l->channels),
                       .inputs = arena_array(w->memory, values, sizeof *l->inputs),
                       .given = arena_array(w->memory, values, sizeof *l->given),
                       .plain = arena_array(w->memory, values, sizeof *l->plain)};
    search s = {w->g, w, all, l, NULL, 0, NULL, NULL};
    if (!l->channels || !l->inputs || !l->given || !l->plain) return false;
    learn_block(l, w->g, block);
    learn_channels(l, w->g);
    if (l->divisor == 0) return true;
    s.movers = arena_array(w->memory, most, sizeof *s.movers);
    s.plain = arena_array(w->memory, values, sizeof *s.plain);
    s.blocked = arena_array(w->memory, values, sizeof *s.blocked);
    if (!s.movers || !s.plain || !s.blocked || !add_movers(&s)) return false;
    count_readers(&s);
    settle(&s);
    keep(&s);
    return true;
}
