/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/lowering/sizes.h"

#include <math.h>

#include "tools/onnx/lowering/lists.h"
#include "tools/onnx/lowering/rows.h"
#include "tools/onnx/lowering/views.h"

enum { MOST = TOSAJIT_MAX_RANK };

static const onnx_size unknown = {ONNX_UNKNOWN, 0};

static onnx_size number_of(int64_t number) { return (onnx_size){ONNX_NUMBER, number}; }

static int64_t attribute(const onnx_node *node, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = onnx_attribute(node->proto, name);
    return a && a->has_i ? a->i : otherwise;
}

onnx_size onnx_size_of(const onnx_graph *g, int32_t value, int32_t d) {
    const onnx_value *v = &g->values[value];
    if (v->type.dims[d] >= 0) return number_of(v->type.dims[d]);
    return v->sizes ? v->sizes[d] : (onnx_size){value, d};
}

bool onnx_size_is(onnx_size a, onnx_size b) {
    return a.of >= 0 && a.of == b.of && a.number == b.number;
}

/* ---------------------------------------------------------------------------------------------
 * Sizes of results: each rule says of dimension d which size it always equals */

typedef onnx_size rule(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d);

static onnx_size operand_size(const onnx_graph *g, const onnx_node *node, int32_t k, int64_t d) {
    const onnx_value *v = onnx_input(g, node, k);
    return v && d >= 0 && d < v->type.rank ? onnx_size_of(g, node->inputs[k], (int32_t)d) : unknown;
}

static onnx_size same(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    (void)output;
    return operand_size(g, node, 0, d);
}

/* The size of all operands that do not repeat. */
static onnx_size broadcast(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    const int32_t rank = g->values[node->outputs[output]].type.rank;
    onnx_size found = unknown;
    for (int32_t k = 0; k < node->input_count; k++) {
        const onnx_value *v = onnx_input(g, node, k);
        if (v && v->type.rank < 0) return unknown;
        if (!v || d < rank - v->type.rank) continue;
        const onnx_size own = operand_size(g, node, k, d - (rank - v->type.rank));
        if (own.of == ONNX_NUMBER && own.number == 1) continue;
        if (found.of >= 0 && !onnx_size_is(found, own)) return unknown;
        found = own;
    }
    return found;
}

static onnx_size product(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    const onnx_value *a = onnx_input(g, node, 0), *b = onnx_input(g, node, 1);
    const int32_t rank = g->values[node->outputs[output]].type.rank;
    if (!a || !b || a->type.rank != rank || rank < 2 || b->type.rank < 2) return unknown;
    if (d == rank - 1) return operand_size(g, node, 1, b->type.rank - 1);
    return d == rank - 2 || b->type.rank == 2 ? operand_size(g, node, 0, d) : unknown;
}

static onnx_size transposed(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    const Onnx__AttributeProto *order = onnx_attribute(node->proto, "perm");
    const int32_t rank = g->values[node->outputs[output]].type.rank;
    if (order && (int64_t)order->n_ints != rank) return unknown;
    return operand_size(g, node, 0, order ? order->ints[d] : rank - 1 - d);
}

static onnx_size reshaped(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    (void)output;
    const onnx_size listed = onnx_size_at(g, node, 1, (size_t)d);
    const bool copied = listed.of == ONNX_NUMBER && listed.number == 0;
    return copied && attribute(node, "allowzero", 0) == 0 ? operand_size(g, node, 0, d) : listed;
}

/* A Split or Concat along another axis. */
static onnx_size beside(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    const int32_t rank = g->values[node->outputs[output]].type.rank;
    return d == onnx_views_axis(node, 0, rank) ? unknown : operand_size(g, node, 0, d);
}

static onnx_size sliced(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    const int32_t rank = g->values[node->outputs[output]].type.rank;
    const int64_t count = onnx_list_count(g, node, "axes", 3);
    for (int64_t k = 0; k < count; k++) {
        int64_t axis;
        if (!onnx_list_at(g, node, "axes", 3, (size_t)k, &axis)) return unknown;
        if (axis == d || axis + rank == d) return unknown;
    }
    return count > 0 ? operand_size(g, node, 0, d) : unknown;
}

/* A table of rows, and which of them are taken. */
static onnx_size gathered(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    const onnx_value *indices = onnx_input(g, node, 1);
    (void)output;
    if (!indices || indices->type.rank < 0 || attribute(node, "axis", 0) != 0) return unknown;
    const int32_t rank = indices->type.rank;
    return d < rank ? operand_size(g, node, 1, d) : operand_size(g, node, 0, d - rank + 1);
}

