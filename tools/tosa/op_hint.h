/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The op that somebody may have meant. In: the name of an op that does not exist; out: a question
 * for the end of a message. */
#ifndef TOSAJIT_TOOLS_TOSA_OP_HINT_H
#define TOSAJIT_TOOLS_TOSA_OP_HINT_H

#include <stddef.h>

enum { OP_HINT = 64 };

/* "; did you mean tosa.abs?" of tosa.abz, "; in TOSA it is tosa.exp" of math.exp; empty where no op
 * is near. Returns hint. */
const char *op_hint(const char *name, size_t length, char hint[OP_HINT]);
/* The same for the op that a message of MLIR quotes: "custom op 'tosa.abz' is unknown". */
const char *op_hint_of_message(const char *message, char hint[OP_HINT]);

#endif
