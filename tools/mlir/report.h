/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of the MLIR reader. In: a place in the MLIR file and what is wrong there; out: a
 * finding, `file:line:column: error: ...`, handed to the caller's function with control characters
 * escaped; the first error of a call is the thread's last error. */
#ifndef TOSAJIT_TOOLS_MLIR_REPORT_H
#define TOSAJIT_TOOLS_MLIR_REPORT_H

#include <mlir-c/IR.h>

#include "tosajit/mlir.h"

typedef struct mlir_report {
    void (*say)(void *context, const tosajit_mlir_finding *finding); /* null: nobody is told */
    void *context;
    const char
        *file; /* named where a location is unknown, as in bytecode without debug information */
    const char *bytes; /* what the file holds, for excerpts; null where unknown */
    size_t length;
    size_t line, line_begin; /* where the last excerpt was: the next one is likely behind it */
    tosajit_status status;   /* of the first error since mlir_report_begin */
    bool silent;             /* errors do not become the last error */
} mlir_report;

enum { MLIR_PHRASE_CAPACITY = 4096 };

/* Text that MLIR prints piece by piece; too long a text ends in "...". */
typedef struct mlir_phrase {
    tosajit_status status; /* of the error, where the text tells of one */
    size_t length;
    char text[MLIR_PHRASE_CAPACITY];
} mlir_phrase;

/* An MlirStringCallback; phrase is an mlir_phrase that began as {0}. */
void mlir_phrase_append(MlirStringRef piece, void *phrase);

/* A call begins: no error so far. */
void mlir_report_begin(mlir_report *report);
/* How it went: OK, or the status of the first error. */
tosajit_status mlir_report_end(const mlir_report *report);

/* An error at a place; a null location is the file as a whole. */
void mlir_report_error(mlir_report *report, tosajit_status status, MlirLocation location,
                       const char *format, ...);
void mlir_report_file_error(mlir_report *report, tosajit_status status, const char *format, ...);
/* Something that is as it should be, and may surprise. */
void mlir_report_remark(mlir_report *report, MlirLocation location, const char *text);
/* Pass what MLIR itself finds in this context to report, which must outlive the context; its errors
 * are BAD_MODULE. */
void mlir_report_attach(mlir_report *report, MlirContext context);

#endif
