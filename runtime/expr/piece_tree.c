/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/piece_tree.h"

#include <string.h>

#include "runtime/base/types.h"

piece_tree tree_of(tosajit_value value) { return (piece_tree){1, 1, {value}, {{PIECE, 0}}, 0}; }

piece_tree tree_begin(int32_t axis) { return (piece_tree){0, 1, {0}, {{(int8_t)axis, 0}}, 0}; }

/* Pieces along the same axis are not nested. */
bool tree_add(piece_tree *to, const piece_tree *piece) {
    const int skip = piece->nodes[0].axis == to->nodes[0].axis, more = piece->node_count - skip;
    if (to->count + piece->count > MOST_PIECES || to->node_count + more > 2 * MOST_PIECES)
        return false;
    memcpy(to->values + to->count, piece->values, piece->count * sizeof *piece->values);
    memcpy(to->nodes + to->node_count, piece->nodes + skip, (size_t)more * sizeof *piece->nodes);
    to->count = (uint8_t)(to->count + piece->count);
    to->node_count = (uint8_t)(to->node_count + more);
    to->nodes[0].children =
        (uint8_t)(to->nodes[0].children + (skip ? piece->nodes[0].children : 1));
    return true;
}

void tree_end(piece_tree *made) {
    if (made->nodes[0].axis == PIECE || made->nodes[0].children != 1) return;
    made->node_count--;
    memmove(made->nodes, made->nodes + 1, made->node_count * sizeof *made->nodes);
}

piece_tree tree_take(const piece_tree *tree, tree_place *at) {
    const tree_place from = *at;
    piece_tree taken = {0};
    for (int open = 1; open > 0; open--) {
        const piece_node *node = &tree->nodes[at->node++];
        open += node->children;
        if (node->axis == PIECE) at->leaf++;
    }
    taken.count = (uint8_t)(at->leaf - from.leaf);
    taken.node_count = (uint8_t)(at->node - from.node);
    memcpy(taken.values, tree->values + from.leaf, taken.count * sizeof *taken.values);
    memcpy(taken.nodes, tree->nodes + from.node, taken.node_count * sizeof *taken.nodes);
    return taken;
}

bool tree_has_axis(const piece_tree *tree, int32_t axis) {
    for (int k = 0; k < tree->node_count; k++)
        if (tree->nodes[k].axis == axis) return true;
    return false;
}

bool tree_same(const piece_tree *a, const piece_tree *b, int32_t shift) {
    bool same = a->node_count == b->node_count;
    for (int k = 0; same && k < a->node_count; k++) {
        const piece_node *p = &a->nodes[k], *q = &b->nodes[k];
        same = p->children == q->children &&
               (p->axis == PIECE ? q->axis == PIECE : p->axis == q->axis + shift);
    }
    return same;
}

int64_t tree_size(const piece_tree *tree, const expr_node *nodes, int32_t axis) {
    const piece_node *root = &tree->nodes[0];
    tree_place at = {1, 0};
    int64_t sum = 0, any = TOSAJIT_DYNAMIC;
    if (root->axis == PIECE) return nodes[tree->values[0]].type.dims[axis];
    for (int k = 0; k < root->children; k++) {
        const piece_tree part = tree_take(tree, &at);
        const int64_t size = tree_size(&part, nodes, axis);
        if (size != TOSAJIT_DYNAMIC) any = size;
        if (size == TOSAJIT_DYNAMIC || sum == TOSAJIT_DYNAMIC || sum > INT64_MAX - size)
            sum = TOSAJIT_DYNAMIC;
        else
            sum += size;
    }
    return root->axis == axis ? sum : any;
}

static void find_boxes(const piece_tree *tree, const expr_node *nodes, const piece_box *whole,
                       piece_box *boxes) {
    const piece_node *root = &tree->nodes[0];
    tree_place at = {1, 0};
    piece_box own = *whole;
    int64_t end = 0;
    if (root->axis == PIECE) {
        *boxes = own;
        return;
    }
    for (int k = 0; k < root->children; k++) {
        const tree_place from = at;
        const piece_tree part = tree_take(tree, &at);
        const int64_t size = tree_size(&part, nodes, root->axis),
                      begin = k ? end : whole->begin[root->axis];
        end = begin == TREE_UNKNOWN || size == TOSAJIT_DYNAMIC ? TREE_UNKNOWN : begin + size;
        if (end == TREE_UNKNOWN && k + 1 == root->children) end = whole->end[root->axis];
        own.begin[root->axis] = begin;
        own.end[root->axis] = end;
        find_boxes(&part, nodes, &own, boxes + from.leaf);
    }
}

void tree_boxes(const piece_tree *tree, const expr_node *nodes, piece_box *boxes) {
    piece_box whole = {{0}, {0}};
    for (int d = 0; d < TOSAJIT_MAX_RANK; d++) whole.end[d] = TOSAJIT_DYNAMIC;
    find_boxes(tree, nodes, &whole, boxes);
}
