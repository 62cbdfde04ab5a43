/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: options. Out: an object that makes kernels. */
#include "tools/python/engine.h"

#include <string.h>

#include "tools/python/compile.h"
#include "tools/python/errors.h"
#include "tools/python/evaluate.h"

static PyObject *compile(PyObject *self, PyObject *text) {
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "compile: the text is a str, not %R",
                     (PyObject *)Py_TYPE(text));
        return NULL;
    }
    PyObject *kernel = compile_text((engine_object *)self, text, NULL, 0);
    if (kernel) ((kernel_object *)kernel)->engine = Py_NewRef(self);
    return kernel;
}

/* A word of a list as its place in it; -1 with an exception. */
static int find_word(module_state *state, const char *what, const char *word,
                     const char *const *words, const char *all) {
    for (int k = 0; words[k]; k++)
        if (!strcmp(word, words[k])) return k;
    errors_say(state, TOSAJIT_INVALID_ARGUMENT, "%s: '%s' is none of %s", what, word, all);
    return -1;
}

static bool set_words(module_state *state, tosajit_engine_options *o, const char *accuracy,
                      const char *backend) {
    static const char *const accuracies[] = {"exact", "fast", NULL};
    static const char *const backends[] = {"auto",       "native",      "interpret",
                                           "background", "precompiled", NULL};
    static const tosajit_backend values[] = {TOSAJIT_BACKEND_AUTO, TOSAJIT_BACKEND_NATIVE,
                                             TOSAJIT_BACKEND_INTERPRET, TOSAJIT_BACKEND_BACKGROUND,
                                             TOSAJIT_BACKEND_PRECOMPILED};
    int a = find_word(state, "accuracy", accuracy, accuracies, "exact, fast");
    if (a < 0) return false;
    int b = find_word(state, "backend", backend, backends,
                      "auto, native, interpret, background, precompiled");
    if (b < 0) return false;
    o->accuracy = (tosajit_accuracy)a;
    o->backend = values[b];
    return true;
}

static PyObject *make(PyTypeObject *type, const tosajit_engine_options *options) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    engine_object *e = (engine_object *)allocate(type, 0); /* filled with 0 */
    if (!e) return NULL;
    e->state = PyType_GetModuleState(type);
    e->remembered = PyDict_New();
    tosajit_status status = tosajit_engine_create(options, &e->engine);
    if (e->remembered && !errors_raise(e->state, status)) return (PyObject *)e;
    Py_DECREF(e);
    return NULL;
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"threads", "accuracy", "cache", "cpu", "backend", "max_bytes", NULL};
    tosajit_engine_options options = {.size = sizeof options};
    Py_ssize_t threads = 1, max_bytes = 0;
    const char *accuracy = "exact", *backend = "auto";
    PyObject *cache = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$nsO&zsn:Engine", names, &threads, &accuracy,
                                     PyUnicode_FSConverter, &cache, &options.cpu, &backend,
                                     &max_bytes))
        return NULL;
    module_state *state = PyType_GetModuleState(type);
    PyObject *engine = NULL;
    if (cache) options.cache_directory = PyBytes_AsString(cache);
    options.threads = (size_t)threads;
    options.max_bytes = (size_t)max_bytes;
    options.any_strides = 1; /* fields of packed records have such, and Python counts bytes */
    if (threads < 1 || max_bytes < 0)
        errors_say(state, TOSAJIT_INVALID_ARGUMENT,
                   "Engine: there is at least one thread, and "
                   "max_bytes is not negative");
    else if (set_words(state, &options, accuracy, backend))
        engine = make(type, &options);
    Py_XDECREF(cache);
    return engine;
}

static void engine_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    engine_object *e = (engine_object *)self;
    Py_XDECREF(e->remembered);
    tosajit_engine *engine = e->engine;
    Py_BEGIN_ALLOW_THREADS /* its threads may take a moment to end */
        tosajit_engine_destroy(engine);
    Py_END_ALLOW_THREADS freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *get_stats(PyObject *self, void *unused) {
    const engine_object *e = (engine_object *)self;
    tosajit_stats s = {.size = sizeof s};
    (void)unused;
    if (errors_raise(e->state, tosajit_engine_stats(e->engine, &s))) return NULL;
    return Py_BuildValue("{sn sn sn sn sn sn}", "kernels", s.kernels, "code_bytes", s.code_bytes,
                         "structure_bytes", s.structure_bytes, "compilations", s.compilations,
                         "hits", s.hits, "restored", s.restored);
}

static PyMethodDef METHODS[] = {
    {"compile", compile, METH_O,
     "compile(text)\n--\n\nA kernel of a text that has the types of its operands:\n"
     "\"y = x * sigmoid(x + b) : f32[?,64], f32[1,64]\"."},
    {"evaluate", MODULE_FUNCTION(evaluate), METH_FASTCALL | METH_KEYWORDS,
     "evaluate(text, /, *, out=None, **operands)\n--\n\nCompute a text with the types that the "
     "arrays have. Kernels are remembered by text and types."},
    {0}};
static PyGetSetDef ATTRIBUTES[] = {
    {"stats", get_stats, NULL, "What its kernels take and what it has done, as a dict.", NULL},
    {0}};

bool engine_type_add(PyObject *module, module_state *state) {
    static PyType_Slot slots[] = {
        {Py_tp_new, engine_new},
        {Py_tp_dealloc, engine_dealloc},
        {Py_tp_methods, METHODS},
        {Py_tp_getset, ATTRIBUTES},
        {Py_tp_doc, "Engine(*, threads=1, accuracy='exact', cache=None, cpu=None, backend='auto', "
                    "max_bytes=0)\n--\n\nCompiles and owns kernels. cache is a "
                    "directory for their code."},
        {0, NULL}};
    static PyType_Spec spec = {"tosajit.Engine", sizeof(engine_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
    state->engine = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->engine && !PyModule_AddType(module, state->engine);
}
