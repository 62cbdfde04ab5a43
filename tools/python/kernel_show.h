/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words of a kernel about itself. Methods and attributes of Kernel. */
#ifndef TOSAJIT_TOOLS_PYTHON_KERNEL_SHOW_H
#define TOSAJIT_TOOLS_PYTHON_KERNEL_SHOW_H

#include "tools/python/kernel.h"

PyObject *kernel_repr(PyObject *self);
/* plan(view="text"): of a kernel that was compiled here. */
PyObject *kernel_plan(PyObject *self, PyObject *args, PyObject *keywords);
/* For notebooks: its text, the drawing of its plan, and its loops. */
PyObject *kernel_html(PyObject *self, PyObject *unused);
/* An inspect.Signature. */
PyObject *kernel_signature(PyObject *self, void *unused);
/* "compiled", "precompiled" or "interpreted": who computes now. */
PyObject *kernel_computes(PyObject *self, void *unused);

#endif
