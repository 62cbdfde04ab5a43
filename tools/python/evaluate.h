/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Engine.evaluate: a text and arrays by name. */
#ifndef TOSAJIT_TOOLS_PYTHON_EVALUATE_H
#define TOSAJIT_TOOLS_PYTHON_EVALUATE_H

#include "tools/python/engine.h"

/* Methods of Engine, METH_FASTCALL | METH_KEYWORDS.
 * evaluate(text, local_dict=None, global_dict=None, out=None, order='K', casting='same_kind',
 *          **operands); re_evaluate is the same with the text of the last evaluate. */
PyObject *evaluate(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *re_evaluate(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);

#endif
