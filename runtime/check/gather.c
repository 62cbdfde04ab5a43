/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/check/gather.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/base/memory.h"
#include "runtime/check/iteration_space.h"
#include "runtime/expr/gather.h"
#include "runtime/expr/scatter.h"

/* Of a scatter count and stride are the result's. */
static gather_call scatter_call(const callee *kernel, const plan_part *part, const view *tensors) {
    const expr_node *nodes = kernel->program->nodes, *node = &nodes[part->values[0]];
    const view *result = &tensors[kernel->tensor_count + part->results[0]];
    gather_call call = {.mode = node->attributes.index_mode,
                        .once = node->op == TOSAJIT_OP_scatter &&
                                node->attributes.index_mode == TOSAJIT_INDEX_STRICT,
                        .element = node->type.element,
                        .index = nodes[node->operands[SCATTER_INDEX]].type.element};
    run_broadcast_size(tensors, part->scattered, part->rank, part->scattered_size,
                       &call.count); /* which was checked */
    call.stride = call.count > 1 ? result->strides[0] : 0;
    return call;
}

gather_call gather_call_of(const callee *kernel, const plan_part *part, const view *tensors) {
    if (part->scatters) return scatter_call(kernel, part, tensors);
    const plan_gather g = plan_gather_of(part);
    const view *values = &tensors[part->leaves[g.values].tensor];
    const expr_node *nodes = kernel->program->nodes;
    return (gather_call){.mode = nodes[part->values[0]].attributes.index_mode,
                         .element = values->tensor.element,
                         .index = nodes[part->leaves[g.index].value].type.element,
                         .count = values->tensor.dims[0],
                         .stride = values->strides[0]};
}

/* ---------------------------------------------------------------------------------------------
 * Lines of indices: v = index + add is from 0 to most, or the sign of v or of most - v tells. Of
 * what is added here no sum wraps into that range: see limits_of. */

#define ANY_OUTSIDE(type, at, n, add, most)                                                        \
    type signs = 0;                                                                                \
    for (int64_t k = 0; k < (n); k++) {                                                            \
        const type v = (type)((at)[k] + (add));                                                    \
        signs |= v | (type)((most)-v);                                                             \
    }                                                                                              \
    return signs >> (8 * sizeof signs - 1)

