/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Demands of a kernel of NumPy's manners on a call, beyond types: numbers as what they are used as,
 * and elements that raise. */
#ifndef TOSAJIT_TOOLS_PYTHON_GUARD_H
#define TOSAJIT_TOOLS_PYTHON_GUARD_H

#include "tools/python/call.h"

/* True if it takes its type from what it meets. */
static inline bool guard_is_loose(PyObject *object) {
    return view_is_number(object) || PyBool_Check(object);
}

/* Numbers and bools again, as what the kernel takes them for. False with an exception. */
bool guard_take_loose(const kernel_object *k, const call_given *g, view *views);
/* False with an exception, where the kernel has a guard (kernel.h) that says so. */
bool guard_passes(const kernel_object *k, const view *views);

#endif
