/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A row per operator that is not elementwise; the types of elementwise operators follow from the
 * table of forms. An unknown type stays unknown, and so do the types that depend on it. */
#include "tools/onnx/lowering/shapes.h"

#include <string.h>

#include "tools/onnx/lowering/lists.h"
#include "tools/onnx/lowering/sizes.h"
#include "tools/onnx/lowering/views.h"

typedef struct site {
    onnx_graph *g;
    const onnx_node *node;
    onnx_type *result; /* of the first output; begins as the first input's */
} site;

static const onnx_type unknown = {.rank = -1};

static const onnx_type *type_of(const site *s, int32_t k) {
    const onnx_value *value = onnx_input(s->g, s->node, k);
    return value ? &value->type : &unknown;
}

static int64_t number(const site *s, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, name);
    return a && a->has_i ? a->i : otherwise;
}

static void forget_sizes(onnx_type *type) {
    for (int32_t d = 0; d < type->rank; d++) type->dims[d] = TOSAJIT_DYNAMIC;
}

/* Element k of a list. */
static bool listed(const site *s, const char *name, int32_t operand, size_t k, int64_t *value) {
    return onnx_list_at(s->g, s->node, name, operand, k, value);
}

/* ---------------------------------------------------------------------------------------------
 * Rules */

typedef void rule(site *s);

static void same(site *s) { (void)s; }
static void same_rank(site *s) { forget_sizes(s->result); }

/* Images by a window: batch and channels are known, what is behind them is not. The weights have
 * the rank of the images, even where nothing else tells it. */
static void convolve(site *s, const onnx_type *w) {
    int64_t batch = s->result->rank == w->rank ? s->result->dims[0] : TOSAJIT_DYNAMIC;
    if (s->result->rank < 0) s->result->rank = w->rank;
    forget_sizes(s->result);
    if (s->result->rank < 3 || w->rank != s->result->rank) return;
    s->result->dims[0] = batch;
    s->result->dims[1] = w->dims[0];
}

static void convolution(site *s) { convolve(s, type_of(s, 1)); }

/* The result of a global pooling is a point, and stays one. */
static void blocked_convolution(site *s) {
    const onnx_type *w = type_of(s, 1), from = *s->result;
    const Onnx__AttributeProto *pads = onnx_attribute(s->node->proto, "pads");
    bool point = from.rank == 4 && from.dims[2] == 1 && from.dims[3] == 1;
    point = point && w->rank == 4 && w->dims[2] == 1 && w->dims[3] == 1;
    for (size_t k = 0; pads && k < pads->n_ints; k++) point = point && pads->ints[k] == 0;
    convolution(s);
    if (s->result->rank == 4) s->result->dims[1] = TOSAJIT_DYNAMIC;
    if (point) s->result->dims[2] = s->result->dims[3] = 1;
}

/* Channels in blocks, or not any more. */
static void reorder(site *s) {
    if (number(s, "channels_last", 0) != 0)
        forget_sizes(s->result);
    else if (s->result->rank > 1)
        s->result->dims[1] = TOSAJIT_DYNAMIC;
}

static void pooling(site *s) {
    int64_t batch = s->result->dims[0], channels = s->result->dims[1];
    forget_sizes(s->result);
    if (s->result->rank < 3) return;
    s->result->dims[0] = batch;
    s->result->dims[1] = channels;
}

static void global_pooling(site *s) {
    for (int32_t d = 2; d < s->result->rank; d++) s->result->dims[d] = 1;
}

static void transposed_convolution(site *s) {
    const onnx_type *w = type_of(s, 1);
    int64_t batch = s->result->dims[0], group = number(s, "group", 1), channels;
    forget_sizes(s->result);
    if (s->result->rank < 3 || w->rank != s->result->rank || w->dims[1] < 0) return;
    s->result->dims[0] = batch;
    if (group > 0 && !__builtin_mul_overflow(w->dims[1], group, &channels))
        s->result->dims[1] = channels;
}

