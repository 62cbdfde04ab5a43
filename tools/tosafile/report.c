/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A flatbuffer has no lines, so a place is the operator's number and what it gives. */
#include "tools/tosafile/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/escape.h"

enum { MESSAGE = 3000, NAME = 300 };

void file_report_begin(file_report *report) { report->status = TOSAJIT_OK; }

static void tell(file_report *report, tosajit_mlir_severity severity, tosajit_status status,
                 const char *message) {
    char file[NAME * ESCAPE_GROWTH], shown[MESSAGE], text[MESSAGE + NAME * ESCAPE_GROWTH + 16];
    tosajit_mlir_finding finding = {
        .severity = severity, .file = file, .message = shown, .text = text, .excerpt = ""};
    escape_message(report->file, file, sizeof file);
    escape_message(message, shown, sizeof shown);
    snprintf(text, sizeof text, "%s: %s: %s", file,
             severity == TOSAJIT_MLIR_ERROR ? "error" : "remark", shown);
    if (severity == TOSAJIT_MLIR_ERROR && !report->status) {
        report->status = status;
        if (!report->silent) diag_error(status, "%.1000s", text);
    }
    if (report->say && !report->silent) report->say(report->context, &finding);
}

void file_report_file(file_report *report, tosajit_status status, const char *format, ...) {
    char text[MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(report, TOSAJIT_MLIR_ERROR, status, text);
}

/* "@main, operator 3, layer_3: " */
static int print_place(char *text, size_t capacity, const file_graph *g, int32_t op) {
    if (op == FILE_BLOCK) return snprintf(text, capacity, "@%.*s: ", NAME, g->shown);
    const flat_list outputs = file_graph_operator(g, op).outputs;
    char name[NAME] = "";
    if (outputs.count > 0) {
        const flat_text first = flat_text_at(outputs, 0);
        escape_name(first.bytes, first.length, name, sizeof name);
    }
    return snprintf(text, capacity, "@%.*s, operator %d%s%s: ", NAME, g->shown, (int)op,
                    *name ? ", " : "", name);
}

void file_report_error(file_report *report, tosajit_status status, const file_graph *g, int32_t op,
                       const char *format, ...) {
    char text[MESSAGE];
    const int length = print_place(text, sizeof text, g, op);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    tell(report, TOSAJIT_MLIR_ERROR, status, text);
}

void file_report_remark(file_report *report, const file_graph *g, int32_t op, const char *text) {
    char place[MESSAGE];
    const int length = print_place(place, sizeof place, g, op);
    snprintf(place + length, sizeof place - (size_t)length, "%s", text);
    tell(report, TOSAJIT_MLIR_REMARK, TOSAJIT_OK, place);
}
