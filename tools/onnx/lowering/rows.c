/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of operators that reduce or scan. In a text # is the axes, ~ the epsilon, and ! the
 * form of a scan. W(...) makes f32 of f16 and bf16, and N(...) rounds back; of other types both are
 * brackets. A part between [ and ] is left out if the operand that it names first is absent. */
#include "tools/onnx/lowering/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum along {
    NAMED,   /* an attribute or an operand, `axes`; without one all of them */
    SOFTMAX, /* an attribute, `axis`; before opset 13 that one and all behind it */
    FROM,    /* an attribute, `axis`, and all behind it */
    ONE,     /* an attribute, `axis`; without it the first */
    TAKEN,   /* the only number of an operand */
    LAST,
    PIXELS, /* what is behind batch and channels */
    MEANS,  /* an attribute, `axes`; without one all but the channels */
} along;

static const struct row {
    const char *op, *text;
    along axes;
    bool plain; /* without axes it may give what it reads */
    double epsilon;
} rows[] = {
    {"Softmax", "softmax($0, #)", SOFTMAX, false, 0},
    {"LogSoftmax", "log_softmax($0, #)", SOFTMAX, false, 0},
    {"ReduceSum", "sum($0, #)", NAMED, true, 0},
    {"ReduceMean", "mean($0, #)", NAMED, true, 0},
    {"ReduceMax", "max($0, #)", NAMED, true, 0},
    {"ReduceMin", "min($0, #)", NAMED, true, 0},
    {"ReduceProd", "prod($0, #)", NAMED, true, 0},
    {"ArgMax", "i64(argmax($0, #))", ONE, true, 0},
    {"ArgMin", "i64(argmin($0, #))", ONE, true, 0},
    {"CumSum", "cumsum($0, #!)", TAKEN, true, 0},
    {"ReduceL1", "sum(abs($0), #)", NAMED, false, 0},
    {"ReduceL2", "norm($0, #)", NAMED, false, 0},
    {"ReduceSumSquare", "N(sum(W($0) * W($0), #))", NAMED, false, 0},
    {"ReduceLogSum", "N(log(sum(W($0), #)))", NAMED, false, 0},
    {"ReduceLogSumExp", "logsumexp($0, #)", NAMED, false, 0},
    {"LayerNormalization", "layer_norm($0, $1[, $2], #, ~)", FROM, false, 1e-5},
    {"RMSNormalization", "rms_norm($0, $1, #, ~)", FROM, false, 1e-5},
    {"SimplifiedLayerNormalization", "rms_norm($0, $1, #, ~)", FROM, false, 1e-5},
    {"com.microsoft.SkipLayerNormalization",
     "W($0) + W($1)[ + W($4)]; N(layer_norm(%0, W($2)[, W($3)], #, ~))", LAST, false, 1e-12},
    {"com.microsoft.SkipSimplifiedLayerNormalization",
     "W($0) + W($1)[ + W($3)]; N(rms_norm(%0, W($2), #, ~))", LAST, false, 1e-12},
    {"InstanceNormalization", "layer_norm($0, $1, $2, #, ~)", PIXELS, false, 1e-5},
    {"GlobalAveragePool", "mean($0, #)", PIXELS, false, 0},
    {"GlobalMaxPool", "max($0, #)", PIXELS, false, 0},
    {"MeanVarianceNormalization", "W($0) - mean(W($0), #); N(%0 / (sqrt(mean(%0 * %0, #)) + 1e-9))",
     MEANS, false, 0},
};

static const struct row *row_of(const onnx_node *node) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (onnx_is(node, rows[k].op)) return &rows[k];
    return NULL;
}

static bool refuse(onnx_site *s, const char *why) {
    s->why = why;
    return false;
}

static int64_t number(const onnx_site *s, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, name);
    return a && a->has_i ? a->i : otherwise;
}