/* Lists of matrices are spread over each other; the matrices' own sizes come later. */
static void spread_lists(onnx_type *result, const onnx_type *a, const onnx_type *b) {
    onnx_type first = *a, second = *b;
    for (int32_t d = 1; d <= 2; d++) {
        first.dims[a->rank - d] = TOSAJIT_DYNAMIC;
        second.dims[b->rank - d] = TOSAJIT_DYNAMIC;
    }
    const int32_t element = result->element;
    *result = onnx_broadcast(&first, &second);
    result->element = element;
}

/* Of lists of matrices; a matrix that is transposed keeps its rank. */
static void product(site *s) {
    const onnx_type *a = type_of(s, 0), *b = type_of(s, 1);
    bool plain = onnx_is(s->node, "MatMul");
    if (a->rank < 2 || b->rank < 2) {
        s->result->rank = -1;
        return;
    }
    const int64_t rows = a->dims[a->rank - 2], columns = b->dims[b->rank - 1];
    spread_lists(s->result, a, b);
    if (!plain) forget_sizes(s->result);
    if (!plain) return;
    s->result->dims[s->result->rank - 2] = rows;
    s->result->dims[s->result->rank - 1] = columns;
}

static void matrix(site *s) {
    s->result->rank = 2;
    forget_sizes(s->result);
}

static void gemm(site *s) {
    const onnx_type *a = type_of(s, 0), *b = type_of(s, 1);
    const int64_t rows = a->rank == 2 ? a->dims[number(s, "transA", 0) != 0] : TOSAJIT_DYNAMIC;
    const int64_t columns = b->rank == 2 ? b->dims[number(s, "transB", 0) == 0] : TOSAJIT_DYNAMIC;
    matrix(s);
    s->result->dims[0] = rows;
    s->result->dims[1] = columns;
}

static void sizes(site *s) {
    *s->result = (onnx_type){ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, {type_of(s, 0)->rank}};
    if (s->result->dims[0] < 0) s->result->dims[0] = TOSAJIT_DYNAMIC;
}

static void scalar_size(site *s) {
    *s->result = (onnx_type){ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 0, {0}};
}

/* A shape that is an operand: its length is the rank, its elements, if constant, are the sizes. */
static void shaped(site *s, int32_t operand, bool zero_copies) {
    const onnx_type *shape = type_of(s, operand), from = *s->result;
    s->result->rank = -1;
    if (shape->rank != 1 || shape->dims[0] < 0 || shape->dims[0] > TOSAJIT_MAX_RANK) return;
    s->result->rank = (int32_t)shape->dims[0];
    forget_sizes(s->result);
    for (int32_t d = 0; d < s->result->rank; d++) {
        int64_t size;
        if (!listed(s, "", operand, (size_t)d, &size) || size < 0) continue;
        if (size > 0)
            s->result->dims[d] = size;
        else if (zero_copies && d < from.rank)
            s->result->dims[d] = from.dims[d];
    }
}

/* Elements of an operand but for the sizes that only a call knows; -1: beyond 64 bits. */
static int64_t known_elements(const onnx_type *type) {
    onnx_type known = *type;
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] < 0) known.dims[d] = 1;
    return onnx_elements(&known);
}

/* True if a size that only a call knows stands in the operand, too, where none has been taken. */
static bool take_size(const site *s, int32_t d, bool taken[TOSAJIT_MAX_RANK]) {
    const onnx_size size = onnx_size_at(s->g, s->node, 1, (size_t)d);
    const bool copied = size.of == ONNX_NUMBER && size.number == 0;
    for (int32_t k = 0; k < type_of(s, 0)->rank; k++)
        if (!taken[k] && type_of(s, 0)->dims[k] < 0 &&
            (copied ? k == d : onnx_size_is(size, onnx_size_of(s->g, s->node->inputs[0], k))))
            return taken[k] = true;
    return false;
}

/* One size may be the rest, which the other sizes leave. */
static void reshape(site *s) {
    const onnx_type from = *s->result;
    int64_t left = known_elements(&from), size;
    int32_t open = -1;
    bool taken[TOSAJIT_MAX_RANK] = {false};
    shaped(s, 1, number(s, "allowzero", 0) == 0);
    for (int32_t d = 0; d < s->result->rank && left > 0; d++) {
        const int64_t own = s->result->dims[d];
        if (own > 0 && left % own == 0)
            left /= own;
        else if (own < 0 && open < 0 && listed(s, "", 1, (size_t)d, &size) && size == -1)
            open = d;
        else if (own >= 0 || !take_size(s, d, taken))
            left = -1;
    }
    for (int32_t d = 0; d < from.rank; d++)
        if (from.dims[d] < 0 && !taken[d]) left = -1;
    if (open >= 0 && left > 0) s->result->dims[open] = left;
}

