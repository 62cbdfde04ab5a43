/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opening a file and reading the function that the command line asks for. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/commands.h"
#include "tools/repl/scan.h"
#include "tosajit/inspect.h"

void json_finding(void *array, const tosajit_mlir_finding *finding) {
    static const char *const severities[] = {"error", "warning", "note", "remark"};
    json *j = array;
    json_open(j, NULL, '{');
    json_text(j, "severity", severities[finding->severity]);
    json_text(j, "file", finding->file);
    json_integer(j, "line", finding->line);
    json_integer(j, "column", finding->column);
    json_text(j, "message", finding->message);
    json_close(j, '}');
}

void print_finding(void *unused, const tosajit_mlir_finding *finding) {
    (void)unused;
    fprintf(stderr, "%s%s\n", finding->text, finding->excerpt);
}

static struct taker {
    void (*take)(void *context, const tosajit_mlir_finding *finding);
    void *context;
} taker = {print_finding, NULL};

void take_findings(void (*take)(void *context, const tosajit_mlir_finding *finding),
                   void *context) {
    taker = (struct taker){take, context};
}

static void say(void *context, const tosajit_mlir_finding *finding) {
    (void)context;
    taker.take(taker.context, finding);
}

/* The parser's message is as a finding's text: "NAME:LINE:COLUMN: error: MESSAGE", and the excerpt.
 */
static void refuse_expression(const char *name) {
    char message[1024];
    tosajit_failure failure = {.size = sizeof failure};
    tosajit_last_failure(&failure);
    snprintf(message, sizeof message, "%.*s", (int)failure.sentence_length, failure.sentence);
    say(NULL, &(tosajit_mlir_finding){.file = name,
                                      .line = (int32_t)failure.line,
                                      .column = (int32_t)failure.column,
                                      .message = message,
                                      .text = tosajit_last_error(),
                                      .excerpt = ""});
}

/* An expression as the function @main, which all commands know how to treat. */
static tosajit_status read_expression(const char *written, size_t length, int strict,
                                      const tosajit_mlir_options *options, source *file) {
    const tosajit_parse_options reading = {
        .size = sizeof reading, .strict = strict, .name = options->name};
    tosajit_expr *expr = NULL;
    char *text = NULL;
    tosajit_status status = tosajit_expr_parse(written, length, &reading, &expr);
    if (!status) status = tosajit_expr_print(expr, NULL, &text);
    if (status)
        refuse_expression(options->name);
    else
        status = source_read(text, strlen(text), options, file);
    tosajit_text_release(text);
    tosajit_expr_destroy(expr);
    return status;
}

/* Text in either language. */
static tosajit_status read_text(const char *text, size_t length, int strict,
                                const tosajit_mlir_options *options, source *file) {
    return repl_is_mlir(text, length) ? source_read(text, length, options, file)
                                      : read_expression(text, length, strict, options, file);
}

/* The commands of a session in a file of lines are nothing to others; numbers of lines stay. */
static void blank_commands(char *text, size_t length) {
    bool first = true, command = false; /* first: of its line, but for spaces */
    for (size_t k = 0; k < length; k++) {
        command = text[k] != '\n' && (command || (first && text[k] == ':'));
        first = text[k] == '\n' || (first && (text[k] == ' ' || text[k] == '\t'));
        if (command) text[k] = ' ';
    }
}

/* All of a file, to be freed, with a 0 behind it; null after a message. */
static char *read_lines(const char *path, size_t *length) {
    enum { MOST_BYTES = 16 * 1024 * 1024 };
    char *text = NULL, *larger;
    size_t used = 0, capacity = 0;
    FILE *in = fopen(path, "r");
    bool fine = in != NULL;
    while (fine && !feof(in) && used <= MOST_BYTES) {
        capacity = 2 * capacity + 4096;
        fine = (larger = realloc(text, capacity)) != NULL;
        if (fine) text = larger;
        if (fine) used += fread(text + used, 1, capacity - used - 1, in);
        fine = fine && !ferror(in);
    }
    if (!fine) command_error("%s: %s", path, strerror(errno));
    if (in) fclose(in);
    if (fine && used > MOST_BYTES)
        fine = command_error("%s: more than %d bytes", path, (int)MOST_BYTES) == EXIT_FINE;
    if (!fine) {
        free(text);
        return NULL;
    }
    text[used] = '\0';
    *length = used;
    return text;
}