bool onnx_rows_is_list(const onnx_node *node, int32_t operand) {
    const struct row *row = operand == 1 ? row_of(node) : NULL;
    return row && (row->axes == NAMED || row->axes == TAKEN);
}

bool onnx_rows_squeezes(const onnx_node *node) {
    const struct row *row = row_of(node);
    return row && (row->axes == NAMED || row->axes == ONE) &&
           number(&(onnx_site){.node = node}, "keepdims", 1) != 1;
}

/* ---------------------------------------------------------------------------------------------
 * Axes */

static bool add_axis(onnx_site *s, onnx_axes *set, int64_t axis) {
    if (axis < 0) axis += set->rank;
    if (axis < 0 || axis >= set->rank) return refuse(s, "an axis is none of its operand's");
    if (set->has[axis]) return refuse(s, "an axis is named twice");
    set->has[axis] = true;
    set->count++;
    return true;
}

static bool add_axes(onnx_site *s, onnx_axes *set, int64_t first) {
    if (first < 0) first += set->rank;
    if (first < 0 || first >= set->rank) return refuse(s, "an axis is none of its operand's");
    for (int64_t d = first; d < set->rank; d++)
        if (!add_axis(s, set, d)) return false;
    return true;
}

/* How many there are in the list; -1: it is not known. */
static int64_t listed(onnx_site *s, onnx_axes *set) {
    const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, "axes");
    const onnx_value *operand = onnx_input(s->g, s->node, 1);
    for (size_t k = 0; a && k < a->n_ints; k++)
        if (!add_axis(s, set, a->ints[k])) return -1;
    if (a || !operand) return a ? (int64_t)a->n_ints : 0;
    const bool known = operand->constant && operand->type.rank == 1;
    const int64_t count = known ? onnx_elements(&operand->type) : -1;
    for (int64_t k = 0; k < count; k++) {
        double axis;
        if (operand->type.element != ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
            !onnx_constant_at(operand->constant, (size_t)k, &axis) || axis < -64 || axis > 64) {
            refuse(s, "an axis is none of its operand's");
            return -1;
        }
        if (!add_axis(s, set, (int64_t)axis)) return -1;
    }
    if (count < 0) refuse(s, "its axes are no constant list");
    return count;
}

static bool named_axes(onnx_site *s, const struct row *row, onnx_axes *set) {
    const int64_t count = listed(s, set);
    if (count != 0) return count > 0;
    if (number(s, "noop_with_empty_axes", 0) != 1) return add_axes(s, set, 0); /* as the engine */
    return row->plain || refuse(s, "engines differ in what it is without axes");
}

/* Statistics over all but the channels, if nothing else is said. */
static bool mean_axes(onnx_site *s, onnx_axes *set) {
    if (onnx_attribute(s->node->proto, "axes")) return listed(s, set) > 0;
    if (set->rank != 4) return refuse(s, "its axes are those of images");
    return add_axis(s, set, 0) && add_axes(s, set, 2);
}

static bool taken_axis(onnx_site *s, onnx_axes *set) {
    const onnx_value *operand = onnx_input(s->g, s->node, 1);
    double axis;
    if (!operand || !operand->constant || onnx_elements(&operand->type) != 1 ||
        !onnx_constant_at(operand->constant, 0, &axis) || axis < -64 || axis > 64)
        return refuse(s, "its axis is no constant number");
    return add_axis(s, set, (int64_t)axis);
}

static bool find_axes(onnx_site *s, const struct row *row, onnx_axes *set) {
    const bool only = s->g->opset >= 13;
    switch (row->axes) {
    case NAMED: return named_axes(s, row, set);
    case SOFTMAX:
        return only ? add_axis(s, set, number(s, "axis", -1))
                    : add_axes(s, set, number(s, "axis", 1));
    case FROM: return add_axes(s, set, number(s, "axis", -1));
    case ONE: return add_axis(s, set, number(s, "axis", 0));
    case TAKEN: return taken_axis(s, set);
    case LAST: return add_axes(s, set, -1);
    case PIXELS: return set->rank < 3 ? refuse(s, "it has no pixels") : add_axes(s, set, 2);
    case MEANS: return mean_axes(s, set);
    }
    return false;
}