static void filled(site *s) {
    const Onnx__AttributeProto *value = onnx_attribute(s->node->proto, "value");
    shaped(s, 0, false);
    s->result->element = value && value->t && value->t->has_data_type
                             ? value->t->data_type
                             : ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
}

static void expand(site *s) {
    onnx_type own = *s->result;
    shaped(s, 1, false);
    if (s->result->rank >= 0 && own.rank >= 0)
        *s->result = onnx_broadcast(&own, s->result);
    else
        s->result->rank = -1;
}

/* How many axes are named: -1 where nobody knows. */
static int32_t axis_count(const site *s) {
    const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, "axes");
    if (a) return a->n_ints <= TOSAJIT_MAX_RANK ? (int32_t)a->n_ints : -1;
    const onnx_type *axes = type_of(s, 1);
    bool known = axes->rank == 1 && axes->dims[0] >= 0 && axes->dims[0] <= TOSAJIT_MAX_RANK;
    return known ? (int32_t)axes->dims[0] : -1;
}

/* The axes that are named, of rank; false where nobody knows them. */
static bool named_axes(const site *s, int32_t count, int32_t rank, bool named[TOSAJIT_MAX_RANK]) {
    for (int32_t k = 0; k < count; k++) {
        int64_t axis;
        if (!listed(s, "axes", 1, (size_t)k, &axis)) return false;
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank || named[axis]) return false;
        named[axis] = true;
    }
    return true;
}

static void unsqueeze(site *s) {
    const onnx_type from = *s->result;
    int32_t count = axis_count(s), rank = from.rank + count;
    bool added[TOSAJIT_MAX_RANK] = {false};
    s->result->rank = count < 0 || from.rank < 0 || rank > TOSAJIT_MAX_RANK ? -1 : rank;
    forget_sizes(s->result);
    if (s->result->rank < 0 || !named_axes(s, count, rank, added)) return;
    for (int32_t d = 0, at = 0; d < rank; d++) s->result->dims[d] = added[d] ? 1 : from.dims[at++];
}

static void squeeze(site *s) {
    const onnx_type from = *s->result;
    int32_t count = axis_count(s), at = 0;
    bool removed[TOSAJIT_MAX_RANK] = {false};
    s->result->rank = count < 0 || from.rank < count ? -1 : from.rank - count;
    forget_sizes(s->result);
    if (s->result->rank < 0 || !named_axes(s, count, from.rank, removed)) return;
    for (int32_t d = 0; d < from.rank; d++)
        if (!removed[d]) s->result->dims[at++] = from.dims[d];
}

/* An axis, which may count from the end; -1 where there is none of that number. */
static int32_t axis_of(int64_t axis, int32_t rank) {
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? (int32_t)axis : -1;
}

/* The sizes of the indices stand in place of that of the axis. */
static void gather(site *s) {
    const onnx_type data = *s->result, *indices = type_of(s, 1);
    int32_t axis = axis_of(number(s, "axis", 0), data.rank), at = 0;
    s->result->rank = -1;
    if (axis < 0 || indices->rank < 0 || data.rank + indices->rank - 1 > TOSAJIT_MAX_RANK) return;
    for (int32_t d = 0; d < axis; d++) s->result->dims[at++] = data.dims[d];
    for (int32_t d = 0; d < indices->rank; d++) s->result->dims[at++] = indices->dims[d];
    for (int32_t d = axis + 1; d < data.rank; d++) s->result->dims[at++] = data.dims[d];
    s->result->rank = at;
}

