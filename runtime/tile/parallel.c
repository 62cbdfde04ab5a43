/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parallel: the walk is cut along one dimension into pieces that a few threads share evenly, each
 * of them worth the trouble of waking a thread. Pieces of the innermost dimension begin at
 * multiples of 64 elements, so that no two threads write one cache line of an aligned result. */
#include "runtime/tile/parallel.h"

#include "runtime/base/fpenv.h"

enum {
    PIECES_PER_THREAD = 4, /* so that a thread that comes late leaves its work to others */
    GRAIN = 64,            /* elements */
    MOST_THREADS = 1 << 20,
};

typedef struct division {
    const plan_part *part;
    const code_part *code;
    const walk *w;
    const tile_tensors *tensors;
    parallel_cut cut;
} division;

/* A single element is never divided: there may be no dimension to cut. */
bool parallel_pays(const tosajit_parallel *parallel, const plan_part *part, int64_t elements) {
    return parallel->threads > 1 && elements > 1 && elements / 2 >= part->piece_elements;
}

/* A host's SIZE_MAX for "any number" is no size to multiply. */
int64_t parallel_pieces(const tosajit_parallel *parallel) {
    const size_t threads = parallel->threads < MOST_THREADS ? parallel->threads : MOST_THREADS;
    return (int64_t)threads * PIECES_PER_THREAD;
}

/* The outermost dimension that gives every thread its pieces, so that a thread's memory lies
 * together and rows stay whole; else the longest. */
static int32_t divided_dimension(const walk *w, int64_t pieces) {
    int32_t longest = 0;
    for (int32_t d = 0; d < w->rank; d++) {
        if (w->sizes[d] >= pieces) return d;
        if (w->sizes[d] > w->sizes[longest]) longest = d;
    }
    return longest;
}

parallel_cut parallel_divide(const tosajit_parallel *parallel, const plan_part *part,
                             const walk *w) {
    const int64_t elements = walk_elements(w);
    if (!parallel_pays(parallel, part, elements)) return (parallel_cut){0, w->sizes[0], 1};
    const int64_t most = parallel_pieces(parallel);
    parallel_cut cut = {divided_dimension(w, most), 0, 0};
    const int64_t size = w->sizes[cut.dimension], grain = cut.dimension == w->rank - 1 ? GRAIN : 1;
    int64_t pieces = elements / part->piece_elements;
    if (pieces > most) pieces = most;
    cut.step = (size / pieces + grain) / grain * grain;
    cut.pieces = (size + cut.step - 1) / cut.step;
    /* A piece of one column would coalesce into a walk along another dimension, for which the code
     * may have no loop. */
    if (grain > 1 && size % cut.step == 1 && cut.pieces > 1) cut.pieces--;
    return cut;
}

int64_t parallel_piece(const parallel_cut *cut, const walk *w, int64_t index, walk *piece) {
    const int64_t start = index * cut->step, left = w->sizes[cut->dimension] - start;
    walk_copy(piece, w);
    piece->sizes[cut->dimension] = index == cut->pieces - 1 ? left : cut->step;
    walk_coalesce(piece); /* it may be one index long */
    return start;
}

static void run_piece(void *argument, size_t index) {
    const division *v = argument;
    walk piece; /* not cleared, like the next one: see walk.h */
    tile_tensors moved;
    const int64_t start = parallel_piece(&v->cut, v->w, (int64_t)index, &piece);
    const int64_t *strides = walk_strides(v->w, v->cut.dimension);
    for (int32_t t = 0; t < v->w->tensors; t++) {
        moved.pointers[t] = (char *)v->tensors->pointers[t] + start * strides[t];
        moved.splat_strides[t] = v->tensors->splat_strides[t];
    }
    uint64_t environment = fpenv_enter(); /* of this thread */
    tile_run(v->part, v->code, &piece, &moved);
    fpenv_leave(environment);
}

void parallel_run(const tosajit_parallel *parallel, const plan_part *part, const code_part *code,
                  const walk *w, const tile_tensors *tensors) {
    division v = {part, code, w, tensors, parallel_divide(parallel, part, w)};
    if (v.cut.pieces == 1)
        tile_run(part, code, w, tensors);
    else
        parallel->parallel_for(parallel->context, (size_t)v.cut.pieces, run_piece, &v);
}
