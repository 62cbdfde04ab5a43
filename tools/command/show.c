/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit plan, ir, asm: what the library makes of a function, as text. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/commands.h"
#include "tools/data/output_file.h"

/* Write to a file of that name; "-" is standard output. */
static int write_text(const char *path, const char *text) {
    output_file out;
    bool fine = output_file_open(path, &out);
    if (fine) fputs(text, out.stream);
    fine = fine && output_file_finish(&out) && output_file_commit(&out);
    return fine ? EXIT_FINE : command_error("%s: cannot write: %s", path, strerror(errno));
}

static void put_escaped(FILE *out, const char *text) {
    for (; *text; text++) {
        const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc(*text, out);
    }
}

/* The drawing with the function's name in place of "@kernel", which stands in its title and on top,
 * in front of everything that comes from a file. */
static char *name_drawing(const entry *e, const char *text) {
    static const char stand_in[] = "@kernel";
    char *named = NULL;
    size_t size;
    FILE *out = open_memstream(&named, &size);
    if (!out) return NULL;
    for (int k = 0; k < 2; k++) {
        const char *found = strstr(text, stand_in);
        if (!found) break;
        fprintf(out, "%.*s@", (int)(found - text), text);
        put_escaped(out, tosajit_mlir_name(e->file, e->index));
        text = found + sizeof stand_in - 1;
    }
    fputs(text, out);
    if (fclose(out) == 0) return named;
    free(named);
    return NULL;
}

static void write_json(const entry *e, const char *plan) {
    json j = json_begin();
    json_text(&j, "function", tosajit_mlir_name(e->file, e->index));
    json_value(&j, "plan", plan);
    json_end(&j);
}

/* A plan speaks of values, which the file has names for. */
static int show_text(const entry *e, tosajit_view view, const char *path, const char *text) {
    bool planned = view != TOSAJIT_VIEW_IR && view != TOSAJIT_VIEW_ASM;
    char *renamed = planned ? mlir_module_rename(e->file, e->index, &e->function, text) : NULL;
    char *named = view == TOSAJIT_VIEW_SVG ? name_drawing(e, renamed ? renamed : text) : NULL;
    const char *shown = named ? named : renamed ? renamed : text;
    int code = EXIT_FINE;
    if (view == TOSAJIT_VIEW_JSON)
        write_json(e, shown);
    else
        code = write_text(path, shown);
    free(named);
    free(renamed);
    return code;
}

static int show(const char *command, const options *o, tosajit_backend backend, tosajit_view view) {
    entry e;
    tosajit_accuracy accuracy;
    if (!options_accuracy(command, o, &accuracy)) return EXIT_USAGE;
    int code = entry_open(o, &e);
    if (code != EXIT_FINE) return code;
    tosajit_engine_options settings = {
        .size = sizeof settings, .backend = backend, .cpu = o->cpu, .accuracy = accuracy};
    tosajit_engine *engine = NULL;
    char *text = NULL;
    if (tosajit_engine_create(&settings, &engine) != TOSAJIT_OK)
        code = command_error("%s", tosajit_last_error());
    else if (tosajit_print(engine, e.function.expr, view, &text) != TOSAJIT_OK)
        code = entry_refuse(&e);
    else
        code = show_text(&e, view, o->svg ? o->svg : "-", text);
    tosajit_text_release(text);
    tosajit_engine_destroy(engine);
    entry_close(&e);
    return code;
}

/* A plan needs no LLVM. */
int cmd_plan(const options *o) {
    if (o->svg && o->json) return usage_error("plan", "--svg and --json exclude each other");
    return show("plan", o, TOSAJIT_BACKEND_INTERPRET,
                o->svg    ? TOSAJIT_VIEW_SVG
                : o->json ? TOSAJIT_VIEW_JSON
                          : TOSAJIT_VIEW_PLAN);
}
int cmd_ir(const options *o) { return show("ir", o, TOSAJIT_BACKEND_CROSS, TOSAJIT_VIEW_IR); }
int cmd_asm(const options *o) { return show("asm", o, TOSAJIT_BACKEND_CROSS, TOSAJIT_VIEW_ASM); }
