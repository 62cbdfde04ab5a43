/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walk: an iteration space with one byte stride per tensor and dimension, coalesced. The plan uses
 * it for the static shapes that it knows, a run for the sizes of the call.
 *
 * A walk has room for the largest call, 8 KiB, and so have the structures of runtime/run that hold
 * one number or pointer per tensor. They are not cleared, which would take longer than a small
 * call. `rank` and `tensors` are set first and say how much of the arrays counts: with 2 and 3,
 * strides[0] to strides[5]. Who reads strides[6] reads what nobody wrote; valgrind sees that, and
 * the tests memcheck_* have it look at every way of running. */
#ifndef TOSAJIT_RUNTIME_PLAN_WALK_H
#define TOSAJIT_RUNTIME_PLAN_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "tosajit/tosajit.h"

typedef struct walk {
    int32_t rank, tensors;
    uint32_t apart; /* bit d: dimension d is not joined with another one, nor dropped: it is
                       reduced, or the code's columns */
    int64_t sizes[TOSAJIT_MAX_RANK];
    /* [d * tensors + t], in bytes; 0: the tensor repeats along d. */
    int64_t strides[TOSAJIT_MAX_RANK * TOSAJIT_MAX_TENSORS];
} walk;

/* Bytes of a walk of so many dimensions and tensors: what lies behind is not touched. */
static inline size_t walk_bytes(int32_t rank, int32_t tensors) {
    const size_t dims = rank > 0 ? (size_t)rank : 1; /* which coalescing leaves at least */
    return offsetof(walk, strides) + dims * (size_t)tensors * sizeof(int64_t);
}

static inline int64_t *walk_mutable_strides(walk *w, int32_t d) {
    return &w->strides[d * w->tensors];
}
static inline const int64_t *walk_strides(const walk *w, int32_t d) {
    return &w->strides[d * w->tensors];
}

/* True if a tensor repeats one element through dimensions d.. of the walk. */
static inline bool walk_is_broadcast(const walk *w, int32_t t, int32_t d) {
    for (; d < w->rank; d++)
        if (walk_strides(w, d)[t] != 0) return false;
    return true;
}

/* True if a tensor's elements follow each other in memory through dimensions d.. of the walk. */
static inline bool walk_is_contiguous(const walk *w, int32_t t, int32_t d, int64_t element_size) {
    int64_t expected = element_size;
    for (int32_t i = w->rank; i-- > d;) {
        if (walk_strides(w, i)[t] != expected) return false;
        expected *= w->sizes[i];
    }
    return true;
}

static inline int64_t walk_elements(const walk *w) {
    int64_t count = 1;
    for (int32_t d = 0; d < w->rank; d++) count *= w->sizes[d];
    return count;
}

/* Go to the next index of the dimensions in `dims` (bit d: dimension d), the last of them fastest,
 * and move every tensor's pointer along. False after the last index; then index and pointers are
 * again what they were at the first. */
bool walk_next(const walk *w, uint32_t dims, int64_t *index, void **pointers);

/* A copy, of no more than is used. */
void walk_copy(walk *to, const walk *from);

/* Drop dimensions of size 1 and merge neighbours that every tensor walks as a single dimension,
 * unless they stay apart; the rest has rank >= 1. */
void walk_coalesce(walk *w);

/* Bring the dimensions into the order of the last tensor's memory, and merge what then can be. */
void walk_sort(walk *w);

/* Row-major byte strides of a dense tensor. */
void walk_dense_strides(int32_t rank, const int64_t *dims, int64_t element_size, int64_t *strides);

#endif
