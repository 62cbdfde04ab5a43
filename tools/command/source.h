/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file of functions, whichever format it has. In: a path or bytes, MLIR's or a flatbuffer of
 * TOSA; out: a file of functions. */
#ifndef TOSAJIT_TOOLS_COMMAND_SOURCE_H
#define TOSAJIT_TOOLS_COMMAND_SOURCE_H

#include "tools/mlir/module.h"
#include "tools/tosafile/file.h"

/* Null, or one of these; mlir is the same where it is of MLIR, else null. */
typedef struct source {
    tosa_file *any;
    tosajit_mlir *mlir;
} source;

/* "-" is standard input. */
tosajit_status source_open(const char *path, const tosajit_mlir_options *options, source *s);
/* A text of MLIR. */
tosajit_status source_read(const char *text, size_t length, const tosajit_mlir_options *options,
                           source *s);
void source_close(source *s);

#endif
