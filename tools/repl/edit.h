/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines from somebody at a terminal: editing, history, completion, Ctrl-C. In: keys; out: lines. */
#ifndef TOSAJIT_TOOLS_REPL_EDIT_H
#define TOSAJIT_TOOLS_REPL_EDIT_H

#include <stddef.h>

enum { REPL_LONGEST_LINE = 65536 }; /* in characters */

typedef struct repl_edit repl_edit;

typedef enum repl_input {
    REPL_LINE,
    REPL_INTERRUPTED,
    REPL_CUT, /* what was typed is longer than a terminal's line may be */
    REPL_END,
} repl_input;

/* Null after a message. */
repl_edit *repl_edit_open(void);
/* The next line, without its newline; it stays until the next call. It is not yet in the history.
 */
repl_input repl_edit_line(repl_edit *e, const char *prompt, const char **line, size_t *length);
/* Put a statement into the history, in one line. */
void repl_edit_remember(repl_edit *e, const char *line, size_t length);
void repl_edit_close(repl_edit *e);

#endif
