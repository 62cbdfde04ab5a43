/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values that are computed once, while converting. In: a graph; out: nodes with fewer operands, and
 * new constants. */
#ifndef TOSAJIT_TOOLS_ONNX_LOWERING_FOLD_H
#define TOSAJIT_TOOLS_ONNX_LOWERING_FOLD_H

#include "tools/onnx/model/graph.h"

/* Each BatchNormalization at inference becomes x * a + b: its node then reads x, a and b, and the
 * message stays as it is. InstanceNormalization reads scale and bias as tensors that broadcast.
 * QuantizeLinear and DequantizeLinear read a scale and, unless it is 0, a zero point, both of f32
 * and of a shape that broadcasts along the axis. QLinearAdd and its kin read data and numbers, as
 * the texts of forms.c name them. False if out of memory. */
bool onnx_fold(onnx_graph *g, arena *memory);

#endif
