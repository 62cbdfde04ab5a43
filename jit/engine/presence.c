/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Presence: an atomic word with the process's number in it. */
#include "jit/engine/presence.h"

#include "runtime/system/system.h"

enum { COUNT_BITS = 32 };

static uint32_t process = 1; /* written in a child's only thread, before fork returns there */
static bool watching;

static void count_fork(void) { process++; }
static void watch_forks(void) { watching = system_watch_forks(count_fork); }

bool presence_start(void) {
    static system_once once = SYSTEM_ONCE;
    system_call_once(&once, watch_forks);
    return watching;
}

uint32_t presence_process(void) { return process; }

static uint32_t count_of(uint64_t word) {
    return word >> COUNT_BITS == process ? (uint32_t)word : 0;
}

static bool enter(presence *p, bool anyway) {
    uint64_t old = atomic_load(&p->word);
    do {
        if (!anyway && (uint32_t)old && !count_of(old)) return false;
    } while (!atomic_compare_exchange_weak(&p->word, &old,
                                           (uint64_t)process << COUNT_BITS | (count_of(old) + 1)));
    return true;
}

bool presence_enter(presence *p) { return enter(p, false); }
void presence_enter_anyway(presence *p) { (void)enter(p, true); }

/* In a child, the thread that forked may leave what it entered as a thread of the parent. If
 * somebody has entered anyway since then, the count began anew, and may be 0 already. */
void presence_leave(presence *p) {
    uint64_t old = atomic_load(&p->word);
    while (!atomic_compare_exchange_weak(&p->word, &old, (uint32_t)old ? old - 1 : old)) {
    }
}

uint32_t presence_count(presence *p) { return count_of(atomic_load(&p->word)); }
