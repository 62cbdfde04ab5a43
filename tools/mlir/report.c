/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of the MLIR reader: MLIR's own and ours leave in the same form and through the same
 * function. */
#include "tools/mlir/report.h"

#include <mlir-c/Diagnostics.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/escape.h"
#include "jit/text/place.h"
#include "tools/tosa/op_hint.h"

enum { LOCATION_DEPTH = 16, FUSED_LIMIT = 64 };

void mlir_phrase_append(MlirStringRef piece, void *phrase) {
    static const char ellipsis[] = "...";
    mlir_phrase *p = phrase;
    size_t room = sizeof p->text - p->length;
    if (piece.length < room) {
        memcpy(p->text + p->length, piece.data, piece.length);
        p->length += piece.length;
        p->text[p->length] = '\0';
        return;
    }
    memcpy(p->text + p->length, piece.data, room - 1);
    memcpy(p->text + sizeof p->text - sizeof ellipsis, ellipsis, sizeof ellipsis);
    p->length = sizeof p->text - 1;
}

/* The place in a file that a location comes down to. False if it names none. */
static bool find_place(MlirLocation location, int depth, MlirLocation *place) {
    if (mlirLocationIsNull(location) || depth == LOCATION_DEPTH) return false;
    if (mlirLocationIsAFileLineColRange(location)) {
        *place = location;
        return true;
    }
    if (mlirLocationIsAName(location))
        return find_place(mlirLocationNameGetChildLoc(location), depth + 1, place);
    if (mlirLocationIsACallSite(location))
        return find_place(mlirLocationCallSiteGetCallee(location), depth + 1, place);
    if (!mlirLocationIsAFused(location)) return false;
    MlirLocation parts[FUSED_LIMIT];
    unsigned count = mlirLocationFusedGetNumLocations(location);
    if (count > FUSED_LIMIT) return false;
    mlirLocationFusedGetLocations(location, parts);
    for (unsigned k = 0; k < count; k++)
        if (find_place(parts[k], depth + 1, place)) return true;
    return false;
}

/* A finding with its strings, which come from the file and go to a terminal. */
typedef struct finding_text {
    char file[MLIR_PHRASE_CAPACITY], message[2 * MLIR_PHRASE_CAPACITY],
        text[4 * MLIR_PHRASE_CAPACITY], excerpt[4 * PLACE_SHOWN];
} finding_text;

static const char *severity_name(tosajit_mlir_severity severity) {
    static const char *const names[] = {"error", "warning", "note", "remark"};
    return names[severity];
}

static void escape_file(const mlir_report *report, MlirLocation place, finding_text *texts) {
    MlirStringRef name = mlirStringRefCreateFromCString(report->file);
    mlir_phrase phrase = {0};
    if (!mlirLocationIsNull(place))
        name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
    mlir_phrase_append(name, &phrase);
    escape_message(phrase.text, texts->file, sizeof texts->file);
}

/* Where a line of the file begins; null if there is no such line. Findings come in order as a rule,
 * so that lines are counted from the last one. */
static const char *find_line(mlir_report *report, size_t line) {
    if (report->line == 0 || line < report->line) {
        report->line = 1;
        report->line_begin = 0;
    }
    while (report->line < line) {
        const char *from = report->bytes + report->line_begin,
                   *end = memchr(from, '\n', report->length - report->line_begin);
        if (!end) return NULL;
        report->line++;
        report->line_begin = (size_t)(end - report->bytes) + 1;
    }
    return report->bytes + report->line_begin;
}

/* The line and a caret, where the place is in the text that was read. */
static void excerpt(mlir_report *report, MlirLocation place, const tosajit_mlir_finding *finding,
                    finding_text *texts) {
    texts->excerpt[0] = '\0';
    if (!report->bytes || finding->line < 1 || finding->column < 1) return;
    MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
    if (!mlirStringRefEqual(name, mlirStringRefCreateFromCString(report->file))) return;
    const char *line = find_line(report, (size_t)finding->line);
    if (!line) return;
    const text_span where = {(size_t)finding->column - 1, 1};
    const size_t rest = report->length - report->line_begin;
    const text_place found = place_find(line, rest, where);
    if (found.line == 1)
        place_show(line, rest, &where, &found, texts->excerpt, sizeof texts->excerpt);
}

