/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A value in pieces: a tree whose leaves are values. A value that is whole is a tree of one leaf.
 *
 *     concat(concat(a, b, axis=0), c, axis=1)     nodes: 1 of 2, 0 of 2, PIECE, PIECE, PIECE
 *                                                 values: a, b, c
 */
#ifndef TOSAJIT_RUNTIME_EXPR_PIECE_TREE_H
#define TOSAJIT_RUNTIME_EXPR_PIECE_TREE_H

#include "runtime/expr/pieces.h"

enum { MOST_PIECES = 24 /* of one value */ };

typedef struct piece_tree {
    uint8_t count, node_count;
    tosajit_value values[MOST_PIECES];
    piece_node nodes[2 * MOST_PIECES];
    tosajit_value divided; /* the node that divided it: results computed of that node element by
                              element are divided at the same places, whatever the sizes */
} piece_tree;

piece_tree tree_of(tosajit_value value);

/* Pieces one behind the other along an axis: begin with none, add each in turn, and end. The tree
 * of a single piece is that piece. False: there are too many. */
piece_tree tree_begin(int32_t axis);
bool tree_add(piece_tree *to, const piece_tree *piece);
void tree_end(piece_tree *made);

/* A place in a tree: a node, and the leaf that comes next. */
typedef struct tree_place {
    int32_t node, leaf;
} tree_place;
/* Takes the tree that begins at a place, which moves behind it. */
piece_tree tree_take(const piece_tree *tree, tree_place *at);

/* True if anything is divided along an axis. */
bool tree_has_axis(const piece_tree *tree, int32_t axis);
/* True if both are divided alike, the axes of the first one being `shift` higher. */
bool tree_same(const piece_tree *a, const piece_tree *b, int32_t shift);
/* The size along an axis; TOSAJIT_DYNAMIC if it is not known. */
int64_t tree_size(const piece_tree *tree, const expr_node *nodes, int32_t axis);

/* Where a piece lies: from begin to before end of each axis. TOSAJIT_DYNAMIC as an end is the whole
 * tensor's; TREE_UNKNOWN is what only a call knows. */
enum { TREE_UNKNOWN = -1 };
typedef struct piece_box {
    int64_t begin[TOSAJIT_MAX_RANK], end[TOSAJIT_MAX_RANK];
} piece_box;
/* Of each leaf, [tree->count]. */
void tree_boxes(const piece_tree *tree, const expr_node *nodes, piece_box *boxes);

#endif
