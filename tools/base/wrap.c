/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words are put one behind the other while they fit. */
#include "tools/base/wrap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 80 };

/* The lines of a paragraph up to `end`, as one. */
static void print_paragraph(const char *at, const char *end, size_t indent) {
    size_t column = indent;
    for (bool first = true; at < end; first = false) {
        const size_t length = strcspn(at, " \n");
        if (!first && column + 1 + length > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            column += (size_t)printf(" ");
        }
        column += (size_t)printf("%.*s", (int)length, at);
        at += length;
        while (at < end && (*at == ' ' || *at == '\n')) at++;
    }
    putchar('\n');
}

void wrap_print(const char *text, size_t indent) {
    while (*text) {
        const char *end = text;
        if (*text == ' ' || *text == '\n') {
            end += strcspn(text, "\n");
            printf("%.*s\n", (int)(end - text), text);
        } else {
            while (*end && !(*end == '\n' && (end[1] == ' ' || end[1] == '\n' || !end[1]))) end++;
            print_paragraph(text, end, indent);
        }
        text = *end ? end + 1 : end;
    }
}
