/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPUs to make code for. In: the words of --cpu and --targets; out: an engine for each, which
 * compiles for it and runs nothing. */
#ifndef TOSAJIT_TOOLS_BASE_TARGETS_H
#define TOSAJIT_TOOLS_BASE_TARGETS_H

#include "tools/base/options.h"

enum { TARGETS_MAX = 16 };

typedef struct targets {
    tosajit_engine *engines[TARGETS_MAX]; /* owned */
    size_t count;
} targets;

/* One CPU more, at most TARGETS_MAX; "v3" is x86-64-v3, null this machine's. */
tosajit_status targets_add(targets *t, const char *cpu, tosajit_accuracy accuracy);
/* Those of --targets, "v2,v3,v4". EXIT_FINE; EXIT_USAGE after a message; EXIT_REFUSED, and the
 * library's last error says why. In either case targets_close. */
int targets_open(const char *command, const char *list, tosajit_accuracy accuracy, targets *t);
void targets_close(targets *t);

#endif
