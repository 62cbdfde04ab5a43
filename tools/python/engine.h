/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit.Engine: who compiles, with which options, and what it remembers of evaluated texts. */
#ifndef TOSAJIT_TOOLS_PYTHON_ENGINE_H
#define TOSAJIT_TOOLS_PYTHON_ENGINE_H

#include "tools/python/kernel.h"

typedef struct engine_object {
    PyObject_HEAD module_state *state;
    tosajit_engine *engine;
    PyObject *remembered; /* a dict from texts to what evaluate.c keeps of them */
} engine_object;

#endif
