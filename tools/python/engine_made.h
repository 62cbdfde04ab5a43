/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library's engines behind an object of Python. They are made when they are first used, and
 * again in a child process, whose copies have no threads. */
#ifndef TOSAJIT_TOOLS_PYTHON_ENGINE_MADE_H
#define TOSAJIT_TOOLS_PYTHON_ENGINE_MADE_H

#include "tools/python/module.h"

/* Who compiles without Python's lock is a user. The object may get other engines meanwhile. */
typedef struct engine_made {
    tosajit_engine *compiling; /* null: not made yet, because the quick one sufficed */
    tosajit_engine *quick;     /* precompiled operations alone; null: there is no need of it */
    size_t users;              /* and the object itself is one */
    unsigned forks;            /* that the process had behind it */
} engine_made;

/* With one user. Null with an exception. */
engine_made *engine_made_new(module_state *state, const tosajit_engine_options *options);
/* The engine that compiles, which may start threads. Null with an exception. */
tosajit_engine *engine_made_compiling(module_state *state, engine_made *m,
                                      const tosajit_engine_options *options);
/* True if this process has made it. */
bool engine_made_here(const engine_made *m);
/* The last user destroys the engines, for a moment without Python's lock. Null is allowed. */
void engine_made_leave(engine_made *m);

#endif
