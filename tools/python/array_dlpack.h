/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays as capsules of DLPack. */
#ifndef TOSAJIT_TOOLS_PYTHON_ARRAY_DLPACK_H
#define TOSAJIT_TOOLS_PYTHON_ARRAY_DLPACK_H

#include "tools/python/array.h"

/* __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) */
PyObject *array_dlpack(PyObject *self, PyObject *args, PyObject *keywords);

#endif
