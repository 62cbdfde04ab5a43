/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packed: tensors that lie as the code cannot read them go through buffers, a tile at a time, for
 * which the code is called once. All else is read and written where it lies. A block is a tile of
 * rows and columns; a joined one is a single long row of all inner dimensions. */
#include "runtime/plan/costs.h"
#include "runtime/run/pack.h"
#include "runtime/run/tile.h"
#include "runtime/run/transpose.h"

enum {
    BUFFER_LINE = 64,
    LANE_BYTES = COST_CHUNK_BYTES + PACK_SLACK + BUFFER_LINE,             /* of a chunk */
    BLOCK_BYTES = COST_SCRATCH_BYTES + TOSAJIT_MAX_TENSORS * BUFFER_LINE, /* of all its buffers */
};

/* Memory of a call, on the stack. Blocks follow no pattern, so their buffers lie where patterns
 * would: stacks of 192 KiB must do (SECURITY.md). */
typedef union space {
    struct {
        pack patterns[TILE_MOST_PACKED];
        _Alignas(BUFFER_LINE) char buffers[TILE_MOST_PACKED * LANE_BYTES];
    } joined;
    _Alignas(BUFFER_LINE) char block[BLOCK_BYTES];
} space;

/* A packed tensor. */
typedef struct lane {
    int32_t t;
    char *buffer;
    const void *held; /* of an operand: where in the tensor the tile in the buffer begins, so that
                         the same tile is not packed again; null: the buffer holds none */
    pack *pattern;    /* null: it is moved line by line */
} lane;

/* A tile: `steps` indices of the dimension that is cut, `width` columns; from base on. */
typedef struct box {
    int64_t steps, width;
    void *base[TOSAJIT_MAX_TENSORS];
} box;

/* Move `steps` indices of dimension d, with all inside it, between a tensor and its buffer; where
 * the buffer ends. What is the same in every row of a block is moved once. */
static char *move_lines(const tile_job *job, int32_t t, int32_t d, int64_t steps, int64_t width,
                        char *tensor, char *buffer, bool gathers) {
    const walk *w = job->w;
    const int64_t row = d < 0 ? 0 : walk_steps(w, d)[t];
    const uint8_t size = job->tensors->element_sizes[t];
    if (d < w->rank - 2) {
        for (int64_t k = 0; k < steps; k++, tensor += row)
            buffer = move_lines(job, t, d + 1, w->sizes[d + 1], width, tensor, buffer, gathers);
        return buffer;
    }
    const transpose_side outside = {tensor, row, walk_steps(w, w->rank - 1)[t]};
    const transpose_side inside = {buffer, job->choice->width * size, size};
    const int64_t rows = row || job->choice->way == TILE_JOINED ? steps : 1;
    transpose_copy(gathers ? &inside : &outside, gathers ? &outside : &inside, rows, width, size);
    return buffer + rows * inside.row;
}

static void run_box(const tile_job *job, const int64_t *strides, lane *lanes, int count,
                    const box *b) {
    const tile_choice *c = job->choice;
    const bool joined = c->way == TILE_JOINED, whole = b->steps == c->step && b->width == c->width;
    const int64_t cols = joined ? c->cols / c->step * b->steps : b->width;
    void *room[1 + TOSAJIT_MAX_TENSORS], **pointers = tile_pointers(job->part, room);
    for (int32_t t = 0; t < job->w->tensors; t++) pointers[t] = b->base[t];
    for (lane *l = lanes; l < lanes + count; l++) {
        pointers[l->t] = l->buffer;
        if (l->t >= job->part->leaf_count || l->held == b->base[l->t]) continue;
        if (l->pattern)
            pack_gather(l->pattern, b->base[l->t], cols, l->buffer);
        else
            move_lines(job, l->t, c->split, b->steps, b->width, b->base[l->t], l->buffer, true);
        l->held = whole ? b->base[l->t] : NULL; /* the next tile may be larger */
    }
    job->entry(pointers, strides, 1, joined ? 1 : b->steps, cols);
    for (lane *l = lanes; l < lanes + count; l++)
        if (l->t >= job->part->leaf_count)
            move_lines(job, l->t, c->split, b->steps, b->width, b->base[l->t], l->buffer, false);
}

/* The packed tensors, and the strides that the code is given; how many. */
static int set_up_lanes(const tile_job *job, space *memory, lane *lanes, int64_t *strides) {
    const tile_choice *c = job->choice;
    pack *const patterns = memory->joined.patterns;
    char *next = c->way == TILE_JOINED ? memory->joined.buffers : memory->block;
    int count = 0;
    for (int32_t k = 0; k < 2 * job->w->tensors; k++) strides[k] = job->strides[k];
    for (int32_t t = 0; t < job->w->tensors; t++) {
        const int64_t size = job->tensors->element_sizes[t], bytes = c->rows * c->cols * size;
        if (!(c->packed >> t & 1)) continue;
        if (strides[2 * t]) strides[2 * t] = c->width * size;
        lanes[count] = (lane){t, next, NULL, c->by_pattern ? &patterns[count] : NULL};
        if (c->by_pattern) pack_prepare(job->w, t, c->split, (int32_t)size, &patterns[count]);
        next += (bytes + (c->by_pattern ? PACK_SLACK : 0) + BUFFER_LINE - 1) / BUFFER_LINE *
                BUFFER_LINE;
        count++;
    }
    return count;
}

void tile_run_packed(const tile_job *job) {
    const walk *w = job->w;
    const tile_choice *c = job->choice;
    const int64_t rows = c->split < 0 ? 1 : w->sizes[c->split], cols = w->sizes[w->rank - 1];
    space memory; /* not cleared: see walk.h */
    lane lanes[TOSAJIT_MAX_TENSORS];
    box b;
    void *outer[TOSAJIT_MAX_TENSORS];
    int64_t strides[2 * TOSAJIT_MAX_TENSORS], index[TOSAJIT_MAX_RANK] = {0};
    const int count = set_up_lanes(job, &memory, lanes, strides);
    for (int32_t t = 0; t < w->tensors; t++) outer[t] = job->tensors->pointers[t];
    do {
        for (int64_t row = 0; row < rows; row += c->step)
            for (int64_t col = 0; col < cols; col += c->width) {
                for (int32_t t = 0; t < w->tensors; t++)
                    b.base[t] = (char *)outer[t] + col * walk_steps(w, w->rank - 1)[t] +
                                (c->split < 0 ? 0 : row * walk_steps(w, c->split)[t]);
                b.steps = rows - row < c->step ? rows - row : c->step;
                b.width = cols - col < c->width ? cols - col : c->width;
                run_box(job, strides, lanes, count, &b);
            }
    } while (walk_next(w, c->outer, index, outer));
}
