/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* :plan, :ir and :asm, texts of the last kernel. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/base/pager.h"
#include "tools/repl/asm_loops.h"
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

bool repl_show_ir(repl *r, const repl_line *line) {
    (void)line;
    return show(r, TOSAJIT_VIEW_IR);
}

/* On a terminal the hot loops are bright. */
bool repl_show_asm(repl *r, const repl_line *line) {
    (void)line;
    if (!r->styled) return show(r, TOSAJIT_VIEW_ASM);
    char *text = repl_print(r, TOSAJIT_VIEW_ASM);
    size_t count = 0;
    asm_line *lines = text ? asm_find_loops(text, &count) : NULL;
    pager_begin(true);
    for (size_t k = 0; k < count; k++)
        printf("%s%.*s%s\n", lines[k].hot ? "\033[1;32m" : "", (int)lines[k].length, lines[k].text,
               lines[k].hot ? "\033[0m" : "");
    pager_end();
    bool fine = lines != NULL;
    if (text && !fine) repl_fail(r, (text_span){0, 0}, "out of memory");
    free(lines);
    free(text);
    return fine;
}
