/* Walk: an iteration space with one byte stride per tensor and dimension, coalesced. The plan uses it for the static shapes
 * that it knows, a run for the sizes of the call. */
#ifndef TOSAJIT_RUNTIME_WALK_H
#define TOSAJIT_RUNTIME_WALK_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

typedef struct walk {
    int32_t rank, tensors;
    int64_t sizes[TOSAJIT_MAX_RANK];
    int64_t strides[TOSAJIT_MAX_RANK * TOSAJIT_MAX_TENSORS]; /* [d * tensors + t]; 0: the tensor repeats */
} walk;

static inline int64_t *walk_strides(walk *w, int32_t d) { return &w->strides[d * w->tensors]; }

/* Whether a tensor is more than one element repeated. */
static inline bool walk_moves(const walk *w, int32_t t) {
    for (int32_t d = 0; d < w->rank; d++)
        if (w->strides[d * w->tensors + t] != 0) return true;
    return false;
}

/* A copy, of no more than is used. */
void walk_copy(walk *to, const walk *from);

/* Drop dimensions of size 1 and merge neighbours that every tensor walks as one; what is left has rank >= 1. */
void walk_coalesce(walk *w);

/* Row-major byte strides of a dense tensor. */
void walk_dense_strides(int32_t rank, const int64_t *dims, int64_t element_size, int64_t *strides);

#endif
