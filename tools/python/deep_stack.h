/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stacks of threads. Nothing here asks Python. */
#ifndef TOSAJIT_TOOLS_PYTHON_DEEP_STACK_H
#define TOSAJIT_TOOLS_PYTHON_DEEP_STACK_H

#include <stddef.h>

/* Where the calling thread's stack ends, which grows downward; null: that is not known. */
const char *deep_stack_end(void);

/* Have work done on a new stack of so many bytes, and wait. If there can be none, nothing is done.
 */
void deep_stack_run(size_t size, void (*work)(void *data), void *data);

#endif
