/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the parts of the extension: Python's limited API, and the module's own objects. */
#ifndef TOSAJIT_TOOLS_PYTHON_MODULE_H
#define TOSAJIT_TOOLS_PYTHON_MODULE_H

/* One build serves 3.11 and everything later. Before 3.11 the limited API had no buffers. */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h> /* has to come first */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

/* Shapes and strides pass between Python and the library without a copy. */
_Static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "Python's sizes are the library's");

typedef enum module_error {
    MODULE_ERROR, /* the base of all others */
    MODULE_ARGUMENT,
    MODULE_SHAPE,
    MODULE_TYPE,
    MODULE_MEMORY,
    MODULE_COMPILE,
    MODULE_INDEX,
    MODULE_ERROR_COUNT
} module_error;

/* Parts of NumPy, once somebody has imported it. The extension does not import it. */
/* NumPy's PyArray_Empty, which takes over a reference to the dtype. */
typedef PyObject *numpy_make_function(int rank, const int64_t *dims, PyObject *dtype, int fortran);
typedef PyObject *numpy_lay_function(PyTypeObject *type, PyObject *dtype, int rank,
                                     const int64_t *dims, const int64_t *strides, void *data,
                                     int flags, PyObject *like);

typedef struct module_numpy {
    PyTypeObject *array;                  /* numpy.ndarray; null: not found yet */
    PyTypeObject *generic;                /* numpy.generic, of scalars */
    PyObject *empty;                      /* numpy.empty */
    numpy_make_function *make;            /* the same in C; null: not as known */
    numpy_lay_function *lay;              /* the same with strides; where `make` is */
    PyObject *dtypes[TOSAJIT_TYPE_COUNT]; /* of results */
    PyObject *bits[TOSAJIT_TYPE_COUNT];   /* that others have added to NumPy; null: not met yet */
    bool seen;                            /* whether arrays are laid out as numpy_see knows them */
} module_numpy;

/* Types of tensors with functions in C (exchange.h), as many as one program may use. */
enum { MODULE_EXCHANGES = 4 };
typedef struct module_exchange {
    PyObject *attribute, *gradient, *negative, *resolve; /* names of attributes */
    struct {
        PyTypeObject *type;
        const struct dlpack_exchange *api;
        PyCFunction is_negative; /* the type's is_neg; null: it has none that is written in C */
    } known[MODULE_EXCHANGES];
    size_t next;
} module_exchange;

/* A type of arrays that are made by a function of its library's own (space.h). */
typedef struct module_space {
    PyTypeObject *type; /* null: none */
    PyObject *quick, *device;
    const void *asked; /* the last type that was looked at; only compared */
} module_space;

typedef struct module_state {
    PyObject *errors[MODULE_ERROR_COUNT];
    PyTypeObject *array, *kernel, *engine;
    module_numpy numpy;
    module_exchange exchange;
    module_space space;
    struct {
        const void *text, *out, *thread; /* not held, and only compared */
    } noted;                             /* the last that evaluate.c has noted for re_evaluate */
} module_state;

/* For tables of methods and slots, which hold functions of several types as one. */
#define MODULE_FUNCTION(f) ((PyCFunction)(void (*)(void))(f))

/* Each adds its type to the module. */
bool array_type_add(PyObject *module, module_state *state);
bool kernel_type_add(PyObject *module, module_state *state);
bool engine_type_add(PyObject *module, module_state *state);

#endif
