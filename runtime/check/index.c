/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/check/index.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/check/iteration_space.h"
#include "runtime/expr/reduce.h"

/* An array of numbers. Nobody knows who reads a shorter one: all stay. */
typedef struct numbers {
    struct numbers *shorter;
    int64_t count;
    int32_t at[];
} numbers;

static numbers *_Atomic longest;

/* So many numbers at least; null when memory is out. Two threads may make an array: one of them is
 * then not needed. */
static const int32_t *find_numbers(int64_t count) {
    enum { LEAST = 4096 };
    numbers *have = atomic_load_explicit(&longest, memory_order_acquire);
    if (have && have->count >= count) return have->at;
    const tosajit_allocator allocator = memory_allocator(NULL);
    int64_t room = LEAST;
    while (room < count) room *= 2;
    const size_t bytes = sizeof *have + (size_t)room * sizeof(int32_t);
    numbers *made = memory_uncleared(&allocator, bytes);
    if (!made) return NULL;
    made->count = room;
    for (int64_t k = 0; k < room; k++) made->at[k] = (int32_t)k;
    do {
        if (have && have->count >= count) {
            memory_free(&allocator, made, bytes, 1);
            return have->at;
        }
        made->shorter = have;
    } while (!atomic_compare_exchange_weak_explicit(&longest, &have, made, memory_order_acq_rel,
                                                    memory_order_acquire));
    return made->at;
}

static tosajit_status too_many(const tosajit_expr *program, tosajit_value value) {
    return diag_error(TOSAJIT_OVERFLOW,
                      "%s: positions are i32, and there are more than %" PRId64 " in this call",
                      expr_value_name(program, value).text, (int64_t)INT32_MAX);
}

static tosajit_status view_index(const callee *kernel, const plan_index *index, int64_t *dims,
                                 view *tensors) {
    view *v = &tensors[index->tensor];
    int64_t count = 1;
    bool fits = true, empty = false;
    for (int32_t d = 0; d < index->rank; d++) {
        tosajit_status status = run_broadcast_size(tensors, index->dynamic[d], index->rank - d,
                                                   index->sizes[d], &dims[d]);
        if (status) return status;
        empty |= dims[d] == 0;
    }
    for (int32_t d = 0; d < index->rank && !empty; d++)
        fits &= size_multiply(count, dims[d], &count) && count <= INT32_MAX;
    if (!fits) return too_many(kernel->program, index->value);
    const int32_t *first = find_numbers(count);
    if (!first)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the numbers of an index");
    *v = (view){.tensor = {TOSAJIT_I32, index->rank, (void *)(uintptr_t)first, dims, NULL},
                .high = empty ? 0 : count * (int64_t)sizeof *first,
                .empty = empty};
    v->tensor.strides = v->strides;
    walk_dense_strides(index->rank, dims, (int64_t)sizeof *first, v->strides);
    return TOSAJIT_OK;
}

tosajit_status index_views(const callee *kernel, view *tensors) {
    const plan *p = kernel->plan;
    view *behind = tensors + kernel->tensor_count + p->result_count + p->scratch_count;
    tosajit_status status = TOSAJIT_OK;
    for (int32_t k = 0; !status && k < p->index_count; k++)
        status = view_index(kernel, &p->indices[k], behind[k].strides, tensors);
    return status;
}

tosajit_status index_check(const tosajit_expr *program, const plan_part *part,
                           const int64_t *sizes) {
    bool fits = true, empty = false;
    int64_t count = 1;
    for (int32_t d = 0; d < part->rank; d++) empty |= sizes[d] == 0;
    for (int32_t d = 0; d < part->rank && !empty; d++)
        if (plan_reduces(part, d))
            fits &= size_multiply(count, sizes[d], &count) && count <= INT32_MAX;
    for (int32_t k = 0; k < part->result_count && !fits; k++)
        if (reduce_is_position(&program->nodes[part->values[k]]))
            return too_many(program, part->values[k]);
    return TOSAJIT_OK;
}
