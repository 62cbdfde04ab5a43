/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views: plans are printed here, code is printed by who makes it. */
#include "jit/show/views.h"

#include <stdio.h>
#include <stdlib.h>

#include "jit/engine/backend.h"
#include "jit/show/plan_print.h"
#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/expr/expr_print.h"
#include "runtime/system/system.h"

/* How a plan is shown in each view. */
static plan_printer *const plan_printers[] = {
    [TOSAJIT_VIEW_PLAN] = plan_print,
    [TOSAJIT_VIEW_NEST] = nest_print,
    [TOSAJIT_VIEW_JSON] = plan_print_json,
};

/* Takes the text of a stream of system_text_open; null: there is none. */
static tosajit_status finish(FILE *out, tosajit_status status, char **text) {
    const bool fine = out && !ferror(out);
    if (out && system_text_close(out) && fine && !status) return TOSAJIT_OK;
    if (out) free(*text);
    return status ? status : diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a text");
}

static tosajit_status print_plan(const tosajit_engine *engine, const tosajit_kernel *kernel,
                                 tosajit_view view, char **text) {
    /* As the compiler does: results are stored past the caches of this machine alone. */
    const bool runs = engine->backend != TOSAJIT_BACKEND_CROSS;
    const nest_target target = {engine_level(engine), runs ? system_cache_bytes() : 0};
    if (view == TOSAJIT_VIEW_NEST && !target.level)
        return diag_error(TOSAJIT_NOT_EXECUTABLE,
                          "print: there are no native kernels for this CPU");
    size_t size;
    FILE *out = system_text_open(text, &size);
    fpenv environment;
    fpenv_hold(&environment);
    if (out) plan_printers[view](&kernel->plan, kernel->program, target, out);
    fpenv_restore(&environment);
    return finish(out, TOSAJIT_OK, text);
}

/* Code that is not there, as a comment that says why. */
static tosajit_status print_reason(tosajit_view view, char **text) {
    size_t size;
    FILE *out = system_text_open(text, &size);
    const char mark = view == TOSAJIT_VIEW_IR ? ';' : '#';
    if (out) fprintf(out, "%c no code of its own: %s\n", mark, tosajit_last_error());
    return finish(out, TOSAJIT_OK, text);
}

tosajit_status views_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view,
                           char **text) {
    char *printed = NULL;
    const bool planned = view != TOSAJIT_VIEW_IR && view != TOSAJIT_VIEW_ASM;
    if (!planned && !engine_compiles(engine))
        return diag_error(TOSAJIT_NOT_EXECUTABLE,
                          "print: an engine that compiles nothing has no code to show");
    tosajit_status status =
        planned ? print_plan(engine, kernel, view, &printed) : engine_enter(engine);
    if (!planned && !status) {
        status = backend_print(engine, kernel, view, &printed);
        engine_leave(engine);
    }
    if (status == TOSAJIT_LIMIT_EXCEEDED) status = print_reason(view, &printed);
    if (!status) *text = printed;
    return status;
}

typedef struct pass_writer {
    FILE *out;
    bool failed;
} pass_writer;

static void write_pass(void *context, const char *pass, const tosajit_expr *program) {
    pass_writer *w = context;
    if (program)
        w->failed |= !expr_print(program, pass, false, w->out);
    else
        fprintf(w->out, "// %s: unchanged\n", pass);
}

tosajit_status views_print_passes(const tosajit_expr *expr, const tosajit_allocator *allocator,
                                  const program_aids *aids, char **text) {
    size_t size;
    FILE *out = system_text_open(text, &size);
    pass_writer w = {out, false};
    program_aids shown = *aids;
    shown.show = write_pass;
    shown.context = &w;
    program_made made;
    fpenv environment;
    fpenv_hold(&environment);
    tosajit_status status = out ? program_make(expr, allocator, &shown, &made) : TOSAJIT_OK;
    fpenv_restore(&environment);
    if (out && !status) program_drop(&made);
    if (!status && w.failed) status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a text");
    return finish(out, status, text);
}

void tosajit_text_release(char *text) { free(text); }
