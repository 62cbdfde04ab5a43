/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/reduce.h"

#include <math.h>

#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "tosajit/inspect.h"

bool node_reduces(const expr_node *node) { return node->kind == NODE_OP && op_reduces(node->op); }

size_t tosajit_expr_reductions(const tosajit_expr *expr) {
    size_t count = 0;
    for (size_t k = 0; expr && k < expr->count; k++) count += node_reduces(&expr->nodes[k]);
    return count;
}

bool reduce_is_position(const expr_node *node) {
    return node->kind == NODE_OP && op_table[node->op].signature == SIGNATURE_POSITION;
}

tosajit_type reduce_element(const tosajit_expr *expr, const expr_node *node) {
    return (reduce_is_position(node) ? &expr->nodes[node->operands[0]] : node)->type.element;
}

bool reduce_is_unordered(const expr_node *node) {
    const bool adds = node->op == TOSAJIT_OP_reduce_sum || node->op == TOSAJIT_OP_reduce_product;
    return !adds || !type_is_float(node->type.element);
}

/* True if a leaf has dimension d of its own, which is below 0 where others have more dimensions. */
static bool has_dimension(const expr_node *leaf, int64_t d) {
    if (d < 0 || (node_reduces(leaf) && reduce_has_axis(leaf, (int32_t)d))) return false;
    if (node_is_index(leaf)) return reduce_has_axis(leaf, (int32_t)d);
    return leaf->kind != NODE_CONSTANT || leaf->type.dims[d] != 1;
}

/* Values that were asked, each once: an expression is no tree, and has more paths than values. */
enum { MOST_ASKED = 256 };
typedef struct asked {
    const tosajit_expr *expr;
    int count;
    struct {
        tosajit_value value;
        int64_t first;
    } values[MOST_ASKED];
} asked;

static bool was_asked(const asked *a, tosajit_value value, int64_t first) {
    for (int k = 0; k < a->count; k++)
        if (a->values[k].value == value && a->values[k].first == first) return true;
    return false;
}

/* The same for a value whose dimensions these are. */
static bool straddles(asked *a, tosajit_value value, int64_t first, int64_t last) {
    const expr_node *node = &a->expr->nodes[value];
    const bool is_leaf = node->kind != NODE_OP || op_is_along(node->op) || op_views(node->op) ||
                         op_has_index(node->op);
    bool any = false, all = true;
    if (was_asked(a, value, first)) return false;
    if (a->count == MOST_ASKED) return true;
    a->values[a->count].value = value;
    a->values[a->count++].first = first;
    for (int64_t d = first; is_leaf && d <= last; d++) {
        const bool has = has_dimension(node, d);
        any |= has, all &= has;
    }
    for (int o = 0; !is_leaf && o < node->operand_count; o++) {
        const tosajit_value operand = node->operands[o];
        const int64_t lead = node->type.rank - a->expr->nodes[operand].type.rank;
        if (expr_role(node, o) == ROLE_DATA && last >= lead &&
            straddles(a, operand, first - lead, last - lead))
            return true;
    }
    return is_leaf && any && !all;
}

bool reduce_straddles(const tosajit_expr *expr, tosajit_value value, int64_t first, int64_t last) {
    asked a; /* not cleared */
    a.expr = expr;
    a.count = 0;
    return straddles(&a, value, first, last);
}

/* Of an extreme: what every number beats. Where NaN loses against numbers, that is NaN. */
static cell weakest(const expr_node *node, tosajit_type type, bool greatest) {
    if (!type_is_float(type)) return (cell){.i = greatest ? type_least(type) : type_greatest(type)};
    if (node->attributes.nan_mode == TOSAJIT_NAN_IGNORE) return (cell){.f = NAN};
    return (cell){.f = greatest ? -INFINITY : INFINITY};
}

static cell number(tosajit_type type, int64_t whole, double real) {
    return type_is_float(type) ? (cell){.f = real} : (cell){.i = whole};
}

cell reduce_neutral(const expr_node *node, tosajit_type element) {
    switch (node->op) {
    case TOSAJIT_OP_reduce_all: return (cell){.i = 1};
    case TOSAJIT_OP_reduce_any: return (cell){.i = 0};
    case TOSAJIT_OP_argmax:
    case TOSAJIT_OP_cummax:
    case TOSAJIT_OP_reduce_max: return weakest(node, element, true);
    case TOSAJIT_OP_argmin:
    case TOSAJIT_OP_cummin:
    case TOSAJIT_OP_reduce_min: return weakest(node, element, false);
    case TOSAJIT_OP_cumprod:
    case TOSAJIT_OP_reduce_product: return number(element, 1, 1);
    case TOSAJIT_OP_cumsum:
    case TOSAJIT_OP_reduce_sum: return number(element, 0, -0.0);
    default: return number(element, 0, 0);
    }
}

cell reduce_empty(const expr_node *node) {
    const tosajit_type type = node->type.element;
    if (reduce_is_position(node)) return (cell){.i = INT32_MAX};
    const bool adds = node->op == TOSAJIT_OP_reduce_sum || node->op == TOSAJIT_OP_cumsum;
    return adds ? number(type, 0, 0) : reduce_neutral(node, type);
}
