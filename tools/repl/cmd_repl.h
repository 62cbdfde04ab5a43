/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command that types and answers, `tosajit` or `tosajit repl`. */
#ifndef TOSAJIT_TOOLS_REPL_CMD_REPL_H
#define TOSAJIT_TOOLS_REPL_CMD_REPL_H

#include "tools/base/options.h"

/* The exit code. */
int cmd_repl(const options *o);

#endif
