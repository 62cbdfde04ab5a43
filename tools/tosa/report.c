/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strings of findings come from the file and go to a terminal. */
#include "tools/tosa/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/base/escape.h"

void tosa_report_begin(tosa_report *report) {
    report->status = TOSAJIT_OK;
    snprintf(report->last, sizeof report->last, "%s", tosajit_last_error());
}

tosajit_status tosa_report_end(tosa_report *report) {
    return diag_error(report->status, "%s", report->last);
}

typedef struct finding_text {
    char file[TOSA_MESSAGE], both[2 * TOSA_MESSAGE], message[2 * TOSA_MESSAGE],
        text[4 * TOSA_MESSAGE];
} finding_text;

static void write_text(finding_text *texts, const tosajit_mlir_finding *finding,
                       const tosa_place *place, const char *message) {
    static const char *const severities[] = {"error", "warning", "note", "remark"};
    char line[32] = "";
    if (finding->line > 0)
        snprintf(line, sizeof line, ":%d:%d", (int)finding->line, (int)finding->column);
    snprintf(texts->both, sizeof texts->both, "%s%s", place->before, message);
    escape_message(texts->both, texts->message, sizeof texts->message);
    snprintf(texts->text, sizeof texts->text, "%s%s: %s: %s", texts->file, line,
             severities[finding->severity], texts->message);
    if (finding->severity != TOSAJIT_MLIR_ERROR)
        escape_message(message, texts->message, sizeof texts->message);
}

void tosa_report_tell(tosa_report *report, tosajit_mlir_severity severity, tosajit_status status,
                      const tosa_place *place, const char *message) {
    finding_text texts;
    const tosajit_mlir_finding finding = {.severity = severity,
                                          .file = texts.file,
                                          .line = place->line,
                                          .column = place->column,
                                          .message = texts.message,
                                          .text = texts.text,
                                          .excerpt = place->excerpt};
    const bool first = severity == TOSAJIT_MLIR_ERROR && !report->status;
    if (first) report->status = status;
    if (report->trial) {
        if (first) snprintf(report->last, sizeof report->last, "%s", message);
        return;
    }
    escape_message(*place->file ? place->file : report->file, texts.file, sizeof texts.file);
    write_text(&texts, &finding, place, message);
    if (first) snprintf(report->last, sizeof report->last, "%.*s", DIAG_CAPACITY - 1, texts.text);
    if (report->say) report->say(report->context, &finding);
}

void tosa_report_file(tosa_report *report, tosajit_status status, const char *format, ...) {
    char text[TOSA_MESSAGE];
    const tosa_place nowhere = {.line = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tosa_report_tell(report, TOSAJIT_MLIR_ERROR, status, &nowhere, text);
}
