/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit run --check: a second opinion on results. In: a kernel that has run, its operands and
 * results; out: what to tell, and the exit code. */
#ifndef TOSAJIT_TOOLS_COMMAND_CHECK_H
#define TOSAJIT_TOOLS_COMMAND_CHECK_H

#include "tools/data/array.h"
#include "tools/command/commands.h"

typedef struct check_case {
    const entry *entry;
    const tosajit_kernel *kernel;
    const npy_array *operands, *results; /* results are the kernel's */
    bool quiet;                          /* agreement is not printed */
} check_case;

/* Elements of all results, and those of them that differ. */
typedef struct check_figures {
    int64_t elements, different;
} check_figures;

/* An exit code; after EXIT_REFUSED a message tells what is wrong. */
int check_results(const check_case *c, check_figures *figures);

#endif
