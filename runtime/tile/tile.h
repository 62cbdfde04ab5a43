/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tiles: from a coalesced walk to calls of a part's code. */
#ifndef TOSAJIT_RUNTIME_TILE_TILE_H
#define TOSAJIT_RUNTIME_TILE_TILE_H

#include "runtime/code/code.h"
#include "runtime/tile/choose.h"
#include "runtime/check/overlap.h"

/* Inlining where constant counts of tensors save a few nanoseconds; and functions apart, so that a
 * short way does not save the registers of a long one. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define SPECIALISED static inline __attribute__((always_inline))
/* Aligned, so that their speed does not depend on what lies before them. */
#define APART static __attribute__((noinline, aligned(64)))
#else
#define SPECIALISED static inline
#define APART static
#endif

/* A part's leaves, then its results. */
typedef struct tile_tensors {
    void *pointers[TOSAJIT_MAX_TENSORS];        /* at index 0 */
    int64_t splat_strides[TOSAJIT_MAX_TENSORS]; /* what the code is told for a column stride of 0:
                                                   0, or that between a table's elements */
} tile_tensors;

/* The coalesced walk of a part over these tensors of the kernel, and its results; w->tensors of
 * each. */
void tile_walk(const plan_part *part, const view *tensors, const view *results, walk *w,
               tile_tensors *tile);

/* The same in two calls, for parts that run block by block. The first takes sizes and strides as
 * they are, for a space of these sizes. The second coalesces them, with columns where the plan has
 * them. */
void tile_whole_walk(const plan_part *part, const view *tensors, const view *results,
                     const int64_t *sizes, walk *w, tile_tensors *tile);
void tile_coalesce(const plan_part *part, walk *w);

/* True if a result begins where a leaf does. */
bool tile_in_place(const plan_part *part, const tile_tensors *tensors);

/* Run a part's code over a coalesced walk without a size of 0, by the best strategy. */
void tile_run(const plan_part *part, const code_part *code, const walk *w,
              const tile_tensors *tensors);

/* The strides for the code, 3 * w->tensors numbers: for each tensor its rows' and its columns';
 * then for each tensor the stride to the next plane, from the end of the rows. Planes 100 bytes
 * apart, of 7 rows that are 12 bytes apart, give 100 - 7 * 12 = 16. */
void tile_strides(const plan_part *part, const tile_choice *choice, const walk *w,
                  const tile_tensors *tensors, int64_t *strides);

/* A walk by a strategy that was chosen. */
typedef struct tile_job {
    const plan_part *part;
    const code_part *code;
    const walk *w;
    void **pointers; /* of the tensors; they move */
    const tile_choice *choice;
    const int64_t *strides; /* as tile_strides makes them */
} tile_job;

void tile_run_choice(const tile_job *job);

/* One call of the job's code. */
static inline void tile_call(const tile_job *job, void *const *pointers, const int64_t *strides,
                             int64_t planes, int64_t rows, int64_t cols) {
    job->code->entry(job->code->context, pointers, strides, planes, rows, cols);
}

/* The strategies that pack, for tile.c. */
void tile_run_packed(const tile_job *job);

#endif
