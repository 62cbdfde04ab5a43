/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks: packed tensors go through a buffer, a block of the two innermost dimensions at a time,
 * and the code is called once for each. All else is read and written where it lies. */
#include "runtime/plan/costs.h"
#include "runtime/run/tile.h"
#include "runtime/run/transpose.h"

typedef struct blocks {
    const tile_job *job;
    const int64_t *row_steps, *col_steps; /* of each tensor, from one row or column to the next */
    char *buffers[TOSAJIT_MAX_TENSORS];   /* null: not packed */
    int64_t strides[2 * TOSAJIT_MAX_TENSORS];
} blocks;

/* Move tensors from..to: operands from memory into the buffers, or results back. What is the same
 * in every row is moved once. */
static void move_block(const blocks *b, int32_t from, int32_t to, bool gathers, void *const *memory,
                       int64_t rows, int64_t cols) {
    for (int32_t t = from; t < to; t++) {
        if (!b->buffers[t]) continue;
        const uint8_t size = b->job->tensors->element_sizes[t];
        const transpose_side outside = {memory[t], b->row_steps[t], b->col_steps[t]};
        const transpose_side inside = {b->buffers[t], b->job->choice->cols * size, size};
        transpose_copy(gathers ? &inside : &outside, gathers ? &outside : &inside,
                       outside.row ? rows : 1, cols, size);
    }
}

/* All blocks of the two innermost dimensions, which begin at base. */
static void run_plane(const blocks *b, void *const *base) {
    const walk *w = b->job->w;
    const tile_choice *c = b->job->choice;
    const int32_t leaves = b->job->part->leaf_count;
    const int64_t cols = w->sizes[w->rank - 1], rows = c->row_dim < 0 ? 1 : w->sizes[c->row_dim];
    void *room[1 + TOSAJIT_MAX_TENSORS], **pointers = tile_pointers(b->job->part, room);
    void *memory[TOSAJIT_MAX_TENSORS];
    for (int64_t row = 0; row < rows; row += c->rows)
        for (int64_t col = 0; col < cols; col += c->cols) {
            const int64_t height = rows - row < c->rows ? rows - row : c->rows;
            const int64_t width = cols - col < c->cols ? cols - col : c->cols;
            for (int32_t t = 0; t < w->tensors; t++) {
                memory[t] = (char *)base[t] + row * b->row_steps[t] + col * b->col_steps[t];
                pointers[t] = b->buffers[t] ? b->buffers[t] : memory[t];
            }
            move_block(b, 0, leaves, true, memory, height, width);
            b->job->entry(pointers, b->strides, 1, height, width);
            move_block(b, leaves, w->tensors, false, memory, height, width);
        }
}

void tile_run_blocks(const tile_job *job) {
    static const int64_t none[TOSAJIT_MAX_TENSORS];
    const walk *w = job->w;
    const tile_choice *c = job->choice;
    _Alignas(64) char scratch[COST_SCRATCH_BYTES];
    char *next = scratch;
    blocks b; /* not cleared: see walk.h */
    void *base[TOSAJIT_MAX_TENSORS];
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    b.job = job;
    b.row_steps = c->row_dim < 0 ? none : walk_steps(w, c->row_dim);
    b.col_steps = walk_steps(w, w->rank - 1);
    for (int32_t t = 0; t < w->tensors; t++) {
        const int64_t row = c->cols * job->tensors->element_sizes[t];
        const bool packed = c->packed >> t & 1;
        base[t] = job->tensors->pointers[t];
        b.buffers[t] = packed ? next : NULL;
        b.strides[2 * t] = packed && job->strides[2 * t] ? row : job->strides[2 * t];
        b.strides[2 * t + 1] = job->strides[2 * t + 1];
        if (packed) next += c->rows * row;
    }
    do run_plane(&b, base);
    while (walk_next(w, c->outer, index, base));
}
