/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types of a node's results, before it has a kernel. In: its expression, and what the engine knows
 * of its inputs; out: element types and sizes of its outputs. The engine's optimisations make
 * values that the model does not declare, and ask for their types. */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_INFER_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_INFER_H

#include "tools/onnxruntime/abi.h"

/* Tell the engine of the first outputs, of which the node has at least `least`. Parts that cannot
 * be read are left out; making the kernel says what is wrong with it. Thread-safe. */
void infer_outputs(const ort_api *api, size_t least, ort_inference *node);

#endif
