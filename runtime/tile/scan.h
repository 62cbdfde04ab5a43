/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scan: a part that combines the elements along a dimension up to each one, in the order of
 * runtime/expr/scan.h. It has no code of its own: loops of the few types in which elements are
 * combined serve all of them (runtime/tile/scan_loops.h). */
#ifndef TOSAJIT_RUNTIME_TILE_SCAN_H
#define TOSAJIT_RUNTIME_TILE_SCAN_H

#include "runtime/tile/tile.h"

/* Scan a block: a walk over the part's leaf and its result, of at least one element, which is
 * changed here. */
void scan_run(const tosajit_expr *program, const plan_part *part, walk *w,
              const tile_tensors *tensors);

#endif