bool onnx_rows_axes(const onnx_graph *g, const onnx_node *node, onnx_axes *axes) {
    const struct row *row = row_of(node);
    const onnx_value *x = onnx_input(g, node, 0);
    onnx_site site = {.g = g, .node = node};
    *axes = (onnx_axes){.rank = x ? x->type.rank : -1};
    return row && axes->rank > 0 && find_axes(&site, row, axes);
}

static bool is_sum(const onnx_node *node) {
    return onnx_is(node, "ReduceSum") || onnx_is(node, "ReduceMean");
}

onnx_block_axes onnx_rows_block_axes(const onnx_graph *g, const onnx_node *node) {
    onnx_axes axes;
    if (!onnx_rows_axes(g, node, &axes) || axes.rank != 4 || onnx_rows_squeezes(node))
        return ONNX_NO_AXES;
    if (axes.count == 2 && axes.has[2] && axes.has[3]) return ONNX_PIXELS;
    return axes.count == 1 && axes.has[1] && is_sum(node) ? ONNX_CHANNELS : ONNX_NO_AXES;
}

/* ---------------------------------------------------------------------------------------------
 * Texts */

typedef struct writer {
    const onnx_site *s;
    const struct row *row;
    const onnx_axes *set;
    bool half;
    char *text;
    size_t length;
} writer;

