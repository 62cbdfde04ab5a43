/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit._tosajit.Region: a kernel amid a host's graph. Tensors of a library with functions in C
 * come in and go out, without Python between. */
#ifndef TOSAJIT_TOOLS_PYTHON_REGION_H
#define TOSAJIT_TOOLS_PYTHON_REGION_H

#include "tools/python/module.h"

bool region_type_add(PyObject *module, module_state *state);

#endif