static bool any_outside_32(const uint32_t *at, int64_t n, uint32_t add, uint32_t most) {
    ANY_OUTSIDE(uint32_t, at, n, add, most);
}
static bool any_outside_64(const uint64_t *at, int64_t n, uint64_t add, uint64_t most) {
    ANY_OUTSIDE(uint64_t, at, n, add, most);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool any_outside_32_avx2(const uint32_t *at, int64_t n,
                                                                uint32_t add, uint32_t most) {
    ANY_OUTSIDE(uint32_t, at, n, add, most);
}
__attribute__((target("avx2"))) static bool any_outside_64_avx2(const uint64_t *at, int64_t n,
                                                                uint64_t add, uint64_t most) {
    ANY_OUTSIDE(uint64_t, at, n, add, most);
}
#else
#define any_outside_32_avx2 any_outside_32
#define any_outside_64_avx2 any_outside_64
#endif

/* A number to add to an index, and the most that the sum may be. */
typedef struct limits {
    int64_t add, most;
    bool narrow; /* sums of i32 do not wrap into the range */
} limits;

static limits limits_of(const gather_call *call) {
    static const int64_t LARGE = INT64_C(1) << 30;
    const int64_t count = call->count;
    const bool is_signed = call->mode == TOSAJIT_INDEX_SIGNED;
    return (limits){is_signed ? count : 0, count - 1 + (is_signed ? count : 0), count <= LARGE};
}

static bool is_aligned(const char *at, size_t size) { return (uintptr_t)at % size == 0; }

/* The first index of a line that is not legal; -1: all are. */
static int64_t find_outside(const gather_call *call, const char *at, int64_t n, int64_t stride) {
    const size_t size = tosajit_type_size(call->index);
    const limits l = limits_of(call);
    const bool wide = features_permuted_bytes() > 0;
    if (stride == (int64_t)size && is_aligned(at, size)) {
        const void *line = at;
        if (size == 4 && l.narrow &&
            !(wide ? any_outside_32_avx2 : any_outside_32)(line, n, (uint32_t)l.add,
                                                           (uint32_t)l.most))
            return -1;
        if (size == 8 && !(wide ? any_outside_64_avx2 : any_outside_64)(line, n, (uint64_t)l.add,
                                                                        (uint64_t)l.most))
            return -1;
    }
    for (int64_t k = 0; k < n; k++) {
        if (gather_is_wrong(call->mode, gather_index(call->index, at + k * stride), call->count))
            return k;
    }
    return -1;
}

/* ---------------------------------------------------------------------------------------------
 * Indices that may occur once */

/* Bits for the places from `begin` on: as many as there is memory for, of `count` at most. */
typedef struct places_seen {
    uint8_t *bits;
    int64_t begin, room;
} places_seen;

/* The first index of a line that has been among these places before; -1: none has. */
static int64_t find_again(const gather_call *call, const char *at, int64_t n, int64_t stride,
                          const places_seen *seen) {
    memset(seen->bits, 0, (size_t)seen->room / 8);
    for (int64_t k = 0; k < n; k++) {
        const int64_t place = gather_index(call->index, at + k * stride) - seen->begin;
        if (place < 0 || place >= seen->room) continue;
        if (seen->bits[place / 8] >> place % 8 & 1) return k;
        seen->bits[place / 8] |= (uint8_t)(1u << place % 8);
    }
    return -1;
}

/* The lines along dimension 0 of a walk, whose indices are all inside. */
static bool occur_once(const callee *kernel, const gather_call *call, walk *w, const void *first,
                       int64_t *bad) {
    enum { FEW = 4096 };
    const tosajit_allocator *allocator = &kernel->plan->allocator;
    const int64_t n = w->sizes[0], stride = *walk_strides(w, 0), all = (call->count + 63) / 64 * 8;
    uint8_t few[FEW], *more = all > FEW ? memory_uncleared(allocator, (size_t)all) : NULL;
    places_seen seen = {more ? more : few, 0, 8 * (more || all < FEW ? all : FEW)};
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    void *at = (void *)(uintptr_t)first;
    bool once = true;
    do
        for (seen.begin = 0; once && seen.begin < call->count; seen.begin += seen.room) {
            const int64_t found = find_again(call, at, n, stride, &seen);
            if (found < 0) continue;
            *bad = gather_index(call->index, (const char *)at + found * stride);
            once = false;
        }
    while (once && walk_next(w, ((UINT32_C(1) << w->rank) - 1) & ~UINT32_C(1), index, &at));
    memory_free(allocator, more, more ? (size_t)all : 0, 1);
    return once;
}

static bool are_inside(const gather_call *call, walk *w, const void *first, int64_t *bad) {
    walk_coalesce(w);
    const int32_t inner = w->rank - 1;
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    void *at = (void *)(uintptr_t)first;
    do {
        const int64_t stride = walk_strides(w, inner)[0],
                      found = find_outside(call, at, w->sizes[inner], stride);
        if (found < 0) continue;
        *bad = gather_index(call->index, (const char *)at + found * stride);
        return false;
    } while (walk_next(w, (UINT32_C(1) << inner) - 1, index, &at));
    return true;
}

bool gather_are_legal(const callee *kernel, const gather_call *call, walk *w, const void *first,
                      int64_t *bad) {
    walk lines; /* not cleared: see walk.h */
    if (!call->once) return are_inside(call, w, first, bad);
    walk_copy(&lines, w);
    return are_inside(call, w, first, bad) && occur_once(kernel, call, &lines, first, bad);
}

tosajit_status gather_refuse(const callee *kernel, const plan_part *part, const view *tensors,
                             int64_t bad) {
    const gather_call call = gather_call_of(kernel, part, tensors);
    const tosajit_value leaf = part->leaves[plan_index_of(part, kernel->program)].value;
    const value_name name = expr_value_name(kernel->program, part->values[0]),
                     index = expr_value_mention(kernel->program, leaf);
    if (call.count == 0)
        return diag_error(TOSAJIT_INDEX_OUT_OF_RANGE,
                          "%s: there is nothing to %s, since the indexed dimension has no "
                          "elements in this call",
                          name.text, part->scatters ? "scatter into" : "gather from");
    if (!gather_is_wrong(call.mode, bad, call.count))
        return diag_error(TOSAJIT_INDEX_OUT_OF_RANGE,
                          "%s: index %" PRId64
                          " of %s occurs more than once, which TOSA allows to none; with another "
                          "index_mode than STRICT the last update remains",
                          name.text, bad, index.text);
    return diag_error(TOSAJIT_INDEX_OUT_OF_RANGE,
                      "%s: index %" PRId64 " of %s is not in %" PRId64 "..%" PRId64
                      "; the indexed dimension has %" PRId64 " elements in this call",
                      name.text, bad, index.text,
                      call.mode == TOSAJIT_INDEX_SIGNED ? -call.count : 0, call.count - 1,
                      call.count);
}

/* The index of a part, which is there already. */
static tosajit_status check_part(const callee *kernel, const plan_part *part, const view *tensors) {
    const gather_call call = gather_call_of(kernel, part, tensors);
    const view *index = &tensors[part->leaves[plan_index_of(part, kernel->program)].tensor];
    int64_t bad, sizes[TOSAJIT_MAX_RANK];
    walk w; /* not cleared: see walk.h */
    if (!gather_may_fail(call.mode) || index->empty) return TOSAJIT_OK;
    w.rank = index->tensor.rank;
    w.tensors = 1;
    w.apart = 0;
    run_iteration_space(part, tensors, sizes); /* which was checked */
    for (int32_t d = 0; d < w.rank; d++) {
        w.sizes[d] = index->tensor.dims[d];
        *walk_mutable_strides(&w, d) = index->strides[d];
        if (index->strides[d] == 0) w.sizes[d] = 1; /* it repeats */
    }
    if (call.once && sizes[0] > 0) w.sizes[0] = sizes[0];
    return gather_are_legal(kernel, &call, &w, index->tensor.data, &bad)
               ? TOSAJIT_OK
               : gather_refuse(kernel, part, tensors, bad);
}

/* True if an index that a part computes has no elements. */
static bool is_empty(const callee *kernel, const view *tensors, int32_t index) {
    int64_t sizes[TOSAJIT_MAX_RANK], own[TOSAJIT_MAX_RANK];
    bool empty = false;
    for (int32_t p = 0; p < kernel->plan->part_count; p++) {
        const plan_part *part = &kernel->plan->parts[p];
        for (int32_t r = 0; r < part->result_count; r++) {
            if (kernel->tensor_count + part->results[r] != index) continue;
            run_iteration_space(part, tensors, sizes); /* which was checked, as the next one */
            run_result_sizes(part, r, tensors, sizes, own);
            for (int32_t d = 0; d < part->rank; d++) empty |= own[d] == 0;
        }
    }
    return empty;
}

tosajit_status gather_check(const callee *kernel, const view *tensors) {
    tosajit_status status = TOSAJIT_OK;
    for (int32_t p = 0; !status && p < kernel->plan->part_count; p++) {
        const plan_part *part = &kernel->plan->parts[p];
        if (!part->gathers && !part->scatters) continue;
        const int32_t index = part->leaves[plan_index_of(part, kernel->program)].tensor;
        const bool given = index < kernel->tensor_count,
                   none = given ? tensors[index].empty : is_empty(kernel, tensors, index);
        if (none) continue;
        if (gather_call_of(kernel, part, tensors).count == 0)
            status = gather_refuse(kernel, part, tensors, 0);
        else if (given)
            status = check_part(kernel, part, tensors);
    }
    return status;
}
