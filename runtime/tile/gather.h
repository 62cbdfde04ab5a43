/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gather: a part that moves elements to where an index says. It has no code of its own, since it
 * only moves: rows where the index repeats along them, else single elements. */
#ifndef TOSAJIT_RUNTIME_TILE_GATHER_H
#define TOSAJIT_RUNTIME_TILE_GATHER_H

#include "runtime/check/gather.h"
#include "runtime/tile/tile.h"

/* Gather a block: a walk over the part's leaves and its result, which is coalesced here. All
 * indices are legal. */
void gather_run(const plan_part *part, const gather_call *call, walk *w,
                const tile_tensors *tensors);

/* True if the indices of a block are legal, which a part gathers or scatters. */
bool gather_is_legal(const callee *kernel, const plan_part *part, const gather_call *call,
                     const walk *w, const tile_tensors *tensors, int64_t *bad);

#endif
