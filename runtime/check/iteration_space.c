/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/check/iteration_space.h"

#include <inttypes.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"

/* The type of a tensor of the call, for messages. */
static type_text print_dims(const tosajit_tensor *tensor) {
    tosajit_tensor_type type = tosajit_ranked(tensor->element, tensor->rank, tensor->dims);
    return type_print(&type);
}

/* Tensor t has another size than the tensor `other`; below 0: than a static size. */
static tosajit_status size_mismatch(const view *tensors, int32_t t, int32_t other, int32_t from_end,
                                    int64_t expected) {
    const tosajit_tensor *tensor = &tensors[t].tensor,
                         *set = &tensors[other < 0 ? t : other].tensor;
    const int32_t d = tensor->rank - from_end;
    if (other < 0)
        return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                       "operand %d dimension %d: size %" PRId64
                                       " does not broadcast with the static size %" PRId64 " (%s)",
                                       (int)t, (int)d, tensor->dims[d], expected,
                                       print_dims(tensor).text),
                            t, d, tensor->dims[d], expected);
    return diag_operand(
        diag_error(TOSAJIT_SHAPE_MISMATCH,
                   "operand %d dimension %d: size %" PRId64 " does not broadcast with %" PRId64
                   " of operand %d dimension %d (%s and %s); the sizes must be equal, or one of "
                   "them 1",
                   (int)t, (int)d, tensor->dims[d], expected, (int)other,
                   (int)(set->rank - from_end), print_dims(tensor).text, print_dims(set).text),
        t, d, tensor->dims[d], expected);
}

tosajit_status run_broadcast_size(const view *tensors, uint64_t set, int32_t from_end,
                                  int64_t fixed, int64_t *size) {
    int32_t by = -1;
    *size = fixed == TOSAJIT_DYNAMIC ? 1 : fixed;
    for (int32_t t = 0; set; t++, set >>= 1) {
        const tosajit_tensor *tensor = &tensors[t].tensor;
        if (!(set & 1) || tensor->rank < from_end) continue;
        const int64_t own = tensor->dims[tensor->rank - from_end];
        if (own == *size || own == 1) continue;
        if (*size != 1 || fixed == 1) return size_mismatch(tensors, t, by, from_end, *size);
        *size = own;
        by = t;
    }
    return TOSAJIT_OK;
}

tosajit_status run_result_sizes(const plan_part *part, int32_t k, const view *tensors,
                                const int64_t *sizes, int64_t *own) {
    plan_result_sizes(part, k, sizes, own);
    return part->scatters ? run_broadcast_size(tensors, part->scattered, part->rank,
                                               part->scattered_size, &own[0])
                          : TOSAJIT_OK;
}

tosajit_status run_iteration_space(const plan_part *part, const view *tensors, int64_t *sizes) {
    tosajit_status status = TOSAJIT_OK;
    for (int32_t d = 0; !status && d < part->rank; d++)
        status = run_broadcast_size(tensors, part->dynamic[d], part->rank - d, part->extents[d],
                                    &sizes[d]);
    return status;
}
