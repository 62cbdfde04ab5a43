/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: options. Out: an object that makes kernels. */
#include "tools/python/engine.h"

#include <string.h>

#include "tools/python/compile.h"
#include "tools/python/errors.h"
#include "tools/python/evaluate.h"
#include "tools/python/help.h"
#include "tosajit/inspect.h"

static PyObject *compile_as(PyObject *self, PyObject *text, bool quick) {
    const compile_given given = {.text = text, .quick = quick};
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "compile: the text is a str, not %R",
                     (PyObject *)Py_TYPE(text));
        return NULL;
    }
    PyObject *kernel = compile_text((engine_object *)self, &given);
    if (!kernel) return NULL;
    ((kernel_object *)kernel)->engine = Py_NewRef(self);
    return kernel;
}

static PyObject *compile(PyObject *self, PyObject *text) { return compile_as(self, text, false); }

static PyObject *compile_quickly(PyObject *self, PyObject *text) {
    return compile_as(self, text, true);
}

/* A word of a list as its place in it; -1 with an exception. */
static int find_word(module_state *state, const char *what, const char *word,
                     const char *const *words, const char *all) {
    for (int k = 0; words[k]; k++)
        if (!strcmp(word, words[k])) return k;
    errors_say(state, TOSAJIT_INVALID_ARGUMENT, "%s: '%s' is none of %s", what, word, all);
    return -1;
}

static const char *const ACCURACIES[] = {"exact", "reproducible", "contracted", NULL};
static const char *const BACKENDS[] = {"auto",       "native",      "interpret",
                                       "background", "precompiled", NULL};
static const tosajit_backend VALUES[] = {TOSAJIT_BACKEND_AUTO, TOSAJIT_BACKEND_NATIVE,
                                         TOSAJIT_BACKEND_INTERPRET, TOSAJIT_BACKEND_BACKGROUND,
                                         TOSAJIT_BACKEND_PRECOMPILED};

static int backend_word(tosajit_backend backend) {
    int k = 0;
    while (VALUES[k] != backend) k++;
    return k;
}

static bool set_words(module_state *state, tosajit_engine_options *o, const char *accuracy,
                      const char *backend) {
    int a = find_word(state, "accuracy", accuracy, ACCURACIES, "exact, reproducible, contracted");
    if (a < 0) return false;
    int b = find_word(state, "backend", backend, BACKENDS,
                      "auto, native, interpret, background, precompiled");
    if (b < 0) return false;
    o->accuracy = (tosajit_accuracy)a;
    o->backend = VALUES[b];
    return true;
}

/* A directory, or None. */
static int engine_path(PyObject *object, void *bytes) {
    return object == Py_None ? 1 : PyUnicode_FSConverter(object, bytes);
}

static PyObject *wait_for_all(PyObject *self, PyObject *unused) {
    engine_object *e = (engine_object *)self;
    engine_made *made = engine_use(e); /* a child does not wait for its parent's kernels */
    (void)unused;
    if (!made) return NULL;
    engine_wait(e);
    engine_made_leave(made);
    return Py_NewRef(Py_None);
}
/* ---------------------------------------------------------------------------------------------
 * The object */

static PyObject *make(PyTypeObject *type, const tosajit_engine_options *options, PyObject *cache,
                      const char *cpu, bool at_once) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    engine_object *e = (engine_object *)allocate(type, 0); /* filled with 0 */
    if (!e) return NULL;
    e->state = PyType_GetModuleState(type);
    e->remembered = PyDict_New();
    e->options = *options;
    e->cache = Py_XNewRef(cache);
    e->cpu = cpu ? PyBytes_FromString(cpu) : NULL;
    bool fine = e->remembered && (e->cpu || !cpu);
    if (cache) e->options.cache_directory = PyBytes_AsString(cache);
    if (fine && cpu) e->options.cpu = PyBytes_AsString(e->cpu);
    engine_made *made = fine && at_once ? engine_use(e) : NULL;
    if (made) fine = engine_made_compiling(e->state, made, &e->options);
    engine_made_leave(made);
    if (fine && (made || !at_once)) return (PyObject *)e;
    Py_DECREF(e);
    return NULL;
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"threads", "accuracy",  "cache", "cpu",
                            "backend", "max_bytes", "_lazy", NULL};
    tosajit_engine_options options = {.size = sizeof options};
    Py_ssize_t threads = 1, max_bytes = 0;
    const char *accuracy = ACCURACIES[TOSAJIT_REPRODUCIBLE], *backend = "background", *cpu = NULL;
    PyObject *cache = NULL;
    int lazy = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$nsO&zsnp:Engine", names, &threads,
                                     &accuracy, engine_path, &cache, &cpu, &backend, &max_bytes,
                                     &lazy))
        return NULL;
    module_state *state = PyType_GetModuleState(type);
    PyObject *engine = NULL;
    options.threads = (size_t)threads;
    options.max_bytes = (size_t)max_bytes;
    options.any_strides = 1; /* fields of packed records have such, and Python counts bytes */
    if (threads < 1 || max_bytes < 0)
        errors_say(state, TOSAJIT_INVALID_ARGUMENT,
                   "Engine: there is at least one thread, and "
                   "max_bytes is not negative");
    else if (set_words(state, &options, accuracy, backend))
        engine = make(type, &options, cache, cpu, !lazy);
    Py_XDECREF(cache);
    return engine;
}

