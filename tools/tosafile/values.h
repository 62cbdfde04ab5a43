/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file's tensors. In: a tensor of the flatbuffer; out: the tosajit type, or the elements in
 * memory, or the reason why there are none. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_VALUES_H
#define TOSAJIT_TOOLS_TOSAFILE_VALUES_H

#include "tools/tosafile/graph.h"

tosajit_status file_tensor_type(const flat_tensor *tensor, tosajit_tensor_type *type,
                                char why[TOSA_WHY]);
/* The elements of a constant, row-major, as the library keeps them; to be freed. The type is the
 * tensor's. */
tosajit_status file_constant(const file_graph *g, int32_t value, const tosajit_tensor_type *type,
                             void **elements, char why[TOSA_WHY]);

#endif
