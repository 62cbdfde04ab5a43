/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which regions compute before a transposition. In: regions; out: for some another view and text.
 *
 *     Transpose a -> a', Transpose b -> b', region a', b' -> r
 *     region a, b -> r', Transpose r' -> r
 *
 * One is less to move than two. The engine may then join it with a product of matrices behind it.
 */
#ifndef TOSAJIT_TOOLS_ONNX_TRANSPOSE_H
#define TOSAJIT_TOOLS_ONNX_TRANSPOSE_H

#include "tools/onnx/share.h"

/* False if out of memory. */
bool onnx_transpose_choose(const onnx_writer *w, onnx_choices *all);
/* The value that such a region reads in place of another. */
const char *onnx_transpose_source(const onnx_graph *g, int32_t value);

#endif
