/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/reduce.h"

#include <math.h>

#include "runtime/base/types.h"
#include "runtime/expr/ops.h"

bool node_reduces(const expr_node *node) { return node->kind == NODE_OP && op_reduces(node->op); }

bool reduce_is_unordered(const expr_node *node) {
    const bool adds = node->op == TOSAJIT_OP_reduce_sum || node->op == TOSAJIT_OP_reduce_product;
    return !adds || !type_is_float(node->type.element);
}

/* Of an extreme: what every number beats. Where NaN loses against numbers, that is NaN. */
static cell weakest(const expr_node *node, bool greatest) {
    const tosajit_type type = node->type.element;
    if (!type_is_float(type)) return (cell){.i = greatest ? type_least(type) : type_greatest(type)};
    if (node->attributes.nan_mode == TOSAJIT_NAN_IGNORE) return (cell){.f = NAN};
    return (cell){.f = greatest ? -INFINITY : INFINITY};
}

static cell number(const expr_node *node, int64_t whole, double real) {
    return type_is_float(node->type.element) ? (cell){.f = real} : (cell){.i = whole};
}

cell reduce_neutral(const expr_node *node) {
    switch (node->op) {
    case TOSAJIT_OP_reduce_all: return (cell){.i = 1};
    case TOSAJIT_OP_reduce_any: return (cell){.i = 0};
    case TOSAJIT_OP_reduce_max: return weakest(node, true);
    case TOSAJIT_OP_reduce_min: return weakest(node, false);
    case TOSAJIT_OP_reduce_product: return number(node, 1, 1);
    case TOSAJIT_OP_reduce_sum: return number(node, 0, -0.0);
    default: return number(node, 0, 0);
    }
}

cell reduce_empty(const expr_node *node) {
    return node->op == TOSAJIT_OP_reduce_sum ? number(node, 0, 0) : reduce_neutral(node);
}
