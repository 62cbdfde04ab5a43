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
    tosajit_engine *engine;
    const tosajit_kernel *kernel;
    const npy_array *operands, *results; /* results are the kernel's */
    bool fast;                           /* the kernel's accuracy */
} check_case;

int check_results(const check_case *c);

#endif
