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

/* What can be wrong with a call but for its memory. tensors has room for 2 * TOSAJIT_MAX_TENSORS,
 * and receives what the call is about: operands, constants, and behind these the results, and then
 * room for scratch. */
tosajit_status run_check(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                         size_t operand_count, const tosajit_tensor *results, size_t result_count,
                         view *tensors);

/* Whether all results of such a call are empty. Then parts may have any sizes, and are not gone
 * through. */
bool run_writes_nothing(const tosajit_kernel *kernel, const view *tensors);

#endif
