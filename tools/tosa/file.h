/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file of functions, whichever format it has. In: bytes of a path, a stream or memory, and a
 * format; out: functions by number and name, each as an expression with the steps it was made from,
 * and findings. Functions mean the same as the functions of tosajit/mlir.h for MLIR. */
#ifndef TOSAJIT_TOOLS_TOSA_FILE_H
#define TOSAJIT_TOOLS_TOSA_FILE_H

#include <stdio.h>

#include "tools/tosa/function.h"
#include "tools/tosa/report.h"

typedef struct tosa_file tosa_file;

/* Functions that a format has of its own. False, of each: an error was reported. */
typedef struct tosa_format {
    const char *function; /* what it calls one: "function", "block" */
    bool (*build)(tosa_file *file, size_t index, const tosajit_expr_options *options,
                  tosa_function *built);
    char *(*rename)(const tosa_file *file, size_t index, const tosa_function *built,
                    const char *text);
    /* An error at an operation of a function, or, TOSA_BLOCK, at the function. */
    void (*error)(tosa_file *file, size_t index, int32_t op, const char *message);
    /* The format's own verifier, and whether a function has a name that it is not shown with; null:
     * there is none. */
    bool (*verify)(tosa_file *file);
    bool (*is_called)(const tosa_file *file, size_t index, const char *name);
    void (*close)(tosa_file *file); /* all but what is declared here */
} tosa_format;

struct tosa_file {
    const tosa_format *format;
    tosa_report report;
    char *name;  /* report.file; owned */
    void *owned; /* bytes, where they are the file's own */
    const uint8_t *bytes;
    size_t size;
    bool guard; /* tosajit_mlir_options.guard */
    struct tosa_named {
        char *shown;  /* the name, fit to be shown; owned */
        void *origin; /* the format's */
    } * functions;
    size_t count, capacity;
};

/* Begin a file of that many bytes, and a call. The file's memory starts with a tosa_file. options
 * may be null. */
tosajit_status tosa_file_create(size_t bytes, const tosa_format *format, const char *name,
                                const tosajit_mlir_options *options, tosa_file **file);
/* All of a stream, aligned to 4096 and followed by a 0; to be freed. Null with errno, EFBIG beyond
 * what is read, 1 GiB. */
void *tosa_read_all(FILE *stream, size_t *size);
/* The file's bytes; false after an error. */
bool tosa_file_read_stream(tosa_file *file, FILE *stream);
bool tosa_file_read_path(tosa_file *file, const char *path);
/* One more function, whose name becomes the file's, or is freed. False if out of memory, which is
 * no error yet. */
bool tosa_file_add(tosa_file *file, char *shown, void *origin);
void tosa_file_forget(tosa_file *file);
/* End the call: where all is fine, and nothing was reported, *opened is the file, which is else
 * closed. */
tosajit_status tosa_file_opened(tosa_file *file, bool fine, tosa_file **opened);
/* Null is allowed in these three. */
void tosa_file_close(tosa_file *file);
size_t tosa_file_count(const tosa_file *file);
const char *tosa_file_name(const tosa_file *file, size_t index);

tosajit_status tosa_file_find(tosa_file *file, const char *name, size_t *index);
tosajit_status tosa_file_verify(tosa_file *file);
tosajit_status tosa_file_check_index(const tosa_file *file, size_t index);
/* The function as an expression; released with tosa_function_release. options may be null. */
tosajit_status tosa_file_build(tosa_file *file, size_t index, const tosajit_expr_options *options,
                               tosa_function *built);
/* A text of the library with the file's names for values in place of the library's, to be freed;
 * null if out of memory. */
char *tosa_file_rename(const tosa_file *file, size_t index, const tosa_function *built,
                       const char *text);
/* Report something that the library said about a function, or about an op in it, at its place in
 * the file. */
void tosa_file_report(tosa_file *file, size_t index, const tosa_function *built,
                      const char *message);
void tosa_file_report_step(tosa_file *file, size_t index, const tosa_step *step,
                           const char *message);

#endif
