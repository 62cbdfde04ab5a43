/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit.Engine: who compiles, with which options, and what it remembers of evaluated texts. */
#ifndef TOSAJIT_TOOLS_PYTHON_ENGINE_H
#define TOSAJIT_TOOLS_PYTHON_ENGINE_H

#include "tools/python/engine_made.h"
#include "tools/python/kernel.h"

/* Kernels are compiled in turn, so whoever waits for the last few has waited for all. */
enum { ENGINE_PENDING = 16 };

typedef struct engine_object {
    PyObject_HEAD module_state *state;
    tosajit_engine_options options; /* refers to what follows */
    PyObject *cache, *cpu;          /* bytes; null: none */
    engine_made *made;              /* null: not yet */
    PyObject *remembered;           /* a dict from texts to what evaluate.c keeps of them */
    tosajit_kernel *pending[ENGINE_PENDING]; /* the last that were not native, held; a ring */
    size_t pending_next;
} engine_object;

/* The engines of this process, with one more user, who leaves them. Null with an exception. */
engine_made *engine_use(engine_object *e);
/* Have them made anew: with other options, or because this is another process. */
void engine_renew(engine_object *e);
/* Forget evaluated texts, and have what is compiled for them done. */
void engine_make_room(engine_object *e);
/* Wait for what compiles in the background. A kernel that cannot be compiled stays as it is. */
void engine_wait(engine_object *e);
/* A kernel that may be compiling. */
void engine_note(engine_object *e, tosajit_kernel *kernel);

#endif