static void tell(mlir_report *report, tosajit_mlir_severity severity, tosajit_status status,
                 MlirLocation location, const char *message) {
    finding_text texts;
    MlirLocation place = {NULL};
    tosajit_mlir_finding finding = {
        .severity = severity,
        .file = texts.file,
        .message = texts.message,
        .text = texts.text,
        .excerpt = texts.excerpt,
    };
    char numbers[48] = "";
    if (find_place(location, 0, &place)) {
        finding.line = mlirLocationFileLineColRangeGetStartLine(place);
        finding.column = mlirLocationFileLineColRangeGetStartColumn(place);
        if (finding.line > 0)
            snprintf(numbers, sizeof numbers, ":%d:%d", (int)finding.line, (int)finding.column);
    }
    escape_file(report, place, &texts);
    escape_message(message, texts.message, sizeof texts.message);
    excerpt(report, place, &finding, &texts);
    snprintf(texts.text, sizeof texts.text, "%s%s: %s: %s", texts.file, numbers,
             severity_name(severity), texts.message);
    if (severity == TOSAJIT_MLIR_ERROR && !report->status) {
        report->status = status;
        if (!report->silent) diag_error(status, "%s", texts.text);
    }
    if (report->say) report->say(report->context, &finding);
}

void mlir_report_begin(mlir_report *report) { report->status = TOSAJIT_OK; }
tosajit_status mlir_report_end(const mlir_report *report) { return report->status; }

static void tell_list(mlir_report *report, tosajit_status status, MlirLocation location,
                      const char *format, va_list arguments) {
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    tell(report, TOSAJIT_MLIR_ERROR, status, location, text);
}

void mlir_report_error(mlir_report *report, tosajit_status status, MlirLocation location,
                       const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell_list(report, status, location, format, arguments);
    va_end(arguments);
}

void mlir_report_remark(mlir_report *report, MlirLocation location, const char *text) {
    tell(report, TOSAJIT_MLIR_REMARK, TOSAJIT_OK, location, text);
}

void mlir_report_file_error(mlir_report *report, tosajit_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell_list(report, status, (MlirLocation){NULL}, format, arguments);
    va_end(arguments);
}

static tosajit_mlir_severity severity_of(MlirDiagnosticSeverity severity) {
    static const tosajit_mlir_severity severities[] = {
        [MlirDiagnosticError] = TOSAJIT_MLIR_ERROR,
        [MlirDiagnosticWarning] = TOSAJIT_MLIR_WARNING,
        [MlirDiagnosticNote] = TOSAJIT_MLIR_NOTE,
        [MlirDiagnosticRemark] = TOSAJIT_MLIR_REMARK,
    };
    return (size_t)severity < sizeof severities / sizeof *severities ? severities[severity]
                                                                     : TOSAJIT_MLIR_ERROR;
}

/* What MLIR 22 cannot read of what its successors write, and the form in which it can. */
static const char *way_out(const char *message) {
    static const struct {
        const char *message, *way;
    } ways[] = {
        {"elements hex data size is invalid",
         "; MLIR 23 and later write i1 as a byte an element, which is no text of MLIR 22: as "
         "bytecode (--emit-bytecode) the file can be read"},
        {"unknown attribute code",
         "; a later MLIR wrote this bytecode: as text, or as a .tosa file (--tosa-serialize), it "
         "can be read"},
        {"unknown type code",
         "; a later MLIR wrote this bytecode: as text, or as a .tosa file (--tosa-serialize), it "
         "can be read"},
        {"custom op 'tosa.",
         "; one of a later TOSA can be read in generic form (--mlir-print-op-generic)"},
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (strstr(message, ways[k].message)) return ways[k].way;
    return "";
}

static MlirLogicalResult handle(MlirDiagnostic diagnostic, void *user) {
    mlir_report *report = user;
    mlir_phrase phrase = {0};
    char hint[OP_HINT];
    mlirDiagnosticPrint(diagnostic, mlir_phrase_append, &phrase);
    while (phrase.length > 0 && phrase.text[phrase.length - 1] == ' ')
        phrase.text[--phrase.length] = '\0';
    const char *behind = op_hint_of_message(phrase.text, hint);
    if (!*behind) behind = way_out(phrase.text);
    mlir_phrase_append(mlirStringRefCreateFromCString(behind), &phrase);
    tell(report, severity_of(mlirDiagnosticGetSeverity(diagnostic)), TOSAJIT_BAD_MODULE,
         mlirDiagnosticGetLocation(diagnostic), phrase.text);
    for (intptr_t k = 0; k < mlirDiagnosticGetNumNotes(diagnostic); k++)
        handle(mlirDiagnosticGetNote(diagnostic, k), user);
    return mlirLogicalResultSuccess();
}

void mlir_report_attach(mlir_report *report, MlirContext context) {
    mlirContextAttachDiagnosticHandler(context, handle, report, NULL);
}
