/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quick calls: the call that engines make again and again, dense tensors of the sizes that the
 * kernel expects, recognised and run without the machinery of the complete check. Whatever is
 * unusual or wrong is left to that check, which knows what to say. */
#ifndef TOSAJIT_RUNTIME_RUN_QUICK_H
#define TOSAJIT_RUNTIME_RUN_QUICK_H

#include "runtime/run/kernel.h"

/* Find out what of a kernel's calls can be quick, for its member; null if nothing. OUT_OF_MEMORY.
 */
tosajit_status quick_make(const tosajit_kernel *kernel, quick **q);
void quick_destroy(const tosajit_allocator *allocator, quick *q);

/* Run if everything is as expected; false, and nothing done, if not. */
bool quick_run(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands,
               const tosajit_tensor *results);

/* Whether everything is as expected, but for where the tensors' memory lies. */
bool quick_expects(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                   const tosajit_tensor *results);

#endif
