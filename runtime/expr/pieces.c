/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/pieces.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"

enum { MOST_PIECES = 16 }; /* of one value */

/* What a value has become: one, or several along an axis. */
typedef struct pieces {
    int32_t count, axis;
    tosajit_value values[MOST_PIECES];
} pieces;

typedef struct splitting {
    const tosajit_expr *expr;
    tosajit_expr *split;
    pieces *values; /* per node */
} splitting;

static const tosajit_tensor_type *type_of(const splitting *s, tosajit_value value) {
    return &s->split->nodes[value].type;
}

/* ---------------------------------------------------------------------------------------------
 * Refusals */

static tosajit_status refuse(const splitting *s, tosajit_value k, const char *why) {
    return diag_error(TOSAJIT_SHAPE_MISMATCH, "%s: %s", expr_value_name(s->expr, k).text, why);
}

/* ---------------------------------------------------------------------------------------------
 * Ops */

/* The same op on other operands. */
static tosajit_status append(splitting *s, tosajit_value k, const tosajit_value *operands,
                             const tosajit_attributes *attributes, const tosajit_tensor_type *type,
                             tosajit_value *value) {
    const expr_node *node = &s->expr->nodes[k];
    tosajit_status status = tosajit_expr_op(s->split, node->op, operands,
                                            (size_t)node->operand_count, attributes, type, value);
    if (!status) s->split->nodes[*value].number = node->number;
    return status;
}

/* Indices begin..end along a dimension; TOSAJIT_DYNAMIC: to its end. */
static tosajit_status slice(splitting *s, tosajit_value x, int32_t axis, int64_t begin, int64_t end,
                            tosajit_value *value) {
    int64_t ranges[3 * TOSAJIT_MAX_RANK];
    const int32_t rank = type_of(s, x)->rank;
    for (int32_t d = 0; d < rank; d++) {
        ranges[3 * d] = d == axis ? begin : TOSAJIT_DYNAMIC;
        ranges[3 * d + 1] = d == axis ? end : TOSAJIT_DYNAMIC;
        ranges[3 * d + 2] = 1;
    }
    const tosajit_attributes a = {.numbers = ranges, .number_count = 3 * (size_t)rank};
    return tosajit_expr_op(s->split, TOSAJIT_OP_slice, &x, 1, &a, NULL, value);
}

/* Where piece p lies along the axis. All but the last one need a known size. */
static bool find_place(const splitting *s, const pieces *all, int32_t p, int64_t *begin,
                       int64_t *end) {
    *begin = 0;
    for (int32_t k = 0; k < p; k++) {
        const int64_t size = type_of(s, all->values[k])->dims[all->axis];
        if (size == TOSAJIT_DYNAMIC) return false;
        *begin += size;
    }
    const int64_t size = type_of(s, all->values[p])->dims[all->axis];
    if (size == TOSAJIT_DYNAMIC && p + 1 < all->count) return false;
    *end = size == TOSAJIT_DYNAMIC ? size : *begin + size;
    return true;
}

/* Whether two values are divided at the same places. */
static bool same_places(const splitting *s, const pieces *a, const pieces *b) {
    bool same = a->count == b->count;
    for (int32_t p = 0; same && p < a->count; p++) {
        const int64_t size = type_of(s, a->values[p])->dims[a->axis];
        same = size != TOSAJIT_DYNAMIC && size == type_of(s, b->values[p])->dims[b->axis];
    }
    return same;
}

/* Operand o of piece p of an elementwise op; `all` is the operand that is in pieces, with its axis
 * counted from the end. */
static tosajit_status operand_of_piece(splitting *s, tosajit_value k, int o, const pieces *all,
                                       int32_t from_end, int32_t p, tosajit_value *value) {
    const expr_node *node = &s->expr->nodes[k];
    const pieces *own = &s->values[node->operands[o]];
    const tosajit_tensor_type *type = type_of(s, own->values[0]);
    const int32_t axis = type->rank - from_end;
    int64_t begin, end;
    *value = own->values[0];
    if (expr_role(node, o) == ROLE_CHANNEL && from_end == 1)
        return refuse(s, k, "the last dimension of a rescale per channel must be whole");
    if (own->count > 1) {
        if (own->axis != axis || (own != all && !same_places(s, own, all)))
            return refuse(s, k, "two concatenations meet that are divided at different places");
        *value = own->values[p];
        return TOSAJIT_OK;
    }
    if (expr_role(node, o) != ROLE_DATA || axis < 0 || type->dims[axis] == 1) return TOSAJIT_OK;
    if (!find_place(s, all, p, &begin, &end))
        return refuse(s, k,
                      "of what is concatenated only the last operand may have a dynamic size");
    return slice(s, *value, axis, begin, end, value);
}

