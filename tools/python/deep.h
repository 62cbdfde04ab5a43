/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Python's reader of texts, and ours, nest as deeply as a text does, where a caller may have little
 * stack left, and little of Python's limit of recursion. */
#ifndef TOSAJIT_TOOLS_PYTHON_DEEP_H
#define TOSAJIT_TOOLS_PYTHON_DEEP_H

#include "tools/python/module.h"

/* Find out where this thread's stack ends, for which the system writes down all that the process
 * has in memory: at the import, so that no first result waits for it. */
void deep_prepare(void);

/* Have work done, which may leave an exception: here if there is room, else on a stack of our own.
 * It may be done twice. Where the system gives no thread, it is done on the caller's stack.
 * Python's lock is held. */
void deep_call(module_state *state, void (*work)(void *data), void *data);

#endif