static onnx_size reduced(const onnx_graph *g, const onnx_node *node, int32_t output, int32_t d) {
    onnx_axes axes;
    const bool known = onnx_rows_axes(g, node, &axes) &&
                       axes.rank == g->values[node->outputs[output]].type.rank && !axes.has[d];
    return known && !onnx_rows_squeezes(node) ? operand_size(g, node, 0, d) : unknown;
}

static const struct size_row {
    const char *op;
    rule *apply;
} rows[] = {
    {"MatMul", product},
    {"Transpose", transposed},
    {"Reshape", reshaped},
    {"Split", beside},
    {"Concat", beside},
    {"Slice", sliced},
    {"Gather", gathered},
    {"Softmax", same},
    {"CumSum", same},
    {"ScatterElements", same},
    {"ScatterND", same},
    {"LayerNormalization", same},
    {"RMSNormalization", same},
    {"SimplifiedLayerNormalization", same},
    {"com.microsoft.SkipLayerNormalization", same},
    {"com.microsoft.SkipSimplifiedLayerNormalization", same},
    {"ReduceMean", reduced},
    {"ReduceSum", reduced},
    {"ReduceMax", reduced},
    {"ArgMax", reduced},
    {"ArgMin", reduced},
};

static rule *rule_of(const onnx_node *node) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (onnx_is(node, rows[k].op)) return rows[k].apply;
    const onnx_form *form = onnx_form_of(node);
    return form && onnx_form_is_elementwise(form) ? broadcast : NULL;
}

static void infer_sizes(onnx_graph *g, const onnx_node *node, int32_t output, rule *apply) {
    onnx_value *v = &g->values[node->outputs[output]];
    onnx_size sizes[MOST];
    bool any = false;
    for (int32_t d = 0; d < v->type.rank; d++) {
        sizes[d] = (onnx_size){node->outputs[output], d};
        const onnx_size found = v->type.dims[d] < 0 ? apply(g, node, output, d) : unknown;
        if (found.of >= 0) sizes[d] = found, any = true;
    }
    onnx_size *kept = any ? arena_array(g->memory, (size_t)v->type.rank, sizeof *kept) : NULL;
    for (int32_t d = 0; kept && d < v->type.rank; d++) kept[d] = sizes[d];
    v->sizes = kept;
}

/* ---------------------------------------------------------------------------------------------
 * Lists of integers, and single ones */

typedef struct list {
    onnx_size at[MOST];
    int32_t count; /* -1: it is none */
} list;

/* "To the end" is often written as 2^63 - 1, which no f64 is. */
static onnx_size constant_at(const Onnx__TensorProto *tensor, size_t k) {
    double found;
    if (!onnx_constant_at(tensor, k, &found)) return unknown;
    return number_of((int64_t)fmax(-0x1p62, fmin(found, 0x1p62)));
}

static bool is_integer(const onnx_type *type) {
    return type->element == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
           type->element == ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
}

static list list_of(const onnx_graph *g, const onnx_node *node, int32_t operand) {
    const onnx_value *v = onnx_input(g, node, operand);
    list l = {.count = -1};
    if (!v || v->type.rank < 0 || v->type.rank > 1 || !is_integer(&v->type)) return l;
    if (v->list) l.count = v->list_count;
    if (v->constant && onnx_elements(&v->type) <= MOST) l.count = (int32_t)onnx_elements(&v->type);
    for (int32_t k = 0; k < l.count; k++)
        l.at[k] = v->list ? v->list[k] : constant_at(v->constant, (size_t)k);
    return l;
}

onnx_size onnx_size_at(const onnx_graph *g, const onnx_node *node, int32_t operand, size_t k) {
    const list l = list_of(g, node, operand);
    return (int64_t)k < l.count ? l.at[k] : unknown;
}

typedef list lister(const onnx_graph *g, const onnx_node *node);

static list shape(const onnx_graph *g, const onnx_node *node) {
    const onnx_value *x = onnx_input(g, node, 0);
    list l = {.count = -1};
    if (!x || x->type.rank < 0) return l;
    const int64_t rank = x->type.rank, first = onnx_bound(attribute(node, "start", 0), rank),
                  end = onnx_bound(attribute(node, "end", rank), rank);
    l.count = 0;
    for (int64_t d = first; d < end; d++)
        l.at[l.count++] = onnx_size_of(g, node->inputs[0], (int32_t)d);
    return l;
}

static list unchanged(const onnx_graph *g, const onnx_node *node) { return list_of(g, node, 0); }

