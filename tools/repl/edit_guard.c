/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How libedit is kept from what it does not stand: libedit 3.1 of 2022 (Debian 12), read for each
 * of these.
 *
 * - The window becomes smaller than the line: libedit keeps the cursor outside its picture of the
 *   screen. Here the line is taken out, and put back into the new window.
 * - A line fills the window, the cursor goes to its beginning and back, and somebody types: libedit
 *   takes a place outside the window for the cursor's, and counts rows beyond its picture. Here the
 *   picture is drawn anew before such a key.
 * - A line that is longer than libedit's first buffer comes from the history: it is written beyond
 *   that, or into the one it had before. Here buffers have their largest size from the beginning.
 * - Escape 9 9 9 9 9 9 x a million characters. Here such counts are unbound.
 * - A line is searched by a regular expression, which may take as long as it likes. Here the keys
 *   for that are unbound; history_search.h is what Ctrl-R does. */
#include "tools/repl/edit_guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLACK = 4096, /* of the buffers: whatever libedit appends */
    WIDEST = 8,   /* columns of a character that is no plain ASCII: \U+10FFFF, or a tab */
    NARROW = 16,  /* columns of a window in which libedit counts wrong */
};

static size_t length_of(const LineInfoW *info) { return (size_t)(info->lastchar - info->buffer); }
static size_t place_of(const LineInfoW *info) { return (size_t)(info->cursor - info->buffer); }

/* Buffers grow when something is inserted, and never shrink. */
static void enlarge_buffers(EditLine *line) {
    wchar_t *text = malloc((EDIT_GUARD_LONGEST + SLACK + 1) * sizeof *text);
    if (!text) return;
    wmemset(text, L' ', EDIT_GUARD_LONGEST + SLACK);
    text[EDIT_GUARD_LONGEST + SLACK] = L'\0';
    el_winsertstr(line, text);
    el_deletestr(line, EDIT_GUARD_LONGEST + SLACK);
    free(text);
}

/* Counts in front of a key (Escape 9), libedit's own commands (Escape x) and its searches (Escape p
 * and n, Ctrl-S), as keys of one byte and of two. */
static void unbind(EditLine *line) {
    for (const char *key = "0123456789xXpPnN"; *key; key++) {
        char one[16], two[8];
        snprintf(one, sizeof one, "\\%o", (unsigned)*key | 0x80);
        snprintf(two, sizeof two, "^[%c", *key);
        el_set(line, EL_BIND, "-r", one, NULL);
        el_set(line, EL_BIND, "-r", two, NULL);
    }
    el_set(line, EL_BIND, "-r", "^S", NULL);
}

void edit_guard_open(edit_guard *g, EditLine *line, const char **prompt) {
    *g = (edit_guard){.line = line, .prompt = prompt};
    enlarge_buffers(line);
    unbind(line);
}

void edit_guard_begin(edit_guard *g) { g->astray = g->cut = false; }

/* Draw the line where the cursor is. */
static void draw(const edit_guard *g) {
    putchar('\r');
    el_set(g->line, EL_REFRESH);
}

void edit_guard_resize(edit_guard *g) {
    const LineInfoW *info = el_wline(g->line);
    size_t length = length_of(info), place = place_of(info);
    const char *prompt = *g->prompt;
    wchar_t *text = malloc((length + 1) * sizeof *text);
    if (!text) return;
    wmemcpy(text, info->buffer, length);
    text[length] = L'\0';
    el_cursor(g->line, (int)(length - place));
    el_deletestr(g->line, (int)length);
    *g->prompt = "";
    draw(g); /* nothing, so that the cursor is at the beginning of the picture */
    el_resize(g->line);
    *g->prompt = prompt;
    el_winsertstr(g->line, text);
    el_cursor(g->line, -(int)(length - place));
    draw(g);
    free(text);
}

/* A number of a terminal's description, which el_resize keeps up to date; 0 if there is none. */
static size_t capability(EditLine *line, const char *name) {
    int number = 0;
    return el_get(line, EL_GETTC, name, &number) == 0 && number > 0 ? (size_t)number : 0;
}

/* Whether prompt and line may take so many columns that libedit moves its picture. */
static bool may_fill_window(const edit_guard *g, size_t columns) {
    const LineInfoW *info = el_wline(g->line);
    size_t taken = strlen(*g->prompt) + 2 * columns;
    for (const wchar_t *at = info->buffer; at < info->lastchar; at++)
        taken += *at >= L' ' && *at < 0x7f ? 1 : WIDEST;
    return taken >= capability(g->line, "li") * columns;
}

/* libedit loses the cursor when it moves within a line that fills the window, and in a narrow
 * window anyway. That does harm where the next character is put at the end of the line; before
 * that, a new picture finds it again. */
static void find_cursor(edit_guard *g) {
    const LineInfoW *info = el_wline(g->line);
    size_t columns = capability(g->line, "co");
    if (columns < NARROW) g->astray = true;
    if (info->cursor != info->lastchar) {
        g->astray = g->astray || may_fill_window(g, columns);
    } else if (g->astray) {
        draw(g);
        g->astray = false;
    }
}

bool edit_guard_key(edit_guard *g, wchar_t key) {
    const LineInfoW *info = el_wline(g->line);
    find_cursor(g);
    bool full = length_of(info) >= EDIT_GUARD_LONGEST && key >= L' ' && key != 0x7f;
    g->cut = g->cut || full;
    return !full;
}
