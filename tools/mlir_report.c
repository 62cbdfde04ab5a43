/* Diagnostics of the MLIR reader: MLIR's own and ours leave in the same form and through the same function. */
#include "tools/mlir_report.h"

#include <mlir-c/Diagnostics.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/escape.h"

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
    if (mlirLocationIsAName(location)) return find_place(mlirLocationNameGetChildLoc(location), depth + 1, place);
    if (mlirLocationIsACallSite(location)) return find_place(mlirLocationCallSiteGetCallee(location), depth + 1, place);
    if (!mlirLocationIsAFused(location)) return false;
    MlirLocation parts[FUSED_LIMIT];
    unsigned count = mlirLocationFusedGetNumLocations(location);
    if (count > FUSED_LIMIT) return false;
    mlirLocationFusedGetLocations(location, parts);
    for (unsigned k = 0; k < count; k++)
        if (find_place(parts[k], depth + 1, place)) return true;
    return false;
}

static void append_text(mlir_phrase *phrase, const char *text) { mlir_phrase_append(mlirStringRefCreateFromCString(text), phrase); }

/* "gelu.mlir:7:10: error: " */
static void append_place(mlir_phrase *phrase, const mlir_report *report, const MlirLocation *location, const char *severity) {
    MlirLocation place;
    if (location && find_place(*location, 0, &place)) {
        char numbers[48];
        snprintf(numbers, sizeof numbers, ":%d:%d", mlirLocationFileLineColRangeGetStartLine(place),
                 mlirLocationFileLineColRangeGetStartColumn(place));
        mlir_phrase_append(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place)), phrase);
        append_text(phrase, numbers);
    } else {
        append_text(phrase, report->file);
    }
    append_text(phrase, ": ");
    append_text(phrase, severity);
    append_text(phrase, ": ");
}

/* Names and strings of the file are in it, and it goes to a terminal. */
static void say(const mlir_report *report, const mlir_phrase *phrase) {
    char text[2 * sizeof phrase->text];
    escape_message(phrase->text, text, sizeof text);
    report->say(report->context, text);
}

static void report_list(const mlir_report *report, const MlirLocation *location, const char *format, va_list arguments) {
    mlir_phrase phrase = {0};
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    append_place(&phrase, report, location, "error");
    append_text(&phrase, text);
    say(report, &phrase);
}

void mlir_report_error(const mlir_report *report, MlirLocation location, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report_list(report, &location, format, arguments);
    va_end(arguments);
}

void mlir_report_file_error(const mlir_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report_list(report, NULL, format, arguments);
    va_end(arguments);
}

static const char *severity_name(MlirDiagnosticSeverity severity) {
    static const char *const names[] = {
        [MlirDiagnosticError] = "error",
        [MlirDiagnosticWarning] = "warning",
        [MlirDiagnosticNote] = "note",
        [MlirDiagnosticRemark] = "remark",
    };
    return (size_t)severity < sizeof names / sizeof *names ? names[severity] : "error";
}

static MlirLogicalResult handle(MlirDiagnostic diagnostic, void *user) {
    mlir_report *report = user;
    report->said = true;
    mlir_phrase phrase = {0};
    MlirLocation location = mlirDiagnosticGetLocation(diagnostic);
    append_place(&phrase, report, &location, severity_name(mlirDiagnosticGetSeverity(diagnostic)));
    mlirDiagnosticPrint(diagnostic, mlir_phrase_append, &phrase);
    say(report, &phrase);
    for (intptr_t k = 0; k < mlirDiagnosticGetNumNotes(diagnostic); k++) handle(mlirDiagnosticGetNote(diagnostic, k), user);
    return mlirLogicalResultSuccess();
}

void mlir_report_attach(mlir_report *report, MlirContext context) { mlirContextAttachDiagnosticHandler(context, handle, report, NULL); }
