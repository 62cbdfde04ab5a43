/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many channels the engine keeps side by side on this machine. In: a model that was made to ask
 * for it, as the engine has optimised it; out: the number. */
#ifndef TOSAJIT_TOOLS_ONNX_PROBE_H
#define TOSAJIT_TOOLS_ONNX_PROBE_H

#include "tools/onnx/model/model.h"

/* Write the model: a convolution from a single channel to a single channel. */
bool onnx_probe_write(const char *path, onnx_error *error);
/* The channels that the convolution has got; 0: it is as it was. */
bool onnx_probe_read(const char *path, int64_t *block, onnx_error *error);

#endif
