/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answering. In: one complete line, or one complete text of MLIR, at a time; out: answers on
 * standard output, findings on standard error. */
#ifndef TOSAJIT_TOOLS_REPL_ANSWER_H
#define TOSAJIT_TOOLS_REPL_ANSWER_H

#include "tools/repl/session.h"

/* A line, which is number `line` of the input. */
void repl_answer(repl *r, const char *text, size_t length, size_t line);
/* A whole text of MLIR that begins in that line: every function of it. */
void repl_answer_mlir(repl *r, const char *text, size_t length, size_t line);

#endif
