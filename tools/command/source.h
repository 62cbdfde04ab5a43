/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file of functions, whichever format it has. In: a path or bytes, MLIR's or a flatbuffer of
 * TOSA; out: functions, as tosajit/mlir.h and tools/mlir/module.h describe them for MLIR. */
#ifndef TOSAJIT_TOOLS_COMMAND_SOURCE_H
#define TOSAJIT_TOOLS_COMMAND_SOURCE_H

#include "tools/mlir/module.h"
#include "tools/tosafile/file.h"

/* One of both, or neither. */
typedef struct source {
    tosajit_mlir *mlir;
    tosafile *tosa;
    void *bytes; /* that the file lies in, where the system gave them once; owned */
} source;

/* "-" is standard input. */
tosajit_status source_open(const char *path, const tosajit_mlir_options *options, source *s);
/* A text of MLIR. */
tosajit_status source_read(const char *text, size_t length, const tosajit_mlir_options *options,
                           source *s);
void source_close(source *s);

/* MLIR's own verifier, where there is one. */
tosajit_status source_verify(const source *s);
size_t source_count(const source *s);
const char *source_name(const source *s, size_t index);
tosajit_status source_find(const source *s, const char *name, size_t *index);
tosajit_status source_build(const source *s, size_t index, const tosajit_expr_options *options,
                            tosa_function *built);
char *source_rename(const source *s, size_t index, const tosa_function *built, const char *text);
void source_report(const source *s, size_t index, const tosa_function *built, const char *message);
void source_report_step(const source *s, size_t index, const tosa_step *step, const char *message);

#endif
