/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text, and types. Out: a Python object, which calls the kernel. */
#include "tools/python/compile.h"
#include "tools/python/errors.h"

static void note(const engine_object *e, const compile_given *given, bool quick, size_t reductions,
                 kernel_object *k) {
    const tosajit_backend backend = e->options.backend;
    k->quick = quick;
    k->drops = given->drop_axes;
    k->reductions = reductions;
    k->compiles = !quick && !given->apart && backend != TOSAJIT_BACKEND_INTERPRET &&
                  backend != TOSAJIT_BACKEND_PRECOMPILED;
    k->text = Py_NewRef(given->text);
}

PyObject *compile_text(engine_object *e, const compile_given *given) {
    engine_made *made = PyUnicode_AsUTF8AndSize(given->text, NULL) ? engine_use(e) : NULL;
    if (!made) return NULL;
    const bool quick = given->quick && made->quick;
    tosajit_engine *engine =
        quick ? made->quick : engine_made_compiling(e->state, made, &e->options);
    tosajit_kernel *kernel = NULL;
    if (!engine) {
        engine_made_leave(made);
        return NULL;
    }
    size_t reductions = 0;
    tosajit_status status = compile_kernel(engine, given, &kernel, quick ? NULL : &reductions);
    if (status == TOSAJIT_LIMIT_EXCEEDED) {
        engine_make_room(e);
        status = compile_kernel(engine, given, &kernel, quick ? NULL : &reductions);
    }
    if (!status && !quick) engine_note(e, kernel);
    PyObject *made_kernel = errors_raise(e->state, status) ? NULL : kernel_make(e->state, kernel);
    engine_made_leave(made);
    if (made_kernel) note(e, given, quick, reductions, (kernel_object *)made_kernel);
    return made_kernel;
}
