/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit plan, ir, asm: what the library makes of a function, as text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/plan_svg.h"
#include "tools/command/commands.h"
#include "tools/data/output_file.h"
#include "tosajit/inspect.h"

static void write_json(const entry *e, const char *plan) {
    json j = json_begin();
    json_text(&j, "function", tosa_file_name(e->file.any, e->index));
    json_value(&j, "plan", plan);
    json_end(&j);
}

/* The drawing of a plan, into a file of that name; "-" is standard output. */
static int write_svg(const entry *e, const char *plan, const char *path) {
    output_file out;
    bool fine = output_file_open(path, &out);
    if (fine && !plan_svg(plan, tosa_file_name(e->file.any, e->index), out.stream)) {
        output_file_abort(&out);
        return command_error("out of memory");
    }
    fine = fine && output_file_finish(&out) && output_file_commit(&out);
    if (strcmp(path, "-") == 0) path = "standard output";
    return fine ? EXIT_FINE : command_error("%s: cannot write: %s", path, strerror(errno));
}

/* A plan speaks of values, which the file has names for. */
static int show_text(const entry *e, tosajit_view view, const char *svg, const char *text) {
    bool planned =
        view != TOSAJIT_VIEW_IR && view != TOSAJIT_VIEW_ASM && view != TOSAJIT_VIEW_PASSES;
    char *renamed = planned ? tosa_file_rename(e->file.any, e->index, &e->function, text) : NULL;
    const char *shown = renamed ? renamed : text;
    int code = EXIT_FINE;
    if (svg)
        code = write_svg(e, shown, svg);
    else if (view == TOSAJIT_VIEW_JSON)
        write_json(e, shown);
    else if (fputs(shown, stdout) == EOF)
        code = command_error("standard output: cannot write: %s", strerror(errno));
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
        code = show_text(&e, view, o->svg, text);
    tosajit_text_release(text);
    tosajit_engine_destroy(engine);
    entry_close(&e);
    return code;
}

/* A plan needs no LLVM. */
int cmd_plan(const options *o) {
    if (o->svg && o->json) return usage_error("plan", "--svg and --json exclude each other");
    if (o->nest && (o->svg || o->json))
        return usage_error("plan", "--nest is text: leave out %s", o->svg ? "--svg" : "--json");
    if (o->passes && (o->svg || o->json || o->nest))
        return usage_error("plan", "--passes is text, of programs: leave out %s",
                           o->svg    ? "--svg"
                           : o->json ? "--json"
                                     : "--nest");
    if (o->cpu && !o->nest)
        return usage_error("plan", "a plan is the same for every CPU; --cpu goes with --nest");
    if (o->nest) return show("plan", o, TOSAJIT_BACKEND_CROSS, TOSAJIT_VIEW_NEST);
    return show("plan", o, TOSAJIT_BACKEND_INTERPRET,
                o->passes           ? TOSAJIT_VIEW_PASSES
                : o->svg || o->json ? TOSAJIT_VIEW_JSON
                                    : TOSAJIT_VIEW_PLAN);
}
int cmd_ir(const options *o) { return show("ir", o, TOSAJIT_BACKEND_CROSS, TOSAJIT_VIEW_IR); }
int cmd_asm(const options *o) { return show("asm", o, TOSAJIT_BACKEND_CROSS, TOSAJIT_VIEW_ASM); }
