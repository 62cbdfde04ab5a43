/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels out of images. */
#ifndef TOSAJIT_TOOLS_PYTHON_LOAD_H
#define TOSAJIT_TOOLS_PYTHON_LOAD_H

#include "tools/python/module.h"

/* load(image): a function of the module. A path, or what has the buffer protocol. */
PyObject *kernel_load(PyObject *module, PyObject *image);

#endif