/* Each list of indices is replaced by the dimensions behind the indexed ones. */
static void gather_lists(site *s) {
    const onnx_type data = *s->result, *indices = type_of(s, 1);
    const int64_t batches = number(s, "batch_dims", 0),
                  indexed = indices->rank > 0 ? indices->dims[indices->rank - 1] : -1;
    int32_t at = 0;
    s->result->rank = -1;
    if (batches < 0 || indexed < 1 || batches >= indices->rank || batches + indexed > data.rank ||
        indices->rank - 1 + data.rank - batches - indexed > TOSAJIT_MAX_RANK)
        return;
    for (int32_t d = 0; d < indices->rank - 1; d++) s->result->dims[at++] = indices->dims[d];
    for (int64_t d = batches + indexed; d < data.rank; d++) s->result->dims[at++] = data.dims[d];
    s->result->rank = at;
}

static void concatenate(site *s) {
    int32_t axis = axis_of(number(s, "axis", 1), s->result->rank);
    int64_t sum = 0;
    for (int32_t k = 0; k < s->node->input_count && axis >= 0 && sum >= 0; k++) {
        const onnx_type *part = type_of(s, k);
        bool known = part->rank == s->result->rank && part->dims[axis] >= 0;
        if (!known || __builtin_add_overflow(sum, part->dims[axis], &sum)) sum = TOSAJIT_DYNAMIC;
    }
    if (axis < 0)
        forget_sizes(s->result);
    else
        s->result->dims[axis] = sum;
}

static void transpose(site *s) {
    const onnx_type from = *s->result;
    const Onnx__AttributeProto *order = onnx_attribute(s->node->proto, "perm");
    forget_sizes(s->result);
    if (order && (int64_t)order->n_ints != from.rank) return;
    for (int32_t d = 0; d < from.rank; d++) {
        int64_t source = order ? order->ints[d] : from.rank - 1 - d;
        if (source >= 0 && source < from.rank) s->result->dims[d] = from.dims[source];
    }
}

/* Forward slices between constants; other axes keep their sizes. */
static void slice(site *s) {
    const onnx_type from = *s->result;
    const onnx_type *starts = type_of(s, 1);
    forget_sizes(s->result);
    if (starts->rank != 1 || starts->dims[0] < 0 || starts->dims[0] > from.rank) return;
    bool axes = onnx_input(s->g, s->node, 3);
    onnx_type result = from;
    for (int64_t k = 0; k < starts->dims[0]; k++) {
        int64_t start, end, named = k, step = 1;
        if (axes && !listed(s, "", 3, (size_t)k, &named)) return;
        int32_t axis = axis_of(named, from.rank);
        if (axis < 0) return;
        bool known = listed(s, "", 1, (size_t)k, &start) && listed(s, "", 2, (size_t)k, &end) &&
                     (!onnx_input(s->g, s->node, 4) || listed(s, "", 4, (size_t)k, &step)) &&
                     step == 1 && from.dims[axis] >= 0 && start > INT32_MIN && start < INT32_MAX;
        if (known && end < INT32_MIN) end = INT32_MIN;
        int64_t size =
            known ? onnx_bound(end, from.dims[axis]) - onnx_bound(start, from.dims[axis]) : 0;
        result.dims[axis] = !known ? TOSAJIT_DYNAMIC : size > 0 ? size : 0;
    }
    *s->result = result;
}

/* Part k, which differs along the axis alone. */
static onnx_type split_part(onnx_graph *g, const onnx_node *node, int32_t k) {
    onnx_site own = {.g = g, .node = node};
    onnx_type result = onnx_input(g, node, 0) ? onnx_input(g, node, 0)->type : unknown;
    const int32_t axis = onnx_views_axis(node, 0, result.rank);
    onnx_range range;
    if (axis < 0)
        forget_sizes(&result);
    else
        result.dims[axis] =
            onnx_views_part(&own, k, &range) ? range.end - range.begin : TOSAJIT_DYNAMIC;
    return result;
}

/* Types that both branches give. */
static void branch(site *s) {
    static const char *const names[2] = {"then_branch", "else_branch"};
    onnx_type types[2] = {unknown, unknown};
    for (int k = 0; k < 2; k++) {
        const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, names[k]);
        onnx_graph inner;
        onnx_error error;
        if (!a || !a->g || a->g->n_output < 1) continue;
        if (!onnx_graph_open(&inner, a->g, s->g, s->g->opset, s->g->memory, &error)) continue;
        onnx_shapes_infer(&inner);
        int32_t value = onnx_graph_find(&inner, onnx_text(a->g->output[0]->name));
        if (value >= 0) types[k] = inner.values[value].type;
    }
    *s->result = types[0];
    if (types[0].element != types[1].element) s->result->element = 0;
    if (types[0].rank != types[1].rank) s->result->rank = -1;
    for (int32_t d = 0; d < s->result->rank; d++)
        if (types[0].dims[d] != types[1].dims[d]) s->result->dims[d] = TOSAJIT_DYNAMIC;
}

