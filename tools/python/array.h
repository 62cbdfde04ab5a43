/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit.Array: results, where the operands are no NumPy arrays. It has the buffer protocol and
 * DLPack, so others take it without a copy. */
#ifndef TOSAJIT_TOOLS_PYTHON_ARRAY_H
#define TOSAJIT_TOOLS_PYTHON_ARRAY_H

#include "tools/python/array_memory.h"
#include "tools/python/module.h"

typedef struct array_object {
    PyObject_HEAD array_memory *memory;
    tosajit_type element;
    int32_t rank;
    Py_ssize_t bytes;
    Py_ssize_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK]; /* dense; in bytes */
} array_object;

/* An array of undefined elements. Null with an exception. */
PyObject *array_object_make(module_state *state, tosajit_type element, int32_t rank,
                            const int64_t *dims);

#endif
