/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Run: the steps of a run for those who look at them. */
#ifndef TOSAJIT_RUNTIME_RUN_RUN_H
#define TOSAJIT_RUNTIME_RUN_RUN_H

#include "runtime/run/overlap.h"
#include "runtime/run/tile.h"

/* The operands of a call and the kernel's constants as views, and what can be wrong with them but
 * for their memory, which may be null. */
tosajit_status run_check_operands(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                  size_t operand_count, view *tensors);

/* The sizes of a part's iteration space, which its results have: `a == 1 ? b : a` over the leaves,
 * with static sizes fixed beforehand. */
tosajit_status run_iteration_space(const plan_part *part, const view *tensors, int64_t *sizes);

/* The same of a call; tensors and written receive what it is about. */
tosajit_status run_check(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                         size_t operand_count, const tosajit_tensor *results, size_t result_count,
                         view *tensors, view *written);

#endif
