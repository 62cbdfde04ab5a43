/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An operator of a file in the words of tools/tosa. In: its fields; out: a description, without its
 * operands' values and its result's type. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_DESCRIBE_H
#define TOSAJIT_TOOLS_TOSAFILE_DESCRIBE_H

#include "tools/tosa/op.h"
#include "tools/tosafile/graph.h"

/* Numbers among the attributes have the type of the first operand. */
void file_describe(const file_graph *g, int32_t op, tosa_op *description);

#endif
