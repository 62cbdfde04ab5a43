/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that a model keeps its weights in. In: a model, where it was read and where it is written;
 * out: the files in the folder of the new one, because it names them from there. */
#ifndef TOSAJIT_TOOLS_ONNX_MODEL_WEIGHTS_H
#define TOSAJIT_TOOLS_ONNX_MODEL_WEIGHTS_H

#include "tools/onnx/model/model.h"

typedef struct onnx_weights {
    size_t files; /* that the model names */
    size_t copied;
    uint64_t bytes; /* of those that were copied */
} onnx_weights;

/* Copy what is not there yet. A file with other bytes is refused and stays as it is, and so is a
 * name that leads out of the folder. With the same folder, or where one of the two paths is no file
 * in a folder, such as "-" and /dev/null, nothing is copied. */
bool onnx_weights_copy(onnx_model *model, const char *from, const char *to, onnx_weights *done,
                       onnx_error *error);
/* True if a path can name a file. The file need not exist. */
bool onnx_weights_has_folder(const char *path);

#endif
