/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions about texts. In: a text and options of the caller; out: an expression, or
 * the last error with the place in the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/text/build.h"
#include "jit/text/place.h"
#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/options.h"
#include "tosajit/inspect.h"

enum { MOST_BYTES = 16 * 1024 * 1024 };

/* The error as the thread's last one, with its place and the line there. */
static tosajit_status report(const char *text, size_t length, const tosajit_parse_options *options,
                             const text_error *error) {
    const bool placed = error->where.at || error->where.length;
    const text_place place = place_find(text, length, error->where);
    char shown[PLACE_SHOWN], where[PLACE_NAME] = "";
    place_show(text, length, &error->where, &place, shown, sizeof shown);
    place_print(options, placed ? &place : NULL, where, sizeof where);
    diag_error(error->status, "%serror: %s%s", where, error->text, placed ? shown : "");
    diag_on(error->status, &error->about);
    return diag_place(error->status, placed ? place_line(options, &place) : 0,
                      placed ? place.column : 0, strlen(where) + strlen("error: "));
}

static tosajit_status check(const char *what, const char *text, size_t length, const void *out) {
    if (!text || !out) return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: a pointer is null", what);
    if (length > MOST_BYTES)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED, "%s: a text has at most %d bytes", what,
                          MOST_BYTES);
    return TOSAJIT_OK;
}

static tosajit_status check_options(const tosajit_parse_options *o) {
    if ((unsigned)o->accuracy > TOSAJIT_CONTRACTED)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_parse: there is no accuracy %d",
                          (int)o->accuracy);
    if (o->type_count && !o->types)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_parse: types is a null pointer");
    for (size_t k = 0; k < o->type_count; k++)
        if (!o->types[k].name)
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_parse: types[%zu] has no name", k);
    return options_check_allocator(o->allocator);
}

tosajit_status tosajit_expr_parse(const char *text, size_t length,
                                  const tosajit_parse_options *options, tosajit_expr **expr) {
    tosajit_parse_options known;
    tosajit_status status = check("expr_parse", text, length, expr);
    if (!status) status = options_take(&known, sizeof known, options, "tosajit_parse_options");
    if (!status) status = check_options(&known);
    if (status) return status;
    text_line line;
    text_error error;
    fpenv environment;
    fpenv_hold(&environment);
    bool fine = text_parse(text, length, known.allocator, &line, &error);
    if (fine) {
        fine = text_build(text, &line, &known, expr, &error);
        text_line_release(&line);
    }
    status = fine ? TOSAJIT_OK : report(text, length, &known, &error);
    fpenv_restore(&environment);
    return status;
}

/* One name a line. */
static char *print_names(const char *text, const text_span *names, size_t count) {
    size_t size = 1, used = 0;
    for (size_t k = 0; k < count; k++) size += names[k].length + 1;
    char *printed = malloc(size);
    if (!printed) return NULL;
    for (size_t k = 0; k < count; k++) {
        memcpy(printed + used, text + names[k].at, names[k].length);
        used += names[k].length;
        printed[used++] = '\n';
    }
    printed[used] = '\0';
    return printed;
}

/* The operands of one op have no names in the text: a, b and so on. */
static char *print_letters(size_t count) {
    static const char letters[] = "a\nb\nc\nd\ne\n";
    char *printed = malloc(2 * count + 1);
    if (!printed) return NULL;
    memcpy(printed, letters, 2 * count);
    printed[2 * count] = '\0';
    return printed;
}

tosajit_status tosajit_expr_operands(const char *text, size_t length, char **names) {
    const tosajit_parse_options none = {.size = sizeof none};
    tosajit_status status = check("expr_operands", text, length, names);
    if (status) return status;
    text_line line;
    text_error error;
    text_span operands[TOSAJIT_MAX_TENSORS];
    size_t count = 0;
    fpenv environment;
    fpenv_hold(&environment);
    bool fine = text_parse(text, length, NULL, &line, &error);
    char *printed = NULL;
    if (fine) {
        fine = text_operands(text, &line, operands, &count, &error);
        if (fine)
            printed = line.kind == TEXT_ONE_OP ? print_letters(line.annotation_count)
                                               : print_names(text, operands, count);
        text_line_release(&line);
    }
    if (!fine)
        status = report(text, length, &none, &error);
    else if (!printed)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "expr_operands: out of memory");
    else
        *names = printed;
    fpenv_restore(&environment);
    return status;
}
