/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/pieces.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"
#include "runtime/expr/piece_tree.h"
#include "runtime/expr/views.h"

typedef struct splitting {
    const tosajit_expr *expr;
    tosajit_expr *split;
    piece_tree *values; /* per node: what it has become */
} splitting;

static const tosajit_tensor_type *type_of(const splitting *s, tosajit_value value) {
    return &s->split->nodes[value].type;
}

/* ---------------------------------------------------------------------------------------------
 * Refusals */

static tosajit_status refuse(const splitting *s, tosajit_value k, const char *why) {
    return diag_error(TOSAJIT_SHAPE_MISMATCH, "%s: %s", expr_value_name(s->expr, k).text, why);
}

static tosajit_status add(const splitting *s, tosajit_value k, piece_tree *to,
                          const piece_tree *piece) {
    if (tree_add(to, piece)) return TOSAJIT_OK;
    return diag_error(TOSAJIT_LIMIT_EXCEEDED, "%s: more than %d pieces",
                      expr_value_name(s->expr, k).text, MOST_PIECES);
}

/* ---------------------------------------------------------------------------------------------
 * Repetitions: what repeats is a size of 1, which has a stride of 0.
 *
 *     tile(x : 3x5, [2, 1])    reshape to 1x3x5, repeat to 2x3x5, reshape to 6x5 */

static bool repeats(const tosajit_tensor_type *type, const tosajit_attributes *a, int32_t d) {
    return a->numbers[d] > 1 && type->dims[d] != 1;
}

static bool expands(const tosajit_tensor_type *type, tosajit_op op, const tosajit_attributes *a) {
    for (int32_t d = 0; op == TOSAJIT_OP_tile && d < type->rank; d++)
        if (repeats(type, a, d)) return true;
    return false;
}

/* The shapes before and behind the repetition, and how often. */
typedef struct tile_shapes {
    int32_t count,
        open; /* open: the dimension of the result whose size is only known when called */
    int64_t before[TOSAJIT_MAX_RANK], multiples[TOSAJIT_MAX_RANK], behind[TOSAJIT_MAX_RANK];
} tile_shapes;

static tosajit_status find_shapes(const tosajit_tensor_type *type, const tosajit_attributes *a,
                                  tile_shapes *s) {
    for (int32_t d = 0; d < type->rank; d++) {
        const bool own = repeats(type, a, d), open = own && type->dims[d] == TOSAJIT_DYNAMIC;
        if (s->count + own >= TOSAJIT_MAX_RANK)
            return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                              "what is repeated has a dimension more for each size above 1, and "
                              "these are more than %d",
                              TOSAJIT_MAX_RANK);
        if (open && s->open >= 0)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "dimensions %d and %d are repeated, and both are dynamic; one may be",
                              (int)s->open, (int)d);
        if (open) s->open = d;
        if (own) s->before[s->count] = 1, s->multiples[s->count++] = a->numbers[d];
        s->before[s->count] = -2 - d;
        s->multiples[s->count++] = own ? 1 : a->numbers[d];
        s->behind[d] = open ? -1 : own ? a->numbers[d] * type->dims[d] : -1 - s->count;
    }
    return TOSAJIT_OK;
}

static tosajit_status view(tosajit_expr *expr, tosajit_op op, const int64_t *numbers, int32_t count,
                           tosajit_value *value) {
    const tosajit_attributes a = {.numbers = numbers, .number_count = (size_t)count};
    return tosajit_expr_op(expr, op, value, 1, &a, NULL, value);
}

static tosajit_status expand_tile(tosajit_expr *expr, const tosajit_attributes *attributes,
                                  tosajit_value x, tosajit_value *value) {
    const tosajit_tensor_type type = expr->nodes[x].type; /* not where it lies: nodes are added */
    tile_shapes s = {.open = -1};
    tosajit_status status = find_shapes(&type, attributes, &s);
    *value = x;
    if (!status) status = view(expr, TOSAJIT_OP_reshape, s.before, s.count, value);
    if (!status) status = view(expr, TOSAJIT_OP_tile, s.multiples, s.count, value);
    return status ? status : view(expr, TOSAJIT_OP_reshape, s.behind, type.rank, value);
}