static tosajit_status split_elementwise(splitting *s, tosajit_value k, const pieces *all,
                                        pieces *made) {
    const expr_node *node = &s->expr->nodes[k];
    const tosajit_tensor_type result = {node->type.element, TOSAJIT_UNRANKED, {0}};
    const int32_t from_end = type_of(s, all->values[0])->rank - all->axis;
    tosajit_status status = TOSAJIT_OK;
    made->axis = node->type.rank - from_end;
    made->count = all->count;
    for (int32_t p = 0; !status && p < all->count; p++) {
        tosajit_value operands[TOSAJIT_MAX_OPERANDS];
        for (int o = 0; !status && o < node->operand_count; o++)
            status = operand_of_piece(s, k, o, all, from_end, p, &operands[o]);
        if (!status) status = append(s, k, operands, &node->attributes, &result, &made->values[p]);
    }
    return status;
}

/* The same op on each piece. */
static tosajit_status split_each(splitting *s, tosajit_value k, const pieces *all, int32_t axis,
                                 bool backwards, pieces *made) {
    const expr_node *node = &s->expr->nodes[k];
    tosajit_status status = TOSAJIT_OK;
    made->axis = axis;
    made->count = all->count;
    for (int32_t p = 0; !status && p < all->count; p++)
        status = append(s, k, &all->values[p], &node->attributes, NULL,
                        &made->values[backwards ? all->count - 1 - p : p]);
    return status;
}

/* A slice along the axis: of each piece what is in the range. */
static tosajit_status split_slice(splitting *s, tosajit_value k, const pieces *all, pieces *made) {
    const expr_node *node = &s->expr->nodes[k];
    const int64_t n = s->expr->nodes[node->operands[0]].type.dims[all->axis];
    int64_t ranges[3 * TOSAJIT_MAX_RANK], *own = ranges + 3 * all->axis;
    tosajit_attributes a = node->attributes;
    memcpy(ranges, a.numbers, a.number_count * sizeof *ranges);
    a.numbers = ranges;
    const bool whole = own[0] == TOSAJIT_DYNAMIC && own[1] == TOSAJIT_DYNAMIC && own[2] == 1;
    if (!whole && (n == TOSAJIT_DYNAMIC || own[2] != 1))
        return refuse(s, k, "a slice across pieces needs static sizes, and a step of 1");
    const int64_t first = own[0] == TOSAJIT_DYNAMIC ? 0 : own[0] + (own[0] < 0 ? n : 0),
                  last = own[1] == TOSAJIT_DYNAMIC ? n : own[1] + (own[1] < 0 ? n : 0);
    tosajit_status status = TOSAJIT_OK;
    made->axis = all->axis;
    for (int32_t p = 0; !status && p < all->count; p++) {
        int64_t begin = 0, end = 0;
        if (!whole) {
            find_place(s, all, p, &begin, &end); /* sizes are static */
            if (end <= first || begin >= last) continue;
            own[0] = first > begin ? first - begin : 0;
            own[1] = (last < end ? last : end) - begin;
        }
        status = append(s, k, &all->values[p], &a, NULL, &made->values[made->count++]);
    }
    return status;
}

static tosajit_status split_view(splitting *s, tosajit_value k, const pieces *all, pieces *made) {
    const expr_node *node = &s->expr->nodes[k];
    if (node->op == TOSAJIT_OP_slice) return split_slice(s, k, all, made);
    if (node->op == TOSAJIT_OP_reverse)
        return split_each(s, k, all, all->axis, node->attributes.axis == all->axis, made);
    if (node->op == TOSAJIT_OP_transpose) {
        int32_t axis = 0;
        while (node->attributes.numbers[axis] != all->axis) axis++;
        return split_each(s, k, all, axis, false, made);
    }
    return refuse(s, k, "its operand is a concatenation, which it cannot take piece by piece");
}

