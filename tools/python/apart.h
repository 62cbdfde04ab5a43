/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands that a result is written over before they are read: copies of them, as NumPy makes. */
#ifndef TOSAJIT_TOOLS_PYTHON_APART_H
#define TOSAJIT_TOOLS_PYTHON_APART_H

#include "tools/python/module.h"

/* The memory of copies, one after another; null: none. */
typedef struct apart_copy apart_copy;

/* Refer to a copy of each operand that lies where a result does. False with an exception, and then
 * what was copied is to be released, too. */
bool apart_take(tosajit_tensor *operands, Py_ssize_t operand_count, const tosajit_tensor *results,
                Py_ssize_t result_count, apart_copy **copies);
void apart_release(apart_copy *copies);

#endif
