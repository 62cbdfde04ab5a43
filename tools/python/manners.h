/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NumPy's manners: what tosajit/_numpy.py makes of a text. */
#ifndef TOSAJIT_TOOLS_PYTHON_MANNERS_H
#define TOSAJIT_TOOLS_PYTHON_MANNERS_H

#include "tools/python/module.h"

typedef enum manners_casting {
    MANNERS_NO,
    MANNERS_EQUIV,
    MANNERS_SAFE,
    MANNERS_SAME_KIND,
    MANNERS_UNSAFE,
    MANNERS_CASTINGS
} manners_casting;

/* By the word that NumPy has for it; MANNERS_CASTINGS with an exception. */
manners_casting manners_find_casting(module_state *state, PyObject *word);

/* The names of the operands of a text that the library does not read, which is why there is an
 * exception; it stays if the text is no Python either. Null with an exception. */
PyObject *manners_names(module_state *state, PyObject *text);

/* A text and the types of its operands. */
typedef struct manners_text {
    PyObject *text, *names;
    const uint8_t *element, *rank; /* of each */
    uint64_t weak;                 /* bit i: operand i is a number */
    tosajit_type out;              /* TOSAJIT_TYPE_COUNT: the result's own */
    manners_casting casting;
} manners_text;

/* The text that the library shall compile, as a new reference: the same, or another one. Null with
 * an exception. */
PyObject *manners_translate(module_state *state, const manners_text *m);

#endif
