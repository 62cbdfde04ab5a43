/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gather and scatter, element by element. See index_reference.h. */
#include "tests/numbers/index_reference.h"

#include <string.h>

#include "tests/numbers/exhaustive.h"
#include "tests/numbers/reduce_reference.h"

enum { GATHERED = 0, BASE = 0, INDEX = 1, UPDATES = 2 }; /* operands */

int64_t place_reference(tosajit_index_mode mode, int64_t index, int64_t count) {
    switch (mode) {
    case TOSAJIT_INDEX_STRICT: return index >= 0 && index < count ? index : -1;
    case TOSAJIT_INDEX_SIGNED:
        return index >= count || index < -count ? -1 : index < 0 ? index + count : index;
    case TOSAJIT_INDEX_CLIP: return index < 0 ? 0 : index >= count ? count - 1 : index;
    default: return (index % count + count) % count;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Tensors */

static bool next(int32_t rank, const int64_t *dims, int64_t *index) {
    for (int32_t d = rank; d-- > 0; index[d] = 0)
        if (++index[d] < dims[d]) return true;
    return false;
}

static int64_t count_of(int32_t rank, const int64_t *dims) {
    int64_t count = 1;
    for (int32_t d = 0; d < rank; d++) count *= dims[d];
    return count;
}

/* The element at an index of `rank` numbers, of which a tensor has the last ones; it repeats where
 * its size is 1. With `first` at least 0 its first number is that. */
static unsigned char *element(const index_tensor *t, int32_t rank, const int64_t *index,
                              int64_t first) {
    int64_t at = 0;
    for (int32_t d = 0; d < t->rank; d++) {
        const int32_t from = d + rank - t->rank;
        const int64_t own = d == 0 && first >= 0          ? first
                            : from < 0 || t->dims[d] == 1 ? 0
                                                          : index[from];
        at = at * t->dims[d] + own;
    }
    return t->data + (size_t)at * exhaustive_size(t->element);
}

static int64_t number(const index_tensor *t, const unsigned char *at) {
    int32_t narrow;
    int64_t wide;
    if (t->element == TOSAJIT_I32) return memcpy(&narrow, at, sizeof narrow), narrow;
    return memcpy(&wide, at, sizeof wide), wide;
}

static void move(tosajit_type type, unsigned char *to, const unsigned char *from) {
    if (type == TOSAJIT_I1)
        *to = *from != 0; /* any byte but 0 is true */
    else
        memcpy(to, from, exhaustive_size(type));
}

/* Sizes of what an op goes over: the result's elements, or all updates. */
static void space_of(const index_question *q, int64_t *sizes) {
    memcpy(sizes, q->result.dims, (size_t)q->result.rank * sizeof *sizes);
    if (q->op != TOSAJIT_OP_gather) sizes[0] = q->updates;
}

/* ---------------------------------------------------------------------------------------------
 * Legal indices */

static int64_t place(const index_question *q, const unsigned char *at) {
    return place_reference(q->attributes->index_mode, number(&q->operands[INDEX], at),
                           q->operands[BASE].dims[0]);
}

static bool are_inside(const index_question *q) {
    const index_tensor *t = &q->operands[INDEX];
    int64_t at[TOSAJIT_MAX_RANK] = {0};
    do
        if (place(q, element(t, t->rank, at, -1)) < 0) return false;
    while (next(t->rank, t->dims, at));
    return true;
}

/* Beside the same place, an index for each update. */
static bool occur_once(const index_question *q) {
    const index_tensor *t = &q->operands[INDEX];
    int64_t sizes[TOSAJIT_MAX_RANK], at[TOSAJIT_MAX_RANK] = {0}, other[TOSAJIT_MAX_RANK];
    memcpy(sizes, t->dims, (size_t)t->rank * sizeof *sizes);
    sizes[0] = q->updates;
    if (count_of(t->rank, sizes) == 0) return true;
    do {
        const int64_t own = number(t, element(t, t->rank, at, -1));
        memcpy(other, at, sizeof other);
        for (other[0] = 0; other[0] < at[0]; other[0]++)
            if (number(t, element(t, t->rank, other, -1)) == own) return false;
    } while (next(t->rank, sizes, at));
    return true;
}

bool index_reference_is_legal(const index_question *q) {
    const index_tensor *t = &q->operands[INDEX];
    if (count_of(t->rank, t->dims) == 0) return true;
    if (q->operands[BASE].dims[0] == 0 || !are_inside(q)) return false;
    return q->op != TOSAJIT_OP_scatter || q->attributes->index_mode != TOSAJIT_INDEX_STRICT ||
           occur_once(q);
}

/* ---------------------------------------------------------------------------------------------
 * Results */

static void gather(const index_question *q) {
    const index_tensor *to = &q->result;
    int64_t at[TOSAJIT_MAX_RANK] = {0};
    do
        move(to->element, element(to, to->rank, at, -1),
             element(&q->operands[GATHERED], to->rank, at,
                     place(q, element(&q->operands[INDEX], to->rank, at, -1))));
    while (next(to->rank, to->dims, at));
}

static void scatter(const index_question *q) {
    const index_tensor *to = &q->result;
    const reduce_question combined = {
        .op = q->op, .element = to->element, .nan_mode = q->attributes->nan_mode};
    int64_t sizes[TOSAJIT_MAX_RANK], at[TOSAJIT_MAX_RANK] = {0};
    do
        move(to->element, element(to, to->rank, at, -1),
             element(&q->operands[BASE], to->rank, at, -1));
    while (next(to->rank, to->dims, at));
    space_of(q, sizes);
    if (count_of(to->rank, sizes) == 0) return;
    do {
        unsigned char *into =
            element(to, to->rank, at, place(q, element(&q->operands[INDEX], to->rank, at, -1)));
        const unsigned char *update = element(&q->operands[UPDATES], to->rank, at, -1);
        if (q->op == TOSAJIT_OP_scatter)
            move(to->element, into, update);
        else
            combine_reference(&combined, into, update);
    } while (next(to->rank, sizes, at));
}

void index_reference(const index_question *q) {
    if (count_of(q->result.rank, q->result.dims) == 0) return;
    if (q->op == TOSAJIT_OP_gather)
        gather(q);
    else
        scatter(q);
}
