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

/* Whether a coalesced walk of dense tensors is best given to the code as it is: no rows are joined. Of tensors only the sizes matter;
 * in_place: that a result is computed in place of an operand. */
bool tile_is_direct(const plan_part *part, const walk *w, const tile_tensors *tensors, bool in_place);

/* Put a walk's dimensions into the order in which it is given to the code: around them all, planes, rows, columns. */
void tile_order(walk *w, bool has_planes);

/* Whether so many bytes of results are better written past the caches: they would not stay there, and each line would be read before it is
 * written. Nobody's caches keep this much of three streams; what the system says of their size is too often wrong. */
static inline bool tile_is_beyond_caches(const plan_part *part, int64_t result_bytes) {
    static const double light = 0.4; /* ns an element; above that computing takes longer than memory */
    return result_bytes >= INT64_C(32) << 20 && part->element_ns <= light;
}

/* Run a part's code over a coalesced walk without a size of 0. `streams`: the whole call is beyond the caches. */
void tile_run(const plan_part *part, tosajit_entry entry, const walk *w, const tile_tensors *tensors, bool streams);

#endif