/* Along the axes that are named, or along all. */
static void reduce(site *s) {
    const onnx_type from = *s->result;
    const Onnx__AttributeProto *list = onnx_attribute(s->node->proto, "axes");
    const bool given = list ? list->n_ints > 0 : axis_count(s) != 0 && onnx_input(s->g, s->node, 1);
    const bool none = number(s, "noop_with_empty_axes", 0) == 1; /* as the engine reads it */
    const int32_t rank = from.rank, count = given ? axis_count(s) : none ? 0 : rank;
    const bool keeps = number(s, "keepdims", 1) == 1; /* as the engine reads it */
    bool reduced[TOSAJIT_MAX_RANK] = {false};
    for (int32_t d = 0; d < rank && !given; d++) reduced[d] = !none;
    const bool known = !given || (count >= 0 && named_axes(s, count, rank, reduced));
    s->result->rank = rank < 0 ? -1 : keeps ? rank : count < 0 || rank < count ? -1 : rank - count;
    forget_sizes(s->result);
    for (int32_t d = 0, at = 0; d < rank && known && s->result->rank >= 0; d++)
        if (keeps || !reduced[d]) s->result->dims[at++] = reduced[d] ? 1 : from.dims[d];
}

/* ---------------------------------------------------------------------------------------------
 * Quantized operators: between data stand scales and zero points */

enum { SCALES = 3 }; /* data, its scale and its zero point */

/* Of the zero point at this place; without one it stays f32. */
static void set_quantized(site *s, int32_t zero) {
    const bool has = onnx_input(s->g, s->node, zero);
    s->result->element =
        has ? type_of(s, zero)->element : (int32_t)ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
}

static void multiply(site *s, const onnx_type *b) {
    const onnx_type a = *s->result;
    s->result->rank = -1;
    if (a.rank < 2 || b->rank < 2) return;
    spread_lists(s->result, &a, b);
    s->result->dims[s->result->rank - 2] = a.dims[a.rank - 2];
    s->result->dims[s->result->rank - 1] = b->dims[b->rank - 1];
}

static bool is_last(const site *s) { return number(s, "channels_last", 0) != 0; }

static void quantized_convolution(site *s) {
    convolve(s, type_of(s, SCALES));
    if (is_last(s)) forget_sizes(s->result);
    set_quantized(s, 2 * SCALES + 1);
}

static void quantized_product(site *s) {
    multiply(s, type_of(s, SCALES));
    set_quantized(s, 2 * SCALES + 1);
}

static void quantized_matrix(site *s) {
    matrix(s);
    set_quantized(s, 2 * SCALES + 2);
}

static void quantized_sum(site *s) {
    const onnx_type a = *s->result;
    *s->result = onnx_broadcast(&a, type_of(s, SCALES));
    s->result->element = a.element;
}

static void quantized_pooling(site *s) {
    const int32_t first = is_last(s) ? 1 : 2, behind = is_last(s) ? 1 : 0;
    for (int32_t d = first; d < s->result->rank - behind; d++) s->result->dims[d] = 1;
}

static void quantized_parts(site *s) {
    *s->result = *type_of(s, 2);
    forget_sizes(s->result);
}

static void integer_convolution(site *s) {
    convolve(s, type_of(s, 1));
    s->result->element = ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
}

static void integer_product(site *s) {
    multiply(s, type_of(s, 1));
    s->result->element = ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
}

/* Of integers, or of what is quantized on the way, as floating-point numbers. */
static void float_product(site *s) {
    multiply(s, type_of(s, 1));
    s->result->element = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
}

static void quantized_here(site *s) { s->result->element = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8; }

/* ---------------------------------------------------------------------------------------------
 * Other operators */

