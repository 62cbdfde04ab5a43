/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Completion. In: a line up to the cursor; out: its last word, and what that may become. */
#ifndef TOSAJIT_TOOLS_REPL_COMPLETE_H
#define TOSAJIT_TOOLS_REPL_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

/* The word of a line that is being typed at its end. */
typedef struct repl_place {
    size_t begin;         /* of the word, behind a quote */
    bool is_file, quoted; /* it may be a file; it is behind an open quote */
} repl_place;
repl_place repl_find_word(const char *line, size_t length);
/* Completions of that word: calls each(context, candidate). Directories end in a slash. */
void repl_complete(const char *line, size_t length, const repl_place *place,
                   void (*each)(void *context, const char *candidate), void *context);

#endif
