/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Completion. In: a line up to the cursor; out: what its last word may become: names from the op
 * table and the table of commands, and files. */
#define _POSIX_C_SOURCE 200809L /* dirent, stat */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/expr/keys.h"
#include "tools/repl/commands.h"
#include "tosajit/inspect.h"
#include "tools/repl/complete.h"

enum { PATH = 4096, NAME = 64 };

typedef struct completion {
    const char *word;
    size_t length;
    void (*each)(void *context, const char *candidate);
    void *context;
} completion;

static void offer(const completion *c, const char *candidate) {
    if (strncmp(candidate, c->word, c->length) == 0) c->each(c->context, candidate);
}

/* ---------------------------------------------------------------------------------------------
 * Names */

static void offer_words(const completion *c, const char *words) {
    while (*words) {
        char word[NAME];
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        offer(c, word);
        words += length + (words[length] == ' ');
    }
}

static void offer_cpus(const completion *c) {
    const char *name;
    for (size_t k = 0; (name = tosajit_cpu_name(k)) != NULL; k++) offer(c, name);
}

static void offer_ops(const completion *c) {
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) offer(c, tosajit_op_name((tosajit_op)op));
}

static void offer_commands(const completion *c, const char *prefix) {
    const char *command;
    for (size_t k = 0; (command = repl_command_name(k)) != NULL; k++) {
        char name[NAME];
        snprintf(name, sizeof name, "%s%s", prefix, command);
        offer(c, name);
    }
}

/* The attributes of the op whose call is open, "min_val=". */
static void offer_keys(const completion *c, const char *line, size_t length) {
    size_t end = length, begin;
    int depth = 0;
    for (; end > 0; end--) {
        depth += line[end - 1] == ')';
        if (line[end - 1] == '(' && depth-- == 0) break;
    }
    if (end == 0) return;
    for (begin = --end;
         begin > 0 && (isalnum((unsigned char)line[begin - 1]) || line[begin - 1] == '_');
         begin--) {
    }
    char name[NAME];
    const op_key *key;
    snprintf(name, sizeof name, "%.*s", (int)(end - begin), line + begin);
    tosajit_op op = tosajit_op_find(name);
    for (size_t k = 0; op != TOSAJIT_OP_COUNT && (key = op_key_at(op, k)) != NULL; k++) {
        char assignment[NAME];
        snprintf(assignment, sizeof assignment, "%s=", key->name);
        offer(c, assignment);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Files */

static bool has_ending(const char *name, const char *endings) {
    size_t length = strlen(name);
    while (*endings) {
        size_t own = strcspn(endings, " ");
        if (length > own && memcmp(name + length - own, endings, own) == 0) return true;
        endings += own + (endings[own] == ' ');
    }
    return false;
}

static bool is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Offers the files of the directory that the word names so far: files with one of the endings, and
 * directories. */
static void offer_files(const completion *c, const char *endings) {
    char directory[PATH], path[PATH + NAME_MAX + 2];
    size_t before = c->length;
    while (before > 0 && c->word[before - 1] != '/') before--;
    if (before >= sizeof directory || memchr(c->word, '\0', before)) return;
    memcpy(directory, c->word, before);
    directory[before] = '\0';
    DIR *open = opendir(before ? directory : ".");
    for (const struct dirent *file; open && (file = readdir(open)) != NULL;) {
        bool hidden = file->d_name[0] == '.' && !(before < c->length && c->word[before] == '.');
        snprintf(path, sizeof path - 1, "%s%s", directory, file->d_name);
        bool leads_on = is_directory(path);
        if (hidden || strchr(file->d_name, '"') || !(leads_on || has_ending(file->d_name, endings)))
            continue;
        if (leads_on) strcat(path, "/");
        offer(c, path);
    }
    if (open) closedir(open);
}

/* ---------------------------------------------------------------------------------------------
 * Lines */

static size_t skip_spaces(const char *line, size_t length, size_t at) {
    while (at < length && line[at] == ' ') at++;
    return at;
}

/* The number of the command whose words follow: `:run ...`; -1. */
static int find_command(const char *line, size_t length) {
    const char *name;
    size_t at = skip_spaces(line, length, 0);
    if (at == length || line[at++] != ':') return -1;
    for (size_t k = 0; (name = repl_command_name(k)) != NULL; k++) {
        size_t own = strlen(name);
        if (length - at > own && memcmp(line + at, name, own) == 0 && line[at + own] == ' ')
            return (int)k;
    }
    return -1;
}

/* The last word of a command: words end at spaces, or at a second quote. */
static size_t command_word(const char *line, size_t length, bool *quoted) {
    size_t begin = 0;
    *quoted = false;
    for (size_t at = 0; at < length; at++) {
        if (line[at] == ' ' && !*quoted) begin = at + 1;
        if (line[at] != '"' || !(*quoted || at == begin)) continue;
        *quoted = !*quoted;
        begin = at + 1;
    }
    return begin;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == ':'; }

repl_place repl_find_word(const char *line, size_t length) {
    int command = find_command(line, length);
    repl_place place = {.begin = length};
    if (command >= 0 && repl_command_files((size_t)command)) {
        place.is_file = true;
        place.begin = command_word(line, length, &place.quoted);
    } else {
        while (place.begin > 0 && in_name(line[place.begin - 1])) place.begin--;
    }
    return place;
}

static void offer_behind(const completion *c, size_t command) {
    const char *words = repl_command_words(command), *endings = repl_command_files(command);
    bool everything = words && strcmp(words, "*") == 0, cpus = words && strcmp(words, "cpu") == 0;
    if (everything) offer_ops(c);
    if (everything) offer_commands(c, "");
    if (cpus) offer_cpus(c);
    if (words && !everything && !cpus) offer_words(c, words);
    if (endings) offer_files(c, endings);
}

void repl_complete(const char *line, size_t length, const repl_place *place,
                   void (*each)(void *context, const char *candidate), void *context) {
    const completion c = {line + place->begin, length - place->begin, each, context};
    size_t first = skip_spaces(line, length, 0);
    int command = find_command(line, length);
    if (first == place->begin && first < length && line[first] == ':') {
        offer_commands(&c, ":");
    } else if (command >= 0) {
        offer_behind(&c, (size_t)command);
    } else if (first == length || line[first] != ':') {
        offer_keys(&c, line, place->begin);
        offer_ops(&c);
        for (int type = 0; type < TOSAJIT_TYPE_COUNT; type++)
            offer(&c, tosajit_type_name((tosajit_type)type));
    }
}
