/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recurring: sizes that come often, for an engine that specialises. In: a kernel of it, and a call.
 * Out: the kernel, as it is after many such calls. */
#ifndef TOSAJIT_BENCH_RECURRING_H
#define TOSAJIT_BENCH_RECURRING_H

#include "tosajit/tosajit.h"

/* Make the call until the engine has a kernel for its sizes, or does not seem to want one. */
tosajit_status recur(tosajit_engine *engine, tosajit_kernel *kernel, const tosajit_tensor *operands,
                     size_t operand_count, const tosajit_tensor *result);

#endif