/* ---------------------------------------------------------------------------------------------
 * Ops */

/* The same op on other operands. */
static tosajit_status append(splitting *s, tosajit_value k, const tosajit_value *operands,
                             const tosajit_attributes *attributes, const tosajit_tensor_type *type,
                             tosajit_value *value) {
    const expr_node *node = &s->expr->nodes[k];
    const size_t first = s->split->count;
    tosajit_status status =
        expands(type_of(s, operands[0]), node->op, attributes)
            ? expand_tile(s->split, attributes, operands[0], value)
            : tosajit_expr_op(s->split, node->op, operands, (size_t)node->operand_count, attributes,
                              type, value);
    for (size_t n = first; n < s->split->count; n++) s->split->nodes[n].number = node->number;
    return status;
}

/* Slices a box of a value that is whole; its dimension d is the box's d + shift. */
static tosajit_status slice_box(splitting *s, tosajit_value k, const piece_box *box, int32_t shift,
                                tosajit_value *value) {
    int64_t ranges[3 * TOSAJIT_MAX_RANK];
    const tosajit_tensor_type *type = type_of(s, *value);
    uint16_t rests = 0;
    bool whole = true;
    for (int32_t d = 0; d < type->rank; d++) {
        const int64_t begin = d + shift < 0 ? 0 : box->begin[d + shift],
                      end = d + shift < 0 ? TOSAJIT_DYNAMIC : box->end[d + shift];
        const bool all = type->dims[d] == 1 || (begin == 0 && end == TOSAJIT_DYNAMIC);
        if (!all && (begin == TREE_UNKNOWN || end == TREE_UNKNOWN))
            return refuse(s, k,
                          "of what is concatenated only the last operand may have a dynamic size");
        if (!all && end == TOSAJIT_DYNAMIC) rests |= (uint16_t)(1U << d);
        ranges[3 * d] = all ? TOSAJIT_DYNAMIC : begin;
        ranges[3 * d + 1] = all ? TOSAJIT_DYNAMIC : end;
        ranges[3 * d + 2] = 1;
        whole &= all;
    }
    if (whole) return TOSAJIT_OK;
    const tosajit_attributes a = {.numbers = ranges, .number_count = 3 * (size_t)type->rank};
    tosajit_status status = tosajit_expr_op(s->split, TOSAJIT_OP_slice, value, 1, &a, NULL, value);
    if (!status) s->split->nodes[*value].rests = rests;
    return status;
}

/* True if two values are divided at the same places. */
static bool same_places(const splitting *s, const piece_tree *a, const piece_tree *b,
                        int32_t shift) {
    bool same = tree_same(a, b, shift);
    if (same && a->divided == b->divided) return true;
    for (int32_t p = 0; same && p < a->count; p++) {
        const tosajit_tensor_type *t = type_of(s, a->values[p]), *u = type_of(s, b->values[p]);
        for (int32_t axis = 0; same && axis < t->rank; axis++)
            same = !tree_has_axis(a, axis) ||
                   (t->dims[axis] != TOSAJIT_DYNAMIC && t->dims[axis] == u->dims[axis - shift]);
    }
    return same;
}

/* Operand o of piece p of an elementwise op; `all` is the operand that is in pieces, and `boxes`
 * where they lie. */
static tosajit_status operand_of_piece(splitting *s, tosajit_value k, int o, const piece_tree *all,
                                       const piece_box *boxes, int32_t p, tosajit_value *value) {
    const expr_node *node = &s->expr->nodes[k];
    const piece_tree *own = &s->values[node->operands[o]];
    const int32_t rank = type_of(s, all->values[0])->rank,
                  shift = rank - type_of(s, own->values[0])->rank;
    *value = own->values[own->count > 1 ? p : 0];
    if (expr_role(node, o) == ROLE_CHANNEL && tree_has_axis(all, rank - 1))
        return refuse(s, k, "the last dimension of a rescale per channel must be whole");
    if (expr_role(node, o) == ROLE_GATHERED &&
        (own->count > 1 || type_of(s, own->values[0])->rank > 1))
        return refuse(s, k, "what gather reads must be in one piece, and whole");
    if (own == all) return TOSAJIT_OK;
    if (own->count > 1 && !same_places(s, all, own, shift))
        return refuse(s, k, "two concatenations meet that are divided at different places");
    if (own->count > 1 || expr_role(node, o) != ROLE_DATA) return TOSAJIT_OK;
    return slice_box(s, k, &boxes[p], shift, value);
}