static tosajit_status split_concat(splitting *s, tosajit_value k, pieces *made) {
    const expr_node *node = &s->expr->nodes[k];
    made->axis = (int32_t)node->attributes.axis;
    for (int o = 0; o < node->operand_count; o++) {
        const pieces *own = &s->values[node->operands[o]];
        if (own->count > 1 && own->axis != made->axis)
            return refuse(s, k, "it is along another dimension than that of its operand");
        if (made->count + own->count > MOST_PIECES)
            return diag_error(TOSAJIT_LIMIT_EXCEEDED, "%s: more than %d pieces",
                              expr_value_name(s->expr, k).text, MOST_PIECES);
        memcpy(made->values + made->count, own->values, (size_t)own->count * sizeof *own->values);
        made->count += own->count;
    }
    return TOSAJIT_OK;
}

static tosajit_status split_op(splitting *s, tosajit_value k, pieces *made) {
    const expr_node *node = &s->expr->nodes[k];
    const pieces *all = NULL;
    for (int o = 0; o < node->operand_count; o++)
        if (s->values[node->operands[o]].count > 1) all = &s->values[node->operands[o]];
    if (node->op == TOSAJIT_OP_concat) return split_concat(s, k, made);
    if (!all) {
        tosajit_value operands[TOSAJIT_MAX_OPERANDS];
        for (int o = 0; o < node->operand_count; o++)
            operands[o] = s->values[node->operands[o]].values[0];
        made->count = 1;
        return append(s, k, operands, &node->attributes, &node->type, &made->values[0]);
    }
    if (op_reduces(node->op) && node->attributes.axis == all->axis)
        return refuse(s, k, "it reduces along pieces, whose elements have an order across them");
    if (op_reduces(node->op)) return split_each(s, k, all, all->axis, false, made);
    return op_views(node->op) ? split_view(s, k, all, made) : split_elementwise(s, k, all, made);
}

/* ---------------------------------------------------------------------------------------------
 * The whole */

static tosajit_status copy_input(splitting *s, tosajit_value k, pieces *made) {
    const expr_node *node = &s->expr->nodes[k];
    tosajit_status status = tosajit_expr_input(s->split, &node->type, &made->values[0]);
    for (int32_t d = 0; !status && d < node->type.rank; d++) {
        const tosajit_contract *c = expr_contract_of(s->expr, k, d);
        if (c) status = tosajit_expr_contract(s->split, made->values[0], d, c);
    }
    return status;
}

static tosajit_status split_node(splitting *s, tosajit_value k) {
    const expr_node *node = &s->expr->nodes[k];
    pieces *made = &s->values[k];
    if (node->kind == NODE_OP) return split_op(s, k, made);
    made->count = 1;
    if (node->kind == NODE_INPUT) return copy_input(s, k, made);
    return expr_constant_bytes(s->split, &node->type, node->data, node->data_size, node->splat,
                               &made->values[0]);
}

static tosajit_status split_all(splitting *s, result_piece *pieces_of) {
    tosajit_status status = TOSAJIT_OK;
    int32_t count = 0;
    for (size_t k = 0; !status && k < s->expr->count; k++) status = split_node(s, (tosajit_value)k);
    for (int32_t r = 0; !status && r < s->expr->result_count; r++) {
        const pieces *own = &s->values[s->expr->results[r]];
        for (int32_t p = 0; !status && p < own->count; p++) {
            status = tosajit_expr_result(s->split, own->values[p]);
            if (!status) pieces_of[count++] = (result_piece){r, own->count > 1 ? own->axis : -1};
        }
    }
    return status;
}

bool expr_has_pieces(const tosajit_expr *expr) {
    for (size_t k = 0; k < expr->count; k++)
        if (expr->nodes[k].kind == NODE_OP && expr->nodes[k].op == TOSAJIT_OP_concat) return true;
    return false;
}

tosajit_status pieces_split(const tosajit_expr *expr, const tosajit_allocator *allocator,
                            tosajit_expr **split, result_piece *pieces_of) {
    const tosajit_expr_options options = {.size = sizeof options,
                                          .allocator = allocator,
                                          .accuracy = expr->fast ? TOSAJIT_FAST : TOSAJIT_EXACT};
    splitting s = {.expr = expr};
    s.values = memory_new(allocator, expr->count, sizeof *s.values);
    tosajit_status status = tosajit_expr_create(&options, &s.split);
    if (!status && !s.values)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the pieces of an expression");
    if (!status) status = split_all(&s, pieces_of);
    memory_free(allocator, s.values, expr->count, sizeof *s.values);
    if (status)
        tosajit_expr_destroy(s.split);
    else
        *split = s.split;
    return status;
}
