/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walk: coalescing of dimensions. */
#include "runtime/plan/walk.h"

#include "runtime/base/types.h"

/* True if every tensor moves from one index of `outer` to the next as from the end of `inner` to
 * one beyond. */
static bool merges(const walk *w, const int64_t *outer, const int64_t *inner, int64_t inner_size) {
    for (int32_t t = 0; t < w->tensors; t++)
        if (outer[t] != inner[t] * inner_size) return false;
    return true;
}

void walk_copy(walk *to, const walk *from) {
    to->rank = from->rank;
    to->tensors = from->tensors;
    to->apart = from->apart;
    for (int32_t d = 0; d < from->rank; d++) to->sizes[d] = from->sizes[d];
    for (int32_t k = 0; k < from->rank * from->tensors; k++) to->strides[k] = from->strides[k];
}

bool walk_next(const walk *w, uint32_t dims, int64_t *index, void **pointers) {
    for (int32_t d = w->rank; d-- > 0;) {
        if (!(dims >> d & 1)) continue;
        const int64_t *strides = walk_strides(w, d);
        const bool more = ++index[d] < w->sizes[d];
        const int64_t times = more ? 1 : 1 - w->sizes[d]; /* or back to the first */
        for (int32_t t = 0; t < w->tensors; t++)
            pointers[t] = (char *)pointers[t] + times * strides[t];
        if (more) return true;
        index[d] = 0;
    }
    return false;
}

void walk_coalesce(walk *w) {
    /* kept dimensions are rewritten in place, outermost first; `last` is the innermost kept so far.
     */
    int32_t last = -1;
    uint32_t apart = 0;
    for (int32_t d = 0; d < w->rank; d++) {
        const bool alone = w->apart >> d & 1;
        if (w->sizes[d] == 1 && !alone) continue;
        const int64_t *inner = walk_strides(w, d);
        if (last >= 0 && !alone && !(apart >> last & 1) &&
            merges(w, walk_strides(w, last), inner, w->sizes[d]))
            w->sizes[last] *= w->sizes[d];
        else
            w->sizes[++last] = w->sizes[d];
        apart |= (uint32_t)alone << last;
        int64_t *kept = walk_mutable_strides(w, last);
        for (int32_t t = 0; t < w->tensors; t++) kept[t] = inner[t];
    }
    if (last < 0) {
        w->sizes[last = 0] = 1;
        for (int32_t t = 0; t < w->tensors; t++) w->strides[t] = 0;
    }
    w->rank = last + 1;
    w->apart = apart;
}

static void swap(int64_t *a, int64_t *b) {
    const int64_t kept = *a;
    *a = *b;
    *b = kept;
}

void walk_sort(walk *w) {
    const int32_t last = w->tensors - 1;
    for (int32_t d = 1; d < w->rank; d++)
        for (int32_t k = d; k > 0 && size_without_sign(walk_strides(w, k - 1)[last]) <
                                         size_without_sign(walk_strides(w, k)[last]);
             k--) {
            swap(&w->sizes[k - 1], &w->sizes[k]);
            for (int32_t t = 0; t < w->tensors; t++)
                swap(&walk_mutable_strides(w, k - 1)[t], &walk_mutable_strides(w, k)[t]);
        }
    walk_coalesce(w);
}

void walk_dense_strides(int32_t rank, const int64_t *dims, int64_t element_size, int64_t *strides) {
    int64_t stride = element_size;
    for (int32_t d = rank; d-- > 0;) {
        strides[d] = stride;
        stride *= dims[d];
    }
}
