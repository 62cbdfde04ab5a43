/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the hot loops of a kernel are. In: assembly as LLVM prints it; out: its lines, those of
 * innermost loops marked that work on the widest vectors. */
#ifndef TOSAJIT_TOOLS_REPL_ASM_LOOPS_H
#define TOSAJIT_TOOLS_REPL_ASM_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct asm_line {
    const char *text; /* without its newline */
    size_t length;
    bool hot;
} asm_line;

/* The lines of text, to be freed; null if out of memory. */
asm_line *asm_find_loops(const char *text, size_t *count);

#endif
