/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Concatenations: tensors in pieces. In: an expression with concat, pad, or a tile of sizes
 * above 1. Out: an expression without, whose results are pieces of the first's results: it computes
 * each piece for itself, as views of other operands where these are whole.
 *
 *     r = concat(a, b) * c        r[:na] = a * c[:na]        r[na:] = b * c[na:]
 *
 * If c has a dynamic size there, it is na + nb in each call, never 1: a slice repeats nothing. So
 * one that goes on to the end has a bit for the dimension (`rests`): in each call it has the size
 * of the piece beside it. */
#ifndef TOSAJIT_RUNTIME_EXPR_PIECES_H
#define TOSAJIT_RUNTIME_EXPR_PIECES_H

#include "runtime/expr/passes.h"

/* A piece, or pieces along an axis. Children follow in their order, each with its own children. */
enum { PIECE = -1 };
typedef struct piece_node {
    int8_t axis; /* PIECE, or an axis of all of `children` */
    uint8_t children;
} piece_node;

/* The results of a caller: a tree for each, one behind the other. Pieces are numbered as they come.
 */
enum { MOST_PIECE_NODES = 2 * TOSAJIT_MAX_TENSORS };
typedef struct result_pieces {
    piece_node nodes[MOST_PIECE_NODES];
} result_pieces;

/* SHAPE_MISMATCH for what is not the same of each piece, such as a sum along them; LIMIT_EXCEEDED,
 * OUT_OF_MEMORY. */
tosajit_status pieces_split(program_made *made, bool *changed);

#endif
