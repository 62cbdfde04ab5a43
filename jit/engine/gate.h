/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gate: which threads are inside LLVM, so that none is when the process takes LLVM's own objects
 * away. In: calls that come and go. Out: tosajit_quiesce waits for those that are inside, and
 * nobody else gets in. */
#ifndef TOSAJIT_JIT_ENGINE_GATE_H
#define TOSAJIT_JIT_ENGINE_GATE_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* Before a call that needs LLVM; CODEGEN_FAILED after tosajit_quiesce. After OK, gate_leave. */
tosajit_status gate_enter(void);
/* The same for what only gives memory back, which is always let in. */
void gate_enter_to_release(void);
void gate_leave(void);

/* Let this thread's end wait for those that are inside. Exit on this thread then closes the gate
 * before it destroys an object of LLVM's. */
void gate_watch_thread(void);

/* True if tosajit_quiesce has been called, or is within some milliseconds. */
bool gate_closes_soon(void);

#endif
