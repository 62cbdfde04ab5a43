/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines from somebody at a console of Windows, which edits them and remembers them by itself. */
#include "tools/repl/edit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/repl/interrupt.h"

struct repl_edit {
    char line[REPL_LONGEST_LINE];
};

static void on_signal(int number) {
    signal(number, on_signal);
    repl_interrupt();
}

repl_edit *repl_edit_open(void) {
    repl_edit *e = malloc(sizeof *e);
    if (!e) fputs("tosajit: error: out of memory\n", stderr);
    if (e) signal(SIGINT, on_signal);
    return e;
}

repl_input repl_edit_line(repl_edit *e, const char *prompt, const char **line, size_t *length) {
    size_t count = 0;
    int c;
    repl_listen();
    fputs(prompt, stdout);
    fflush(stdout);
    while ((c = getchar()) != EOF && c != '\n')
        if (c != '\r' && count++ < sizeof e->line) e->line[count - 1] = (char)c;
    *line = e->line;
    *length = count;
    if (repl_interrupted()) return REPL_INTERRUPTED;
    if (c == EOF && count == 0) return REPL_END;
    return count > sizeof e->line ? REPL_CUT : REPL_LINE;
}

void repl_edit_remember(repl_edit *e, const char *line, size_t length) {
    (void)e;
    (void)line;
    (void)length;
}

void repl_edit_close(repl_edit *e) { free(e); }
