/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text, and types. Out: a kernel, compiled without Python's lock. */
#include "tools/python/compile.h"

#include "tools/python/errors.h"

PyObject *compile_text(const engine_object *e, PyObject *text, const tosajit_named_type *types,
                       size_t type_count) {
    Py_ssize_t length = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (!bytes) return NULL;
    tosajit_parse_options options = {.size = sizeof options};
    options.types = types;
    options.type_count = type_count;
    tosajit_expr *expr = NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_status status = tosajit_expr_parse(bytes, (size_t)length, &options, &expr);
    Py_BEGIN_ALLOW_THREADS if (!status) status = tosajit_compile_expr(e->engine, expr, &kernel);
    tosajit_expr_destroy(expr);
    Py_END_ALLOW_THREADS return errors_raise(e->state, status) ? NULL
                                                               : kernel_make(e->state, kernel);
}
