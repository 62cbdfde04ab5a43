/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: an object, or what a new tensor shall be. Out: its memory, or the tensor. */
#include "tools/python/exchange.h"

#include "tools/python/elements.h"

bool exchange_prepare(module_state *state) {
    state->exchange.attribute = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
    state->exchange.gradient = PyUnicode_InternFromString("requires_grad");
    state->exchange.negative = PyUnicode_InternFromString("is_neg");
    state->exchange.resolve = PyUnicode_InternFromString("resolve_neg");
    return state->exchange.attribute && state->exchange.gradient && state->exchange.negative &&
           state->exchange.resolve;
}

void exchange_forget(module_state *state) {
    module_exchange *x = &state->exchange;
    for (size_t k = 0; k < MODULE_EXCHANGES; k++) Py_CLEAR(x->known[k].type);
    Py_CLEAR(x->attribute);
    Py_CLEAR(x->gradient);
    Py_CLEAR(x->negative);
    Py_CLEAR(x->resolve);
}

/* The form that this file knows. It may be older than the producer's. */
static const dlpack_exchange *fitting(const dlpack_exchange *api) {
    while (api && api->major > DLPACK_MAJOR) api = api->older;
    return api && api->major == DLPACK_MAJOR ? api : NULL;
}

static const dlpack_exchange *ask(module_state *state, PyTypeObject *type) {
    PyObject *capsule = PyObject_GetAttr((PyObject *)type, state->exchange.attribute);
    const dlpack_exchange *api = NULL;
    if (capsule && PyCapsule_IsValid(capsule, DLPACK_EXCHANGE_NAME))
        api = fitting(PyCapsule_GetPointer(capsule, DLPACK_EXCHANGE_NAME));
    Py_XDECREF(capsule);
    PyErr_Clear();
    return api;
}

/* The function behind a method of an object, which takes no arguments. It is asked of every tensor,
 * so the ways of Python to it would take as long as it. */
static PyCFunction method_of(PyObject *object, PyObject *name) {
    PyObject *method = PyObject_GetAttr(object, name);
    PyCFunction function = NULL;
    if (method && PyObject_TypeCheck(method, &PyCFunction_Type) &&
        PyCFunction_GetFlags(method) == METH_NOARGS)
        function = PyCFunction_GetFunction(method);
    Py_XDECREF(method);
    PyErr_Clear();
    return function;
}

/* Where a type is noted, after it was asked; -1: it has no functions that this knows. */
static int found(module_state *state, PyObject *object) {
    module_exchange *x = &state->exchange;
    PyTypeObject *type = Py_TYPE(object);
    for (int k = 0; k < MODULE_EXCHANGES && x->known[k].type; k++)
        if (x->known[k].type == type) return k;
    const dlpack_exchange *api = ask(state, type);
    if (!api) return -1;
    const PyCFunction is_negative = method_of(object, x->negative);
    const int slot = (int)(x->next++ % MODULE_EXCHANGES);
    PyTypeObject *old = x->known[slot].type;
    x->known[slot].type = (PyTypeObject *)Py_NewRef((PyObject *)type);
    x->known[slot].api = api;
    x->known[slot].is_negative = is_negative;
    Py_XDECREF((PyObject *)old);
    return slot;
}

const dlpack_exchange *exchange_of(module_state *state, PyObject *object) {
    const int k = found(state, object);
    return k < 0 ? NULL : state->exchange.known[k].api;
}

/* Of a tensor whose history is recorded, a result would lose it without a word. */
static bool has_history(const module_state *state, PyObject *object) {
    PyObject *wanted = PyObject_GetAttr(object, state->exchange.gradient);
    bool has = wanted == Py_True;
    if (!wanted) PyErr_Clear();
    Py_XDECREF(wanted);
    return has;
}

static bool says_yes(PyObject *answer) {
    const bool yes = answer == Py_True;
    if (!answer) PyErr_Clear();
    Py_XDECREF(answer);
    return yes;
}

bool exchange_is_negative(module_state *state, PyObject *object) {
    const int k = found(state, object);
    const PyCFunction is_negative = k < 0 ? NULL : state->exchange.known[k].is_negative;
    if (is_negative) return says_yes(is_negative(object, NULL));
    return says_yes(PyObject_CallMethodObjArgs(object, state->exchange.negative, NULL));
}

PyObject *exchange_resolve(const module_state *state, PyObject *object) {
    return PyObject_CallMethodObjArgs(object, state->exchange.resolve, NULL);
}

/* True if it is no imaginary part of complex numbers, by its strides alone: all of those are even.
 * Only they have the negative bit, but for what _neg_view of PyTorch gives, which is its own. */
static bool is_no_part(const dlpack_tensor *t) {
    for (int32_t d = 0; d < t->rank && t->strides; d++)
        if (t->dims[d] > 1 && t->strides[d] & 1) return true;
    return false;
}

bool exchange_show(module_state *state, PyObject *object, bool writable, dlpack_tensor *seen) {
    const dlpack_exchange *api = exchange_of(state, object);
    if (!api || !api->show || has_history(state, object)) return false;
    if (!api->show(object, seen))
        return (!writable && is_no_part(seen)) || !exchange_is_negative(state, object);
    PyErr_Clear(); /* long, of C++; __dlpack__ says it in Python's words */
    return false;
}

static void fail(void *context, const char *kind, const char *message) {
    (void)context;
    PyErr_Format(PyExc_RuntimeError, "%s: %s", kind, message);
}

/* The library writes results that are dense; what others make is, as they were asked for it. */
static bool is_dense(const dlpack_tensor *t) {
    int64_t unit = 1;
    for (int32_t d = t->rank; d-- > 0 && t->strides; unit *= t->dims[d])
        if (t->dims[d] != 1 && t->strides[d] != unit) return false;
    return true;
}

static void give_up(dlpack_versioned *made) {
    if (made && made->deleter) made->deleter(made);
    if (!PyErr_Occurred()) PyErr_NoMemory();
}

dlpack_versioned *exchange_make(const dlpack_exchange *api, const tosajit_tensor *tensor) {
    int64_t copy[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < tensor->rank; d++) copy[d] = tensor->dims[d];
    dlpack_tensor prototype = {.device = DLPACK_CPU,
                               .rank = tensor->rank,
                               .element = elements_dlpack(tensor->element),
                               .dims = copy};
    dlpack_versioned *made = NULL;
    if (!api->allocate(&prototype, &made, NULL, fail) && is_dense(&made->tensor)) return made;
    give_up(made);
    return NULL;
}

PyObject *exchange_wrap(const dlpack_exchange *api, dlpack_versioned *made) {
    void *object = NULL;
    if (!api->wrap(made, &object)) return object;
    give_up(NULL); /* whoever was to take it over has it */
    return NULL;
}
