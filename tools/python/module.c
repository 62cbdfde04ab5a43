/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The module tosajit._tosajit: types, exceptions, and what is the process's. */
#include "tools/python/module.h"

#include "tools/python/deep.h"
#include "tools/python/errors.h"
#include "tools/python/exchange.h"
#include "tools/python/function.h"
#include "tools/python/graph.h"
#include "tools/python/help.h"
#include "tools/python/load.h"
#include "tools/python/numpy.h"
#include "tools/python/region.h"
#include "tools/python/space.h"
#include "tosajit/graph.h"

/* A subinterpreter may end, and call this, long before the process does. */
static PyObject *quiesce(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) return Py_NewRef(Py_None);
    Py_BEGIN_ALLOW_THREADS tosajit_quiesce();
    Py_END_ALLOW_THREADS return Py_NewRef(Py_None);
}

static PyMethodDef METHODS[] = {
    {"quiesce", quiesce, METH_NOARGS,
     "Let no compilation begin any more, and return when none is under way. For the end of the "
     "process: a subinterpreter's call does nothing."},
    {"partition", MODULE_FUNCTION(graph_partition), METH_VARARGS | METH_KEYWORDS,
     "tosajit_partition, of buffers by the names of its members."},
    {"load", kernel_load, METH_O, HELP_LOAD},
    {0}};

static int execute(PyObject *module) {
    module_state *state = PyModule_GetState(module);
    deep_prepare();
    bool added = errors_add(module, state) && array_type_add(module, state) &&
                 kernel_type_add(module, state) && engine_type_add(module, state) &&
                 region_type_add(module, state) && function_type_add(module) &&
                 exchange_prepare(state) &&
                 !PyModule_AddStringConstant(module, "__version__", tosajit_version());
    return added ? 0 : -1;
}

static int clear(PyObject *module) {
    module_state *state = PyModule_GetState(module);
    for (int k = 0; k < MODULE_ERROR_COUNT; k++) Py_CLEAR(state->errors[k]);
    Py_CLEAR(state->array);
    Py_CLEAR(state->kernel);
    Py_CLEAR(state->engine);
    numpy_forget(&state->numpy);
    exchange_forget(state);
    space_forget(state);
    return 0;
}
static void release(void *module) { clear(module); }

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, execute}, {0, NULL}};
static struct PyModuleDef DEFINITION = {PyModuleDef_HEAD_INIT,
                                        .m_name = "tosajit._tosajit",
                                        .m_doc = "What tosajit/__init__.py offers.",
                                        .m_size = sizeof(module_state),
                                        .m_methods = METHODS,
                                        .m_slots = SLOTS,
                                        .m_free = release};

TOSAJIT_API PyObject *PyInit__tosajit(void);
TOSAJIT_API PyObject *PyInit__tosajit(void) { return PyModuleDef_Init(&DEFINITION); }
