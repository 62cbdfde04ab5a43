/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An op as it is typed: what help shows. In: an op; out: text on standard output. */
#ifndef TOSAJIT_TOOLS_REPL_OP_EXAMPLE_H
#define TOSAJIT_TOOLS_REPL_OP_EXAMPLE_H

#include "tosajit/tosajit.h"

/* Both ways to write an op, ready to be typed: alone with types, and as a call. */
void op_example_print(tosajit_op op);

#endif
