/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scatter: a part that puts updates where an index says, into a copy of its base. It has no code of
 * its own: a few loops of rows, where the index repeats along them, and of single elements. */
#ifndef TOSAJIT_RUNTIME_TILE_SCATTER_H
#define TOSAJIT_RUNTIME_TILE_SCATTER_H

#include "runtime/check/gather.h"
#include "runtime/tile/tile.h"

/* Facts of a call about a part that scatters. The call's stride is the result's. */
typedef struct scatter_call {
    gather_call to;
    int64_t base_stride; /* from index to index of the base's first dimension */
    bool begins;         /* the block is the first one along the updates: the base is copied */
} scatter_call;

/* Scatter a block: a walk over the part's leaves and its result, which may be empty. All indices
 * are legal. */
void scatter_run(const tosajit_expr *program, const plan_part *part, const scatter_call *call,
                 const walk *w, const tile_tensors *tensors);

#endif
