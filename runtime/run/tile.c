/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tiles: a coalesced walk in the way that choose.c has chosen.
 *
 *   way       taken when                         what it does                        what it costs
 *   --------  ---------------------------------  ----------------------------------  -------------
 *   direct    columns of every tensor are        columns, rows and planes to the     calls, planes,
 *             contiguous or a splat, and the     code, other dimensions around it    rows (costs.h)
 *             code has that loop
 *   joined    rows are short: up to 64 columns   inner dimensions to the code as     packing what
 *             if it pays, up to 16 if a tensor   one long row, 8 KiB at a time       lies otherwise
 *             is strided
 *   blocks    a tensor's columns are strided,    1,024 elements of it at a time      packing
 *             or no loop takes it as a splat     through a buffer
 *
 * In place, rows that masks write go directly in phases: every second, say, then the others.
 *
 * Packing moves what an operand gives to a chunk or block into a buffer of the L1 cache, and a
 * result from there: by a pattern where short rows repeat (pack.c), else line by line or, where
 * rows lie closer together than columns, by squares in registers (transpose.c).
 *
 * Examples, f32: 1000x1000 + 1x1000 is direct, one call of 1000 rows. 100000x3 + 1x3 is joined:
 * rows of 1920 elements, for which the operand of 3 is packed once. The transpose of a matrix goes
 * in blocks of 16 x 64, that of 1000x7 is joined. */
#include "runtime/run/tile.h"

void tile_strides(const tile_choice *choice, const walk *w, const uint8_t *element_sizes,
                  const int64_t *splat_strides, int64_t *strides) {
    const int64_t *rows = choice->row_dim >= 0 ? walk_steps(w, choice->row_dim) : NULL;
    const int64_t *planes = choice->plane_dim >= 0 ? walk_steps(w, choice->plane_dim) : NULL;
    for (int32_t t = 0; t < w->tensors; t++) {
        const int64_t row = rows ? choice->phases * rows[t] : 0;
        strides[2 * t] = row;
        strides[2 * t + 1] = element_sizes[t];
        if (choice->splat >> t & 1) strides[2 * t + 1] = splat_strides ? splat_strides[t] : 0;
        strides[2 * w->tensors + t] = planes ? planes[t] - choice->rows * row : 0;
    }
}

void tile_phases(tosajit_entry entry, void *const *base, const int64_t *strides, int32_t tensors,
                 int64_t phases, int64_t rows, int64_t cols) {
    const int64_t each = tile_phase_rows(rows, phases);
    void *room[1 + TOSAJIT_MAX_TENSORS], **pointers = room + 1;
    room[0] = base[-1];
    for (int64_t first = 0; first < rows; first += phases * each)
        for (int64_t row = first; row < first + phases && row < rows; row++) {
            const int64_t left = (rows - row + phases - 1) / phases;
            for (int32_t t = 0; t < tensors; t++)
                pointers[t] = (char *)base[t] + row * (strides[2 * t] / phases);
            entry(pointers, strides, 1, left < each ? left : each, cols);
        }
}

/* Tile after tile. */
static void run_direct(const tile_job *job) {
    const walk *w = job->w;
    const tile_choice *c = job->choice;
    void *room[1 + TOSAJIT_MAX_TENSORS], **pointers = tile_pointers(job->part, room);
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    for (int32_t t = 0; t < w->tensors; t++) pointers[t] = job->tensors->pointers[t];
    do {
        if (c->phases > 1)
            tile_phases(job->entry, pointers, job->strides, w->tensors, c->phases,
                        w->sizes[c->row_dim], c->cols);
        else
            job->entry(pointers, job->strides, c->planes, c->rows, c->cols);
    } while (walk_next(w, c->outer, index, pointers));
}

static bool is_in_place(const plan_part *part, const tile_tensors *tensors) {
    for (int32_t r = 0; r < part->result_count; r++)
        for (int32_t k = 0; k < part->leaf_count; k++)
            if (tensors->pointers[k] == tensors->pointers[part->leaf_count + r]) return true;
    return false;
}

void tile_take(const plan_part *part, tosajit_entry entry, const walk *w,
               const tile_tensors *tensors, const tile_choice *choice) {
    static void (*const ways[])(const tile_job *) = {
        [TILE_DIRECT] = run_direct,
        [TILE_JOINED] = tile_run_packed,
        [TILE_BLOCKS] = tile_run_packed,
    };
    int64_t strides[3 * TOSAJIT_MAX_TENSORS];
    tile_strides(choice, w, tensors->element_sizes, tensors->splat_strides, strides);
    ways[choice->way](&(tile_job){part, entry, w, tensors, choice, strides});
}

void tile_run(const plan_part *part, tosajit_entry entry, const walk *w,
              const tile_tensors *tensors) {
    const tile_choice choice =
        tile_choose(part, w, tensors->element_sizes, is_in_place(part, tensors));
    tile_take(part, entry, w, tensors, &choice);
}
