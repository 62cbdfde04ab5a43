/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/python/request.h"

#include "tools/python/errors.h"

bool request_refuse(module_state *state, const request *r, tosajit_status status,
                    const char *format, PyObject *detail) {
    PyObject *what = PyUnicode_FromFormat(format, detail);
    if (what && r->name)
        errors_say(state, status, "%s %U: %U", r->role, r->name, what);
    else if (what)
        errors_say(state, status, "%s: %U", r->role, what);
    Py_XDECREF(what);
    return false;
}
