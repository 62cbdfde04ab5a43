/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Another program, by the C library, which makes one line of its words: each must be in quotes. */
#include "tools/base/run_program.h"

#include <errno.h>
#include <io.h>
#include <process.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As programs divide such a line again: a quote is behind a backslash, and backslashes before a
 * quote are twice as many. Null without memory. */
static char *quoted(const char *word) {
    char *text = malloc(2 * strlen(word) + 3), *at = text;
    if (!text) return NULL;
    *at++ = '"';
    for (;; word++) {
        size_t slashes = strspn(word, "\\");
        word += slashes;
        if (*word == '"' || !*word) slashes *= 2;
        memset(at, '\\', slashes);
        at += slashes;
        if (!*word) break;
        if (*word == '"') *at++ = '\\';
        *at++ = *word;
    }
    memcpy(at, "\"", 2);
    return text;
}

static void free_all(char **words) {
    for (char **at = words; at && *at; at++) free(*at);
    free(words);
}

static char **quote_all(char *const *words) {
    size_t count = 0;
    while (words[count]) count++;
    char **all = calloc(count + 1, sizeof *all);
    bool fine = all != NULL;
    for (size_t k = 0; fine && k < count; k++) fine = (all[k] = quoted(words[k])) != NULL;
    if (fine) return all;
    free_all(all);
    return NULL;
}

int run_program(char *const *words, int input) {
    char **line = quote_all(words);
    fflush(NULL);
    const int own = line ? _dup(0) : -1;
    intptr_t code = -1;
    int reason = 0;
    if (own >= 0 && _dup2(input, 0) == 0) {
        code = _spawnvp(_P_WAIT, words[0], (const char *const *)line);
        reason = errno;
        _dup2(own, 0);
    }
    if (own >= 0) _close(own);
    free_all(line);
    if (code == -1) return reason == ENOENT ? NO_PROGRAM : -1;
    return (int)code;
}
