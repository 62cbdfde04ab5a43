/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packed: tensors that lie as the code cannot read them go through buffers, a tile at a time, for
 * which the code is called once. All else is read and written where it lies. A packed tile has rows
 * and columns; a collapsed one is a single long row of all inner dimensions. */
#include "runtime/plan/costs.h"
#include "runtime/tile/pack.h"
#include "runtime/tile/tile.h"
#include "runtime/tile/transpose.h"

enum {
    BUFFER_LINE = 64,
};

/* A packed tensor. */
typedef struct packed_tensor {
    int32_t t;
    char *buffer;
    const void *held; /* of an operand: where in the tensor the tile in the buffer begins, so that
                         the same tile is not packed again; null: the buffer holds none */
    pack *pattern;    /* null: it is moved line by line */
} packed_tensor;

/* State that all tiles of a call share. */
typedef struct tiles {
    const tile_job *job;
    const int64_t *row_strides, *col_strides; /* of each tensor, along the cut and columns */
    int64_t *strides;                         /* that the code is given */
    packed_tensor *packed;
    int count; /* of packed */
} tiles;

/* Move `steps` indices of dimension d, with all inside it, between a tensor and its buffer; where
 * the buffer ends. What is the same in every row of a tile is moved once. */
static char *move_lines(const tile_job *job, int32_t t, int32_t d, int64_t steps, int64_t width,
                        char *tensor, char *buffer, bool gathers) {
    const walk *w = job->w;
    const int64_t row = d < 0 ? 0 : walk_strides(w, d)[t];
    const uint8_t size = job->part->element_sizes[t];
    if (d < w->rank - 2) {
        for (int64_t k = 0; k < steps; k++, tensor += row)
            buffer = move_lines(job, t, d + 1, w->sizes[d + 1], width, tensor, buffer, gathers);
        return buffer;
    }
    const transpose_side outside = {tensor, row, walk_strides(w, w->rank - 1)[t]};
    const transpose_side inside = {buffer, job->choice->width * size, size};
    const int64_t rows = row || job->choice->strategy == TILE_COLLAPSED ? steps : 1;
    transpose_copy(gathers ? &inside : &outside, gathers ? &outside : &inside, rows, width, size);
    return buffer + rows * inside.row;
}

/* A tile: `steps` indices of the dimension that is cut, `width` columns. */
static void run_tile(tiles *s, int64_t row, int64_t col, int64_t steps, int64_t width) {
    const tile_job *job = s->job;
    const tile_choice *c = job->choice;
    const int32_t leaves = job->part->leaf_count;
    const bool collapsed = c->strategy == TILE_COLLAPSED,
               whole = steps == c->step && width == c->width;
    const int64_t cols = collapsed ? c->cols / c->step * steps : width;
    void *pointers[job->w->tensors];
    char *base[job->w->tensors];
    for (int32_t t = 0; t < job->w->tensors; t++) {
        base[t] = (char *)job->pointers[t] + row * s->row_strides[t] + col * s->col_strides[t];
        pointers[t] = base[t];
    }
    for (packed_tensor *p = s->packed; p < s->packed + s->count; p++) {
        pointers[p->t] = p->buffer;
        if (p->t >= leaves || p->held == base[p->t]) continue;
        if (p->pattern)
            pack_gather(p->pattern, base[p->t], cols, p->buffer);
        else
            move_lines(job, p->t, c->split, steps, width, base[p->t], p->buffer, true);
        p->held = whole ? base[p->t] : NULL; /* the next tile may be larger */
    }
    tile_call(job, pointers, s->strides, 1, collapsed ? 1 : steps, cols);
    for (packed_tensor *p = s->packed; p < s->packed + s->count; p++)
        if (p->t >= leaves)
            move_lines(job, p->t, c->split, steps, width, base[p->t], p->buffer, false);
}

/* Of the buffer of tensor t: a packed tile's, or what pack.c writes of a chunk. */
static int64_t buffer_bytes(const tile_job *job, int32_t t) {
    const tile_choice *c = job->choice;
    const int64_t bytes = c->rows * c->cols * job->part->element_sizes[t];
    return (bytes + (c->by_pattern ? PACK_SLACK : 0) + BUFFER_LINE - 1) / BUFFER_LINE * BUFFER_LINE;
}

static void set_up(const tile_job *job, pack *patterns, char *next, tiles *s) {
    const tile_choice *c = job->choice;
    s->row_strides = walk_strides(job->w, c->split < 0 ? 0 : c->split); /* no split: of no use */
    s->col_strides = walk_strides(job->w, job->w->rank - 1);
    s->count = 0;
    for (int32_t t = 0; t < job->w->tensors; t++) {
        const int64_t size = job->part->element_sizes[t];
        s->strides[2 * t] = job->strides[2 * t];
        s->strides[2 * t + 1] = job->strides[2 * t + 1];
        s->strides[2 * job->w->tensors + t] = 0; /* there is one plane, but code may read it */
        if (!(c->packed >> t & 1)) continue;
        if (s->strides[2 * t]) s->strides[2 * t] = c->width * size;
        pack *const pattern = c->by_pattern ? &patterns[s->count] : NULL;
        if (pattern) pack_prepare(job->w, t, c->split, (int32_t)size, pattern);
        s->packed[s->count++] = (packed_tensor){t, next, NULL, pattern};
        next += buffer_bytes(job, t);
    }
}

static void run_tiles(tiles *s, pack *patterns, char *buffers) {
    const tile_job *job = s->job;
    const walk *w = job->w;
    const tile_choice *c = job->choice;
    const int64_t rows = c->split < 0 ? 1 : w->sizes[c->split], cols = w->sizes[w->rank - 1];
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    set_up(job, patterns, buffers, s);
    do {
        for (int64_t row = 0; row < rows; row += c->step)
            for (int64_t col = 0; col < cols; col += c->width)
                run_tile(s, row, col, rows - row < c->step ? rows - row : c->step,
                         cols - col < c->width ? cols - col : c->width);
    } while (walk_next(w, c->outer, index, job->pointers));
}

/* Memory of a call is on the stack and is not cleared: see walk.h. It is as much as the call needs:
 * stacks of 64 KiB do for most (docs/engine-authors.md). */
void tile_run_packed(const tile_job *job) {
    const walk *w = job->w;
    int64_t bytes = BUFFER_LINE, count = 1;
    for (int32_t t = 0; t < w->tensors; t++)
        if (job->choice->packed >> t & 1) bytes += buffer_bytes(job, t), count++;
    _Alignas(BUFFER_LINE) char buffers[bytes];
    int64_t strides[3 * w->tensors];
    packed_tensor packed[w->tensors];
    tiles s = {.job = job, .strides = strides, .packed = packed};
    if (job->choice->by_pattern) {
        pack patterns[count];
        run_tiles(&s, patterns, buffers);
    } else {
        run_tiles(&s, NULL, buffers);
    }
}
