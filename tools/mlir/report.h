/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of the MLIR reader. In: a location of MLIR and the error there, or a message of MLIR
 * itself; out: a finding with file, line and column. */
#ifndef TOSAJIT_TOOLS_MLIR_REPORT_H
#define TOSAJIT_TOOLS_MLIR_REPORT_H

#include <mlir-c/IR.h>

#include "tools/tosa/report.h"

typedef struct mlir_report {
    tosa_report *base; /* its file is named where a location is unknown, as in bytecode without
                          debug information */
    const char *bytes; /* what the file holds, for excerpts; null where unknown */
    size_t length;
    size_t line, line_begin; /* where the last excerpt was: the next one is likely behind it */
} mlir_report;

enum { MLIR_PHRASE_CAPACITY = 4096 };

/* Text that MLIR prints piece by piece; too long a text ends in "...". */
typedef struct mlir_phrase {
    size_t length;
    char text[MLIR_PHRASE_CAPACITY];
} mlir_phrase;

/* An MlirStringCallback; phrase is an mlir_phrase that began as {0}. */
void mlir_phrase_append(MlirStringRef piece, void *phrase);

/* The place of a location, for tosa_report_tell. */
void mlir_find_place(mlir_report *report, MlirLocation location, tosa_place *place);
/* The character there, where it is in the text that was read; else null. */
const char *mlir_find_character(mlir_report *report, MlirLocation location);
/* An error at a place. */
void mlir_report_error(mlir_report *report, tosajit_status status, MlirLocation location,
                       const char *format, ...) DIAG_FORMAT(4, 5);
/* Pass MLIR's own findings in this context to report. It must outlive the context; its errors are
 * BAD_MODULE. */
void mlir_report_attach(mlir_report *report, MlirContext context);

#endif
