/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which dimension of a new result is the innermost: NumPy's order K, that of the operands. */
#ifndef TOSAJIT_TOOLS_PYTHON_LAYOUT_H
#define TOSAJIT_TOOLS_PYTHON_LAYOUT_H

#include "tools/python/module.h"

/* Strides of a dense result, by the steps that tosajit/_orders.py has written for it, as bytes.
 * False: it has C's order. */
bool layout_strides(PyObject *steps, const tosajit_tensor *operands, Py_ssize_t count,
                    const tosajit_tensor *result, int64_t strides[TOSAJIT_MAX_RANK]);

#endif
