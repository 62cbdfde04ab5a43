/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NumPy, where the program uses it: results are its arrays when an operand is one. */
#ifndef TOSAJIT_TOOLS_PYTHON_NUMPY_H
#define TOSAJIT_TOOLS_PYTHON_NUMPY_H

#include "tools/python/module.h"

bool numpy_is_array(module_state *state, PyObject *object);
bool numpy_is_scalar(module_state *state, PyObject *object);
/* Of a scalar of NumPy, the number or bool of Python that it is, and of a list, where NumPy is
 * used, the array: as a new reference. Null, perhaps with an exception, for everything else. */
PyObject *numpy_plain(module_state *state, PyObject *object);
/* Of what is an array to NumPy alone, as pandas' Series are, NumPy's array, likewise. */
PyObject *numpy_array(module_state *state, PyObject *object);
/* True if an array has a mask, which a result would lose. */
bool numpy_is_masked(module_state *state, PyObject *object);
/* Of an array of bf16 or f8, as ml_dtypes has them: the element type, and the same memory as an
 * array of unsigned integers, as a new reference. Null without an exception for everything else. */
PyObject *numpy_bits(module_state *state, PyObject *object, tosajit_type *element);
/* numpy.empty, after numpy_is_array has found one, with sizes and strides of a tensor, where NumPy
 * is as it is known. bits: where there is such a type (numpy_bits), as an array of that. */
PyObject *numpy_make(module_state *state, const tosajit_tensor *like, bool bits);
/* Parts of NumPy that it compiles into every extension: where an array's memory is, without asking
 * for a buffer, which takes longer than a short run. */
typedef struct numpy_sight {
    char *data;
    int32_t rank;
    const int64_t *dims, *strides; /* the array's own, in bytes */
    tosajit_type element;
    bool bits; /* of a type that others have added */
} numpy_sight;
/* See an array of exactly NumPy's type, and of an element type of its own or one that numpy_bits
 * has met before: `wanted`, or any with TOSAJIT_TYPE_COUNT. False, without an exception, for
 * everything else, and for what is to be written and may not be. */
bool numpy_see(const module_state *state, PyObject *object, tosajit_type wanted, bool writable,
               numpy_sight *sight);
void numpy_forget(module_numpy *numpy);

#endif
