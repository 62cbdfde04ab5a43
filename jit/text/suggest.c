/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Edit distance with exchanges of neighbours (optimal string alignment), over names of at most NAME
 * letters. */
#include "jit/text/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "tosajit/inspect.h"

enum { NAME = 40, NEVER = 1000 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool alike(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][NAME + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = last[j - 1] + !alike(a[i - 1], b[j - 1]);
            row[j] = least(change, least(last[j], row[j - 1]) + 1);
            bool exchanged =
                i > 1 && j > 1 && alike(a[i - 1], b[j - 2]) && alike(a[i - 2], b[j - 1]);
            if (exchanged) row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *next = before;
        before = last;
        last = row;
        row = next;
    }
    return last[b_length];
}

static bool is_part(const char *word, size_t length, const char *name) {
    for (; *name; name++) {
        size_t k = 0;
        while (k < length && name[k] && alike(word[k], name[k])) k++;
        if (k == length) return true;
    }
    return false;
}

void suggest(suggestion *s, const char *name) {
    enum { PART = 3, SHORT = 6 }; /* letters that say enough; below, one alone may differ */
    size_t length = strlen(name), distance = NEVER;
    if (s->length == 0 || s->length > NAME || length > NAME) return;
    size_t edits = edit_distance(s->word, s->length, name, length);
    if (edits <= (s->length < SHORT ? s->length > 1 : s->length / 3)) distance = edits;
    if (s->length >= PART && is_part(s->word, s->length, name))
        distance = least(distance, 1 + (length - s->length) / 8);
    if (distance == NEVER || (s->name && distance >= s->distance)) return;
    s->name = name;
    s->distance = distance;
}

void suggest_ops(suggestion *s) {
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) suggest(s, tosajit_op_name((tosajit_op)op));
}

void suggest_types(suggestion *s) {
    for (int type = 0; type < TOSAJIT_TYPE_COUNT; type++)
        suggest(s, tosajit_type_name((tosajit_type)type));
}
