/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Passes: from a user's expression to the program that is planned. In: an expression. Out: one
 * program, changed by the passes of a list, and the views through which calls see its tensors. The
 * list is the table in passes.c; docs/passes.md explains it, and `tosajit plan --passes` shows what
 * each pass does to a program. */
#ifndef TOSAJIT_RUNTIME_EXPR_PASSES_H
#define TOSAJIT_RUNTIME_EXPR_PASSES_H

#include "runtime/expr/expr.h"

typedef struct expr_views expr_views; /* runtime/expr/views.h */

/* A program on its way. */
typedef struct program_made {
    tosajit_expr *program; /* owned */
    expr_views *views;     /* owned; null: calls see its tensors as they are */
} program_made;

/* A pass. It sets `changed` if it does anything. What has failed can only be dropped. */
typedef tosajit_status program_pass(program_made *made, bool *changed);

/* The passes that have no header of their own. OUT_OF_MEMORY. */
program_pass contraction, positions_lower, simplify, common_compute;

/* Functions that the list takes from outside. */
typedef struct program_aids {
    bool lowers;               /* it ends behind the views */
    tosajit_accuracy accuracy; /* the engine's: the greater of this and the expression's holds */
    program_pass *tables; /* it evaluates parts of the program, so it is jit's; null: left out */
    /* Called behind each pass; program: null if it changed nothing. Null: nobody looks. */
    void (*show)(void *context, const char *pass, const tosajit_expr *program);
    void *context;
} program_aids;

/* All of the list. What the passes give; OUT_OF_MEMORY. */
tosajit_status program_make(const tosajit_expr *expr, const tosajit_allocator *allocator,
                            const program_aids *aids, program_made *made);
void program_drop(program_made *made);

#endif
