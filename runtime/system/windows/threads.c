/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads. The locks of Windows are words that need no initialisation but zeros, and no end. */
#include <process.h>
#include <stdlib.h>
#include <windows.h>

#include "runtime/system/system.h"

_Static_assert(sizeof(system_mutex) == sizeof(SRWLOCK) &&
                   sizeof(system_condition) == sizeof(CONDITION_VARIABLE) &&
                   sizeof(system_once) == sizeof(INIT_ONCE),
               "system.h has them without the header of Windows");

typedef struct beginning {
    void *(*work)(void *argument);
    void *argument;
} beginning;

static unsigned __stdcall begin(void *given) {
    const beginning b = *(beginning *)given;
    free(given);
    (void)b.work(b.argument);
    return 0;
}

bool system_thread_start(system_thread *thread, void *(*work)(void *argument), void *argument) {
    beginning *b = malloc(sizeof *b);
    if (!b) return false;
    *b = (beginning){work, argument};
    const uintptr_t made = _beginthreadex(NULL, 0, begin, b, 0, NULL);
    if (!made) free(b);
    *thread = (HANDLE)made;
    return made != 0;
}

void system_thread_join(system_thread thread) {
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

static SRWLOCK *lock_of(system_mutex *m) { return (SRWLOCK *)&m->word; }
static CONDITION_VARIABLE *condition_of(system_condition *c) {
    return (CONDITION_VARIABLE *)&c->word;
}

void system_mutex_create(system_mutex *m) { InitializeSRWLock(lock_of(m)); }
void system_mutex_destroy(system_mutex *m) { (void)m; }
void system_mutex_lock(system_mutex *m) { AcquireSRWLockExclusive(lock_of(m)); }
void system_mutex_unlock(system_mutex *m) { ReleaseSRWLockExclusive(lock_of(m)); }

void system_condition_create(system_condition *c) { InitializeConditionVariable(condition_of(c)); }
void system_condition_destroy(system_condition *c) { (void)c; }
void system_condition_wait(system_condition *c, system_mutex *m) {
    SleepConditionVariableSRW(condition_of(c), lock_of(m), INFINITE, 0);
}
void system_condition_signal(system_condition *c) { WakeConditionVariable(condition_of(c)); }
void system_condition_broadcast(system_condition *c) { WakeAllConditionVariable(condition_of(c)); }

void system_call_once(system_once *once, void (*work)(void)) {
    BOOL pending = FALSE;
    InitOnceBeginInitialize((INIT_ONCE *)&once->word, 0, &pending, NULL);
    if (!pending) return;
    work();
    InitOnceComplete((INIT_ONCE *)&once->word, 0, NULL);
}

/* Nothing forks here. */
bool system_watch_forks(void (*in_child)(void)) {
    (void)in_child;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Ends. exit ends all other threads before it calls handlers, and tells none of them; what is
 * called at the end of a thread (FlsAlloc) comes after the handlers if the thread calls exit. So
 * there is no such place. */

bool system_thread_at_end(void (*end)(void)) {
    (void)end;
    return false;
}

void system_thread_at_exit(void (*handler)(void)) { (void)handler; }
