/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by commands without a reader of MLIR, and the command `onnx`, which needs none. */
#ifndef TOSAJIT_TOOLS_COMMAND_COMMAND_H
#define TOSAJIT_TOOLS_COMMAND_COMMAND_H

#include "jit/show/json.h"
#include "tools/base/options.h"

typedef int command_dispatch(int count, char *const *words);

/* The whole of main: dispatch takes the words behind the program's name, and its exit code is
 * returned, unless standard output cannot be written. */
int command_begin(int argc, char **argv, command_dispatch *dispatch);
/* A file to be written must not be one that is read, by whatever name: `-o model.mlir` would
 * replace the program by its code. Results of run alone may replace operands, which are of their
 * kind. False after a message. */
bool command_keeps_files(const char *command, const options *o);
/* Something about the file's use that no place in the file is to blame for; returns EXIT_REFUSED.
 */
int command_error(const char *format, ...);

/* The output of --json: an object on standard output, in a line of its own. */
json json_begin(void);
void json_end(json *j);

/* `tosajit onnx`: its options, and what --help says. */
enum { ONNX_OPTIONS = OPTION_MODEL | OPTION_ACCURACY | OPTION_JSON };
extern const char onnx_purpose[], onnx_help[];
int cmd_onnx(const options *o);
/* ONNX Runtime, in another process; exit codes. Whether it is there, and what --size and --input
 * say. Every other task asks that first, too. */
int onnx_engine_ready(const options *o);
/* Write a model as the engine has optimised it, and a second one, which may be null, over itself.
 * The paths may be the same. converted: the first one may have regions with code of others, which
 * is not run. */
int onnx_engine_optimize(const options *o, bool converted, const char *from, const char *to,
                         const char *second);
/* Runs --check and --bench, of the models that cmd_onnx has read and written; converted:
 * as above, and so may the second one. */
int onnx_engine_compare(const options *o, bool converted);

#endif
