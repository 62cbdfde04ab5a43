/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Choose: how a coalesced walk is given to a part's code. A pure function of sizes, strides and the
 * loops that the code has: a run executes the choice, a cached call remembers it, an explanation
 * prints it. */
#ifndef TOSAJIT_RUNTIME_TILE_CHOOSE_H
#define TOSAJIT_RUNTIME_TILE_CHOOSE_H

#include "runtime/code/code.h"
#include "runtime/plan/costs.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/walk.h"

/* Conditions and costs of each are in the table at the top of tile.c. */
typedef enum tile_strategy { TILE_DIRECT, TILE_COLLAPSED, TILE_PACKED } tile_strategy;

typedef struct tile_choice {
    tile_strategy strategy;
    bool by_pattern;    /* TILE_COLLAPSED: operands are packed by pack.h, else by transpose.h */
    uint64_t splat;     /* leaves that the code reads as one value per row */
    uint64_t packed;    /* tensors that go through a buffer */
    int32_t row_dim;    /* the walk's dimension that serves as rows; -1: none */
    int32_t plane_dim;  /* TILE_DIRECT: likewise as planes */
    int64_t interleave; /* TILE_DIRECT: rows of a call are so many apart, and a call for each of
                       those between them follows; 1: none is between */
    int32_t split; /* TILE_COLLAPSED, TILE_PACKED: the dimension that is cut into tiles; -1: none. A
                      tile has all of the dimensions inside it, but for columns */
    int64_t step, width;        /* likewise: indices of `split`, and columns, in a tile */
    uint32_t outer;             /* dimensions around what the code is given, as bits */
    int64_t planes, rows, cols; /* what the code is given in one call, at most */
} tile_choice;

enum { TILE_MOST_PACKED = 3 /* tensors of a collapsed walk */ };

/* The order of a walk's dimensions is free. The last result's elements may follow each other along
 * another dimension than the columns. That dimension becomes the columns if fewer tensors are
 * packed then. So the transpose of a matrix is computed in place as the matrix would be. */
void tile_order(const plan_part *part, walk *w);

/* The leaves in `same` are one value per row. Find the loop that reads most of them as one value,
 * in *splat. The rest of `same` must be packed into rows. False if there is no loop: each reads
 * some leaf beyond `same` as one value per row. */
bool tile_find_loop(const plan_part *part, uint64_t same, uint64_t *splat);

/* `in_place`: a result is computed in place of an operand. The walk has no size of 0. */
void tile_choose(const plan_part *part, const code_part *code, const walk *w, bool in_place,
                 tile_choice *choice);

#endif
