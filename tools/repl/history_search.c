/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libedit draws the line only after one of its functions. So each key of a search comes to
 * history_search_step as the one key that is bound to it. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "tools/repl/history_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ABORT = 0x07, RUB_OUT = 0x08, OLDER = 0x12, DELETE = 0x7f };

void history_search_open(history_search *s, EditLine *line, History *history, const char **prompt) {
    *s = (history_search){.line = line, .history = history, .prompt = prompt};
}

void history_search_reset(history_search *s) {
    free(s->kept);
    s->kept = NULL;
    s->returned = false;
}

static void replace_line(EditLine *line, const char *text) {
    const LineInfoW *info = el_wline(line);
    el_cursor(line, (int)(info->lastchar - info->cursor));
    el_deletestr(line, (int)(info->lastchar - info->buffer));
    el_insertstr(line, text);
}

static void show_pattern(history_search *s, bool found) {
    char pattern[HISTORY_SEARCH_PATTERN * MB_LEN_MAX + 1];
    if (wcstombs(pattern, s->pattern, sizeof pattern) == (size_t)-1) pattern[0] = '\0';
    snprintf(s->shown, sizeof s->shown, "%s '%s': ", found ? "search" : "no line with", pattern);
    *s->prompt = s->shown;
}

unsigned char history_search_begin(history_search *s) {
    if (s->kept) return CC_ERROR;
    const LineInfo *info = el_line(s->line);
    char *kept = strndup(info->buffer, (size_t)(info->lastchar - info->buffer));
    if (!kept) return CC_ERROR;
    s->kept = kept;
    s->usual = *s->prompt;
    s->length = 0;
    s->pattern[0] = L'\0';
    s->place = 0;
    show_pattern(s, true);
    return CC_REFRESH;
}

/* Show the latest line from a place on that contains the pattern. */
static bool find(history_search *s, int from) {
    char pattern[HISTORY_SEARCH_PATTERN * MB_LEN_MAX + 1];
    HistEvent event;
    int place = 1, more = history(s->history, &event, H_FIRST);
    if (wcstombs(pattern, s->pattern, sizeof pattern) == (size_t)-1) return false;
    while (more >= 0 && (place < from || !strstr(event.str, pattern))) {
        more = history(s->history, &event, H_NEXT);
        place++;
    }
    if (more < 0) return false;
    if (place != s->place) replace_line(s->line, event.str);
    s->place = place;
    return true;
}

static unsigned char end(history_search *s, bool key_is_left) {
    *s->prompt = s->usual;
    history_search_reset(s);
    s->returned = key_is_left;
    return CC_REFRESH;
}

/* A shorter pattern is looked for from the latest line on; without one, nothing has been found. */
static bool rub_out(history_search *s) {
    if (s->length == 0) return false;
    s->pattern[--s->length] = L'\0';
    if (s->length > 0) return find(s, 1);
    replace_line(s->line, s->kept);
    s->place = 0;
    return true;
}

static bool append(history_search *s) {
    if (s->length == HISTORY_SEARCH_PATTERN) return false;
    s->pattern[s->length++] = s->key;
    s->pattern[s->length] = L'\0';
    return find(s, s->place);
}

unsigned char history_search_step(history_search *s) {
    bool found;
    if (!s->kept) return CC_ERROR;
    if (s->key == ABORT) {
        replace_line(s->line, s->kept);
        return end(s, false);
    }
    if (s->key == OLDER)
        found = s->length > 0 && find(s, s->place + 1);
    else if (s->key == RUB_OUT || s->key == DELETE)
        found = rub_out(s);
    else if (s->key >= L' ')
        found = append(s);
    else
        return end(s, true);
    show_pattern(s, found);
    return found ? CC_REFRESH : CC_REFRESH_BEEP;
}

void history_search_take(history_search *s, wchar_t *key) {
    if (!s->kept) return;
    s->key = *key;
    *key = HISTORY_SEARCH_KEY;
}

bool history_search_return(history_search *s, wchar_t *key) {
    bool returned = s->returned;
    if (returned) *key = s->key;
    s->returned = false;
    return returned;
}
