/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Run: the steps of a run for those who look at them. */
#ifndef TOSAJIT_RUNTIME_RUN_RUN_H
#define TOSAJIT_RUNTIME_RUN_RUN_H

#include "runtime/run/kernel.h"
#include "runtime/check/overlap.h"
#include "runtime/tile/tile.h"
#include "runtime/check/viewed.h"

/* A call that somebody made. */
typedef struct run_call {
    const tosajit_tensor *operands, *results;
    size_t operand_count, result_count;
    const tosajit_parallel *parallel; /* its threads */
} run_call;

/* The operands of a call and the kernel's constants as views, and what can be wrong with them but
 * for their memory, which may be null. */
tosajit_status run_check_operands(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                  size_t operand_count, view *tensors);

/* Check a call, but not its memory. tensors has room for 2 * TOSAJIT_MAX_TENSORS. It receives the
 * program's operands, its constants, its results, and then room for scratch. For a kernel with
 * views v receives how they are seen. */
tosajit_status run_check(const tosajit_kernel *kernel, const run_call *c, viewed *v, view *tensors);

/* True if all results of such a call are empty. Then parts may have any sizes, and are not gone
 * through. */
bool run_writes_nothing(const tosajit_kernel *kernel, const view *tensors);

#endif
