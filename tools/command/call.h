/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call on the command line: the sizes that --shape gives to the tensors of a function, and
 * --threads. */
#ifndef TOSAJIT_TOOLS_COMMAND_CALL_H
#define TOSAJIT_TOOLS_COMMAND_CALL_H

#include "tools/command/commands.h"
#include "tools/data/shape.h"

enum { CALL_TEXT = 1024 };

/* Tensors are counted through: arguments, then results. */
tosajit_tensor_type call_tensor_type(const entry *e, const tosajit_kernel *kernel, size_t k);
/* "argument 1 of @f, tensor<?xf32>"; returns text. */
const char *call_describe(const entry *e, const tosajit_kernel *kernel, size_t k,
                          char text[CALL_TEXT]);

/* "--shape 64x64 --shape scalar": sizes that the arguments may have; returns text. */
const char *call_example(const entry *e, const tosajit_kernel *kernel, char text[CALL_TEXT]);

/* The shapes of the arguments, and of the results if they are given, too: shapes has room for
 * TOSAJIT_MAX_TENSORS. Without --shape they are those of the types; *known is false if these are
 * dynamic. An exit code. */
int call_read_shapes(const char *command, const options *o, const entry *e,
                     const tosajit_kernel *kernel, shape_word *shapes, bool *known);

/* 1 unless --threads says otherwise. An exit code. */
int call_read_threads(const char *command, const options *o, size_t *threads);

#endif
