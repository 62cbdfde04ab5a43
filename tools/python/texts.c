/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text. Out: what is known of it. */
#include "tools/python/texts.h"

#include <stdlib.h>
#include <string.h>

#include "tools/python/deep.h"
#include "tools/python/errors.h"
#include "tools/python/manners.h"
#include "tosajit/inspect.h"

enum { MAX_TEXTS = 512 };

void texts_forget_kernels(remembered *r) {
    const size_t count = r->kernels < TEXTS_KERNELS ? r->kernels : TEXTS_KERNELS;
    r->kernels = 0;
    for (size_t i = 0; i < count; i++) Py_DECREF((PyObject *)r->known[i].kernel);
}

remembered *texts_of(PyObject *capsule) { return PyCapsule_GetPointer(capsule, NULL); }

static void forget(PyObject *capsule) {
    remembered *r = texts_of(capsule);
    texts_forget_kernels(r);
    Py_XDECREF(r->names);
    Py_XDECREF(r->function);
    free(r);
}

/* Lines as a tuple of interned strings. */
static PyObject *split(const char *lines) {
    PyObject *list = PyList_New(0);
    while (list && *lines) {
        size_t length = strcspn(lines, "\n");
        PyObject *name = PyUnicode_FromStringAndSize(lines, (Py_ssize_t)length);
        if (name) PyUnicode_InternInPlace(&name);
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
        lines += length + (lines[length] == '\n');
    }
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

/* Of a text that is no Python. It is the language's if it declares types; otherwise `complaint`
 * says what Python minds, which counts where the language has nothing to complain of. */
static PyObject *read_language(const engine_object *e, PyObject *text, PyObject *complaint) {
    Py_ssize_t length = 0;
    char *lines = NULL;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (!bytes) PyErr_Clear();
    if (bytes && errors_raise(e->state, tosajit_expr_operands(bytes, (size_t)length, &lines)))
        return NULL;
    PyObject *names = complaint == Py_None && lines ? split(lines) : NULL;
    tosajit_text_release(lines);
    if (names || PyErr_Occurred()) return names;
    return errors_say(e->state, TOSAJIT_INVALID_ARGUMENT,
                      "%S; evaluate takes NumPy's expressions, and texts of the library's language "
                      "that declare the types of their operands: x: f32[?]; y = x * 2",
                      complaint);
}

/* A text, and what its operands are called. */
typedef struct reading {
    const engine_object *e;
    PyObject *text, *names;
    bool declares;
} reading;

static void read_names(void *data) {
    reading *r = data;
    PyObject *found = manners_names(r->e->state, r->text);
    if (!found || PyTuple_Check(found)) {
        r->names = found;
        return;
    }
    r->declares = true;
    r->names = read_language(r->e, r->text, found);
    Py_DECREF(found);
}

/* The oldest text goes when there are too many. */
static bool make_room(PyObject *dict) {
    Py_ssize_t at = 0;
    PyObject *oldest;
    if (PyDict_Size(dict) < MAX_TEXTS || !PyDict_Next(dict, &at, &oldest, NULL)) return true;
    Py_INCREF(oldest);
    int failed = PyDict_DelItem(dict, oldest);
    Py_DECREF(oldest);
    return !failed;
}

static PyObject *make(PyObject *names, bool declares) {
    remembered *r = calloc(1, sizeof *r);
    PyObject *capsule = r ? PyCapsule_New(r, NULL, forget) : PyErr_NoMemory();
    if (!capsule) {
        free(r);
        Py_DECREF(names);
        return NULL;
    }
    r->names = names;
    r->declares = declares;
    r->count = PyTuple_Size(names);
    return capsule;
}

PyObject *texts_find(engine_object *e, PyObject *text) {
    PyObject *capsule = PyDict_GetItemWithError(e->remembered, text);
    if (capsule || PyErr_Occurred()) return Py_XNewRef(capsule);
    reading r = {e, text, NULL, false};
    deep_call(e->state, read_names, &r);
    capsule = r.names ? make(r.names, r.declares) : NULL;
    if (!capsule) return NULL;
    if (make_room(e->remembered) && !PyDict_SetItem(e->remembered, text, capsule)) return capsule;
    Py_DECREF(capsule);
    return NULL;
}

static bool same_types(const signature *a, const signature *b, size_t count) {
    return a->weak == b->weak && a->floats == b->floats && a->out == b->out &&
           a->casting == b->casting && !memcmp(a->element, b->element, count) &&
           !memcmp(a->rank, b->rank, count);
}

size_t texts_kernel(const remembered *r, const signature *types) {
    for (size_t i = 0; i < TEXTS_KERNELS && i < r->kernels; i++)
        if (same_types(&r->known[i].types, types, (size_t)r->count)) return i;
    return TEXTS_KERNELS;
}

void texts_replace(remembered *r, size_t slot, kernel_object *kernel) {
    PyObject *old = (PyObject *)r->known[slot].kernel;
    r->known[slot].kernel = (kernel_object *)Py_NewRef((PyObject *)kernel);
    Py_DECREF(old);
}

void texts_keep(remembered *r, const signature *types, kernel_object *kernel) {
    const size_t slot = r->kernels++ % TEXTS_KERNELS;
    PyObject *old = r->kernels > TEXTS_KERNELS ? (PyObject *)r->known[slot].kernel : NULL;
    r->known[slot].types = *types;
    r->known[slot].kernel = (kernel_object *)Py_NewRef((PyObject *)kernel);
    Py_XDECREF(old);
}
