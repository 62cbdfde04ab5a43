/* Parallel: the walk is cut along one dimension into pieces that a few threads share evenly, each of them worth the trouble of
 * waking a thread. Pieces of the innermost dimension begin at multiples of 64 elements, so that no two threads write one cache line
 * of an aligned result. */
#include "runtime/parallel.h"

#include "runtime/fpenv.h"

enum {
    PIECE_NS = 10000,      /* least work of a piece: waking a thread takes a few microseconds */
    PIECES_PER_THREAD = 4, /* so that a thread that comes late leaves its work to others */
    GRAIN = 64,            /* elements */
    MOST_THREADS = 1 << 20,
};

typedef struct division {
    const plan_part *part;
    tosajit_entry entry;
    const walk *w;
    const tile_tensors *tensors;
    bool streams;
    int32_t dimension;
    int64_t step, pieces; /* indices of the dimension per piece; the last piece takes what is left */
} division;

static int64_t element_count(const walk *w) {
    int64_t count = 1;
    for (int32_t d = 0; d < w->rank; d++) count *= w->sizes[d];
    return count;
}

tosajit_parallel parallel_limited(tosajit_parallel given) {
    if (given.threads > MOST_THREADS) given.threads = MOST_THREADS;
    return given;
}

/* A single element is never divided: its walk may have no dimension to cut. */
bool parallel_pays(const tosajit_parallel *parallel, const plan_part *part, int64_t elements) {
    return parallel->threads > 1 && elements > 1 && (double)elements * part->element_ns >= 2 * (double)PIECE_NS;
}

/* The outermost dimension that gives every thread its pieces, so that a thread's memory lies together and rows stay whole; else the
 * longest. */
static int32_t divided_dimension(const walk *w, size_t threads) {
    int32_t longest = 0;
    for (int32_t d = 0; d < w->rank; d++) {
        if (w->sizes[d] >= (int64_t)threads * PIECES_PER_THREAD) return d;
        if (w->sizes[d] > w->sizes[longest]) longest = d;
    }
    return longest;
}

static void run_piece(void *argument, size_t index) {
    const division *v = argument;
    const int32_t tensors = v->w->tensors;
    int64_t start = (int64_t)index * v->step, left = v->w->sizes[v->dimension] - start;
    walk piece; /* not initialised: copied as far as it is used */
    walk_copy(&piece, v->w);
    piece.sizes[v->dimension] = (int64_t)index == v->pieces - 1 ? left : v->step;
    tile_tensors moved;
    for (int32_t t = 0; t < tensors; t++) {
        moved.pointers[t] = (char *)v->tensors->pointers[t] + start * walk_strides(&piece, v->dimension)[t];
        moved.splat_strides[t] = v->tensors->splat_strides[t];
        moved.element_sizes[t] = v->tensors->element_sizes[t];
    }
    walk_coalesce(&piece);                /* a piece may have become one index long */
    uint64_t environment = fpenv_enter(); /* of this thread */
    tile_run(v->part, v->entry, &piece, &moved, v->streams);
    fpenv_leave(environment);
}

void parallel_run(const tosajit_parallel *parallel, const plan_part *part, tosajit_entry entry, const walk *w,
                  const tile_tensors *tensors) {
    int64_t elements = element_count(w), bytes = 0; /* of results, which are in memory and do not overflow */
    for (int32_t t = part->leaf_count; t < w->tensors; t++) bytes += elements * tensors->element_sizes[t];
    bool streams = tile_is_beyond_caches(part, bytes);
    if (!parallel_pays(parallel, part, elements)) {
        tile_run(part, entry, w, tensors, streams);
        return;
    }
    division v = {part, entry, w, tensors, streams, divided_dimension(w, parallel->threads), 0, 0};
    int64_t size = w->sizes[v.dimension], grain = v.dimension == w->rank - 1 ? GRAIN : 1;
    int64_t pieces = (int64_t)((double)elements * part->element_ns / (double)PIECE_NS),
            most = (int64_t)parallel->threads * PIECES_PER_THREAD;
    if (pieces > most) pieces = most;
    v.step = (size / pieces + grain) / grain * grain;
    v.pieces = (size + v.step - 1) / v.step;
    /* A piece of one column would coalesce into a walk along another dimension, for which the code may have no loop. */
    if (grain > 1 && size % v.step == 1 && v.pieces > 1) v.pieces--;
    parallel->parallel_for(parallel->context, (size_t)v.pieces, run_piece, &v);
}
