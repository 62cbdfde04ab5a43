/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/lowering/views.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/onnx/lowering/lists.h"

typedef bool write_view(onnx_site *s, byte_writer *text);

static bool refuse(onnx_site *s, const char *why) {
    s->why = why;
    return false;
}

static void put(byte_writer *text, const char *word) { bytes_put(text, word, strlen(word)); }

static void put_number(byte_writer *text, int64_t number, const char *behind) {
    char word[32];
    snprintf(word, sizeof word, "%" PRId64 "%s", number, behind);
    put(text, word);
}

static const onnx_type *type_of(const onnx_site *s) { return &onnx_input(s->g, s->node, 0)->type; }

static int64_t number(const onnx_node *node, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = onnx_attribute(node->proto, name);
    return a && a->has_i ? a->i : otherwise;
}

int32_t onnx_views_axis(const onnx_node *node, int64_t otherwise, int32_t rank) {
    int64_t axis = number(node, "axis", otherwise);
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? (int32_t)axis : -1;
}

/* ---------------------------------------------------------------------------------------------
 * Slices */

/* The range that entry k of the lists names. */
static bool named_range(onnx_site *s, size_t k, bool named[TOSAJIT_MAX_RANK], onnx_range *ranges) {
    const onnx_type *from = type_of(s);
    int64_t axis = (int64_t)k, start, end, step = 1;
    const bool has_axes = onnx_list_count(s->g, s->node, "axes", 3) != 0;
    const bool has_steps = onnx_list_count(s->g, s->node, "", 4) != 0;
    if (!onnx_list_at(s->g, s->node, "starts", 1, k, &start) ||
        !onnx_list_at(s->g, s->node, "ends", 2, k, &end) ||
        (has_axes && !onnx_list_at(s->g, s->node, "axes", 3, k, &axis)) ||
        (has_steps && !onnx_list_at(s->g, s->node, "", 4, k, &step)))
        return refuse(s, "its bounds are no constants");
    if (axis < 0) axis += from->rank;
    if (axis < 0 || axis >= from->rank || named[axis])
        return refuse(s, "an axis is none of its operand's");
    if (step < 1) return refuse(s, "it goes backwards");
    if (from->dims[axis] < 0) return refuse(s, "a size that it cuts is not known");
    if (step > from->dims[axis]) step = from->dims[axis]; /* the first one alone */
    named[axis] = true;
    ranges[axis] =
        (onnx_range){onnx_bound(start, from->dims[axis]), onnx_bound(end, from->dims[axis]), step};
    return ranges[axis].begin < ranges[axis].end || refuse(s, "nothing is left of it");
}

bool onnx_views_slice(onnx_site *s, onnx_range *ranges) {
    const onnx_type *from = type_of(s);
    const int64_t count = onnx_list_count(s->g, s->node, "starts", 1);
    bool named[TOSAJIT_MAX_RANK] = {false};
    if (from->rank < 1) return refuse(s, "the rank is not known");
    if (count < 0) return refuse(s, "its bounds are no constants");
    for (int32_t d = 0; d < from->rank; d++) ranges[d] = (onnx_range){0, from->dims[d], 1};
    for (int64_t k = 0; k < count; k++)
        if (!named_range(s, (size_t)k, named, ranges)) return false;
    return true;
}

/* "x0[:,0:32,:]"; what is taken as a whole needs no size. */
static void put_ranges(const onnx_site *s, const onnx_range *ranges, byte_writer *text) {
    const onnx_type *from = type_of(s);
    put(text, s->operands[0]);
    for (int32_t d = 0; d < from->rank; d++) {
        const onnx_range *r = &ranges[d];
        put(text, d > 0 ? "," : "[");
        if (r->begin > 0 || r->end != from->dims[d]) put_number(text, r->begin, "");
        put(text, ":");
        if (r->begin > 0 || r->end != from->dims[d]) put_number(text, r->end, "");
        if (r->step > 1) put(text, ":"), put_number(text, r->step, "");
    }
    put(text, "]");
}

static bool write_slice(onnx_site *s, byte_writer *text) {
    onnx_range ranges[TOSAJIT_MAX_RANK];
    if (!onnx_views_slice(s, ranges)) return false;
    put_ranges(s, ranges, text);
    return true;
}

