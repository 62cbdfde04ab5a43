/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Iteration space: the sizes that the operands of a call give. SHAPE_MISMATCH names operands,
 * dimensions and sizes. */
#ifndef TOSAJIT_RUNTIME_CHECK_ITERATION_SPACE_H
#define TOSAJIT_RUNTIME_CHECK_ITERATION_SPACE_H

#include "runtime/check/overlap.h"

/* The size to which a dimension of the tensors in `set`, counted from the end, broadcasts; to the
 * static size `fixed`, unless that is TOSAJIT_DYNAMIC. */
tosajit_status run_broadcast_size(const view *tensors, uint64_t set, int32_t from_end,
                                  int64_t fixed, int64_t *size);

/* The sizes of a part's iteration space. */
tosajit_status run_iteration_space(const plan_part *part, const view *tensors, int64_t *sizes);

/* The sizes of result k of a part whose iteration space has these sizes. */
tosajit_status run_result_sizes(const plan_part *part, int32_t k, const view *tensors,
                                const int64_t *sizes, int64_t *own);

#endif