static tosajit_status split_elementwise(splitting *s, tosajit_value k, const piece_tree *all,
                                        piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    const tosajit_tensor_type result = {node->type.element, TOSAJIT_UNRANKED, {0}};
    const int32_t shift = node->type.rank - type_of(s, all->values[0])->rank;
    piece_box boxes[MOST_PIECES];
    tosajit_status status = TOSAJIT_OK;
    tree_boxes(all, s->split->nodes, boxes);
    *made = *all;
    for (int n = 0; n < made->node_count; n++)
        if (made->nodes[n].axis != PIECE)
            made->nodes[n].axis = (int8_t)(made->nodes[n].axis + shift);
    for (int32_t p = 0; !status && p < all->count; p++) {
        tosajit_value operands[TOSAJIT_MAX_OPERANDS];
        for (int o = 0; !status && o < node->operand_count; o++)
            status = operand_of_piece(s, k, o, all, boxes, p, &operands[o]);
        if (!status) status = append(s, k, operands, &node->attributes, &result, &made->values[p]);
    }
    return status;
}

/* The same op on each piece. */
static tosajit_status split_each(splitting *s, tosajit_value k, const tosajit_attributes *a,
                                 piece_tree *made) {
    tosajit_status status = TOSAJIT_OK;
    for (int32_t p = 0; !status && p < made->count; p++)
        status = append(s, k, &made->values[p], a, NULL, &made->values[p]);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Views */

static bool is_whole(const int64_t range[3]) {
    return range[0] == TOSAJIT_DYNAMIC && range[1] == TOSAJIT_DYNAMIC && range[2] == 1;
}

/* Of each piece what is in the ranges. Those of divided axes are from begin to end here. */
static tosajit_status split_slice(splitting *s, tosajit_value k, const piece_tree *all,
                                  const int64_t *ranges, piece_tree *made) {
    const int32_t axis = all->nodes[0].axis;
    const size_t count = s->expr->nodes[k].attributes.number_count;
    int64_t own[3 * TOSAJIT_MAX_RANK], begin = 0;
    tosajit_attributes a = {.numbers = own, .number_count = count};
    tree_place at = {1, 0};
    tosajit_status status = TOSAJIT_OK;
    memcpy(own, ranges, count * sizeof *own);
    *made = *all;
    if (axis == PIECE) return append(s, k, all->values, &a, NULL, made->values);
    const bool whole = is_whole(own + 3 * axis);
    *made = tree_begin(axis);
    for (int c = 0; !status && c < all->nodes[0].children; c++) {
        const piece_tree part = tree_take(all, &at);
        const int64_t end = whole ? 0 : begin + tree_size(&part, s->split->nodes, axis),
                      first = ranges[3 * axis], last = ranges[3 * axis + 1];
        piece_tree cut;
        if (!whole) own[3 * axis] = first > begin ? first - begin : 0;
        if (!whole) own[3 * axis + 1] = (last < end ? last : end) - begin;
        const bool none = !whole && (end <= first || begin >= last);
        begin = end;
        if (none) continue;
        status = split_slice(s, k, &part, own, &cut);
        if (!status) status = add(s, k, made, &cut);
    }
    tree_end(made);
    return status;
}

/* Ranges of divided axes, from begin to end. */
static tosajit_status begin_slice(splitting *s, tosajit_value k, const piece_tree *all,
                                  piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    const tosajit_tensor_type *type = &s->expr->nodes[node->operands[0]].type;
    int64_t ranges[3 * TOSAJIT_MAX_RANK];
    memcpy(ranges, node->attributes.numbers, node->attributes.number_count * sizeof *ranges);
    for (int32_t d = 0; d < type->rank; d++) {
        int64_t *own = ranges + 3 * d;
        const int64_t n = tree_size(all, s->split->nodes, d);
        if (!tree_has_axis(all, d) || is_whole(own)) continue;
        if (n == TOSAJIT_DYNAMIC || own[2] != 1)
            return refuse(s, k, "a slice across pieces needs static sizes, and a step of 1");
        own[0] = own[0] == TOSAJIT_DYNAMIC ? 0 : own[0] + (own[0] < 0 ? n : 0);
        own[1] = own[1] == TOSAJIT_DYNAMIC ? n : own[1] + (own[1] < 0 ? n : 0);
    }
    return split_slice(s, k, all, ranges, made);
}

/* The pieces along an axis in the other order. */
static piece_tree turn(const piece_tree *all, int32_t axis) {
    const piece_node root = all->nodes[0];
    piece_tree made = tree_begin(root.axis);
    if (root.axis == PIECE) return *all;
    for (int c = 0; c < root.children; c++) {
        const int wanted = root.axis == axis ? root.children - 1 - c : c;
        tree_place at = {1, 0};
        for (int before = 0; before < wanted; before++) tree_take(all, &at);
        piece_tree part = tree_take(all, &at);
        part = turn(&part, axis);
        tree_add(&made, &part);
    }
    return made;
}

static void exchange_axes(const int64_t *perms, piece_tree *made) {
    for (int n = 0; n < made->node_count; n++) {
        int8_t axis = 0;
        if (made->nodes[n].axis == PIECE) continue;
        while (perms[axis] != made->nodes[n].axis) axis++;
        made->nodes[n].axis = axis;
    }
}

/* A repetition along an axis of pieces is one more piece each time. */
static tosajit_status split_tile(splitting *s, tosajit_value k, const piece_tree *all,
                                 piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    int64_t multiples[TOSAJIT_MAX_RANK];
    tosajit_attributes a = node->attributes;
    const int32_t rank = (int32_t)a.number_count;
    for (int32_t d = 0; d < rank; d++) multiples[d] = tree_has_axis(all, d) ? 1 : a.numbers[d];
    a.numbers = multiples;
    *made = *all;
    tosajit_status status = split_each(s, k, &a, made);
    for (int32_t d = 0; !status && d < rank; d++) {
        if (multiples[d] == node->attributes.numbers[d]) continue;
        const piece_tree one = *made;
        *made = tree_begin(d);
        for (int64_t n = 0; !status && n < node->attributes.numbers[d]; n++)
            status = add(s, k, made, &one);
    }
    return status;
}

/* The dimension of the view that is divided where the operand's `axis` is. A size of the axis,
 * times *numerator / *denominator, is the view's size there. -1: no dimension is. */
static int32_t find_divided(const splitting *s, tosajit_value k, const piece_tree *all,
                            int32_t axis, int64_t *numerator, int64_t *denominator) {
    const expr_node *node = &s->expr->nodes[k];
    const tosajit_tensor_type *in = &s->expr->nodes[node->operands[0]].type, *out = &node->type;
    int64_t before = 1, behind = 1;
    for (int32_t d = 0; d < axis; d++)
        if (in->dims[d] == TOSAJIT_DYNAMIC || !size_multiply(before, in->dims[d], &before))
            return -1;
    const int64_t whole = *denominator = in->dims[axis];
    for (int32_t d = 0; whole > 0 && d < out->rank; d++) {
        bool fits = before == behind && out->dims[d] > 0;
        for (int32_t p = 0; fits && p < all->count; p++) {
            int64_t size = type_of(s, all->values[p])->dims[axis];
            fits = size > 0 && size_multiply(size, out->dims[d], &size) && size % whole == 0;
        }
        *numerator = out->dims[d];
        if (fits) return d;
        if (out->dims[d] == TOSAJIT_DYNAMIC || !size_multiply(behind, out->dims[d], &behind))
            return -1;
    }
    return -1;
}

/* A reshape where every divided axis stays a dimension of its own, or is the first of several
 * joined dimensions, or becomes several, of which the first is divided. */
static tosajit_status split_reshape(splitting *s, tosajit_value k, const piece_tree *all,
                                    piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    const int32_t rank = s->expr->nodes[node->operands[0]].type.rank;
    int64_t shapes[MOST_PIECES][TOSAJIT_MAX_RANK];
    int32_t place[TOSAJIT_MAX_RANK];
    for (int32_t p = 0; p < all->count; p++)
        for (size_t d = 0; d < node->attributes.number_count; d++)
            shapes[p][d] = node->attributes.numbers[d];
    for (int32_t axis = 0; axis < rank; axis++) {
        int64_t up, down;
        if (!tree_has_axis(all, axis)) continue;
        place[axis] = find_divided(s, k, all, axis, &up, &down);
        if (place[axis] < 0)
            return refuse(s, k,
                          "its operand is a concatenation, which it cannot take piece by piece");
        for (int32_t p = 0; p < all->count; p++)
            shapes[p][place[axis]] = type_of(s, all->values[p])->dims[axis] * up / down;
    }
    tosajit_status status = TOSAJIT_OK;
    *made = *all;
    for (int32_t p = 0; !status && p < all->count; p++) {
        tosajit_attributes a = node->attributes;
        a.numbers = shapes[p];
        status = append(s, k, &all->values[p], &a, NULL, &made->values[p]);
    }
    for (int n = 0; n < made->node_count; n++)
        if (made->nodes[n].axis != PIECE) made->nodes[n].axis = (int8_t)place[made->nodes[n].axis];
    return status;
}

static tosajit_status split_view(splitting *s, tosajit_value k, const piece_tree *all,
                                 piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    if (node->op == TOSAJIT_OP_slice) return begin_slice(s, k, all, made);
    if (node->op == TOSAJIT_OP_tile) return split_tile(s, k, all, made);
    if (node->op == TOSAJIT_OP_reshape) return split_reshape(s, k, all, made);
    *made = *all;
    if (node->op == TOSAJIT_OP_reverse) *made = turn(all, (int32_t)node->attributes.axis);
    if (node->op == TOSAJIT_OP_transpose) exchange_axes(node->attributes.numbers, made);
    return split_each(s, k, &node->attributes, made);
}

static tosajit_status split_concat(splitting *s, tosajit_value k, piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    tosajit_status status = TOSAJIT_OK;
    *made = tree_begin((int32_t)node->attributes.axis);
    for (int o = 0; !status && o < node->operand_count; o++)
        status = add(s, k, made, &s->values[node->operands[o]]);
    return status;
}

/* Operand b of a pad with as many dimensions as a has. */
static tosajit_status raise_element(splitting *s, int32_t rank, tosajit_value *value) {
    int64_t ones[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < rank; d++) ones[d] = 1;
    const tosajit_attributes a = {.numbers = ones, .number_count = (size_t)rank};
    return tosajit_expr_op(s->split, TOSAJIT_OP_reshape, value, 1, &a, NULL, value);
}

/* Padding of a piece along an axis: the element, repeated. Where only a call knows the sizes, the
 * index of the piece has these sizes, and the element is chosen beside the index. */
static tosajit_status fill(splitting *s, const int64_t *sizes, int32_t rank, int32_t axis,
                           int64_t count, tosajit_value element, tosajit_value *value) {
    static const uint8_t yes = 1;
    const tosajit_tensor_type flag = {TOSAJIT_I1, 0, {0}};
    int64_t multiples[TOSAJIT_MAX_RANK];
    bool known = true;
    for (int32_t d = 0; d < rank; d++) known &= d == axis || sizes[d] != TOSAJIT_DYNAMIC;
    for (int32_t d = 0; d < rank; d++) multiples[d] = d == axis ? count : known ? sizes[d] : 1;
    const tosajit_attributes a = {.numbers = multiples, .number_count = (size_t)rank};
    if (known) return tosajit_expr_op(s->split, TOSAJIT_OP_tile, &element, 1, &a, NULL, value);
    piece_box box = {{0}, {0}};
    for (int32_t d = 0; d < rank; d++) box.end[d] = d == axis ? 1 : TOSAJIT_DYNAMIC;
    tosajit_value chosen[3] = {0, element, *value};
    tosajit_status status = slice_box(s, 0, &box, 0, &chosen[2]);
    if (!status)
        status = tosajit_expr_op(s->split, TOSAJIT_OP_tile, &chosen[2], 1, &a, NULL, &chosen[2]);
    if (!status) status = tosajit_expr_constant(s->split, &flag, &yes, &chosen[0]);
    return status ? status
                  : tosajit_expr_op(s->split, TOSAJIT_OP_select, chosen, 3, NULL, NULL, value);
}

/* The first of the pieces along an axis, which have the others' sizes along the rest. */
static piece_tree first_along(const piece_tree *all, int32_t axis) {
    const piece_node root = all->nodes[0];
    piece_tree made = tree_begin(root.axis);
    tree_place at = {1, 0};
    if (root.axis == PIECE) return *all;
    for (int c = 0; c < (root.axis == axis ? 1 : root.children); c++) {
        piece_tree part = tree_take(all, &at);
        part = first_along(&part, axis);
        tree_add(&made, &part);
    }
    tree_end(&made);
    return made;
}

/* One piece before or behind what there is, along an axis; several where sizes are only known when
 * called. */
static tosajit_status add_side(splitting *s, tosajit_value k, const piece_tree *inner, int32_t axis,
                               int64_t count, tosajit_value element, piece_tree *made) {
    const int32_t rank = s->expr->nodes[k].type.rank;
    int64_t sizes[TOSAJIT_MAX_RANK];
    bool known = true;
    piece_tree side = first_along(inner, axis);
    tosajit_status status = TOSAJIT_OK;
    if (count == 0) return status;
    for (int32_t d = 0; d < rank; d++) {
        sizes[d] = tree_size(inner, s->split->nodes, d);
        known &= d == axis || sizes[d] != TOSAJIT_DYNAMIC;
    }
    if (known) side = tree_of(side.values[0]);
    for (int32_t p = 0; !status && p < side.count; p++) {
        const tosajit_tensor_type type = *type_of(s, side.values[p]);
        status = fill(s, known ? sizes : type.dims, rank, axis, count, element, &side.values[p]);
    }
    return status ? status : add(s, k, made, &side);
}

static tosajit_status split_pad(splitting *s, tosajit_value k, piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    const int64_t *padding = node->attributes.numbers;
    const size_t first = s->split->count;
    tosajit_value element = s->values[node->operands[1]].values[0];
    tosajit_status status = raise_element(s, node->type.rank, &element);
    *made = s->values[node->operands[0]];
    for (int32_t d = 0; !status && d < node->type.rank; d++) {
        const piece_tree inner = *made;
        if (padding[2 * d] == 0 && padding[2 * d + 1] == 0) continue;
        *made = tree_begin(d);
        status = add_side(s, k, &inner, d, padding[2 * d], element, made);
        if (!status) status = add(s, k, made, &inner);
        if (!status) status = add_side(s, k, &inner, d, padding[2 * d + 1], element, made);
    }
    for (size_t n = first; n < s->split->count; n++) s->split->nodes[n].number = node->number;
    return status;
}

static tosajit_status split_op(splitting *s, tosajit_value k, piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    const piece_tree *all = NULL;
    for (int o = 0; o < node->operand_count; o++)
        if (s->values[node->operands[o]].count > 1) all = &s->values[node->operands[o]];
    if (node->op == TOSAJIT_OP_concat) return split_concat(s, k, made);
    if (node->op == TOSAJIT_OP_pad) return split_pad(s, k, made);
    if (!all) {
        tosajit_value operands[TOSAJIT_MAX_OPERANDS];
        for (int o = 0; o < node->operand_count; o++)
            operands[o] = s->values[node->operands[o]].values[0];
        *made = tree_of(0);
        return append(s, k, operands, &node->attributes, &node->type, &made->values[0]);
    }
    if (op_views(node->op)) return split_view(s, k, all, made);
    if (op_scatters(node->op)) return refuse(s, k, "what scatter takes must be in one piece");
    if (!op_is_along(node->op)) return split_elementwise(s, k, all, made);
    for (int32_t d = (int32_t)node->attributes.axis; d <= reduce_last(node); d++)
        if (tree_has_axis(all, d))
            return refuse(s, k,
                          op_reduces(node->op)
                              ? "it reduces along pieces, whose elements have an order across them"
                          : op_scans(node->op)
                              ? "it adds up along pieces, whose elements have an order across them"
                              : "it counts along pieces, whose elements have an order across them");
    *made = *all;
    return split_each(s, k, &node->attributes, made);
}

/* ---------------------------------------------------------------------------------------------
 * The whole */

static tosajit_status copy_input(splitting *s, tosajit_value k, piece_tree *made) {
    const expr_node *node = &s->expr->nodes[k];
    tosajit_status status = tosajit_expr_input(s->split, &node->type, &made->values[0]);
    for (int32_t d = 0; !status && d < node->type.rank; d++) {
        const tosajit_contract *c = expr_contract_of(s->expr, k, d);
        if (c) status = tosajit_expr_contract(s->split, made->values[0], d, c);
    }
    return status;
}

static bool divides_anew(tosajit_op op) {
    return op_views(op) || op == TOSAJIT_OP_concat || op == TOSAJIT_OP_pad;
}

static tosajit_status split_node(splitting *s, tosajit_value k) {
    const expr_node *node = &s->expr->nodes[k];
    piece_tree *made = &s->values[k];
    if (node->kind == NODE_OP) {
        tosajit_status status = split_op(s, k, made);
        if (divides_anew(node->op)) made->divided = k;
        return status;
    }
    *made = tree_of(0);
    if (node->kind == NODE_INPUT) return copy_input(s, k, made);
    return expr_constant_bytes(s->split, &node->type, node->data, node->data_size, node->splat,
                               &made->values[0]);
}

static tosajit_status split_all(splitting *s, result_pieces *pieces) {
    tosajit_status status = TOSAJIT_OK;
    int32_t used = 0;
    for (size_t k = 0; !status && k < s->expr->count; k++) status = split_node(s, (tosajit_value)k);
    for (int32_t r = 0; !status && r < s->expr->result_count; r++) {
        const piece_tree *own = &s->values[s->expr->results[r]];
        for (int32_t p = 0; !status && p < own->count; p++)
            status = tosajit_expr_result(s->split, own->values[p]);
        if (status) break; /* there are less than two nodes for each result */
        memcpy(pieces->nodes + used, own->nodes, own->node_count * sizeof *own->nodes);
        used += own->node_count;
    }
    return status;
}

static bool is_split(const tosajit_expr *expr, const expr_node *node) {
    return node->kind == NODE_OP &&
           (node->op == TOSAJIT_OP_concat || node->op == TOSAJIT_OP_pad ||
            (op_views(node->op) &&
             expands(&expr->nodes[node->operands[0]].type, node->op, &node->attributes)));
}

static bool has_pieces(const tosajit_expr *expr) {
    for (size_t k = 0; k < expr->count; k++)
        if (is_split(expr, &expr->nodes[k])) return true;
    return false;
}

tosajit_status pieces_split(program_made *made, bool *changed) {
    const tosajit_expr *expr = made->program;
    const tosajit_allocator *allocator = &expr->allocator;
    const tosajit_expr_options options = {
        .size = sizeof options, .allocator = allocator, .accuracy = expr_accuracy(expr)};
    splitting s = {.expr = expr};
    if (!has_pieces(expr)) return TOSAJIT_OK;
    *changed = true;
    tosajit_status status = views_begin(made);
    if (!status) status = tosajit_expr_create(&options, &s.split);
    if (status) return status;
    made->program = s.split;
    s.values = memory_new(allocator, expr->count, sizeof *s.values);
    if (!s.values)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the pieces of an expression");
    if (!status) status = split_all(&s, &made->views->pieces);
    memory_free(allocator, s.values, expr->count, sizeof *s.values);
    return status ? status : expr_sweep(made->program, NULL, NULL, NULL);
}
