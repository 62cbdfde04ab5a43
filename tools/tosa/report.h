/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of a reader. In: a place in a file and what is wrong there; out: a finding as
 * tosajit/mlir.h has them, handed to the caller's function with control characters escaped. The
 * first error of a call becomes the thread's last error when the call ends. */
#ifndef TOSAJIT_TOOLS_TOSA_REPORT_H
#define TOSAJIT_TOOLS_TOSA_REPORT_H

#include <stdbool.h>

#include "runtime/base/diag.h"
#include "tosajit/mlir.h"

enum { TOSA_MESSAGE = 4096, TOSA_EXCERPT = 1280 };

typedef struct tosa_report {
    void (*say)(void *context, const tosajit_mlir_finding *finding); /* null: nobody is told */
    void *context;
    const char *file;         /* named where a place names none */
    tosajit_status status;    /* of the first error since tosa_report_begin */
    char last[DIAG_CAPACITY]; /* the error that the call leaves: its first one, or the one before */
    bool trial;               /* nobody is told, and last is the bare message */
} tosa_report;

/* Where something was found. */
typedef struct tosa_place {
    char file[TOSA_MESSAGE];    /* "": the report's */
    int32_t line, column;       /* 0: unknown */
    char before[TOSA_MESSAGE];  /* in front of the message: "@main, operator 3, layer_3: " */
    char excerpt[TOSA_EXCERPT]; /* as in a finding */
} tosa_place;

/* A call begins: no error so far. */
void tosa_report_begin(tosa_report *report);
/* How it went: OK, or the status of the first error. The library's refusals that were no error of
 * the call are forgotten. */
tosajit_status tosa_report_end(tosa_report *report);

/* The message of anything but an error may be that of others, too: the place is not part of it. */
void tosa_report_tell(tosa_report *report, tosajit_mlir_severity severity, tosajit_status status,
                      const tosa_place *place, const char *message);
/* An error of the file as a whole. */
void tosa_report_file(tosa_report *report, tosajit_status status, const char *format, ...)
    DIAG_FORMAT(3, 4);

#endif
