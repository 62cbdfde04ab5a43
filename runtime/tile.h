/* Tiles: from a coalesced walk to calls of a kernel's code. */
#ifndef TOSAJIT_RUNTIME_TILE_H
#define TOSAJIT_RUNTIME_TILE_H

#include "runtime/plan.h"
#include "runtime/walk.h"

/* A part's leaves, then its results. */
typedef struct tile_tensors {
    void *pointers[TOSAJIT_MAX_TENSORS];        /* at index 0 */
    int64_t splat_strides[TOSAJIT_MAX_TENSORS]; /* what the code is told for a column stride of 0: 0, or that between a table's elements */
    uint8_t element_sizes[TOSAJIT_MAX_TENSORS]; /* in bytes */
} tile_tensors;

/* Whether the code has a loop in which exactly the leaves of this set are splats. */
bool tile_has_loop(const plan_part *part, uint64_t splat);

enum { TILE_SHORT_ROW = 16 }; /* columns up to which rows may be joined into longer ones */

/* Whether dense tensors are best given to the code as they are, in one tile. */
static inline bool tile_is_direct(int64_t rows, int64_t cols) { return rows == 1 || cols > TILE_SHORT_ROW || rows * cols <= 64; }

/* Run a part's code over a coalesced walk without a size of 0. */
void tile_run(const plan_part *part, tosajit_entry entry, const walk *w, const tile_tensors *tensors);

#endif
