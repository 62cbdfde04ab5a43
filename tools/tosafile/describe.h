/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reader of TOSA's flatbuffers. In: a block's graph; out: what tools/tosa asks of an operator,
 * in its words. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_DESCRIBE_H
#define TOSAJIT_TOOLS_TOSAFILE_DESCRIBE_H

#include "tools/tosafile/graph.h"

/* Numbers among the attributes have the type of the first operand. */
extern const tosa_reader file_reader;

#endif
