/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/tile/reduce_tile.h"

#include <string.h>

#include "runtime/base/types.h"
#include "runtime/expr/reduce.h"

static uint64_t bits_below(int32_t count) { return count > 0 ? ~UINT64_C(0) >> (64 - count) : 0; }

/* How a tensor walks the dimensions that are reduced together. */
typedef struct line {
    int64_t size;   /* elements */
    int64_t stride; /* from each to the next, in row-major order */
    bool straight;  /* that is so of all */
} line;

static line find_line(const plan_part *part, const walk *w, int32_t t) {
    const int32_t last = part->axis + part->joined;
    line l = {w->sizes[last], walk_strides(w, last)[t], true};
    for (int32_t d = last; d-- > part->axis;) {
        const int64_t stride = walk_strides(w, d)[t];
        if (w->sizes[d] == 1) continue;
        if (l.size == 1)
            l.stride = stride;
        else
            l.straight &= stride == l.stride * l.size;
        l.size *= w->sizes[d];
    }
    return l;
}

/* True if there are no elements along the reduced dimensions. */
static bool is_empty_line(const plan_part *part, const walk *w) {
    for (int32_t d = part->axis; d <= part->axis + part->joined; d++)
        if (w->sizes[d] == 0) return true;
    return false;
}

/* Or more than 2^63 - 1. */
static bool is_long_line(const plan_part *part, const walk *w) {
    int64_t size = 1;
    for (int32_t d = part->axis; d <= part->axis + part->joined; d++)
        if (!size_multiply(size, w->sizes[d], &size)) return true;
    return false;
}

int64_t reduce_tile_elements(const plan_part *part, const walk *w) {
    return is_empty_line(part, w) ? 0 : find_line(part, w, 0).size;
}

/* The reduced dimensions become one, at the place of the first. */
static void join_line(const plan_part *part, walk *w) {
    const int32_t axis = part->axis, joined = part->joined;
    if (joined == 0) return;
    for (int32_t t = 0; t < w->tensors; t++)
        walk_mutable_strides(w, axis)[t] = find_line(part, w, t).stride;
    w->sizes[axis] = find_line(part, w, 0).size;
    for (int32_t d = axis + 1; d + joined < w->rank; d++) {
        w->sizes[d] = w->sizes[d + joined];
        memcpy(walk_mutable_strides(w, d), walk_strides(w, d + joined),
               (size_t)w->tensors * sizeof *w->strides);
    }
    w->rank -= joined;
    w->apart = UINT32_C(1) << axis;
}

/* The same for the dimensions that are not reduced, but for the code's columns. */
static void coalesce(const plan_part *part, walk *w) {
    const int32_t columns = part->columns - part->joined;
    join_line(part, w);
    if (columns > part->axis && w->sizes[columns] == 1) w->apart |= UINT32_C(1) << columns;
    walk_coalesce(w);
}

/* Leaves that the code reads as one value per row, and tensors that must be packed. */
static void classify(const plan_part *part, const walk *w, uint64_t *splat, uint64_t *packed) {
    const int32_t columns = part->columns;
    const bool inner = plan_reduces_columns(part),
               any =
                   columns < 0 || (inner ? reduce_tile_elements(part, w) : w->sizes[columns]) <= 1;
    uint64_t same = 0, contiguous = 0, straight = 0;
    for (int32_t t = 0; t < w->tensors; t++) {
        const line l = find_line(part, w, t);
        const int64_t step = any ? 0 : inner ? l.stride : walk_strides(w, columns)[t];
        const bool reduction =
            t >= part->leaf_count && part->reductions >> (t - part->leaf_count) & 1;
        straight |= (uint64_t)l.straight << t;
        if (t < part->leaf_count && step == 0) same |= UINT64_C(1) << t;
        if (any || step == part->element_sizes[t] || (reduction && inner))
            contiguous |= UINT64_C(1) << t;
    }
    tile_find_loop(part, same & straight, splat);
    *packed = ~((*splat | contiguous) & straight) & bits_below(w->tensors);
}

/* Dense strides of what a tensor has of the walk; the bytes that it takes. Along dimensions that
 * become one it is there for each index, or for none. False: too many. */
