/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Another program, run to its end. In: its words and what it reads; out: its exit code. */
#ifndef TOSAJIT_TOOLS_BASE_RUN_PROGRAM_H
#define TOSAJIT_TOOLS_BASE_RUN_PROGRAM_H

enum { NO_PROGRAM = 127 };

/* words[0] is looked for in PATH; input is the descriptor of its standard input. NO_PROGRAM if
 * there is none of that name, -1 if it could not be run or did not end by itself. */
int run_program(char *const *words, int input);

#endif
