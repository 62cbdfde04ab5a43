/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text, and types. Out: a kernel, compiled without Python's lock. */
#include "tools/python/compile.h"

#include "tools/python/errors.h"
#include "tosajit/graph.h"

/* Dimensions that do not repeat need no decision at each call. Operands that a text declares in
 * front are its first values. */
static tosajit_status promise(tosajit_expr *expr, const compile_given *given) {
    const tosajit_contract several = {.smallest = 2};
    for (tosajit_value v = 0; v < given->apart_count; v++) {
        tosajit_tensor_type type;
        tosajit_status status = tosajit_expr_type(expr, v, &type);
        for (int32_t d = 0; !status && d < type.rank; d++)
            if (given->apart >> d & 1 && type.dims[d] == TOSAJIT_DYNAMIC)
                status = tosajit_expr_contract(expr, v, d, &several);
        if (status) return status;
    }
    return TOSAJIT_OK;
}

static tosajit_status compile(tosajit_engine *engine, const char *bytes, size_t length,
                              const compile_given *given, tosajit_kernel **kernel) {
    tosajit_parse_options options = {.size = sizeof options};
    options.types = given->types;
    options.type_count = given->type_count;
    options.drop_axes = given->drop_axes;
    tosajit_expr *expr = NULL;
    tosajit_status status = tosajit_expr_parse(bytes, length, &options, &expr);
    if (!status) status = promise(expr, given);
    Py_BEGIN_ALLOW_THREADS if (!status) status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    Py_END_ALLOW_THREADS return status;
}

PyObject *compile_text(engine_object *e, const compile_given *given) {
    Py_ssize_t length = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(given->text, &length);
    engine_made *made = bytes ? engine_use(e) : NULL;
    if (!made) return NULL;
    const bool quick = given->quick && made->quick;
    tosajit_engine *engine =
        quick ? made->quick : engine_made_compiling(e->state, made, &e->options);
    tosajit_kernel *kernel = NULL;
    if (!engine) {
        engine_made_leave(made);
        return NULL;
    }
    tosajit_status status = compile(engine, bytes, (size_t)length, given, &kernel);
    if (status == TOSAJIT_LIMIT_EXCEEDED) {
        engine_make_room(e);
        status = compile(engine, bytes, (size_t)length, given, &kernel);
    }
    if (!status && !quick) engine_note(e, kernel);
    PyObject *made_kernel = errors_raise(e->state, status) ? NULL : kernel_make(e->state, kernel);
    engine_made_leave(made);
    if (made_kernel && quick) ((kernel_object *)made_kernel)->quick = true;
    return made_kernel;
}
