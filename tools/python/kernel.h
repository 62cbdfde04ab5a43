/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit.Kernel: a compiled text, which is called with arrays. */
#ifndef TOSAJIT_TOOLS_PYTHON_KERNEL_H
#define TOSAJIT_TOOLS_PYTHON_KERNEL_H

#include "tools/python/module.h"

/* Demands of a call on an operand or a result. */
typedef struct kernel_tensor {
    tosajit_type element;
    int32_t rank;
} kernel_tensor;

/* PEP 590: how calls come without a tuple and a dict. The limited API has it from 3.12 on, by other
 * names; every Python from 3.9 on does it. */
typedef PyObject *kernel_vectorcall(PyObject *self, PyObject *const *args, size_t count,
                                    PyObject *names);

typedef struct fitted fitted;

typedef struct kernel_object {
    PyObject_HEAD module_state *state;
    kernel_vectorcall *call;
    tosajit_kernel *kernel;
    PyObject *engine;  /* kept, for what it compiles in the background; null: not */
    PyObject *text;    /* that was compiled, with its types; null: none */
    bool quick;        /* made for a first answer: precompiled operations, as long as it lives */
    bool drops;        /* axes that it reduces, as NumPy does (compile.h) */
    bool compiles;     /* its engine makes code, and the text is there */
    size_t reductions; /* in it */
    uint8_t looks;     /* that were taken at its first calls (patience.h) */
    fitted *fitted;    /* kernels for some sizes (fit.h); null: none */
    PyObject *names;   /* of operands, then of results: a tuple of str */
    PyObject *guard; /* of evaluate: a kernel of the same operands, which gives 0 where the call is
                        fine, else which of `sentences`, from 1 on, says why not; null: none */
    PyObject *sentences; /* a tuple of str; null where there is no guard */
    bool guards_all;     /* false: only calls with an empty operand need the guard */
    PyObject *layouts;   /* of results that are NumPy's, as a tuple (layout.h); null: C's order */
    Py_ssize_t operand_count, result_count;
    kernel_tensor tensors[TOSAJIT_MAX_TENSORS]; /* operands, then results */
} kernel_object;

/* Set `layouts`; None: C's order. False with an exception. */
bool kernel_lay(kernel_object *k, PyObject *layouts);
/* Takes the kernel's reference, also where it fails. Null with an exception. */
PyObject *kernel_make(module_state *state, tosajit_kernel *kernel);

#endif
