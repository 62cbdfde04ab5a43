/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: strides of operands, and the operands of each value. Out: strides of a result. */
#include "tools/python/layout.h"

#include <stdlib.h>
#include <string.h>

#include "tools/python/view.h"

enum { LAYOUT_STEPS = 24 }; /* _MOST_STEPS of tosajit/_orders.py */
typedef enum step { STEP_OPERAND, STEP_JOIN, STEP_VIEW, STEP_TAKE } step;

/* An array's sizes, and bytes from one element to the next. */
typedef struct shape {
    int32_t rank;
    int64_t unit; /* bytes of an element; 1 of what is computed */
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
} shape;

typedef struct reading {
    const char *at, *end;
    bool wrong;    /* the steps are not of these operands */
    bool computed; /* the last one is dense, and nobody's view */
    int known;
    shape shapes[LAYOUT_STEPS];
} reading;

static int64_t next(reading *r) {
    int64_t number = 0;
    if (r->end - r->at < (ptrdiff_t)sizeof number) {
        r->wrong = true;
        return 0;
    }
    memcpy(&number, r->at, sizeof number);
    r->at += sizeof number;
    return number;
}

static int64_t next_below(reading *r, int64_t limit) {
    const int64_t number = next(r);
    r->wrong |= number < 0 || number >= limit;
    return r->wrong ? 0 : number;
}

