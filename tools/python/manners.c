/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text and types. Out: the text in the library's language. */
#include "tools/python/manners.h"

#include "tools/python/errors.h"

static const char *const CASTINGS[MANNERS_CASTINGS] = {"no", "equiv", "safe", "same_kind",
                                                       "unsafe"};

manners_casting manners_find_casting(module_state *state, PyObject *word) {
    for (int k = 0; PyUnicode_Check(word) && k < MANNERS_CASTINGS; k++)
        if (!PyUnicode_CompareWithASCIIString(word, CASTINGS[k])) return (manners_casting)k;
    errors_say(state, TOSAJIT_INVALID_ARGUMENT,
               "casting: %R is none of no, equiv, safe, same_kind, unsafe", word);
    return MANNERS_CASTINGS;
}

static PyObject *function(const char *name) {
    PyObject *module = PyImport_ImportModule("tosajit._numpy");
    PyObject *f = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return f;
}

PyObject *manners_names(module_state *state, PyObject *text) {
    PyObject *type, *value, *trace;
    (void)state;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *f = function("names");
    PyObject *names = f ? PyObject_CallFunctionObjArgs(f, text, NULL) : NULL;
    Py_XDECREF(f);
    if (names && PyTuple_Check(names)) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return names;
    }
    Py_XDECREF(names);
    PyErr_Restore(type, value, trace); /* also in the place of one that came meanwhile */
    return NULL;
}

/* Tuples of element types, of ranks, and of whether each is weak. */
static bool describe(const manners_text *m, PyObject *lists[3]) {
    const Py_ssize_t count = PyTuple_Size(m->names);
    bool fine = true;
    for (int k = 0; k < 3; k++) {
        lists[k] = PyTuple_New(count);
        fine = fine && lists[k];
    }
    for (Py_ssize_t i = 0; fine && i < count; i++) {
        PyObject *items[3] = {
            PyUnicode_InternFromString(tosajit_type_name((tosajit_type)m->element[i])),
            PyBool_FromLong((long)(m->weak >> i & 1)), PyLong_FromLong(m->rank[i])};
        for (int k = 0; k < 3; k++)
            fine = items[k] && !PyTuple_SetItem(lists[k], i, items[k]) && fine;
    }
    return fine;
}

static PyObject *call(const manners_text *m, PyObject *f, PyObject *const lists[3]) {
    PyObject *out = m->out == TOSAJIT_TYPE_COUNT ? Py_NewRef(Py_None)
                                                 : PyUnicode_FromString(tosajit_type_name(m->out));
    PyObject *casting = PyUnicode_FromString(CASTINGS[m->casting]);
    PyObject *text = out && casting
                         ? PyObject_CallFunctionObjArgs(f, m->text, m->names, lists[0], lists[1],
                                                        lists[2], out, casting, NULL)
                         : NULL;
    Py_XDECREF(casting);
    Py_XDECREF(out);
    return text;
}

/* Where the text stays as it is, a number needs a type all the same. */
static PyObject *unchanged(module_state *state, const manners_text *m) {
    const Py_ssize_t count = PyTuple_Size(m->names);
    const char *found = NULL;
    bool numbers = false; /* a bool has a type */
    for (Py_ssize_t i = 0; i < count; i++)
        numbers |= (m->weak >> i & 1) && m->element[i] != TOSAJIT_I1;
    for (Py_ssize_t i = 0; i < count && numbers; i++) {
        const char *element = tosajit_type_name((tosajit_type)m->element[i]);
        if (m->weak >> i & 1) continue;
        if (found && found != element)
            return errors_say(state, TOSAJIT_TYPE_MISMATCH,
                              "the arrays are of %s and %s, so a number has no type; pass it as an "
                              "array",
                              found, element);
        found = element;
    }
    return Py_NewRef(m->text);
}

PyObject *manners_translate(module_state *state, const manners_text *m) {
    PyObject *lists[3] = {NULL, NULL, NULL};
    PyObject *f = function("translate");
    PyObject *text = f && describe(m, lists) ? call(m, f, lists) : NULL;
    for (int k = 0; k < 3; k++) Py_XDECREF(lists[k]);
    Py_XDECREF(f);
    if (text != Py_None) return text;
    Py_DECREF(text);
    return unchanged(state, m);
}