bool onnx_views_part(onnx_site *s, int32_t k, onnx_range *range) {
    const onnx_type *from = type_of(s);
    const int32_t axis = onnx_views_axis(s->node, 0, from->rank);
    const int64_t size = axis < 0 ? -1 : from->dims[axis], parts = s->node->output_count;
    const int64_t listed = onnx_list_count(s->g, s->node, "split", 1);
    const bool up = number(s->node, "num_outputs", 0) > 0 && size % parts > 0;
    const int64_t even = size / parts + up;
    int64_t begin = 0, length = even;
    if (size < 0) return refuse(s, "a size that it cuts is not known");
    if (listed != 0 && listed != parts) return refuse(s, "its parts are no constants");
    if (listed == 0 && (even - 1) * parts >= size) return refuse(s, "it has empty parts");
    for (int32_t p = 0; p <= k; p++) {
        begin += p > 0 ? length : 0;
        if (listed != 0 && !onnx_list_at(s->g, s->node, "split", 1, (size_t)p, &length))
            return refuse(s, "its parts are no constants");
        if (length < 1 || begin >= size || (listed != 0 && length > size - begin))
            return refuse(s, "it has parts that there are not");
    }
    *range = (onnx_range){begin, length < size - begin ? begin + length : size, 1};
    return true;
}

static bool write_split(onnx_site *s, byte_writer *text) {
    const onnx_type *from = type_of(s);
    const int32_t axis = onnx_views_axis(s->node, 0, from->rank);
    onnx_range ranges[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < from->rank; d++) ranges[d] = (onnx_range){0, from->dims[d], 1};
    bool more = false;
    for (int32_t k = 0; k < s->node->output_count; k++) {
        char begins[32];
        if (!onnx_views_part(s, k, &ranges[axis < 0 ? 0 : axis])) return false;
        if (!s->wanted[k]) continue;
        if (more) snprintf(begins, sizeof begins, "; t%d = ", ++*s->statement), put(text, begins);
        more = true;
        put_ranges(s, ranges, text);
    }
    return more || refuse(s, "nobody reads its parts");
}

/* ---------------------------------------------------------------------------------------------
 * Others */

/* If only a call knew the sizes of pieces, each piece would have the whole of an operand that it
 * meets. */
static bool write_concat(onnx_site *s, byte_writer *text) {
    const int32_t axis = onnx_views_axis(s->node, 1, type_of(s)->rank);
    if (axis < 0) return refuse(s, "an axis is none of its operand's");
    put(text, "concat(");
    for (int32_t k = 0; k < s->node->input_count; k++) {
        const onnx_type *part = &onnx_input(s->g, s->node, k)->type;
        if (part->rank != type_of(s)->rank || part->dims[axis] < 1)
            return refuse(s, "a size of its parts is not known");
        put(text, s->operands[k]), put(text, ", ");
    }
    put(text, "axis="), put_number(text, axis, ")");
    return true;
}

static bool write_transpose(onnx_site *s, byte_writer *text) {
    const Onnx__AttributeProto *order = onnx_attribute(s->node->proto, "perm");
    const int32_t rank = type_of(s)->rank;
    if (rank < 1 || (order && (int64_t)order->n_ints != rank))
        return refuse(s, "its order is not of its rank");
    put(text, "transpose("), put(text, s->operands[0]), put(text, ", (");
    for (int32_t d = 0; d < rank; d++) put_number(text, order ? order->ints[d] : rank - 1 - d, ",");
    put(text, "))");
    return true;
}

static bool write_reshape(onnx_site *s, byte_writer *text) {
    const onnx_type *given = &s->g->values[s->node->outputs[0]].type;
    const int64_t count = onnx_list_count(s->g, s->node, "shape", 1);
    if (count < 1) return refuse(s, "its sizes are no constants");
    put(text, "reshape("), put(text, s->operands[0]), put(text, ", (");
    for (int64_t d = 0; d < count; d++) {
        int64_t size;
        if (!onnx_list_at(s->g, s->node, "shape", 1, (size_t)d, &size))
            return refuse(s, "its sizes are no constants");
        if (size == 0 && number(s->node, "allowzero", 0) != 0) return refuse(s, "a size is 0");
        if (size == -1 && given->rank == count && given->dims[d] > 0) size = given->dims[d];
        put_number(text, size, ",");
    }
    put(text, "))");
    return true;
}