/* Batch, frames, frequencies, real and imaginary part. */
static void spectrum(site *s) {
    int64_t batch = s->result->rank > 0 ? s->result->dims[0] : TOSAJIT_DYNAMIC;
    s->result->rank = 4;
    forget_sizes(s->result);
    s->result->dims[0] = batch;
    s->result->dims[3] = 2;
}

static void indexed(site *s) {
    const int32_t element = s->result->element;
    *s->result = *type_of(s, 1);
    s->result->element = element;
}

static void counting(site *s) {
    s->result->rank = 1;
    forget_sizes(s->result);
}

static void coordinates(site *s) {
    const int64_t rank = s->result->rank;
    *s->result = (onnx_type){ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 2, {rank, TOSAJIT_DYNAMIC}};
    if (rank < 0) s->result->dims[0] = TOSAJIT_DYNAMIC;
}

static void place_of(site *s) {
    const int32_t rank = s->result->rank, axis = axis_of(number(s, "axis", 0), rank);
    const bool keeps = number(s, "keepdims", 1) == 1; /* as the engine reads it */
    s->result->element = ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
    if (axis >= 0 && keeps) s->result->dims[axis] = 1;
    if (keeps || rank < 1) return;
    s->result->rank = rank - 1;
    forget_sizes(s->result);
}

/* Of queries that have three dimensions; packed ones have more. */
static void attention(site *s) {
    if (s->result->rank != 3) s->result->rank = -1;
    forget_sizes(s->result);
}

/* Sequences have three dimensions, and one more for the directions. */
static void recurrent(site *s) {
    s->result->rank = number(s, "layout", 0) == 0 ? 4 : -1;
    forget_sizes(s->result);
}

