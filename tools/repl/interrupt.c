/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One flag, which a handler sets. */
#include "tools/repl/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t interrupts;

bool repl_interrupted(void) { return interrupts != 0; }
void repl_listen(void) { interrupts = 0; }
void repl_interrupt(void) { interrupts = 1; }