static bool dense_strides(const plan_part *part, const walk *w, int32_t t, int64_t *strides,
                          int64_t *bytes) {
    const bool whole = plan_reduces_columns(part) || !find_line(part, w, t).straight;
    *bytes = part->element_sizes[t];
    for (int32_t d = w->rank; d-- > 0;) {
        const bool moves =
            walk_strides(w, d)[t] != 0 || d == part->columns || (whole && plan_reduces(part, d));
        strides[d] = moves ? *bytes : 0;
        if (moves && !size_multiply(*bytes, w->sizes[d], bytes)) return false;
    }
    *bytes = (*bytes + 63) / 64 * 64;
    return true;
}

bool reduce_tile_bytes(const plan_part *part, const walk *w, int64_t *bytes) {
    uint64_t splat, packed;
    int64_t strides[TOSAJIT_MAX_RANK];
    *bytes = 0;
    for (int32_t d = 0; d < w->rank; d++)
        if (w->sizes[d] == 0) return true;
    if (is_long_line(part, w)) return false;
    classify(part, w, &splat, &packed);
    for (int32_t t = 0; packed >> t; t++) {
        int64_t own;
        if (!(packed >> t & 1)) continue;
        if (!dense_strides(part, w, t, strides, &own) || own > INT64_MAX / 2 - *bytes) return false;
        *bytes += own;
    }
    return true;
}

static void copy_line(char *to, int64_t to_step, const char *from, int64_t from_step, size_t size,
                      int64_t count) {
    const int64_t step = (int64_t)size;
    if (to_step == step && from_step == step) {
        memcpy(to, from, size * (size_t)count);
        return;
    }
    if (size == sizeof(uint32_t) && to_step == step) { /* most often, and in few instructions */
        for (int64_t k = 0; k < count; k++)
            memcpy(to + k * step, from + k * from_step, sizeof(uint32_t));
        return;
    }
    for (int64_t k = 0; k < count; k++) memcpy(to + k * to_step, from + k * from_step, size);
}

/* Copy elements between two places that are walked by strides of their own. */
static void copy_elements(int32_t rank, const int64_t *sizes, char *to, const int64_t *to_strides,
                          const char *from, const int64_t *from_strides, size_t size) {
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    const int32_t inner = rank - 1;
    for (int32_t d = 0; d < rank; d++)
        if (sizes[d] == 0) return;
    for (;;) {
        const int64_t count = rank ? sizes[inner] : 1, to_step = rank ? to_strides[inner] : 0,
                      from_step = rank ? from_strides[inner] : 0;
        copy_line(to, to_step, from, from_step, size, to_step ? count : 1);
        int32_t d = inner;
        while (--d >= 0) {
            to += to_strides[d], from += from_strides[d];
            if (++index[d] < sizes[d]) break;
            to -= to_strides[d] * sizes[d], from -= from_strides[d] * sizes[d];
            index[d] = 0;
        }
        if (d < 0) return;
    }
}

/* A tensor that was moved into memory of its own. */
typedef struct moved {
    char *from;
    int64_t strides[TOSAJIT_MAX_RANK], dense[TOSAJIT_MAX_RANK]; /* of both */
} moved;

/* How the code is given the walk. */
static void lay(const plan_part *part, const walk *w, uint64_t splat, tile_choice *c) {
    int32_t axis = 0;
    while (!(w->apart >> axis & 1)) axis++; /* before the columns, or they themselves */
    const bool inner = plan_reduces_columns(part);
    const int32_t columns = inner                ? axis
                            : w->rank - 1 > axis ? w->rank - 1
                                                 : -1,
                  row = inner ? axis - 1 : axis;
    int32_t plane = -1;
    for (int32_t d = 0; part->has_planes && d < w->rank; d++)
        if (d != columns && d != row && (plane < 0 || w->sizes[d] > w->sizes[plane])) plane = d;
    *c = (tile_choice){.strategy = TILE_DIRECT,
                       .splat = splat,
                       .row_dim = row,
                       .plane_dim = plane,
                       .interleave = 1,
                       .split = -1,
                       .planes = plane < 0 ? 1 : w->sizes[plane],
                       .rows = row < 0 ? 1 : w->sizes[row],
                       .cols = columns < 0 ? 1 : w->sizes[columns],
                       .outer = (UINT32_C(1) << w->rank) - 1};
    const int32_t given[] = {columns, row, plane};
    for (int k = 0; k < 3; k++)
        if (given[k] >= 0) c->outer &= ~(UINT32_C(1) << given[k]);
}

