/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ctrl-C on a terminal, which a long command asks for. */
#ifndef TOSAJIT_TOOLS_REPL_INTERRUPT_H
#define TOSAJIT_TOOLS_REPL_INTERRUPT_H

#include <stdbool.h>

/* True if Ctrl-C was pressed since repl_listen. */
bool repl_interrupted(void);
void repl_listen(void);
/* It was pressed; for a handler of signals. */
void repl_interrupt(void);

#endif
