/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parallel: a walk that is long enough is divided among threads. */
#ifndef TOSAJIT_RUNTIME_TILE_PARALLEL_H
#define TOSAJIT_RUNTIME_TILE_PARALLEL_H

#include "runtime/tile/tile.h"

/* True if so many elements of the part are worth more than one thread. */
bool parallel_pays(const tosajit_parallel *parallel, const plan_part *part, int64_t elements);

/* Into how many pieces a run is divided for these threads, at most. */
int64_t parallel_pieces(const tosajit_parallel *parallel);

/* How a walk is cut into pieces along one dimension. */
typedef struct parallel_cut {
    int32_t dimension;
    int64_t step, pieces; /* indices per piece, the last one takes what is left; 1: not cut */
} parallel_cut;

parallel_cut parallel_divide(const tosajit_parallel *parallel, const plan_part *part,
                             const walk *w);

/* The coalesced walk of a piece, and the index of the dimension at which it begins. */
int64_t parallel_piece(const parallel_cut *cut, const walk *w, int64_t index, walk *piece);

/* Run a part's code over a coalesced walk, like tile_run, on the threads of `parallel` where that
 * pays. */
void parallel_run(const tosajit_parallel *parallel, const plan_part *part, const code_part *code,
                  const walk *w, const tile_tensors *tensors);

#endif
