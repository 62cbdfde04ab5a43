/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts as kernels. */
#ifndef TOSAJIT_TOOLS_PYTHON_COMPILE_H
#define TOSAJIT_TOOLS_PYTHON_COMPILE_H

#include "tools/python/engine.h"

/* Compile a text; a kernel_object. types are those of operands to which the text gives none. Null
 * with an exception. */
PyObject *compile_text(const engine_object *e, PyObject *text, const tosajit_named_type *types,
                       size_t type_count);

#endif
