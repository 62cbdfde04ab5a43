/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts as kernels. */
#ifndef TOSAJIT_TOOLS_PYTHON_COMPILE_H
#define TOSAJIT_TOOLS_PYTHON_COMPILE_H

#include "tools/python/engine.h"

typedef struct compile_given {
    PyObject *text;                  /* a str */
    const tosajit_named_type *types; /* of operands to which the text gives none */
    size_t type_count;
    bool drop_axes; /* reductions do, as NumPy's, unless they say other */
    bool quick;     /* by precompiled operations alone, where the engine has them */
    /* Dimensions, a bit each from the last one on, whose dynamic sizes are never below 2; promised
     * of as many operands. */
    uint32_t apart;
    Py_ssize_t apart_count;
} compile_given;

/* Compile a text; a kernel_object. Null with an exception. Where the engine has no room left, what
 * it remembers of evaluated texts makes room. */
PyObject *compile_text(engine_object *e, const compile_given *given);
/* The kernel alone; reductions, which may be null: how many there are. */
tosajit_status compile_kernel(tosajit_engine *engine, const compile_given *given,
                              tosajit_kernel **kernel, size_t *reductions);

/* Sizes of a kernel's operands. */
typedef struct compile_fit {
    uint8_t columns[TOSAJIT_MAX_TENSORS]; /* of each operand's last dimension; 0: any */
    bool apart;                           /* no size is below 2 */
} compile_fit;
/* The same for such sizes alone. Null, without an exception, where there is none. */
tosajit_kernel *compile_fitted(engine_object *e, const kernel_object *k, const compile_fit *fit);

#endif
