/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/tosa_view.h"

#include "runtime/expr/view_shape.h"

static void copy_list(const expr_node *node, tosa_view *v) {
    v->shape_count = 1;
    v->counts[0] = node->attributes.number_count;
    for (size_t k = 0; k < v->counts[0]; k++) v->shapes[0][k] = node->attributes.numbers[k];
}

/* TOSA has sizes, and one that is left; not one that the operand has, unless that is known. */
static void find_sizes(const expr_node *node, tosa_view *v) {
    copy_list(node, v);
    for (size_t d = 0; d < v->counts[0]; d++) {
        if (v->shapes[0][d] < -1) v->shapes[0][d] = node->type.dims[d];
        if (v->shapes[0][d] == TOSAJIT_DYNAMIC && node->attributes.numbers[d] < -1) v->has = false;
    }
}

/* TOSA has where a range begins and how long it is; ours may also count from the end, and step. */
static void find_ranges(const tosajit_tensor_type *operand, const expr_node *node, tosa_view *v) {
    v->shape_count = 2;
    v->counts[0] = v->counts[1] = (size_t)operand->rank;
    for (int32_t d = 0; d < operand->rank; d++) {
        const int64_t *numbers = node->attributes.numbers + 3 * d, n = operand->dims[d];
        int64_t begin = numbers[0] == TOSAJIT_DYNAMIC ? 0 : numbers[0], size = -1;
        const int64_t end = numbers[1];
        view_range range;
        if (n != TOSAJIT_DYNAMIC && view_find_range(numbers, n, &range)) {
            begin = range.begin;
            if (end != TOSAJIT_DYNAMIC) size = range.count;
        } else if (end != TOSAJIT_DYNAMIC) {
            v->has &= begin >= 0 && end > begin;
            if (v->has) size = end - begin;
        }
        v->has &= numbers[2] == 1 && begin >= 0;
        v->shapes[0][d] = begin;
        v->shapes[1][d] = size;
    }
}

tosa_view tosa_view_of(const tosajit_expr *expr, const expr_node *node) {
    tosa_view v = {.has = true};
    switch (node->op) {
    case TOSAJIT_OP_reshape: find_sizes(node, &v); break;
    case TOSAJIT_OP_slice: find_ranges(&expr->nodes[node->operands[0]].type, node, &v); break;
    case TOSAJIT_OP_tile: copy_list(node, &v); break;
    case TOSAJIT_OP_pad: /* TOSA's element has one dimension */
        v.has = expr->nodes[node->operands[1]].type.rank == 1;
        copy_list(node, &v);
        break;
    default: break; /* of the others the list is an attribute */
    }
    return v;
}
