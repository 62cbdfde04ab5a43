/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A converted model as a picture. In: a model and what was done to it; out: a graph in Graphviz's
 * language, in which regions have a colour. */
#ifndef TOSAJIT_TOOLS_ONNX_DOT_H
#define TOSAJIT_TOOLS_ONNX_DOT_H

#include <stdio.h>

#include "tools/onnx/convert.h"

/* False after an error, which is about memory. The caller checks the stream for errors. */
bool onnx_dot_print(onnx_model *model, const onnx_report *report, FILE *to, onnx_error *error);

#endif
