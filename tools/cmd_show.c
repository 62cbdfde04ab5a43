/* tosajit plan, ir, asm: what the library makes of a function, as text. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/commands.h"

/* A plan speaks of values, which the file has names for. */
static void show_text(const entry *e, tosajit_view view, const char *text) {
    char *renamed = view == TOSAJIT_VIEW_PLAN ? mlir_file_rename(e->file, e->index, &e->function, text) : NULL;
    fputs(renamed ? renamed : text, stdout);
    free(renamed);
}

static int show(const char *command, const options *o, tosajit_backend backend, tosajit_view view) {
    entry e;
    tosajit_accuracy accuracy;
    if (!options_accuracy(command, o, &accuracy)) return EXIT_USAGE;
    int code = entry_open(o, &e);
    if (code != EXIT_FINE) return code;
    tosajit_engine_options settings = {.size = sizeof settings, .backend = backend, .cpu = o->cpu, .accuracy = accuracy};
    tosajit_engine *engine = NULL;
    char *text = NULL;
    if (tosajit_engine_create(&settings, &engine) != TOSAJIT_OK)
        code = refuse("%s", tosajit_last_error());
    else if (tosajit_print(engine, e.function.expr, view, &text) != TOSAJIT_OK)
        code = entry_refuse(&e);
    else
        show_text(&e, view, text);
    tosajit_text_release(text);
    tosajit_engine_destroy(engine);
    entry_close(&e);
    return code;
}

int cmd_plan(const options *o) { return show("plan", o, TOSAJIT_BACKEND_INTERPRET, TOSAJIT_VIEW_PLAN); } /* a plan needs no LLVM */
int cmd_ir(const options *o) { return show("ir", o, TOSAJIT_BACKEND_NATIVE, TOSAJIT_VIEW_IR); }
int cmd_asm(const options *o) { return show("asm", o, TOSAJIT_BACKEND_NATIVE, TOSAJIT_VIEW_ASM); }
