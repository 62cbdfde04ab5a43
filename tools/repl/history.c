/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The history: a list in memory, and a file that is appended to. */
#define _POSIX_C_SOURCE 200809L /* getline, strndup */
#include "tools/repl/history.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Make the directories that lead to a file; what fails is found when the file is opened. */
static void make_directories(const char *path) {
    char part[HISTORY_PATH];
    for (size_t k = 1; path[k] && k < sizeof part; k++) {
        if (path[k] != '/') continue;
        memcpy(part, path, k);
        part[k] = '\0';
        mkdir(part, 0700);
    }
}

/* TOSAJIT_HISTORY, which is empty for none, or the XDG state directory. */
static void find_file(char path[HISTORY_PATH]) {
    const char *own = getenv("TOSAJIT_HISTORY"), *state = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");
    int length = 0;
    path[0] = '\0';
    if (own)
        length = snprintf(path, HISTORY_PATH, "%s", own);
    else if (state && *state == '/')
        length = snprintf(path, HISTORY_PATH, "%s/tosajit/history", state);
    else if (home && *home == '/')
        length = snprintf(path, HISTORY_PATH, "%s/.local/state/tosajit/history", home);
    struct stat status;
    /* A pipe would not end; /dev/null means none, too. */
    bool other = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (length >= HISTORY_PATH || other) path[0] = '\0';
}

static void keep(history *h, const char *line, size_t length) {
    const char *latest = h->count ? h->lines[h->count - 1] : "";
    if (strlen(latest) == length && memcmp(latest, line, length) == 0) return;
    char *own = strndup(line, length);
    if (!own) return;
    if (h->count == HISTORY_LINES) {
        free(h->lines[0]);
        memmove(h->lines, h->lines + 1, --h->count * sizeof *h->lines);
    }
    h->lines[h->count++] = own;
}

static void append(const history *h, const char *line, size_t length) {
    int file = open(h->path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0) return;
    char *whole = malloc(length + 1);
    if (whole) {
        memcpy(whole, line, length);
        whole[length] = '\n';
        /* In one piece, so that sessions do not mix within a line. */
        (void)!write(file, whole, length + 1);
        free(whole);
    }
    close(file);
}

static void load(history *h) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    FILE *in = fopen(h->path, "r");
    while (in && (length = getline(&line, &capacity, in)) > 0) {
        length -= line[length - 1] == '\n';
        if (length > 0) keep(h, line, strnlen(line, (size_t)length));
    }
    free(line);
    if (in) fclose(in);
}

void history_open(history *h) {
    h->count = 0;
    find_file(h->path);
    if (!h->path[0]) return;
    make_directories(h->path);
    load(h);
}

void history_close(history *h) {
    while (h->count > 0) free(h->lines[--h->count]);
}

void history_add(history *h, const char *line, size_t length) {
    if (length == 0 || memchr(line, '\0', length)) return;
    keep(h, line, length);
    if (h->path[0]) append(h, line, length);
}

const char *history_line(const history *h, size_t back) { return h->lines[h->count - back]; }

size_t history_older(const history *h, size_t back, const char *text) {
    for (size_t k = back + 1; k <= h->count; k++)
        if (strstr(history_line(h, k), text)) return k;
    return back;
}

size_t history_newer(const history *h, size_t back, const char *text) {
    while (back > 0 && --back > 0 && !strstr(history_line(h, back), text)) {
    }
    return back;
}
