/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Long lines are cut around the place; what a terminal would obey is escaped. */
#include "jit/text/place.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/escape.h"

enum { SHOWN = 72, BEFORE = 32 }; /* bytes of the line, and of those in front of the place */

text_place place_find(const char *text, size_t length, text_span where) {
    text_place p = {.line = 1, .end = length};
    const size_t at = where.at < length ? where.at : length;
    for (size_t k = 0; k < at; k++) {
        if (text[k] != '\n') continue;
        p.line++;
        p.begin = k + 1;
    }
    for (p.end = at; p.end < length && text[p.end] != '\n';) p.end++;
    p.column = at - p.begin + 1;
    return p;
}

size_t place_line(const tosajit_parse_options *options, const text_place *place) {
    return (options->line ? options->line : 1) + place->line - 1;
}

void place_print(const tosajit_parse_options *options, const text_place *place, char *out,
                 size_t capacity) {
    char name[128] = "";
    if (options->name) escape_name(options->name, strlen(options->name), name, sizeof name);
    if (place)
        snprintf(out, capacity, "%s%s%zu:%zu: ", name, *name ? ":" : "", place_line(options, place),
                 place->column);
    else
        snprintf(out, capacity, "%s%s%zu: ", name, *name ? ":" : "",
                 options->line ? options->line : 1);
}

/* Columns that printable text takes, by its characters. */
static size_t columns(const char *text) {
    size_t count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

void place_show(const char *text, size_t length, const text_span *where, const text_place *place,
                char *out, size_t capacity) {
    char before[3 * BEFORE + 1], marked[3 * SHOWN + 1], after[3 * SHOWN + 1], carets[SHOWN + 1];
    const size_t at = least(where->at, length), from_end = place->end - at;
    size_t marks = least(least(where->length, from_end), SHOWN - BEFORE), behind = at + marks,
           from = at - place->begin > BEFORE ? at - BEFORE : place->begin,
           rest = least(place->end - behind, SHOWN - BEFORE - marks);
    /* Not within a character. */
    while (from > place->begin && from < at && ((unsigned char)text[from] & 0xc0) == 0x80) from++;
    escape_name(text + from, at - from, before, sizeof before);
    escape_name(text + at, marks, marked, sizeof marked);
    escape_name(text + behind, rest, after, sizeof after);
    const size_t width = least(columns(marked), SHOWN);
    memset(carets, '~', sizeof carets);
    carets[0] = '^';
    carets[width ? width : 1] = '\0';
    const bool cut = from > place->begin;
    snprintf(out, capacity, "\n  %s%s%s%s%s\n  %*s%s", cut ? "..." : "", before, marked, after,
             behind + rest < place->end ? "..." : "", (int)(columns(before) + (cut ? 3 : 0)), "",
             carets);
}
