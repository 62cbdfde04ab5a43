/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines that were typed before, also in earlier sessions. The file is text, to which each line is
 * appended when it is entered: sessions at the same time do not take each other's lines away. */
#ifndef TOSAJIT_TOOLS_REPL_HISTORY_H
#define TOSAJIT_TOOLS_REPL_HISTORY_H

#include <stddef.h>

enum { HISTORY_LINES = 1000, HISTORY_PATH = 4096 };

typedef struct history {
    char *lines[HISTORY_LINES]; /* owned; the latest is the last */
    size_t count;
    char path[HISTORY_PATH]; /* empty: no file */
} history;

void history_open(history *h);
void history_close(history *h);
void history_add(history *h, const char *line, size_t length);
/* A line by how many it lies back, from 1 on. */
const char *history_line(const history *h, size_t back);
/* From `back` on, which is 0 for none, the next older line that contains the text, or the next
 * newer one. `back` itself where there is none; 0 behind the newest. */
size_t history_older(const history *h, size_t back, const char *text);
size_t history_newer(const history *h, size_t back, const char *text);

#endif
