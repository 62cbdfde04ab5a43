/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code of regions within a model. In: regions as texts, and engines of the CPUs that the code is
 * for. Out: for each region the name of a constant with its image. Regions that one kernel can
 * serve share the constant. */
#ifndef TOSAJIT_TOOLS_ONNX_IMAGES_H
#define TOSAJIT_TOOLS_ONNX_IMAGES_H

#include "tools/onnx/convert.h"
#include "tools/onnx/share.h"

/* Fill in the choices' images, and add the constants to the graph. Names are new in this graph and
 * those around it: *number counts through the model. False after an error. */
bool onnx_add_images(onnx_graph *g, const onnx_options *options, onnx_choices *choices,
                     size_t *number, onnx_report *report, onnx_error *error);

#endif
