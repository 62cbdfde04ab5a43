/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/check/gather.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/check/iteration_space.h"
#include "runtime/expr/gather.h"

gather_call gather_call_of(const callee *kernel, const plan_part *part, const view *tensors) {
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

bool gather_are_legal(const gather_call *call, walk *w, const void *first, int64_t *bad) {
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

tosajit_status gather_refuse(const callee *kernel, const plan_part *part, const view *tensors,
                             int64_t bad) {
    const gather_call call = gather_call_of(kernel, part, tensors);
    const value_name name = expr_value_name(kernel->program, part->values[0]);
    if (call.count == 0)
        return diag_error(TOSAJIT_INDEX_OUT_OF_RANGE,
                          "%s: there is nothing to gather from, since the indexed dimension has no "
                          "elements in this call",
                          name.text);
    return diag_error(TOSAJIT_INDEX_OUT_OF_RANGE,
                      "%s: index %" PRId64 " is not in %" PRId64 "..%" PRId64
                      "; the indexed dimension has %" PRId64 " elements in this call",
                      name.text, bad, call.mode == TOSAJIT_INDEX_SIGNED ? -call.count : 0,
                      call.count - 1, call.count);
}

/* The index of a part, which is there already. */
static tosajit_status check_part(const callee *kernel, const plan_part *part, const view *tensors) {
    const gather_call call = gather_call_of(kernel, part, tensors);
    const view *index = &tensors[part->leaves[plan_gather_of(part).index].tensor];
    int64_t bad;
    walk w; /* not cleared: see walk.h */
    if (!gather_may_fail(call.mode) || index->empty) return TOSAJIT_OK;
    w.rank = index->tensor.rank;
    w.tensors = 1;
    w.apart = 0;
    for (int32_t d = 0; d < w.rank; d++) {
        w.sizes[d] = index->tensor.dims[d];
        *walk_mutable_strides(&w, d) = index->strides[d];
        if (index->strides[d] == 0) w.sizes[d] = 1; /* it repeats */
    }
    return gather_are_legal(&call, &w, index->tensor.data, &bad)
               ? TOSAJIT_OK
               : gather_refuse(kernel, part, tensors, bad);
}

static bool is_empty(const plan_part *part, const view *tensors) {
    int64_t sizes[TOSAJIT_MAX_RANK];
    bool empty = false;
    run_iteration_space(part, tensors, sizes); /* which was checked */
    for (int32_t d = 0; d < part->rank; d++) empty |= sizes[d] == 0;
    return empty;
}

tosajit_status gather_check(const callee *kernel, const view *tensors) {
    tosajit_status status = TOSAJIT_OK;
    for (int32_t p = 0; !status && p < kernel->plan->part_count; p++) {
        const plan_part *part = &kernel->plan->parts[p];
        if (!part->gathers) continue;
        const plan_gather g = plan_gather_of(part);
        const int32_t index = part->leaves[g.index].tensor;
        const bool given = index < kernel->tensor_count,
                   none = given ? tensors[index].empty : is_empty(part, tensors);
        if (none) continue;
        if (tensors[part->leaves[g.values].tensor].tensor.dims[0] == 0)
            status = gather_refuse(kernel, part, tensors, 0);
        else if (given)
            status = check_part(kernel, part, tensors);
    }
    return status;
}
