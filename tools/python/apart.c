/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: tensors of a call. Out: operands that no result shares memory with. */
#include "tools/python/apart.h"

#include <stdlib.h>
#include <string.h>

struct apart_copy {
    apart_copy *next;
    int64_t strides[TOSAJIT_MAX_RANK];
    char data[];
};

/* ---------------------------------------------------------------------------------------------
 * Where a tensor lies */

typedef struct extent {
    int64_t strides[TOSAJIT_MAX_RANK], before, bytes; /* before its first element; of all of it */
} extent;

static extent extent_of(const tosajit_tensor *t) {
    int64_t unit = (int64_t)tosajit_type_size(t->element), after = unit;
    extent e = {.before = 0};
    for (int32_t d = t->rank; d-- > 0;) {
        e.strides[d] = t->strides ? t->strides[d] : unit;
        unit *= t->dims[d];
        const int64_t length = (t->dims[d] - 1) * e.strides[d];
        if (length < 0)
            e.before -= length;
        else
            after += length;
    }
    e.bytes = unit ? e.before + after : 0; /* unit: 0 where it has no elements */
    return e;
}

static bool meet(const tosajit_tensor *a, const tosajit_tensor *b) {
    const extent p = extent_of(a), q = extent_of(b);
    const uintptr_t from = (uintptr_t)a->data - (uintptr_t)p.before;
    const uintptr_t other = (uintptr_t)b->data - (uintptr_t)q.before;
    return p.bytes && q.bytes && from < other + (uintptr_t)q.bytes &&
           other < from + (uintptr_t)p.bytes;
}

/* ---------------------------------------------------------------------------------------------
 * Copies */

/* Dimensions along which there are several elements, the largest stride first. */
typedef struct walk {
    size_t unit;
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK], from[TOSAJIT_MAX_RANK], to[TOSAJIT_MAX_RANK];
} walk;

/* A copy of `size` bytes at a time, where that is a number. */
#define COPY_ROW(size)                                                                             \
    for (int64_t i = 0; i < count; i++) memcpy(to + i * (size), from + i * stride, (size_t)(size))

static void copy_row(char *to, const char *from, int64_t count, int64_t stride, int64_t unit) {
    if (unit == 1)
        COPY_ROW(1);
    else if (unit == 2)
        COPY_ROW(2);
    else if (unit == 4)
        COPY_ROW(4);
    else
        COPY_ROW(unit);
}

static void copy_along(const walk *w, int32_t d, char *to, const char *from) {
    if (d >= w->rank - 1) {
        copy_row(to, from, w->rank ? w->dims[d] : 1, w->rank ? w->from[d] : 0, (int64_t)w->unit);
        return;
    }
    for (int64_t i = 0; i < w->dims[d]; i++)
        copy_along(w, d + 1, to + i * w->to[d], from + i * w->from[d]);
}

/* Of elements that stand far apart, these alone, in the order of memory. Bytes of the copy. */
static int64_t plan_walk(const tosajit_tensor *t, const extent *e, walk *w,
                         int64_t strides[TOSAJIT_MAX_RANK]) {
    int32_t order[TOSAJIT_MAX_RANK];
    int64_t bytes = (int64_t)tosajit_type_size(t->element);
    w->unit = (size_t)bytes;
    w->rank = 0;
    for (int32_t d = 0; d < t->rank; d++) {
        int32_t at = w->rank;
        strides[d] = 0;
        if (t->dims[d] <= 1 || !e->strides[d]) continue;
        for (; at > 0 && llabs(e->strides[order[at - 1]]) < llabs(e->strides[d]); at--)
            order[at] = order[at - 1];
        order[at] = d;
        w->rank++;
    }
    for (int32_t k = w->rank; k-- > 0;) {
        w->dims[k] = t->dims[order[k]];
        w->from[k] = e->strides[order[k]];
        w->to[k] = strides[order[k]] = bytes;
        if (__builtin_mul_overflow(bytes, w->dims[k], &bytes)) return INT64_MAX;
    }
    return bytes;
}

/* All from the first to the last byte where that is no more: one copy of the system's. */
static bool copy(tosajit_tensor *t, apart_copy **copies) {
    const extent e = extent_of(t);
    walk w;
    int64_t strides[TOSAJIT_MAX_RANK];
    const int64_t own = plan_walk(t, &e, &w, strides);
    const bool whole = e.bytes <= own;
    apart_copy *c = PyMem_Malloc(sizeof *c + (size_t)(whole ? e.bytes : own));
    if (!c) return !!PyErr_NoMemory();
    c->next = *copies;
    *copies = c;
    memcpy(c->strides, whole ? e.strides : strides, sizeof c->strides);
    if (whole)
        memcpy(c->data, (const char *)t->data - e.before, (size_t)e.bytes);
    else
        copy_along(&w, 0, c->data, t->data);
    t->data = c->data + (whole ? e.before : 0);
    if (t->strides) t->strides = c->strides;
    return true;
}

bool apart_take(tosajit_tensor *operands, Py_ssize_t operand_count, const tosajit_tensor *results,
                Py_ssize_t result_count, apart_copy **copies) {
    *copies = NULL;
    for (Py_ssize_t i = 0; i < operand_count; i++)
        for (Py_ssize_t k = 0; k < result_count; k++) {
            if (!meet(&operands[i], &results[k])) continue;
            if (!copy(&operands[i], copies)) return false;
            break;
        }
    return true;
}

void apart_release(apart_copy *copies) {
    while (copies) {
        apart_copy *next = copies->next;
        PyMem_Free(copies);
        copies = next;
    }
}