static void put(writer *w, const char *word) {
    const size_t room = ONNX_ROWS_TEXT - w->length;
    const int length = snprintf(w->text + w->length, room, "%s", word);
    w->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void put_axes(writer *w, const char *before, const char *after) {
    char word[16];
    for (int32_t d = 0; d < w->set->rank; d++) {
        if (!w->set->has[d]) continue;
        snprintf(word, sizeof word, "%s%" PRId32, before, d);
        put(w, word);
        before = ",";
    }
    put(w, after);
}

/* It is an f32, whose digits f64 has all of. */
static void put_epsilon(writer *w) {
    const Onnx__AttributeProto *a = onnx_attribute(w->s->node->proto, "epsilon");
    char word[32];
    const float epsilon = a && a->has_f ? a->f : (float)w->row->epsilon;
    onnx_number_text(epsilon, word);
    if (onnx_element(onnx_input(w->s->g, w->s->node, 0)->type.element) == TOSAJIT_F64)
        snprintf(word, sizeof word, "%.17g", (double)epsilon);
    put(w, "eps=");
    put(w, word);
}

static void put_form(writer *w) {
    if (number(w->s, "exclusive", 0) != 0) put(w, ", exclusive=true");
    if (number(w->s, "reverse", 0) != 0) put(w, ", reverse=true");
}

static bool has_operand(const onnx_site *s, char digit) {
    const int32_t operand = digit - '0';
    return operand < s->node->input_count && s->operands[operand];
}

/* The place behind brackets whose part is left out. */
static const char *skip_absent(const writer *w, const char *from) {
    const char *end = strchr(from, ']');
    return has_operand(w->s, strchr(from, '$')[1]) ? from : end + 1;
}

static void expand(writer *w) {
    const char *type =
        tosajit_type_name(onnx_element(onnx_input(w->s->g, w->s->node, 0)->type.element));
    for (const char *from = w->row->text; *from;) {
        const char sign = *from++, plain[2] = {sign, 0};
        if (sign == '[')
            from = skip_absent(w, from);
        else if (sign == '#')
            put_axes(w, "axis=[", "]");
        else if (sign == '~')
            put_epsilon(w);
        else if (sign == '!')
            put_form(w);
        else if (sign == 'W' || sign == 'N')
            put(w, !w->half ? "" : sign == 'W' ? "f32" : type);
        else if (sign != ']')
            put(w, plain);
    }
}

/* A sum or mean of all channels: blocks hold them in two dimensions, with padding behind the last.
 */
static void put_channels(const onnx_site *s, writer *w) {
    char word[48];
    put(w, "sum(sum(");
    put(w, s->mask ? "where(" : "$0");
    if (s->mask) put(w, s->mask);
    put(w, s->mask ? ", $0, f32(0))" : "");
    put(w, ", axis=[4]), axis=[1])");
    snprintf(word, sizeof word, " / %" PRId64, s->channels);
    if (onnx_is(s->node, "ReduceMean")) put(w, word);
}

/* True if others read the sum of the two operands. */
static bool gives_sum(const onnx_site *s) {
    return s->node->output_count > ONNX_SUM && s->node->outputs[ONNX_SUM] >= 0 &&
           s->g->values[s->node->outputs[ONNX_SUM]].uses > 0;
}

/* False if a scale or bias would repeat the rows, which the engine refuses in a call. */
static bool scales_fit(const onnx_site *s) {
    const onnx_type *x = &onnx_input(s->g, s->node, 0)->type;
    for (int32_t k = 1; k < s->node->input_count; k++) {
        const onnx_value *scale = onnx_input(s->g, s->node, k);
        for (int32_t d = 0; scale && d < scale->type.rank; d++) {
            const int32_t own = d + x->rank - scale->type.rank;
            const int64_t size = scale->type.dims[d];
            if (size > 1 && (own < 0 || x->dims[own] == 1)) return false;
        }
    }
    return true;
}

static bool is_allowed(onnx_site *s, const struct row *row, tosajit_type type) {
    const bool is_float =
        type == TOSAJIT_F16 || type == TOSAJIT_BF16 || type == TOSAJIT_F32 || type == TOSAJIT_F64;
    if (!is_float && (!row->plain || onnx_is(s->node, "ReduceMean")))
        return refuse(s, "only of floats it is the same");
    if (number(s, "select_last_index", 0) != 0) return refuse(s, "it gives the last of equals");
    if (number(s, "stash_type", 1) != 1) return refuse(s, "its means are not of f32");
    if (row->epsilon > 0 && row->axes != PIXELS && !scales_fit(s))
        return refuse(s, "its scale or bias has other sizes than its rows");
    if (row->axes == PIXELS && row->epsilon > 0 && !onnx_input(s->g, s->node, 1)->fresh)
        return refuse(s, "its scale and bias are no constants of f32");
    return !gives_sum(s) || type == TOSAJIT_F32 || type == TOSAJIT_F64 ||
           refuse(s, "its sum is rounded twice");
}

bool onnx_rows_text(onnx_site *s, char text[ONNX_ROWS_TEXT]) {
    const struct row *row = row_of(s->node);
    const onnx_type *type = &onnx_input(s->g, s->node, 0)->type;
    const tosajit_type element = onnx_element(type->element);
    onnx_axes set = {.rank = type->rank};
    if (set.rank < 0) return refuse(s, "the rank is not known");
    if (set.rank == 0) return refuse(s, "a scalar has no axis");
    if (!is_allowed(s, row, element) || !find_axes(s, row, &set)) return false;
    const bool half = element == TOSAJIT_F16 || element == TOSAJIT_BF16;
    const bool squeezed = set.count > 0 && onnx_rows_squeezes(s->node);
    writer w = {s, row, &set, half, text, 0};
    text[0] = 0;
    if (squeezed) put(&w, "squeeze(");
    if (s->channels && onnx_rows_block_axes(s->g, s->node) == ONNX_CHANNELS)
        put_channels(s, &w);
    else if (set.count == 0)
        put(&w, "identity($0)");
    else
        expand(&w);
    if (squeezed) put_axes(&w, ", (", ",))");
    return true;
}
