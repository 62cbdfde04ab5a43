/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tiles of a part with reductions: from a walk to calls of the part's code. A dimension of the walk
 * is reduced, or several neighbours as a single dimension: the code's columns if it is the last,
 * else its rows. */
#ifndef TOSAJIT_RUNTIME_TILE_REDUCE_TILE_H
#define TOSAJIT_RUNTIME_TILE_REDUCE_TILE_H

#include "runtime/tile/tile.h"

/* How many elements each reduction has. */
int64_t reduce_tile_elements(const plan_part *part, const walk *w);

/* Bytes for copies of tensors that the code cannot take as they lie: their columns lie apart, or
 * they do not walk the reduced dimensions as one. False: more than 2^63 - 1. */
bool reduce_tile_bytes(const plan_part *part, const walk *w, int64_t *bytes);

/* How the code is given a walk, for those who look at it; the walk becomes coalesced. */
void reduce_tile_choose(const plan_part *part, walk *w, tile_choice *choice);

/* Run the part's code; the walk is changed. `memory` has so many bytes. Only reduced dimensions
 * may have a size of 0: then its reductions are those of no element. */
void reduce_tile_run(const tosajit_expr *program, const plan_part *part, const code_part *code,
                     walk *w, tile_tensors *tensors, char *memory);

#endif
