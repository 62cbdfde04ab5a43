/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recurring: calls of large tensors that come often with the same sizes are given a kernel for
 * exactly these, if the kernel's owner makes any (kernel_owner in kernel.h). Static code decides
 * nothing in a call, and stores large results past the caches. */
#ifndef TOSAJIT_RUNTIME_RUN_RECURRING_H
#define TOSAJIT_RUNTIME_RUN_RECURRING_H

#include "runtime/run/kernel.h"

typedef struct recurring {
    int64_t elements;                  /* of such a call; 0: it stays with the kernel that it has */
    _Atomic int64_t left;              /* elements until a kernel is asked for; below 0: it was */
    _Atomic(tosajit_kernel *) special; /* owned; null: not made, or not yet */
} recurring;

/* Whether calls of so many elements may be given another kernel. */
bool recurring_serves(const tosajit_kernel *kernel, int64_t elements);

/* Begin to count them. */
void recurring_begin(recurring *r, const tosajit_kernel *kernel, int64_t elements);

/* One more call, of operands of this kernel: what runs it instead, which is r's; null: nothing. */
tosajit_kernel *recurring_count(recurring *r, const tosajit_kernel *kernel,
                                const tosajit_tensor *operands);

/* No job of the kernel's owner is under way. */
void recurring_end(recurring *r);

#endif