static bool write_squeeze(onnx_site *s, byte_writer *text) {
    const int64_t count = onnx_list_count(s->g, s->node, "axes", 1);
    int64_t axis;
    if (count < 1) return refuse(s, "its axes are no constants");
    put(text, "squeeze("), put(text, s->operands[0]), put(text, ", (");
    for (int64_t k = 0; k < count; k++) {
        if (!onnx_list_at(s->g, s->node, "axes", 1, (size_t)k, &axis))
            return refuse(s, "its axes are no constants");
        put_number(text, axis, ",");
    }
    put(text, "))");
    return true;
}

/* In ascending order each axis counts among the dimensions so far. */
static bool write_unsqueeze(onnx_site *s, byte_writer *text) {
    const int64_t count = onnx_list_count(s->g, s->node, "axes", 1);
    bool added[TOSAJIT_MAX_RANK] = {false};
    if (count < 1 || count > TOSAJIT_MAX_RANK || type_of(s)->rank < 0 ||
        type_of(s)->rank + count > TOSAJIT_MAX_RANK)
        return refuse(s, "its axes are no constants");
    const int32_t rank = type_of(s)->rank + (int32_t)count;
    for (int64_t k = 0; k < count; k++) {
        int64_t axis;
        if (!onnx_list_at(s->g, s->node, "axes", 1, (size_t)k, &axis))
            return refuse(s, "its axes are no constants");
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank || added[axis])
            return refuse(s, "an axis is none of its result's");
        added[axis] = true;
    }
    for (int64_t k = 0; k < count; k++) put(text, "unsqueeze(");
    put(text, s->operands[0]);
    for (int32_t d = 0; d < rank; d++)
        if (added[d]) put(text, ", "), put_number(text, d, ")");
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * What an index takes. ONNX counts negative ones from the end, and refuses others, as the language
 * does. */

static bool write_gather(onnx_site *s, byte_writer *text) {
    const int32_t axis = onnx_views_axis(s->node, 0, type_of(s)->rank);
    if (axis < 0) return refuse(s, "an axis is none of its operand's");
    put(text, "take("), put(text, s->operands[0]), put(text, ", "), put(text, s->operands[1]);
    put(text, ", "), put_number(text, axis, ")");
    return true;
}

/* The index may be smaller than the data; it then takes the data's first elements. */
static bool write_gather_elements(onnx_site *s, byte_writer *text) {
    const onnx_type *from = type_of(s), *index = &onnx_input(s->g, s->node, 1)->type;
    const int32_t axis = onnx_views_axis(s->node, 0, from->rank);
    onnx_range ranges[TOSAJIT_MAX_RANK];
    if (axis < 0 || index->rank != from->rank) return refuse(s, "an axis is none of its operands'");
    for (int32_t d = 0; d < from->rank; d++) {
        ranges[d] = (onnx_range){0, d == axis ? from->dims[d] : index->dims[d], 1};
        if (d != axis && (from->dims[d] < 0 || index->dims[d] < 0))
            return refuse(s, "a size beside its axis is not known");
        if (d != axis && index->dims[d] > from->dims[d])
            return refuse(s, "its index is larger than its data");
    }
    put(text, "take_along_axis("), put_ranges(s, ranges, text), put(text, ", ");
    put(text, s->operands[1]), put(text, ", "), put_number(text, axis, ")");
    return true;
}

static void next_statement(onnx_site *s, byte_writer *text) {
    put(text, "; t"), put_number(text, ++*s->statement, " = ");
}

/* Number k of each list that the index has, from 0 on, or `beyond` where it is wrong. */
static void put_place(onnx_site *s, int32_t k, int64_t beyond, byte_writer *text) {
    const int64_t size = type_of(s)->dims[k];
    const int32_t rank = onnx_input(s->g, s->node, 1)->type.rank;
    char word[320];
    put(text, s->operands[1]), put(text, "[");
    for (int32_t d = 0; d < rank - 1; d++) put(text, ":,");
    put_number(text, k, "]");
    const int32_t at = *s->statement;
    next_statement(s, text);
    snprintf(word, sizeof word,
             "where((t%d >= %" PRId64 ") & (t%d < %" PRId64 "), where(t%d < 0, t%d + %" PRId64
             ", t%d), (%" PRId64 "))",
             at, -size, at, size, at, at, size, at, beyond);
    put(text, word);
    next_statement(s, text);
}

