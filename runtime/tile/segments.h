/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Segments: one long row, reduced by threads. Its segments of 4096 elements (runtime/expr/reduce.h)
 * do not depend on each other, so each thread computes some. Their values are then combined in
 * order, so the bits are those of one thread. */
#ifndef TOSAJIT_RUNTIME_TILE_SEGMENTS_H
#define TOSAJIT_RUNTIME_TILE_SEGMENTS_H

#include "runtime/tile/tile.h"

/* Bytes for the segments' values; 0: the walk is not one row that threads may share. */
int64_t segments_bytes(const tosajit_parallel *parallel, const tosajit_expr *program,
                       const plan_part *part, const walk *w);

/* Tasks of such a walk that threads share: segments in a row. */
int64_t segments_tasks(const tosajit_parallel *parallel, int64_t elements);

/* Run the part's code over such a walk. `memory` has so many bytes. */
void segments_run(const tosajit_parallel *parallel, const tosajit_expr *program,
                  const plan_part *part, const code_part *code, const walk *w,
                  const tile_tensors *tensors, char *memory);

#endif