static const struct row {
    const char *op;
    rule *apply;
} rows[] = {
    {"Softmax", same},
    {"LogSoftmax", same},
    {"Hardmax", same},
    {"LayerNormalization", same},
    {"InstanceNormalization", same},
    {"GroupNormalization", same},
    {"LpNormalization", same},
    {"LRN", same},
    {"CumSum", same},
    {"RMSNormalization", same},
    {"SimplifiedLayerNormalization", same},
    {"MeanVarianceNormalization", same},
    {"com.microsoft.SkipLayerNormalization", same},
    {"com.microsoft.SkipSimplifiedLayerNormalization", same},
    {"AveragePool", pooling},
    {"MaxPool", pooling},
    {"LpPool", pooling},
    {"GlobalAveragePool", global_pooling},
    {"GlobalMaxPool", global_pooling},
    {"com.microsoft.nchwc.GlobalAveragePool", global_pooling},
    {"com.microsoft.nchwc.GlobalMaxPool", global_pooling},
    {"com.microsoft.nchwc.AveragePool", same_rank},
    {"com.microsoft.nchwc.MaxPool", same_rank},
    {"com.microsoft.nchwc.Conv", blocked_convolution},
    {"com.microsoft.nchwc.ReorderInput", reorder},
    {"com.microsoft.nchwc.ReorderOutput", reorder},
    {"com.microsoft.nchwc.Upsample", same_rank},
    {"Conv", convolution},
    {"com.microsoft.FusedConv", convolution},
    {"ConvTranspose", transposed_convolution},
    {"Pad", same_rank},
    {"Slice", slice},
    {"Split", same_rank},
    {"Concat", concatenate},
    {"Transpose", transpose},
    {"Resize", same_rank},
    {"Upsample", same_rank},
    {"Tile", same_rank},
    {"MatMul", product},
    {"com.microsoft.FusedMatMul", product},
    {"Gemm", gemm},
    {"com.microsoft.FusedGemm", gemm},
    {"Flatten", matrix},
    {"Shape", sizes},
    {"Size", scalar_size},
    {"Reshape", reshape},
    {"ConstantOfShape", filled},
    {"Expand", expand},
    {"If", branch},
    {"Unsqueeze", unsqueeze},
    {"Squeeze", squeeze},
    {"Gather", gather},
    {"ReduceMean", reduce},
    {"ReduceSum", reduce},
    {"ReduceMax", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceSumSquare", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"LSTM", recurrent},
    {"GRU", recurrent},
    {"RNN", recurrent},
    {"com.microsoft.DynamicQuantizeLSTM", recurrent},
    {"QLinearConv", quantized_convolution},
    {"com.microsoft.QLinearConv", quantized_convolution},
    {"QLinearMatMul", quantized_product},
    {"com.microsoft.QGemm", quantized_matrix},
    {"com.microsoft.QLinearAdd", quantized_sum},
    {"com.microsoft.QLinearMul", quantized_sum},
    {"com.microsoft.QLinearSigmoid", same},
    {"com.microsoft.QLinearLeakyRelu", same},
    {"com.microsoft.QLinearSoftmax", same},
    {"com.microsoft.QLinearGlobalAveragePool", quantized_pooling},
    {"com.microsoft.QLinearAveragePool", same_rank},
    {"com.microsoft.QLinearConcat", quantized_parts},
    {"com.microsoft.NhwcMaxPool", same_rank},
    {"ConvInteger", integer_convolution},
    {"MatMulInteger", integer_product},
    {"com.microsoft.MatMulIntegerToFloat", float_product},
    {"com.microsoft.DynamicQuantizeMatMul", float_product},
    {"DynamicQuantizeLinear", quantized_here},
    {"STFT", spectrum},
    {"GatherElements", indexed},
    {"GatherND", gather_lists},
    {"ScatterElements", same},
    {"ScatterND", same},
    {"Trilu", same},
    {"Dropout", same},
    {"TopK", same_rank},
    {"DepthToSpace", same_rank},
    {"SpaceToDepth", same_rank},
    {"Range", counting},
    {"NonZero", coordinates},
    {"ArgMax", place_of},
    {"ArgMin", place_of},
    {"com.microsoft.Attention", attention},
    {"com.microsoft.MultiHeadAttention", attention},
    {"com.microsoft.RotaryEmbedding", same},
    {"com.microsoft.BiasSoftmax", same},
};

/* ---------------------------------------------------------------------------------------------
 * All nodes */

/* The declared type, with findings in place of its unknown parts. */
static void merge(onnx_type *declared, const onnx_type *found) {
    if (declared->element == 0) declared->element = found->element;
    if (declared->rank < 0) {
        declared->rank = found->rank;
        memcpy(declared->dims, found->dims, sizeof declared->dims);
    } else if (declared->rank == found->rank) {
        for (int32_t d = 0; d < declared->rank; d++)
            if (declared->dims[d] < 0) declared->dims[d] = found->dims[d];
    }
}

/* A result behind the first one that differs from it: the scale and zero point that are found on
 * the way, and the last states of a sequence. */
static onnx_type other_result(const onnx_node *node, int32_t output, const onnx_type *first) {
    onnx_type result = unknown;
    if (onnx_is(node, "DynamicQuantizeLinear")) {
        result = (onnx_type){.element = output == 1 ? ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
                                                    : ONNX__TENSOR_PROTO__DATA_TYPE__UINT8};
    } else if (onnx_is(node, "LSTM") || onnx_is(node, "GRU") || onnx_is(node, "RNN")) {
        result = (onnx_type){.element = first->element, .rank = first->rank < 0 ? -1 : 3};
        forget_sizes(&result);
    }
    return result;
}

static void infer_node(onnx_graph *g, const onnx_node *node) {
    onnx_type result = unknown;
    site s = {g, node, &result};
    const onnx_form *form = onnx_form_of(node);
    const struct row *row = NULL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows && !row; k++)
        if (onnx_is(node, rows[k].op)) row = &rows[k];
    if (row) {
        result = *type_of(&s, 0);
        row->apply(&s);
    } else if (form) {
        result = onnx_form_type(g, node, form);
    }
    for (int32_t k = 0; k < node->output_count; k++) {
        bool alike = k == 0 || onnx_form_gives(node, k);
        const onnx_type type = onnx_is(node, "Split") ? split_part(g, node, k)
                               : alike                ? result
                                                      : other_result(node, k, &result);
        if (node->outputs[k] >= 0) merge(&g->values[node->outputs[k]].type, &type);
    }
    onnx_sizes_infer(g, node);
}

void onnx_shapes_infer(onnx_graph *g) {
    for (int32_t k = 0; k < g->node_count; k++) infer_node(g, &g->nodes[k]);
}
