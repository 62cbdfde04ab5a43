/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Presence: the number of threads inside of something, so that a forked child knows its state. A
 * child has one thread, the one that forked. If others were inside, their locks are held there for
 * ever, and their changes are half made. So the child keeps out. */
#ifndef TOSAJIT_JIT_ENGINE_PRESENCE_H
#define TOSAJIT_JIT_ENGINE_PRESENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero where nobody was inside yet. One word, so that no fork sees half of it. */
typedef struct presence {
    _Atomic uint64_t word; /* process << 32 | its threads that are inside */
} presence;

/* Before everything else: false without memory. Thread-safe. */
bool presence_start(void);

/* The number of forks that led to this process, from 1 on: it tells a process from its parents. A
 * process id would tell as much, but asking the system for it takes longer than finding a kernel in
 * the cache. */
uint32_t presence_process(void);

/* Come in, before presence_leave. False in a child whose parent's threads were inside when it
 * forked. */
bool presence_enter(presence *p);
/* The same, but let in always: for what takes no lock and cannot find anything half changed. The
 * count begins anew in a child whose parent's threads were inside. */
void presence_enter_anyway(presence *p);
void presence_leave(presence *p);

/* Threads of this process that are inside. */
uint32_t presence_count(presence *p);

#endif
