/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of the reader of TOSA's flatbuffers. In: an operator of a block and what is wrong there;
 * out: a finding as tosajit/mlir.h has them, "model.tosa: error: @main, operator 3, layer_3: ...".
 * The first error of a call is the thread's last error. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_REPORT_H
#define TOSAJIT_TOOLS_TOSAFILE_REPORT_H

#include "runtime/base/diag.h"
#include "tools/tosafile/graph.h"
#include "tosajit/mlir.h"

enum { FILE_BLOCK = -1 /* in place of an operator: the block as a whole */ };

typedef struct file_report {
    void (*say)(void *context, const tosajit_mlir_finding *finding); /* null: nobody is told */
    void *context;
    const char *file;
    tosajit_status status; /* of the first error since file_report_begin */
    bool silent;           /* errors are nobody's */
} file_report;

void file_report_begin(file_report *report);
/* An error of the file as a whole. */
void file_report_file(file_report *report, tosajit_status status, const char *format, ...)
    DIAG_FORMAT(3, 4);
/* An error at a line of the JSON form; 0: of the file as a whole. */
void file_report_line(file_report *report, tosajit_status status, int32_t line, int32_t column,
                      const char *message);
/* An error at an operator of a block. */
void file_report_error(file_report *report, tosajit_status status, const file_graph *g, int32_t op,
                       const char *format, ...) DIAG_FORMAT(5, 6);
/* Something that is as it should be, and may surprise. */
void file_report_remark(file_report *report, const file_graph *g, int32_t op, const char *text);

#endif
