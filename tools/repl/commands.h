/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The commands that begin with a colon, and what completion may know of them. */
#ifndef TOSAJIT_TOOLS_REPL_COMMANDS_H
#define TOSAJIT_TOOLS_REPL_COMMANDS_H

#include "tools/repl/session.h"

/* Run the command of a line. False after a message. */
bool repl_command(repl *r, const repl_line *line);
/* The commands' names, without colons, in order; null behind the last one. */
const char *repl_command_name(size_t index);
/* Words behind a command, for completion: words, where "*" means operations and commands,
 * and "cpu" names of CPUs; and endings of files; null: none. */
const char *repl_command_words(size_t index);
const char *repl_command_files(size_t index);

#endif
