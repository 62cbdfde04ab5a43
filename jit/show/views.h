/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views: a kernel as people look at it. In: a kernel and what to show of it. Out: a text. */
#ifndef TOSAJIT_JIT_SHOW_VIEWS_H
#define TOSAJIT_JIT_SHOW_VIEWS_H

#include "jit/engine/engine.h"
#include "runtime/expr/passes.h"

/* For tosajit_text_release. NOT_EXECUTABLE, OUT_OF_MEMORY, CODEGEN_FAILED. */
tosajit_status views_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view,
                           char **text);

/* The program behind each pass that changed it, as functions of MLIR, a kernel of the expression
 * being made with these aids, but for whoever looks. What program_make gives. */
tosajit_status views_print_passes(const tosajit_expr *expr, const tosajit_allocator *allocator,
                                  const program_aids *aids, char **text);

#endif
