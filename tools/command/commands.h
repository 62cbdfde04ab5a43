/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The commands of the tool, and what they share: a file that is open and a function that was read
 * from it. */
#ifndef TOSAJIT_TOOLS_COMMAND_COMMANDS_H
#define TOSAJIT_TOOLS_COMMAND_COMMANDS_H

#include "tools/command/command.h"
#include "tools/command/source.h"

/* Each runs with the options it takes and returns the exit code. */
int cmd_verify(const options *o);
int cmd_plan(const options *o);
int cmd_run(const options *o);
int cmd_bench(const options *o);
int cmd_explain(const options *o);
int cmd_outline(const options *o);
int cmd_ir(const options *o);
int cmd_asm(const options *o);
int cmd_compile(const options *o);
int cmd_ops(const options *o);

/* The function that a command is about. */
typedef struct entry {
    source file;
    size_t index;
    tosa_function function;
} entry;

/* Open a file so that findings go to standard error; with o->strict MLIR's verifier must accept it.
 * False after a finding; in either case source_close. */
bool open_file(const options *o, source *file);
/* A finding on standard error, with the line of the file that it is about. */
void print_finding(void *unused, const tosajit_mlir_finding *finding);
/* Findings go to this function from here on, in place of print_finding. */
void take_findings(void (*take)(void *context, const tosajit_mlir_finding *finding), void *context);
/* Find o->entry in it. False after a finding. */
bool find_function(const options *o, const source *file, size_t *index);
/* Read a function of it, to be released with tosa_function_release. False after a finding. */
bool build_function(const source *file, size_t index, int strict, tosa_function *built);
/* Open o->file, find o->entry, and read it so that a kernel can be made. An exit code; entry_close
 * only after EXIT_FINE. */
int entry_open(const options *o, entry *e);
void entry_close(entry *e);
/* Report the library's last error at the function's place; returns EXIT_REFUSED. */
int entry_refuse(const entry *e);

/* "(tensor<?x3xf32>) -> tensor<?x3xf32>". */
void print_function_type(FILE *out, const tosa_function *function);

/* A function as an object of an array: its name, whether it was read, and its type; null: it was
 * not. */
void json_function(json *j, const char *name, const tosa_function *function);
/* A finding as an object of an array, a json. */
void json_finding(void *array, const tosajit_mlir_finding *finding);

#endif
