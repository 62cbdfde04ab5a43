/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line is always drawn in one row, of which it shows what fits beside the cursor. So nothing has
 * to be known of the window but its width, and nothing of the terminal but how it goes back by a
 * column. */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "tools/repl/edit.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "runtime/base/escape.h"
#include "tools/repl/complete.h"
#include "tools/repl/history.h"
#include "tools/repl/interrupt.h"
#include "tools/repl/terminal.h"

enum { CANDIDATES = 1000, WIDTH = 80, CONTROL_C = 3, CONTROL_D = 4 };

struct repl_edit {
    history history;
    const char *prompt;
    wchar_t text[REPL_LONGEST_LINE];
    size_t length, cursor;
    bool cut;             /* the end of what was typed was left out */
    size_t first;         /* character that is shown */
    size_t column, shown; /* behind the prompt: the cursor's, and how many are in use */
    size_t back;          /* the line of the history that is shown; 0: none */
    char *kept;           /* the line as it was typed, while `back` is not 0 */
    char *line;           /* what was returned */
};

/* ---------------------------------------------------------------------------------------------
 * Text */

/* A part of the line as bytes, to be freed. */
static char *to_bytes(const repl_edit *e, size_t from, size_t to) {
    const size_t capacity = (to - from) * (size_t)MB_CUR_MAX + MB_LEN_MAX;
    char *bytes = malloc(capacity);
    size_t used = 0;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    for (size_t k = from; bytes && k < to; k++) {
        size_t length = wcrtomb(bytes + used, e->text[k], &state);
        used += length == (size_t)-1 ? 0 : length;
    }
    if (bytes) bytes[used] = '\0';
    return bytes;
}

static void forget_place(repl_edit *e) {
    free(e->kept);
    e->kept = NULL;
    e->back = 0;
}

static void erase(repl_edit *e, size_t from, size_t to) {
    wmemmove(e->text + from, e->text + to, e->length - to);
    e->length -= to - from;
    e->cursor = from;
    if (e->length == 0) e->cut = false;
}

static void insert(repl_edit *e, wchar_t character) {
    if (e->length == REPL_LONGEST_LINE) {
        e->cut = true;
        return;
    }
    wmemmove(e->text + e->cursor + 1, e->text + e->cursor, e->length - e->cursor);
    e->text[e->cursor++] = character;
    e->length++;
}

