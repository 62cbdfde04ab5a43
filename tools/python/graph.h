/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Graphs as arrays. tosajit/_graph.py makes arrays of a host's graph. */
#ifndef TOSAJIT_TOOLS_PYTHON_GRAPH_H
#define TOSAJIT_TOOLS_PYTHON_GRAPH_H

#include "tools/python/module.h"

/* tosajit_partition of buffers, each by the name of its member; regions is written. */
PyObject *graph_partition(PyObject *module, PyObject *arguments, PyObject *named);

#endif
