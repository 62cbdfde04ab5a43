/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: an object with __dlpack__. Out: a tensor that refers to the memory which the object lends. */
#include "tools/python/view_dlpack.h"

#include "tools/python/elements.h"
#include "tools/python/exchange.h"

/* The capsule. An object of before DLPack 1.0 does not know max_version. */
static PyObject *ask(PyObject *method) {
    PyObject *arguments = PyTuple_New(0);
    PyObject *version = Py_BuildValue("{s(ii)}", "max_version", DLPACK_MAJOR, DLPACK_MINOR);
    PyObject *capsule = arguments && version ? PyObject_Call(method, arguments, version) : NULL;
    if (!capsule && arguments && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = PyObject_Call(method, arguments, NULL);
    }
    Py_XDECREF(version);
    Py_XDECREF(arguments);
    return capsule;
}

/* Take what the capsule has: its new name tells others, its own destructor among them. */
static bool open_capsule(module_state *state, view *v, PyObject *capsule, const request *r) {
    bool versioned = PyCapsule_IsValid(capsule, DLPACK_VERSIONED_NAME);
    if (!versioned && !PyCapsule_IsValid(capsule, DLPACK_NAME))
        return request_refuse(state, r, TOSAJIT_INVALID_ARGUMENT, "%R is no fresh DLPack capsule",
                              capsule);
    v->source = versioned ? VIEW_VERSIONED : VIEW_DLPACK;
    if (versioned)
        v->from.versioned = PyCapsule_GetPointer(capsule, DLPACK_VERSIONED_NAME);
    else
        v->from.dlpack = PyCapsule_GetPointer(capsule, DLPACK_NAME);
    return !PyCapsule_SetName(capsule, versioned ? DLPACK_USED_VERSIONED_NAME : DLPACK_USED_NAME);
}

/* Strides are counted in elements there. */
static bool scale_strides(view *v, const dlpack_tensor *t) {
    int64_t size = (int64_t)tosajit_type_size(v->tensor.element);
    for (int32_t d = 0; d < t->rank; d++) {
        if (t->strides[d] > INT64_MAX / 8 || t->strides[d] < INT64_MIN / 8) return false;
        v->strides[d] = t->strides[d] * size;
    }
    v->tensor.strides = v->strides;
    return true;
}

static const char *complaint(const dlpack_tensor *t, tosajit_type element) {
    if (t->device != DLPACK_CPU && t->device != DLPACK_CUDA_HOST)
        return "%R is on another device than the CPU";
    if (element == TOSAJIT_TYPE_COUNT) return "%R has elements that the library does not have";
    if (t->rank < 0 || t->rank > TOSAJIT_MAX_RANK) return "%R of more than 16 dimensions";
    if (t->rank > 0 && !t->dims) return "%R has no sizes";
    return NULL;
}

static bool view_tensor(module_state *state, view *v, PyObject *object, const request *r) {
    bool versioned = v->source == VIEW_VERSIONED;
    if (versioned && v->from.versioned->major != DLPACK_MAJOR)
        return request_refuse(state, r, TOSAJIT_INVALID_ARGUMENT, "%R has another DLPack than 1",
                              object);
    const dlpack_tensor *t = versioned                 ? &v->from.versioned->tensor
                             : v->source == VIEW_SHOWN ? &v->from.shown
                                                       : &v->from.dlpack->tensor;
    tosajit_type element = elements_of_dlpack(t->element, r->element);
    const char *wrong = complaint(t, element);
    if (!wrong && r->writable && versioned && v->from.versioned->flags & DLPACK_READ_ONLY)
        wrong = "%R is read-only";
    if (wrong)
        return request_refuse(state, r, TOSAJIT_TYPE_MISMATCH, wrong, (PyObject *)Py_TYPE(object));
    char *data = t->data ? (char *)t->data + t->byte_offset : NULL;
    v->tensor = (tosajit_tensor){element, t->rank, data, t->dims, NULL};
    if (view_is_dense(t->rank, t->dims, t->strides, 1) || scale_strides(v, t)) return true;
    return request_refuse(state, r, TOSAJIT_OVERFLOW, "%R has strides beyond 2^63",
                          (PyObject *)Py_TYPE(object));
}

static bool take_lent(module_state *state, view *v, PyObject *object, const request *r);

/* The number in memory is another one than the tensor's. */
static bool take_negative(module_state *state, view *v, PyObject *object, const request *r) {
    if (r->writable)
        return request_refuse(state, r, TOSAJIT_INVALID_ARGUMENT,
                              "%R has its negative bit set, so its memory has other numbers; "
                              "take its resolve_neg()",
                              (PyObject *)Py_TYPE(object));
    PyObject *resolved = exchange_resolve(state, object);
    const bool taken =
        resolved && !exchange_is_negative(state, resolved) && take_lent(state, v, resolved, r);
    if (!taken && !PyErr_Occurred())
        request_refuse(state, r, TOSAJIT_INVALID_ARGUMENT, "%R has its negative bit set",
                       (PyObject *)Py_TYPE(object));
    Py_XDECREF(resolved); /* the view keeps its memory */
    return taken;
}

static bool take_lent(module_state *state, view *v, PyObject *object, const request *r) {
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    if (!method) {
        PyErr_Clear();
        return request_refuse(state, r, TOSAJIT_TYPE_MISMATCH,
                              "%R has neither the buffer protocol nor DLPack, and is no number",
                              (PyObject *)Py_TYPE(object));
    }
    PyObject *capsule = ask(method);
    Py_DECREF(method);
    if (!capsule) return false;
    bool opened = open_capsule(state, v, capsule, r);
    Py_DECREF(capsule);
    if (!opened) return false;
    if (view_tensor(state, v, object, r)) return true;
    view_release_dlpack(v);
    return false;
}

bool view_take_dlpack(module_state *state, view *v, PyObject *object, const request *r) {
    const bool shown = exchange_show(state, object, r->writable, &v->from.shown);
    v->source = VIEW_SHOWN;
    if (shown) return view_tensor(state, v, object, r);
    return exchange_of(state, object) && exchange_is_negative(state, object)
               ? take_negative(state, v, object, r)
               : take_lent(state, v, object, r);
}

/* The producer may run Python. Python must not meet the exception of a failed call. */
void view_release_dlpack(view *v) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (v->source == VIEW_VERSIONED && v->from.versioned->deleter)
        v->from.versioned->deleter(v->from.versioned);
    if (v->source == VIEW_DLPACK && v->from.dlpack->deleter)
        v->from.dlpack->deleter(v->from.dlpack);
    PyErr_Restore(type, value, trace);
}
