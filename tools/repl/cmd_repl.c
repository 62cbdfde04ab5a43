/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit without arguments: lines from a terminal or a pipe, each answered at once. In a pipe
 * nothing is written but answers, findings have line numbers, and the exit code tells whether all
 * lines were fine. */
#define _POSIX_C_SOURCE 200809L /* getc_unlocked, isatty */
#include "tools/repl/cmd_repl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/repl/answer.h"
#include "tools/repl/edit.h"
#include "tools/repl/interrupt.h"

#include "jit/text/lex.h"
#include "runtime/system/system.h"
#include "tools/repl/scan.h"

enum { MOST_BYTES = 16 * 1024 * 1024 }; /* of a line, and of a text of MLIR */

typedef struct text {
    char *bytes;
    size_t length, capacity;
    bool too_long;
} text;

typedef struct session {
    repl *r;
    FILE *in;        /* of lines that nobody types */
    repl_edit *edit; /* null: a pipe */
    text line;       /* of a pipe */
    text mlir;       /* lines of an unfinished module, function or expression */
    text entry;      /* the same for the history, in one line */
    repl_scan scan;
    bool inside, skipping;      /* inside: mlir is being read; skipping: until an empty line */
    bool open;                  /* lines of an expression that goes on are in mlir */
    size_t number, mlir_number; /* of the last line, and of mlir's first one */
} session;

/* Bytes that do not fit are left out, and remembered as too long. */
static void append(text *t, const char *bytes, size_t length) {
    if (length == 0) return; /* there may be no memory yet, which memcpy must not be given */
    if (t->too_long || length > (size_t)MOST_BYTES - t->length) {
        t->too_long = true;
        return;
    }
    if (t->length + length > t->capacity) {
        size_t larger = 2 * t->capacity + length + 256;
        char *grown = realloc(t->bytes, larger);
        if (!grown) {
            t->too_long = true;
            return;
        }
        t->bytes = grown;
        t->capacity = larger;
    }
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
}

static void clear(text *t) {
    t->length = 0;
    t->too_long = false;
}

/* A line of a pipe; the last one may end without a newline. */
static repl_input read_line(session *s) {
    char bytes[4096];
    size_t count = 0;
    int c;
    clear(&s->line);
    while ((c = system_text_byte(s->in)) != EOF && c != '\n') {
        bytes[count++] = (char)c;
        if (count < sizeof bytes) continue;
        append(&s->line, bytes, count);
        count = 0;
        if (repl_interrupted()) break; /* a device may have no end of a line */
    }
    append(&s->line, bytes, count);
    return c == EOF && s->line.length == 0 && !s->line.too_long ? REPL_END : REPL_LINE;
}

static repl_input next_line(session *s, const char **line, size_t *length) {
    if (s->edit)
        return repl_edit_line(s->edit, s->inside || s->open ? "     ... " : "tosajit> ", line,
                              length);
    repl_input input = read_line(s);
    *line = s->line.bytes ? s->line.bytes : "";
    *length = s->line.length;
    return input;
}

static bool is_blank(const char *line, size_t length) {
    for (size_t k = 0; k < length; k++)
        if (line[k] != ' ' && line[k] != '\t' && line[k] != '\r') return false;
    return true;
}

static void leave_mlir(session *s) {
    s->inside = s->open = false;
    clear(&s->mlir);
    memset(&s->scan, 0, sizeof s->scan);
}

/* One more line of a module or function. An empty one ends what has no body. */
static void take_mlir(session *s, const char *line, size_t length) {
    if (!s->inside) s->mlir_number = s->number;
    s->inside = true;
    append(&s->mlir, line, length);
    append(&s->mlir, "\n", 1);
    repl_extent extent = repl_scan_line(&s->scan, line, length);
    bool refused = extent == REPL_TOO_DEEP || s->mlir.too_long;
    if (extent == REPL_TOO_DEEP)
        repl_fail_line(s->r, s->number,
                       "brackets nest more than %d deep; all lines up to an empty one are left out",
                       TEXT_MAX_DEPTH);
    else if (s->mlir.too_long)
        repl_fail_line(
            s->r, s->number,
            "this text has more than %d bytes; all lines up to an empty one are left out",
            MOST_BYTES);
    else if (extent == REPL_COMPLETE || (extent == REPL_BEGUN && is_blank(line, length)))
        repl_answer_mlir(s->r, s->mlir.bytes, s->mlir.length, s->mlir_number);
    else
        return;
    s->skipping = refused;
    leave_mlir(s);
}

/* A line of an expression, which ends where no bracket is open and no operand is missing, or with
 * an empty line. */
static void take_expression(session *s, const char *line, size_t length) {
    const bool more = lex_is_open(line, length) && !repl_is_command(line, length);
    if (!s->open && !more) {
        repl_answer(s->r, line, length, s->number);
        return;
    }
    if (!s->open) s->mlir_number = s->number;
    s->open = true;
    append(&s->mlir, line, length);
    if (!s->mlir.too_long && lex_is_open(s->mlir.bytes, s->mlir.length) &&
        !is_blank(line, length)) {
        append(&s->mlir, "\n", 1);
        return;
    }
    if (s->mlir.too_long)
        repl_fail_line(s->r, s->number, "this text has more than %d bytes", MOST_BYTES);
    else
        repl_answer(s->r, s->mlir.bytes, s->mlir.length, s->mlir_number);
    leave_mlir(s);
}

