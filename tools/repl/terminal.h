/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The terminal while a line is typed: characters one by one, without echo. */
#ifndef TOSAJIT_TOOLS_REPL_TERMINAL_H
#define TOSAJIT_TOOLS_REPL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Ctrl-C interrupts commands from now on. */
void terminal_open(void);
/* Reads keys from now on, Ctrl-C and Ctrl-Z among them, or lines as usual. */
void terminal_edit(bool here);
/* The next character; what is none in the locale is left out. False at the end. Before anything is
 * waited for, show(context, resized) is called. */
bool terminal_read(wchar_t *character, void (*show)(void *context, bool resized), void *context);
/* Suspends the process, as Ctrl-Z does elsewhere. */
void terminal_suspend(void);
/* Of the window. */
size_t terminal_columns(void);

#endif
