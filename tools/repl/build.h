/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a line to an expression. In: a line that was read; out: the expression, its steps and the
 * names of its values, or what is wrong and where in the line. */
#ifndef TOSAJIT_TOOLS_REPL_BUILD_H
#define TOSAJIT_TOOLS_REPL_BUILD_H

#include <stdbool.h>

#include "tools/mlir/function.h"
#include "tools/repl/parse.h"
#include "tools/mlir/value_names.h"

typedef struct repl_program {
    mlir_function function; /* steps have no origin */
    value_name *names;      /* of its inputs, then of its steps */
} repl_program;

/* Of a line of kind REPL_ONE_OP or REPL_STATEMENTS. False after an error; otherwise program is
 * released with repl_program_release. */
bool repl_build(const char *text, const repl_line *line, bool strict, repl_program *program,
                repl_error *error);
void repl_program_release(repl_program *program);

/* Store number as an element. False, with the reason in error->text, if it is no value of the type.
 * Floating-point types take the nearest value. */
bool repl_store(tosajit_type type, const repl_number *number, void *at, repl_error *error);

#endif
