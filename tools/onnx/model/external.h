/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Weights in a file beside a model, from where the engine maps them: it then copies none of them to
 * make a session. In: a model that is about to be written; out: the file, and the model without
 * them. */
#ifndef TOSAJIT_TOOLS_ONNX_MODEL_EXTERNAL_H
#define TOSAJIT_TOOLS_ONNX_MODEL_EXTERNAL_H

#include "tools/onnx/model/model.h"

/* Move the larger constants of the model's graph into the file `path`.data; where there are none,
 * there is no such file. False after an error; then the model may be changed in part. */
bool onnx_external_move(onnx_model *model, const char *path, onnx_error *error);

#endif