/* "reshape(x0, (35,0))": the indexed dimensions as one. */
static bool put_joined(onnx_site *s, int32_t indexed, int64_t all, byte_writer *text) {
    const onnx_type *from = type_of(s);
    int32_t open = 0;
    put(text, "reshape("), put(text, s->operands[0]), put(text, ", ("), put_number(text, all, ",");
    for (int32_t d = indexed; d < from->rank; d++) {
        open += from->dims[d] < 0;
        put_number(text, from->dims[d] < 0 ? -1 : from->dims[d], ",");
    }
    put(text, "))");
    return open < 2 || refuse(s, "sizes are not known");
}

/* Lists of numbers, one for each of the first dimensions: they are one number of these together. A
 * wrong index is so large that the other indices cannot make up for it. The name of that number's
 * statement, and behind it the beginning of the next statement. */
static bool put_flat_lists(onnx_site *s, int64_t indexed, int64_t *joined, char *name, size_t size,
                           byte_writer *text) {
    const onnx_type *from = type_of(s);
    int32_t places[TOSAJIT_MAX_RANK];
    int64_t all = 1;
    for (int32_t d = 0; d < indexed; d++)
        if (from->dims[d] < 1 || __builtin_mul_overflow(all, from->dims[d], &all) ||
            all > INT32_MAX / 3)
            return refuse(s, "a size that it indexes is not known");
    for (int32_t d = 0; d < indexed; d++) {
        put_place(s, d, -3 * all, text);
        places[d] = *s->statement - 1;
    }
    for (int32_t d = 1; d < indexed; d++) put(text, "(");
    for (int32_t d = 0; d < indexed; d++) {
        put(text, d > 0 ? " + t" : "t"), put_number(text, places[d], d > 0 ? ")" : "");
        if (d + 1 < indexed) put(text, " * "), put_number(text, from->dims[d + 1], "");
    }
    snprintf(name, size, "t%d", *s->statement);
    next_statement(s, text);
    *joined = all;
    return true;
}

/* How many numbers a list of the index has. */
static bool count_indexed(onnx_site *s, int64_t *indexed) {
    const onnx_type *index = &onnx_input(s->g, s->node, 1)->type;
    *indexed = index->rank > 0 ? index->dims[index->rank - 1] : -1;
    return (*indexed >= 1 && *indexed <= type_of(s)->rank) ||
           refuse(s, "how much it indexes is not known");
}

static bool write_gather_lists(onnx_site *s, byte_writer *text) {
    char flat[32];
    int64_t indexed, all;
    if (number(s->node, "batch_dims", 0) != 0) return refuse(s, "it has an index for each batch");
    if (!count_indexed(s, &indexed)) return false;
    if (!put_flat_lists(s, indexed, &all, flat, sizeof flat, text)) return false;
    put(text, "take(");
    if (!put_joined(s, (int32_t)indexed, all, text)) return false;
    put(text, ", "), put(text, flat), put(text, ", 0)");
    return true;
}

/* Sizes that the result has, where the operand has 1. A size that nobody knows may be 1 in a call,
 * which repeats it then. */
static bool write_expand(onnx_site *s, byte_writer *text) {
    const onnx_type *from = type_of(s), *to = &s->g->values[s->node->outputs[0]].type;
    if (to->rank != from->rank) return refuse(s, "its sizes are not known");
    put(text, "broadcast_to("), put(text, s->operands[0]), put(text, ", (");
    for (int32_t d = 0; d < to->rank; d++) {
        if (to->dims[d] < 0) return refuse(s, "its sizes are not known");
        put_number(text, to->dims[d] == from->dims[d] ? -1 : to->dims[d], ",");
    }
    put(text, "))");
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * What an index changes */

bool onnx_views_scatters(const onnx_node *node) {
    return onnx_is(node, "ScatterElements") || onnx_is(node, "ScatterND");
}

/* The operation of this reduction. */
static bool put_reduction(onnx_site *s, byte_writer *text) {
    static const char *const names[][2] = {{"none", "scatter("},
                                           {"add", "scatter_add("},
                                           {"max", "scatter_max("},
                                           {"min", "scatter_min("}};
    const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, "reduction");
    const char *word = a && a->has_s ? (const char *)a->s.data : "none";
    const size_t length = a && a->has_s ? a->s.len : 4;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k][0]) == length && memcmp(word, names[k][0], length) == 0)
            return put(text, names[k][1]), true;
    return refuse(s, "no kernel multiplies by an index");
}

