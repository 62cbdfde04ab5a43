/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A TOSA file that was read: a flatbuffer of TOSA 1.0 or 1.1. In: a path or bytes; out: its blocks
 * as functions, each as an expression with the steps it was made from. It serves the command as
 * tools/mlir/module.h does. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_FILE_H
#define TOSAJIT_TOOLS_TOSAFILE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/tosa/epilogue.h"
#include "tosajit/mlir.h"

typedef struct tosafile tosafile;

/* Whether a file begins as a TOSA file does, or its name ends in .tosa. */
bool tosafile_is_one(const char *path);
bool tosafile_is_begun(const void *bytes, size_t size);
/* All of a stream, to be freed; null with errno, EFBIG beyond what is read. */
void *tosafile_read_all(FILE *stream, size_t *size);

/* Read a file, or bytes that stay until it is closed. Of options, guard means nothing: nothing here
 * can fault. As tosajit_mlir_open. */
tosajit_status tosafile_open(const char *path, const tosajit_mlir_options *options,
                             tosafile **file);
tosajit_status tosafile_read(const void *bytes, size_t size, const tosajit_mlir_options *options,
                             tosafile **file);
void tosafile_close(tosafile *file);

/* Blocks, at least one, in the file's order. */
size_t tosafile_count(const tosafile *file);
/* The region's name where it has one block, else "REGION/BLOCK"; fit to be shown. */
const char *tosafile_name(const tosafile *file, size_t index);
/* Whether there is a block of that name. */
bool tosafile_has(const tosafile *file, const char *name, size_t *index);
/* As tosajit_mlir_find. */
tosajit_status tosafile_find(tosafile *file, const char *name, size_t *index);

/* Divide blocks first to end - 1, as tosajit_mlir_outline does; counts has room for each. What
 * comes out is another file, *size bytes to be freed: regions are blocks of their own, as
 * main_region_0, and CUSTOM operators of the domain tosajit.region call them by that name.
 * Epilogues are added to their list, which may be null. */
tosajit_status tosafile_outline(tosafile *file, size_t first, size_t end,
                                tosajit_mlir_outlined *counts, tosa_epilogues *epilogues,
                                void **bytes, size_t *size);

/* As the functions of tools/mlir/module.h. */
tosajit_status tosafile_build(tosafile *file, size_t index, const tosajit_expr_options *options,
                              tosa_function *built);
char *tosafile_rename(const tosafile *file, size_t index, const tosa_function *built,
                      const char *text);
void tosafile_report(tosafile *file, size_t index, const tosa_function *built, const char *message);
void tosafile_report_step(tosafile *file, size_t index, const tosa_step *step, const char *message);

#endif
