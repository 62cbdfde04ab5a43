/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Python objects as tensors, without a copy: objects with the buffer protocol or DLPack, and
 * numbers. A view holds its object's memory until it is released. */
#ifndef TOSAJIT_TOOLS_PYTHON_VIEW_H
#define TOSAJIT_TOOLS_PYTHON_VIEW_H

#include "tools/python/dlpack.h"
#include "tools/python/request.h"

typedef enum view_source {
    VIEW_NUMBER,
    VIEW_BUFFER,
    VIEW_DLPACK,
    VIEW_VERSIONED,
    VIEW_ARRAY, /* of NumPy, which is held */
    VIEW_SHOWN  /* what its object shows: there is nothing to give back */
} view_source;

typedef struct view {
    tosajit_tensor tensor; /* refers to what follows */
    view_source source;
    bool bits; /* of an array of NumPy whose type NumPy does not know itself: bf16 or f8 */
    union {
        int64_t number; /* one element */
        Py_buffer buffer;
        PyObject *array;
        dlpack_managed *dlpack;
        dlpack_versioned *versioned;
        dlpack_tensor shown;
    } from;
    int64_t strides[TOSAJIT_MAX_RANK]; /* of DLPack and NumPy, in bytes */
    int64_t dims[TOSAJIT_MAX_RANK];    /* of NumPy, which may change those of an array in place */
    int64_t size;                      /* of a buffer that tells none */
} view;

/* A number has no element type of its own; it gets that of the request. So does a bool, which is 0
 * or 1, but this does not count it. */
static inline bool view_is_number(PyObject *object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object);
}

/* True if strides are those of a dense tensor, whose innermost one is `unit`. They are left out
 * then: the library recognises such calls sooner. */
static inline bool view_is_dense(int32_t rank, const int64_t *dims, const int64_t *strides,
                                 int64_t unit) {
    for (int32_t d = rank; d-- > 0 && strides;) {
        if (dims[d] != 1 && strides[d] != unit) return false;
        if (__builtin_mul_overflow(unit, dims[d], &unit)) return false;
    }
    return true;
}

/* Room for views: on the stack where they are few, as it is in threads that have little of it; 25
 * KiB are as many as there may be. Null with an exception. */
enum { VIEW_FEW = 8 };
view *view_room(view few[VIEW_FEW], Py_ssize_t count);
static inline void view_leave(view *room, const view *few) {
    if (room != few) PyMem_Free(room);
}

/* True if a Python int is a value of a type of integers. */
bool view_fits(PyObject *integer, tosajit_type type);

/* False with an exception, and nothing to release. The element type of a number must be known. */
bool view_take(module_state *state, view *v, PyObject *object, const request *r);
void view_release(view *v);

#endif
