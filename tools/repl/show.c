/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* :plan, :passes, :ir and :asm, texts of the last kernel. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/base/pager.h"
#include "tools/repl/kernel.h"
#include "tools/repl/verbs.h"

static bool show(repl *r, tosajit_view view) {
    char *text = repl_print(r, view);
    if (text) {
        if (r->terminal) pager_begin(true);
        fputs(text, stdout);
        if (r->terminal) pager_end();
    }
    free(text);
    return text != NULL;
}

bool repl_show_plan(repl *r, const repl_line *line) {
    (void)line;
    return show(r, TOSAJIT_VIEW_PLAN);
}

bool repl_show_passes(repl *r, const repl_line *line) {
    (void)line;
    return show(r, TOSAJIT_VIEW_PASSES);
}

bool repl_show_ir(repl *r, const repl_line *line) {
    (void)line;
    return show(r, TOSAJIT_VIEW_IR);
}

bool repl_show_asm(repl *r, const repl_line *line) {
    (void)line;
    return show(r, TOSAJIT_VIEW_ASM);
}
