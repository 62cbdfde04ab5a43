/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tiles: a coalesced walk by the strategy that choose.c has chosen.
 *
 *   strategy   taken when                         what it does                       what it costs
 *   ---------  ---------------------------------  ---------------------------------  -------------
 *   direct     columns of every tensor are        columns, rows and planes to the    calls, planes,
 *              contiguous or a splat, and the     code, other dimensions around it   rows (costs.h)
 *              code has that loop
 *   collapsed  rows are short: up to 64 columns   inner dimensions to the code as    packing what
 *              if it pays, up to 16 if a tensor   one long row, 8 KiB at a time      lies otherwise
 *              is strided
 *   packed     a tensor's columns are strided,    1,024 elements of it at a time     packing
 *              or no loop takes it as a splat     through a buffer
 *
 * In place, rows that masks write go directly, but interleaved: every second, say, then the others.
 * A load of the next row would else wait for the masked store before it.
 *
 * Packing moves what an operand gives to a tile into a buffer of the L1 cache, and a
 * result from there: by a pattern where short rows repeat (pack.c), else line by line or, where
 * rows lie closer together than columns, by in-register transposes of squares (transpose.c).
 *
 * Examples, f32: 1000x1000 + 1x1000 is direct, one call of 1000 rows. 100000x3 + 1x3 is collapsed:
 * rows of 1920 elements, for which the operand of 3 is packed once. The transpose of a matrix is
 * packed in tiles of 16 x 64, that of 1000x7 is collapsed. */
#include "runtime/tile/tile.h"

void tile_whole_walk(const plan_part *part, const view *tensors, const view *results,
                     const int64_t *sizes, walk *w, tile_tensors *tile) {
    w->rank = part->rank;
    w->tensors = part->leaf_count + part->result_count;
    w->apart = 0;
    for (int32_t d = 0; d < part->rank; d++) w->sizes[d] = sizes[d];
    for (int32_t t = 0; t < w->tensors; t++) {
        bool is_leaf = t < part->leaf_count, table = is_leaf && part->leaves[t].table;
        const bool indexed = is_leaf ? part->leaves[t].gathered : part->scatters;
        const view *v = is_leaf ? &tensors[part->leaves[t].tensor]
                                : &results[part->results[t - part->leaf_count]];
        tile->pointers[t] = v->tensor.data;
        tile->splat_strides[t] = table ? v->strides[0] : 0;
        int32_t shift = part->rank - v->tensor.rank;
        for (int32_t d = 0; d < part->rank; d++)
            walk_mutable_strides(w, d)[t] =
                table || d - shift < indexed || v->tensor.dims[d - shift] == 1
                    ? 0
                    : v->strides[d - shift];
    }
}

void tile_walk(const plan_part *part, const view *tensors, const view *results, walk *w,
               tile_tensors *tile) {
    tile_whole_walk(part, tensors, results, results[part->results[0]].tensor.dims, w, tile);
    walk_coalesce(w);
    tile_order(part, w);
}

void tile_coalesce(const plan_part *part, walk *w) {
    if (part->columns >= 0 && w->sizes[part->columns] == 1)
        w->apart |= UINT32_C(1) << part->columns;
    walk_coalesce(w);
    if (part->columns < 0) tile_order(part, w);
}

void tile_strides(const plan_part *part, const tile_choice *choice, const walk *w,
                  const tile_tensors *tensors, int64_t *strides) {
    const int64_t *rows = choice->row_dim >= 0 ? walk_strides(w, choice->row_dim) : NULL;
    const int64_t *planes = choice->plane_dim >= 0 ? walk_strides(w, choice->plane_dim) : NULL;
    for (int32_t t = 0; t < w->tensors; t++) {
        const int64_t row = rows ? choice->interleave * rows[t] : 0;
        const bool splat = choice->splat >> t & 1;
        strides[2 * t] = row;
        strides[2 * t + 1] = splat ? tensors->splat_strides[t] : part->element_sizes[t];
        strides[2 * w->tensors + t] = planes ? planes[t] - choice->rows * row : 0;
    }
}

/* The rows of one plane, interleaved. */
static void run_interleaved(const tile_job *job) {
    const tile_choice *c = job->choice;
    const int64_t rows = job->w->sizes[c->row_dim], *strides = walk_strides(job->w, c->row_dim);
    void *pointers[job->w->tensors];
    for (int64_t first = 0; first < rows; first += c->interleave * c->rows)
        for (int64_t row = first; row < first + c->interleave && row < rows; row++) {
            const int64_t left = (rows - row + c->interleave - 1) / c->interleave;
            for (int32_t t = 0; t < job->w->tensors; t++)
                pointers[t] = (char *)job->pointers[t] + row * strides[t];
            tile_call(job, pointers, job->strides, 1, left < c->rows ? left : c->rows, c->cols);
        }
}

static void move(void **pointers, int32_t tensors, const int64_t *strides, int64_t times) {
    for (int32_t t = 0; t < tensors; t++) pointers[t] = (char *)pointers[t] + times * strides[t];
}

/* Tile after tile. Most calls of several have them along one dimension, which is a plain loop. */
static void run_direct(const tile_job *job) {
    const walk *w = job->w;
    const tile_choice *c = job->choice;
    int32_t inner = w->rank - 1;
    while (inner > 0 && !(c->outer >> inner & 1)) inner--;
    const uint32_t around = c->outer & ~(UINT32_C(1) << inner);
    const int64_t count = c->outer ? w->sizes[inner] : 1, *strides = walk_strides(w, inner);
    int64_t index[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < inner; d++) index[d] = 0;
    do {
        for (int64_t left = count; left > 0; left--) {
            if (c->interleave > 1)
                run_interleaved(job);
            else
                tile_call(job, job->pointers, job->strides, c->planes, c->rows, c->cols);
            move(job->pointers, w->tensors, strides, 1);
        }
        if (around) move(job->pointers, w->tensors, strides, -count);
    } while (around && walk_next(w, around, index, job->pointers));
}

void tile_run_choice(const tile_job *job) {
    (job->choice->strategy == TILE_DIRECT ? run_direct : tile_run_packed)(job);
}

bool tile_in_place(const plan_part *part, const tile_tensors *tensors) {
    for (int32_t r = 0; r < part->result_count; r++)
        for (int32_t k = 0; k < part->leaf_count; k++)
            if (tensors->pointers[k] == tensors->pointers[part->leaf_count + r]) return true;
    return false;
}

void tile_run(const plan_part *part, const code_part *code, const walk *w,
              const tile_tensors *tensors) {
    int64_t strides[3 * w->tensors]; /* not cleared, like the next two: see walk.h */
    void *pointers[w->tensors];
    tile_choice choice;
    tile_choose(part, code, w, tile_in_place(part, tensors), &choice);
    tile_strides(part, &choice, w, tensors, strides);
    for (int32_t t = 0; t < w->tensors; t++) pointers[t] = tensors->pointers[t];
    tile_run_choice(&(tile_job){part, code, w, pointers, &choice, strides});
}
