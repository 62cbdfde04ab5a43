/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places in a text, for messages. In: bytes of the text; out: line and column, and the piece of the
 * line around them with a caret below. */
#ifndef TOSAJIT_JIT_TEXT_PLACE_H
#define TOSAJIT_JIT_TEXT_PLACE_H

#include "jit/text/parse.h"

enum { PLACE_NAME = 192, PLACE_SHOWN = 320 };

typedef struct text_place {
    size_t line, column; /* from 1; column in bytes */
    size_t begin, end;   /* of the line, in bytes of the text */
} text_place;
text_place place_find(const char *text, size_t length, text_span where);

/* The number of its line, as messages count. */
size_t place_line(const tosajit_parse_options *options, const text_place *place);

/* "kernel.tj:3:7: "; place is null where there is none. */
void place_print(const tosajit_parse_options *options, const text_place *place, char *out,
                 size_t capacity);
/* "\n  y = x + z\n          ^": the piece of the line, made fit to be shown. */
void place_show(const char *text, size_t length, const text_span *where, const text_place *place,
                char *out, size_t capacity);

#endif
