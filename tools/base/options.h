/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line. In: the words after the command; out: what they ask for, or a message about
 * wrong usage. */
#ifndef TOSAJIT_TOOLS_BASE_OPTIONS_H
#define TOSAJIT_TOOLS_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "tosajit/tosajit.h"

/* The tool's exit codes. */
enum { EXIT_FINE = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

/* Bits of the options that a command takes. */
enum {
    OPTION_ENTRY = 1 << 0,
    OPTION_STRICT = 1 << 1,
    OPTION_CPU = 1 << 2,
    OPTION_INPUT = 1 << 3,
    OPTION_OUTPUT = 1 << 4,
    OPTION_PRINT = 1 << 5,
    OPTION_CHECK = 1 << 6,
    OPTION_BACKEND = 1 << 7,
    OPTION_ACCURACY = 1 << 8,
    OPTION_MARKDOWN = 1 << 9,
    OPTION_SVG = 1 << 10,
    OPTION_EXPR = 1 << 11,
    OPTION_SHAPE = 1 << 12,
    OPTION_THREADS = 1 << 13,
    OPTION_JSON = 1 << 14,
    OPTION_OBJECT = 1 << 15,
    OPTION_SCRIPT = 1 << 16, /* and the file may be left out */
    OPTION_MODEL = 1 << 17,
    OPTION_NEST = 1 << 18,
    OPTION_DIVIDED = 1 << 19,
    OPTION_PASSES = 1 << 20,
    OPTION_HTML = 1 << 21,
};

typedef struct options {
    const char *file, *entry, *cpu, *accuracy, *backend, *svg, *html, *expr, *threads, *object,
        *header, *targets, *images;
    const char *model, *min_ops, *min_bytes, *dot;
    /* Owned arrays of words that are not owned. */
    const char **inputs, **outputs, **shapes, **lines;
    size_t input_count, output_count, shape_count, line_count;
    bool json, strict, print, check, markdown, quiet, help, fused, regions, bench, optimize, nest,
        passes, external;
} options;

/* Parse the words of a command that takes the options in `taken` and, if takes_file, a file. False
 * after a message; in either case options_release. */
bool options_parse(const char *command, unsigned taken, bool takes_file, int count,
                   char *const *words, options *parsed);
void options_release(options *parsed);
const char *options_accuracy_name(tosajit_accuracy accuracy);
/* Reads --accuracy, the name of a tier; without it: exact. False after a message. */
bool options_accuracy(const char *command, const options *o, tosajit_accuracy *accuracy);
/* Reads --backend: "auto", which is the default, or another name of options_backend_name. False
 * after a message. */
bool options_backend(const char *command, const options *o, tosajit_backend *backend);
/* The name of a backend that makes kernels; null for one that makes none. */
const char *options_backend_name(tosajit_backend backend);
/* The backend of that name; false if there is none. */
bool options_backend_find(const char *name, tosajit_backend *backend);
/* "native code", "precompiled ops" or "the interpreter": who computes the kernel's runs now. */
const char *options_answerer(const tosajit_kernel *kernel);
/* True if the library knows the CPU; null is this machine's. False after a message. */
bool options_check_cpu(const char *command, const char *name);
/* True if a file has lines as they are typed: its name ends in .tj. */
bool options_is_script(const char *path);
/* One line per option in `taken`, for --help. */
void options_print_help(unsigned taken);
/* "usage: tosajit COMMAND (FILE | --expr TEXT) [--entry NAME] [--input FILE]..." */
void options_print_usage(const char *command, unsigned taken, bool takes_file);

/* "tosajit COMMAND: ..." and where help is, on standard error; returns EXIT_USAGE. */
int usage_error(const char *command, const char *format, ...);

#endif
