/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines that begin with a colon. In: a line; out: the command and its words.
 *
 *     command = ":" name { word }     a word may be "quoted"; brackets keep what is inside together
 */
#ifndef TOSAJIT_TOOLS_REPL_COMMAND_LINE_H
#define TOSAJIT_TOOLS_REPL_COMMAND_LINE_H

#include "jit/text/parse.h"

typedef struct repl_line {
    text_span command; /* the name, without the colon */
    text_span *words;  /* without quotes; owned */
    size_t word_count;
} repl_line;

/* True if a line is a command: a colon is its first character that is no space. */
bool repl_is_command(const char *text, size_t length);
/* False after an error; otherwise repl_line_release. */
bool repl_parse_command(const char *text, size_t length, repl_line *line, text_error *error);
void repl_line_release(repl_line *line);

#endif