static void engine_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    engine_object *e = (engine_object *)self;
    engine_renew(e);
    Py_XDECREF(e->remembered);
    Py_XDECREF(e->cache);
    Py_XDECREF(e->cpu);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* Of both engines together. */
static tosajit_status add_stats(tosajit_engine *engine, tosajit_stats *sum) {
    tosajit_stats s = {.size = sizeof s};
    tosajit_status status = engine ? tosajit_engine_stats(engine, &s) : TOSAJIT_OK;
    sum->kernels += s.kernels;
    sum->code_bytes += s.code_bytes;
    sum->structure_bytes += s.structure_bytes;
    sum->compilations += s.compilations;
    sum->hits += s.hits;
    sum->restored += s.restored;
    sum->precompiled += s.precompiled;
    return status;
}

static PyObject *get_stats(PyObject *self, void *unused) {
    engine_object *e = (engine_object *)self;
    tosajit_stats s = {.size = sizeof s};
    engine_made *made = engine_use(e);
    (void)unused;
    if (!made) return NULL;
    tosajit_status status = add_stats(made->compiling, &s);
    if (!status) status = add_stats(made->quick, &s);
    engine_made_leave(made);
    if (errors_raise(e->state, status)) return NULL;
    return Py_BuildValue("{sn sn sn sn sn sn sn}", "kernels", s.kernels, "code_bytes", s.code_bytes,
                         "structure_bytes", s.structure_bytes, "compilations", s.compilations,
                         "hits", s.hits, "restored", s.restored, "precompiled", s.precompiled);
}

static PyObject *get_options(PyObject *self, void *unused) {
    const engine_object *e = (engine_object *)self;
    PyObject *cache =
        e->cache ? PyUnicode_DecodeFSDefault(e->options.cache_directory) : Py_NewRef(Py_None);
    (void)unused;
    if (!cache) return NULL;
    return Py_BuildValue("{sn ss sN sz ss sn}", "threads", (Py_ssize_t)e->options.threads,
                         "accuracy", ACCURACIES[e->options.accuracy], "cache", cache, "cpu",
                         e->options.cpu, "backend", BACKENDS[backend_word(e->options.backend)],
                         "max_bytes", (Py_ssize_t)e->options.max_bytes);
}

static PyObject *get_threads(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(((engine_object *)self)->options.threads);
}

/* Kernels compiled before keep their threads. */
static int set_threads(PyObject *self, PyObject *value, void *unused) {
    engine_object *e = (engine_object *)self;
    const Py_ssize_t threads = value ? PyLong_AsSsize_t(value) : 0;
    (void)unused;
    if (threads == -1 && PyErr_Occurred()) return -1;
    if (threads < 1) {
        errors_say(e->state, TOSAJIT_INVALID_ARGUMENT, "Engine: there is at least one thread");
        return -1;
    }
    if ((size_t)threads == e->options.threads) return 0;
    e->options.threads = (size_t)threads;
    engine_renew(e);
    return 0;
}

static PyMethodDef METHODS[] = {
    {"compile", compile, METH_O, HELP_COMPILE},
    {"evaluate", MODULE_FUNCTION(evaluate), METH_FASTCALL | METH_KEYWORDS, HELP_EVALUATE},
    {"re_evaluate", MODULE_FUNCTION(re_evaluate), METH_FASTCALL | METH_KEYWORDS, HELP_RE_EVALUATE},
    {"_quick", compile_quickly, METH_O, "A kernel for a first answer (tosajit/_jit.py)."},
    {"wait", wait_for_all, METH_NOARGS, HELP_WAIT_ALL},
    {0}};
static PyGetSetDef ATTRIBUTES[] = {
    {"stats", get_stats, NULL, "What its kernels take and what it has done, as a dict.", NULL},
    {"options", get_options, NULL, "What it was made with, as a dict.", NULL},
    {"threads", get_threads, set_threads, "How many threads compute long runs.", NULL},
    {0}};

bool engine_type_add(PyObject *module, module_state *state) {
    static PyType_Slot slots[] = {{Py_tp_new, engine_new},  {Py_tp_dealloc, engine_dealloc},
                                  {Py_tp_methods, METHODS}, {Py_tp_getset, ATTRIBUTES},
                                  {Py_tp_doc, HELP_ENGINE}, {0, NULL}};
    static PyType_Spec spec = {"tosajit.Engine", sizeof(engine_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
    state->engine = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->engine && !PyModule_AddType(module, state->engine);
}
