/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/passes.h"

#include "runtime/expr/views.h"

/* The list. In front of it is "compact": a copy of what the results need. */
static const struct {
    const char *word;
    program_pass *pass; /* null: that of the aids */
} passes[] = {
    {"contraction",
     contraction},            /* a product that one sum reads: rounded with it, where asked for */
    {"pieces", pieces_split}, /* concat, pad, tile: results in pieces */
    {"views", views_lower},   /* reshape, transpose, slice, ...: how calls see their tensors */
    {"positions", positions_lower}, /* argmax, argmin: of f16, not of f8 */
    {"tables", NULL},               /* what depends on one byte: looked up; on one i1: selected */
    {"simplify", simplify},         /* cheaper ops of the same bits */
    {"common", common_compute},     /* what is written twice: computed once */
};
enum { PASSES = sizeof passes / sizeof *passes, LOWERED = 4 };

tosajit_status program_make(const tosajit_expr *expr, const tosajit_allocator *allocator,
                            const program_aids *aids, program_made *made) {
    program_made m = {NULL, NULL};
    tosajit_status status = expr_compact(expr, allocator, &m.program);
    if (!status) expr_widen(m.program, aids->accuracy);
    if (!status && aids->show) aids->show(aids->context, "compact", m.program);
    for (int k = 0; !status && k < (aids->lowers ? LOWERED : PASSES); k++) {
        program_pass *pass = passes[k].pass ? passes[k].pass : aids->tables;
        bool changed = false;
        if (pass) status = pass(&m, &changed);
        if (!status && aids->show)
            aids->show(aids->context, passes[k].word, changed ? m.program : NULL);
    }
    if (status)
        program_drop(&m);
    else
        *made = m;
    return status;
}

void program_drop(program_made *made) {
    tosajit_expr_destroy(made->program);
    views_destroy(made->views);
}
