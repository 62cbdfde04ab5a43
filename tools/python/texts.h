/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An engine's memory of evaluated texts: the names of the operands, and a kernel for each
 * list of types that it met. */
#ifndef TOSAJIT_TOOLS_PYTHON_TEXTS_H
#define TOSAJIT_TOOLS_PYTHON_TEXTS_H

#include "tools/python/engine.h"

enum { TEXTS_KERNELS = 32 };

/* The signature of a call, by which its kernel is found; kernels are dynamic in all sizes. */
typedef struct signature {
    uint8_t element[TOSAJIT_MAX_TENSORS], rank[TOSAJIT_MAX_TENSORS];
    uint64_t weak;   /* bit i: operand i is a number or a bool, which takes its type from what it
                        meets;   its element type here is one that has its value */
    uint64_t floats; /* bit i: operand i is a float among these */
    uint8_t out;     /* element type that the result is cast to; TOSAJIT_TYPE_COUNT: its own */
    uint8_t casting; /* how (manners.h) */
} signature;

typedef struct remembered {
    PyObject *names;  /* of operands: a tuple of str */
    Py_ssize_t count; /* of names */
    bool declares;    /* the text is one of the library's language */
    PyObject
        *function; /* what computes the text, where no kernel does (manners.h); null: kernels */
    size_t by_function; /* calls since there is one */
    size_t kernels;     /* that were made; the last TEXTS_KERNELS of them are here */
    struct {
        signature types;
        kernel_object *kernel;
    } known[TEXTS_KERNELS];
} remembered;

/* Facts about a text, as a new reference to its capsule. Null with an exception. */
PyObject *texts_find(engine_object *e, PyObject *text);
remembered *texts_of(PyObject *capsule);
/* Where the kernel for these types is; TEXTS_KERNELS: nowhere. */
size_t texts_kernel(const remembered *r, const signature *types);
/* Keep a kernel: in the place of the oldest kernel if there are too many, or in a given place. */
void texts_keep(remembered *r, const signature *types, kernel_object *kernel);
void texts_replace(remembered *r, size_t slot, kernel_object *kernel);
void texts_forget_kernels(remembered *r);

#endif
