/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The session: what is set, the last kernel, and findings about what was typed. */
#include "tools/repl/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/escape.h"
#include "tosajit/inspect.h"

enum { SHOWN = 100, BEFORE = 40, MESSAGE = DIAG_CAPACITY };

/* ---------------------------------------------------------------------------------------------
 * Findings */

static void print_message(const char *message) {
    char escaped[2 * MESSAGE];
    escape_message(message, escaped, sizeof escaped);
    fprintf(stderr, "error: %s\n", escaped);
}

/* Columns that printable text takes, by its characters. */
static size_t columns(const char *text) {
    size_t count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

/* The piece of the line around the place, and a caret under it. */
static void print_place(const char *line, size_t length, text_span where) {
    char before[3 * SHOWN + 1], marked[3 * SHOWN + 1], after[3 * SHOWN + 1];
    if (where.at > length) where.at = length;
    if (where.length > length - where.at) where.length = length - where.at;
    if (where.length > SHOWN - BEFORE) where.length = SHOWN - BEFORE;
    size_t from = where.at > BEFORE ? where.at - BEFORE : 0, behind = where.at + where.length;
    /* Not within a character. */
    while (from > 0 && from < where.at && (line[from] & 0xc0) == 0x80) from++;
    size_t rest = length - behind;
    if (rest > SHOWN - BEFORE - where.length) rest = SHOWN - BEFORE - where.length;
    escape_name(line + from, where.at - from, before, sizeof before);
    escape_name(line + where.at, where.length, marked, sizeof marked);
    escape_name(line + behind, rest, after, sizeof after);
    fprintf(stderr, "  %s%s%s%s%s\n", from ? "..." : "", before, marked, after,
            behind + rest < length ? "..." : "");
    fprintf(stderr, "  %*s^", (int)(columns(before) + (from ? 3 : 0)), "");
    for (size_t k = 1; k < columns(marked); k++) fputc('~', stderr);
    fputc('\n', stderr);
}

static void begin_message(repl *r, size_t line, size_t column) {
    r->failed = true;
    fflush(stdout);
    if (!r->terminal && column) fprintf(stderr, "%s:%zu:%zu: ", r->name, line, column);
    if (!r->terminal && !column) fprintf(stderr, "%s:%zu: ", r->name, line);
}

bool repl_fail_text(repl *r) {
    tosajit_failure failure = {.size = sizeof failure};
    tosajit_last_failure(&failure);
    r->failed = true;
    fflush(stdout);
    if (r->terminal && failure.line)
        fprintf(stderr, "error: %s\n", failure.sentence);
    else
        fprintf(stderr, "%s\n", tosajit_last_error());
    return false;
}

static bool fail_at(repl *r, text_span where, const char *message) {
    bool placed = where.at || where.length;
    begin_message(r, r->line, placed ? where.at + 1 : 0);
    print_message(message);
    if (placed) print_place(r->text, r->length, where);
    return false;
}

bool repl_fail_at(repl *r, const text_error *error) {
    return fail_at(r, error->where, error->text);
}

bool repl_fail(repl *r, text_span where, const char *format, ...) {
    char text[MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_at(r, where, text);
}

bool repl_fail_line(repl *r, size_t line, const char *format, ...) {
    char text[MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    begin_message(r, line, 0);
    print_message(text);
    return false;
}

bool repl_copy_word(repl *r, text_span word, char *text, size_t capacity) {
    if (word.length >= capacity)
        return repl_fail(r, word, "this word has more than %zu characters", capacity - 1);
    if (memchr(r->text + word.at, '\0', word.length))
        return repl_fail(r, word, "this word has a 0 byte");
    memcpy(text, r->text + word.at, word.length);
    text[word.length] = '\0';
    return true;
}

void repl_kernel_release(repl_kernel *k) {
    tosajit_kernel_release(k->kernel);
    tosa_function_release(&k->function);
    tosa_file_close(k->file);
    free(k->source);
    memset(k, 0, sizeof *k);
}

/* ---------------------------------------------------------------------------------------------
 * Its life */

bool repl_open(repl *r, const options *o) {
    memset(r, 0, sizeof *r);
    r->strict = o->strict;
    r->quiet = o->quiet;
    r->name = "<stdin>";
    r->threads = 1;
    if (!options_accuracy("repl", o, &r->accuracy) || !options_backend("repl", o, &r->backend))
        return false;
    if (o->cpu) snprintf(r->cpu, sizeof r->cpu, "%s", o->cpu);
    const tosajit_engine_options settings = {.size = sizeof settings,
                                             .backend = r->backend,
                                             .cpu = o->cpu,
                                             .accuracy = r->accuracy,
                                             .uncached = 1};
    if (tosajit_engine_create(&settings, &r->engine) == TOSAJIT_OK) return true;
    fprintf(stderr, "tosajit: error: %s\n", tosajit_last_error());
    return false;
}

void repl_close(repl *r) {
    repl_kernel_release(&r->current);
    tosajit_engine_destroy(r->engine);
    r->engine = NULL;
}

void repl_begin(repl *r, const char *text, size_t length, size_t line) {
    r->text = text;
    r->length = length;
    r->line = line;
}
