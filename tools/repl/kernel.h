/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Making the last kernel, and its texts. In: what is being answered; out: the session's kernel, or
 * a message and the former one. */
#ifndef TOSAJIT_TOOLS_REPL_KERNEL_H
#define TOSAJIT_TOOLS_REPL_KERNEL_H

#include "tools/repl/session.h"
#include "tosajit/inspect.h"

/* Of the line being answered; it is shown. */
void repl_take_line(repl *r);
/* Of every function of the text being answered; each is shown, and the last one stays. */
void repl_take_mlir(repl *r);
/* Make it again, because a setting has changed. False after a message; then there is the former
 * one. */
bool repl_remake(repl *r, tosajit_engine *engine, bool strict);

/* Its text as it is compiled, with names; to be freed. Null after a message. */
char *repl_print(repl *r, tosajit_view view);
/* "937 bytes of code in 2.91 ms ..." */
void repl_print_compilation(const repl *r);

#endif
