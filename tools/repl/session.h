/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A session: what is set, the last kernel, and how to say what is wrong in what was typed. Who has
 * it stands above it: nothing here knows a command. */
#ifndef TOSAJIT_TOOLS_REPL_SESSION_H
#define TOSAJIT_TOOLS_REPL_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/base/options.h"
#include "tools/mlir/module.h"
#include "tools/repl/command_line.h"

/* The subject of the commands: the last line or function of which a kernel could be made. */
typedef struct repl_kernel {
    char *source; /* the line; owned; null where it is a function */
    size_t length;
    size_t line;            /* of the input where it begins */
    tosa_file *file;        /* of the function; owned; null where it is a line */
    size_t index;           /* of the function in file */
    tosa_function function; /* of a line the expression alone */
    tosajit_kernel *kernel; /* null: there is none yet */
} repl_kernel;

typedef struct repl repl;
struct repl {
    bool terminal;      /* somebody is watching */
    bool strict, quiet; /* quiet: nothing is said about an expression that is fine */
    const char *name;   /* of what lines come from, in messages */
    size_t threads;     /* that runs may use */
    /* Answer the lines of a file, for :load. */
    bool (*load)(struct repl *r, const char *path);
    int loading; /* files within files */
    tosajit_accuracy accuracy;
    tosajit_backend backend;
    char cpu[32]; /* empty: native */
    tosajit_engine *engine;
    repl_kernel current;
    const char *text; /* the line or text being answered */
    size_t length, line;
    bool failed, quit; /* failed: some line has */
};

/* False after a message. */
bool repl_open(repl *r, const options *o);
void repl_close(repl *r);
void repl_kernel_release(repl_kernel *k);
/* Begins an answer: a line, or a whole text of MLIR, that begins in line `line` of the input.
 */
void repl_begin(repl *r, const char *text, size_t length, size_t line);

/* Say what is wrong in the line being answered; `where` of length 0 is no place in it. Each returns
 * false. */
bool repl_fail(repl *r, text_span where, const char *format, ...);
bool repl_fail_at(repl *r, const text_error *error);
/* The library's last error about the text being answered, of tosajit_expr_parse. */
bool repl_fail_text(repl *r);
/* Something that is not about a place in a line. */
bool repl_fail_line(repl *r, size_t line, const char *format, ...);

/* A command's word as a string. False after a message if it is too long or has a 0 byte. */
bool repl_copy_word(repl *r, text_span word, char *text, size_t capacity);

#endif