/* "transpose(x0, (1,0,2,))": with the axis in front of the others. Back it is the inverse. */
static void put_moved(const char *operand, int32_t axis, int32_t rank, bool back,
                      byte_writer *text) {
    put(text, "transpose("), put(text, operand), put(text, ", (");
    for (int32_t d = 0; d < rank; d++) {
        const int32_t forwards = d == 0      ? axis
                                 : d <= axis ? d - 1
                                             : d,
                      backwards = d == axis  ? 0
                                  : d < axis ? d + 1
                                             : d;
        put_number(text, back ? backwards : forwards, ",");
    }
    put(text, "))");
}

/* An index of its own for each element: beside the axis all operands have the same sizes. */
static bool write_scatter_elements(onnx_site *s, byte_writer *text) {
    const onnx_type *into = type_of(s), *types[] = {into, &onnx_input(s->g, s->node, 1)->type,
                                                    &onnx_input(s->g, s->node, 2)->type};
    const int32_t axis = onnx_views_axis(s->node, 0, into->rank);
    if (axis < 0) return refuse(s, "an axis is none of its operand's");
    for (int o = 1; o < 3; o++) {
        if (types[o]->rank != into->rank) return refuse(s, "an axis is none of its operands'");
        for (int32_t d = 0; d < into->rank; d++)
            if (d != axis && types[o]->dims[d] != into->dims[d])
                return refuse(s, "its index is smaller than its data");
    }
    for (int32_t d = 0; d < into->rank; d++)
        if (d != axis && into->dims[d] < 0) return refuse(s, "a size beside its axis is not known");
    if (!put_reduction(s, text)) return false;
    for (int o = 0; o < 3; o++) {
        if (axis > 0)
            put_moved(s->operands[o], axis, into->rank, false, text);
        else
            put(text, s->operands[o]);
        put(text, ", ");
    }
    put(text, "mode=signed)");
    if (axis == 0) return true;
    char made[32];
    snprintf(made, sizeof made, "t%d", *s->statement);
    next_statement(s, text);
    put_moved(made, axis, into->rank, true, text);
    return true;
}

/* "reshape(x2, (-1,64,))": a row for each list of the index. */
static bool put_rows(onnx_site *s, const char *operand, int32_t indexed, bool ones,
                     byte_writer *text) {
    const onnx_type *into = type_of(s);
    put(text, "reshape("), put(text, operand), put(text, ", (-1,");
    for (int32_t d = indexed; d < into->rank; d++) {
        if (!ones && into->dims[d] < 0) return refuse(s, "a size that is not indexed is not known");
        put_number(text, ones ? 1 : into->dims[d], ",");
    }
    put(text, "))");
    return true;
}

/* Lists of numbers, as GatherND has them. */
static bool write_scatter_lists(onnx_site *s, byte_writer *text) {
    const onnx_type *into = type_of(s), *index = &onnx_input(s->g, s->node, 1)->type;
    char flat[64], made[32];
    int64_t indexed, all = 1;
    if (!count_indexed(s, &indexed)) return false;
    snprintf(flat, sizeof flat, "%s", s->operands[1]); /* lists of one number are these numbers */
    if (indexed > 1 && !put_flat_lists(s, indexed, &all, flat, sizeof flat, text)) return false;
    if (!put_reduction(s, text)) return false;
    if (indexed > 1 && !put_joined(s, (int32_t)indexed, all, text)) return false;
    put(text, indexed > 1 ? ", " : s->operands[0]), put(text, indexed > 1 ? "" : ", ");
    if (!put_rows(s, flat, (int32_t)indexed, true, text)) return false;
    put(text, ", ");
    if (index->rank == 2)
        put(text, s->operands[2]);
    else if (!put_rows(s, s->operands[2], (int32_t)indexed, false, text))
        return false;
    put(text, ", mode=signed)");
    if (indexed == 1) return true;
    snprintf(made, sizeof made, "t%d", *s->statement);
    next_statement(s, text);
    put(text, "reshape("), put(text, made), put(text, ", (");
    for (int32_t d = 0; d < into->rank; d++) put_number(text, into->dims[d], ",");
    put(text, "))");
    return true;
}

