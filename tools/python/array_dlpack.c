/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: an array. Out: a capsule that keeps its memory until the consumer is done. */
#include "tools/python/array_dlpack.h"

#include <stdlib.h>

#include "tools/python/dlpack.h"
#include "tools/python/elements.h"

/* A loan: one of the two forms, and sizes and strides in elements. The array may be gone
 * before it is given back. */
typedef struct lent {
    union {
        dlpack_managed plain;
        dlpack_versioned versioned;
    } form;
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
} lent;

/* A consumer may be done on any thread, in any interpreter: nothing here asks Python. */
static void give_back(void *form, void *memory) {
    array_memory_release(memory);
    free(form);
}
static void delete_plain(dlpack_managed *self) { give_back(self, self->context); }
static void delete_versioned(dlpack_versioned *self) { give_back(self, self->context); }

/* Of capsules that nobody consumed: a consumer gives the capsule another name. */
static void drop_plain(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, DLPACK_NAME))
        delete_plain(PyCapsule_GetPointer(capsule, DLPACK_NAME));
}
static void drop_versioned(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, DLPACK_VERSIONED_NAME))
        delete_versioned(PyCapsule_GetPointer(capsule, DLPACK_VERSIONED_NAME));
}

static dlpack_tensor describe(const array_object *a, lent *l) {
    int64_t size = (int64_t)tosajit_type_size(a->element);
    for (int32_t d = 0; d < a->rank; d++) {
        l->dims[d] = a->dims[d];
        l->strides[d] = a->strides[d] / size;
    }
    return (dlpack_tensor){.data = a->memory->data,
                           .device = DLPACK_CPU,
                           .rank = a->rank,
                           .element = elements_dlpack(a->element),
                           .dims = l->dims,
                           .strides = l->strides};
}

static PyObject *lend(const array_object *a, bool versioned) {
    lent *l = calloc(1, sizeof *l);
    if (!l) return PyErr_NoMemory();
    PyObject *capsule;
    if (versioned) {
        l->form.versioned = (dlpack_versioned){
            DLPACK_MAJOR, DLPACK_MINOR, a->memory, delete_versioned, 0, describe(a, l)};
        capsule = PyCapsule_New(l, DLPACK_VERSIONED_NAME, drop_versioned);
    } else {
        l->form.plain = (dlpack_managed){describe(a, l), a->memory, delete_plain};
        capsule = PyCapsule_New(l, DLPACK_NAME, drop_plain);
    }
    if (capsule)
        array_memory_keep(a->memory);
    else
        free(l);
    return capsule;
}

/* None, or a pair whose first number is at least 1: the consumer knows the form with a version. */
static int wants_version(PyObject *max_version) {
    if (!max_version || max_version == Py_None) return 0;
    PyObject *major = PySequence_GetItem(max_version, 0);
    long number = major ? PyLong_AsLong(major) : -1;
    Py_XDECREF(major);
    return number == -1 && PyErr_Occurred() ? -1 : number >= 1;
}

PyObject *array_dlpack(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = NULL, *max_version = NULL, *device = NULL, *copy = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", names, &stream,
                                     &max_version, &device, &copy))
        return NULL;
    if (copy == Py_True) {
        PyErr_SetString(PyExc_BufferError, "__dlpack__: there are no copies, only views");
        return NULL;
    }
    int device_type = DLPACK_CPU, device_id = 0;
    if (device && device != Py_None &&
        !PyArg_Parse(device, "(ii);dl_device is a pair of numbers", &device_type, &device_id))
        return NULL;
    if (device_type != DLPACK_CPU) {
        PyErr_SetString(PyExc_BufferError, "__dlpack__: the array is in the CPU's memory");
        return NULL;
    }
    int versioned = wants_version(max_version);
    return versioned < 0 ? NULL : lend((array_object *)self, versioned);
}
