/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tensors of array libraries without the buffer protocol, PyTorch's for instance. */
#ifndef TOSAJIT_TOOLS_PYTHON_VIEW_DLPACK_H
#define TOSAJIT_TOOLS_PYTHON_VIEW_DLPACK_H

#include "tools/python/view.h"

bool view_take_dlpack(module_state *state, view *v, PyObject *object, const request *r);
void view_release_dlpack(view *v);

#endif