bool onnx_scatter_text(onnx_site *s, byte_writer *text) {
    const onnx_type *updates = &onnx_input(s->g, s->node, 2)->type;
    if (type_of(s)->rank < 0 || updates->rank < 0) return refuse(s, "the rank is not known");
    return onnx_is(s->node, "ScatterND") ? write_scatter_lists(s, text)
                                         : write_scatter_elements(s, text);
}

/* ---------------------------------------------------------------------------------------------
 * All of them */

static const struct view {
    const char *op;
    write_view *write;
    bool lists;   /* operands behind the first one are lists */
    bool gathers; /* the second operand says which elements of the first one */
} views[] = {
    {"Slice", write_slice, true, false},
    {"Split", write_split, true, false},
    {"Concat", write_concat, false, false},
    {"Transpose", write_transpose, false, false},
    {"Reshape", write_reshape, true, false},
    {"Squeeze", write_squeeze, true, false},
    {"Unsqueeze", write_unsqueeze, true, false},
    {"Gather", write_gather, false, true},
    {"GatherElements", write_gather_elements, false, true},
    {"GatherND", write_gather_lists, false, true},
    {"Expand", write_expand, true, false},
};

static const struct view *view_of(const onnx_node *node) {
    for (size_t k = 0; k < sizeof views / sizeof *views; k++)
        if (onnx_is(node, views[k].op)) return &views[k];
    return NULL;
}

bool onnx_views_is_list(const onnx_node *node, int32_t operand) {
    const struct view *view = operand > 0 ? view_of(node) : NULL;
    return view && view->lists;
}

bool onnx_views_gathers(const onnx_node *node) {
    const struct view *view = view_of(node);
    return view && view->gathers;
}

bool onnx_views_text(onnx_site *s, byte_writer *text) {
    return type_of(s)->rank < 0 ? refuse(s, "the rank is not known")
                                : view_of(s->node)->write(s, text);
}

bool onnx_views_turns(const onnx_graph *g, const onnx_node *node) {
    const Onnx__AttributeProto *order = onnx_attribute(node->proto, "perm");
    const int32_t rank = onnx_input(g, node, 0) ? onnx_input(g, node, 0)->type.rank : -1;
    const bool stays =
        order && rank > 0 && (int64_t)order->n_ints == rank && order->ints[rank - 1] == rank - 1;
    return onnx_is(node, "Transpose") && !stays;
}

int64_t onnx_views_run(const onnx_graph *g, const onnx_node *node) {
    const Onnx__AttributeProto *order = onnx_attribute(node->proto, "perm");
    const onnx_value *x = onnx_input(g, node, 0);
    const int32_t rank = x ? x->type.rank : -1;
    int64_t run = rank > 0 ? x->type.dims[rank - 1] : -1;
    if (onnx_is(node, "Transpose")) { /* tiles of both last dimensions, where these change */
        const bool known = order && rank > 0 && (int64_t)order->n_ints == rank;
        const int64_t last = known ? x->type.dims[order->ints[rank - 1]] : 1;
        return last < run ? last : run;
    }
    const bool parts = onnx_is(node, "Slice") || onnx_is(node, "Split");
    for (int32_t k = 0; k < node->output_count && parts; k++) {
        const onnx_value *part = node->outputs[k] >= 0 ? &g->values[node->outputs[k]] : NULL;
        const int64_t own = part && part->type.rank == rank ? part->type.dims[rank - 1] : run;
        run = own < run ? own : run;
    }
    for (int32_t k = 0; k < node->input_count && onnx_is(node, "Concat"); k++) {
        const onnx_value *part = onnx_input(g, node, k);
        const int64_t own = part && part->type.rank == rank ? part->type.dims[rank - 1] : -1;
        run = own < run ? own : run;
    }
    return run;
}
