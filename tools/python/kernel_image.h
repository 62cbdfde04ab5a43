/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels as images, for other processes. */
#ifndef TOSAJIT_TOOLS_PYTHON_KERNEL_IMAGE_H
#define TOSAJIT_TOOLS_PYTHON_KERNEL_IMAGE_H

#include "tools/python/kernel.h"

/* Methods of Kernel. */
PyObject *kernel_save(PyObject *self, PyObject *path);
PyObject *kernel_to_bytes(PyObject *self, PyObject *unused);

#endif
