/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* _tosajit.Function: what tosajit/_jit.py has made of a function, found again by the operands. */
#ifndef TOSAJIT_TOOLS_PYTHON_FUNCTION_H
#define TOSAJIT_TOOLS_PYTHON_FUNCTION_H

#include "tools/python/module.h"

/* Adds the type to the module. */
bool function_type_add(PyObject *module);

#endif
