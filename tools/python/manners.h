/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NumPy's manners: what tosajit/_texts.py makes of a text. */
#ifndef TOSAJIT_TOOLS_PYTHON_MANNERS_H
#define TOSAJIT_TOOLS_PYTHON_MANNERS_H

#include "tools/python/view.h"

typedef enum manners_casting {
    MANNERS_NO,
    MANNERS_EQUIV,
    MANNERS_SAFE,
    MANNERS_SAME_KIND,
    MANNERS_UNSAFE,
    MANNERS_CASTINGS
} manners_casting;

const char *manners_casting_word(manners_casting casting);
/* By the word that NumPy has for it; MANNERS_CASTINGS with an exception. */
manners_casting manners_find_casting(module_state *state, PyObject *word);

/* The names of the operands of a text, as a tuple. None if it declares types, as the library's
 * language does; a str if it is no Python, which says why. Null with an exception. */
PyObject *manners_names(module_state *state, PyObject *text);

/* A text and the types of its operands. */
typedef struct manners_text {
    PyObject *text, *names;
    PyObject *const *objects; /* the operands */
    const view *views;        /* theirs */
    const uint8_t *element;   /* of each */
    uint64_t weak, floats;    /* as in texts.h */
    tosajit_type out;         /* TOSAJIT_TYPE_COUNT: the result's own */
    manners_casting casting;
} manners_text;

/* The text that the library shall compile, in new references. */
typedef struct manners_made {
    PyObject *text;      /* the same, or another one; null: */
    PyObject *function;  /* a function of engine, operands, out and casting is the text */
    PyObject *guard;     /* kernel.h; null: none */
    PyObject *sentences; /* a tuple, for the guard */
    bool guards_all;
    PyObject *layouts; /* a tuple, or None (kernel.h) */
} manners_made;

/* False with an exception. */
bool manners_translate(module_state *state, const manners_text *m, manners_made *made);
void manners_release(manners_made *made);
/* A function as above, where an operand has a type that NumPy has alone, or whatever they are;
 * null, perhaps with an exception, where there is none. */
PyObject *manners_numpy(PyObject *text, PyObject *names, PyObject *const *objects, bool whatever);
/* Have the exception about a text that was made speak of the caller's. */
void manners_reword(const manners_text *m);

#endif