static void see(shape *s, const tosajit_tensor *t) {
    int64_t unit = (int64_t)tosajit_type_size(t->element);
    s->rank = t->rank;
    s->unit = unit;
    for (int32_t d = t->rank; d-- > 0;) {
        s->dims[d] = t->dims[d];
        s->strides[d] = t->strides ? t->strides[d] : unit;
        if (__builtin_mul_overflow(unit, t->dims[d], &unit)) unit = 0;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Element by element */

/* Of a dimension, counted from the last; 0 where it says nothing: of one element there is no next.
 */
static int64_t stride_at(const shape *s, int32_t axis) {
    const int32_t d = s->rank - 1 - axis;
    return d < 0 || s->dims[d] == 1 ? 0 : llabs(s->strides[d]);
}

typedef enum order { SAME, OUTER, INNER } order;

/* The order of dimensions a and b, which stands behind it: where strides differ, C's order
 * counts. As npyiter_find_best_axis_ordering of NumPy has it. */
static order compare(const shape *const *parts, int64_t count, int32_t a, int32_t b) {
    order found = SAME;
    for (int64_t i = 0; i < count; i++) {
        const int64_t outer = stride_at(parts[i], a), inner = stride_at(parts[i], b);
        if (!outer || !inner) continue;
        if (inner <= outer) return OUTER;
        found = INNER;
    }
    return found;
}

/* Dimensions, counted from the last, with the innermost first. */
static void sort(const shape *const *parts, int64_t count, int32_t rank, int32_t *order) {
    for (int32_t i = 0; i < rank; i++) {
        int32_t to = i;
        for (int32_t k = i; k-- > 0;) {
            const int found = (int)compare(parts, count, i, order[k]);
            if (found == OUTER) break;
            if (found == INNER) to = k;
        }
        memmove(order + to + 1, order + to, (size_t)(i - to) * sizeof *order);
        order[to] = i;
    }
}

/* True if the first dimension is the innermost one of a dense array of the same sizes. */
static bool is_fortran(const shape *part, const shape *s) {
    int64_t unit = part->unit;
    if (part->rank != s->rank) return false;
    for (int32_t d = 0; d < s->rank; d++) {
        if (part->dims[d] != s->dims[d]) return false;
        if (part->dims[d] != 1 && part->strides[d] != unit) return false;
        if (__builtin_mul_overflow(unit, part->dims[d], &unit)) return false;
    }
    return true;
}

static bool is_straight(const shape *part) {
    return view_is_dense(part->rank, part->dims, part->strides, part->unit);
}

/* As NumPy does before it compares strides: so dimensions of one element have their places, too. */
static bool all_fortran(const shape *const *parts, int64_t count, const shape *s) {
    bool all = true, straight = true;
    for (int64_t i = 0; i < count; i++) {
        all = all && is_fortran(parts[i], s);
        straight = straight && is_straight(parts[i]);
    }
    return all && !straight;
}

/* Strides of a dense array that is computed of these. */
static void lay(const shape *const *parts, int64_t count, shape *s) {
    int32_t order[TOSAJIT_MAX_RANK];
    int64_t unit = s->unit;
    const bool turned = all_fortran(parts, count, s);
    if (!turned) sort(parts, count, s->rank, order);
    for (int32_t i = 0; i < s->rank; i++) {
        const int32_t d = turned ? i : s->rank - 1 - order[i];
        s->strides[d] = unit;
        if (__builtin_mul_overflow(unit, s->dims[d], &unit)) unit = 0;
    }
}

static void join(reading *r, shape *s) {
    const shape *parts[LAYOUT_STEPS];
    const int64_t count = next_below(r, LAYOUT_STEPS);
    s->rank = 0;
    for (int64_t i = 0; i < count; i++) {
        parts[i] = &r->shapes[next_below(r, r->known)];
        if (parts[i]->rank > s->rank) s->rank = parts[i]->rank;
    }
    for (int32_t axis = 0; axis < s->rank; axis++) {
        int64_t size = 1;
        for (int64_t i = 0; i < count; i++)
            if (axis < parts[i]->rank && parts[i]->dims[parts[i]->rank - 1 - axis] != 1)
                size = parts[i]->dims[parts[i]->rank - 1 - axis];
        s->dims[s->rank - 1 - axis] = size;
    }
    s->unit = 1;
    lay(parts, count, s);
}

/* ---------------------------------------------------------------------------------------------
 * Views */

/* A bound of Python's range within a size. */
static int64_t bound(int64_t given, int64_t size, int64_t nothing, bool backward) {
    if (given == INT64_MIN) return nothing;
    if (given < 0) given += size;
    const int64_t least = backward ? -1 : 0, most = backward ? size - 1 : size;
    return given < least ? least : given > most ? most : given;
}

static int64_t length(int64_t size, int64_t start, int64_t stop, int64_t step) {
    const bool backward = step < 0;
    start = bound(start, size, backward ? size - 1 : 0, backward);
    stop = bound(stop, size, backward ? -1 : size, backward);
    const int64_t way = backward ? start - stop : stop - start;
    return way > 0 ? (way - 1) / llabs(step) + 1 : 0;
}

static void look(reading *r, shape *s) {
    const shape *from = &r->shapes[next_below(r, r->known)];
    s->rank = (int32_t)next_below(r, TOSAJIT_MAX_RANK + 1);
    s->unit = from->unit;
    for (int32_t d = 0; d < s->rank; d++) {
        const int64_t origin = next(r), start = next(r), stop = next(r), step = next(r);
        r->wrong |= origin >= from->rank || !step;
        if (r->wrong) return;
        s->dims[d] = origin < 0 ? 1 : length(from->dims[origin], start, stop, step);
        s->strides[d] = origin < 0 ? 0 : from->strides[origin] * step;
    }
}

/* True if there is one element at each index. */
static bool is_single(const shape *from) {
    for (int32_t d = 1; d < from->rank; d++)
        if (from->dims[d] != 1) return false;
    return true;
}

/* Elements at indices. Where rows have several elements, the index's dimensions are outermost and
 * in C's order, as NumPy has them; else they are laid as the index is. */
static void take(reading *r, shape *s) {
    const shape *from = &r->shapes[next_below(r, r->known)];
    const shape *index = &r->shapes[next_below(r, r->known)];
    if (r->wrong) return;
    const bool single = is_single(from);
    shape part = {.rank = index->rank + from->rank - 1, .unit = single ? index->unit : from->unit};
    r->wrong |= from->rank < 1 || part.rank > TOSAJIT_MAX_RANK;
    for (int32_t d = 0; d < part.rank && !r->wrong; d++) {
        const int32_t inner = d - index->rank + 1; /* of x, where it is not negative or 0 */
        part.dims[d] = inner < 1 ? index->dims[d] : from->dims[inner];
        part.strides[d] =
            inner < 1 ? single ? index->strides[d] : INT64_MAX - d : from->strides[inner];
    }
    *s = part;
    s->unit = 1;
    const shape *parts[1] = {&part};
    if (!r->wrong) lay(parts, 1, s);
}

/* ---------------------------------------------------------------------------------------------
 * Results */

static bool is_strided(const tosajit_tensor *operands, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++)
        if (operands[i].rank > 1 && operands[i].strides) return true;
    return false;
}

/* True if steps have led to the result's own sizes. Strides of others would be those of other
 * memory. */
static bool is_of(const shape *s, const tosajit_tensor *result) {
    return s->rank == result->rank &&
           memcmp(s->dims, result->dims, (size_t)s->rank * sizeof *s->dims) == 0;
}

static void run(reading *r, const tosajit_tensor *operands, Py_ssize_t count) {
    while (r->at < r->end && !r->wrong && r->known < LAYOUT_STEPS) {
        shape *s = &r->shapes[r->known];
        const step what = (step)next_below(r, STEP_TAKE + 1);
        if (what == STEP_OPERAND)
            see(s, &operands[next_below(r, count)]);
        else if (what == STEP_JOIN)
            join(r, s);
        else if (what == STEP_VIEW)
            look(r, s);
        else
            take(r, s);
        r->computed = what == STEP_JOIN || what == STEP_TAKE;
        r->known++;
    }
}

bool layout_strides(PyObject *steps, const tosajit_tensor *operands, Py_ssize_t count,
                    const tosajit_tensor *result, int64_t strides[TOSAJIT_MAX_RANK]) {
    reading r;
    if (result->rank < 2 || !PyBytes_Check(steps)) return false;
    r.at = PyBytes_AsString(steps);
    r.end = r.at + PyBytes_Size(steps);
    const bool turns = next(&r);
    if (!turns && !is_strided(operands, count)) return false;
    r.known = 0;
    r.wrong = false;
    run(&r, operands, count);
    const shape *parts[1] = {&r.shapes[r.known ? r.known - 1 : 0]};
    if (r.wrong || !r.known || !is_of(parts[0], result)) return false;
    shape last = {.rank = result->rank, .unit = (int64_t)tosajit_type_size(result->element)};
    memcpy(last.dims, result->dims, (size_t)result->rank * sizeof *last.dims);
    if (!r.computed) lay(parts, 1, &last);
    for (int32_t d = 0; d < last.rank; d++)
        strides[d] = r.computed ? parts[0]->strides[d] * last.unit : last.strides[d];
    return !view_is_dense(result->rank, result->dims, strides, last.unit);
}
