/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stack of our own: Python's reader of texts, and ours, nest as deeply as a text does, where a
 * caller may have little stack left, and little of Python's limit of recursion. */
#ifndef TOSAJIT_TOOLS_PYTHON_DEEP_H
#define TOSAJIT_TOOLS_PYTHON_DEEP_H

#include "tools/python/module.h"

/* Have work done, which may leave an exception. Where the system gives no thread, it is done on the
 * caller's stack. Python's lock is held, there as here. */
void deep_call(void (*work)(void *data), void *data);

#endif
