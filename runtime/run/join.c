/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Joining: the inner dimensions as one long row, chunk by chunk. Tensors that lie otherwise in
 * memory are packed, again only where they move from chunk to chunk. */
#include "runtime/plan/costs.h"
#include "runtime/run/pack.h"
#include "runtime/run/tile.h"
#include "runtime/run/transpose.h"

enum { BUFFER_BYTES = COST_CHUNK_BYTES + PACK_SLACK };

/* A packed tensor. */
typedef struct lane {
    int32_t t;
    char *buffer;
    const void *held; /* of an operand: where in the tensor the chunk in the buffer begins, so that
                         the same chunk is not packed again; null: the buffer holds none */
    pack pattern;
} lane;

/* Move `steps` indices of dimension d, with all inside it, between a tensor and its buffer; where
 * the buffer ends. */
static char *move_lines(const tile_job *job, int32_t t, int32_t d, int64_t steps, char *tensor,
                        char *buffer, bool gathers) {
    const walk *w = job->w;
    const uint8_t size = job->tensors->element_sizes[t];
    if (d < w->rank - 2) {
        for (int64_t k = 0; k < steps; k++, tensor += walk_steps(w, d)[t])
            buffer = move_lines(job, t, d + 1, w->sizes[d + 1], tensor, buffer, gathers);
        return buffer;
    }
    const int64_t cols = w->sizes[w->rank - 1];
    const transpose_side outside = {tensor, walk_steps(w, d)[t], walk_steps(w, w->rank - 1)[t]};
    const transpose_side inside = {buffer, cols * size, size};
    transpose_copy(gathers ? &inside : &outside, gathers ? &outside : &inside, steps, cols, size);
    return buffer + steps * cols * size;
}

/* One chunk: `steps` indices of the dimension that is cut, from base on. */
static void run_chunk(const tile_job *job, lane *lanes, int count, void *const *base,
                      int64_t steps) {
    const tile_choice *c = job->choice;
    const int64_t elements = c->cols / c->step * steps;
    void *room[1 + TOSAJIT_MAX_TENSORS], **pointers = tile_pointers(job->part, room);
    for (int32_t t = 0; t < job->w->tensors; t++) pointers[t] = base[t];
    for (lane *l = lanes; l < lanes + count; l++) {
        pointers[l->t] = l->buffer;
        if (l->t >= job->part->leaf_count || l->held == base[l->t]) continue;
        if (c->by_pattern)
            pack_gather(&l->pattern, base[l->t], elements, l->buffer);
        else
            move_lines(job, l->t, c->split, steps, base[l->t], l->buffer, true);
        l->held = steps == c->step ? base[l->t] : NULL; /* the next chunk may be longer */
    }
    job->entry(pointers, job->strides, 1, 1, elements);
    for (lane *l = lanes; l < lanes + count; l++)
        if (l->t >= job->part->leaf_count)
            move_lines(job, l->t, c->split, steps, base[l->t], l->buffer, false);
}

/* The packed tensors; how many. */
static int set_up_lanes(const tile_job *job, char *scratch, lane *lanes) {
    const tile_choice *c = job->choice;
    int count = 0;
    for (int32_t t = 0; t < job->w->tensors; t++) {
        if (!(c->packed >> t & 1)) continue;
        lane *l = &lanes[count];
        l->t = t;
        l->held = NULL;
        l->buffer = scratch + count++ * BUFFER_BYTES;
        if (c->by_pattern)
            pack_prepare(job->w, t, c->split, job->tensors->element_sizes[t], &l->pattern);
    }
    return count;
}

void tile_run_joined(const tile_job *job) {
    const walk *w = job->w;
    const tile_choice *c = job->choice;
    lane lanes[TILE_MOST_PACKED]; /* not cleared: see walk.h */
    _Alignas(64) char scratch[TILE_MOST_PACKED * BUFFER_BYTES];
    const int count = set_up_lanes(job, scratch, lanes);
    void *outer[TOSAJIT_MAX_TENSORS], *base[TOSAJIT_MAX_TENSORS];
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    for (int32_t t = 0; t < w->tensors; t++) outer[t] = job->tensors->pointers[t];
    do {
        for (int32_t t = 0; t < w->tensors; t++) base[t] = outer[t];
        for (int64_t left = w->sizes[c->split]; left > 0; left -= c->step) {
            run_chunk(job, lanes, count, base, left < c->step ? left : c->step);
            for (int32_t t = 0; t < w->tensors; t++)
                base[t] = (char *)base[t] + c->step * walk_steps(w, c->split)[t];
        }
    } while (walk_next(w, c->outer, index, outer));
}
