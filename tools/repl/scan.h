/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a text of MLIR begins and ends, among lines of other texts. In: lines; out: whether it is
 * complete. */
#ifndef TOSAJIT_TOOLS_REPL_SCAN_H
#define TOSAJIT_TOOLS_REPL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* True if a text is MLIR: it begins with a module or a function. */
bool repl_is_mlir(const char *text, size_t length);
/* True if a line is nothing but a comment of MLIR. */
bool repl_is_mlir_comment(const char *line, size_t length);
/* True if a comment is in a line, of either language, or what could be one. */
bool repl_has_comment(const char *line, size_t length);
typedef enum repl_extent {
    REPL_BEGUN,    /* no bracket is open, and there was no body yet */
    REPL_OPEN,     /* some bracket is open */
    REPL_COMPLETE, /* braces balance behind a body */
    REPL_TOO_DEEP, /* brackets nest beyond what anybody writes */
} repl_extent;
/* How far MLIR text has come, line by line; begins as zeros. */
typedef struct repl_scan {
    int depth, angles, bodies;
    bool dictionary; /* the next braces belong to `attributes` */
} repl_scan;
repl_extent repl_scan_line(repl_scan *scan, const char *line, size_t length);

#endif