/* A command does not wait for the end of an expression. */
static void end_expression(session *s) {
    if (s->open) repl_answer(s->r, s->mlir.bytes, s->mlir.length, s->mlir_number);
    leave_mlir(s);
}

static void take_line(session *s, const char *line, size_t length) {
    s->number++;
    if (s->open && repl_is_command(line, length)) end_expression(s);
    if (s->line.too_long)
        repl_fail_line(s->r, s->number, "this line has more than %d bytes", MOST_BYTES);
    else if (s->skipping)
        s->skipping = !is_blank(line, length);
    else if (!s->inside && !s->open && repl_is_mlir_comment(line, length))
        return; /* files of MLIR begin so */
    else if (s->inside || repl_is_mlir(line, length))
        take_mlir(s, line, length);
    else
        take_expression(s, line, length);
}

/* A statement of several lines is one entry of the history, in which spaces stand for its newlines.
 * A comment ends with its line, so that lines up to one are an entry of their own. */
static void remember(session *s, const char *line, size_t length) {
    if (!s->edit) return;
    while (length > 0 && is_blank(line + length - 1, 1)) length--;
    if (s->entry.length > 0 && length > 0) append(&s->entry, " ", 1);
    append(&s->entry, line, length);
    const bool goes_on = (s->inside || s->open) && !repl_has_comment(line, length);
    if (goes_on) return;
    if (!s->entry.too_long) repl_edit_remember(s->edit, s->entry.bytes, s->entry.length);
    clear(&s->entry);
}

static void loop(session *s) {
    const char *line;
    size_t length;
    while (!s->r->quit) {
        repl_input input = next_line(s, &line, &length);
        if (input == REPL_END) break;
        if (!s->edit && repl_interrupted()) {
            repl_fail_line(s->r, s->number + 1,
                           "interrupted; this line and all below are left out");
            return;
        }
        if (input == REPL_LINE) {
            take_line(s, line, length);
            remember(s, line, length);
        } else {
            leave_mlir(s);
            clear(&s->entry);
        }
        if (input == REPL_CUT)
            repl_fail_line(
                s->r, ++s->number,
                "a line has at most %d characters here; a file or a pipe takes longer ones",
                REPL_LONGEST_LINE);
        fflush(stdout);
    }
    if (s->open && !s->r->quit) end_expression(s);
    if (s->inside && !s->r->quit)
        repl_fail_line(s->r, s->mlir_number,
                       "the input ends within the module or function that begins here");
}

static void release(session *s) {
    free(s->line.bytes);
    free(s->mlir.bytes);
    free(s->entry.bytes);
}

/* All lines of a stream, whoever typed the command that asks for it. */
static void answer_stream(repl *r, FILE *in, const char *name) {
    session s = {.r = r, .in = in};
    const char *outer = r->name;
    const bool terminal = r->terminal;
    r->name = name;
    r->terminal = false;
    loop(&s);
    r->name = outer;
    r->terminal = terminal;
    release(&s);
}

static bool load(repl *r, const char *path) {
    enum { DEEPEST = 8 };
    FILE *in = r->loading < DEEPEST ? fopen(path, "r") : NULL;
    if (!in && r->loading == DEEPEST)
        return repl_fail(r, (text_span){0, 0}, "%s: files load each other %d deep", path, DEEPEST);
    if (!in) return repl_fail(r, (text_span){0, 0}, "%s: %s", path, strerror(errno));
    r->loading++;
    answer_stream(r, in, path);
    r->loading--;
    fclose(in);
    return true;
}

/* The file that the command is for. */
static bool answer_file(repl *r, const char *path) {
    FILE *in = fopen(path, "r");
    if (!in) {
        fprintf(stderr, "tosajit: error: %s: %s\n", path, strerror(errno));
        return false;
    }
    answer_stream(r, in, path);
    fclose(in);
    return true;
}

/* The lines behind -c. */
static bool answer_lines(repl *r, const options *o) {
    FILE *in = system_text_file();
    bool fine = in != NULL;
    for (size_t k = 0; fine && k < o->line_count; k++) fine = fprintf(in, "%s\n", o->lines[k]) > 0;
    if (fine) rewind(in);
    if (fine) answer_stream(r, in, "-c");
    if (in) fclose(in);
    return fine || repl_fail(r, (text_span){0, 0}, "-c: %s", strerror(errno));
}

/* Lines that somebody types, or that come through a pipe. */
static bool answer_input(session *s) {
    repl *r = s->r;
    r->terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (r->terminal) {
        s->edit = repl_edit_open();
        if (!s->edit) r->failed = true;
        if (s->edit && !r->quiet)
            printf("tosajit %s   :help tells what to type, Ctrl-D leaves\n", tosajit_version());
    }
    if (s->edit || !r->terminal) loop(s);
    repl_edit_close(s->edit);
    return r->terminal ? s->edit != NULL : !r->failed;
}

int cmd_repl(const options *o) {
    static repl r; /* the command runs once */
    session s = {.r = &r, .in = stdin};
    if (!repl_open(&r, o)) return EXIT_USAGE;
    r.load = load;
    bool fine;
    if (o->line_count)
        fine = answer_lines(&r, o) && !r.failed;
    else if (o->file && strcmp(o->file, "-") != 0)
        fine = answer_file(&r, o->file) && !r.failed;
    else
        fine = answer_input(&s);
    repl_close(&r);
    release(&s);
    return fine ? EXIT_FINE : EXIT_REFUSED;
}
