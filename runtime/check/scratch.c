/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/check/scratch.h"

#include "runtime/base/diag.h"
#include "runtime/base/types.h"
#include "runtime/check/iteration_space.h"

enum { LINE = 64 /* bytes; values begin there */ };

/* The part that computes a scratch value, and as which of its results. */
static const plan_part *writer_of(const callee *kernel, int32_t result, int32_t *index) {
    for (int32_t p = 0; p < kernel->plan->part_count; p++)
        for (int32_t k = 0; k < kernel->plan->parts[p].result_count; k++)
            if (kernel->plan->parts[p].results[k] == result) {
                *index = p;
                return &kernel->plan->parts[p];
            }
    return NULL;
}

/* A result of a part, of these sizes. */
static tosajit_status place_scratch(const plan_part *part, int32_t rank, const int64_t *limits,
                                    int64_t *dims, int64_t element, int64_t *bytes) {
    *bytes = element;
    for (int32_t d = 0; d < part->rank; d++) {
        const int64_t most = limits ? limits[d + rank - part->rank] : dims[d];
        if (dims[d] > most) dims[d] = most;
        if (!size_multiply(*bytes, dims[d], bytes))
            return diag_error(TOSAJIT_OVERFLOW, "scratch has more than 2^63 - 1 bytes");
    }
    *bytes = (*bytes + LINE - 1) / LINE * LINE;
    return TOSAJIT_OK;
}

/* True if a value is among those that are placed, which part p writes. */
static bool is_chosen(const callee *kernel, const scratch *s, int32_t result, int32_t p) {
    const bool whole = kernel->plan->whole >> result & 1;
    return s->choice == SCRATCH_ALL     ? true
           : s->choice == SCRATCH_WHOLE ? whole
                                        : !whole && p >= s->begin && p < s->end;
}

tosajit_status scratch_make(const callee *kernel, view *tensors, int32_t rank,
                            const int64_t *limits, scratch *s) {
    const int32_t first = s->results ? 0 : kernel->plan->result_count,
                  end = kernel->plan->result_count + kernel->plan->scratch_count;
    s->bytes = 0;
    for (int32_t k = 0; k < end - first; k++) {
        const int32_t result = first + k;
        int64_t sizes[TOSAJIT_MAX_RANK], bytes;
        int32_t p = -1;
        const plan_part *part = writer_of(kernel, result, &p);
        if (!is_chosen(kernel, s, result, p)) continue;
        tosajit_status status = run_iteration_space(part, tensors, sizes);
        int32_t own = 0;
        while (part->results[own] != result) own++;
        const tosajit_type element = kernel->program->nodes[part->values[own]].type.element;
        if (!status) status = run_result_sizes(part, own, tensors, sizes, s->values[k].dims);
        if (!status)
            status = place_scratch(part, rank, limits, s->values[k].dims,
                                   (int64_t)tosajit_type_size(element), &bytes);
        if (status) return status;
        view *v = &tensors[kernel->tensor_count + result];
        *v = (view){.tensor = {element, part->rank, NULL, s->values[k].dims, NULL}};
        v->tensor.strides = v->strides;
        walk_dense_strides(part->rank, s->values[k].dims, (int64_t)tosajit_type_size(element),
                           v->strides);
        s->values[k].offset = s->bytes;
        s->bytes += bytes;
    }
    return TOSAJIT_OK;
}

/* Without memory they are offsets, as numbers: C adds none to a null pointer. */
void scratch_place(const callee *kernel, view *tensors, const scratch *s, char *memory) {
    const int32_t first = s->results ? 0 : kernel->plan->result_count,
                  end = kernel->plan->result_count + kernel->plan->scratch_count;
    int32_t p = -1;
    for (int32_t k = 0; k < end - first; k++)
        if (writer_of(kernel, first + k, &p) && is_chosen(kernel, s, first + k, p))
            tensors[kernel->tensor_count + first + k].tensor.data =
                (void *)((uintptr_t)memory + (uintptr_t)s->values[k].offset);
}