static list picked(const onnx_graph *g, const onnx_node *node) {
    const list from = list_of(g, node, 0), indices = list_of(g, node, 1);
    list l = {.count = from.count < 0 ? -1 : indices.count};
    for (int32_t k = 0; k < l.count; k++) {
        const int64_t at = indices.at[k].number, index = at < 0 ? at + from.count : at;
        const bool known = indices.at[k].of == ONNX_NUMBER && index >= 0 && index < from.count;
        l.at[k] = known ? from.at[index] : unknown;
    }
    return l;
}

static list cut(const onnx_graph *g, const onnx_node *node) {
    list l = list_of(g, node, 0);
    onnx_site site = {.g = g, .node = node};
    onnx_range range;
    const bool known =
        l.count >= 0 && onnx_input(g, node, 0)->type.rank == 1 && onnx_views_slice(&site, &range);
    if (!known) return (list){.count = -1};
    const list from = l;
    l.count = 0;
    for (int64_t k = range.begin; k < range.end && k < from.count; k += range.step)
        l.at[l.count++] = from.at[k];
    return l;
}

static list joined(const onnx_graph *g, const onnx_node *node) {
    list l = {.count = 0};
    for (int32_t k = 0; k < node->input_count; k++) {
        const list part = list_of(g, node, k);
        if (part.count < 0 || l.count + part.count > MOST) return (list){.count = -1};
        for (int32_t i = 0; i < part.count; i++) l.at[l.count++] = part.at[i];
    }
    return l;
}

/* False: beyond 64 bits, or by 0. The engine cuts quotients towards 0, as C does. */
static bool calculate(const onnx_node *node, int64_t a, int64_t b, int64_t *result) {
    if (onnx_is(node, "Add")) return !__builtin_add_overflow(a, b, result);
    if (onnx_is(node, "Sub")) return !__builtin_sub_overflow(a, b, result);
    if (onnx_is(node, "Mul")) return !__builtin_mul_overflow(a, b, result);
    if (b == 0 || b == -1) return false;
    *result = a / b;
    return true;
}

static list calculated(const onnx_graph *g, const onnx_node *node) {
    const list a = list_of(g, node, 0), b = list_of(g, node, 1);
    list l = {.count = -1};
    if (a.count < 0 || b.count < 0 || (a.count != b.count && a.count != 1 && b.count != 1))
        return l;
    l.count = a.count == 1 ? b.count : a.count;
    for (int32_t k = 0; k < l.count; k++) {
        const onnx_size x = a.at[a.count == 1 ? 0 : k], y = b.at[b.count == 1 ? 0 : k];
        int64_t result;
        const bool known = x.of == ONNX_NUMBER && y.of == ONNX_NUMBER &&
                           calculate(node, x.number, y.number, &result);
        l.at[k] = known ? number_of(result) : unknown;
    }
    return l;
}

static const struct list_row {
    const char *op;
    lister *apply;
} listers[] = {
    {"Shape", shape},         {"Gather", picked},     {"Slice", cut},          {"Concat", joined},
    {"Unsqueeze", unchanged}, {"Squeeze", unchanged}, {"Identity", unchanged}, {"Cast", unchanged},
    {"Add", calculated},      {"Sub", calculated},    {"Mul", calculated},     {"Div", calculated},
};

static bool fits(const onnx_type *type, onnx_size size) {
    const bool narrow = type->element == ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    return !narrow ||
           (size.of == ONNX_NUMBER && size.number >= INT32_MIN && size.number <= INT32_MAX);
}

static void infer_list(onnx_graph *g, const onnx_node *node, lister *apply) {
    onnx_value *v = &g->values[node->outputs[0]];
    if (v->type.rank < 0 || v->type.rank > 1 || !is_integer(&v->type) || v->constant) return;
    const list l = apply(g, node);
    const bool fine = l.count > 0 && (v->type.rank == 1 || l.count == 1);
    onnx_size *kept = fine ? arena_array(g->memory, (size_t)l.count, sizeof *kept) : NULL;
    for (int32_t k = 0; kept && k < l.count; k++)
        kept[k] = fits(&v->type, l.at[k]) ? l.at[k] : unknown;
    v->list = kept;
    v->list_count = kept ? l.count : 0;
}

void onnx_sizes_infer(onnx_graph *g, const onnx_node *node) {
    rule *apply = rule_of(node);
    for (int32_t k = 0; apply && k < node->output_count; k++)
        if (node->outputs[k] >= 0 && (k == 0 || onnx_is(node, "Split")))
            infer_sizes(g, node, k, apply);
    for (size_t k = 0; k < sizeof listers / sizeof *listers; k++)
        if (node->output_count > 0 && node->outputs[0] >= 0 && onnx_is(node, listers[k].op))
            infer_list(g, node, listers[k].apply);
}
