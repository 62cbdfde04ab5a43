/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types whose tensors are exchanged by functions in C, PyTorch's for instance. */
#ifndef TOSAJIT_TOOLS_PYTHON_EXCHANGE_H
#define TOSAJIT_TOOLS_PYTHON_EXCHANGE_H

#include "tools/python/dlpack.h"
#include "tools/python/module.h"

/* The functions of an object's type; null, without an exception, if it has none that this knows. */
const dlpack_exchange *exchange_of(module_state *state, PyObject *object);
/* Takes memory that an object shows. The object keeps the memory. False, without an exception: it
 * has to be asked by __dlpack__, which also says why it refuses. */
bool exchange_show(module_state *state, PyObject *object, bool writable, dlpack_tensor *seen);
/* True if an object's memory has its numbers without their sign, which a bit of PyTorch's says
 * (z.conj().imag); and the same object with memory that has it. Null with an exception. */
bool exchange_is_negative(module_state *state, PyObject *object);
PyObject *exchange_resolve(const module_state *state, PyObject *object);
/* Memory of a new tensor of that type, as `tensor` describes it, and the object, which takes it
 * over. Null with an exception. */
dlpack_versioned *exchange_make(const dlpack_exchange *api, const tosajit_tensor *tensor);
PyObject *exchange_wrap(const dlpack_exchange *api, dlpack_versioned *made);
bool exchange_prepare(module_state *state);
void exchange_forget(module_state *state);

#endif
