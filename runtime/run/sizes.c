/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sizes: what the results of a call have, for hosts that allocate them. In: the operands' shapes;
 * out: the sizes that a run with these operands insists on. */
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/check/iteration_space.h"
#include "runtime/run/run.h"
#include "runtime/check/viewed.h"

static tosajit_status sizes_through_views(const tosajit_kernel *kernel,
                                          const tosajit_tensor *operands, size_t operand_count,
                                          tosajit_tensor *results,
                                          int64_t (*dims)[TOSAJIT_MAX_RANK]) {
    const size_t count = tosajit_kernel_result_count(kernel);
    int64_t own[count][TOSAJIT_MAX_RANK]; /* there is one at least */
    const callee called = kernel_callee(kernel);
    tosajit_status status = viewed_results(&called, operands, operand_count, own);
    for (size_t r = 0; !status && r < count; r++) {
        const tosajit_tensor_type type = tosajit_kernel_result_type(kernel, r);
        memcpy(dims[r], own[r], (size_t)type.rank * sizeof *dims[r]);
        results[r] = tosajit_dense(type.element, NULL, type.rank, dims[r]);
    }
    return status;
}

tosajit_status tosajit_kernel_results(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                      size_t operand_count, tosajit_tensor *results,
                                      size_t result_count, int64_t (*dims)[TOSAJIT_MAX_RANK]) {
    if (!kernel || (operand_count && !operands) || !results || !dims)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "sizes of results: kernel, operands, results or dims is a null pointer");
    const tosajit_expr *program = kernel_source(kernel);
    if (result_count != (size_t)program->result_count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "the kernel has %d results, not %zu",
                          (int)program->result_count, result_count);
    if (kernel->views) return sizes_through_views(kernel, operands, operand_count, results, dims);
    view tensors[kernel_view_count(kernel)];
    tosajit_status status = run_check_operands(kernel, operands, operand_count, tensors);
    for (int32_t p = 0; !status && p < kernel->plan.part_count; p++) {
        const plan_part *part = &kernel->plan.parts[p];
        int64_t sizes[TOSAJIT_MAX_RANK];
        status = run_iteration_space(part, tensors, sizes);
        for (int32_t k = 0; !status && k < part->result_count; k++) {
            const int32_t r = part->results[k];
            if (r >= program->result_count || part->values[k] != program->results[r]) continue;
            const tosajit_type element = program->nodes[program->results[r]].type.element;
            status = run_result_sizes(part, k, tensors, sizes, dims[r]);
            results[r] = tosajit_dense(element, NULL, part->rank, dims[r]);
        }
    }
    return status;
}

tosajit_status tosajit_kernel_result_dims(const tosajit_kernel *kernel,
                                          const tosajit_tensor *operands, size_t operand_count,
                                          size_t index, int32_t *rank, int64_t *dims) {
    const size_t count = tosajit_kernel_result_count(kernel), room = count ? count : 1;
    tosajit_tensor results[room];
    int64_t all[room][TOSAJIT_MAX_RANK];
    if (kernel && index >= count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "there is no result %zu; the kernel has %zu",
                          index, count);
    tosajit_status status =
        tosajit_kernel_results(kernel, operands, operand_count, dims ? results : NULL, count, all);
    if (status) return status;
    if (rank) *rank = results[index].rank;
    memcpy(dims, all[index], (size_t)results[index].rank * sizeof *dims);
    return TOSAJIT_OK;
}
