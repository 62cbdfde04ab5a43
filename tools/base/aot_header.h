/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C header of an ahead-of-time object: a typed entry per function. */
#ifndef TOSAJIT_TOOLS_BASE_AOT_HEADER_H
#define TOSAJIT_TOOLS_BASE_AOT_HEADER_H

#include <stdbool.h>
#include <stdio.h>

#include "tosajit/tosajit.h"

typedef struct aot_function {
    char name[256];           /* of the C function */
    char symbol[264];         /* of its tosajit_aot */
    char shown[256];          /* what the file calls it */
    const tosajit_expr *expr; /* not owned */
    tosajit_kernel *kernel;   /* of expr: types and names of operands and results; owned */
} aot_function;

/* Name the kernel's types. INVALID_ARGUMENT and so on as tosajit_compile_expr. */
tosajit_status aot_function_open(const tosajit_expr *expr, aot_function *function);
void aot_function_close(aot_function *function);

/* How each of these headers begins. */
#define AOT_HEADER_BEGIN "/* Written by `tosajit compile`"

/* Write the header. name: a C identifier for the guard; source: where the functions come from, for
 * a comment. Failures are the stream's. */
void aot_header_write(FILE *out, const char *name, const char *source,
                      const aot_function *functions, size_t count);

#endif