/* A file of lines as they are typed: tosajit FILE.tj answers them one by one; here all of them are
 * one text. */
static tosajit_status open_lines(const options *o, const tosajit_mlir_options *options,
                                 source *file) {
    size_t length = 0;
    char *text = read_lines(o->file, &length);
    if (!text) return TOSAJIT_INVALID_ARGUMENT;
    if (!repl_is_mlir(text, length)) blank_commands(text, length);
    tosajit_status status = read_text(text, length, o->strict, options, file);
    free(text);
    return status;
}

/* Models of ONNX are bytes that neither language begins with, so people get the command instead. */
static bool is_onnx(const char *path) {
    const size_t length = path ? strlen(path) : 0;
    return length > 5 && strcmp(path + length - 5, ".onnx") == 0;
}

bool open_file(const options *o, source *file) {
    const bool lines = o->file && options_is_script(o->file);
    const char *name = o->expr ? "<expr>" : lines ? o->file : NULL;
    tosajit_mlir_options options = {.size = sizeof options, .name = name, .say = say, .guard = 1};
    tosajit_status status;
    memset(file, 0, sizeof *file);
    if (is_onnx(o->file)) {
        command_error("%s: an ONNX model is read by `tosajit onnx MODEL -o OUT`", o->file);
        return false;
    }
    if (o->expr)
        status = read_text(o->expr, strlen(o->expr), o->strict, &options, file);
    else if (lines)
        status = open_lines(o, &options, file);
    else
        status = source_open(o->file, &options, file);
    if (!status && o->strict) status = tosa_file_verify(file->any);
    return !status;
}

bool find_function(const options *o, const source *file, size_t *index) {
    bool found = tosa_file_find(file->any, o->entry, index) == TOSAJIT_OK;
    if (!found && !o->entry) fputs("tosajit: choose one with --entry\n", stderr);
    return found;
}

bool build_function(const source *file, size_t index, int strict, tosa_function *built) {
    tosajit_expr_options options = {.size = sizeof options, .strict = strict};
    return tosa_file_build(file->any, index, &options, built) == TOSAJIT_OK;
}

int entry_open(const options *o, entry *e) {
    memset(e, 0, sizeof *e);
    if (!open_file(o, &e->file)) {
        entry_close(e);
        return EXIT_REFUSED;
    }
    int code = EXIT_FINE;
    if (!find_function(o, &e->file, &e->index))
        code = EXIT_USAGE;
    else if (!build_function(&e->file, e->index, o->strict, &e->function))
        code = EXIT_REFUSED;
    else if (tosajit_expr_verify(e->function.expr) != TOSAJIT_OK)
        code = entry_refuse(e);
    if (code != EXIT_FINE) entry_close(e);
    return code;
}

void entry_close(entry *e) {
    tosa_function_release(&e->function);
    source_close(&e->file);
    memset(e, 0, sizeof *e);
}

int entry_refuse(const entry *e) {
    tosa_file_report(e->file.any, e->index, &e->function, tosajit_last_error());
    return EXIT_REFUSED;
}

/* "tensor<2xf32>, tensor<2xi1>" */
static void print_types(FILE *out, const tosa_function *function, const tosajit_value *values,
                        size_t count) {
    for (size_t k = 0; k < count; k++) {
        char text[512]; /* 16 dimensions of 20 characters fit */
        tosajit_tensor_type type;
        if (tosajit_expr_type(function->expr, values[k], &type) != TOSAJIT_OK) continue;
        tosajit_type_print(&type, text, sizeof text);
        fprintf(out, "%s%s", k ? ", " : "", text);
    }
}

void print_function_type(FILE *out, const tosa_function *function) {
    bool several = function->result_count != 1;
    fputc('(', out);
    print_types(out, function, function->inputs, function->input_count);
    fprintf(out, ") -> %s", several ? "(" : "");
    print_types(out, function, function->results, function->result_count);
    fprintf(out, "%s", several ? ")" : "");
}
