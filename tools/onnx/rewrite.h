/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A graph whose regions are nodes. In: a graph and its regions; out: its list of nodes anew, with
 * the constants and types that new nodes need. Every value is given before it is read. */
#ifndef TOSAJIT_TOOLS_ONNX_REWRITE_H
#define TOSAJIT_TOOLS_ONNX_REWRITE_H

#include "tools/onnx/share.h"

/* The next numbers of "tosajit/region_0", a node, and "tosajit/value_0". */
typedef struct onnx_names {
    size_t regions, values;
} onnx_names;

/* The regions get their numbers. False if out of memory. */
bool onnx_rewrite(onnx_graph *g, onnx_choices *choices, tosajit_accuracy accuracy,
                  onnx_names *names);

#endif
