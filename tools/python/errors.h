/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Exceptions: the library's statuses and sentences, as classes that Python programs expect. */
#ifndef TOSAJIT_TOOLS_PYTHON_ERRORS_H
#define TOSAJIT_TOOLS_PYTHON_ERRORS_H

#include "tools/python/module.h"

/* Make the classes, and add them to the module. */
bool errors_add(PyObject *module, module_state *state);

/* Raise what belongs to the status, with the library's last sentence. False for OK. */
bool errors_raise(module_state *state, tosajit_status status);
/* The same of a call with a file: an OSError, as FileNotFoundError, for what the system refuses. */
bool errors_raise_file(module_state *state, tosajit_status status, PyObject *path);
/* Raise a sentence of the extension's own; the format is PyUnicode_FromFormat's. Null always. */
PyObject *errors_say(module_state *state, tosajit_status status, const char *format, ...);
/* Let the sentence of the library's exception that is raised name operands as their user does. */
void errors_name(const module_state *state, PyObject *names, Py_ssize_t operand_count);

#endif
