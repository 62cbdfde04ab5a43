/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: results. Out: the same as arrays of another library. */
#include "tools/python/space.h"

#include "tools/python/array.h"

/* Types that are built in have no such attribute. */
bool space_has(module_state *state, PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (type == state->space.type) return true;
    return type != state->array && PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE &&
           PyObject_HasAttrString(object, "__array_namespace__");
}

static PyObject *from_dlpack(PyObject *owner) {
    PyObject *method = PyObject_GetAttrString(owner, "__array_namespace__");
    PyObject *space = method ? PyObject_CallNoArgs(method) : NULL;
    PyObject *from = space ? PyObject_GetAttrString(space, "from_dlpack") : NULL;
    Py_XDECREF(space);
    Py_XDECREF(method);
    return from;
}

/* Of jax, what its own from_dlpack calls behind 25 us of Python. It is no part of jax's interface:
 * it is used where its result is the same. */
static PyObject *find_quick(void) {
    PyObject *name = PyUnicode_FromString("jaxlib._jax");
    PyObject *module = name ? PyImport_GetModule(name) : NULL;
    PyObject *quick =
        module ? PyObject_GetAttrString(module, "dlpack_managed_tensor_to_buffer") : NULL;
    Py_XDECREF(module);
    Py_XDECREF(name);
    return quick;
}

static PyObject *give_quickly(const module_space *s, PyObject *array) {
    PyObject *name = PyUnicode_FromString("__dlpack__");
    PyObject *capsule = name ? PyObject_CallMethodObjArgs(array, name, NULL) : NULL;
    PyObject *given =
        capsule ? PyObject_CallFunctionObjArgs(s->quick, capsule, s->device, Py_None, NULL) : NULL;
    Py_XDECREF(capsule);
    Py_XDECREF(name);
    return given;
}

static bool has_same(PyObject *a, PyObject *b, const char *name) {
    PyObject *mine = PyObject_GetAttrString(a, name), *theirs = PyObject_GetAttrString(b, name);
    const bool same = mine && theirs && PyObject_RichCompareBool(mine, theirs, Py_EQ) == 1;
    Py_XDECREF(mine);
    Py_XDECREF(theirs);
    return same;
}

/* Note how arrays of a type are made, after one was made by the library's own name. */
static void meet(module_state *state, PyObject *owner, PyObject *array, PyObject *given) {
    static const char *const names[] = {"dtype", "shape", "sharding", "weak_type", "_committed"};
    module_space *s = &state->space;
    space_forget(state);
    s->asked = Py_TYPE(owner);
    s->quick = find_quick();
    s->device = s->quick ? PyObject_GetAttrString(given, "device") : NULL;
    PyObject *other = s->device ? give_quickly(s, array) : NULL;
    bool same = other && Py_TYPE(other) == Py_TYPE(given) && Py_TYPE(other) == Py_TYPE(owner);
    for (size_t k = 0; same && k < sizeof names / sizeof *names; k++)
        same = has_same(other, given, names[k]);
    Py_XDECREF(other);
    if (same)
        s->type = (PyTypeObject *)Py_NewRef((PyObject *)Py_TYPE(owner));
    else
        space_forget(state);
    PyErr_Clear();
}

/* jax makes 64-bit elements 32-bit ones, but where it is told not to. */
static bool is_narrow(PyObject *array) {
    return tosajit_type_size(((array_object *)array)->element) < 8;
}

static PyObject *give(module_state *state, PyObject *owner, PyObject *array, PyObject **from) {
    const bool narrow = is_narrow(array);
    if (narrow && Py_TYPE(owner) == state->space.type) {
        PyObject *quick = give_quickly(&state->space, array);
        if (quick) return quick;
        PyErr_Clear();
        space_forget(state);
    }
    if (!*from && !(*from = from_dlpack(owner))) return NULL;
    PyObject *given = PyObject_CallFunctionObjArgs(*from, array, NULL);
    if (given && narrow && Py_TYPE(owner) != state->space.asked) meet(state, owner, array, given);
    return given;
}

PyObject *space_give(module_state *state, PyObject *owner, PyObject *results) {
    const Py_ssize_t count = PyTuple_Size(results);
    PyObject *given = PyTuple_New(count), *from = NULL;
    for (Py_ssize_t i = 0; given && i < count; i++) {
        PyObject *array = give(state, owner, PyTuple_GetItem(results, i), &from);
        if (!array || PyTuple_SetItem(given, i, array)) Py_CLEAR(given);
    }
    Py_XDECREF(from);
    Py_DECREF(results);
    return given;
}

void space_forget(module_state *state) {
    module_space *s = &state->space;
    Py_CLEAR(s->type);
    Py_CLEAR(s->quick);
    Py_CLEAR(s->device);
}
