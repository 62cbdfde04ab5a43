/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays of libraries that take results by DLPack, as jax's are. */
#ifndef TOSAJIT_TOOLS_PYTHON_SPACE_H
#define TOSAJIT_TOOLS_PYTHON_SPACE_H

#include "tools/python/module.h"

/* True if an object's library has a namespace of the Array API standard. */
bool space_has(module_state *state, PyObject *object);
/* A tuple of tosajit.Array as arrays of the library of `owner`, which takes them over. It takes
 * over the tuple, too. Null with an exception. */
PyObject *space_give(module_state *state, PyObject *owner, PyObject *results);
void space_forget(module_state *state);

#endif
