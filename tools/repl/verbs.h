/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Actions of the commands about the last kernel and the settings; the table of commands is above
 * them. Each is false after a message. */
#ifndef TOSAJIT_TOOLS_REPL_VERBS_H
#define TOSAJIT_TOOLS_REPL_VERBS_H

#include "tools/repl/session.h"

/* Bytes from which on a call is compared with memcpy; one with less has other costs than memory's.
 */
enum { REPL_COMPARED = 4096 };

bool repl_run(repl *r, const repl_line *line);
bool repl_time(repl *r, const repl_line *line);
/* The same as a line of a sweep. */
bool repl_time_of(repl *r, const repl_line *line, int64_t n);
bool repl_sweep(repl *r, const repl_line *line);
bool repl_save(repl *r, const repl_line *line);
bool repl_check(repl *r, const repl_line *line);
bool repl_explain(repl *r, const repl_line *line);
bool repl_load(repl *r, const repl_line *line);
bool repl_set_quiet(repl *r, const repl_line *line);
bool repl_set_threads(repl *r, const repl_line *line);
bool repl_show_plan(repl *r, const repl_line *line);
bool repl_show_passes(repl *r, const repl_line *line);
bool repl_show_ir(repl *r, const repl_line *line);
bool repl_show_asm(repl *r, const repl_line *line);
bool repl_set_cpu(repl *r, const repl_line *line);
bool repl_set_strict(repl *r, const repl_line *line);
bool repl_set_accuracy(repl *r, const repl_line *line);
bool repl_set_backend(repl *r, const repl_line *line);

#endif
