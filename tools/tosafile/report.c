/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A flatbuffer has no lines, so a place is the operator's number and what it gives. Its JSON form
 * has lines until it is one. */
#include "tools/tosafile/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/escape.h"

enum { MESSAGE = 3000, NAME = 300, LINE = 32 };

void file_report_begin(file_report *report) { report->status = TOSAJIT_OK; }

/* The place is part of an error's message; the reason of a remark may be that of others, too. */
static void tell(file_report *report, tosajit_mlir_finding finding, tosajit_status status,
                 const char *place, const char *message) {
    const bool error = finding.severity == TOSAJIT_MLIR_ERROR;
    char file[NAME * ESCAPE_GROWTH], line[LINE] = "", both[MESSAGE], shown[MESSAGE];
    char text[MESSAGE + NAME * ESCAPE_GROWTH + LINE + 16];
    finding.file = file;
    finding.message = shown;
    finding.text = text;
    finding.excerpt = "";
    escape_message(report->file, file, sizeof file);
    snprintf(both, sizeof both, "%s%s", place, message);
    escape_message(both, shown, sizeof shown);
    if (finding.line) snprintf(line, sizeof line, ":%d:%d", (int)finding.line, (int)finding.column);
    snprintf(text, sizeof text, "%s%s: %s: %s", file, line, error ? "error" : "remark", shown);
    if (!error) escape_message(message, shown, sizeof shown);
    if (error && !report->status) {
        report->status = status;
        if (!report->silent) diag_error(status, "%.1000s", text);
    }
    if (report->say) report->say(report->context, &finding);
}

void file_report_line(file_report *report, tosajit_status status, int32_t line, int32_t column,
                      const char *message) {
    tell(report,
         (tosajit_mlir_finding){.severity = TOSAJIT_MLIR_ERROR, .line = line, .column = column},
         status, "", message);
}

void file_report_file(file_report *report, tosajit_status status, const char *format, ...) {
    char text[MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    file_report_line(report, status, 0, 0, text);
}

enum { PLACE = 2 * NAME + 64 };

/* "@main, operator 3, layer_3: " */
static void print_place(char text[PLACE], const file_graph *g, int32_t op) {
    char name[NAME] = "";
    if (op == FILE_BLOCK) {
        snprintf(text, PLACE, "@%.*s: ", NAME, g->shown);
        return;
    }
    const flat_list outputs = file_graph_operator(g, op).outputs;
    if (outputs.count > 0) {
        const flat_text first = flat_text_at(outputs, 0);
        escape_name(first.bytes, first.length, name, sizeof name);
    }
    snprintf(text, PLACE, "@%.*s, operator %d%s%s: ", NAME, g->shown, (int)op, *name ? ", " : "",
             name);
}

void file_report_error(file_report *report, tosajit_status status, const file_graph *g, int32_t op,
                       const char *format, ...) {
    char place[PLACE], text[MESSAGE - PLACE];
    va_list arguments;
    print_place(place, g, op);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(report, (tosajit_mlir_finding){.severity = TOSAJIT_MLIR_ERROR}, status, place, text);
}

void file_report_remark(file_report *report, const file_graph *g, int32_t op, const char *text) {
    char place[PLACE];
    print_place(place, g, op);
    tell(report, (tosajit_mlir_finding){.severity = TOSAJIT_MLIR_REMARK}, TOSAJIT_OK, place, text);
}
