/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Environment: the variables TOSAJIT_*. The process reads them once, when it makes its first engine
 * or kernel. In: the environment. Out: the settings, and a warning on standard error for a word
 * that has no meaning. docs/environment.md is the table for users. */
#ifndef TOSAJIT_RUNTIME_BASE_ENVIRONMENT_H
#define TOSAJIT_RUNTIME_BASE_ENVIRONMENT_H

#include <stdbool.h>

enum { VERBOSE_COMPILE = 1, VERBOSE_RUN = 2 };
enum { DUMP_PLAN = 1, DUMP_MLIR = 2, DUMP_IR = 4, DUMP_ASM = 8, DUMP_OBJ = 16, DUMP_PASSES = 32 };
enum { PERF_MAP = 1, PERF_JITDUMP = 2 };
enum { ENVIRONMENT_PATH = 1024, ENVIRONMENT_NAME = 64 };

typedef struct environment {
    unsigned verbose, dump, perf; /* bits */
    unsigned gdb;                 /* 0 or 1 */
    char dump_directory[ENVIRONMENT_PATH], perf_directory[ENVIRONMENT_PATH];
    char cpu[ENVIRONMENT_NAME];             /* empty: none */
    char cache_directory[ENVIRONMENT_PATH]; /* empty: none */
} environment;

const environment *environment_get(void);

/* Say on standard error why what a variable asks for cannot be had; further warnings of the process
 * are not written. */
void environment_warn_once(const char *variable, const char *why);

#endif
