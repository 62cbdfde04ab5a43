/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ctrl-R: the latest line of the history that contains what is typed; Ctrl-R again for an older
 * one, Ctrl-G for the line as it was. Any other key that edits ends the search and is obeyed.
 * libedit has such a search, but takes what is typed for a regular expression, at each character of
 * each line: a key takes seconds with long lines, and "\(a*\)*\1b" has no end. This one takes time
 * that is linear in the history. */
#ifndef TOSAJIT_TOOLS_REPL_HISTORY_SEARCH_H
#define TOSAJIT_TOOLS_REPL_HISTORY_SEARCH_H

#include <histedit.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

enum {
    HISTORY_SEARCH_PATTERN = 64, /* characters that are searched for */
    HISTORY_SEARCH_KEY = 0x92,   /* what libedit is given in place of a search's keys: Escape
                                    Ctrl-R, which does nothing else */
};

typedef struct history_search {
    EditLine *line;
    History *history;
    const char **prompt; /* what the line shows in front; the pattern while somebody searches */
    const char *usual;   /* the prompt at other times */
    char *kept;          /* the line as it was; owned; null while nobody searches */
    wchar_t pattern[HISTORY_SEARCH_PATTERN + 1];
    size_t length;
    int place;     /* of the line that is shown: 1 is the latest, 0 the one that is kept */
    wchar_t key;   /* what libedit was not given */
    bool returned; /* it ended the search, and is the next key */
    char shown[HISTORY_SEARCH_PATTERN * MB_LEN_MAX + 32];
} history_search;

void history_search_open(history_search *s, EditLine *line, History *history, const char **prompt);
/* Forget a search that was going on; the prompt is left alone. */
void history_search_reset(history_search *s);
/* Ctrl-R where nobody searches. Both tell libedit what to do, as its own functions do. */
unsigned char history_search_begin(history_search *s);
/* HISTORY_SEARCH_KEY. */
unsigned char history_search_step(history_search *s);
/* While somebody searches: keep the key, and make it HISTORY_SEARCH_KEY. */
void history_search_take(history_search *s, wchar_t *key);
/* The key that ended a search, once. */
bool history_search_return(history_search *s, wchar_t *key);

#endif