/* Reductions of no element. */
static void fill_empty(const tosajit_expr *program, const plan_part *part, walk *w,
                       const tile_tensors *tensors) {
    for (int32_t d = part->axis; d <= part->axis + part->joined; d++) w->sizes[d] = 1;
    for (int32_t k = 0; k < part->result_count; k++) {
        const expr_node *node = &program->nodes[part->values[k]];
        const int32_t t = part->leaf_count + k;
        uint64_t element;
        int64_t strides[TOSAJIT_MAX_RANK], none[TOSAJIT_MAX_RANK] = {0};
        if (!(part->reductions >> k & 1)) continue;
        convert_store(node->type.element, &element,
                      convert_encode(node->type.element, reduce_empty(node)));
        for (int32_t d = 0; d < w->rank; d++) strides[d] = walk_strides(w, d)[t];
        copy_elements(w->rank, w->sizes, tensors->pointers[t], strides, (const char *)&element,
                      none, part->element_sizes[t]);
    }
}

/* Move the tensors of a set into memory, operands with their elements. */
static void pack(const plan_part *part, walk *w, tile_tensors *tensors, uint64_t packed,
                 char *memory, moved *all) {
    for (int32_t t = 0; packed >> t; t++) {
        moved *m = &all[t];
        int64_t bytes;
        if (!(packed >> t & 1)) continue;
        dense_strides(part, w, t, m->dense, &bytes);
        m->from = tensors->pointers[t];
        for (int32_t d = 0; d < w->rank; d++) m->strides[d] = walk_strides(w, d)[t];
        if (t < part->leaf_count)
            copy_elements(w->rank, w->sizes, memory, m->dense, m->from, m->strides,
                          part->element_sizes[t]);
        for (int32_t d = 0; d < w->rank; d++) walk_mutable_strides(w, d)[t] = m->dense[d];
        tensors->pointers[t] = memory;
        memory += bytes;
    }
}

/* Move results back to where they belong, in the space that was walked. */
static void unpack(const plan_part *part, const int64_t *sizes, const tile_tensors *tensors,
                   uint64_t packed, const moved *all) {
    int64_t reduced[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < part->rank; d++) reduced[d] = plan_reduces(part, d) ? 1 : sizes[d];
    for (int32_t k = 0; k < part->result_count; k++) {
        const int32_t t = part->leaf_count + k;
        if (packed >> t & 1)
            copy_elements(part->rank, part->reductions >> k & 1 ? reduced : sizes, all[t].from,
                          all[t].strides, tensors->pointers[t], all[t].dense,
                          part->element_sizes[t]);
    }
}

/* The walk is coalesced then. */
static void run_direct(const plan_part *part, const code_part *code, walk *w,
                       const tile_tensors *tensors, uint64_t splat) {
    const int32_t count = w->tensors;
    int64_t strides[3 * count]; /* not cleared, like the next two: see walk.h */
    void *pointers[count];
    tile_choice choice;
    coalesce(part, w);
    lay(part, w, splat, &choice);
    tile_strides(part, &choice, w, tensors, strides);
    for (int32_t t = 0; t < count; t++) pointers[t] = tensors->pointers[t];
    tile_run_choice(&(tile_job){part, code, w, pointers, &choice, strides});
}

void reduce_tile_run(const tosajit_expr *program, const plan_part *part, const code_part *code,
                     walk *w, tile_tensors *tensors, char *memory) {
    uint64_t splat, packed;
    if (is_empty_line(part, w)) {
        fill_empty(program, part, w, tensors);
        return;
    }
    classify(part, w, &splat, &packed);
    if (!packed) {
        run_direct(part, code, w, tensors, splat);
        return;
    }
    moved all[w->tensors]; /* not cleared, like the next one: see walk.h */
    int64_t sizes[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < w->rank; d++) sizes[d] = w->sizes[d];
    pack(part, w, tensors, packed, memory, all);
    run_direct(part, code, w, tensors, splat);
    unpack(part, sizes, tensors, packed, all);
}

void reduce_tile_choose(const plan_part *part, walk *w, tile_choice *choice) {
    uint64_t splat, packed;
    classify(part, w, &splat, &packed);
    coalesce(part, w);
    lay(part, w, splat, choice);
    choice->packed = packed;
}
