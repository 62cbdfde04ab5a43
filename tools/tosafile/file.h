/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Flatbuffers of TOSA 1.0 and 1.1 as a format of files. In: a path or bytes; out: a file. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_FILE_H
#define TOSAJIT_TOOLS_TOSAFILE_FILE_H

#include "tools/tosa/epilogue.h"
#include "tools/tosa/file.h"

/* True if a file begins as a TOSA file does, or its name ends in .tosa. */
bool tosafile_is_one(const char *path);
bool tosafile_is_begun(const void *bytes, size_t size);

/* Read a file, or bytes that stay until it is closed. Of options, guard means nothing: nothing here
 * can fault. As tosajit_mlir_open; functions are blocks, at least one, in the file's order. Their
 * names are the regions' that have one block, else "REGION/BLOCK". */
tosajit_status tosafile_open(const char *path, const tosajit_mlir_options *options,
                             tosa_file **file);
tosajit_status tosafile_read(const void *bytes, size_t size, const tosajit_mlir_options *options,
                             tosa_file **file);
/* True if a file is one of these. */
bool tosafile_is(const tosa_file *file);
/* True if there is a block of that name. */
bool tosafile_has(const tosa_file *file, const char *name, size_t *index);

/* Divide blocks first to end - 1, as tosajit_mlir_outline does; counts has room for each. The
 * result is another file, *size bytes to be freed: regions are blocks of their own, as
 * main_region_0, and CUSTOM operators of the domain tosajit.region call them by that name.
 * Epilogues are added to their list, which may be null. */
tosajit_status tosafile_outline(tosa_file *file, size_t first, size_t end,
                                tosajit_mlir_outlined *counts, tosa_epilogues *epilogues,
                                void **bytes, size_t *size);

#endif
