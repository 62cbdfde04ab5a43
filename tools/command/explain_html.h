/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit explain --html: a page about a function, and about a call that is made and measured. */
#ifndef TOSAJIT_TOOLS_COMMAND_EXPLAIN_HTML_H
#define TOSAJIT_TOOLS_COMMAND_EXPLAIN_HTML_H

#include "tools/command/call.h"

/* Shapes as call_read_shapes gives them; null: they are not known, and nothing is measured. An exit
 * code. */
int explain_html(const options *o, const entry *e, tosajit_engine *engine,
                 const tosajit_kernel *kernel, const shape_word *shapes);

#endif
