/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call of a kernel: operands are there as views, results are made, or are the caller's. */
#ifndef TOSAJIT_TOOLS_PYTHON_CALL_H
#define TOSAJIT_TOOLS_PYTHON_CALL_H

#include "tools/python/engine.h"
#include "tools/python/view.h"

/* Arguments of a caller: objects in the order of the kernel's operands. */
typedef struct call_given {
    PyObject *objects[TOSAJIT_MAX_TENSORS]; /* borrowed */
    PyObject *out;                          /* null or None: results are made */
} call_given;

/* Take the views of a kernel's operands. False with an exception, and none is held. */
bool call_take(const kernel_object *k, const call_given *given, view *views);
/* Compute. A new reference to the result, or a tuple of several; null with an exception. The views
 * stay the caller's to release. e: the engine that the kernel is of; null: none. */
PyObject *call_run(engine_object *e, kernel_object *k, const call_given *given, const view *views);
void call_release(view *views, Py_ssize_t count);

#endif
