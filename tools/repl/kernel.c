/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The last kernel: made of a line, or of the functions of a text of MLIR, and made again when a
 * setting changes. */
#include "tools/repl/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *rename_text(const repl_kernel *k, const char *text) {
    if (k && k->file) return tosa_file_rename(k->file, k->index, &k->function, text);
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static bool fail_library(repl *r, const repl_kernel *k) {
    char *renamed = rename_text(k, tosajit_last_error());
    repl_fail_line(r, r->line, "%s", renamed ? renamed : tosajit_last_error());
    free(renamed);
    return false;
}

static bool compile(repl *r, tosajit_engine *engine, repl_kernel *k) {
    return tosajit_compile_expr(engine, k->function.expr, &k->kernel) == TOSAJIT_OK ||
           fail_library(r, k);
}

static bool copy_source(repl *r, repl_kernel *k) {
    k->source = malloc(r->length + 1);
    if (!k->source) return repl_fail_line(r, r->line, "out of memory");
    memcpy(k->source, r->text, r->length);
    k->source[r->length] = '\0';
    k->length = r->length;
    return true;
}

/* A kernel of a text of the library's language. */
static bool make_from_line(repl *r, tosajit_engine *engine, bool strict, repl_kernel *k) {
    const tosajit_parse_options options = {.size = sizeof options,
                                           .strict = strict,
                                           .name = r->terminal ? NULL : r->name,
                                           .line = r->line};
    memset(k, 0, sizeof *k);
    if (tosajit_expr_parse(r->text, r->length, &options, &k->function.expr) != TOSAJIT_OK)
        return repl_fail_text(r);
    k->line = r->line;
    if (copy_source(r, k) && compile(r, engine, k)) return true;
    repl_kernel_release(k);
    return false;
}

/* A kernel of function `index` of a file, which is borrowed. */
static bool make_from_file(repl *r, tosa_file *file, size_t index, tosajit_engine *engine,
                           bool strict, repl_kernel *k) {
    const tosajit_expr_options options = {.size = sizeof options, .strict = strict};
    *k = (repl_kernel){.line = r->line, .file = file, .index = index};
    bool fine = !tosa_file_build(file, index, &options, &k->function);
    if (fine && tosajit_expr_verify(k->function.expr) != TOSAJIT_OK) {
        tosa_file_report(file, index, &k->function, tosajit_last_error());
        fine = false;
    }
    if (fine && compile(r, engine, k)) return true;
    k->file = NULL;
    repl_kernel_release(k);
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Showing it */

char *repl_print(repl *r, tosajit_view view) {
    char *text = NULL;
    const repl_kernel *k = &r->current;
    if (tosajit_print(r->engine, k->function.expr, view, &text) != TOSAJIT_OK) {
        fail_library(r, k);
        return NULL;
    }
    /* Operands of a program may be others than the file's. */
    char *renamed = rename_text(view == TOSAJIT_VIEW_PASSES ? NULL : k, text);
    tosajit_text_release(text);
    if (!renamed) repl_fail_line(r, r->line, "out of memory");
    return renamed;
}

void repl_print_compilation(const repl *r) {
    const repl_kernel *k = &r->current;
    tosajit_kernel_info info = {.size = sizeof info};
    bool known = tosajit_kernel_describe(k->kernel, &info) == TOSAJIT_OK;
    if (!known || !tosajit_kernel_is_native(k->kernel)) {
        printf("not compiled: computed by %s\n", options_answerer(k->kernel));
        return;
    }
    double total = info.emit_ms + info.passes_ms + info.codegen_ms + info.link_ms;
    printf("%zu bytes of code in %.2f ms (emit %.1f, passes %.1f, codegen %.1f, link %.1f)\n",
           info.code_bytes, total, info.emit_ms, info.passes_ms, info.codegen_ms, info.link_ms);
}

/* The results' types are in the plan. */
static void show_kernel(repl *r) {
    if (r->quiet) return;
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

/* Releases members of the former kernel that the new one has not. */
static void replace_kernel(repl *r, const repl_kernel *k) {
    if (r->current.file == k->file) r->current.file = NULL;
    repl_kernel_release(&r->current);
    r->current = *k;
}

/* ---------------------------------------------------------------------------------------------
 * Making it */

void repl_take_line(repl *r) {
    repl_kernel made;
    if (!make_from_line(r, r->engine, r->strict, &made)) return;
    replace_kernel(r, &made);
    show_kernel(r);
}

/* A finding of the MLIR reader. */
static void say(void *context, const tosajit_mlir_finding *finding) {
    repl *r = context;
    r->failed = true;
    fflush(stdout);
    fprintf(stderr, "%s\n", finding->text);
}

/* The text being answered as a file, which reports to the session. In a pipe its lines are those of
 * the whole input. */
static tosa_file *read_file(repl *r) {
    size_t lines = r->terminal ? 0 : r->line - 1;
    char *padded = malloc(lines + r->length + 1);
    if (!padded) {
        repl_fail_line(r, r->line, "out of memory");
        return NULL;
    }
    memset(padded, '\n', lines);
    memcpy(padded + lines, r->text, r->length);
    tosajit_mlir_options options = {.size = sizeof options,
                                    .name = r->terminal ? "input" : r->name,
                                    .say = say,
                                    .context = r,
                                    .guard = 1};
    tosajit_mlir *module = NULL;
    tosajit_mlir_read(padded, lines + r->length, &options, &module);
    free(padded);
    return mlir_module_file(module);
}

void repl_take_mlir(repl *r) {
    tosa_file *file = read_file(r);
    bool fine = file && !(r->strict && tosa_file_verify(file));
    size_t count = fine ? tosa_file_count(file) : 0, k = 0;
    repl_kernel made;
    for (; k < count && make_from_file(r, file, k, r->engine, r->strict, &made); k++) {
        if (count > 1) printf("@%s: ", tosa_file_name(file, k));
        replace_kernel(r, &made);
        show_kernel(r);
    }
    if (k == 0) tosa_file_close(file); /* or it is the last kernel's */
}

/* The line of the last kernel again. */
static bool remake_line(repl *r, tosajit_engine *engine, bool strict, repl_kernel *made) {
    const char *text = r->text;
    size_t length = r->length;
    r->text = r->current.source;
    r->length = r->current.length;
    bool fine = make_from_line(r, engine, strict, made);
    r->text = text;
    r->length = length;
    return fine;
}

bool repl_remake(repl *r, tosajit_engine *engine, bool strict) {
    tosa_file *file = r->current.file;
    size_t line = r->current.line;
    repl_kernel made;
    if (!r->current.kernel) return true;
    bool fine = file ? !(strict && tosa_file_verify(file)) &&
                           make_from_file(r, file, r->current.index, engine, strict, &made)
                     : remake_line(r, engine, strict, &made);
    if (!fine) return false;
    made.line = line;
    replace_kernel(r, &made);
    return true;
}
