/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Engine.evaluate: a text and arrays by name. */
#ifndef TOSAJIT_TOOLS_PYTHON_EVALUATE_H
#define TOSAJIT_TOOLS_PYTHON_EVALUATE_H

#include "tools/python/engine.h"

/* evaluate(text, *, out=None, **operands): a method of Engine, METH_FASTCALL | METH_KEYWORDS. */
PyObject *evaluate(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);

#endif