static void insert_bytes(repl_edit *e, const char *bytes) {
    wchar_t character;
    size_t length;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    while ((length = mbrtowc(&character, bytes, (size_t)MB_CUR_MAX, &state)) > 0) {
        if (length > (size_t)MB_CUR_MAX) return; /* of another locale */
        insert(e, character);
        bytes += length;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Drawing */

static size_t width_of(wchar_t character) {
    int width = wcwidth(character);
    return width < 0 ? 1 : (size_t)width;
}

static void put(wchar_t character) {
    char bytes[MB_LEN_MAX];
    mbstate_t state;
    memset(&state, 0, sizeof state);
    size_t length = wcwidth(character) < 0 ? (size_t)-1 : wcrtomb(bytes, character, &state);
    if (length == (size_t)-1)
        putchar('?');
    else
        fwrite(bytes, 1, length, stdout);
}

static void repeat(char c, size_t count) {
    while (count-- > 0) putchar(c);
}

/* The cursor stays within the row. Where it leaves it to the left, half a row is shown in front. */
static void scroll(repl_edit *e, size_t room) {
    size_t least = e->cursor, before = 0;
    while (least > 0 && before + width_of(e->text[least - 1]) < room)
        before += width_of(e->text[--least]);
    if (e->cursor <= e->first) e->first = e->cursor > room / 2 ? e->cursor - room / 2 : 0;
    if (e->first < least) e->first = least;
}

static void draw(void *context, bool anew) {
    repl_edit *e = context;
    const size_t columns = terminal_columns(), prompt = strlen(e->prompt),
                 room = columns > prompt + 1 ? columns - prompt - 1 : 1;
    size_t column = 0, cursor = 0;
    if (anew) {
        printf("\r%s", e->prompt);
        e->column = 0;
        e->shown = room;
    }
    scroll(e, room);
    repeat('\b', e->column);
    for (size_t k = e->first; k <= e->length; k++) {
        if (k == e->cursor) cursor = column;
        if (k == e->length || column + width_of(e->text[k]) > room) break;
        put(e->text[k]);
        column += width_of(e->text[k]);
    }
    const size_t end = e->shown > column ? e->shown : column;
    repeat(' ', end - column);
    repeat('\b', end - cursor);
    e->column = cursor;
    e->shown = column;
    fflush(stdout);
}

/* ---------------------------------------------------------------------------------------------
 * Completion */

typedef struct candidates {
    char *names[CANDIDATES]; /* owned */
    size_t count, common;    /* common: bytes that all begin with */
} candidates;

static void add_candidate(void *context, const char *name) {
    candidates *c = context;
    if (c->count == CANDIDATES) return;
    for (size_t k = 0; k < c->count; k++)
        if (strcmp(c->names[k], name) == 0) return;
    char *own = strdup(name);
    if (!own) return;
    const char *first = c->count ? c->names[0] : own;
    size_t common = 0, most = c->count ? c->common : strlen(own);
    while (common < most && own[common] == first[common]) common++;
    c->common = common;
    c->names[c->count++] = own;
}

static void release_candidates(candidates *c) {
    for (size_t k = 0; k < c->count; k++) free(c->names[k]);
    c->count = 0;
}

/* Of a file the part behind the directories that all have. */
static const char *shown(const candidates *c, size_t k) {
    size_t from = c->common;
    while (from > 0 && c->names[k][from - 1] != '/') from--;
    return c->names[k] + from;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_candidates(candidates *c, bool files) {
    size_t width = 0, column = 0;
    if (files) qsort(c->names, c->count, sizeof *c->names, compare_names);
    for (size_t k = 0; k < c->count; k++)
        width = strlen(shown(c, k)) > width ? strlen(shown(c, k)) : width;
    putchar('\n');
    for (size_t k = 0; k < c->count; k++) {
        char name[2 * NAME_MAX];
        bool last = column + 2 * (width + 2) > WIDTH || k + 1 == c->count;
        escape_name(shown(c, k), strlen(shown(c, k)), name, sizeof name);
        printf("%-*s", last ? 0 : (int)width + 2, name);
        column = last ? 0 : column + width + 2;
        if (last) putchar('\n');
    }
}

/* The word becomes what all candidates begin with; a path with spaces needs quotes. */
static void insert_common(repl_edit *e, const candidates *c, const repl_place *place,
                          const char *word) {
    char *text = malloc(c->common + 4);
    if (!text) return;
    bool certain = c->count == 1, leads_on = certain && c->names[0][c->common - 1] == '/';
    bool quotes = place->is_file && !place->quoted && memchr(c->names[0], ' ', c->common);
    bool closing = certain && !leads_on && (place->quoted || quotes);
    bool space = certain && !leads_on && (place->is_file || c->names[0][0] == ':');
    sprintf(text, "%s%.*s%s%s", quotes ? "\"" : "", (int)c->common, c->names[0],
            closing ? "\"" : "", space ? " " : "");
    const size_t characters = mbstowcs(NULL, word, 0);
    if (characters <= e->cursor) {
        erase(e, e->cursor - characters, e->cursor);
        insert_bytes(e, text);
    }
    free(text);
}

static void complete(repl_edit *e) {
    static candidates c; /* too large for a stack */
    char *before = to_bytes(e, 0, e->cursor);
    if (!before) return;
    const size_t all = strlen(before);
    const repl_place place = repl_find_word(before, all);
    const size_t length = all - place.begin;
    c.common = 0;
    repl_complete(before, all, &place, add_candidate, &c);
    if (c.count == 0) {
        putchar('\a');
    } else if (c.count == 1 || c.common > length) {
        bool unfinished = c.common > length || place.is_file;
        if (unfinished) insert_common(e, &c, &place, before + place.begin);
    } else {
        list_candidates(&c, place.is_file);
        draw(e, true);
    }
    release_candidates(&c);
    free(before);
}

/* ---------------------------------------------------------------------------------------------
 * Keys */

static void to_begin(repl_edit *e) { e->cursor = 0; }
static void to_end(repl_edit *e) { e->cursor = e->length; }
static void left(repl_edit *e) { e->cursor -= e->cursor > 0; }
static void right(repl_edit *e) { e->cursor += e->cursor < e->length; }

static void word_left(repl_edit *e) {
    while (e->cursor > 0 && !iswalnum((wint_t)e->text[e->cursor - 1])) e->cursor--;
    while (e->cursor > 0 && iswalnum((wint_t)e->text[e->cursor - 1])) e->cursor--;
}

static void word_right(repl_edit *e) {
    while (e->cursor < e->length && !iswalnum((wint_t)e->text[e->cursor])) e->cursor++;
    while (e->cursor < e->length && iswalnum((wint_t)e->text[e->cursor])) e->cursor++;
}

/* Erases the text that a movement goes over. */
static void erase_over(repl_edit *e, void (*move)(repl_edit *e)) {
    const size_t from = e->cursor;
    move(e);
    const size_t to = e->cursor;
    erase(e, from < to ? from : to, from < to ? to : from);
    forget_place(e);
}

static void rub_out(repl_edit *e) { erase_over(e, left); }
static void erase_next(repl_edit *e) { erase_over(e, right); }
static void erase_word(repl_edit *e) { erase_over(e, word_right); }
static void rub_out_word(repl_edit *e) { erase_over(e, word_left); }
static void erase_begin(repl_edit *e) { erase_over(e, to_begin); }
static void erase_end(repl_edit *e) { erase_over(e, to_end); }

static void show_place(repl_edit *e, size_t back) {
    if (back == e->back) {
        putchar('\a');
        return;
    }
    erase(e, 0, e->length);
    insert_bytes(e, back ? history_line(&e->history, back) : e->kept);
    e->back = back;
    if (!back) forget_place(e);
}

/* The next older line with a text in it, which is what had been typed or nothing. */
static void go_back(repl_edit *e, bool search) {
    if (!e->kept) e->kept = to_bytes(e, 0, e->length);
    if (e->kept) show_place(e, history_older(&e->history, e->back, search ? e->kept : ""));
}

static void older(repl_edit *e) { go_back(e, false); }
static void search(repl_edit *e) { go_back(e, true); }
static void newer(repl_edit *e) { show_place(e, history_newer(&e->history, e->back, "")); }
static void redraw(repl_edit *e) { draw(e, true); }

static void suspend(repl_edit *e) {
    terminal_suspend();
    draw(e, true);
}

static const struct binding {
    const wchar_t *keys; /* as terminals send them */
    void (*act)(repl_edit *e);
} bindings[] = {{L"\001", to_begin},        {L"\002", left},
                {L"\004", erase_next},      {L"\005", to_end},
                {L"\006", right},           {L"\010", rub_out},
                {L"\011", complete},        {L"\013", erase_end},
                {L"\014", redraw},          {L"\016", newer},
                {L"\020", older},           {L"\022", search},
                {L"\025", erase_begin},     {L"\027", rub_out_word},
                {L"\032", suspend},         {L"\177", rub_out},
                {L"\033b", word_left},      {L"\033f", word_right},
                {L"\033d", erase_word},     {L"\033[A", older},
                {L"\033OA", older},         {L"\033[B", newer},
                {L"\033OB", newer},         {L"\033[C", right},
                {L"\033OC", right},         {L"\033[D", left},
                {L"\033OD", left},          {L"\033[H", to_begin},
                {L"\033OH", to_begin},      {L"\033[1~", to_begin},
                {L"\033[F", to_end},        {L"\033OF", to_end},
                {L"\033[4~", to_end},       {L"\033[3~", erase_next},
                {L"\033[1;5C", word_right}, {L"\033[1;5D", word_left},
                {L"\033\177", rub_out_word}};

enum { KEYS = 8 }; /* of a binding, with its end */

/* A character, or all that a key sends: Escape and one character, or Escape [ up to a letter or ~.
 * False at the end. */
static bool read_key(repl_edit *e, wchar_t keys[KEYS]) {
    size_t count = 0;
    bool more = true;
    while (more) {
        wchar_t character;
        if (!terminal_read(&character, draw, e)) return false;
        if (count > 0 && character < L' ') count = 0; /* not a part of a sequence */
        if (count + 1 < KEYS) keys[count++] = character;
        const bool sequence = count > 1 && (keys[1] == L'[' || keys[1] == L'O');
        more = keys[0] == L'\033' &&
               (count == 1 || (sequence && (count == 2 || character < L'@' || character > L'~')));
    }
    keys[count] = L'\0';
    return true;
}

static void take_key(repl_edit *e, const wchar_t *keys) {
    for (size_t k = 0; k < sizeof bindings / sizeof *bindings; k++)
        if (wcscmp(keys, bindings[k].keys) == 0) {
            bindings[k].act(e);
            return;
        }
    if (keys[0] < L' ') return;
    insert(e, keys[0]);
    forget_place(e);
}

/* ---------------------------------------------------------------------------------------------
 * Lines */

repl_edit *repl_edit_open(void) {
    repl_edit *e = calloc(1, sizeof *e);
    setlocale(LC_CTYPE, ""); /* what a character is; numbers stay as they are */
    if (!e) {
        fprintf(stderr, "tosajit: error: out of memory\n");
        return NULL;
    }
    terminal_open();
    history_open(&e->history);
    return e;
}

static repl_input edit(repl_edit *e) {
    wchar_t keys[KEYS];
    while (read_key(e, keys)) {
        if (keys[0] == CONTROL_C) return REPL_INTERRUPTED;
        if (keys[0] == CONTROL_D && e->length == 0) return REPL_END;
        if (keys[0] == L'\n' || keys[0] == L'\r') return e->cut ? REPL_CUT : REPL_LINE;
        take_key(e, keys);
    }
    return REPL_END;
}

repl_input repl_edit_line(repl_edit *e, const char *prompt, const char **line, size_t *length) {
    e->prompt = prompt;
    e->length = e->cursor = e->first = e->column = e->shown = 0;
    e->cut = false;
    /* Before the prompt: what is typed at once must not be taken for a line of the terminal's own.
     */
    terminal_edit(true);
    fputs(prompt, stdout);
    repl_input input = edit(e);
    e->cursor = e->length;
    draw(e, false);
    repl_listen();
    terminal_edit(
        false); /* before the line's end is seen: Ctrl-C is for the command from there on */
    puts(input == REPL_INTERRUPTED ? "^C" : "");
    fflush(stdout);
    forget_place(e);
    free(e->line);
    *line = e->line = to_bytes(e, 0, e->length);
    *length = e->line ? strlen(e->line) : 0;
    return input == REPL_LINE && !e->line ? REPL_END : input;
}

void repl_edit_remember(repl_edit *e, const char *line, size_t length) {
    history_add(&e->history, line, length);
}

void repl_edit_close(repl_edit *e) {
    if (!e) return;
    history_close(&e->history);
    forget_place(e);
    free(e->line);
    free(e);
}
