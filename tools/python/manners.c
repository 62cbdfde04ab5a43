/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text and types. Out: the text in the library's language. */
#include "tools/python/manners.h"

#include "tools/python/errors.h"

static const char *const CASTINGS[MANNERS_CASTINGS] = {"no", "equiv", "safe", "same_kind",
                                                       "unsafe"};

const char *manners_casting_word(manners_casting casting) { return CASTINGS[casting]; }

manners_casting manners_find_casting(module_state *state, PyObject *word) {
    for (int k = 0; PyUnicode_Check(word) && k < MANNERS_CASTINGS; k++)
        if (!PyUnicode_CompareWithASCIIString(word, CASTINGS[k])) return (manners_casting)k;
    errors_say(state, TOSAJIT_INVALID_ARGUMENT,
               "casting: %R is none of no, equiv, safe, same_kind, unsafe", word);
    return MANNERS_CASTINGS;
}

static PyObject *function(const char *name) {
    PyObject *module = PyImport_ImportModule("tosajit._texts");
    PyObject *f = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return f;
}

/* Forgets the traceback: the fault of a text is no matter of where it was found. */
static void forget_trace(module_state *state) {
    PyObject *type, *value, *trace;
    if (!PyErr_ExceptionMatches(state->errors[MODULE_ERROR])) return;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyException_SetTraceback(value, Py_None);
    Py_XDECREF(trace);
    PyErr_Restore(type, value, NULL);
}

PyObject *manners_names(module_state *state, PyObject *text) {
    PyObject *f = function("names");
    PyObject *names = f ? PyObject_CallFunctionObjArgs(f, text, NULL) : NULL;
    if (!names) forget_trace(state);
    Py_XDECREF(f);
    return names;
}

/* b, i or f of a number; nothing of an array. */
static const char *kind(const manners_text *m, Py_ssize_t i) {
    if (!(m->weak >> i & 1)) return "";
    return m->element[i] == TOSAJIT_I1 ? "b" : m->floats >> i & 1 ? "f" : "i";
}

static PyObject *sizes(const tosajit_tensor *t) {
    PyObject *tuple = PyTuple_New(t->rank);
    for (int32_t d = 0; tuple && d < t->rank; d++) {
        PyObject *size = PyLong_FromLongLong(t->dims[d]);
        if (!size || PyTuple_SetItem(tuple, d, size)) Py_CLEAR(tuple);
    }
    return tuple;
}

enum { TYPES, KINDS, SHAPES, NUMBERS, LISTS };

/* Tuples of element types, of kinds, of sizes, and of the operands themselves. */
static bool describe(const manners_text *m, PyObject *lists[LISTS]) {
    const Py_ssize_t count = PyTuple_Size(m->names);
    bool fine = true;
    for (int k = 0; k < LISTS; k++) {
        lists[k] = PyTuple_New(count);
        fine = fine && lists[k];
    }
    for (Py_ssize_t i = 0; fine && i < count; i++) {
        PyObject *items[LISTS] = {
            [TYPES] = PyUnicode_InternFromString(tosajit_type_name((tosajit_type)m->element[i])),
            [KINDS] = PyUnicode_InternFromString(kind(m, i)),
            [SHAPES] = sizes(&m->views[i].tensor),
            [NUMBERS] = Py_NewRef(m->objects[i])};
        for (int k = 0; k < LISTS; k++)
            fine = items[k] && !PyTuple_SetItem(lists[k], i, items[k]) && fine;
    }
    return fine;
}

static PyObject *call(const manners_text *m, PyObject *f, PyObject *const lists[LISTS]) {
    PyObject *out = m->out == TOSAJIT_TYPE_COUNT ? Py_NewRef(Py_None)
                                                 : PyUnicode_FromString(tosajit_type_name(m->out));
    PyObject *casting = PyUnicode_FromString(CASTINGS[m->casting]);
    PyObject *text =
        out && casting
            ? PyObject_CallFunctionObjArgs(f, m->text, m->names, lists[TYPES], lists[KINDS],
                                           lists[SHAPES], lists[NUMBERS], out, casting, NULL)
            : NULL;
    Py_XDECREF(casting);
    Py_XDECREF(out);
    return text;
}

bool manners_translate(module_state *state, const manners_text *m, manners_made *made) {
    PyObject *lists[LISTS] = {NULL};
    PyObject *f = function("translate");
    PyObject *found = f && describe(m, lists) ? call(m, f, lists) : NULL;
    *made = (manners_made){NULL, NULL, NULL, NULL, false, NULL};
    for (int k = 0; k < LISTS; k++) Py_XDECREF(lists[k]);
    Py_XDECREF(f);
    if (!found) forget_trace(state);
    if (found == Py_None) {
        made->text = Py_NewRef(m->text);
    } else if (found && PyTuple_GetItem(found, 0) == Py_None) {
        made->function = Py_NewRef(PyTuple_GetItem(found, 1));
    } else if (found) {
        PyObject *guard = PyTuple_GetItem(found, 1);
        made->text = Py_NewRef(PyTuple_GetItem(found, 0));
        made->guard = guard == Py_None ? NULL : Py_NewRef(guard);
        made->sentences = Py_NewRef(PyTuple_GetItem(found, 2));
        made->guards_all = PyTuple_GetItem(found, 3) == Py_True;
        made->layouts = Py_NewRef(PyTuple_GetItem(found, 4));
    }
    Py_XDECREF(found);
    return made->text || made->function;
}

void manners_release(manners_made *made) {
    Py_XDECREF(made->text);
    Py_XDECREF(made->function);
    Py_XDECREF(made->guard);
    Py_XDECREF(made->sentences);
    Py_XDECREF(made->layouts);
}

void manners_reword(const manners_text *m) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *f = function("reword");
    PyObject *done = f ? PyObject_CallFunctionObjArgs(f, value, m->text, m->names, NULL) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace); /* also in the place of one that came meanwhile */
}

PyObject *manners_numpy(PyObject *text, PyObject *names, PyObject *const *objects, bool whatever) {
    const Py_ssize_t count = PyTuple_Size(names);
    PyObject *f = function("by_numpy"), *operands = PyTuple_New(count), *found = NULL;
    for (Py_ssize_t i = 0; operands && i < count; i++)
        PyTuple_SetItem(operands, i, Py_NewRef(objects[i]));
    if (f && operands)
        found = PyObject_CallFunctionObjArgs(f, text, names, operands,
                                             whatever ? Py_True : Py_False, NULL);
    Py_XDECREF(operands);
    Py_XDECREF(f);
    if (found == Py_None) Py_CLEAR(found);
    return found;
}
