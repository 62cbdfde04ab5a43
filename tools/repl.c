/* Answers: a line becomes a kernel or a command. A line that fails leaves the kernel of the last one that did not. */
#include "tools/repl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/commands.h"
#include "tools/mlir/escape.h"

enum { SHOWN = 100, BEFORE = 40 }; /* columns of a line that are repeated in a message, and those before its place */

/* ---------------------------------------------------------------------------------------------------------------------
 * Findings */

static void print_message(const char *message) {
    char escaped[2 * REPL_MESSAGE_CAPACITY];
    escape_message(message, escaped, sizeof escaped);
    fprintf(stderr, "error: %s\n", escaped);
}

/* Columns that printable text takes, by its characters. */
static size_t columns(const char *text) {
    size_t count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

/* The piece of the line around the place, and a caret under it. */
static void print_place(const char *line, size_t length, repl_span where) {
    char before[3 * SHOWN + 1], marked[3 * SHOWN + 1], after[3 * SHOWN + 1];
    if (where.at > length) where.at = length;
    if (where.length > length - where.at) where.length = length - where.at;
    if (where.length > SHOWN - BEFORE) where.length = SHOWN - BEFORE;
    size_t from = where.at > BEFORE ? where.at - BEFORE : 0, behind = where.at + where.length;
    while (from > 0 && from < where.at && (line[from] & 0xc0) == 0x80) from++; /* not within a character */
    size_t rest = length - behind;
    if (rest > SHOWN - BEFORE - where.length) rest = SHOWN - BEFORE - where.length;
    escape_name(line + from, where.at - from, before, sizeof before);
    escape_name(line + where.at, where.length, marked, sizeof marked);
    escape_name(line + behind, rest, after, sizeof after);
    fprintf(stderr, "  %s%s%s%s%s\n", from ? "..." : "", before, marked, after, behind + rest < length ? "..." : "");
    fprintf(stderr, "  %*s^", (int)(columns(before) + (from ? 3 : 0)), "");
    for (size_t k = 1; k < columns(marked); k++) fputc('~', stderr);
    fputc('\n', stderr);
}

static void begin_message(repl *r, size_t line, size_t column) {
    r->failed = true;
    fflush(stdout);
    if (!r->terminal && column) fprintf(stderr, "<stdin>:%zu:%zu: ", line, column);
    if (!r->terminal && !column) fprintf(stderr, "<stdin>:%zu: ", line);
}

static bool fail_at(repl *r, const repl_error *error) {
    bool placed = error->where.at || error->where.length;
    begin_message(r, r->line, placed ? error->where.at + 1 : 0);
    print_message(error->text);
    if (placed) print_place(r->text, r->length, error->where);
    return false;
}

bool repl_fail(repl *r, repl_span where, const char *format, ...) {
    repl_error error = {.where = where};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    return fail_at(r, &error);
}

bool repl_fail_line(repl *r, size_t line, const char *format, ...) {
    char text[REPL_MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    begin_message(r, line, 0);
    print_message(text);
    return false;
}

/* A finding of the MLIR reader. */
static void say(void *context, const tosajit_mlir_finding *finding) {
    repl *r = context;
    r->failed = true;
    fflush(stdout);
    fprintf(stderr, "%s\n", finding->text);
}

bool repl_copy_word(repl *r, repl_span word, char *text, size_t capacity) {
    if (word.length >= capacity) return repl_fail(r, word, "this word has more than %zu characters", capacity - 1);
    if (memchr(r->text + word.at, '\0', word.length)) return repl_fail(r, word, "this word has a 0 byte");
    memcpy(text, r->text + word.at, word.length);
    text[word.length] = '\0';
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Kernels */

static void release_kernel(repl_kernel *k) {
    tosajit_kernel_release(k->kernel);
    repl_program_release(&k->program);
    tosajit_mlir_close(k->file);
    free(k->source);
    memset(k, 0, sizeof *k);
}

static char *rename_text(const repl_kernel *k, const char *text) {
    const mlir_function *f = &k->program.function;
    if (k->file) return mlir_module_rename(k->file, k->index, f, text);
    return value_names_replace(k->program.names, f->input_count, f->input_count + f->step_count, text);
}

static bool fail_library(repl *r, const repl_kernel *k) {
    char *renamed = rename_text(k, tosajit_last_error());
    repl_fail_line(r, r->line, "%s", renamed ? renamed : tosajit_last_error());
    free(renamed);
    return false;
}

static bool compile(repl *r, tosajit_engine *engine, repl_kernel *k) {
    return tosajit_compile_expr(engine, k->program.function.expr, &k->kernel) == TOSAJIT_OK || fail_library(r, k);
}

static bool copy_source(repl *r, repl_kernel *k, const char *text, size_t length, size_t line) {
    k->source = malloc(length + 1);
    if (!k->source) return repl_fail_line(r, line, "out of memory");
    memcpy(k->source, text, length);
    k->source[length] = '\0';
    k->length = length;
    k->line = line;
    return true;
}

/* A kernel of one line of the REPL's own language. */
static bool make_from_line(repl *r, const repl_line *line, tosajit_engine *engine, bool strict, repl_kernel *k) {
    repl_error error;
    memset(k, 0, sizeof *k);
    if (!repl_build(r->text, line, strict, &k->program, &error)) return fail_at(r, &error);
    if (copy_source(r, k, r->text, r->length, r->line) && compile(r, engine, k)) return true;
    release_kernel(k);
    return false;
}

/* A kernel of function `index` of a text. */
static bool make_from_mlir(repl *r, const repl_kernel *from, size_t index, tosajit_engine *engine, bool strict, repl_kernel *k) {
    memset(k, 0, sizeof *k);
    /* In a pipe the lines are those of the whole input. */
    size_t lines = r->terminal ? 0 : from->line - 1;
    char *padded = malloc(lines + from->length + 1);
    if (!padded) return repl_fail_line(r, from->line, "out of memory");
    memset(padded, '\n', lines);
    memcpy(padded + lines, from->source, from->length);
    tosajit_mlir_options options = {
        .size = sizeof options, .name = r->terminal ? "input" : "<stdin>", .say = say, .context = r, .guard = 1};
    tosajit_status status = tosajit_mlir_read(padded, lines + from->length, &options, &k->file);
    free(padded);
    k->index = index;
    if (!status && strict) status = tosajit_mlir_verify(k->file);
    bool fine = !status && build_function(k->file, index, strict, &k->program.function);
    if (fine && tosajit_expr_verify(k->program.function.expr) != TOSAJIT_OK) {
        mlir_module_report(k->file, index, &k->program.function, tosajit_last_error());
        fine = false;
    }
    if (fine && copy_source(r, k, from->source, from->length, from->line) && compile(r, engine, k)) return true;
    release_kernel(k);
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Answers */

char *repl_print(repl *r, tosajit_view view) {
    char *text = NULL;
    const repl_kernel *k = &r->current;
    if (tosajit_print(r->engine, k->program.function.expr, view, &text) != TOSAJIT_OK) {
        fail_library(r, k);
        return NULL;
    }
    char *renamed = rename_text(k, text);
    tosajit_text_release(text);
    if (!renamed) repl_fail_line(r, r->line, "out of memory");
    return renamed;
}

void repl_print_compilation(const repl *r) {
    const repl_kernel *k = &r->current;
    tosajit_kernel_info info = {.size = sizeof info};
    bool known = tosajit_kernel_describe(k->kernel, &info) == TOSAJIT_OK;
    if (!known || !tosajit_kernel_is_native(k->kernel)) {
        printf("interpreted: this machine runs no code of the compiler's\n");
        return;
    }
    double total = info.emit_ms + info.passes_ms + info.codegen_ms + info.link_ms;
    printf("%zu bytes of code in %.2f ms (emit %.2f, passes %.2f, codegen %.2f, link %.2f)\n", info.code_bytes, total, info.emit_ms,
           info.passes_ms, info.codegen_ms, info.link_ms);
}

/* The results' types are in the plan. */
static void show_kernel(repl *r) {
    char *plan = repl_print(r, TOSAJIT_VIEW_PLAN);
    if (!plan) return;
    for (size_t k = 0; k < tosajit_kernel_result_count(r->current.kernel); k++) {
        char text[512]; /* 16 dimensions of 20 characters fit */
        tosajit_tensor_type type = tosajit_kernel_result_type(r->current.kernel, k);
        tosajit_type_print(&type, text, sizeof text);
        printf("%s%s", k ? ", " : "", text);
    }
    printf("\n%s", plan);
    repl_print_compilation(r);
    free(plan);
}

static void take_kernel(repl *r, repl_kernel *k) {
    release_kernel(&r->current);
    r->current = *k;
    show_kernel(r);
}

static void answer_expression(repl *r, const repl_line *line) {
    repl_kernel made;
    if (make_from_line(r, line, r->engine, r->strict, &made)) take_kernel(r, &made);
}

/* What people type who do not know yet that commands begin with a colon. None of it is an expression. */
static const char *find_command(const char *text, size_t length) {
    static const char *const words[][2] = {{"help", ":help"}, {"?", ":help"}, {"quit", ":quit"}, {"exit", ":quit"}};
    while (length > 0 && strchr(" \t\r", text[length - 1])) length--;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k][0]) == length && memcmp(words[k][0], text, length) == 0) return words[k][1];
    return NULL;
}

void repl_answer(repl *r, const char *text, size_t length, size_t line) {
    repl_line parsed;
    repl_error error;
    const char *command = find_command(text, length);
    if (command) {
        text = command;
        length = strlen(command);
    }
    r->text = text;
    r->length = length;
    r->line = line;
    if (!repl_parse(text, length, &parsed, &error)) {
        fail_at(r, &error);
        return;
    }
    if (parsed.kind == REPL_COMMAND) repl_command(r, &parsed);
    if (parsed.kind == REPL_ONE_OP || parsed.kind == REPL_STATEMENTS) answer_expression(r, &parsed);
    repl_line_release(&parsed);
}

/* Every function of the text, each answered; the last one stays. */
void repl_answer_mlir(repl *r, const char *text, size_t length, size_t line) {
    repl_kernel from = {.length = length, .line = line}, made;
    r->text = text;
    r->length = length;
    r->line = line;
    if (!copy_source(r, &from, text, length, line)) return;
    size_t count = 1;
    for (size_t k = 0; k < count; k++) {
        if (!make_from_mlir(r, &from, k, r->engine, r->strict, &made)) break;
        count = tosajit_mlir_count(made.file);
        if (count > 1) printf("@%s: ", tosajit_mlir_name(made.file, k));
        take_kernel(r, &made);
    }
    free(from.source);
}

bool repl_remake(repl *r, tosajit_engine *engine, bool strict) {
    const char *text = r->text;
    size_t length = r->length;
    repl_kernel made;
    bool fine = true;
    if (!r->current.source) return true;
    if (r->current.file) {
        fine = make_from_mlir(r, &r->current, r->current.index, engine, strict, &made);
    } else {
        repl_line parsed;
        repl_error error;
        r->text = r->current.source;
        r->length = r->current.length;
        fine = repl_parse(r->text, r->length, &parsed, &error) || fail_at(r, &error);
        if (fine) {
            fine = make_from_line(r, &parsed, engine, strict, &made);
            repl_line_release(&parsed);
        }
        r->text = text;
        r->length = length;
    }
    if (!fine) return false;
    made.line = r->current.line;
    release_kernel(&r->current);
    r->current = made;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The session */

bool repl_open(repl *r, const options *o) {
    memset(r, 0, sizeof *r);
    r->strict = o->strict;
    if (!options_accuracy("repl", o, &r->accuracy)) return false;
    if (o->cpu) snprintf(r->cpu, sizeof r->cpu, "%s", o->cpu);
    const tosajit_engine_options settings = {.size = sizeof settings, .cpu = o->cpu, .accuracy = r->accuracy, .uncached = 1};
    if (tosajit_engine_create(&settings, &r->engine) == TOSAJIT_OK) return true;
    fprintf(stderr, "tosajit: error: %s\n", tosajit_last_error());
    return false;
}

void repl_close(repl *r) {
    release_kernel(&r->current);
    tosajit_engine_destroy(r->engine);
    r->engine = NULL;
}
