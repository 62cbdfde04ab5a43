/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of the MLIR reader: MLIR's own and ours leave in the same form and through the same
 * function. */
#include "tools/mlir/report.h"

#include <mlir-c/Diagnostics.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
static bool resolve(MlirLocation location, int depth, MlirLocation *place) {
    if (mlirLocationIsNull(location) || depth == LOCATION_DEPTH) return false;
    if (mlirLocationIsAFileLineColRange(location)) {
        *place = location;
        return true;
    }
    if (mlirLocationIsAName(location))
        return resolve(mlirLocationNameGetChildLoc(location), depth + 1, place);
    if (mlirLocationIsACallSite(location))
        return resolve(mlirLocationCallSiteGetCallee(location), depth + 1, place);
    if (!mlirLocationIsAFused(location)) return false;
    MlirLocation parts[FUSED_LIMIT];
    unsigned count = mlirLocationFusedGetNumLocations(location);
    if (count > FUSED_LIMIT) return false;
    mlirLocationFusedGetLocations(location, parts);
    for (unsigned k = 0; k < count; k++)
        if (resolve(parts[k], depth + 1, place)) return true;
    return false;
}

/* Where a line of the file begins; null if there is no such line. Findings mostly come in order, so
 * lines are counted from the last finding. */
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

const char *mlir_find_character(mlir_report *report, MlirLocation location) {
    MlirLocation found = {NULL};
    if (!report->bytes || !resolve(location, 0, &found)) return NULL;
    const MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(found));
    const int line = mlirLocationFileLineColRangeGetStartLine(found),
              column = mlirLocationFileLineColRangeGetStartColumn(found);
    if (!mlirStringRefEqual(file, mlirStringRefCreateFromCString(report->base->file)) || line < 1 ||
        column < 1)
        return NULL;
    const char *first = find_line(report, (size_t)line), *end = report->bytes + report->length;
    return first && column <= end - first ? first + column - 1 : NULL;
}

/* With the line and a caret, where it is in the text that was read. */
void mlir_find_place(mlir_report *report, MlirLocation location, tosa_place *place) {
    MlirLocation found = {NULL};
    if (!resolve(location, 0, &found)) return;
    const MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(found));
    snprintf(place->file, sizeof place->file, "%.*s", (int)file.length, file.data);
    place->line = mlirLocationFileLineColRangeGetStartLine(found);
    place->column = mlirLocationFileLineColRangeGetStartColumn(found);
    if (!mlir_find_character(report, found)) return;
    const char *line = report->bytes + report->line_begin;
    const size_t rest = report->length - report->line_begin;
    const text_span where = {(size_t)place->column - 1, 1};
    const text_place shown = place_find(line, rest, where);
    if (shown.line == 1)
        place_show(line, rest, &where, &shown, place->excerpt, sizeof place->excerpt);
}

void mlir_report_error(mlir_report *report, tosajit_status status, MlirLocation location,
                       const char *format, ...) {
    char text[TOSA_MESSAGE];
    tosa_place place = {.line = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mlir_find_place(report, location, &place);
    tosa_report_tell(report->base, TOSAJIT_MLIR_ERROR, status, &place, text);
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

/* Advice for files of MLIR's successors that MLIR 22 cannot read: the form in which it can. The
 * text of a diagnostic is MLIR's only word about its kind. */
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
    tosa_place place = {.line = 0};
    char hint[OP_HINT];
    mlirDiagnosticPrint(diagnostic, mlir_phrase_append, &phrase);
    while (phrase.length > 0 && phrase.text[phrase.length - 1] == ' ')
        phrase.text[--phrase.length] = '\0';
    const char *behind = op_hint_of_message(phrase.text, hint);
    if (!*behind) behind = way_out(phrase.text);
    mlir_phrase_append(mlirStringRefCreateFromCString(behind), &phrase);
    mlir_find_place(report, mlirDiagnosticGetLocation(diagnostic), &place);
    tosa_report_tell(report->base, severity_of(mlirDiagnosticGetSeverity(diagnostic)),
                     TOSAJIT_BAD_MODULE, &place, phrase.text);
    for (intptr_t k = 0; k < mlirDiagnosticGetNumNotes(diagnostic); k++)
        handle(mlirDiagnosticGetNote(diagnostic, k), user);
    return mlirLogicalResultSuccess();
}

void mlir_report_attach(mlir_report *report, MlirContext context) {
    mlirContextAttachDiagnosticHandler(context, handle, report, NULL);
}
